// Package catalog lists all games that can be played.
package catalog

import (
	"marque/games"
	"marque/games/freebooter"
	"marque/games/loyalcaptain"
	"marque/games/madagascar"
	"marque/games/pirat"
	"marque/games/piratevspirate"
	"marque/games/quedah"
)

// Games lists all games, in the order in which they are offered. A new game needs one line here.
var Games = []games.Game{
	loyalcaptain.Game,
	quedah.Game,
	madagascar.Game,
	freebooter.Game,
	piratevspirate.Game,
	pirat.Game,
}

// Find returns the game with a key, or false if there is none.
func Find(key string) (games.Game, bool) {
	for _, g := range Games {
		if g.Key() == key {
			return g, true
		}
	}
	return nil, false
}
