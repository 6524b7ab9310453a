package localdiscord

import (
	"context"
	"slices"
	"sync"

	"marque/bot/localdiscord/page"
)

// hub guards the world and sends every change to the bot's gateway sessions, the open pages, waiting calls, and the
// state file. Its methods run under its lock, except do, try and wait.
type hub struct {
	mu      sync.Mutex
	state   *state
	gateway *Gateway
	feed    *page.Feed
	saver   *saver // nil without a state file

	changed chan struct{} // closed and replaced whenever something changed
	// inChannel has a Go channel for each channel in which calls wait. The Go channel is closed and removed when the
	// channel changes.
	inChannel map[string]chan struct{}
	closed    bool
	closing   chan struct{}
}

// do runs f under the lock.
func (h *hub) do(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f()
}

// try runs f under the lock, and returns the error of f.
func (h *hub) try(f func() error) (err error) {
	h.do(func() { err = f() })
	return err
}

// touch wakes the calls that wait for any change, and schedules a save of the state.
func (h *hub) touch() {
	if h.saver != nil {
		h.saver.changed()
	}
	close(h.changed)
	h.changed = make(chan struct{})
}

// touchChannel calls touch after a change in one channel, and wakes the calls that wait in this channel. Calls that
// wait in other channels are not woken, so that thousands can wait at the same time.
func (h *hub) touchChannel(id string) {
	if in := h.inChannel[id]; in != nil {
		close(in)
		delete(h.inChannel, id)
	}
	h.touch()
}

