package localdiscord

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"marque/bot/timesource"
)

// Ids of the standard world. They never change, so that a bot's store stays valid after a restart.
const (
	Application = "1150000000000000001" // the application, and its bot user
	Anne        = "1150000000000000101" // owns Tortuga
	Jack        = "1150000000000000102" // owns Nassau
	Mary        = "1150000000000000103" // quartermaster of both servers, with the permission Manage Server
	Bart        = "1150000000000000104" // an ordinary member of both servers
	Grace       = "1150000000000000105" // an ordinary member of both servers who accepts no direct messages
	Ching       = "1150000000000000106" // a member of Nassau only

	Tortuga        = "1150000000000001000"
	TortugaTables  = "1150000000000001001" // #game-tables
	TortugaTavern  = "1150000000000001002" // #tavern
	TortugaHarbour = "1150000000000001003" // #harbour
	TortugaCabin   = "1150000000000001004" // #captains-cabin, only for the owner and the quartermaster

	Nassau       = "1150000000000002000"
	NassauTables = "1150000000000002001" // #game-tables
	NassauBeach  = "1150000000000002002" // #beach

	Roatan      = "1150000000000003000" // a server that Anne owns, without the bot
	RoatanBeach = "1150000000000003001" // #beach
	Longboat    = "1150000000000004000" // a group of Anne and Bart, without a server
)

// Discord's permission bits that this package uses.
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
	PermissionManageRoles           int64 = 1 << 28
	PermissionUseCommands           int64 = 1 << 31
	PermissionManageThreads         int64 = 1 << 34
	PermissionCreatePublicThreads   int64 = 1 << 35
	PermissionCreatePrivateThreads  int64 = 1 << 36
	PermissionSendMessagesInThreads int64 = 1 << 38
)

const (
	permissionsEveryone = PermissionViewChannel | PermissionSendMessages | PermissionEmbedLinks |
		PermissionAttachFiles |
		PermissionReadMessageHistory | PermissionUseCommands | PermissionCreatePublicThreads |
		PermissionSendMessagesInThreads
	permissionsQuartermaster = PermissionManageGuild | PermissionManageChannels | PermissionManageMessages |
		PermissionManageThreads
	permissionsAll = permissionsEveryone | permissionsQuartermaster | PermissionAdministrator |
		PermissionManageRoles |
		PermissionMentionEveryone | PermissionCreatePrivateThreads
)

// Errors for users, servers, roles, channels, messages and instances of the Activity that are missing or that a user
// cannot see.
var (
	ErrNoUser     = errors.New("localdiscord: no such user")
	ErrNoGuild    = errors.New("localdiscord: no such server")
	ErrNoRole     = errors.New("localdiscord: no such role")
	ErrNoChannel  = errors.New("localdiscord: no such channel, or the user cannot see it")
	ErrNoMessage  = errors.New("localdiscord: no such message, or the user cannot see it")
	ErrNoInstance = errors.New("localdiscord: no such instance of the Activity is running")
)

// state is the world: people, servers, channels, messages and the registered commands. The hub's lock guards it.
type state struct {
	snowflakes
	token string // the bot's token; "" after it was revoked
	files fileStore
	ways  []int // ways of installing the application

	users      map[string]*user
	userOrder  []string
	guilds     map[string]*guild
	guildOrder []string
	channels   map[string]*channel
	commands   map[string][]*command        // commands by server id; "" for global ones
	reads      map[string]map[string]string // id of the last message read, by user and channel
}

func newState(clock timesource.Clock, token string) *state {
	s := &state{
		snowflakes: snowflakes{clock: clock}, token: token, files: fileStore{files: map[string]storedFile{}},
		ways:  []int{installGuild, installUser},
		users: map[string]*user{}, guilds: map[string]*guild{}, channels: map[string]*channel{},
		commands: map[string][]*command{}, reads: map[string]map[string]string{},
	}
	return s
}

// populate fills an empty state with the standard world.
func (s *state) populate() {
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
		u.Locale = "en-GB" // English texts are spelled as in Britain
		s.addUser(&u)
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
		r := &role{ID: quartermaster(g), Name: "Quartermaster", Color: 0xE0A030, Permissions: permissionsQuartermaster,
			Position: 1}
		s.guilds[g].Roles = append(s.guilds[g].Roles, r)
		s.guilds[g].member(Mary).Roles = []string{r.ID}
	}
	s.newChannel(TortugaTables, Tortuga, "game-tables", "Cards, dice and long faces. Start with /play")
	s.newChannel(TortugaTavern, Tortuga, "tavern", "Talk, and a second table when the first is taken")
	s.newChannel(TortugaHarbour, Tortuga, "harbour", "Quiet water")
	cabin := s.newChannel(TortugaCabin, Tortuga, "captains-cabin", "For the captain and the quartermaster alone")
	cabin.Overwrites = []Overwrite{
		{ID: Tortuga, Type: OverwriteRole, Deny: PermissionViewChannel},
		{ID: quartermaster(Tortuga), Type: OverwriteRole, Allow: PermissionViewChannel},
		{ID: Application, Type: OverwriteMember, Allow: PermissionViewChannel},
	}
	s.newChannel(NassauTables, Nassau, "game-tables", "Tables of Nassau")
	s.newChannel(NassauBeach, Nassau, "beach", "Sand in everything")

	s.addGuild(&guild{ID: Roatan, Name: "Roatán", OwnerID: Anne, Locale: "en-US",
		Roles: []*role{{ID: Roatan, Name: "@everyone", Permissions: permissionsEveryone}}})
	for _, id := range []string{Anne, Bart, Grace} {
		s.newMember(Roatan, id, start)
	}
	s.newChannel(RoatanBeach, Roatan, "beach", "The bot is not on this server")
	s.channels[Longboat] = &channel{ID: Longboat, Type: channelGroupDM, Name: "Longboat", OwnerID: Anne,
		Group: []string{Anne, Bart}}
}

