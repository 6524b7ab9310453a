package gametest

import (
	"math"
	"testing"

	"marque/games"
)

// CheckUniform checks that Sim.PlayRandom plays every legal move as often as the others, as its contract says: in positions of
// random games of each setup, by Pearson's statistic of many draws. The seeds are fixed, so it says the same each time.
func CheckUniform(t *testing.T, g games.Game) {
	const (
		played  = 40
		every   = 7  // plies
		each    = 60 // draws for each move
		tooMuch = 5  // standard deviations
	)
	for _, setup := range Setups(g) {
		fast, looked := games.NewRand(11), 0
		for seed := range uint64(played) {
			rng := newRand(seed)
			s := g.New(setup)
			for ply := 0; ply < 300 && s.ToMove() != games.Nobody; ply++ {
				if moves := s.Moves(); ply%every == 0 && len(moves) > 1 {
					looked++
					start, sim, count := s.Sim(), s.Sim(), map[games.Move]int{}
					for range each * len(moves) {
						sim.CopyFrom(start)
						count[sim.PlayRandom(fast)]++
					}
					chi, legal := 0.0, 0
					for _, m := range moves {
						legal += count[m]
						d := float64(count[m] - each)
						chi += d * d / each
					}
					// Wilson and Hilferty: the cube root of chi-squared by its degrees of freedom is nearly normal.
					v := 2 / (9 * float64(len(moves)-1))
					if z := (math.Cbrt(chi/float64(len(moves)-1)) - (1 - v)) / math.Sqrt(v); z > tooMuch || legal < each*len(moves) {
						t.Errorf("%s, random game %d, ply %d: Pearson's statistic is %.0f for %d moves, %d draws are legal, counted %v: %s",
							Name(setup), seed, ply, chi, len(moves), legal, count, JSON(t, s))
					}
				}
				_, s = Random(s, rng)
			}
		}
		t.Logf("%s: %d positions", Name(setup), looked)
	}
}
