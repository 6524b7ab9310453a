package computer

import (
	"math/rand/v2"

	"marque/games"
)

// How the end of a game is looked for.
const (
	endings   = 20 // games that are played on
	anything  = 10 // one decision of so many is left to the lot
	lastFifth = 4  // of four fifths that have been played it is a quarter
)

// NearEnd reports whether a game may be in its last tenth: whether one of some games that are played on
// from here, by players who look one play ahead, ends before a fifth of it has been played from here.
// Of the games of computers nine in ten are near their end by that when their last tenth begins; see
// TestNearEnd.
func NearEnd(v games.View, played int, seed uint64) bool {
	rng := games.NewRand(seed)
	source := rand.New(rng)
	position := func() games.Sim { return v.State.Sample(v.Viewer, source).Sim() }
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