// Place has the ids of a server of Options.Servers, its only channel, and its two members.
type Place struct{ Guild, Tables, Owner, Member string }

// PlaceAt returns place number n, from 0. With up to ten shards, or with twelve, the server belongs to shard n modulo
// the number of shards.
func PlaceAt(n int) Place {
	// first is the millisecond of a snowflake later than the standard world. It is a multiple of 5040, and so of each
	// number from 1 to 10, and of 12.
	const first = (1160000000000000000 >> 22) / 5040 * 5040
	id := func(i int) string { return strconv.FormatInt(int64(first+n)<<22+int64(i), 10) }
	return Place{Guild: id(0), Tables: id(1), Owner: id(2), Member: id(3)}
}

// populateMore adds the first n servers of PlaceAt.
func (s *state) populateMore(n int) {
	for i := range n {
		p, start := PlaceAt(i), time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
		s.addUser(&user{ID: p.Owner, Username: fmt.Sprintf("owner%d", i), GlobalName: fmt.Sprintf("Owner %d", i),
			Locale: "en-US"})
		s.addUser(&user{ID: p.Member, Username: fmt.Sprintf("member%d", i), GlobalName: fmt.Sprintf("Member %d", i),
			Locale: "en-US"})
		s.newGuild(p.Guild, fmt.Sprintf("Island %d", i), p.Owner, start)
		s.newMember(p.Guild, p.Owner, start)
		s.newMember(p.Guild, p.Member, start)
		s.newChannel(p.Tables, p.Guild, "game-tables", "")
	}
}

// quartermaster returns the id of the quartermaster's role in one of the two standard servers.
func quartermaster(guildID string) string { return guildID[:len(guildID)-2] + "90" }

const discordEpoch = 1420070400000 // 2015-01-01 in milliseconds

// snowflakes makes ids from the time of a clock.
type snowflakes struct {
	clock  timesource.Clock
	lastID int64
}

// newID returns a snowflake later than all before it.
func (s *snowflakes) newID() string {
	id := (s.clock.Now().UnixMilli() - discordEpoch) << 22
	if id <= s.lastID {
		id = s.lastID + 1
	}
	s.lastID = id
	return strconv.FormatInt(id, 10)
}

// madeAt returns the time in a snowflake. It returns false if id is none.
func madeAt(id string) (at time.Time, ok bool) {
	n, err := strconv.ParseInt(id, 10, 64)
	return time.UnixMilli(n>>22 + discordEpoch), err == nil
}

// newGuildID returns a snowflake whose millisecond no earlier id has. The millisecond determines the server's shard,
// and real servers are created at different times.
func (s *snowflakes) newGuildID() string {
	s.lastID |= 1<<22 - 1
	return s.newID()
}

func (s *state) addUser(u *user) {
	if s.users[u.ID] == nil {
		s.userOrder = append(s.userOrder, u.ID)
	}
	s.users[u.ID] = u
}

func (s *state) addGuild(g *guild) {
	if s.guilds[g.ID] == nil {
		s.guildOrder = append(s.guildOrder, g.ID)
	}
	s.guilds[g.ID] = g
}

func (s *state) newGuild(id, name, owner string, at time.Time) *guild {
	g := &guild{ID: id, Name: name, OwnerID: owner, Locale: "en-US",
		Roles: []*role{{ID: id, Name: "@everyone", Permissions: permissionsEveryone}}}
	s.addGuild(g)
	s.newMember(id, Application, at)
	return g
}

// newMember adds a user to a server. It reports whether the user was not a member before.
func (s *state) newMember(guildID, userID string, at time.Time) bool {
	g := s.guilds[guildID]
	if g.member(userID) != nil {
		return false
	}
	g.Members = append(g.Members, &member{UserID: userID, Roles: []string{}, JoinedAt: at})
	return true
}

func (s *state) newChannel(id, guildID, name, topic string) *channel {
	g := s.guilds[guildID]
	c := &channel{ID: id, GuildID: guildID, Type: channelText, Name: name, Topic: topic, Position: len(g.Channels)}
	s.channels[id] = c
	g.Channels = append(g.Channels, id)
	return c
}

