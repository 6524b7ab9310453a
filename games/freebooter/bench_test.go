package freebooter

import (
	"testing"

	"marque/games"
	"marque/games/gametest"
)

func BenchmarkRandomPlay(b *testing.B) { gametest.BenchmarkRandomPlay(b, Game) }

// BenchmarkSample deals the hidden hands of a view, as the computer players do at the start of a search.
func BenchmarkSample(b *testing.B) {
	view := games.Mask(midgame(4, 1, 150), 0)
	rng := newRand(1)
	b.ReportAllocs()
	for b.Loop() {
		games.Sample(view, 0, rng)
	}
}
