package localdiscord

import (
	"crypto/rand"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// Interaction types.
const (
	interactionCommand      = 2
	interactionComponent    = 3
	interactionAutocomplete = 4
	interactionModal        = 5
)

// Types of a first answer.
const (
	answerMessage         = 4
	answerDeferredMessage = 5
	answerDeferredUpdate  = 6
	answerUpdate          = 7
	answerChoices         = 8
	answerModal           = 9
)

// interaction is something a user did, from its dispatch until its token expires.
type interaction struct {
	id, token string
	kind      int
	userID    string
	channelID string
	created   time.Time
	source    *message // the message of a component, or of the component that opened a modal
	command   string   // name of a command
	text      string   // the command line as typed
	focusType int      // option type that autocomplete is for
	answer    int      // type of the first answer; 0 while there is none
	failed    bool     // nobody answered in time
	done      chan struct{}
	stop      func()
	original  *message
	followups []string
	edits     int // edits made with the token
	choices   []choice
	modal     *modalForm
}

type modalForm struct {
	CustomID   string       `json:"custom_id"`
	Title      string       `json:"title"`
	Components []*component `json:"components"`
}

type wireInteraction struct {
	ID             string            `json:"id"`
	ApplicationID  string            `json:"application_id"`
	Type           int               `json:"type"`
	Data           any               `json:"data"`
	GuildID        string            `json:"guild_id,omitempty"`
	Guild          map[string]any    `json:"guild,omitempty"`
	ChannelID      string            `json:"channel_id"`
	Channel        map[string]any    `json:"channel"`
	Member         *wireMember       `json:"member,omitempty"`
	User           *wireUser         `json:"user,omitempty"`
	Token          string            `json:"token"`
	Version        int               `json:"version"`
	Message        *wireMessage      `json:"message,omitempty"`
	AppPermissions string            `json:"app_permissions"`
	Locale         string            `json:"locale"`
	GuildLocale    string            `json:"guild_locale,omitempty"`
	Entitlements   []any             `json:"entitlements"`
	Owners         map[string]string `json:"authorizing_integration_owners"`
	Context        int               `json:"context"`
	AttachmentMax  int               `json:"attachment_size_limit"`
}

// begin sends an interaction to the bot and starts its three seconds; the caller holds the lock.
func (s *Server) begin(in *interaction, data any) {
	now := s.clock.Now()
	for len(s.pendingIDs) > 0 {
		oldest := s.pending[s.pendingIDs[0]]
		if len(s.pendingIDs) < maxInteractions && now.Sub(oldest.created) < tokenLifetime {
			break
		}
		oldest.stop()
		delete(s.pending, oldest.token)
		s.pendingIDs = s.pendingIDs[1:]
	}
	in.id, in.token, in.created, in.done = s.newID(), rand.Text()+rand.Text(), now, make(chan struct{})
	s.pending[in.token] = in
	s.pendingIDs = append(s.pendingIDs, in.token)

	ch := s.channels[in.channelID]
	w := &wireInteraction{ID: in.id, ApplicationID: Application, Type: in.kind, Data: data, GuildID: ch.GuildID, ChannelID: ch.ID,
		Channel: s.channelJSON(ch), Token: in.token, Version: 1, Locale: s.users[in.userID].Locale, Entitlements: []any{},
		AppPermissions: strconv.FormatInt(s.permissions(Application, ch), 10), AttachmentMax: maxFileBytes,
		Owners: map[string]string{"0": "0"}, Context: 1}
	if g := s.guilds[ch.GuildID]; g != nil {
		w.Member = s.memberJSON(g, in.userID, ch, true)
		w.GuildLocale, w.Context, w.Owners["0"] = g.Locale, 0, g.ID
		w.Guild = map[string]any{"id": g.ID, "locale": g.Locale, "features": []any{}}
	} else {
		w.User = s.userJSON(in.userID)
	}
	if in.source != nil {
		w.Message = s.messageJSON(in.source)
	}
	in.stop = s.clock.AfterFunc(s.opts.AnswerWithin, func() { s.expire(in) })
	s.dispatchGuild(ch.GuildID, intentsAlways, "INTERACTION_CREATE", w)
	s.touch()
}

// expire marks an interaction that nobody answered as failed.
func (s *Server) expire(in *interaction) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if in.answer == 0 && !in.failed {
		in.failed = true
		s.settle(in)
	}
}

