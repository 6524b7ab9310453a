package show

import (
	"testing"

	"marque/games/catalog"
)

// The small boards on the first screen and in the rules show a game in progress. The one of All against All has ships
// at sea.
func TestASampleShowsPieces(t *testing.T) {
	for _, g := range catalog.Games {
		sc, err := sample(g)
		if err != nil {
			t.Fatal(err)
		}
		if len(sc.Pieces) < 3 {
			t.Errorf("%s: %d pieces: %+v", g.Key(), len(sc.Pieces), sc.Pieces)
		}
	}
}
