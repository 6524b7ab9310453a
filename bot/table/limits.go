package table

import (
	"context"
	"slices"

	"marque/bot/choices"
	"marque/games/text"
	"marque/storage"
)

// limitsOf are the limits of a new table of a user. One that is full at once waits for nobody.
func limitsOf(l choices.Limits, guild, user string, waits bool) []storage.Limit {
	var list []storage.Limit
	if guild != "" { // direct messages are everybody's own
		list = append(list, storage.Limit{Kind: storage.ServerTables, Most: l.Tables})
	}
	list = append(list, []storage.Limit{
		{Kind: storage.UserTables, User: user, Most: l.UserTables},
		{Kind: storage.UserInvitations, User: user, Most: l.UserInvitations},
	}...)
	if waits {
		list = append(list, storage.Limit{Kind: storage.UserLobbies, User: user, Most: l.UserLobbies})
	}
	return list
}

// sitsDown holds the actor, who comes to the table, to what a user may have on its server.
func (d *draft) sitsDown() error {
	s, err := d.settings()
	d.limits = append(d.limits, storage.Limit{Kind: storage.UserTables, User: d.by.User, Most: s.Limits().UserTables})
	return err
}

// waits reports whether a new table waits for players.
func (o Opening) waits() bool { return !o.WhenFull || o.Seats == 0 || 1+len(o.Computers) < o.Seats }

// checkLimits refuses a table that would lead beyond a limit, and invitations by whom the invited have
// blocked; a rematch is opened without those.
func (s *Service) checkLimits(ctx context.Context, by Actor, o *Opening) ([]storage.Limit, error) {
	settings, err := s.tables.choices.Settings(ctx, o.Guild)
	if err != nil {
		return nil, err
	}
	var invited []string
	for _, u := range o.Invited {
		p, err := s.tables.choices.Preferences(ctx, u)
		switch {
		case err != nil:
			return nil, err
		case !slices.Contains(p.Blocked, by.User):
			invited = append(invited, u)
		case o.Rematch == 0:
			return nil, RefuseInvitation(u)
		}
	}
	o.Invited = invited
	limits := limitsOf(settings.Limits(), o.Guild, by.User, o.waits())
	return limits, RefuseStored(s.tables.store.CheckLimits(ctx, storage.Change{
		Head: Head{Guild: o.Guild, Host: by.User}, Detail: &storage.Detail{Invited: invited}, Limits: limits,
	}), 0)
}

// refuseLimit says what the limit is, and how to get below it.
func refuseLimit(l storage.Limit) error {
	id := map[storage.LimitKind]string{
		storage.ServerTables: "table.error.limit-server", storage.UserTables: "table.error.limit-tables",
		storage.UserLobbies: "table.error.limit-lobbies", storage.UserInvitations: "table.error.limit-invitations",
	}[l.Kind]
	return Refuse(ErrLimit, text.M(id, "Count", l.Most))
}
