package localdiscord

import (
	"net/http"
	"slices"
	"strconv"
	"time"
)

// botChannel finds the channel of the path if the bot may see it and has the permissions.
func (s *Server) botChannel(c *call, permissions int64) (*channel, error) {
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

// nonceLifetime is how long an enforced nonce keeps the same message from being sent again; Discord says "a few minutes".
const nonceLifetime = 5 * time.Minute

func (s *Server) createMessage(c *call) (int, any, error) {
	ch, err := s.botChannel(c, 0)
	if err != nil {
		return 0, nil, err
	}
	need := sendPermission(ch)
	if len(c.uploads) > 0 {
		need |= PermissionAttachFiles
	}
	if l, _ := c.form.m["embeds"].([]any); len(l) > 0 {
		need |= PermissionEmbedLinks
	}
	if s.permissions(Application, ch)&need != need {
		return 0, nil, errMissingPermissions
	}
	if ch.Type == channelDM && s.users[ch.Recipient].ClosedDMs {
		return 0, nil, errCannotDM
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
		for _, m := range slices.Backward(ch.Messages) {
			if m.AuthorID == Application && m.Nonce == nonce && s.clock.Now().Sub(m.Created) < nonceLifetime {
				return http.StatusOK, s.messageJSON(m), nil // it was sent before
			}
		}
	}
	if err := s.wakeThread(ch); err != nil {
		return 0, nil, err
	}
	m := &message{Type: messageDefault, AuthorID: Application, Reference: p.reference, Nonce: nonce}
	if p.reference != nil {
		m.Type = messageReply
	}
	if err := s.post(ch, m, p, true); err != nil {
		return 0, nil, err
	}
	return http.StatusOK, s.messageJSON(m), nil
}

// wakeThread unarchives a thread before something is posted to it, unless it is locked.
func (s *Server) wakeThread(ch *channel) error {
	if !ch.isThread() || !ch.Thread.Archived {
		return nil
	}
	if ch.Thread.Locked && s.permissions(Application, ch)&PermissionManageThreads == 0 {
		return errThreadLocked
	}
	ch.Thread.Archived = false
	ch.Thread.ArchiveTimestamp = s.clock.Now()
	s.dispatchGuild(ch.GuildID, intentGuilds, "THREAD_UPDATE", s.channelJSON(ch))
	s.worldChanged()
	return nil
}

// post puts a new message with the payload into the channel. m brings type, author and addressee.
func (s *Server) post(ch *channel, m *message, p payload, notify bool) error {
	if p.content == "" && len(p.embeds) == 0 && len(p.components) == 0 && len(p.uploads) == 0 {
		return errEmptyMessage
	}
	m.Content, m.Embeds, m.Components = p.content, p.embeds, p.components
	m.Flags |= p.flags & (flagSuppressEmbeds | flagSuppressNotifications | flagComponentsV2)
	s.place(ch, m)
	s.store(m, p)
	s.mention(m, p.allowed, notify)
	s.announce(m, "MESSAGE_CREATE")
	return nil
}

// place gives a message its id and its place at the end of the channel.
func (s *Server) place(ch *channel, m *message) {
	m.ID, m.ChannelID, m.GuildID = s.newID(), ch.ID, ch.GuildID
	m.Created = s.clock.Now().UTC()
	ch.Messages = append(ch.Messages, m)
	for len(ch.Messages) > maxMessages {
		for _, a := range ch.Messages[0].Attachments {
			s.files.drop(a.ID)
		}
		ch.Messages[0] = nil
		ch.Messages = ch.Messages[1:]
	}
	if ch.isThread() && m.EphemeralTo == "" && !slices.Contains(ch.ThreadMembers, m.AuthorID) {
		ch.ThreadMembers = append(ch.ThreadMembers, m.AuthorID)
	}
}

// announce tells the bot, the page and whoever waits about a new or changed message.
func (s *Server) announce(m *message, event string) {
	m.Version++
	if m.EphemeralTo == "" {
		intent := intentGuildMessages
		if m.GuildID == "" {
			intent = intentDirectMessages
		}
		w := *s.messageJSON(m)
		w.GuildID = m.GuildID
		if s.intents&intentMessageContent == 0 && m.AuthorID != Application && m.GuildID != "" && !slices.Contains(m.Mentions, Application) {
			w.Content, w.Embeds, w.Attachments, w.Components = "", orEmpty(w.Embeds[:0]), orEmpty(w.Attachments[:0]), orEmpty(w.Components[:0])
		}
		s.dispatchGuild(m.GuildID, intent, event, &w)
	}
	s.touch()
	s.showMessage(m)
}

// apply changes a message as an edit says. An edit never notifies anyone.
func (s *Server) apply(m *message, p payload) error {
	content, embeds, components := m.Content, m.Embeds, m.Components
	if p.hasContent {
		content = p.content
	}
	if p.hasEmbeds {
		embeds = p.embeds
	}
	if p.hasComponents {
		components = p.components
	}
	if content == "" && len(embeds) == 0 && len(components) == 0 && len(p.keep)+len(p.uploads) == 0 {
		return errEmptyMessage
	}
	m.Content, m.Embeds, m.Components = content, embeds, components
	if p.hasFlags {
		m.Flags = m.Flags&^flagSuppressEmbeds | p.flags&(flagSuppressEmbeds|flagComponentsV2)
	}
	s.store(m, p)
	s.mention(m, p.allowed, false)
	if m.loading() {
		m.Flags &^= flagLoading
	} else {
		now := s.clock.Now().UTC()
		m.Edited = &now
	}
	s.announce(m, "MESSAGE_UPDATE")
	return nil
}

// publicMessage finds the message of the path; ephemeral ones do not exist for this part of the interface.
func (s *Server) publicMessage(c *call, ch *channel) (*message, error) {
	m := ch.message(c.vars("message_id"))
	if m == nil || m.EphemeralTo != "" {
		return nil, errUnknownMessage
	}
	return m, nil
}

func (s *Server) getMessage(c *call) (int, any, error) {
	ch, err := s.botChannel(c, PermissionReadMessageHistory)
	if err != nil {
		return 0, nil, err
	}
	m, err := s.publicMessage(c, ch)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, s.messageJSON(m), nil
}

func (s *Server) listMessages(c *call) (int, any, error) {
	ch, err := s.botChannel(c, 0)
	if err != nil {
		return 0, nil, err
	}
	out := []*wireMessage{}
	if s.permissions(Application, ch)&PermissionReadMessageHistory == 0 {
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
		out = append(out, s.messageJSON(m))
	}
	if after != "" && len(out) > limit { // the ones right after it, still newest first
		out = out[len(out)-limit:]
	}
	return http.StatusOK, out[:min(limit, len(out))], nil
}

func (s *Server) editMessage(c *call) (int, any, error) {
	ch, err := s.botChannel(c, 0)
	if err != nil {
		return 0, nil, err
	}
	m, err := s.publicMessage(c, ch)
	if err != nil {
		return 0, nil, err
	}
	if m.AuthorID != Application {
		return 0, nil, errNotAuthor
	}
	if len(c.uploads) > 0 && s.permissions(Application, ch)&PermissionAttachFiles == 0 {
		return 0, nil, errMissingPermissions
	}
	if ch.isThread() && ch.Thread.Archived {
		return 0, nil, errThreadArchived
	}
	p := readPayload(c.form, c.uploads, m)
	if err := c.form.errs.err(); err != nil {
		return 0, nil, err
	}
	if err := s.apply(m, p); err != nil {
		return 0, nil, err
	}
	return http.StatusOK, s.messageJSON(m), nil
}

func (s *Server) deleteMessage(c *call) (int, any, error) {
	ch, err := s.botChannel(c, 0)
	if err != nil {
		return 0, nil, err
	}
	m, err := s.publicMessage(c, ch)
	if err != nil {
		return 0, nil, err
	}
	if m.AuthorID != Application && s.permissions(Application, ch)&PermissionManageMessages == 0 {
		return 0, nil, errMissingPermissions
	}
	s.removeMessage(ch, m)
	return http.StatusNoContent, nil, nil
}

func (s *Server) removeMessage(ch *channel, m *message) {
	ch.Messages = slices.DeleteFunc(ch.Messages, func(o *message) bool { return o == m })
	for _, a := range m.Attachments {
		s.files.drop(a.ID)
	}
	if m.EphemeralTo == "" {
		intent := intentGuildMessages
		if m.GuildID == "" {
			intent = intentDirectMessages
		}
		s.dispatchGuild(m.GuildID, intent, "MESSAGE_DELETE", map[string]any{"id": m.ID, "channel_id": ch.ID, "guild_id": nullable(m.GuildID)})
	}
	s.touch()
	s.broadcast(m.EphemeralTo, event{"t": "delete", "channel": ch.ID, "id": m.ID})
}

func (s *Server) typing(c *call) (int, any, error) {
	ch, err := s.botChannel(c, 0)
	if err != nil {
		return 0, nil, err
	}
	if s.permissions(Application, ch)&sendPermission(ch) == 0 {
		return 0, nil, errMissingPermissions
	}
	s.broadcast("", event{"t": "typing", "channel": ch.ID})
	return http.StatusNoContent, nil, nil
}

func (s *Server) createDM(c *call) (int, any, error) {
	c.form.required("recipient_id")
	id := c.form.str("recipient_id", 1, 20)
	if err := c.form.errs.err(); err != nil {
		return 0, nil, err
	}
	if s.users[id] == nil {
		return 0, nil, errUnknownUser
	}
	if id == Application {
		return 0, nil, errCannotDM
	}
	return http.StatusOK, s.channelJSON(s.dmChannel(id)), nil
}

// dmChannel is the channel of the bot and a user, opened when it is first asked for.
func (s *Server) dmChannel(userID string) *channel {
	for _, ch := range s.channels {
		if ch.Type == channelDM && ch.Recipient == userID {
			return ch
		}
	}
	ch := &channel{ID: s.newID(), Type: channelDM, Recipient: userID}
	s.channels[ch.ID] = ch
	s.worldChanged()
	return ch
}
