package games_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"marque/games"
	"marque/games/example"
	"marque/games/gametest"
	"marque/games/text"
)

// In random games, the alt text describes the latest plays after its first message (the task or the result), newest
// first. It leaves out a play that the description of the next play includes, and can leave out a deal. The legend of a
// text board explains only signs on that board.
func TestEveryGameIsToldAlike(t *testing.T) {
	say := english(t)
	explained := 0
	for _, g := range example.Games {
		once := 0
		for _, setup := range gametest.Setups(g) {
			rng := rand.New(rand.NewPCG(5, 6))
			s := g.New(setup)
			var trail []games.Step
			for n := 0; s.ToMove() != games.Nobody && n < 250; n++ {
				m, next := gametest.Random(s, rng)
				trail = append(trail, games.Step{Before: games.Mask(s, games.Spectator), Seat: s.ToMove(),
					Move: games.MaskMove(s, m, games.Spectator)})
				trail = trail[max(0, len(trail)-3):]
				if s = next; n%5 != 0 {
					continue
				}
				sc := games.Mask(s, games.Spectator).Scene(games.Spectator, trail)
				var alt []string
				for _, a := range sc.Alt {
					alt = append(alt, say.Say(a))
				}
				from := 1 // the task comes first
				for k, step := range slices.Backward(trail) {
					told := say.Say(step.Before.Describe(step.Move))
					b, ok := step.Before.(games.CombinedDescriber)
					if ok && k+1 < len(trail) && b.DescribedByNext(step.Move) {
						if slices.Contains(alt, told) {
							t.Fatalf("%s tells %q, and again with what came of it:\n%s", g.Key(), told,
								strings.Join(alt, "\n"))
						}
						once++
						continue
					}
					i := slices.Index(alt[from:], told)
					if i < 0 && !slices.Contains(alt, told) && step.Seat == games.Chance && g.Traits().Hidden {
						continue // the alt text can leave out a deal
					}
					if i < 0 {
						t.Fatalf("%s tells %q in the wrong place:\n%s", g.Key(), told, strings.Join(alt, "\n"))
					}
					from += i + 1
				}
				board := strings.Join(sc.Text, "\n")
				for _, l := range sc.Legend {
					if sign, ok := l.Args["Sign"].(text.Code); ok {
						explained++
						if !strings.Contains(board, string(sign)) {
							t.Fatalf("%s explains %q, which does not stand on the board:\n%s", g.Key(), sign, board)
						}
					}
				}
			}
		}
		if _, later := g.New(gametest.Setups(g)[0]).(games.CombinedDescriber); later != (once > 0) {
			t.Errorf("%s tells %d of its plays with the next one; that it can do so: %t", g.Key(), once, later)
		}
	}
	if explained == 0 {
		t.Error("no game explains a sign of its boards")
	}
}
