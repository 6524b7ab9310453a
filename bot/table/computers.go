package table

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"marque/games"
	"marque/games/computer"
	"marque/games/fair"
	"marque/games/review"
	"marque/games/text"
	"marque/storage"
)

// Computers think for the computer players; computer.Pool does. They are asked by several
// goroutines at once.
type Computers interface {
	// Levels names the levels, the weakest first.
	Levels() []string
	// Choose picks a move for the viewer, who is to move in the game with the key. waiting is how
	// many other tables wait to be thought for. When ctx ends it returns the best so far.
	Choose(ctx context.Context, game, level string, v games.View, seed uint64, waiting int) (games.Move,
		computer.Thought, error)
	// Advise is as Choose, but plays as well as can be done while somebody waits.
	Advise(ctx context.Context, v games.View, seed uint64, waiting int) (games.Move, computer.Thought, error)
	review.Assessor
	// Threaten finds what the viewer, who is to move, threatens by a move; false when it is
	// nothing.
	Threaten(ctx context.Context, v games.View, m games.Move, seed uint64) (computer.Threat, bool)
	// Estimate is the chance that the viewer wins, whoever is to move. The more other tables wait,
	// the less time is taken.
	Estimate(ctx context.Context, v games.View, seed uint64, waiting int) float64
}

// ComputerPlayer is a computer player that is to hold a seat.
type ComputerPlayer struct {
	Level  string    // one of Computers.Levels
	Called int       // which of the computers' names it has, from 1: the sentence computer.name.N
	Name   text.Name // that name as it is said where it sits down, for records
}

// Occupant is the computer player in a seat.
func (c ComputerPlayer) Occupant() Occupant {
	return Occupant{Name: c.Name, Computer: c.Level, Called: c.Called}
}

// Called is the name of a seat's holder: people's as when they sat down, computers' in the reader's language.
func Called(o Occupant) text.Message {
	if o.Called == 0 {
		return o.Name.Raw()
	}
	return text.M("computer.name."+strconv.Itoa(o.Called), "Level", text.M("computer.level."+o.Computer))
}

// computerText is the text of an event of a computer player that has no seat: which it is, for calledIn.
func computerText(o Occupant) string { return strconv.Itoa(o.Called) + " " + o.Computer }

// calledIn is how the computer player of an event is called that has no seat.
func calledIn(e Event) text.Message {
	var o Occupant
	if n, _ := fmt.Sscan(e.Text, &o.Called, &o.Computer); n == 2 {
		return Called(o)
	}
	return e.Name().Raw()
}

// Levels names the levels of computer players, the weakest first; none when there are no computer
// players.
func (s *Service) Levels() []string {
	if s.pool == nil {
		return nil
	}
	return s.pool.mind.Levels()
}

// checkLevel refuses a level that there is not.
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

// AddComputer seats a computer player at a table that has not started. A user with a seat there, or a
// moderator, may. It returns ErrStarted, ErrOver, ErrNotSeated, ErrNoLevel, ErrFull, ErrKept or
// ErrRestless.
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
		if detail.WhenFull && len(d.Seats) == d.Most {
			return d.begin(by.Key)
		}
		return nil
	})
}

// seatComputer seats a computer in the lobby by an interaction.
func (d *draft) seatComputer(c ComputerPlayer, id string) {
	d.Seats = append(d.Seats, c.Occupant())
	d.mix(fair.Input{Kind: fair.Computer, ID: id})
	d.add(storage.Joined, games.Nobody, "", computerText(c.Occupant()))
}

// DismissComputer takes the computer player that came last from a table that has not started. Users
// who have a seat there may do it, and moderators. It returns ErrStarted, ErrOver, ErrNotSeated or
// ErrNoComputer.
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

// TakeByComputer gives a seat that is offered to a computer player. Users who have a seat may do it, and
// moderators. With seat Nobody it is the first that is offered. It returns ErrOver, ErrNotStarted,
// ErrNotSeated, ErrNoLevel, ErrNotOffered, or ErrStaked for one's own seat of a game that can only be resigned.
func (s *Service) TakeByComputer(ctx context.Context, by Actor, id ID, seat games.Seat,
	c ComputerPlayer) (*Snapshot, error) {
	if err := s.checkLevel(c.Level); err != nil {
		return nil, err
	}
	return s.tables.edit(ctx, by, id, func(d *draft) error {
		switch {
		case d.Status == Over:
			return refuseOver()
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
			return refuseNotOffered()
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
		return d.agree() // a computer leaves to the people what its seat was asked
	})
}