// settle tells everyone who waits that the interaction has its first answer, or never will.
func (s *Server) settle(in *interaction) {
	in.stop()
	close(in.done)
	s.touch()
}

// callback is the first answer to an interaction.
func (s *Server) callback(c *call) (int, any, error) {
	in := s.pending[c.vars("interaction_token")]
	if in == nil || in.id != c.vars("interaction_id") {
		return 0, nil, errUnknownInteraction
	}
	if in.answer != 0 {
		return 0, nil, errAcknowledged
	}
	if in.failed || s.clock.Now().Sub(in.created) > s.opts.AnswerWithin {
		return 0, nil, errUnknownInteraction
	}
	ch := s.channels[in.channelID]
	if ch == nil {
		return 0, nil, errUnknownChannel
	}
	f := c.form
	f.required("type")
	kind, _ := f.integer("type", 0, 1000)
	f.oneOf("type", kind, in.allowedAnswers()...)
	data, hasData := f.object("data")
	if !hasData {
		data = form{at: "data", m: map[string]any{}, errs: f.errs}
	}
	if err := f.errs.err(); err != nil {
		return 0, nil, err
	}
	if err := s.firstAnswer(in, ch, kind, data, c.uploads); err != nil {
		return 0, nil, err
	}
	in.answer = kind
	s.settle(in)
	if c.r.URL.Query().Get("with_response") != "true" {
		return http.StatusNoContent, nil, nil
	}
	w := map[string]any{"interaction": map[string]any{"id": in.id, "type": in.kind}}
	if in.original != nil {
		w["resource"] = map[string]any{"type": kind, "message": s.messageJSON(in.original)}
	}
	return http.StatusOK, w, nil
}

func (in *interaction) allowedAnswers() []int {
	switch in.kind {
	case interactionCommand:
		return []int{answerMessage, answerDeferredMessage, answerModal}
	case interactionAutocomplete:
		return []int{answerChoices}
	case interactionComponent:
		return []int{answerMessage, answerDeferredMessage, answerDeferredUpdate, answerUpdate, answerModal}
	default:
		if in.source == nil {
			return []int{answerMessage, answerDeferredMessage}
		}
		return []int{answerMessage, answerDeferredMessage, answerDeferredUpdate, answerUpdate}
	}
}

func (s *Server) firstAnswer(in *interaction, ch *channel, kind int, data form, uploads []upload) error {
	switch kind {
	case answerMessage:
		p := readPayload(data, uploads, nil)
		if err := data.errs.err(); err != nil {
			return err
		}
		m := s.replyMessage(in, p.flags)
		if err := s.post(ch, m, p, true); err != nil {
			return err
		}
		in.original = m
	case answerDeferredMessage:
		flags, _ := data.integer("flags", 0, 1<<31-1)
		if flags&^flagEphemeral != 0 {
			data.fail("flags", "BASE_TYPE_CHOICES", "A deferred reply takes the ephemeral flag alone")
		}
		if err := data.errs.err(); err != nil {
			return err
		}
		m := s.replyMessage(in, flags)
		m.Flags |= flagLoading
		s.place(ch, m)
		s.announce(m, "MESSAGE_CREATE")
		in.original = m
	case answerDeferredUpdate, answerUpdate:
		if ch.message(in.source.ID) == nil {
			return errUnknownMessage
		}
		in.original = in.source
		if kind == answerDeferredUpdate {
			return nil
		}
		p := readPayload(data, uploads, in.source)
		if err := data.errs.err(); err != nil {
			return err
		}
		return s.apply(in.source, p)
	case answerChoices:
		choices := readChoices(data, in.focusType)
		if err := data.errs.err(); err != nil {
			return err
		}
		in.choices = choices
	case answerModal:
		data.required("custom_id")
		data.required("title")
		data.required("components")
		rules := componentRules{modal: true}
		modal := &modalForm{CustomID: data.str("custom_id", 1, 100), Title: data.str("title", 1, 45), Components: rules.read(data, "components")}
		if err := data.errs.err(); err != nil {
			return err
		}
		in.modal = modal
	}
	return nil
}

