package table

import (
	"slices"

	"marque/games"
	"marque/games/fair"
	"marque/storage"
)

// depart removes a user whose data is deleted from an unfinished table: from their seat, from the invitations, and as
// the host. as is the id of the departed player who replaces them in the events.
func depart(d *draft, user, as string) error {
	if d.Status == Over {
		return nil
	}
	d.keep = keepAll
	d.Card.Nameless = d.Card.Thread != ""
	if detail := d.seen(); slices.Contains(detail.Invited, user) || slices.Contains(detail.Order, user) {
		d.uninvite(user, as)
	}
	seat := d.Seat(user)
	if seat >= 0 {
		d.Seats[seat] = Occupant{User: as}
	}
	switch {
	case seat < 0:
	case d.Status == Lobby:
		if err := d.leaveLobby(fair.Leaves, seat); err != nil {
			return err
		}
	default:
		if d.match.In(seat) {
			if err := d.resign(seat); err != nil {
				return err
			}
		}
		if d.Status == Over {
			return nil
		}
		if d.Guild == "" { // there are no other people at the table
			return d.end(games.Abandoned)
		}
		if err := d.reseat(seat, Occupant{}); err != nil {
			return err
		}
	}
	d.handOn(user)
	return nil
}

// uninvite removes a user's invitation to a table, as if they had declined it. It also deletes the chosen order of
// seats.
func (d *draft) uninvite(user, as string) {
	detail := d.details()
	detail.Order = nil
	if i := slices.Index(detail.Invited, user); i >= 0 {
		detail.Invited = slices.Delete(detail.Invited, i, i+1)
		d.add(storage.Refused, games.Nobody, as, "")
	}
}
