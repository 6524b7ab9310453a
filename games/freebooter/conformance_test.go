package freebooter

import (
	"testing"

	"marque/games"
	"marque/games/gametest"
)

func TestConformance(t *testing.T) {
	gametest.Run(t, Game, gametest.Config{
		Games: 8, Every: 11,
		Perft: []gametest.Perft{
			{Setup: games.Setup{Seats: 2}, Plies: 0, Depth: 4},
			{Setup: games.Setup{Seats: 2}, Plies: 46, Depth: 2},
			{Setup: games.Setup{Seats: 3}, Plies: 120, Depth: 3},
			{Setup: games.Setup{Seats: 4}, Plies: 200, Depth: 4},
		},
	})
}
