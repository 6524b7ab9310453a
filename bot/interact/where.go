package interact

import (
	"cmp"

	"github.com/bwmarrin/discordgo"
)

// Where is the kind of place in which a user gives a command or uses a control.
type Where int

const (
	// OnServer is a server that has the bot.
	OnServer Where = iota
	// InDM is a direct message between a user and the bot.
	InDM
	// Abroad is any other place, for users who have installed the bot: a server, a group or direct messages without the
	// bot. There the bot can only answer.
	Abroad
)

// whereOf returns the place of an interaction. Discord names both installations if a user who has installed the bot
// acts on a server that also has it.
func whereOf(i *discordgo.Interaction) Where {
	_, server := i.AuthorizingIntegrationOwners[discordgo.ApplicationIntegrationGuildInstall]
	_, user := i.AuthorizingIntegrationOwners[discordgo.ApplicationIntegrationUserInstall]
	switch {
	case i.GuildID != "" && (server || !user):
		return OnServer
	case i.GuildID == "" && i.Context == discordgo.InteractionContextBotDM:
		return InDM
	}
	return Abroad
}

// withoutServer returns a copy of an interaction without its server. It is used for servers without the bot, whose data
// are ignored even if the bot was there before.
func withoutServer(i *discordgo.Interaction) *discordgo.Interaction {
	own := *i
	own.GuildID, own.Member, own.GuildLocale, own.AppPermissions = "", nil, nil, 0
	return &own
}

// shares returns the id under which a lane counts an interaction for its limit per server: the server's id, or outside
// servers the user's.
func (r *Request) shares() string { return cmp.Or(r.GuildID, r.User.ID) }

// public reports whether everybody can see the answer of a route. Abroad, only the user can.
func (r *Request) public(rt Route) bool {
	return r.Where != Abroad && rt.Public != nil && rt.Public(r)
}

// seen reports whether everybody on the server sees the answer of a route: a new public message, or an update of a
// public message.
func (r *Request) seen(rt Route) bool {
	return r.Where == OnServer && (r.public(rt) || r.updates(rt) && r.Message != nil && !r.Private())
}

// updates reports whether the answer of a route can replace the message that the component is on.
func (r *Request) updates(rt Route) bool {
	return rt.Updates && !(rt.Beside && r.Message != nil && !r.Private())
}
