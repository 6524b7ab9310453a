package madagascar

import (
	"testing"

	"marque/games"
)

// BenchmarkRandomPlay plays whole random games.
func BenchmarkRandomPlay(b *testing.B) {
	setup, err := games.NewSetup(Game, 2)
	if err != nil {
		b.Fatal(err)
	}
	start := Game.New(setup).Sim()
	s, rng, plies := Game.New(setup).Sim(), games.NewRand(1), 0
	for b.Loop() {
		s.CopyFrom(start)
		for n := 0; n < 1000 && s.ToMove() != games.Nobody; n++ {
			s.PlayRandom(rng)
			plies++
		}
	}
	ns := float64(b.Elapsed().Nanoseconds())
	b.ReportMetric(ns/float64(plies), "ns/ply")
	b.ReportMetric(float64(plies)/ns*1e9, "plies/s")
	b.ReportMetric(float64(plies)/float64(b.N), "plies/game")
}
