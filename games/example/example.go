// Package example lists the games that tests of all games use: the games of the catalogue, and the small example game
// heap.
package example

import (
	"slices"

	"marque/games"
	"marque/games/catalog"
	"marque/games/example/heap"
)

// Games are the games of the catalogue and heap.Game.
var Games = append(slices.Clone(catalog.Games), games.Game(heap.Game))
