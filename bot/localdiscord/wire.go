package localdiscord

import (
	"encoding/json"
	"strconv"
	"time"
)

// Formats of data for the bot, as Discord documents them.

type wireUser struct {
	ID            string  `json:"id"`
	Username      string  `json:"username"`
	Discriminator string  `json:"discriminator"`
	GlobalName    *string `json:"global_name"`
	Avatar        *string `json:"avatar"`
	Bot           bool    `json:"bot,omitempty"`
	PublicFlags   int     `json:"public_flags"`
	Flags         int     `json:"flags"`
	PrimaryGuild  *string `json:"primary_guild"`
}

type wireMember struct {
	User          *wireUser  `json:"user,omitempty"`
	Nick          *string    `json:"nick"`
	Avatar        *string    `json:"avatar"`
	Banner        *string    `json:"banner"`
	TimedOutUntil *time.Time `json:"communication_disabled_until"`
	PremiumSince  *time.Time `json:"premium_since"`
	Roles         []string   `json:"roles"`
	JoinedAt      time.Time  `json:"joined_at"`
	Deaf          bool       `json:"deaf"`
	Mute          bool       `json:"mute"`
	Flags         int        `json:"flags"`
	Pending       bool       `json:"pending"`
	Permissions   *string    `json:"permissions,omitempty"`
}

type wireMessage struct {
	ID              string            `json:"id"`
	Type            int               `json:"type"`
	ChannelID       string            `json:"channel_id"`
	GuildID         string            `json:"guild_id,omitempty"`
	Author          *wireUser         `json:"author"`
	Content         string            `json:"content"`
	Timestamp       time.Time         `json:"timestamp"`
	EditedTimestamp *time.Time        `json:"edited_timestamp"`
	TTS             bool              `json:"tts"`
	MentionEveryone bool              `json:"mention_everyone"`
	Mentions        []*wireUser       `json:"mentions"`
	MentionRoles    []string          `json:"mention_roles"`
	Attachments     []*attachment     `json:"attachments"`
	Embeds          []json.RawMessage `json:"embeds"`
	Components      []*component      `json:"components"`
	Pinned          bool              `json:"pinned"`
	Flags           int               `json:"flags"`
	WebhookID       string            `json:"webhook_id,omitempty"`
	ApplicationID   string            `json:"application_id,omitempty"`
	Reference       *messageReference `json:"message_reference,omitempty"`
	Referenced      *wireMessage      `json:"referenced_message,omitempty"`
	Interaction     *wireInvocation   `json:"interaction,omitempty"`
	Metadata        *wireInvocation   `json:"interaction_metadata,omitempty"`
	Thread          map[string]any    `json:"thread,omitempty"`
}

type wireInvocation struct {
	ID      string          `json:"id"`
	Type    int             `json:"type"`
	Name    string          `json:"name,omitempty"`
	User    *wireUser       `json:"user"`
	Owners  map[int]string  `json:"authorizing_integration_owners,omitempty"`
	Pressed string          `json:"interacted_message_id,omitempty"`
	Opened  *wireInvocation `json:"triggering_interaction_metadata,omitempty"`
}

func (s *state) userJSON(id string) *wireUser {
	u := s.users[id]
	if u == nil {
		return &wireUser{ID: id, Username: "deleted_user", Discriminator: "0"}
	}
	w := &wireUser{ID: u.ID, Username: u.Username, Discriminator: "0", Bot: u.Bot}
	if u.GlobalName != "" {
		name := u.GlobalName
		w.GlobalName = &name
	}
	if u.Bot {
		w.Discriminator = "0001"
	}
	return w
}

func (s *state) usersJSON(ids []string) []*wireUser {
	out := make([]*wireUser, len(ids))
	for i, id := range ids {
		out[i] = s.userJSON(id)
	}
	return out
}

// memberJSON returns a member in Discord's format; nil if the user is no member. For an interaction in a channel, it
// includes the member's permissions in that channel.
func (s *state) memberJSON(g *guild, userID string, in *channel, withUser bool) *wireMember {
	m := g.member(userID)
	if m == nil {
		return nil
	}
	w := &wireMember{Roles: m.Roles, JoinedAt: m.JoinedAt}
	if m.Nick != "" {
		nick := m.Nick
		w.Nick = &nick
	}
	if withUser {
		w.User = s.userJSON(userID)
	}
	if in != nil {
		p := strconv.FormatInt(s.permissions(userID, in), 10)
		w.Permissions = &p
	}
	return w
}

func (s *state) messageJSON(m *message) *wireMessage { return s.messageWire(m, true) }

