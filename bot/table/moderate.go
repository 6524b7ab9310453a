package table

import (
	"context"
	"slices"

	"marque/games"
	"marque/games/text"
	"marque/storage"
)

// Moderators' acts at tables are recorded and limited here. An act that its actor could not do as a player or host of
// the table is recorded as an event with the moderator's name. In games that they play themselves, moderators may do
// less.

// moderates records that the actor acts as a moderator, unless they may do the act as a player or host of the table.
func (d *draft) moderates(act Act) {
	if power(act).May&rolesAt(d.Head, d.by.User) == 0 {
		d.addNamed(storage.Moderated, games.Nobody, d.by.User, d.by.Name)
	}
}

// impartial refuses a decision about a game that has started to a moderator who has, or had, a seat in it or has
// something at stake in it. For a moderator who plays in the game, why is the id of the refusal's text, which names an
// alternative.
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
// text. It also refuses the decision if a hook reports that the user gains or loses by the game, for example as a rival
// in a competition.
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

// mayTake refuses an offered seat to a user who has had another seat in a game with hands, because they would know two
// hands. It also refuses the seat to the moderator who removed its player.
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
