package loyalcaptain

import (
	"testing"

	"marque/games"
)

// BenchmarkRandomPlay plays whole random games, one ply an iteration.
func BenchmarkRandomPlay(b *testing.B) {
	start := &sim{p: newPosition(false)}
	s := &sim{}
	s.CopyFrom(start)
	rng := games.NewRand(1)
	b.ReportAllocs()
	ended := 0
	for b.Loop() {
		if s.ToMove() == games.Nobody {
			s.CopyFrom(start)
			ended++
		}
		s.PlayRandom(rng)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N), "ns/ply")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "plies/s")
	b.ReportMetric(float64(ended)/b.Elapsed().Seconds(), "games/s")
}
