package render

import (
	"bytes"
	"fmt"
	"image/png"
	"testing"

	"marque/games/catalog"
)

// shelf returns a position of a random game of each kind, after a third of the game, titled with the game's key.
func shelf(t testing.TB) []Titled {
	t.Helper()
	var boards []Titled
	for _, g := range catalog.Games {
		least, _ := g.Seats()
		scenes := play(t, g, least)
		boards = append(boards, Titled{Title: g.Key(), Scene: scenes[len(scenes)/3]})
	}
	return boards
}

// The golden pictures show boards of all games in two themes.
func TestGoldenShelf(t *testing.T) {
	r := sharedRenderer(t)
	for _, theme := range []Theme{Dark, Contrast} {
		b, err := r.ShelfPNG(t.Context(), shelf(t), Options{Theme: theme})
		if err != nil {
			t.Fatal(err)
		}
		if len(b) > mostBytes {
			t.Errorf("%v: %d bytes, want at most %d", theme, len(b), mostBytes)
		}
		im, err := png.Decode(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		golden(t, fmt.Sprintf("shelf-%v", theme), im)
	}
}