// wait calls cond under the lock, immediately and after each change in the channel or in the world, until cond is true.
// It returns the error of ctx if ctx ends first.
func (h *hub) wait(ctx context.Context, channelID string, cond func() bool) error {
	for {
		h.mu.Lock()
		if cond() {
			h.mu.Unlock()
			return nil
		}
		changed := h.inChannel[channelID]
		if changed == nil {
			changed = make(chan struct{})
			h.inChannel[channelID] = changed
		}
		h.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// worldChanged wakes all waiting calls, and makes the pages read their lists of servers, channels and members again.
func (h *hub) worldChanged() {
	for _, in := range h.inChannel {
		close(in)
	}
	clear(h.inChannel)
	h.touch()
	h.feed.Send(page.Event{"t": "world"}, nil)
}

// channelUpdated sends the bot an event about a changed channel, and calls worldChanged.
func (h *hub) channelUpdated(c *channel) {
	event := "CHANNEL_UPDATE"
	if c.isThread() {
		event = "THREAD_UPDATE"
	}
	h.gateway.dispatch(c.GuildID, intentGuilds, event, h.state.channelJSON(c))
	h.worldChanged()
}

// roleChanged sends the bot an event about a role, and calls worldChanged.
func (h *hub) roleChanged(g *guild, r *role, event string) {
	h.gateway.dispatch(g.ID, intentGuilds, event, map[string]any{"guild_id": g.ID, "role": roleJSON(r)})
	h.worldChanged()
}

// memberChanged sends the bot an event about a member, and calls worldChanged. Without the privileged intent, the bot
// gets events only about itself.
func (h *hub) memberChanged(g *guild, userID, event string) {
	intent := intentGuildMembers
	if userID == Application {
		intent = intentGuilds
	}
	data := map[string]any{"guild_id": g.ID, "user": h.state.userJSON(userID)}
	if m := g.member(userID); m != nil {
		data["roles"], data["nick"], data["joined_at"] = m.Roles, nullable(m.Nick), m.JoinedAt
	}
	h.gateway.dispatch(g.ID, intent, event, data)
	h.worldChanged()
}

// wakeThread unarchives a thread before a message is posted to it. It returns an error if the thread is locked and the
// bot cannot manage threads, or if the server has too many active threads.
func (h *hub) wakeThread(c *channel) error {
	if !c.isThread() || !c.Thread.Archived {
		return nil
	}
	if c.Thread.Locked && h.state.permissions(Application, c)&PermissionManageThreads == 0 {
		return errThreadLocked
	}
	if active, _ := h.threads(h.state.guilds[c.GuildID]); active >= maxThreads {
		return errMaxActiveThreads
	}
	c.Thread.Archived = false
	c.Thread.ArchiveTimestamp = h.state.clock.Now()
	h.channelUpdated(c)
	return nil
}

// post adds a new message with the payload to the channel, or returns an error if the payload is empty. The caller has
// set m's type, author and addressee.
func (h *hub) post(c *channel, m *message, p payload) error {
	if p.content == "" && len(p.embeds) == 0 && len(p.components) == 0 && len(p.uploads) == 0 {
		return errEmptyMessage
	}
	m.Content, m.Embeds, m.Components = p.content, p.embeds, p.components
	m.Flags |= p.flags & (flagSuppressEmbeds | flagSuppressNotifications | flagComponentsV2)
	h.place(c, m)
	h.state.store(m, p)
	h.state.mention(m, p.allowed, true)
	h.announce(m, "MESSAGE_CREATE")
	return nil
}

// place gives a message its id, and adds it at the end of the channel.
func (h *hub) place(c *channel, m *message) {
	m.ID, m.ChannelID, m.GuildID = h.state.newID(), c.ID, c.GuildID
	m.Created = h.state.clock.Now().UTC()
	h.state.append(c, m)
	if c.isThread() && m.EphemeralTo == "" && !slices.Contains(c.ThreadMembers, m.AuthorID) {
		c.ThreadMembers = append(c.ThreadMembers, m.AuthorID)
		h.worldChanged()
	}
}

// announce counts a version of a new or changed message. It sends the message to the pages and, if the bot gets it,
// to the bot, and wakes the calls that wait in the channel.
func (h *hub) announce(m *message, event string) {
	m.Version++
	if m.EphemeralTo == "" {
		w := *h.state.messageJSON(m)
		w.GuildID = m.GuildID
		if !h.gateway.mayRead(m) {
			w.Content, w.Embeds, w.Attachments, w.Components = "", orEmpty(w.Embeds[:0]), orEmpty(w.Attachments[:0]),
				orEmpty(w.Components[:0])
		}
		if h.botHears(m.ChannelID) {
			h.gateway.dispatch(m.GuildID, messageIntent(m), event, &w)
		}
	}
	h.touchChannel(m.ChannelID)
	h.showMessage(m)
}

// botHears reports whether the bot gets a channel's messages: it gets the messages of its servers and its DMs.
func (h *hub) botHears(channelID string) bool {
	c := h.state.channels[channelID]
	return c != nil && (c.Type == channelDM || h.state.hasBot(c.GuildID))
}

func messageIntent(m *message) int {
	if m.GuildID == "" {
		return intentDirectMessages
	}
	return intentGuildMessages
}

// showMessage sends a new or changed message to the pages of everyone who sees it, and the pings of a new message to
// all pages.
func (h *hub) showMessage(m *message) {
	if h.feed.Empty() {
		return
	}
	c := h.state.channels[m.ChannelID]
	h.feed.Send(page.Event{"t": "message", "m": h.state.pageMessage(m)}, func(userID string) bool {
		return m.visibleTo(userID) && h.state.canSee(userID, c)
	})
	if m.Version == 1 && slices.ContainsFunc(m.Pinged, func(id string) bool { return h.state.users[id] != nil }) {
		h.feed.Send(page.Event{"t": "ping", "users": m.Pinged, "channel": m.ChannelID}, nil)
	}
}

// apply changes a message according to an edit. An edit notifies nobody.
func (h *hub) apply(m *message, p payload) error {
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
	h.state.store(m, p)
	h.state.mention(m, p.allowed, false)
	if m.loading() {
		m.Flags &^= flagLoading
	} else {
		now := h.state.clock.Now().UTC()
		m.Edited = &now
	}
	h.announce(m, "MESSAGE_UPDATE")
	return nil
}

func (h *hub) removeMessage(c *channel, m *message) {
	c.Messages = slices.DeleteFunc(c.Messages, func(o *message) bool { return o == m })
	h.state.dropFiles(m)
	if m.EphemeralTo == "" {
		if h.botHears(c.ID) {
			h.gateway.dispatch(m.GuildID, messageIntent(m), "MESSAGE_DELETE",
				map[string]any{"id": m.ID, "channel_id": c.ID, "guild_id": nullable(m.GuildID)})
		}
	}
	h.touchChannel(c.ID)
	h.feed.Send(page.Event{"t": "delete", "channel": c.ID, "id": m.ID}, func(userID string) bool {
		return m.visibleTo(userID) && h.state.canSee(userID, c)
	})
}

// threads returns the number of a server's active threads, and its archived ones, the oldest first.
func (h *hub) threads(g *guild) (active int, archived []*channel) {
	for _, id := range g.Channels {
		switch c := h.state.channels[id]; {
		case !c.isThread():
		case c.Thread.Archived:
			archived = append(archived, c)
		default:
			active++
		}
	}
	return active, archived
}

// addThread adds a new thread to its parent channel. It forgets the oldest archived thread if the server has too many
// of these, and returns an error if there are too many active ones.
func (h *hub) addThread(parent *channel, t *channel) error {
	g := h.state.guilds[parent.GuildID]
	active, archived := h.threads(g)
	if active >= maxThreads {
		return errMaxActiveThreads
	}
	if len(archived) >= maxThreads {
		h.state.forgetChannel(archived[0])
	}
	now := h.state.clock.Now().UTC()
	t.GuildID, t.ParentID, t.OwnerID, t.ThreadMembers = g.ID, parent.ID, Application, []string{Application}
	t.Thread.ArchiveTimestamp, t.Thread.CreateTimestamp = now, now
	h.state.channels[t.ID] = t
	g.Channels = append(g.Channels, t.ID)
	w := h.state.channelJSON(t)
	w["newly_created"] = true
	h.gateway.dispatch(g.ID, intentGuilds, "THREAD_CREATE", w)
	h.worldChanged()
	return nil
}

// removeChannel deletes a channel with its threads, or a thread.
func (h *hub) removeChannel(c *channel) {
	g := h.state.guilds[c.GuildID]
	if c.isThread() {
		h.gateway.dispatch(g.ID, intentGuilds, "THREAD_DELETE", map[string]any{"id": c.ID, "guild_id": g.ID,
			"parent_id": c.ParentID, "type": c.Type})
	} else {
		for _, id := range slices.Clone(g.Channels) {
			if t := h.state.channels[id]; t != nil && t.ParentID == c.ID {
				h.state.forgetChannel(t)
			}
		}
		h.gateway.dispatch(g.ID, intentGuilds, "CHANNEL_DELETE", h.state.channelJSON(c))
	}
	h.state.forgetChannel(c)
	h.worldChanged()
}

// dmChannel returns the channel of the bot and a user, and creates it if necessary.
func (h *hub) dmChannel(userID string) *channel {
	for _, c := range h.state.channels {
		if c.Type == channelDM && c.Recipient == userID {
			return c
		}
	}
	c := &channel{ID: h.state.newID(), Type: channelDM, Recipient: userID}
	h.state.channels[c.ID] = c
	h.worldChanged()
	return c
}
