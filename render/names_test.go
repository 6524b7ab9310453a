package render

import (
	"testing"

	"marque/games/catalog"
	"marque/games/scene"
)

// The name of a space is drawn again over things that cover it, such as the light and the back of the token that moved
// last. Faint numbers are not: along the path of a move they would look like a count of steps.
func TestHiddenNamesAreWrittenAgain(t *testing.T) {
	r := sharedRenderer(t)
	label := func(s *scene.Scene, near scene.Point, within float64) *scene.Shape {
		for i := range s.Ground {
			if g := &s.Ground[i]; g.Kind == scene.Label && hypot(g.Points[0], near) < within {
				return g
			}
		}
		return nil
	}
	for key, found := range map[string]func(s *scene.Scene) []*scene.Shape{
		"pirate-versus-pirate": func(s *scene.Scene) (list []*scene.Shape) {
			for _, m := range s.Marks {
				if m.Kind != scene.Arrow {
					continue
				}
				for _, at := range m.Points[1 : len(m.Points)-1] {
					if g := label(s, at, 1); g != nil && under(s.Pieces, at) == nil {
						list = append(list, g)
					}
				}
			}
			return list
		},
		"madagascar": func(s *scene.Scene) (list []*scene.Shape) {
			for _, p := range s.Pieces {
				if p.Kind == scene.Token && p.Marked {
					list = append(list, label(s, p.At, p.Size))
				}
			}
			return list
		},
	} {
		game, ok := catalog.Find(key)
		if !ok {
			t.Fatal(key)
		}
		_, most := game.Seats()
		looked := 0
		for _, s := range play(t, game, most) {
			c := r.composer(r.normal(Options{}), 1)
			c.board(&s)
			for _, g := range found(&s) {
				looked++
				again, want := false, !g.Faint
				for _, it := range c.out {
					again = again || it.key.kind == captionSprite && it.key.s == g.Text &&
						hypot(scene.Point{X: float64(it.x), Y: float64(it.y)}, g.Points[0]) < 1
				}
				if again != want {
					t.Errorf("%s: %q at %v is drawn again: %v, want %v", key, g.Text, g.Points[0], again, want)
				}
			}
		}
		if looked < 20 {
			t.Errorf("%s: %d names were hidden in a whole game, want 20 or more to look at", key, looked)
		}
	}
}
