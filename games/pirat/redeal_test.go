package pirat

import (
	"testing"

	"marque/games"
	"marque/games/gametest"
)

func TestRedealKeepsTheView(t *testing.T) {
	gametest.RedealKeepsTheView(t, Game, func(s games.Sim) games.State { return state{s.(*sim).position} })
}
