package localdiscord

import (
	"errors"
	"time"
)

// Ids of the world as it is at the start. They never change, so that what a bot has stored fits after a restart.
const (
	Application = "1150000000000000001" // the application, and its bot user
	Anne        = "1150000000000000101" // owns Tortuga
	Jack        = "1150000000000000102" // owns Nassau
	Mary        = "1150000000000000103" // quartermaster of both servers: has Manage Server
	Bart        = "1150000000000000104" // an ordinary member of both
	Grace       = "1150000000000000105" // an ordinary member of both who accepts no direct messages
	Ching       = "1150000000000000106" // a member of Nassau alone

	Tortuga        = "1150000000000001000"
	TortugaTables  = "1150000000000001001" // #game-tables
	TortugaTavern  = "1150000000000001002" // #tavern
	TortugaHarbour = "1150000000000001003" // #harbour

	Nassau       = "1150000000000002000"
	NassauTables = "1150000000000002001" // #game-tables
	NassauBeach  = "1150000000000002002" // #beach
)

// Permission bits (Discord's) that this server looks at.
const (
	PermissionAdministrator         int64 = 1 << 3
	PermissionManageChannels        int64 = 1 << 4
	PermissionManageGuild           int64 = 1 << 5
	PermissionViewChannel           int64 = 1 << 10
	PermissionSendMessages          int64 = 1 << 11
	PermissionManageMessages        int64 = 1 << 13
	PermissionEmbedLinks            int64 = 1 << 14
	PermissionAttachFiles           int64 = 1 << 15
	PermissionReadMessageHistory    int64 = 1 << 16
	PermissionMentionEveryone       int64 = 1 << 17
	PermissionUseCommands           int64 = 1 << 31
	PermissionManageThreads         int64 = 1 << 34
	PermissionCreatePublicThreads   int64 = 1 << 35
	PermissionCreatePrivateThreads  int64 = 1 << 36
	PermissionSendMessagesInThreads int64 = 1 << 38
)

const (
	permissionsEveryone = PermissionViewChannel | PermissionSendMessages | PermissionEmbedLinks | PermissionAttachFiles |
		PermissionReadMessageHistory | PermissionUseCommands | PermissionCreatePublicThreads | PermissionSendMessagesInThreads
	permissionsQuartermaster = PermissionManageGuild | PermissionManageChannels | PermissionManageMessages | PermissionManageThreads
	permissionsAll           = permissionsEveryone | permissionsQuartermaster | PermissionAdministrator | PermissionMentionEveryone | PermissionCreatePrivateThreads
)

// What the driver and the page answer when something is not there or not allowed.
var (
	ErrNoUser    = errors.New("localdiscord: no such user")
	ErrNoGuild   = errors.New("localdiscord: no such server")
	ErrNoChannel = errors.New("localdiscord: no such channel, or the user cannot see it")
	ErrNoMessage = errors.New("localdiscord: no such message, or the user cannot see it")
)

func (s *Server) buildWorld() {
	start := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	for _, u := range []user{
		{ID: Application, Username: "marque", GlobalName: "marque", Bot: true},
		{ID: Anne, Username: "anne", GlobalName: "Anne"},
		{ID: Jack, Username: "jack", GlobalName: "Jack"},
		{ID: Mary, Username: "mary", GlobalName: "Mary"},
		{ID: Bart, Username: "bart", GlobalName: "Bart"},
		{ID: Grace, Username: "grace", GlobalName: "Grace", ClosedDMs: true},
		{ID: Ching, Username: "ching", GlobalName: "Ching"},
	} {
		u.Locale = "en-US"
		s.users[u.ID] = &u
		s.userOrder = append(s.userOrder, u.ID)
	}
	s.newGuild(Tortuga, "Tortuga", Anne, start)
	s.newGuild(Nassau, "Nassau", Jack, start)
	for _, id := range []string{Anne, Jack, Mary, Bart, Grace} {
		s.newMember(Tortuga, id, start)
	}
	for _, id := range []string{Jack, Anne, Mary, Bart, Grace, Ching} {
		s.newMember(Nassau, id, start)
	}
	for _, g := range []string{Tortuga, Nassau} {
		r := &role{ID: g[:len(g)-2] + "90", Name: "Quartermaster", Color: 0xE0A030, Permissions: permissionsQuartermaster, Position: 1}
		s.guilds[g].Roles = append(s.guilds[g].Roles, r)
		s.guilds[g].member(Mary).Roles = []string{r.ID}
	}
	s.newChannel(TortugaTables, Tortuga, "game-tables", "Cards, dice and long faces. Start with /play")
	s.newChannel(TortugaTavern, Tortuga, "tavern", "Talk, and a second table when the first is taken")
	s.newChannel(TortugaHarbour, Tortuga, "harbour", "Quiet water")
	s.newChannel(NassauTables, Nassau, "game-tables", "Tables of Nassau")
	s.newChannel(NassauBeach, Nassau, "beach", "Sand in everything")
}

