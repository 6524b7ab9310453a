// Package access determines who can see a channel. It caches the roles and channels that the gateway reports, asks
// Discord for the rest, and computes permissions as Discord does.
package access

import (
	"slices"

	"github.com/bwmarrin/discordgo"
)

// relevant are the permissions that decide who sees a channel or a private thread. A Guard stores no others.
const relevant = discordgo.PermissionViewChannel | discordgo.PermissionManageThreads | discordgo.PermissionAdministrator

// Guild holds the data of a server that decide who sees its channels.
type Guild struct {
	ID    string
	Owner string           // the owner's user id
	Roles map[string]int64 // permissions by role (in a Guard, only relevant ones); @everyone has the server's id
}

// Overwrite changes the permissions of a role or a member in a channel.
type Overwrite struct {
	ID          string // id of the role or user
	Member      bool
	Allow, Deny int64
}

// Member is a member of a server.
type Member struct {
	Guild, User string
	Roles       []string // ids, without the id of @everyone
}

// Permissions returns a member's permissions in a channel with these overwrites, as far as the guild and the overwrites
// contain them. The owner and administrators have all relevant permissions. Other members have the permissions of their
// roles, changed by the overwrites for @everyone, then by those for all of the member's roles, then by the one for the
// member. Each step denies before it allows. Source: Discord's documentation, topic "Permissions", section "Permission
// Overwrites".
func Permissions(g Guild, overwrites []Overwrite, m Member) int64 {
	if m.User == g.Owner {
		return relevant
	}
	may := g.Roles[g.ID]
	for _, role := range m.Roles {
		may |= g.Roles[role]
	}
	if may&discordgo.PermissionAdministrator != 0 {
		return relevant
	}
	var everyone, roles, own Overwrite
	for _, o := range overwrites {
		switch {
		case o.Member && o.ID == m.User:
			own = o
		case o.Member:
		case o.ID == g.ID:
			everyone = o
		case slices.Contains(m.Roles, o.ID):
			roles.Allow |= o.Allow
			roles.Deny |= o.Deny
		}
	}
	for _, o := range []Overwrite{everyone, roles, own} {
		may = may&^o.Deny | o.Allow
	}
	return may
}
