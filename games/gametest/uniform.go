package gametest

import (
	"math"
	"testing"

	"marque/games"
)

const (
	uniformEvery = 7   // plies between the tested positions
	uniformPlies = 300 // number of plies of a game among which positions are tested
	uniformDraws = 60  // draws per move on average
	uniformError = 5   // maximum deviation, in standard deviations
)

// checkUniform checks, in positions of random games, that Sim.PlayRandom plays every legal move equally often, and
// every outcome in proportion to its weight. It applies Pearson's chi-squared test to many draws. The seeds are fixed,
// so every run gives the same result.
func checkUniform(t *testing.T, g games.Game, setup games.Setup, c Config) {
	fast, looked := games.NewRand(11), 0
	for seed := range uint64(2 * c.Games) {
		rng := newRand(seed)
		s := g.New(setup)
		for ply := 0; ply < uniformPlies && s.ToMove() != games.Nobody && !t.Failed(); ply++ {
			if plays := weighted(s); ply%uniformEvery == 0 && len(plays) > 1 {
				looked++
				uniform(t, s, plays, fast)
				if t.Failed() {
					t.Logf("%s, random game %d, ply %d: %s", Name(setup), seed, ply, JSON(t, s))
				}
			}
			_, s = Random(s, rng)
		}
	}
	t.Logf("%d positions", looked)
}

// weighted returns the outcomes of s, or its moves, each with weight 1.
func weighted(s games.State) []games.Outcome {
	plays := s.Outcomes()
	for _, m := range s.Moves() {
		plays = append(plays, games.Outcome{Move: m, Weight: 1})
	}
	return plays
}

func uniform(t *testing.T, s games.State, plays []games.Outcome, fast *games.Rand) {
	start, sim, count := s.Sim(), s.Sim(), map[games.Move]int{}
	draws, total := uniformDraws*len(plays), 0
	for _, p := range plays {
		total += p.Weight
	}
	for range draws {
		sim.CopyFrom(start)
		count[sim.PlayRandom(fast)]++
	}
	chi, legal := 0.0, 0
	for _, p := range plays {
		legal += count[p.Move]
		expected := float64(draws) * float64(p.Weight) / float64(total)
		d := float64(count[p.Move]) - expected
		chi += d * d / expected
	}
	// Wilson and Hilferty: the cube root of chi-squared divided by its degrees of freedom is nearly normal.
	free := float64(len(plays) - 1)
	v := 2 / (9 * free)
	if z := (math.Cbrt(chi/free) - (1 - v)) / math.Sqrt(v); z > uniformError || legal < draws {
		t.Errorf("Pearson's statistic is %.0f for %d plays, %d of %d draws are legal, counted %v", chi, len(plays),
			legal, draws, count)
	}
}
