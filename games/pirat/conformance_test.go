package pirat

import (
	"testing"

	"marque/games"
	"marque/games/gametest"
)

// maxPlies bounds every game: each card is drawn, dealt and played at most once.
const maxPlies = 3 * deckSize

func TestConformance(t *testing.T) {
	gametest.Run(t, Game, gametest.Config{
		MaxPlies: maxPlies,
		Perft: []gametest.Perft{
			{Setup: games.Setup{Seats: 2}, Plies: 0, Depth: 3},
			{Setup: games.Setup{Seats: 2}, Plies: 12, Depth: 4},
			{Setup: games.Setup{Seats: 2}, Plies: 60, Depth: 3},
			{Setup: games.Setup{Seats: 3}, Plies: 80, Depth: 3},
			{Setup: games.Setup{Seats: 4}, Plies: 90, Depth: 3},
			{Setup: games.Setup{Seats: 5}, Plies: 110, Depth: 3},
		},
	})
}

func BenchmarkRandomPlay(b *testing.B) {
	for _, seats := range []int{2, 3, 5} {
		b.Run(gametest.Name(games.Setup{Seats: seats}), func(b *testing.B) {
			start, s := Game.New(games.Setup{Seats: seats}).Sim(), Game.New(games.Setup{Seats: seats}).Sim()
			rng := games.NewRand(1)
			plies := 0
			b.ReportAllocs()
			for b.Loop() {
				s.CopyFrom(start)
				for s.ToMove() != games.Nobody {
					s.PlayRandom(rng)
					plies++
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(plies), "ns/ply")
			b.ReportMetric(float64(plies)/b.Elapsed().Seconds(), "plies/s")
		})
	}
}
