package localdiscord

import (
	"net/http"
	"slices"
)

func (s *Server) getGateway(*call) (int, any, error) {
	return http.StatusOK, map[string]any{"url": s.gatewayURL()}, nil
}

func (s *Server) getGatewayBot(*call) (int, any, error) {
	return http.StatusOK, map[string]any{"url": s.gatewayURL(), "shards": 1,
		"session_start_limit": map[string]any{"total": 1000, "remaining": 1000, "reset_after": 86400000, "max_concurrency": 1}}, nil
}

func (s *Server) getApplication(*call) (int, any, error) {
	return http.StatusOK, map[string]any{"id": Application, "name": s.users[Application].Username, "icon": nil, "description": "",
		"bot_public": true, "bot_require_code_grant": false, "verify_key": "0000000000000000000000000000000000000000000000000000000000000000",
		"flags": 0, "bot": s.userJSON(Application), "owner": s.userJSON(Anne), "approximate_guild_count": len(s.botGuilds())}, nil
}

func (s *Server) getMe(*call) (int, any, error) { return http.StatusOK, s.userJSON(Application), nil }

func (s *Server) botGuilds() []*guild {
	var out []*guild
	for _, id := range s.guildOrder {
		if g := s.guilds[id]; g.member(Application) != nil {
			out = append(out, g)
		}
	}
	return out
}

func (s *Server) getMyGuilds(*call) (int, any, error) {
	out := []any{}
	for _, g := range s.botGuilds() {
		out = append(out, map[string]any{"id": g.ID, "name": g.Name, "icon": nil, "owner": false, "permissions": "0", "features": []any{}})
	}
	return http.StatusOK, out, nil
}

func (s *Server) getUser(c *call) (int, any, error) {
	if s.users[c.vars("user_id")] == nil {
		return 0, nil, errUnknownUser
	}
	return http.StatusOK, s.userJSON(c.vars("user_id")), nil
}

// botGuild finds the server of the path; to a bot that is not in it, it does not exist.
func (s *Server) botGuild(c *call) (*guild, error) {
	g := s.guilds[c.vars("guild_id")]
	if g == nil || g.member(Application) == nil {
		return nil, errUnknownGuild
	}
	return g, nil
}

func (s *Server) getGuild(c *call) (int, any, error) {
	g, err := s.botGuild(c)
	if err != nil {
		return 0, nil, err
	}
	w := s.guildJSON(g)
	if c.r.URL.Query().Get("with_counts") == "true" {
		w["approximate_member_count"], w["approximate_presence_count"] = len(g.Members), len(g.Members)
	}
	return http.StatusOK, w, nil
}

func (s *Server) leaveGuild(c *call) (int, any, error) {
	g, err := s.botGuild(c)
	if err != nil {
		return 0, nil, err
	}
	g.Members = slices.DeleteFunc(g.Members, func(m *member) bool { return m.UserID == Application })
	s.dispatchGuild(g.ID, intentGuilds, "GUILD_DELETE", map[string]any{"id": g.ID})
	s.worldChanged()
	return http.StatusNoContent, nil, nil
}

func (s *Server) getGuildChannels(c *call) (int, any, error) {
	g, err := s.botGuild(c)
	if err != nil {
		return 0, nil, err
	}
	out := []any{}
	for _, id := range g.Channels {
		if ch := s.channels[id]; !ch.isThread() {
			out = append(out, s.channelJSON(ch))
		}
	}
	return http.StatusOK, out, nil
}

func (s *Server) getGuildRoles(c *call) (int, any, error) {
	g, err := s.botGuild(c)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, s.guildJSON(g)["roles"], nil
}

func (s *Server) getMember(c *call) (int, any, error) {
	g, err := s.botGuild(c)
	if err != nil {
		return 0, nil, err
	}
	m := s.memberJSON(g, c.vars("user_id"), nil, true)
	if m == nil {
		return 0, nil, errUnknownMember
	}
	return http.StatusOK, m, nil
}

func (s *Server) getActiveThreads(c *call) (int, any, error) {
	g, err := s.botGuild(c)
	if err != nil {
		return 0, nil, err
	}
	threads := []any{}
	for _, id := range g.Channels {
		if ch := s.channels[id]; ch.isThread() && !ch.Thread.Archived && s.canSee(Application, ch) {
			threads = append(threads, s.channelJSON(ch))
		}
	}
	return http.StatusOK, map[string]any{"threads": threads, "members": []any{}}, nil
}

