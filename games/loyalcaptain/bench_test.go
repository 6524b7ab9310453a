package loyalcaptain

import (
	"testing"

	"marque/games/gametest"
)

func BenchmarkRandomPlay(b *testing.B) { gametest.BenchmarkRandomPlay(b, Game) }
