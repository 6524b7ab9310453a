package loyalcaptain

import (
	"testing"

	"marque/games"
	"marque/games/gametest"
)

func TestConformance(t *testing.T) {
	offered := games.Setup{Options: []games.Setting{{Key: optionOpening, Value: openingOffered}}}
	gametest.Run(t, Game, gametest.Config{
		Games: 30,
		Perft: []gametest.Perft{
			{Depth: 1}, {Depth: 2}, {Depth: 3}, {Depth: 4}, {Depth: 5},
			{Plies: 12, Depth: 4}, {Plies: 30, Depth: 4},
			{Setup: offered, Depth: 2}, {Setup: offered, Depth: 4},
		},
	})
}
