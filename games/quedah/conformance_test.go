package quedah

import (
	"testing"

	"marque/games"
	"marque/games/gametest"
)

func TestConformance(t *testing.T) {
	loses := games.Setup{Options: []games.Setting{{Key: "blocked", Value: "loses"}}}
	gametest.Run(t, Game, gametest.Config{
		Games: 40,
		Perft: []gametest.Perft{
			{Depth: 2}, {Depth: 4}, {Depth: 6},
			{Plies: 20, Depth: 4}, {Plies: 40, Depth: 4}, {Plies: 60, Depth: 4},
			{Setup: loses, Plies: 20, Depth: 4},
		},
	})
}
