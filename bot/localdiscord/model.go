package localdiscord

import (
	"encoding/json"
	"slices"
	"time"
)

// Limits of the state. Messages, archived threads, interactions and attachments beyond a limit are dropped, the oldest
// first.
const (
	maxMessages        = 200   // messages in a channel
	maxThreads         = 1000  // active threads in a server (Discord's limit), and as many archived ones
	maxInteractions    = 20000 // interactions whose token is remembered
	maxAttachmentBytes = 64 << 20
	maxUserFollowups   = 5 // for an interaction whose user alone has installed the application (Discord's limit)
)

// Discord's time limits for interactions.
const (
	answerWithin  = 3 * time.Second
	tokenLifetime = 15 * time.Minute
)

// Flags of messages.
const (
	flagSuppressEmbeds        = 1 << 2
	flagHasThread             = 1 << 5
	flagEphemeral             = 1 << 6
	flagLoading               = 1 << 7
	flagSuppressNotifications = 1 << 12
	flagComponentsV2          = 1 << 15
)

// Types of messages.
const (
	messageDefault       = 0
	messageThreadCreated = 18
	messageReply         = 19
	messageCommand       = 20
)

// Types of channels.
const (
	channelText          = 0
	channelDM            = 1
	channelGroupDM       = 3
	channelNewsThread    = 10
	channelPublicThread  = 11
	channelPrivateThread = 12
)

// Kind is a kind of channel other than a text channel.
type Kind int

// The kinds for AddChannelOf. Nobody can write in a category, a directory, a forum or a media channel. Posts in a forum
// or a media channel are threads.
const (
	Voice        Kind = 2
	Category     Kind = 4
	Announcement Kind = 5
	Stage        Kind = 13
	Directory    Kind = 14
	Forum        Kind = 15
	Media        Kind = 16
)

type user struct {
	ID         string `json:"id"`
	Username   string `json:"username"`
	GlobalName string `json:"global_name"`
	Bot        bool   `json:"bot,omitempty"`
	Locale     string `json:"locale"`
	ClosedDMs  bool   `json:"closed_dms,omitempty"`
	Installed  bool   `json:"installed,omitempty"` // has installed the application for themselves
}

type role struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Color       int    `json:"color"`
	Permissions int64  `json:"permissions,string"`
	Position    int    `json:"position"`
	Mentionable bool   `json:"mentionable,omitempty"` // everybody can mention the role
	// Commands are the names of commands that the role can use, whatever permissions the commands require. On Discord,
	// they are set in Server Settings > Integrations.
	Commands []string `json:"commands,omitempty"`
}

type member struct {
	UserID   string    `json:"user_id"`
	Nick     string    `json:"nick,omitempty"`
	Roles    []string  `json:"roles"`
	JoinedAt time.Time `json:"joined_at"`
}

type guild struct {
	ID       string    `json:"id"`
	Name     string    `json:"name"`
	OwnerID  string    `json:"owner_id"`
	Locale   string    `json:"locale"`
	Roles    []*role   `json:"roles"`
	Members  []*member `json:"members"`
	Channels []string  `json:"channels"` // ids in the order of the list, including threads

	// Barred are words that names of channels and threads must not contain, as in servers of Server Discovery.
	Barred []string `json:"barred,omitempty"`

	down bool // the server has an outage
}

func (g *guild) member(userID string) *member {
	for _, m := range g.Members {
		if m.UserID == userID {
			return m
		}
	}
	return nil
}

func (g *guild) removeMember(userID string) {
	g.Members = slices.DeleteFunc(g.Members, func(m *member) bool { return m.UserID == userID })
}

// allows reports whether a member can use a command because it is allowed to one of the member's roles, or to
// @everyone.
func (g *guild) allows(userID, command string) bool {
	m := g.member(userID)
	return m != nil && slices.ContainsFunc(g.Roles, func(r *role) bool {
		return (r.ID == g.ID || slices.Contains(m.Roles, r.ID)) && slices.Contains(r.Commands, command)
	})
}

func (g *guild) role(id string) *role {
	for _, r := range g.Roles {
		if r.ID == id {
			return r
		}
	}
	return nil
}

// Values of Overwrite.Type.
const (
	OverwriteRole   = 0
	OverwriteMember = 1
)

// Overwrite allows or denies permissions to a role or a member in a channel. The role with the server's id is
// @everyone.
type Overwrite struct {
	ID    string `json:"id"`
	Type  int    `json:"type"` // OverwriteRole or OverwriteMember
	Allow int64  `json:"allow,string"`
	Deny  int64  `json:"deny,string"`
}

type threadState struct {
	Archived            bool      `json:"archived"`
	Locked              bool      `json:"locked"`
	AutoArchiveDuration int       `json:"auto_archive_duration"`
	ArchiveTimestamp    time.Time `json:"archive_timestamp"`
	CreateTimestamp     time.Time `json:"create_timestamp"`
}

