package interact

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/bwmarrin/discordgo"

	"marque/bot/access"
	"marque/bot/rest"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games"
	"marque/games/text"
)

// maxAsked limits the channels of a list for which the bot asks Discord who can see them. Tables in further unknown
// channels are left out, unless they are the user's own.
const maxAsked = 20

// member returns the acting user as a member of the server.
func (r *Request) member() access.Member {
	m := access.Member{Guild: r.GuildID, User: r.User.ID}
	if r.Member != nil {
		m.Roles = r.Member.Roles
	}
	return m
}

// visible reports whether a user can see a table. On a server, a table of that server is visible to its players and to
// users who can see its channel. Outside servers, only the user's own tables are visible: those in direct messages, and
// finished ones of all servers. known is false if the interaction does not contain enough about the channel.
func visible(r *Request, h table.Head) (sees, known bool) {
	own := h.Seat(r.User.ID) != games.Spectator
	switch {
	case h.Guild != r.GuildID: // outside servers, users see their own finished games of all servers
		return own && r.Where != OnServer && h.Status == table.Over, true
	case h.Guild == "":
		return own, true
	case h.Channel == r.ChannelID, own:
		return true, true
	case r.Member != nil && r.Member.Permissions&discordgo.PermissionAdministrator != 0: // the owner also has it
		return true, true
	}
	return false, false
}

// Sees reports whether a user can see a table. Moderators see the tables of a deleted channel, so that they can move or
// end them. If Discord cannot be asked, Sees returns an error for the user.
func (f *Finder) Sees(ctx context.Context, r *Request, h table.Head) (bool, error) {
	if sees, known := visible(r, h); known {
		return sees, nil
	}
	sees, err := f.guard.CanSee(ctx, r.member(), h.Channel)
	switch {
	case errors.Is(err, access.ErrGone):
		return r.User.Moderator, nil
	case err != nil:
		f.log.WarnContext(ctx, "it cannot be known who sees a channel", "channel", h.Channel, "guild", h.Guild,
			"error", rest.Scrub(err))
		return false, show.Refuse(text.M("bot.error.unknown-access"))
	}
	return sees, nil
}

// Visible returns the tables that the user can see. For unknown channels beyond maxAsked, it returns only the user's
// own.
func (f *Finder) Visible(ctx context.Context, r *Request, heads []table.Head) []table.Head {
	asked := map[string]bool{} // answers of Discord by channel
	return slices.DeleteFunc(heads, func(h table.Head) bool {
		if f.Offered(r, h) {
			return false
		}
		_, known := visible(r, h)
		_, before := asked[h.Channel]
		if !known && !before && len(asked) < maxAsked {
			sees, err := f.Sees(ctx, r, h)
			asked[h.Channel] = sees && err == nil
		}
		return known || !asked[h.Channel]
	})
}

// Offered reports whether a user is known to see a table, without asking Discord.
func (f *Finder) Offered(r *Request, h table.Head) bool {
	sees, known := visible(r, h)
	return sees || !known && f.guard.KnownToSee(r.member(), h.Channel)
}

// AllSee returns a refusal if one of the users cannot see the channel, and another error if that cannot be found out.
// Users who have left the server are not checked. A deleted channel is not refused.
func (f *Finder) AllSee(ctx context.Context, r *Request, channel string, users ...string) error {
	for _, u := range users {
		if u == "" || u == r.User.ID && channel == r.ChannelID {
			continue
		}
		m, err := f.session.GuildMember(r.GuildID, u, discordgo.WithContext(ctx))
		if rest.Status(err) == http.StatusNotFound {
			continue
		}
		if err != nil {
			return fmt.Errorf("looking at a member: %w", err)
		}
		sees, err := f.guard.CanSee(ctx, access.Member{Guild: r.GuildID, User: u, Roles: m.Roles}, channel)
		switch {
		case errors.Is(err, access.ErrGone):
		case err != nil:
			return fmt.Errorf("looking at who sees a channel: %w", err)
		case !sees:
			return show.Refuse(text.M("bot.error.unseen", "Who", text.User(u), "Channel", text.Channel(channel)))
		}
	}
	return nil
}
