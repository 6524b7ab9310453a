package freebooter

import (
	"testing"

	"marque/games"
	"marque/games/gametest"
)

// maxPlies bounds a game: 36 counters and 20 cards, then at most 28 boardings (each ship once, FB-3) and, for each of the
// 88 cards, a move, up to three choices of a counter, a draw and a card dealt.
const maxPlies = 36 + 20 + 28 + 88*6

func TestConformance(t *testing.T) {
	gametest.Run(t, Game, gametest.Config{
		Games: 8, MaxPlies: maxPlies, Every: 11,
		Perft: []gametest.Perft{
			{Setup: games.Setup{Seats: 2}, Plies: 0, Depth: 4},
			{Setup: games.Setup{Seats: 2}, Plies: 46, Depth: 2},
			{Setup: games.Setup{Seats: 3}, Plies: 120, Depth: 3},
			{Setup: games.Setup{Seats: 4}, Plies: 200, Depth: 4},
		},
	})
}
