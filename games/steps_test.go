package games_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unicode/utf8"

	"marque/games"
	"marque/games/example"
	"marque/games/gametest"
	"marque/games/scene"
)

// If a partly chosen move has moved a piece, the picture shows the piece and a pale copy of it. Labels of choices on
// the board do not overlap.
func TestStepsShowWhatWasChosen(t *testing.T) {
	shown := 0
	for _, g := range example.Games {
		rng := rand.New(rand.NewPCG(5, 6))
		carried, picked := 0, 0
		var s games.State = g.New(gametest.Setups(g)[0])
		for n := 0; s.ToMove() != games.Nobody && n < 200; n++ {
			if seat := s.ToMove(); seat >= 0 {
				v := games.Mask(s, seat)
				menu := games.NewMenu(v)
				moves := v.Moves()
				for _, path := range menu.Ancestors(games.Spell(v, moves[rng.IntN(len(moves))])) {
					choices, _ := menu.At(path)
					if path == "" || len(choices) == 0 {
						continue
					}
					was, sc := v.Scene(seat, nil), v.Scene(seat, nil)
					menu.Mark(&sc, path)
					chosen := menu.Chosen(path)
					last := chosen[len(chosen)-1]
					switch moved := len(sc.Pieces) > len(was.Pieces); {
					case moved:
						carried++
						if p := sc.Pieces[len(sc.Pieces)-1]; p.Ghost || !slices.ContainsFunc(sc.Pieces,
							func(p scene.Piece) bool { return p.Ghost }) {
							t.Errorf("%s: after %q what moved is %+v", g.Key(), path, p)
						}
					case last.Spot != "" && (last.Sep == "-" || last.Sep == "x"):
						t.Errorf("%s: after %q nothing has moved in the picture", g.Key(), path)
					case last.Spot != "":
						picked++
					}
					room(t, g, path, sc)
				}
				menuScene := v.Scene(seat, nil)
				menu.Mark(&menuScene, "")
				room(t, g, "", menuScene)
			}
			_, s = gametest.Random(s, rng)
		}
		t.Logf("%s: %d steps showed what moved, %d what was picked", g.Key(), carried, picked)
		shown += carried + picked
	}
	if shown == 0 {
		t.Error("no step showed what was chosen")
	}
}

// room fails the test if the labels of two choices on the board overlap. It assumes that a letter is at most 0.6 times
// as wide as its line is high, and that a label's background extends half a letter's height to the left and right.
func room(t *testing.T, g games.Game, path string, sc scene.Scene) {
	t.Helper()
	for i, a := range sc.Marks {
		for _, b := range sc.Marks[:i] {
			if a.Kind != scene.Choice || b.Kind != scene.Choice || a.Card > 0 || b.Card > 0 {
				continue
			}
			half := func(m scene.Mark) float64 { return m.R * (0.3*float64(utf8.RuneCountInString(m.Text)) + 0.5) }
			dx, dy := math.Abs(a.Points[0].X-b.Points[0].X), math.Abs(a.Points[0].Y-b.Points[0].Y)
			if dx < half(a)+half(b) && dy < 0.525*(a.R+b.R) {
				t.Errorf("%s: after %q the names %q and %q cover each other: %.0f apart, %.0f down, %.0f high", g.Key(),
					path, a.Text, b.Text, dx, dy, a.R)
			}
		}
	}
}