// replyMessage is an empty message in answer to the interaction, ephemeral if the flags say so.
func (s *Server) replyMessage(in *interaction, flags int) *message {
	m := &message{Type: messageCommand, AuthorID: Application,
		Invocation: &invocation{ID: in.id, Type: in.kind, Name: in.command, UserID: in.userID, Text: in.text}}
	if in.source != nil {
		m.Type = messageReply
		m.Reference = &messageReference{MessageID: in.source.ID, ChannelID: in.source.ChannelID, GuildID: in.source.GuildID}
	}
	if flags&flagEphemeral != 0 {
		m.Flags |= flagEphemeral
		m.EphemeralTo = in.userID
	}
	return m
}

// tokenInteraction finds the interaction whose token the path carries, for everything after the first answer.
func (s *Server) tokenInteraction(c *call) (*interaction, error) {
	if c.vars("webhook_id") != Application {
		return nil, errUnknownWebhook
	}
	in := s.pending[c.vars("webhook_token")]
	if in == nil || s.clock.Now().Sub(in.created) >= tokenLifetime {
		return nil, errInvalidWebhookToken
	}
	if in.answer == 0 || in.kind == interactionAutocomplete {
		return nil, errUnknownWebhook
	}
	return in, nil
}

func (s *Server) followup(c *call) (int, any, error) {
	in, err := s.tokenInteraction(c)
	if err != nil {
		return 0, nil, err
	}
	ch := s.channels[in.channelID]
	if ch == nil {
		return 0, nil, errUnknownChannel
	}
	// The first followup to a deferred reply fills it in, as ephemeral or not as it was deferred.
	if in.answer == answerDeferredMessage && in.original.loading() && ch.message(in.original.ID) != nil {
		return s.changeReply(c, in, in.original)
	}
	p := readPayload(c.form, c.uploads, nil)
	if err := c.form.errs.err(); err != nil {
		return 0, nil, err
	}
	m := s.replyMessage(in, p.flags)
	m.Type = messageReply
	m.Reference = nil
	if in.original != nil {
		m.Reference = &messageReference{MessageID: in.original.ID, ChannelID: ch.ID, GuildID: ch.GuildID}
	} else {
		m.Type = messageDefault
	}
	if err := s.post(ch, m, p, true); err != nil {
		return 0, nil, err
	}
	in.followups = append(in.followups, m.ID)
	return http.StatusOK, s.messageJSON(m), nil
}

// replyOf finds the message of the path among the answers to the interaction.
func (s *Server) replyOf(c *call) (*interaction, *channel, *message, error) {
	in, err := s.tokenInteraction(c)
	if err != nil {
		return nil, nil, nil, err
	}
	ch := s.channels[in.channelID]
	if ch == nil {
		return nil, nil, nil, errUnknownChannel
	}
	id := c.vars("message_id")
	if id == "" { // @original
		if in.original == nil {
			return nil, nil, nil, errUnknownMessage
		}
		id = in.original.ID
	} else if (in.original == nil || in.original.ID != id) && !slices.Contains(in.followups, id) {
		return nil, nil, nil, errUnknownMessage
	}
	m := ch.message(id)
	if m == nil {
		return nil, nil, nil, errUnknownMessage
	}
	return in, ch, m, nil
}

func (s *Server) getReply(c *call) (int, any, error) {
	_, _, m, err := s.replyOf(c)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, s.messageJSON(m), nil
}

func (s *Server) editReply(c *call) (int, any, error) {
	in, _, m, err := s.replyOf(c)
	if err != nil {
		return 0, nil, err
	}
	return s.changeReply(c, in, m)
}

func (s *Server) changeReply(c *call, in *interaction, m *message) (int, any, error) {
	p := readPayload(c.form, c.uploads, m)
	if err := c.form.errs.err(); err != nil {
		return 0, nil, err
	}
	if err := s.apply(m, p); err != nil {
		return 0, nil, err
	}
	in.edits++
	return http.StatusOK, s.messageJSON(m), nil
}

func (s *Server) deleteReply(c *call) (int, any, error) {
	_, ch, m, err := s.replyOf(c)
	if err != nil {
		return 0, nil, err
	}
	s.removeMessage(ch, m)
	return http.StatusNoContent, nil, nil
}
