package show

import (
	"testing"

	"marque/games/catalog"
)

// The small board on the first screen and in the rules has at least three pieces, in each game.
func TestASampleShowsPieces(t *testing.T) {
	for _, g := range catalog.Games {
		sc, err := SampleScene(g)
		if err != nil {
			t.Fatal(err)
		}
		if len(sc.Pieces) < 3 {
			t.Errorf("%s: %d pieces: %+v", g.Key(), len(sc.Pieces), sc.Pieces)
		}
	}
}
