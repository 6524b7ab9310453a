// Package example lists what a promise about any game is tested with: the games of the catalogue,
// and the example, which has nothing that a game may do without.
package example

import (
	"slices"

	"marque/games"
	"marque/games/catalog"
	"marque/games/example/heap"
)

// Games are the games of the catalogue and heap.Game.
var Games = append(slices.Clone(catalog.Games), games.Game(heap.Game))
