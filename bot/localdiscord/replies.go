package localdiscord

import (
	"cmp"
	"net/http"
	"slices"
)

// replyAPI handles the answers to interactions.
type replyAPI struct {
	hub          *hub
	interactions *interactions
	activities   *activities
}

// callback handles the first answer to an interaction.
func (api *replyAPI) callback(c *call) (int, any, error) {
	in := api.interactions.byToken[c.vars("interaction_token")]
	if in == nil || in.id != c.vars("interaction_id") {
		return 0, nil, errUnknownInteraction
	}
	if in.answer != 0 {
		return 0, nil, errAcknowledged
	}
	if in.failed || api.hub.state.clock.Now().Sub(in.created) > api.interactions.answerWithin {
		return 0, nil, errUnknownInteraction
	}
	ch := api.hub.state.channels[in.channelID]
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
	if err := api.firstAnswer(in, ch, kind, data, c.uploads); err != nil {
		return 0, nil, err
	}
	in.answer = kind
	api.interactions.settle(in)
	if c.r.URL.Query().Get("with_response") != "true" {
		return http.StatusNoContent, nil, nil
	}
	about := map[string]any{"id": in.id, "type": in.kind}
	w := map[string]any{"interaction": about}
	if in.activity != nil {
		about["activity_instance_id"] = in.activity.ID
		w["resource"] = map[string]any{"type": kind, "activity_instance": map[string]any{"id": in.activity.ID}}
	}
	if in.original != nil {
		w["resource"] = map[string]any{"type": kind, "message": api.hub.state.messageJSON(in.original)}
	}
	return http.StatusOK, w, nil
}

func (in *interaction) allowedAnswers() []int {
	switch in.kind {
	case interactionCommand:
		return []int{answerMessage, answerDeferredMessage, answerModal, answerLaunch}
	case interactionAutocomplete:
		return []int{answerChoices}
	case interactionComponent:
		return []int{answerMessage, answerDeferredMessage, answerDeferredUpdate, answerUpdate, answerModal,
			answerLaunch}
	default:
		if in.source == nil {
			return []int{answerMessage, answerDeferredMessage, answerLaunch}
		}
		return []int{answerMessage, answerDeferredMessage, answerDeferredUpdate, answerUpdate, answerLaunch}
	}
}

