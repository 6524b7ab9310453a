package table

import (
	"context"

	"marque/games"
	"marque/games/fair"
	"marque/games/text"
	"marque/storage"
)

// Offer offers the actor's seat to others. The actor plays on until somebody takes it. It returns the errors of Resign,
// or ErrFixedSeats.
func (s *Service) Offer(ctx context.Context, by Actor, id ID) (*Snapshot, error) {
	return s.tables.edit(ctx, by, id, func(d *draft) error {
		seat, err := d.player()
		if err != nil || IsOpen(d.Head, seat) && !isLate(d.Head, seat) || stays(d.Head, seat) {
			return err
		}
		if err := d.movable(); err != nil {
			return err
		}
		d.offer(seat)
		d.add(storage.Offered, seat, "", "")
		return nil
	})
}

// Keep withdraws the offer of the actor's seat. It returns the errors of Resign, or ErrLate for a player who has run
// out of time: only a move ends that offer, because nothing else starts their clock again. If they had also offered the
// seat themselves, the seat is then offered only because they are late.
func (s *Service) Keep(ctx context.Context, by Actor, id ID) (*Snapshot, error) {
	return s.tables.edit(ctx, by, id, func(d *draft) error {
		seat, err := d.player()
		if err != nil || !IsOpen(d.Head, seat) {
			return err
		}
		switch {
		case isLate(d.Head, seat) && stays(d.Head, seat):
			d.Stays &^= 1 << uint(seat)
			d.keep = keepAll
			return nil
		case isLate(d.Head, seat):
			return Refuse(ErrLate, text.M("table.error.late"))
		}
		d.unoffer(seat)
		d.add(storage.OfferEnded, seat, "", "")
		return nil
	})
}

// Take gives an offered seat to the actor, who has a new clock. If seat is Nobody, it gives the first offered seat that
// the actor may take. In a game with hands, nobody may take a seat if they had another one at the same table. A
// moderator may not take a seat whose player they removed. The actor must meet the table's conditions. It returns
// ErrOver, ErrNotStarted, ErrJoined, ErrNotOffered, ErrHeldSeat, ErrEmptied, ErrLacking or ErrLimit.
func (s *Service) Take(ctx context.Context, by Actor, id ID, seat games.Seat) (*Snapshot, error) {
	return s.tables.edit(ctx, by, id, func(d *draft) error {
		switch {
		case d.Status == Over:
			return refuseOver(d.match)
		case d.Status == Lobby:
			return refuseNotStarted()
		case d.Seat(by.User) >= 0:
			return refuseJoined()
		}
		var barred error
		for n := games.Seat(0); seat == games.Nobody && int(n) < len(d.Seats); n++ {
			if IsOpen(d.Head, n) {
				if err := d.mayTake(n); err != nil {
					barred = err
					continue
				}
				seat = n
			}
		}
		switch {
		case seat == games.Nobody && barred != nil:
			return barred
		case !IsOpen(d.Head, seat) || !d.match.In(seat):
			return refuseNotOffered(seat)
		}
		if err := d.mayTake(seat); err != nil {
			return err
		}
		if err := s.admission.admits(ctx, by, d.Guild, d.game, d.seen().Asks); err != nil {
			return err
		}
		if err := d.sitsDown(); err != nil {
			return err
		}
		d.unoffer(seat)
		if err := d.reseat(seat, Occupant{User: by.User, Name: by.Name}); err != nil {
			return err
		}
		d.addNamed(storage.Taken, seat, by.User, by.Name)
		return nil
	})
}

// Remove takes a player from a table. Before the start, the player leaves; during a game, their seat is offered to
// others. Only a moderator may do so. It returns ErrOver, ErrNotAllowed, ErrFixedSeats, ErrNotSeated, ErrStaked for a
// moderator's own seat in a game that can only be resigned, or ErrPlaysHere for a moderator who removes another player
// and has, or had, a seat in the game or has something at stake in it.
func (s *Service) Remove(ctx context.Context, by Actor, id ID, user string) (*Snapshot, error) {
	return s.tables.edit(ctx, by, id, func(d *draft) error {
		if d.Status == Over {
			return refuseOver(d.match)
		}
		if err := d.may(RemovePlayer); err != nil {
			return err
		}
		if err := d.movable(); err != nil {
			return err
		}
		seat := d.Seat(user)
		if seat < 0 {
			return Refuse(ErrNotSeated, text.M("table.error.no-such-player"))
		}
		if user == by.User && d.Status == Playing && d.snapshot().Staked() {
			return refuseStaked(d.Head)
		}
		if user != by.User {
			if err := impartial(d, "table.error.plays-remove"); err != nil {
				return err
			}
		}
		d.moderates(RemovePlayer)
		if d.Status == Lobby {
			return d.leaveLobby(fair.Removes, seat)
		}
		d.addNamed(storage.Removed, seat, by.User, d.Seats[seat].Name)
		if d.match.In(seat) {
			d.offer(seat)
		}
		if err := d.reseat(seat, Occupant{}); err != nil {
			return err
		}
		d.handOn(user)
		return d.agree() // all remaining players may have agreed
	})
}

// Pause stops a game until it is resumed: nobody moves, and the clock is stopped. Only a moderator may do so. It
// returns ErrOver, ErrNotStarted, ErrNotAllowed, or ErrPlaysHere for a moderator who has, or had, a seat in the game or
// has something at stake in it.
func (s *Service) Pause(ctx context.Context, by Actor, id ID) (*Snapshot, error) {
	return s.tables.edit(ctx, by, id, func(d *draft) error {
		if d.Status == Over {
			return refuseOver(d.match)
		}
		if err := d.may(PauseGame); err != nil {
			return err
		}
		switch {
		case d.Status == Lobby:
			return refuseNotStarted()
		case d.Paused == storage.PausedByModerator:
			return nil
		}
		if err := impartial(d, "table.error.plays-pause"); err != nil {
			return err
		}
		d.moderates(PauseGame)
		d.Paused = storage.PausedByModerator
		d.add(storage.Paused, games.Nobody, by.User, d.Paused)
		return nil
	})
}

// PauseFor pauses a game that cannot continue, for a reason that is one of the Paused constants of package storage. Its
// players are informed as soon as messages can reach them.
func (s *Service) PauseFor(ctx context.Context, id ID, reason string) (*Snapshot, error) {
	return s.tables.edit(ctx, Actor{}, id, pauseFor(reason))
}

// Resume continues a paused game. Only a moderator may do so, or the bot, which is an actor without a user and resumes
// a game that it paused for reason. It returns ErrOver, ErrNotAllowed, ErrNotPaused, or ErrPlaysHere if a moderator has
// paused the game and the actor has, or had, a seat in it or has something at stake in it.
func (s *Service) Resume(ctx context.Context, by Actor, id ID, reason string) (*Snapshot, error) {
	return s.tables.edit(ctx, by, id, resumeFrom(by, reason))
}

// HandOver makes another user the host, with or without a seat. The host or a moderator may do so. It returns ErrOver
// or ErrNotAllowed.
func (s *Service) HandOver(ctx context.Context, by Actor, id ID, user string, name text.Name) (*Snapshot, error) {
	return s.tables.edit(ctx, by, id, func(d *draft) error {
		if d.Status == Over {
			return refuseOver(d.match)
		}
		if err := d.may(ChangeHost); err != nil {
			return err
		}
		if d.Host == user {
			return nil
		}
		d.moderates(ChangeHost)
		d.Host = user
		d.addNamed(storage.Hosted, games.Nobody, user, name)
		return nil
	})
}
