package lab

import (
	"context"
	"math"
	"math/rand/v2"

	"marque/games"
	"marque/games/computer"
)

// Effort is the cost of an estimate: the number of searches, from 2 to 16, each with a different seed and deal, and
// the number of iterations per search.
type Effort struct{ Searches, Iterations int }

// student holds quantiles of Student's t-distribution for a 95% interval, indexed by the degrees of freedom.
var student = [...]float64{0, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179,
	2.160, 2.145, 2.131}

// Estimate returns the viewer's chance of winning after a move: the mean of independent searches, and half the width of
// its 95% interval. The searches use only the view, and each deals the hidden cards again.
func Estimate(ctx context.Context, v games.View, m games.Move, e Effort, seed uint64) (mean, half float64) {
	after := v.State.Apply(m)
	if after.ToMove() == games.Nobody {
		return after.Result().Payoff(v.Viewer), 0
	}
	view := games.Look(after, v.Viewer)
	sum, squares, n := 0.0, 0.0, float64(e.Searches)
	for i := range e.Searches {
		x := computer.New(computer.Hard, computer.Limit{Iterations: e.Iterations, Workers: 1},
			games.Mix(seed+uint64(i))).Estimate(ctx, view)
		sum += x
		squares += x * x
	}
	mean = sum / n
	variance := max(0, squares-n*mean*mean) / (n - 1)
	return mean, student[e.Searches-1] * math.Sqrt(variance/n)
}

// Greedy returns the move of a player who looks only one play ahead: the move with the best mean value over eight
// random deals of the hidden cards. The value is the payoff if the move ends the game, and the evaluation
// (Sim.Evaluate) otherwise.
func Greedy(v games.View, seed uint64) games.Move {
	const dealings = 8
	rng := games.NewRand(seed)
	moves := v.State.Moves()
	worth := make([]float64, len(moves))
	for range dealings {
		from := games.Sample(v.State, v.Viewer, rand.New(rng))
		for i, m := range moves {
			after := from.Apply(m)
			if after.ToMove() == games.Nobody {
				worth[i] += after.Result().Payoff(v.Viewer)
			} else {
				worth[i] += after.Sim().Evaluate(v.Viewer)
			}
		}
	}
	best := 0
	for i := range worth {
		if worth[i] > worth[best] {
			best = i
		}
	}
	return moves[best]
}

// Playouts plays n games after a move of the viewer, with hidden cards dealt again for each game, and returns the
// viewer's share of the wins. Very long games are cut off, and count by their evaluation. All players choose the move
// with the best evaluation, and occasionally a random one. Playouts does not use Estimate's searches, so it can
// contradict them.
func Playouts(v games.View, m games.Move, n int, seed uint64) (share float64) {
	const (
		longest = 400 // maximum decisions and outcomes of a game; longer games count by their evaluation
		any     = 10  // one decision in ten is random
	)
	rng := games.NewRand(seed)
	source := rand.New(rng)
	origin := games.Sample(v.State, v.Viewer, source).Sim()
	sim, probe := games.Sample(v.State, v.Viewer, source).Sim(), games.Sample(v.State, v.Viewer, source).Sim()
	redealer, hidden := sim.(games.Redealer)
	var moves []games.Move
	for range n {
		sim.CopyFrom(origin)
		if hidden {
			redealer.Redeal(v.Viewer, rng)
		}
		sim.Play(m)
		for range longest {
			seat := sim.ToMove()
			if seat == games.Nobody {
				break
			}
			if seat == games.Chance || rng.IntN(any) == 0 {
				sim.PlayRandom(rng)
				continue
			}
			moves = sim.AppendMoves(moves[:0])
			sim.Play(games.BestAhead(sim, probe, moves))
		}
		share += games.Worth(sim, v.Viewer)
	}
	return share / float64(n)
}

// surely reports whether a share a of n trials is greater than a share b of n other trials with 95% certainty (normal
// approximation).
func surely(a, b float64, n int) bool {
	return a-b > 1.645*math.Sqrt((a*(1-a)+b*(1-b))/float64(n))
}