// append adds a message at the end of a channel, or replaces the message with the same id. Beyond the limit it drops
// the oldest.
func (s *state) append(c *channel, m *message) {
	if i := slices.IndexFunc(c.Messages, func(o *message) bool { return o.ID == m.ID }); i >= 0 {
		c.Messages[i] = m
		return
	}
	c.Messages = append(c.Messages, m)
	for len(c.Messages) > maxMessages {
		s.dropFiles(c.Messages[0])
		c.Messages[0] = nil
		c.Messages = c.Messages[1:]
	}
}

func (s *state) dropFiles(m *message) {
	for _, a := range m.Attachments {
		s.files.drop(a.ID)
	}
}

func (s *state) forgetChannel(c *channel) {
	if g := s.guilds[c.GuildID]; g != nil {
		g.Channels = slices.DeleteFunc(g.Channels, func(id string) bool { return id == c.ID })
	}
	for _, m := range c.Messages {
		s.dropFiles(m)
	}
	for _, read := range s.reads {
		delete(read, c.ID)
	}
	delete(s.channels, c.ID)
}

// botGuilds returns the servers of which the bot is a member.
func (s *state) botGuilds() []*guild {
	var out []*guild
	for _, id := range s.guildOrder {
		if g := s.guilds[id]; g.member(Application) != nil {
			out = append(out, g)
		}
	}
	return out
}

// guildPermissions computes a member's permissions in a server, before any channel's overwrites.
func (s *state) guildPermissions(g *guild, m *member) int64 {
	if g.OwnerID == m.UserID {
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
	return perms
}

// permissions computes a user's permissions in a channel like Discord: from the roles, then from the channel's
// overwrites, first those of @everyone, then those of the user's roles together, then those of the user. A thread has
// its parent's overwrites. A user who cannot see a channel has no permissions in it. In a direct message or a group,
// its users have the permissions that @everyone has in a new server.
func (s *state) permissions(userID string, c *channel) int64 {
	if c.Type == channelDM || c.Type == channelGroupDM {
		if c.Type == channelDM && (userID == c.Recipient || userID == Application) || slices.Contains(c.Group, userID) {
			return permissionsEveryone
		}
		return 0
	}
	g := s.guilds[c.GuildID]
	m := g.member(userID)
	if m == nil {
		return 0
	}
	perms := s.guildPermissions(g, m)
	if perms&PermissionAdministrator != 0 {
		return perms
	}
	holder := c
	if c.isThread() {
		if p := s.channels[c.ParentID]; p != nil {
			holder = p
		}
	}
	var everyone, roles, own Overwrite
	for _, o := range holder.Overwrites {
		switch {
		case o.Type == OverwriteRole && o.ID == g.ID:
			everyone = o
		case o.Type == OverwriteRole && slices.Contains(m.Roles, o.ID):
			roles.Allow |= o.Allow
			roles.Deny |= o.Deny
		case o.Type == OverwriteMember && o.ID == userID:
			own = o
		}
	}
	for _, o := range []Overwrite{everyone, roles, own} {
		perms = perms&^o.Deny | o.Allow
	}
	private := c.Type == channelPrivateThread && !slices.Contains(c.ThreadMembers, userID) &&
		perms&PermissionManageThreads == 0
	if perms&PermissionViewChannel == 0 || private {
		return 0
	}
	return perms
}

func (s *state) canSee(userID string, c *channel) bool {
	return s.permissions(userID, c)&PermissionViewChannel != 0
}

func (s *state) visibleChannel(userID, channelID string) (*channel, error) {
	if s.users[userID] == nil {
		return nil, ErrNoUser
	}
	c := s.channels[channelID]
	if c == nil || !s.canSee(userID, c) {
		return nil, ErrNoChannel
	}
	return c, nil
}

// visibleMessage finds a message that the user can see.
func (s *state) visibleMessage(userID, messageID string) (*channel, *message, error) {
	if s.users[userID] == nil {
		return nil, nil, ErrNoUser
	}
	for _, c := range s.channels {
		if m := c.message(messageID); m != nil && m.visibleTo(userID) && s.canSee(userID, c) {
			return c, m, nil
		}
	}
	return nil, nil, ErrNoMessage
}

// unread reports whether a channel has public messages of others that a user has not read, and how often the user was
// pinged in them.
func (s *state) unread(userID string, c *channel) (anything bool, pings int) {
	read := s.reads[userID][c.ID]
	for i := len(c.Messages) - 1; i >= 0; i-- {
		m := c.Messages[i]
		if !olderID(read, m.ID) {
			break
		}
		if m.AuthorID == userID || m.EphemeralTo != "" {
			continue
		}
		anything = true
		if slices.Contains(m.Pinged, userID) {
			pings++
		}
	}
	return anything, pings
}

// read records that a user has read a channel up to a message.
func (s *state) read(userID, channelID, messageID string) {
	if s.reads[userID] == nil {
		s.reads[userID] = map[string]string{}
	}
	s.reads[userID][channelID] = messageID
}

// validToken reports whether a token, with or without "Bot ", is the bot's.
func (s *state) validToken(token string) bool {
	return s.token != "" && strings.TrimPrefix(token, "Bot ") == s.token
}
