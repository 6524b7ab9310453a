package localdiscord

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"
)

// ErrInteractionFailed is what a user sees as "This interaction failed" or "The application did not respond": no answer
// within three seconds, or what Options say.
var ErrInteractionFailed = errors.New("localdiscord: the bot did not answer in time")

// Message is a message as a user sees it.
type Message struct {
	*discordgo.Message
	EphemeralTo string   // its only reader; "" if everyone sees it
	Pinged      []string // users who were notified by it, in order of mention
	Loading     bool     // a deferred reply that has not been filled in
	Version     int      // 1 when new, one more after each edit
	CommandLine string   // what the user typed to bring it about: "/play game: pirat"; "" if it was not a command

	components []*component
}

// snapshot copies a message for the outside; the caller holds the lock.
func (s *Server) snapshot(m *message) *Message {
	w := &discordgo.Message{}
	if err := w.UnmarshalJSON(mustJSON(s.messageJSON(m))); err != nil {
		panic("localdiscord: discordgo cannot read a message: " + err.Error())
	}
	w.GuildID = m.GuildID
	out := &Message{Message: w, EphemeralTo: m.EphemeralTo, Pinged: slices.Clone(m.Pinged), Loading: m.loading(), Version: m.Version, components: m.Components}
	if m.Invocation != nil {
		out.CommandLine = m.Invocation.Text
	}
	return out
}

// Text is all text of the message: content, text displays, titles and descriptions of embeds.
func (m *Message) Text() string {
	parts := []string{}
	add := func(text string) {
		if text != "" {
			parts = append(parts, text)
		}
	}
	add(m.Content)
	walk(m.components, func(c *component) { add(c.Content) })
	for _, e := range m.Embeds {
		add(e.Title)
		add(e.Description)
		for _, f := range e.Fields {
			add(f.Name)
			add(f.Value)
		}
	}
	return strings.Join(parts, "\n")
}

// Component is a button or a menu of a message.
type Component struct {
	Type        int // as Discord numbers them: 2 button, 3 string select, …
	CustomID    string
	Label       string // of a button
	Style       int    // of a button: 1 primary, 2 secondary, 3 success, 4 danger, 5 link
	URL         string // of a link button
	Emoji       string
	Placeholder string // of a menu
	Options     []SelectOption
	Disabled    bool
}

// SelectOption is a line of a string select menu.
type SelectOption struct {
	Label, Value, Description string
	Default                   bool
}

// Interactive lists the buttons and menus of the message in reading order.
func (m *Message) Interactive() []Component {
	var out []Component
	walk(m.components, func(c *component) {
		if c.Type != typeButton && !c.isSelect() {
			return
		}
		w := Component{Type: c.Type, CustomID: c.CustomID, Label: c.Label, Style: c.Style, URL: c.URL, Placeholder: c.Placeholder, Disabled: c.Disabled}
		if c.Emoji != nil {
			w.Emoji = c.Emoji.Name
		}
		for _, o := range c.Options {
			w.Options = append(w.Options, SelectOption{o.Label, o.Value, o.Description, o.Default})
		}
		out = append(out, w)
	})
	return out
}

// Button finds a button by its label or custom_id.
func (m *Message) Button(name string) (Component, bool) {
	return m.find(func(c Component) bool { return c.Type == typeButton && (c.Label == name || c.CustomID == name) })
}

// Menu finds a menu by its custom_id or placeholder; with "" the first one.
func (m *Message) Menu(name string) (Component, bool) {
	return m.find(func(c Component) bool {
		return c.Type != typeButton && (name == "" || c.CustomID == name || c.Placeholder == name)
	})
}

func (m *Message) find(want func(Component) bool) (Component, bool) {
	all := m.Interactive()
	if i := slices.IndexFunc(all, want); i >= 0 {
		return all[i], true
	}
	return Component{}, false
}

