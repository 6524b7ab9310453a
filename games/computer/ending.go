package computer

import (
	"math/rand/v2"

	"marque/games"
)

// Parameters of NearEnd.
const (
	endings   = 20 // number of simulated games
	anything  = 10 // one decision in ten is random
	lastFifth = 4  // a quarter of the plays so far, which is a fifth of the whole game
)

// NearEnd reports whether a game is probably near its last tenth. played is the number of plays so far. NearEnd
// simulates a quarter as many further plays, several times, with players who look one play ahead. It returns true if
// the game ends in at least one simulation. In nine of ten computer games without hidden cards it returns true when the
// last tenth begins (TestNearEnd).
func NearEnd(v games.View, played int, seed uint64) bool {
	rng := games.NewRand(seed)
	source := rand.New(rng)
	position := func() games.Sim { return games.Sample(v.State, v.Viewer, source).Sim() }
	origin, sim, probe := position(), position(), position()
	var moves []games.Move
	for range endings {
		sim.CopyFrom(origin)
		for range played / lastFifth {
			switch seat := sim.ToMove(); {
			case seat == games.Nobody:
				return true
			case seat == games.Chance || rng.IntN(anything) == 0:
				sim.PlayRandom(rng)
			default:
				moves = sim.AppendMoves(moves[:0])
				sim.Play(games.BestAhead(sim, probe, moves))
			}
		}
		if sim.ToMove() == games.Nobody {
			return true
		}
	}
	return false
}

// Limits for games without progress. Decisions do not include dice and cards. A game of Madagascar between weak players
// can have more than 200 decisions without a capture before one of them wins.
const (
	noCapture     = 120 // decisions without a capture, if share is less than farAhead
	longNoCapture = 300 // decisions without a capture, in any case
	longest       = 800 // decisions in a game
	farAhead      = 1.5 // a seat with at least this share plays for a win
)

// Circling reports whether a game makes no progress for one of its seats, because it has had no capture for a long time
// or is far longer than usual. decisions is the number of decisions so far. quiet returns the number of latest
// decisions without a capture, up to most. share returns the seat's chance divided by an equal share. quiet and share
// are only called if needed.
func Circling(decisions int, quiet func(most int) int, share func() float64) bool {
	if decisions < noCapture {
		return false
	}
	if decisions >= longest {
		return true
	}
	n := quiet(longNoCapture)
	return n >= longNoCapture || n >= noCapture && share() < farAhead
}

// Takes reports whether a move or outcome captures something. It returns true for every move of a game that is not a
// games.Striker.
func Takes(s games.State, m games.Move, seats int) bool {
	striker, ok := s.(games.Striker)
	if !ok {
		return true
	}
	for seat := range games.Seat(seats) {
		if _, takes := striker.Strike(m, seat); takes {
			return true
		}
	}
	return false
}
