package localdiscord

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrInteractionFailed means that the bot did not answer within Options.AnswerWithin, or before the server was closed.
// Discord's client then shows "This interaction failed" or "The application did not respond".
var ErrInteractionFailed = errors.New("localdiscord: the bot did not answer in time")

// Modal is a dialog that the bot opened for a user.
type Modal struct {
	CustomID string
	Title    string
	Inputs   []ModalInput

	opened *interaction
}

// ModalInput is an input of a modal.
type ModalInput struct {
	Type            int // Discord's component type, such as 4 for text
	CustomID, Label string
	Value           string // the value that the bot has filled in
	Options         []SelectOption
}

// Reply is the bot's first answer to a user's action.
type Reply struct {
	Type  int    // Discord's answer type, such as 4 for a message, 5 for a deferred one or 9 for a modal
	Modal *Modal // only for type 9

	hub *hub
	in  *interaction
}

// Message returns the message that the answer posted or changed. For a deferred reply (5) or update (6), it waits until
// the bot has filled in the message with the interaction's token, or has posted another message with it. A deleted
// answer is returned in its last state. Message returns ErrNoMessage if there is no message, for example because the
// answer is a modal or because a deferred reply was deleted while empty. Otherwise it can return the error of ctx.
func (r *Reply) Message(ctx context.Context) (*Message, error) {
	var out *Message
	err := r.hub.wait(ctx, r.in.channelID, func() bool {
		original := r.in.original
		ch := r.hub.state.channels[r.in.channelID]
		if original == nil || ch == nil {
			return true
		}
		m := original
		if r.Type == answerDeferredUpdate {
			m = r.in.filled
		}
		if m == nil || m.loading() {
			return ch.message(original.ID) == nil
		}
		out = r.hub.state.snapshot(m)
		return true
	})
	if err == nil && out == nil {
		err = ErrNoMessage
	}
	return out, err
}

// first begins an interaction and waits for its first answer.
func (s *Server) first(ctx context.Context, begin func() (*interaction, error)) (*Reply, error) {
	in, err := s.client.await(ctx, begin)
	if err != nil {
		return nil, err
	}
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	if in.failed {
		return nil, ErrInteractionFailed
	}
	r := &Reply{Type: in.answer, hub: s.hub, in: in}
	if in.modal != nil {
		r.Modal = &Modal{CustomID: in.modal.CustomID, Title: in.modal.Title, Inputs: in.modal.inputs(), opened: in}
	}
	return r, nil
}

// inputs returns the inputs in reading order.
func (f *modalForm) inputs() []ModalInput {
	var out []ModalInput
	label := ""
	walk(f.Components, func(c *component) {
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
		out = append(out, input)
	})
	return out
}

// Command uses a slash command and waits for the first answer. Sub-commands are separated by spaces ("table open").
// It returns ErrNoCommand, ErrBadOption, ErrNoChannel or ErrNoUser if Discord's client would refuse the command,
// ErrInteractionFailed if the bot does not answer, or the error of ctx.
func (s *Server) Command(ctx context.Context, userID, channelID, name string, options ...Option) (*Reply, error) {
	return s.first(ctx, func() (*interaction, error) {
		return s.client.startCommand(userID, channelID, name, "", options)
	})
}

// Menu uses a command of the context menu of a user or message, or an Entry Point, which has no target. It waits for
// the first answer. It returns the errors of Command, and ErrNoUser or ErrNoMessage for a missing target.
func (s *Server) Menu(ctx context.Context, userID, channelID, name, targetID string) (*Reply, error) {
	return s.first(ctx, func() (*interaction, error) { return s.client.startMenu(userID, channelID, name, targetID) })
}

// Choice is an autocomplete choice.
type Choice struct {
	Name  string
	Value any // a string or a float64
}

// Autocomplete requests the choices of the option focus. options are the text typed so far and the other options.
func (s *Server) Autocomplete(ctx context.Context, userID, channelID, name, focus string,
	options ...Option) ([]Choice, error) {
	r, err := s.first(ctx, func() (*interaction, error) {
		return s.client.startCommand(userID, channelID, name, focus, options)
	})
	if err != nil {
		return nil, err
	}
	return r.Choices(), nil
}

// Choices returns the choices of an autocomplete answer.
func (r *Reply) Choices() []Choice {
	out := []Choice{}
	for _, c := range r.in.choices {
		out = append(out, Choice{c.Name, c.Value})
	}
	return out
}

// Click presses the button with a custom_id, and waits for the first answer. It returns ErrNoUser, ErrNoMessage,
// ErrNoComponent or ErrDisabled if the user cannot press the button, ErrInteractionFailed if the bot does not answer,
// or the error of ctx.
func (s *Server) Click(ctx context.Context, userID, messageID, customID string) (*Reply, error) {
	return s.first(ctx, func() (*interaction, error) {
		return s.client.startComponent(userID, messageID, customID, nil)
	})
}

// Select chooses values from the menu with a custom_id, and waits for the first answer.
func (s *Server) Select(ctx context.Context, userID, messageID, customID string, values ...string) (*Reply, error) {
	if values == nil {
		values = []string{}
	}
	return s.first(ctx, func() (*interaction, error) {
		return s.client.startComponent(userID, messageID, customID, values)
	})
}