// Picture is an image that a message shows, in a gallery, as a thumbnail or in an embed.
type Picture struct{ URL, Description string }

// Pictures lists the images in galleries and thumbnails with their alt texts, and those of embeds.
func (m *Message) Pictures() []Picture {
	var out []Picture
	walk(m.components, func(c *component) {
		if c.Media != nil {
			out = append(out, Picture{c.Media.URL, c.Description})
		}
		for _, it := range c.Items {
			out = append(out, Picture{it.Media.URL, it.Description})
		}
	})
	for _, e := range m.Embeds {
		if e.Image != nil {
			out = append(out, Picture{e.Image.URL, ""})
		}
	}
	return out
}

// Modal is a dialog that the bot opened for a user.
type Modal struct {
	CustomID string
	Title    string
	Inputs   []ModalInput

	opened *interaction
}

// ModalInput is one thing to fill in.
type ModalInput struct {
	Type            int // 4 text, 3 string select, …
	CustomID, Label string
	Value           string // what is there already
	Options         []SelectOption
}

// Reply is the bot's first answer to something a user did.
type Reply struct {
	Type  int    // as Discord numbers answers: 4 message, 5 deferred, 6 deferred update, 7 update, 9 modal
	Modal *Modal // of type 9

	s  *Server
	in *interaction
}

// Message returns the message that the answer put there or changed. For a deferred reply (5) and a deferred update (6)
// it waits until the bot has filled it in through the interaction's token.
// It returns ErrNoMessage when there is none (a modal) or it was deleted, or ctx's error.
func (r *Reply) Message(ctx context.Context) (*Message, error) {
	var out *Message
	err := r.s.wait(ctx, func() bool {
		m := r.in.original
		ch := r.s.channels[r.in.channelID]
		if m == nil || ch == nil || ch.message(m.ID) == nil {
			out = nil
			return true
		}
		if m.loading() || r.Type == answerDeferredUpdate && r.in.edits == 0 {
			return false
		}
		out = r.s.snapshot(m)
		return true
	})
	if err == nil && out == nil {
		err = ErrNoMessage
	}
	return out, err
}

