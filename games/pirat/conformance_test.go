package pirat

import (
	"testing"

	"marque/games"
	"marque/games/gametest"
)

func TestConformance(t *testing.T) {
	gametest.Run(t, Game, gametest.Config{
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

func BenchmarkRandomPlay(b *testing.B) { gametest.BenchmarkRandomPlay(b, Game) }