type channel struct {
	ID            string       `json:"id"`
	GuildID       string       `json:"guild_id,omitempty"`
	Type          int          `json:"type"`
	Name          string       `json:"name"`
	Topic         string       `json:"topic,omitempty"`
	Position      int          `json:"position"`
	ParentID      string       `json:"parent_id,omitempty"`
	OwnerID       string       `json:"owner_id,omitempty"`
	Overwrites    []Overwrite  `json:"permission_overwrites,omitempty"`
	Thread        *threadState `json:"thread_metadata,omitempty"`
	ThreadMembers []string     `json:"thread_members,omitempty"`
	Recipient     string       `json:"recipient,omitempty"` // the user of a DM
	Group         []string     `json:"group,omitempty"`     // the users of a group DM, which never includes the bot
	Messages      []*message   `json:"messages"`
}

func (c *channel) isThread() bool {
	return c.Type == channelNewsThread || c.Type == channelPublicThread || c.Type == channelPrivateThread
}

// takesThreads reports whether threads can be opened in a channel of this kind. The posts of forums do not count.
func (c *channel) takesThreads() bool { return c.Type == channelText || c.Type == int(Announcement) }

// takesMessages reports whether anybody can write in the channel.
func (c *channel) takesMessages() bool {
	switch Kind(c.Type) {
	case Category, Directory, Forum, Media:
		return false
	}
	return true
}

// context returns the context of interactions that users begin in the channel.
func (c *channel) context() int {
	switch c.Type {
	case channelDM:
		return contextBotDM
	case channelGroupDM:
		return contextPrivate
	}
	return contextGuild
}

func (c *channel) message(id string) *message {
	for i := len(c.Messages) - 1; i >= 0; i-- {
		if c.Messages[i].ID == id {
			return c.Messages[i]
		}
	}
	return nil
}

// lastMessageID returns the id of the last message that everyone can see; "" if there is none.
func (c *channel) lastMessageID() string {
	for i := len(c.Messages) - 1; i >= 0; i-- {
		if m := c.Messages[i]; m.EphemeralTo == "" {
			return m.ID
		}
	}
	return ""
}

type attachment struct {
	ID          string `json:"id"`
	Filename    string `json:"filename"`
	Description string `json:"description,omitempty"`
	Size        int    `json:"size"`
	URL         string `json:"url"`
	ProxyURL    string `json:"proxy_url"`
	ContentType string `json:"content_type,omitempty"`
	Width       int    `json:"width,omitempty"`
	Height      int    `json:"height,omitempty"`
	Ephemeral   bool   `json:"ephemeral,omitempty"`
}

type messageReference struct {
	Type      int    `json:"type"`
	MessageID string `json:"message_id,omitempty"`
	ChannelID string `json:"channel_id"`
	GuildID   string `json:"guild_id,omitempty"`
}

// invocation has the user and the command or component that caused a message.
type invocation struct {
	ID     string `json:"id"`
	Type   int    `json:"type"`
	Name   string `json:"name,omitempty"`
	UserID string `json:"user_id"`
	Text   string `json:"text,omitempty"` // command line, or name of a context menu command; for the page
	// Pressed is the id of the message with the component, and Opened the interaction that opened a form.
	Pressed string      `json:"pressed,omitempty"`
	Opened  *invocation `json:"opened,omitempty"`
	// Owners are the users or servers that have installed the application; see state.installs.
	Owners map[int]string `json:"owners,omitempty"`
}

type message struct {
	ID              string            `json:"id"`
	ChannelID       string            `json:"channel_id"`
	GuildID         string            `json:"guild_id,omitempty"`
	Type            int               `json:"type"`
	AuthorID        string            `json:"author_id"`
	Content         string            `json:"content"`
	Created         time.Time         `json:"timestamp"`
	Edited          *time.Time        `json:"edited_timestamp"`
	Flags           int               `json:"flags"`
	Embeds          []json.RawMessage `json:"embeds"`
	Attachments     []*attachment     `json:"attachments"`
	Components      []*component      `json:"components"`
	Mentions        []string          `json:"mentions"`
	MentionRoles    []string          `json:"mention_roles"`
	MentionEveryone bool              `json:"mention_everyone"`
	Reference       *messageReference `json:"message_reference,omitempty"`
	Invocation      *invocation       `json:"invocation,omitempty"`
	EphemeralTo     string            `json:"ephemeral_to,omitempty"`
	Pinged          []string          `json:"pinged"`
	Version         int               `json:"version"`
	Nonce           string            `json:"nonce,omitempty"`

	lastReading *reading // nil if the message is not cached
}

func (m *message) isV2() bool    { return m.Flags&flagComponentsV2 != 0 }
func (m *message) loading() bool { return m.Flags&flagLoading != 0 }

// visibleTo reports whether a user with access to the channel can see the message.
func (m *message) visibleTo(userID string) bool {
	return m.EphemeralTo == "" || m.EphemeralTo == userID
}

// olderID orders snowflakes by age. A shorter one is older.
func olderID(a, b string) bool {
	if len(a) != len(b) {
		return len(a) < len(b)
	}
	return a < b
}
