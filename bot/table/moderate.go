package table

import (
	"context"
	"slices"

	"marque/games"
	"marque/games/text"
	"marque/storage"
)

// The acts of moderators at tables, and their limits in games that they play themselves. Each act that only a moderator
// may do is recorded as an event with the moderator's name.

// moderates records that the actor acts as a moderator, unless their place at the table would allow the act anyway.
func (d *draft) moderates(act Act) {
	if power(act).May&rolesAt(d.Head, d.by.User) == 0 {
		d.addNamed(storage.Moderated, games.Nobody, d.by.User, d.by.Name)
	}
}

// impartial refuses a decision about a game to a moderator who has an interest in it. For a moderator who plays in the
// game, why is the id of the refusal's text, which says what to do instead.
func impartial(d *draft, why string) error {
	if d.Status == Lobby {
		return nil
	}
	t, err := d.stored()
	if err != nil {
		return err
	}
	return d.rooms.judges(d.ctx, t, d.by.User, why)
}

// judges refuses a user's decision about a game in which they have, or had, a seat. why is the id of the refusal's
// text. judges also refuses if another package says that the user gains or loses by the game, for example by a rival's
// game in a competition.
func (r *rooms) judges(ctx context.Context, t storage.Table, user, why string) error {
	if t.SeatsHeld()[user] != 0 {
		return Refuse(ErrPlaysHere, text.M(why))
	}
	partial, err := r.partial(ctx, t.Head, user)
	if partial {
		return Refuse(ErrPlaysHere, text.M("table.error.partial"))
	}
	return err
}

// mayTake refuses an offered seat to a user who has had another in a game with hands, because they would know two of
// them. It also refuses the moderator who removed the seat's player.
func (d *draft) mayTake(seat games.Seat) error {
	t, err := d.stored()
	if err != nil {
		return err
	}
	if d.game.Traits().Hidden && t.SeatsHeld()[d.by.User]&^(1<<uint(seat)) != 0 {
		return Refuse(ErrHeldSeat, text.M("table.error.held-seat"))
	}
	for _, e := range slices.Backward(t.Events) {
		if e.Seat != seat {
			continue
		}
		switch {
		case e.Kind == storage.Taken:
			return nil
		case e.Kind == storage.Removed && e.User == d.by.User:
			return Refuse(ErrEmptied, text.M("table.error.emptied-seat"))
		}
	}
	return nil
}