func (s *Server) newGuild(id, name, owner string, at time.Time) *guild {
	g := &guild{ID: id, Name: name, OwnerID: owner, Locale: "en-US",
		Roles: []*role{{ID: id, Name: "@everyone", Permissions: permissionsEveryone}}}
	s.guilds[id] = g
	s.guildOrder = append(s.guildOrder, id)
	s.newMember(id, Application, at)
	return g
}

func (s *Server) newMember(guildID, userID string, at time.Time) {
	g := s.guilds[guildID]
	if g.member(userID) == nil {
		g.Members = append(g.Members, &member{UserID: userID, Roles: []string{}, JoinedAt: at})
	}
}

func (s *Server) newChannel(id, guildID, name, topic string) *channel {
	g := s.guilds[guildID]
	c := &channel{ID: id, GuildID: guildID, Type: channelText, Name: name, Topic: topic, Position: len(g.Channels)}
	s.channels[id] = c
	g.Channels = append(g.Channels, id)
	return c
}

// AddUser adds a user who is a member of no server yet and returns the id.
func (s *Server) AddUser(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := &user{ID: s.newID(), Username: name, GlobalName: name, Locale: "en-US"}
	s.users[u.ID] = u
	s.userOrder = append(s.userOrder, u.ID)
	s.worldChanged()
	return u.ID
}

// AddGuild adds a server with one channel, #general, and the bot in it, and returns the ids of both.
func (s *Server) AddGuild(name, ownerID string) (guildID, channelID string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users[ownerID] == nil {
		return "", "", ErrNoUser
	}
	g := s.newGuild(s.newID(), name, ownerID, s.clock.Now())
	s.newMember(g.ID, ownerID, s.clock.Now())
	c := s.newChannel(s.newID(), g.ID, "general", "")
	s.dispatchGuild(g.ID, intentGuilds, "GUILD_CREATE", s.guildCreateJSON(g))
	s.worldChanged()
	return g.ID, c.ID, nil
}

// AddChannel adds a text channel at the end of the server's list and returns its id.
func (s *Server) AddChannel(guildID, name string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.guilds[guildID] == nil {
		return "", ErrNoGuild
	}
	c := s.newChannel(s.newID(), guildID, name, "")
	s.dispatchGuild(guildID, intentGuilds, "CHANNEL_CREATE", s.channelJSON(c))
	s.worldChanged()
	return c.ID, nil
}

// AddMember lets a user into a server.
func (s *Server) AddMember(guildID, userID string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.guilds[guildID] == nil {
		return ErrNoGuild
	}
	if s.users[userID] == nil {
		return ErrNoUser
	}
	s.newMember(guildID, userID, s.clock.Now())
	s.worldChanged()
	return nil
}

// RemoveMember puts a user out of a server; for the bot use KickBot.
func (s *Server) RemoveMember(guildID, userID string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.guilds[guildID]
	if g == nil {
		return ErrNoGuild
	}
	for i, m := range g.Members {
		if m.UserID == userID {
			g.Members = append(g.Members[:i:i], g.Members[i+1:]...)
			s.worldChanged()
			return nil
		}
	}
	return ErrNoUser
}

// SetLocale sets the language of a user's Discord client, as interactions report it ("en-US", "de", …).
func (s *Server) SetLocale(userID, locale string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.users[userID]
	if u == nil {
		return ErrNoUser
	}
	u.Locale = locale
	s.worldChanged()
	return nil
}

// SetGuildLocale sets a server's preferred language.
func (s *Server) SetGuildLocale(guildID, locale string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.guilds[guildID]
	if g == nil {
		return ErrNoGuild
	}
	g.Locale = locale
	s.worldChanged()
	return nil
}

// CloseDMs sets whether the user refuses direct messages; sending one then answers 50007.
func (s *Server) CloseDMs(userID string, closed bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.users[userID]
	if u == nil {
		return ErrNoUser
	}
	u.ClosedDMs = closed
	return nil
}

// permissions computes what a user may do in a channel: roles, then the channel's overwrites (a thread has its
// parent's). In a DM both sides may do everything that makes sense there.
func (s *Server) permissions(userID string, c *channel) int64 {
	if c.Type == channelDM {
		if userID == c.Recipient || userID == Application {
			return permissionsEveryone
		}
		return 0
	}
	g := s.guilds[c.GuildID]
	m := g.member(userID)
	if m == nil {
		return 0
	}
	if g.OwnerID == userID {
		return permissionsAll
	}
	perms := g.role(g.ID).Permissions
	for _, id := range m.Roles {
		if r := g.role(id); r != nil {
			perms |= r.Permissions
		}
	}
	if perms&PermissionAdministrator != 0 {
		return permissionsAll
	}
	holder := c
	if c.isThread() {
		if p := s.channels[c.ParentID]; p != nil {
			holder = p
		}
	}
	for _, o := range holder.Overwrites {
		if o.ID == g.ID {
			perms = perms&^o.Deny | o.Allow
		}
	}
	for _, o := range holder.Overwrites {
		if o.Type == 1 && o.ID == userID {
			perms = perms&^o.Deny | o.Allow
		}
	}
	if perms&PermissionViewChannel == 0 {
		return 0
	}
	return perms
}

func (s *Server) canSee(userID string, c *channel) bool {
	return s.permissions(userID, c)&PermissionViewChannel != 0
}