// SubmitModal submits the modal that a reply opened. Inputs that are not given keep their present value.
func (s *Server) SubmitModal(ctx context.Context, userID string, modal *Modal, inputs ...Option) (*Reply, error) {
	if modal == nil {
		return nil, fmt.Errorf("%w: there is none", ErrBadModal)
	}
	return s.first(ctx, func() (*interaction, error) { return s.client.startModal(userID, modal.opened, inputs) })
}

// Forge sends any interaction to the bot, as old messages, old registrations and altered clients can. It checks only
// that the user can see the channel and that the message exists. kind is 2 for a command, 3 for a component, 4 for
// autocomplete, 5 for a modal. data has Discord's format for that kind. messageID is the message of a component or a
// modal, otherwise "". The user need not see the message.
func (s *Server) Forge(ctx context.Context, userID, channelID, messageID string, kind int,
	data map[string]any) (*Reply, error) {
	return s.first(ctx, func() (*interaction, error) {
		return s.client.forge(userID, channelID, messageID, kind, data)
	})
}

// Say posts a user's message in a channel.
func (s *Server) Say(userID, channelID, content string) (out *Message, err error) {
	err = s.hub.try(func() error {
		m, err := s.client.say(userID, channelID, content)
		if err == nil {
			out = s.hub.state.snapshot(m)
		}
		return err
	})
	return out, err
}

// Dismiss removes an ephemeral message that is addressed to the user. It returns ErrNotAllowed for a public message,
// and ErrNoMessage for one that the user cannot see.
func (s *Server) Dismiss(userID, messageID string) error {
	return s.hub.try(func() error { return s.client.dismiss(userID, messageID) })
}

// Messages returns the messages that a user sees in a channel, oldest first; none if the user cannot see the channel.
func (s *Server) Messages(channelID, asUser string) []*Message {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	ch, err := s.hub.state.visibleChannel(asUser, channelID)
	if err != nil {
		return nil
	}
	var out []*Message
	for _, m := range ch.Messages {
		if m.visibleTo(asUser) {
			out = append(out, s.hub.state.snapshot(m))
		}
	}
	return out
}

// Message returns a message if a user sees it, and otherwise ErrNoMessage, or ErrNoUser for an unknown user.
func (s *Server) Message(messageID, asUser string) (*Message, error) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	_, m, err := s.hub.state.visibleMessage(asUser, messageID)
	if err != nil {
		return nil, err
	}
	return s.hub.state.snapshot(m), nil
}

// WaitMessage waits until the channel has a message that the user sees and want accepts, and returns the newest of
// these, or the error of ctx. want is called for each message and again when one is edited. It is not called for
// deferred replies that are not filled in yet, and must not call the server.
func (s *Server) WaitMessage(ctx context.Context, channelID, asUser string,
	want func(*Message) bool) (*Message, error) {
	var out *Message
	type state struct {
		id      string
		version int
	}
	rejected := map[state]bool{}
	err := s.hub.wait(ctx, channelID, func() bool {
		ch, err := s.hub.state.visibleChannel(asUser, channelID)
		if err != nil {
			return false
		}
		for _, m := range slices.Backward(ch.Messages) {
			key := state{m.ID, m.Version}
			if !m.visibleTo(asUser) || m.loading() || rejected[key] {
				continue
			}
			if w := s.hub.state.snapshot(m); want(w) {
				out = w
				return true
			}
			rejected[key] = true
		}
		return false
	})
	return out, err
}

// Unanswered returns the number of interactions that wait for their first answer.
func (s *Server) Unanswered() int {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	n := 0
	for _, in := range s.interactions.byToken {
		if in.answer == 0 && !in.failed {
			n++
		}
	}
	return n
}

// Wait blocks until cond is true, or returns the error of ctx. It calls cond again after every change (a message, a
// request, a connection). cond may call the server's methods.
func (s *Server) Wait(ctx context.Context, cond func() bool) error {
	for {
		s.hub.mu.Lock()
		changed := s.hub.changed
		s.hub.mu.Unlock()
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

// Attachment returns the content of an attachment by its URL.
func (s *Server) Attachment(url string) ([]byte, bool) {
	parts := strings.Split(url, "/attachments/")
	if len(parts) != 2 {
		return nil, false
	}
	ids := strings.Split(parts[1], "/")
	if len(ids) != 3 {
		return nil, false
	}
	f, ok := s.hub.state.files.get(ids[1])
	return f.data, ok
}

// Channel describes a channel or thread.
type Channel struct {
	ID, GuildID, ParentID, Name string
	Thread, Archived, Locked    bool
}

// Channels lists the channels and threads of a server that a user sees, in order of creation.
func (s *Server) Channels(guildID, asUser string) []Channel {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	g := s.hub.state.guilds[guildID]
	if g == nil {
		return nil
	}
	var out []Channel
	for _, id := range g.Channels {
		ch := s.hub.state.channels[id]
		if !s.hub.state.canSee(asUser, ch) {
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
func (s *Server) DM(userID string) (id string, err error) {
	err = s.hub.try(func() error {
		if s.hub.state.users[userID] == nil {
			return ErrNoUser
		}
		id = s.hub.dmChannel(userID).ID
		return nil
	})
	return id, err
}

// Commands lists the names of a server's own registered commands in order, or of the global commands if guildID is "".
func (s *Server) Commands(guildID string) []string {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	var out []string
	for _, c := range s.hub.state.commands[guildID] {
		out = append(out, c.Name)
	}
	return out
}
