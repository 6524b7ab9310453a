package table

import (
	"context"
	"slices"

	"marque/games"
	"marque/games/computer"
	"marque/games/fair"
	"marque/games/text"
	"marque/storage"
)

// Levels returns the names of the levels of computer players, the weakest first; none if there are no computer players.
func (s *Service) Levels() []string {
	if s.pool == nil {
		return nil
	}
	return s.pool.computers.Levels()
}

// checkLevel refuses a level that does not exist.
func (s *Service) checkLevel(level string) error {
	if levels := s.Levels(); !slices.Contains(levels, level) {
		return Refuse(ErrNoLevel, text.M("table.error.no-level", "Level", level, "Want", text.Or(raw(levels)),
			"Count", len(levels)))
	}
	return nil
}

func raw(words []string) []text.Message {
	out := make([]text.Message, len(words))
	for i, w := range words {
		out[i] = text.Raw(w)
	}
	return out
}

// AddComputer gives a computer player a seat at a table that has not started. A user with a seat at the table or a
// moderator may do so. A computer of the level Easy is for practice, and makes the game unrated until Rate is called.
// It returns ErrNoKey, ErrStarted, ErrOver, ErrNotSeated, ErrNoLevel, ErrFull, ErrKept or ErrRestless.
func (s *Service) AddComputer(ctx context.Context, by Actor, id ID, c ComputerPlayer) (*Snapshot, error) {
	if by.Key == "" {
		return nil, ErrNoKey
	}
	if err := s.checkLevel(c.Level); err != nil {
		return nil, err
	}
	return s.tables.edit(ctx, by, id, func(d *draft) error {
		if err := d.lobby(); err != nil {
			return err
		}
		if err := d.may(AddComputers); err != nil {
			return err
		}
		detail := d.details()
		switch {
		case len(detail.Inputs) >= maxInputs:
			return restless()
		case len(d.Seats) >= d.Most:
			return refuseFull()
		case len(d.Seats)+len(detail.Invited) >= d.Most:
			return refuseKept(len(detail.Invited))
		}
		d.moderates(AddComputers)
		d.seatComputer(c, by.Key)
		detail.Unrated = detail.Unrated || c.Level == string(computer.Easy)
		if detail.WhenFull && len(d.Seats) == d.Most {
			return d.begin(by.Key)
		}
		return nil
	})
}

// seatComputer gives a computer a seat before the start. id is the id of the interaction.
func (d *draft) seatComputer(c ComputerPlayer, id string) {
	d.Seats = append(d.Seats, c.Occupant())
	d.mix(fair.Input{Kind: fair.Computer, ID: id})
	d.add(storage.Joined, games.Nobody, "", computerText(c.Occupant()))
}

// DismissComputer removes the most recently added computer player from a table that has not started. A user with a seat
// at the table or a moderator may do so. It returns ErrStarted, ErrOver, ErrNotSeated or ErrNoComputer.
func (s *Service) DismissComputer(ctx context.Context, by Actor, id ID) (*Snapshot, error) {
	return s.tables.edit(ctx, by, id, func(d *draft) error {
		if err := d.lobby(); err != nil {
			return err
		}
		if err := d.may(AddComputers); err != nil {
			return err
		}
		for i := len(d.Seats) - 1; i >= 0; i-- {
			if d.Seats[i].Computer != "" {
				d.moderates(AddComputers)
				if err := d.mixOut(fair.Removes, by.Key, games.Seat(i)); err != nil {
					return err
				}
				d.add(storage.Left, games.Nobody, "", computerText(d.Seats[i]))
				d.Seats = slices.Delete(d.Seats, i, i+1)
				return nil
			}
		}
		return Refuse(ErrNoComputer, text.M("table.error.no-computer"))
	})
}

// TakeByComputer gives an offered seat to a computer player. A user with a seat at the table or a moderator may do so.
// If seat is Nobody, the first offered seat is given. It returns ErrOver, ErrNotStarted, ErrNotSeated, ErrNoLevel,
// ErrNotOffered, or ErrStaked for the actor's own seat in a game that can only be resigned.
func (s *Service) TakeByComputer(ctx context.Context, by Actor, id ID, seat games.Seat,
	c ComputerPlayer) (*Snapshot, error) {
	if err := s.checkLevel(c.Level); err != nil {
		return nil, err
	}
	return s.tables.edit(ctx, by, id, func(d *draft) error {
		switch {
		case d.Status == Over:
			return refuseOver(d.match)
		case d.Status == Lobby:
			return refuseNotStarted()
		}
		if err := d.may(AddComputers); err != nil {
			return err
		}
		for n := games.Seat(0); seat == games.Nobody && int(n) < len(d.Seats); n++ {
			if IsOpen(d.Head, n) {
				seat = n
			}
		}
		if !IsOpen(d.Head, seat) || !d.match.In(seat) {
			return refuseNotOffered(seat)
		}
		if d.Seats[seat].User == d.by.User && d.snapshot().Staked() {
			return refuseStaked(d.Head)
		}
		d.moderates(AddComputers)
		d.unoffer(seat)
		if err := d.reseat(seat, c.Occupant()); err != nil {
			return err
		}
		d.addNamed(storage.Taken, seat, "", c.Name)
		return d.agree() // the remaining people may have agreed; computers are asked about draws only
	})
}