func (s *Server) archivedThreads(c *call) (int, any, error) {
	parent, err := s.botChannel(c, PermissionReadMessageHistory)
	if err != nil {
		return 0, nil, err
	}
	threads := []any{}
	if g := s.guilds[parent.GuildID]; g != nil {
		for _, id := range slices.Backward(g.Channels) {
			if ch := s.channels[id]; ch.ParentID == parent.ID && ch.isThread() && ch.Thread.Archived {
				threads = append(threads, s.channelJSON(ch))
			}
		}
	}
	return http.StatusOK, map[string]any{"threads": threads, "members": []any{}, "has_more": false}, nil
}

func (s *Server) getChannel(c *call) (int, any, error) {
	ch, err := s.botChannel(c, 0)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, s.channelJSON(ch), nil
}

var archiveDurations = []int{60, 1440, 4320, 10080}

func (s *Server) modifyChannel(c *call) (int, any, error) {
	ch, err := s.botChannel(c, 0)
	if err != nil {
		return 0, nil, err
	}
	if ch.Type == channelDM {
		return 0, nil, errSystemMessage
	}
	f := c.form
	name := f.str("name", 1, 100)
	topic := f.str("topic", 0, 1024)
	archived, setArchived := f.boolean("archived")
	locked, setLocked := f.boolean("locked")
	duration, setDuration := f.integer("auto_archive_duration", 60, 10080)
	if setDuration {
		f.oneOf("auto_archive_duration", duration, archiveDurations...)
	}
	if err := f.errs.err(); err != nil {
		return 0, nil, err
	}
	has := s.permissions(Application, ch)
	if !ch.isThread() {
		if has&PermissionManageChannels == 0 {
			return 0, nil, errMissingPermissions
		}
		if name != "" {
			ch.Name = name
		}
		if f.has("topic") {
			ch.Topic = topic
		}
		s.dispatchGuild(ch.GuildID, intentGuilds, "CHANNEL_UPDATE", s.channelJSON(ch))
		s.worldChanged()
		return http.StatusOK, s.channelJSON(ch), nil
	}
	// The creator may do everything but lock, and wake what is locked; anyone who may write in it may wake a thread that is not locked.
	mayManage := has&PermissionManageThreads != 0
	wakes := setArchived && !archived
	onlyWakes := wakes && name == "" && !setLocked && !setDuration && has&PermissionSendMessagesInThreads != 0 && !ch.Thread.Locked
	if !mayManage && !onlyWakes && (ch.OwnerID != Application || setLocked || wakes && ch.Thread.Locked) {
		return 0, nil, errMissingPermissions
	}
	if ch.Thread.Archived && !wakes {
		return 0, nil, errThreadArchived
	}
	if name != "" {
		ch.Name = name
	}
	if setArchived && ch.Thread.Archived != archived {
		ch.Thread.Archived, ch.Thread.ArchiveTimestamp = archived, s.clock.Now()
	}
	if setLocked {
		ch.Thread.Locked = locked
	}
	if setDuration {
		ch.Thread.AutoArchiveDuration = duration
	}
	s.dispatchGuild(ch.GuildID, intentGuilds, "THREAD_UPDATE", s.channelJSON(ch))
	s.worldChanged()
	return http.StatusOK, s.channelJSON(ch), nil
}

func (s *Server) deleteChannel(c *call) (int, any, error) {
	ch, err := s.botChannel(c, 0)
	if err != nil {
		return 0, nil, err
	}
	need := PermissionManageChannels
	if ch.isThread() {
		need = PermissionManageThreads
	}
	if ch.Type == channelDM || s.permissions(Application, ch)&need == 0 {
		return 0, nil, errMissingPermissions
	}
	w := s.channelJSON(ch)
	s.removeChannel(ch)
	return http.StatusOK, w, nil
}

func (s *Server) threadFromMessage(c *call) (int, any, error) {
	parent, err := s.botChannel(c, PermissionCreatePublicThreads)
	if err != nil {
		return 0, nil, err
	}
	if parent.isThread() || parent.Type == channelDM {
		return 0, nil, errSystemMessage
	}
	m, err := s.publicMessage(c, parent)
	if err != nil {
		return 0, nil, err
	}
	if m.Flags&flagHasThread != 0 {
		return 0, nil, errThreadExists
	}
	t, err := s.newThread(c, parent, m.ID, channelPublicThread)
	if err != nil {
		return 0, nil, err
	}
	m.Flags |= flagHasThread
	s.announce(m, "MESSAGE_UPDATE")
	return http.StatusCreated, s.channelJSON(t), nil
}