func (api *replyAPI) firstAnswer(in *interaction, ch *channel, kind int, data form, uploads []upload) error {
	switch kind {
	case answerMessage:
		p := readPayload(data, uploads, nil)
		if err := data.errs.err(); err != nil {
			return err
		}
		m := replyMessage(in, p.flags)
		if err := api.hub.post(ch, m, p); err != nil {
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
		m := replyMessage(in, flags)
		m.Flags |= flagLoading
		api.hub.place(ch, m)
		api.hub.announce(m, "MESSAGE_CREATE")
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
		return api.hub.apply(in.source, p)
	case answerLaunch:
		return api.activities.launch(in, ch)
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
		modal := &modalForm{CustomID: data.str("custom_id", 1, 100), Title: data.str("title", 1, 45),
			Components: rules.read(data, "components")}
		if err := data.errs.err(); err != nil {
			return err
		}
		in.modal = modal
	}
	return nil
}

// replyMessage returns an empty message that answers the interaction. It is ephemeral if the flags include that.
func replyMessage(in *interaction, flags int) *message {
	m := &message{Type: messageCommand, AuthorID: Application, Invocation: in.invocation()}
	if in.source != nil {
		m.Type = messageReply
		m.Reference = &messageReference{MessageID: in.source.ID, ChannelID: in.source.ChannelID,
			GuildID: in.source.GuildID}
	}
	if flags&flagEphemeral != 0 {
		m.Flags |= flagEphemeral
		m.EphemeralTo = in.userID
	}
	return m
}

// invocation returns a description of the interaction, which is stored with the messages that answer it.
func (in *interaction) invocation() *invocation {
	v := &invocation{ID: in.id, Type: in.kind, Name: in.command, UserID: in.userID, Text: in.text, Owners: in.owners}
	if in.kind == interactionComponent {
		v.Pressed = in.source.ID
	}
	if in.opener != nil {
		v.Opened = in.opener.invocation()
	}
	return v
}

// tokenInteraction finds the interaction of the token in the path, for all requests after the first answer.
func (api *replyAPI) tokenInteraction(c *call) (*interaction, error) {
	if c.vars("webhook_id") != Application {
		return nil, errUnknownWebhook
	}
	in := api.interactions.byToken[c.vars("webhook_token")]
	if in == nil || api.hub.state.clock.Now().Sub(in.created) >= tokenLifetime {
		return nil, errInvalidWebhookToken
	}
	if in.answer == 0 || in.kind == interactionAutocomplete {
		return nil, errUnknownWebhook
	}
	return in, nil
}

func (api *replyAPI) followup(c *call) (int, any, error) {
	in, err := api.tokenInteraction(c)
	if err != nil {
		return 0, nil, err
	}
	ch := api.hub.state.channels[in.channelID]
	if ch == nil {
		return 0, nil, errUnknownChannel
	}
	// The first followup to a deferred reply fills in that reply, and keeps its visibility.
	if in.answer == answerDeferredMessage && in.original.loading() && ch.message(in.original.ID) != nil {
		return api.change(c, in, in.original)
	}
	if in.owners[installGuild] == "" && len(in.followups) >= maxUserFollowups {
		return 0, nil, errMaxFollowups
	}
	p := readPayload(c.form, c.uploads, nil)
	if err := c.form.errs.err(); err != nil {
		return 0, nil, err
	}
	m := replyMessage(in, p.flags)
	m.Type = messageReply
	m.Reference = nil
	if in.original != nil {
		m.Reference = &messageReference{MessageID: in.original.ID, ChannelID: ch.ID, GuildID: ch.GuildID}
	} else {
		m.Type = messageDefault
	}
	if err := api.hub.post(ch, m, p); err != nil {
		return 0, nil, err
	}
	in.followups = append(in.followups, m.ID)
	in.filled = cmp.Or(in.filled, m)
	return http.StatusOK, api.hub.state.messageJSON(m), nil
}

// replyOf finds the message in the path among the answers to the interaction.
func (api *replyAPI) replyOf(c *call) (*interaction, *channel, *message, error) {
	in, err := api.tokenInteraction(c)
	if err != nil {
		return nil, nil, nil, err
	}
	ch := api.hub.state.channels[in.channelID]
	if ch == nil {
		return nil, nil, nil, errUnknownChannel
	}
	id := c.vars("message_id")
	if id == "" { // the path has @original instead of an id
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

func (api *replyAPI) get(c *call) (int, any, error) {
	_, _, m, err := api.replyOf(c)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, api.hub.state.messageJSON(m), nil
}

func (api *replyAPI) edit(c *call) (int, any, error) {
	in, _, m, err := api.replyOf(c)
	if err != nil {
		return 0, nil, err
	}
	return api.change(c, in, m)
}

func (api *replyAPI) change(c *call, in *interaction, m *message) (int, any, error) {
	p := readPayload(c.form, c.uploads, m)
	if err := c.form.errs.err(); err != nil {
		return 0, nil, err
	}
	if err := api.hub.apply(m, p); err != nil {
		return 0, nil, err
	}
	in.filled = cmp.Or(in.filled, m)
	return http.StatusOK, api.hub.state.messageJSON(m), nil
}

func (api *replyAPI) delete(c *call) (int, any, error) {
	_, ch, m, err := api.replyOf(c)
	if err != nil {
		return 0, nil, err
	}
	api.hub.removeMessage(ch, m)
	return http.StatusNoContent, nil, nil
}