// first waits for the first answer to an interaction that start began.
func (s *Server) first(ctx context.Context, start func() (*interaction, error)) (*Reply, error) {
	s.mu.Lock()
	in, err := start()
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	select {
	case <-in.done:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if in.failed {
		return nil, ErrInteractionFailed
	}
	r := &Reply{Type: in.answer, s: s, in: in}
	if in.modal != nil {
		r.Modal = &Modal{CustomID: in.modal.CustomID, Title: in.modal.Title, opened: in}
		label := ""
		walk(in.modal.Components, func(c *component) {
			if c.Type == typeLabel {
				label = c.Label
			}
			if c.CustomID == "" {
				return
			}
			input := ModalInput{Type: c.Type, CustomID: c.CustomID, Label: c.Label, Value: c.Value}
			if input.Label == "" {
				input.Label = label
			}
			for _, o := range c.Options {
				input.Options = append(input.Options, SelectOption{o.Label, o.Value, o.Description, o.Default})
			}
			r.Modal.Inputs = append(r.Modal.Inputs, input)
		})
	}
	return r, nil
}

// Command uses a slash command, sub-commands separated by spaces ("table open"), and waits for the first answer.
// It returns ErrNoCommand, ErrBadOption or ErrNoChannel when the client would not let the user do that,
// ErrInteractionFailed when the bot is silent, or ctx's error.
func (s *Server) Command(ctx context.Context, userID, channelID, name string, options ...Option) (*Reply, error) {
	return s.first(ctx, func() (*interaction, error) { return s.startCommand(userID, channelID, name, "", options) })
}

// Choice is a line that autocomplete offers.
type Choice struct {
	Name  string
	Value any // string or float64
}

// Autocomplete asks for the choices of an option, given what was typed into it and the options so far.
func (s *Server) Autocomplete(ctx context.Context, userID, channelID, name, focus string, options ...Option) ([]Choice, error) {
	r, err := s.first(ctx, func() (*interaction, error) { return s.startCommand(userID, channelID, name, focus, options) })
	if err != nil {
		return nil, err
	}
	out := []Choice{}
	for _, c := range r.in.choices {
		out = append(out, Choice{c.Name, c.Value})
	}
	return out, nil
}

// Click presses a button, by custom_id, and waits for the first answer.
// It returns ErrNoMessage, ErrNoComponent or ErrDisabled when there is nothing to press.
func (s *Server) Click(ctx context.Context, userID, messageID, customID string) (*Reply, error) {
	return s.first(ctx, func() (*interaction, error) { return s.startComponent(userID, messageID, customID, nil) })
}

// Select chooses values from a menu, by custom_id, and waits for the first answer.
func (s *Server) Select(ctx context.Context, userID, messageID, customID string, values ...string) (*Reply, error) {
	if values == nil {
		values = []string{}
	}
	return s.first(ctx, func() (*interaction, error) { return s.startComponent(userID, messageID, customID, values) })
}

// SubmitModal sends the modal that a reply opened; inputs not named keep the value they show.
func (s *Server) SubmitModal(ctx context.Context, userID string, modal *Modal, inputs ...Option) (*Reply, error) {
	if modal == nil {
		return nil, fmt.Errorf("%w: there is none", ErrBadModal)
	}
	return s.first(ctx, func() (*interaction, error) { return s.startModal(userID, modal.opened, inputs) })
}

// Forge sends the bot an interaction as it stands, without asking whether a message or a registration of this server has it: what
// old messages, old registrations and altered clients send. kind is 2 for a command, 3 for a component, 4 for autocomplete and 5 for a modal, data
// is as Discord describes it for that kind. messageID is the message that a component or a modal belongs to, "" for others; whoever sees it.
func (s *Server) Forge(ctx context.Context, userID, channelID, messageID string, kind int, data map[string]any) (*Reply, error) {
	return s.first(ctx, func() (*interaction, error) {
		ch, err := s.visibleChannel(userID, channelID)
		if err != nil {
			return nil, err
		}
		in := &interaction{kind: kind, userID: userID, channelID: ch.ID, focusType: optionString}
		if messageID != "" {
			if in.source = ch.message(messageID); in.source == nil {
				return nil, ErrNoMessage
			}
		}
		if kind == interactionComponent && in.source == nil {
			return nil, ErrNoMessage
		}
		s.begin(in, data)
		return in, nil
	})
}

// Say posts a user's own words.
func (s *Server) Say(userID, channelID, content string) (*Message, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m, err := s.say(userID, channelID, content)
	if err != nil {
		return nil, err
	}
	return s.snapshot(m), nil
}

// Dismiss takes an ephemeral message away, as its addressee can.
func (s *Server) Dismiss(userID, messageID string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dismiss(userID, messageID)
}

// DeleteMessage removes a message, as a moderator can; the bot hears MESSAGE_DELETE.
func (s *Server) DeleteMessage(messageID string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ch := range s.channels {
		if m := ch.message(messageID); m != nil {
			s.removeMessage(ch, m)
			return nil
		}
	}
	return ErrNoMessage
}

// Messages returns what a user sees in a channel, oldest first; nothing if the user cannot see it.
func (s *Server) Messages(channelID, asUser string) []*Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen(channelID, asUser)
}

func (s *Server) seen(channelID, userID string) []*Message {
	ch, err := s.visibleChannel(userID, channelID)
	if err != nil {
		return nil
	}
	var out []*Message
	for _, m := range ch.Messages {
		if m.visibleTo(userID) {
			out = append(out, s.snapshot(m))
		}
	}
	return out
}