func (s *Server) threadWithoutMessage(c *call) (int, any, error) {
	parent, err := s.botChannel(c, 0)
	if err != nil {
		return 0, nil, err
	}
	if parent.isThread() || parent.Type == channelDM {
		return 0, nil, errSystemMessage
	}
	kind, ok := c.form.integer("type", 0, 100)
	if !ok {
		kind = channelPrivateThread // Discord's default
	}
	c.form.oneOf("type", kind, channelPublicThread, channelPrivateThread)
	need := PermissionCreatePublicThreads
	if kind == channelPrivateThread {
		need = PermissionCreatePrivateThreads
	}
	if s.permissions(Application, parent)&need == 0 {
		return 0, nil, errMissingPermissions
	}
	t, err := s.newThread(c, parent, s.newID(), kind)
	if err != nil {
		return 0, nil, err
	}
	if kind == channelPublicThread {
		note := &message{Type: messageThreadCreated, AuthorID: Application, Content: t.Name,
			Reference: &messageReference{ChannelID: t.ID, GuildID: t.GuildID}}
		s.place(parent, note)
		s.announce(note, "MESSAGE_CREATE")
	}
	return http.StatusCreated, s.channelJSON(t), nil
}

func (s *Server) newThread(c *call, parent *channel, id string, kind int) (*channel, error) {
	f := c.form
	f.required("name")
	name := f.str("name", 1, 100)
	duration, ok := f.integer("auto_archive_duration", 0, 10080)
	if !ok || duration == 0 {
		duration = 1440
	} else {
		f.oneOf("auto_archive_duration", duration, archiveDurations...)
	}
	if err := f.errs.err(); err != nil {
		return nil, err
	}
	g := s.guilds[parent.GuildID]
	active, archived := 0, []*channel{}
	for _, id := range g.Channels {
		switch ch := s.channels[id]; {
		case !ch.isThread():
		case ch.Thread.Archived:
			archived = append(archived, ch)
		default:
			active++
		}
	}
	if active >= maxThreads {
		return nil, errMaxActiveThreads
	}
	if len(archived) >= maxThreads {
		s.forgetChannel(archived[0])
	}
	now := s.clock.Now().UTC()
	t := &channel{ID: id, GuildID: g.ID, Type: kind, Name: name, ParentID: parent.ID, OwnerID: Application,
		ThreadMembers: []string{Application},
		Thread:        &threadState{AutoArchiveDuration: duration, ArchiveTimestamp: now, CreateTimestamp: now}}
	s.channels[t.ID] = t
	g.Channels = append(g.Channels, t.ID)
	w := s.channelJSON(t)
	w["newly_created"] = true
	s.dispatchGuild(g.ID, intentGuilds, "THREAD_CREATE", w)
	s.worldChanged()
	return t, nil
}

func (s *Server) thread(c *call) (*channel, error) {
	ch, err := s.botChannel(c, 0)
	if err != nil {
		return nil, err
	}
	if !ch.isThread() {
		return nil, errUnknownChannel
	}
	return ch, nil
}

func (s *Server) threadMembers(c *call) (int, any, error) {
	ch, err := s.thread(c)
	if err != nil {
		return 0, nil, err
	}
	out := []any{}
	for _, id := range ch.ThreadMembers {
		out = append(out, map[string]any{"id": ch.ID, "user_id": id, "join_timestamp": ch.Thread.CreateTimestamp, "flags": 0})
	}
	return http.StatusOK, out, nil
}

// threadMember is the user of the path, @me being the bot.
func (s *Server) threadMember(c *call) (string, error) {
	id := Application
	if v := c.vars("user_id"); v != "" {
		id = v
	}
	if s.users[id] == nil {
		return "", errUnknownUser
	}
	return id, nil
}

func (s *Server) joinThread(c *call) (int, any, error) {
	ch, err := s.thread(c)
	if err != nil {
		return 0, nil, err
	}
	id, err := s.threadMember(c)
	if err != nil {
		return 0, nil, err
	}
	if ch.Thread.Archived {
		return 0, nil, errThreadArchived
	}
	if s.guilds[ch.GuildID].member(id) == nil {
		return 0, nil, errUnknownMember
	}
	if !slices.Contains(ch.ThreadMembers, id) {
		ch.ThreadMembers = append(ch.ThreadMembers, id)
		s.worldChanged()
	}
	return http.StatusNoContent, nil, nil
}

func (s *Server) leaveThread(c *call) (int, any, error) {
	ch, err := s.thread(c)
	if err != nil {
		return 0, nil, err
	}
	id, err := s.threadMember(c)
	if err != nil {
		return 0, nil, err
	}
	if id != Application && s.permissions(Application, ch)&PermissionManageThreads == 0 {
		return 0, nil, errMissingPermissions
	}
	ch.ThreadMembers = slices.DeleteFunc(ch.ThreadMembers, func(m string) bool { return m == id })
	s.worldChanged()
	return http.StatusNoContent, nil, nil
}
