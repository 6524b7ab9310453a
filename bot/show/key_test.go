package show

import (
	"math"
	"slices"
	"testing"

	"marque/games/example"
	"marque/games/scene"
)

// In the picture that explains a game, the plates with numbers do not overlap, and none covers the strength or name of
// an attack or the name of a space. A plate is one and a half times as wide as its digits are high.
func TestNumbersOfThePictureStandApart(t *testing.T) {
	for _, g := range example.Games {
		sc, err := Busiest(g)
		if err != nil {
			t.Fatal(err)
		}
		said := len(sc.Marks)
		called := sc.CallOut(sc.Signs())
		numbers := sc.Marks[said:]
		if len(called) < 2 || len(numbers) != len(called) {
			t.Fatalf("%s: %d numbers for %d signs", g.Key(), len(numbers), len(called))
		}
		for i, a := range numbers {
			if a.Kind != scene.Choice {
				t.Errorf("%s: mark %d of the picture is no number: %+v", g.Key(), i, a)
			}
			for _, ship := range sc.Pieces {
				for n := range ship.Attacks {
					at := scene.Point{X: ship.At.X, Y: ship.At.Y + ship.Size*(0.2+0.12*float64(n))}
					if math.Abs(a.Points[0].X-at.X) < ship.Size*0.44 &&
						math.Abs(a.Points[0].Y-at.Y) < ship.Size*0.06+a.R/2 {
						t.Errorf("%s: %s (%s) hides attack %d on %s", g.Key(), a.Text, called[i].Name, n+1, ship.Text)
					}
				}
			}
			for _, label := range sc.Ground {
				isName := func(spot scene.Spot) bool { return spot.Name == label.Text }
				if label.Kind != scene.Label || label.Faint || !slices.ContainsFunc(sc.Spots, isName) {
					continue
				}
				p, at := a.Points[0], label.Points[0]
				if math.Abs(p.X-at.X) < 0.75*a.R && math.Abs(p.Y-at.Y) < a.R/2 {
					t.Errorf("%s: %s (%s) hides the name %s", g.Key(), a.Text, called[i].Name, label.Text)
				}
			}
			for _, b := range numbers[:i] {
				if d := math.Hypot(a.Points[0].X-b.Points[0].X, a.Points[0].Y-b.Points[0].Y); d < 1.5*a.R {
					t.Errorf("%s: %s (%s) and %s lie over one another: %.0f apart, %.0f needed", g.Key(), a.Text,
						called[i].Name, b.Text, d, 1.5*a.R)
				}
			}
		}
	}
}