func (s *state) messageWire(m *message, deep bool) *wireMessage {
	w := &wireMessage{
		ID: m.ID, Type: m.Type, ChannelID: m.ChannelID, Author: s.userJSON(m.AuthorID), Content: m.Content,
		Timestamp: m.Created, EditedTimestamp: m.Edited, MentionEveryone: m.MentionEveryone,
		Mentions: s.usersJSON(m.Mentions), MentionRoles: orEmpty(m.MentionRoles), Attachments: orEmpty(m.Attachments),
		Embeds: orEmpty(m.Embeds), Components: orEmpty(m.Components), Flags: m.Flags, Reference: m.Reference,
	}
	if m.isV2() { // the addresses of the files are in the components
		w.Attachments = []*attachment{}
	}
	if m.Invocation != nil {
		w.WebhookID, w.ApplicationID = Application, Application
		w.Metadata = s.invocationJSON(m.Invocation)
		if m.Invocation.Name != "" {
			w.Interaction = &wireInvocation{ID: m.Invocation.ID, Type: m.Invocation.Type, Name: m.Invocation.Name,
				User: w.Metadata.User}
		}
	}
	if deep {
		if r := s.referenced(m); r != nil {
			w.Referenced = s.messageWire(r, false)
		}
	}
	if m.Flags&flagHasThread != 0 {
		if t := s.channels[m.ID]; t != nil {
			w.Thread = s.channelJSON(t)
		}
	}
	return w
}

func (s *state) invocationJSON(v *invocation) *wireInvocation {
	if v == nil {
		return nil
	}
	return &wireInvocation{ID: v.ID, Type: v.Type, User: s.userJSON(v.UserID), Owners: v.Owners, Pressed: v.Pressed,
		Opened: s.invocationJSON(v.Opened)}
}

// referenced returns the message to which m replies; nil if there is none or it was deleted.
func (s *state) referenced(m *message) *message {
	if m.Reference == nil {
		return nil
	}
	if c := s.channels[m.Reference.ChannelID]; c != nil {
		return c.message(m.Reference.MessageID)
	}
	return nil
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func nullable(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func (s *state) channelJSON(c *channel) map[string]any {
	w := map[string]any{"id": c.ID, "type": c.Type, "flags": 0, "last_message_id": nullable(c.lastMessageID())}
	switch c.Type {
	case channelDM:
		w["recipients"] = s.usersJSON([]string{c.Recipient})
		return w
	case channelGroupDM:
		w["recipients"], w["name"], w["icon"], w["owner_id"] = s.usersJSON(c.Group), c.Name, nil, c.OwnerID
		return w
	}
	w["guild_id"] = c.GuildID
	w["name"] = c.Name
	w["parent_id"] = nullable(c.ParentID)
	w["rate_limit_per_user"] = 0
	if c.isThread() {
		w["owner_id"] = c.OwnerID
		w["thread_metadata"] = c.Thread
		w["message_count"] = min(len(c.Messages), 50)
		w["member_count"] = min(len(c.ThreadMembers), 50)
		w["total_message_sent"] = len(c.Messages)
		return w
	}
	w["topic"] = nullable(c.Topic)
	w["position"] = c.Position
	w["nsfw"] = false
	w["permission_overwrites"] = orEmpty(c.Overwrites)
	return w
}

func roleJSON(r *role) map[string]any {
	return map[string]any{"id": r.ID, "name": r.Name, "color": r.Color,
		"colors":      map[string]any{"primary_color": r.Color, "secondary_color": nil, "tertiary_color": nil},
		"permissions": strconv.FormatInt(r.Permissions, 10),
		"position":    r.Position, "hoist": false, "managed": false, "mentionable": r.Mentionable, "icon": nil,
		"unicode_emoji": nil, "flags": 0}
}

func (s *state) guildJSON(g *guild) map[string]any {
	roles := make([]map[string]any, len(g.Roles))
	for i, r := range g.Roles {
		roles[i] = roleJSON(r)
	}
	return map[string]any{
		"id": g.ID, "name": g.Name, "icon": nil, "splash": nil, "discovery_splash": nil, "owner_id": g.OwnerID,
		"afk_channel_id": nil, "afk_timeout": 300, "verification_level": 0, "default_message_notifications": 1,
		"explicit_content_filter": 0, "roles": roles, "emojis": []any{}, "features": []any{}, "mfa_level": 0,
		"application_id": nil, "system_channel_id": nil, "system_channel_flags": 0, "rules_channel_id": nil,
		"vanity_url_code": nil, "description": nil, "banner": nil, "premium_tier": 0, "premium_subscription_count": 0,
		"preferred_locale": g.Locale, "public_updates_channel_id": nil, "nsfw_level": 0, "stickers": []any{},
		"home_header": nil, "region": "deprecated", "widget_enabled": false, "widget_channel_id": nil,
		"max_presences": nil, "max_members": 500000, "max_stage_video_channel_users": 50, "max_video_channel_users": 25,
		"nsfw": false, "incidents_data": nil,
		"premium_progress_bar_enabled": false, "safety_alerts_channel_id": nil,
	}
}

func (s *state) guildCreateJSON(g *guild) map[string]any {
	w := s.guildJSON(g)
	channels, threads := []any{}, []any{}
	for _, id := range g.Channels {
		c := s.channels[id]
		switch {
		case !c.isThread():
			channels = append(channels, s.channelJSON(c))
		case !c.Thread.Archived:
			threads = append(threads, s.channelJSON(c))
		}
	}
	members := []any{s.memberJSON(g, Application, nil, true)}
	w["channels"], w["threads"], w["members"] = channels, threads, members
	w["joined_at"] = g.member(Application).JoinedAt
	w["large"], w["unavailable"] = false, false
	w["member_count"] = len(g.Members)
	w["voice_states"], w["presences"], w["stage_instances"], w["guild_scheduled_events"] = []any{}, []any{}, []any{},
		[]any{}
	return w
}
