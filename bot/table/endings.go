package table

import (
	"context"
	"slices"

	"marque/games"
	"marque/games/computer"
	"marque/storage"
)

// This file has the decisions with which computer players can end a game before the rules do: they answer offers of a
// draw, offer a draw themselves when a game makes no progress, and resign a lost game if the table allows it. These
// decisions need only stored data, so that a restart loses nothing.

// A computer agrees to a draw if its share is at most worse. In a long game, it agrees if its share is at most hardly.
// It also agrees if the game makes no progress; see repetitive.
const (
	worse    = 0.85
	hardly   = 1.1
	longGame = 120 // in plays
	// drawPause is how many plays must pass after a computer declined a draw before people may offer one again.
	drawPause = 20
	// offerPause is how many plays must pass after a computer's offer before a computer offers again.
	offerPause = 100
)

// share returns a computer's chance of winning relative to an equal share among the seats still in the game: 1 is even.
func (c *computerPool) share(ctx context.Context, snap *Snapshot, seat games.Seat, seed uint64) float64 {
	return c.computers.Estimate(ctx, snap.View(seat), seed, c.waiting()) * float64(len(snap.match.StillIn()))
}

// acceptsDraw reports whether a computer's seat agrees to a draw.
func (c *computerPool) acceptsDraw(ctx context.Context, snap *Snapshot, seat games.Seat, seed uint64) bool {
	share := c.share(ctx, snap, seat, seed)
	return share <= worse || snap.Plays >= longGame && share <= hardly || repetitive(snap.match, func() float64 {
		return share
	})
}

// offersDraw reports whether a computer that is to move offers a draw.
func (c *computerPool) offersDraw(ctx context.Context, s *Snapshot, seed uint64) bool {
	return s.Proposal.Kind == storage.NoProposal && s.Plays >= s.DrawBid && s.Holder(s.ToMove).Computer != "" &&
		repetitive(s.match, func() float64 { return c.share(ctx, s, s.ToMove, seed) })
}

// repetitive reports whether a game makes no progress for one of its seats (computer.Circling). share returns the share
// of that seat; see computerPool.share.
func repetitive(m *games.Match, share func() float64) bool {
	decisions := 0
	for _, e := range m.Log() {
		if e.Seat != games.Chance {
			decisions++
		}
	}
	return computer.Circling(decisions, func(most int) int { return quiet(m, most) }, share)
}

// quiet counts the latest moves in a row without a capture, not counting dice and cards, up to most; 0 in a game that
// does not report captures.
func quiet(m *games.Match, most int) int {
	decisions := 0
	for n := m.Len() - 1; n >= 0 && decisions < most; n-- {
		for _, step := range m.Trail(games.Spectator, n, n+1) {
			if computer.Takes(step.Before, step.Move, m.Header().Setup.Seats) {
				return decisions
			}
			if step.Seat != games.Chance {
				decisions++
			}
		}
	}
	return decisions
}

// A computer resigns if its loss is proved, or if its chance of winning was below hopeless at its latest hopelessTurns
// decisions.
const (
	hopeless      = 0.03
	hopelessTurns = 4
)

// lost reports whether a computer that is to move should resign. It resigns only against a single opponent, who then
// wins. Among several opponents it plays on, because leaving would change the others' game. Its earlier estimates are
// recomputed, not stored.
func (c *computerPool) lost(ctx context.Context, m *games.Match, seat games.Seat, t computer.Thought,
	seed uint64) bool {
	if len(m.StillIn()) != 2 || len(t.Candidates) < 2 {
		return false
	}
	best := 0.0
	for _, k := range t.Candidates {
		best = max(best, k.Chance)
	}
	if best >= hopeless {
		return false
	}
	if best == 0 && !slices.ContainsFunc(t.Candidates, func(k computer.Candidate) bool { return !k.Proved }) {
		return true
	}
	turns := 1
	for n := m.Len() - 1; n >= 0 && turns < hopelessTurns; n-- {
		if m.Log()[n].Seat != seat {
			continue
		}
		v := games.Look(m.At(n), seat)
		if len(v.State.Moves()) < 2 {
			continue
		}
		if c.computers.Estimate(ctx, v, seed+uint64(n), c.waiting()) >= hopeless {
			return false
		}
		turns++
	}
	// If the thinking was cut short, the estimates are no reason to resign.
	return turns == hopelessTurns && ctx.Err() == nil
}

// peopleIn reports whether a person is still in a game.
func peopleIn(s *Snapshot) bool {
	return slices.ContainsFunc(s.match.StillIn(), func(seat games.Seat) bool { return s.Seats[seat].User != "" })
}

// hasComputers reports whether a computer player is still in a running game.
func hasComputers(d *draft) bool {
	return slices.ContainsFunc(d.match.StillIn(), func(seat games.Seat) bool { return d.Seats[seat].Computer != "" })
}
