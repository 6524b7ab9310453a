package freebooter

import (
	"testing"

	"marque/games"
)

// BenchmarkRandomPlay plays whole games at random, counters and cards included.
func BenchmarkRandomPlay(b *testing.B) {
	for _, seats := range []int{2, 3, 4} {
		b.Run(string(rune('0'+seats))+" players", func(b *testing.B) {
			start := state{newPosition(seats)}.Sim()
			game := state{newPosition(seats)}.Sim()
			rng := games.NewRand(1)
			plies := 0
			b.ReportAllocs()
			for b.Loop() {
				game.CopyFrom(start)
				for game.ToMove() != games.Nobody {
					game.PlayRandom(rng)
					plies++
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(plies), "ns/ply")
			b.ReportMetric(float64(plies)/b.Elapsed().Seconds(), "plies/s")
			b.ReportMetric(float64(plies)/float64(b.N), "plies/game")
		})
	}
}

// BenchmarkSample deals the hidden hands of a view, as the computer players do before each playout.
func BenchmarkSample(b *testing.B) {
	view := midgame(4, 1, 150).Mask(0)
	rng := newRand(1)
	b.ReportAllocs()
	for b.Loop() {
		view.Sample(0, rng)
	}
}
