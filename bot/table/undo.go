package table

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strconv"

	"marque/games"
	"marque/games/text"
	"marque/storage"
)

// An undo takes back a player's last decision, with everything that followed. Nobody is asked if only computers are
// concerned, or if nobody else has played since and the server's time limit has not passed. Otherwise the people who
// have made a decision since, and the person whose turn it is, must agree. Chance results, resignations, and decisions
// that revealed something to somebody cannot be taken back. The removed plays stay among the table's events.

// lastDecision returns the number of the last play that was the seat's own decision, if that can be taken back.
func lastDecision(m *games.Match, seat games.Seat) (int, error) {
	log := m.Log()
	for i := len(log) - 1; i >= 0; i-- {
		before := m.At(i)
		switch e := log[i]; {
		case e.Seat == games.Chance:
			return 0, Refuse(ErrNoUndo, text.M("table.error.undo-chance"))
		case e.Text == games.Resigns:
			return 0, Refuse(ErrNoUndo, text.M("table.error.undo-resigned"))
		default:
			move, err := games.FindMove(before, e.Text)
			if err != nil {
				return 0, err
			}
			if m.Game().Traits().Hidden && reveals(before, move, m.Header().Setup.Seats) {
				return 0, Refuse(ErrNoUndo, text.M("table.error.undo-seen"))
			}
			if _, forced := games.Forced(before); e.Seat == seat && !forced {
				return i, nil
			}
		}
	}
	return 0, Refuse(ErrNoUndo, text.M("table.error.undo-nothing"))
}

// nobodyElse reports whether no other seat has played since seat's play number from.
func nobodyElse(m *games.Match, seat games.Seat, from int) bool {
	return !slices.ContainsFunc(m.Log()[from+1:], func(e games.Entry) bool { return e.Seat != seat })
}

// TakesBackAlone reports whether a seat may take back its last decision without asking: only computers are concerned,
// or nobody else has played since. In the second case, the server's time limit must not have passed either, which
// TakesBackAlone does not check.
func (s *Snapshot) TakesBackAlone(seat games.Seat) bool {
	if s.match == nil || s.Status != Playing || seat < 0 || s.Paused != "" {
		return false
	}
	from, err := lastDecision(s.match, seat)
	return err == nil && (nobodyElse(s.match, seat, from) || concerned(s.Head, s.match, seat, from) == 0)
}

// TakesBack reports whether a seat may take back its last decision, or ask the others about that.
func (s *Snapshot) TakesBack(seat games.Seat) bool {
	return s.Status == Playing && s.Paused == "" && s.In(seat) && len(s.TakingBack(seat)) > 0
}

// TakingBack returns the plays that a seat would take back: its last decision and the following plays, none of which is
// hidden from spectators. It returns none if the seat cannot take anything back.
func (s *Snapshot) TakingBack(seat games.Seat) []games.Step {
	if s.match == nil || seat < 0 {
		return nil
	}
	from, err := lastDecision(s.match, seat)
	if err != nil {
		return nil
	}
	return s.Trail(games.Spectator, from, s.Plays)
}

// concerned returns, as bits, the seats of people who must agree to return to the position before the play number from:
// the seats that have made decisions since, and the seat to move.
func concerned(h Head, m *games.Match, seat games.Seat, from int) uint64 {
	var bits uint64
	add := func(s games.Seat) {
		if s >= 0 && s != seat && m.In(s) && holder(h, s).User != "" {
			bits |= 1 << uint(s)
		}
	}
	add(m.ToMove())
	for i := from + 1; i < m.Len(); i++ {
		if _, forced := games.Forced(m.At(i)); !forced {
			add(m.Log()[i].Seat)
		}
	}
	return bits
}

// takeBack takes back the seat's last decision and all that followed.
func (d *draft) takeBack(seat games.Seat) error {
	from, err := lastDecision(d.match, seat)
	if err != nil {
		return err
	}
	n := d.match.Len() - from
	takeIncrements(d, from)
	d.takenBack = remember(d.takenBack, d.match.Log())
	for range n {
		if err := d.match.Undo(); err != nil {
			return err
		}
	}
	for i, o := range d.Seats { // a seat that is in again may have lost its player and its offer while it was out
		if seat := games.Seat(i); o == (Occupant{}) && d.match.In(seat) {
			d.offer(seat)
		}
	}
	d.Proposal = Proposal{}
	d.add(storage.TookBack, seat, "", strconv.Itoa(n))
	return nil
}

// takeIncrements subtracts the increments for the moves since play number from, that one included, from the banks. So
// nobody gains time by moving and taking back.
func takeIncrements(d *draft, from int) {
	rule := d.Timing.Rule
	if rule.Mode != storage.Bank || rule.Add == 0 {
		return
	}
	d.Timing.Banks = slices.Clone(d.Timing.Banks)
	for i := from; i < d.match.Len(); i++ {
		seat := d.match.Log()[i].Seat
		if _, forced := games.Forced(d.match.At(i)); !forced && seat >= 0 && int(seat) < len(d.Timing.Banks) {
			d.Timing.Banks[seat] = max(0, d.Timing.Banks[seat]-rule.Add)
		}
	}
}

// revealSamples is the number of random positions that reveals tries. All are possible from the viewer's point of view.
const revealSamples = 24

// reveals reports whether a move gives a seat or the spectators new information: whether their view after the move
// depends on something that they could not see before.
func reveals(before games.State, move games.Move, seats int) bool {
	whole, err := before.MarshalJSON()
	if err != nil {
		return true
	}
	for viewer := games.Seat(-1); int(viewer) < seats; viewer++ {
		v := viewer
		if v < 0 {
			v = games.Spectator
		}
		masked := games.Mask(before, v)
		if seen, err := masked.MarshalJSON(); err == nil && bytes.Equal(seen, whole) {
			continue
		}
		if games.MaskMove(before, move, v) != move {
			return true
		}
		want, err := games.Mask(before.Apply(move), v).MarshalJSON()
		if err != nil {
			return true
		}
		rng := rand.New(rand.NewPCG(1, uint64(move)))
		for range revealSamples {
			other := games.Sample(masked, v, rng)
			if !slices.Contains(other.Moves(), move) {
				return true
			}
			got, err := games.Mask(other.Apply(move), v).MarshalJSON()
			if err != nil || !bytes.Equal(got, want) {
				return true
			}
		}
	}
	return false
}