// Message returns a message as a user sees it, or ErrNoMessage.
func (s *Server) Message(messageID, asUser string) (*Message, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, m, err := s.visibleMessage(asUser, messageID)
	if err != nil {
		return nil, err
	}
	return s.snapshot(m), nil
}

// WaitMessage waits until a user sees a message in the channel that want accepts, and returns the newest such one.
// Deferred replies that are not filled in yet are not shown to want, which is called anew whenever the channel has
// changed and must not call back into the server.
func (s *Server) WaitMessage(ctx context.Context, channelID, asUser string, want func(*Message) bool) (*Message, error) {
	var out *Message
	type state struct {
		id      string
		version int
	}
	rejected := map[state]bool{}
	err := s.wait(ctx, func() bool {
		ch, err := s.visibleChannel(asUser, channelID)
		if err != nil {
			return false
		}
		for _, m := range slices.Backward(ch.Messages) {
			key := state{m.ID, m.Version}
			if !m.visibleTo(asUser) || m.loading() || rejected[key] {
				continue
			}
			if w := s.snapshot(m); want(w) {
				out = w
				return true
			}
			rejected[key] = true
		}
		return false
	})
	return out, err
}

// Wait blocks until cond is true, asking anew whenever anything changed (a message, a request, a connection).
// cond may call the server's methods.
func (s *Server) Wait(ctx context.Context, cond func() bool) error {
	for {
		s.mu.Lock()
		changed := s.changed
		s.mu.Unlock()
		if cond() {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Connected reports how many gateway sessions are connected.
func (s *Server) Connected() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, sess := range s.sessions {
		if sess.conn != nil {
			n++
		}
	}
	return n
}

// Attachment returns the bytes behind an attachment's URL.
func (s *Server) Attachment(url string) ([]byte, bool) {
	parts := strings.Split(url, "/attachments/")
	if len(parts) != 2 {
		return nil, false
	}
	ids := strings.Split(parts[1], "/")
	if len(ids) != 3 {
		return nil, false
	}
	f, ok := s.files.get(ids[1])
	return f.data, ok
}

// Channel describes a channel or thread.
type Channel struct {
	ID, GuildID, ParentID, Name string
	Thread, Archived, Locked    bool
}

// Channels lists the channels and threads of a server that a user sees, in order; threads follow in order of creation.
func (s *Server) Channels(guildID, asUser string) []Channel {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.guilds[guildID]
	if g == nil {
		return nil
	}
	var out []Channel
	for _, id := range g.Channels {
		ch := s.channels[id]
		if !s.canSee(asUser, ch) {
			continue
		}
		w := Channel{ID: ch.ID, GuildID: ch.GuildID, ParentID: ch.ParentID, Name: ch.Name, Thread: ch.isThread()}
		if ch.isThread() {
			w.Archived, w.Locked = ch.Thread.Archived, ch.Thread.Locked
		}
		out = append(out, w)
	}
	return out
}

// DM returns the id of the direct message channel of the bot and a user.
func (s *Server) DM(userID string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users[userID] == nil {
		return "", ErrNoUser
	}
	return s.dmChannel(userID).ID, nil
}

// ArchiveThread archives or unarchives a thread, locked or not, as a moderator can; the bot hears THREAD_UPDATE.
func (s *Server) ArchiveThread(threadID string, archived, locked bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch := s.channels[threadID]
	if ch == nil || !ch.isThread() {
		return ErrNoChannel
	}
	ch.Thread.Archived, ch.Thread.Locked, ch.Thread.ArchiveTimestamp = archived, locked, s.clock.Now().UTC()
	s.dispatchGuild(ch.GuildID, intentGuilds, "THREAD_UPDATE", s.channelJSON(ch))
	s.worldChanged()
	return nil
}

// Commands lists the names of the registered commands: global ones ("") or a server's own, in their order.
func (s *Server) Commands(guildID string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, c := range s.commands[guildID] {
		out = append(out, c.Name)
	}
	return out
}
