package localdiscord

import (
	"net/http"
	"slices"
	"strconv"
	"time"
)

// messageAPI handles requests about the messages of channels.
type messageAPI struct{ hub *hub }

// botChannel finds the channel in the path if the bot can see it and has the permissions.
func (s *state) botChannel(c *call, permissions int64) (*channel, error) {
	ch := s.channels[c.vars("channel_id")]
	if ch == nil {
		return nil, errUnknownChannel
	}
	has := s.permissions(Application, ch)
	if has&PermissionViewChannel == 0 {
		return nil, errMissingAccess
	}
	if has&permissions != permissions {
		return nil, errMissingPermissions
	}
	return ch, nil
}

func sendPermission(c *channel) int64 {
	if c.isThread() {
		return PermissionSendMessagesInThreads
	}
	return PermissionSendMessages
}

// nonceLifetime is how long an enforced nonce prevents a repeated message. Discord documents "a few minutes".
const nonceLifetime = 5 * time.Minute

// sentBefore returns a message of the application with a nonce, not older than nonceLifetime, in any channel; nil if
// there is none. Discord's documentation names only the author and the nonce as conditions. Source: Discord's
// documentation, "Create Message", enforce_nonce.
func (s *state) sentBefore(nonce string) *message {
	since := s.clock.Now().Add(-nonceLifetime)
	for _, ch := range s.channels {
		for _, m := range slices.Backward(ch.Messages) {
			if !m.Created.After(since) {
				break
			}
			if m.AuthorID == Application && m.Nonce == nonce {
				return m
			}
		}
	}
	return nil
}

func (api *messageAPI) create(c *call) (int, any, error) {
	ch, err := api.hub.state.botChannel(c, 0)
	if err != nil {
		return 0, nil, err
	}
	if !ch.takesMessages() {
		return 0, nil, errNotText
	}
	need := sendPermission(ch)
	if len(c.uploads) > 0 {
		need |= PermissionAttachFiles
	}
	if l, _ := c.form.m["embeds"].([]any); len(l) > 0 {
		need |= PermissionEmbedLinks
	}
	if api.hub.state.permissions(Application, ch)&need != need {
		return 0, nil, errMissingPermissions
	}
	if ch.Type == channelDM && api.hub.state.users[ch.Recipient].ClosedDMs {
		return 0, nil, errCannotDM
	}
	if ch.Type == channelDM && len(api.hub.state.installs(ch.Recipient, ch)) == 0 {
		return 0, nil, errNoMutualGuilds
	}
	p := readPayload(c.form, c.uploads, nil)
	if r := p.reference; r != nil {
		if r.ChannelID == "" {
			r.ChannelID = ch.ID
		}
		if m := ch.message(r.MessageID); r.ChannelID != ch.ID || m == nil || m.EphemeralTo != "" {
			c.form.fail("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message")
		}
		r.GuildID = ch.GuildID
	}
	nonce := ""
	if _, isText := c.form.m["nonce"].(string); isText {
		nonce = c.form.str("nonce", 0, 25)
	}
	c.form.boolean("enforce_nonce")
	if err := c.form.errs.err(); err != nil {
		return 0, nil, err
	}
	if enforce, _ := c.form.m["enforce_nonce"].(bool); enforce && nonce != "" {
		if m := api.hub.state.sentBefore(nonce); m != nil {
			return http.StatusOK, api.hub.state.messageJSON(m), nil
		}
	}
	if err := api.hub.wakeThread(ch); err != nil {
		return 0, nil, err
	}
	m := &message{Type: messageDefault, AuthorID: Application, Reference: p.reference, Nonce: nonce}
	if p.reference != nil {
		m.Type = messageReply
	}
	if err := api.hub.post(ch, m, p); err != nil {
		return 0, nil, err
	}
	return http.StatusOK, api.hub.state.messageJSON(m), nil
}

func (api *messageAPI) get(c *call) (int, any, error) {
	ch, err := api.hub.state.botChannel(c, PermissionReadMessageHistory)
	if err != nil {
		return 0, nil, err
	}
	m, err := publicMessage(c, ch)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, api.hub.state.messageJSON(m), nil
}

func (api *messageAPI) list(c *call) (int, any, error) {
	ch, err := api.hub.state.botChannel(c, 0)
	if err != nil {
		return 0, nil, err
	}
	out := []*wireMessage{}
	if api.hub.state.permissions(Application, ch)&PermissionReadMessageHistory == 0 {
		return http.StatusOK, out, nil
	}
	q := c.r.URL.Query()
	limit := 50
	if v := q.Get("limit"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 || n > 100 {
			c.form.fail("limit", "NUMBER_TYPE_MAX", "int value should be between 1 and 100.")
			return 0, nil, c.form.errs.err()
		}
		limit = n
	}
	before, after := q.Get("before"), q.Get("after")
	for i := len(ch.Messages) - 1; i >= 0; i-- {
		m := ch.Messages[i]
		if m.EphemeralTo != "" || before != "" && !olderID(m.ID, before) || after != "" && !olderID(after, m.ID) {
			continue
		}
		out = append(out, api.hub.state.messageJSON(m))
	}
	if after != "" && len(out) > limit { // the messages right after the id, still newest first
		out = out[len(out)-limit:]
	}
	return http.StatusOK, out[:min(limit, len(out))], nil
}

func (api *messageAPI) edit(c *call) (int, any, error) {
	ch, err := api.hub.state.botChannel(c, 0)
	if err != nil {
		return 0, nil, err
	}
	m, err := publicMessage(c, ch)
	if err != nil {
		return 0, nil, err
	}
	if m.AuthorID != Application {
		return 0, nil, errNotAuthor
	}
	if len(c.uploads) > 0 && api.hub.state.permissions(Application, ch)&PermissionAttachFiles == 0 {
		return 0, nil, errMissingPermissions
	}
	if ch.isThread() && ch.Thread.Archived {
		return 0, nil, errThreadArchived
	}
	p := readPayload(c.form, c.uploads, m)
	if err := c.form.errs.err(); err != nil {
		return 0, nil, err
	}
	if err := api.hub.apply(m, p); err != nil {
		return 0, nil, err
	}
	return http.StatusOK, api.hub.state.messageJSON(m), nil
}

func (api *messageAPI) delete(c *call) (int, any, error) {
	ch, err := api.hub.state.botChannel(c, 0)
	if err != nil {
		return 0, nil, err
	}
	m, err := publicMessage(c, ch)
	if err != nil {
		return 0, nil, err
	}
	if m.AuthorID != Application && api.hub.state.permissions(Application, ch)&PermissionManageMessages == 0 {
		return 0, nil, errMissingPermissions
	}
	api.hub.removeMessage(ch, m)
	return http.StatusNoContent, nil, nil
}

// publicMessage finds the message in the path. It finds no ephemeral messages, which do not exist for these routes.
func publicMessage(c *call, ch *channel) (*message, error) {
	m := ch.message(c.vars("message_id"))
	if m == nil || m.EphemeralTo != "" {
		return nil, errUnknownMessage
	}
	return m, nil
}
