package localdiscord

import (
	"regexp"
	"slices"
	"strings"
)

var (
	codePattern        = regexp.MustCompile("(?s)```.*?```|``.*?``|`[^`\n]*`")
	userMentionPattern = regexp.MustCompile(`<@!?([0-9]{1,20})>`)
	roleMentionPattern = regexp.MustCompile(`<@&([0-9]{1,20})>`)
	everyonePattern    = regexp.MustCompile(`@(?:everyone|here)\b`)
)

// text returns all text of the message that can have mentions: the content, or all text displays.
func (m *message) text() string {
	parts := []string{m.Content}
	walk(m.Components, func(c *component) {
		if c.Type == typeTextDisplay {
			parts = append(parts, c.Content)
		}
	})
	return strings.Join(parts, "\n")
}

// mentionedRoles returns the roles that a text mentions, as far as allowed permits. Roles that not everybody can
// mention are included only if all is true.
func mentionedRoles(g *guild, text string, allowed *allowedMentions, all bool) (ids []string) {
	for _, match := range roleMentionPattern.FindAllStringSubmatch(text, -1) {
		id := match[1]
		may := allowed.allRoles || slices.Contains(allowed.roles, id)
		if r := g.role(id); r != nil && may && (all || r.Mentionable) && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// mention sets the users and roles that m mentions outside code, as far as allowed and the author's permissions permit.
// A nil allowed permits everything. If allowed.repliedUser is set, a reply also mentions the author of the answered
// message. If notify is set (for a new message, never for an edit), mention also sets the users who are notified: all
// who see m and are mentioned, in person, by a role or by @everyone, except the author of m.
func (s *state) mention(m *message, allowed *allowedMentions, notify bool) {
	if allowed == nil {
		allowed = &allowedMentions{everyone: true, allUsers: true, allRoles: true, repliedUser: true}
	}
	m.Mentions, m.MentionRoles, m.MentionEveryone = nil, nil, false
	c := s.channels[m.ChannelID]
	g := s.guilds[m.GuildID]
	text := codePattern.ReplaceAllString(m.text(), " ")
	var notified []string
	add := func(list *[]string, id string) {
		if !slices.Contains(*list, id) {
			*list = append(*list, id)
		}
	}
	for _, match := range userMentionPattern.FindAllStringSubmatch(text, -1) {
		id := match[1]
		if s.users[id] != nil && (allowed.allUsers || slices.Contains(allowed.users, id)) {
			add(&m.Mentions, id)
			add(&notified, id)
		}
	}
	if g != nil {
		mayEveryone := s.permissions(m.AuthorID, c)&PermissionMentionEveryone != 0
		m.MentionRoles = mentionedRoles(g, text, allowed, mayEveryone)
		m.MentionEveryone = allowed.everyone && mayEveryone && everyonePattern.MatchString(text)
		for _, mem := range g.Members {
			if m.MentionEveryone || slices.ContainsFunc(mem.Roles, func(id string) bool {
				return slices.Contains(m.MentionRoles, id)
			}) {
				add(&notified, mem.UserID)
			}
		}
	}
	if m.Type == messageReply && allowed.repliedUser && m.Reference != nil {
		if rc := s.channels[m.Reference.ChannelID]; rc != nil {
			if r := rc.message(m.Reference.MessageID); r != nil && r.AuthorID != m.AuthorID {
				add(&m.Mentions, r.AuthorID)
				add(&notified, r.AuthorID)
			}
		}
	}
	if !notify {
		return
	}
	m.Pinged = nil
	for _, id := range notified {
		if id != m.AuthorID && m.visibleTo(id) && s.canSee(id, c) {
			m.Pinged = append(m.Pinged, id)
		}
	}
}
