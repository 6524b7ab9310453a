package access

import (
	"context"

	"github.com/bwmarrin/discordgo"

	"marque/bot/rest"
)

// Server is a description of a server, requested from Discord. It has more data than the Guard stores.
type Server struct {
	Name string

	guild       Guild // with all permissions of roles
	bot         Member
	mentionable map[string]bool // roles that everybody can mention
	channels    map[string]*discordgo.Channel
}

// AskServer requests the description of a server that the bot is on. bot is the bot's user id.
func AskServer(ctx context.Context, session *discordgo.Session, id, bot string) (*Server, error) {
	g, err := session.Guild(id, discordgo.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	member, err := session.GuildMember(id, bot, discordgo.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	channels, err := session.GuildChannels(id, discordgo.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	s := &Server{
		Name: g.Name, guild: Guild{ID: id, Owner: g.OwnerID, Roles: map[string]int64{}},
		bot:         Member{Guild: id, User: bot, Roles: member.Roles},
		mentionable: map[string]bool{}, channels: map[string]*discordgo.Channel{},
	}
	for _, r := range g.Roles {
		s.guild.Roles[r.ID], s.mentionable[r.ID] = r.Permissions, r.Mentionable
	}
	for _, c := range channels {
		s.channels[c.ID] = c
	}
	return s, nil
}

// everything has all permissions, including those that Discord adds later.
const everything int64 = -1

// Bot returns the bot's permissions in a channel. If they lack PermissionViewChannel, the bot can do nothing there,
// whatever the other bits are. Bot returns ErrGone if there is no such channel, and Discord's error if the request
// fails for another reason than missing access. thread reports whether the channel is a thread that the bot can see.
func (s *Server) Bot(ctx context.Context, session *discordgo.Session, id string) (may int64, thread bool, err error) {
	c := s.channels[id]
	if c == nil { // a thread or a deleted channel
		told, err := session.Channel(id, discordgo.WithContext(ctx))
		switch rest.Code(err) {
		case rest.CodeUnknownChannel:
			return 0, false, ErrGone
		case rest.CodeMissingAccess, rest.CodeMissingPermissions:
			return everything &^ discordgo.PermissionViewChannel, false, nil
		}
		if err != nil {
			return 0, false, err
		}
		if c, thread = told, told.IsThread(); thread {
			if c = s.channels[told.ParentID]; c == nil {
				return 0, true, ErrGone
			}
		}
	}
	var overwrites []Overwrite
	for _, o := range c.PermissionOverwrites {
		overwrites = append(overwrites, Overwrite{ID: o.ID,
			Member: o.Type == discordgo.PermissionOverwriteTypeMember, Allow: o.Allow, Deny: o.Deny})
	}
	may = Permissions(s.guild, overwrites, s.bot)
	if may&discordgo.PermissionAdministrator != 0 {
		may = everything
	}
	return may, thread, nil
}

// Calls reports whether the bot's mention of a role pings the role's members. This requires that everybody can mention
// the role, or that the bot can mention all roles. Otherwise Discord shows the mention without pinging. Source:
// Discord's documentation, topic "Permissions", MENTION_EVERYONE.
func (s *Server) Calls(ctx context.Context, session *discordgo.Session, role, channel string) (bool, error) {
	if s.mentionable[role] {
		return true, nil
	}
	may, _, err := s.Bot(ctx, session, channel)
	return may&discordgo.PermissionMentionEveryone != 0, err
}
