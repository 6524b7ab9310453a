package interact

import (
	"cmp"

	"github.com/bwmarrin/discordgo"
)

// Where says where somebody does something.
type Where int

const (
	// OnServer is a server that has the bot.
	OnServer Where = iota
	// InDM is the direct messages of a user and the bot.
	InDM
	// Abroad is anywhere else, for users who have installed the bot for themselves: a server without the bot, a
	// group. The bot can answer there, and nothing besides.
	Abroad
)

// whereOf reads it from an interaction. On a server whoever has installed the bot besides is told of both
// installations.
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

// withoutServer is an interaction as if it came from no server: of one that does not have the bot
// nothing is known, even if the bot was there once.
func withoutServer(i *discordgo.Interaction) *discordgo.Interaction {
	own := *i
	own.GuildID, own.Member, own.GuildLocale, own.AppPermissions = "", nil, nil, 0
	return &own
}

// shares is whose share of a lane an interaction takes: its server's, or else its user's.
func (r *Request) shares() string { return cmp.Or(r.GuildID, r.User.ID) }

// public reports whether everybody shall see the answer of a route. Abroad nobody else does.
func (r *Request) public(rt Route) bool {
	return r.Where != Abroad && rt.Public != nil && rt.Public(r)
}

// seen reports whether everybody on the server sees the answer of a route: a message of its own, or what becomes of one
// that they all see.
func (r *Request) seen(rt Route) bool {
	return r.Where == OnServer && (r.public(rt) || rt.Updates && r.Message != nil && !r.Private())
}
