package gametest

import (
	"testing"

	"marque/games"
)

// benchPlies is where a random game is cut off, so that one that does not end does not hold the benchmark up.
const benchPlies = 1000

// BenchmarkRandomPlay plays whole random games of g with the fewest seats, chance counted as plies, and reports nanoseconds a ply, plies a second and plies a game.
func BenchmarkRandomPlay(b *testing.B, g games.Game) {
	b.Helper()
	setup, err := games.NewSetup(g, 0)
	if err != nil {
		b.Fatal(err)
	}
	start := g.New(setup).Sim()
	s, rng, plies := g.New(setup).Sim(), games.NewRand(1), 0
	for b.Loop() {
		s.CopyFrom(start)
		for n := 0; n < benchPlies && s.ToMove() != games.Nobody; n++ {
			s.PlayRandom(rng)
			plies++
		}
	}
	ns := float64(b.Elapsed().Nanoseconds())
	b.ReportMetric(ns/float64(plies), "ns/ply")
	b.ReportMetric(float64(plies)/ns*1e9, "plies/s")
	b.ReportMetric(float64(plies)/float64(b.N), "plies/game")
}
