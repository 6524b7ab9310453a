package madagascar

import (
	"testing"

	"marque/games"
	"marque/games/gametest"
)

func TestConformance(t *testing.T) {
	three := games.Setup{Seats: 3}
	gametest.Run(t, Game, gametest.Config{
		Games: 12,
		Perft: []gametest.Perft{
			{Depth: 2}, {Depth: 6}, {Plies: 6, Depth: 4}, {Plies: 20, Depth: 4}, {Plies: 50, Depth: 4},
			{Plies: 90, Depth: 4},
			{Setup: games.Setup{Options: []games.Setting{{Key: "repetition", Value: "forbidden"}}}, Plies: 90, Depth: 4},
			{Setup: three, Depth: 4}, {Setup: three, Plies: 6, Depth: 4}, {Setup: three, Plies: 60, Depth: 4},
		},
	})
}
