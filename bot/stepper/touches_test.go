package stepper_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"marque/bot/stepper"
	"marque/games"
	"marque/games/catalog"
)

// A user who knows the move needs on average at most the listed number of touches in the page, and at least 0.9 fewer
// than clicks on Discord. Both counts include the final Play, and the clicks include Move. A touch is on one of the
// offered choices, or on a place in the picture.
func TestTouchesOfAMove(t *testing.T) {
	t.Parallel()
	most := map[string]float64{"loyal-captain": 2.2, "quedah-merchant": 2.2, "madagascar": 2.2, "freebooter": 2,
		"pirat": 2} // 2.5 in the other games
	for _, g := range catalog.Games {
		t.Run(g.Key(), func(t *testing.T) {
			t.Parallel()
			touches, clicks, moves := 0, 0, 0
			for seed := range uint64(20) {
				rng, dice := rand.New(rand.NewPCG(seed, 3)), games.NewRand(seed)
				setup, err := games.NewSetup(g, 0)
				if err != nil {
					t.Fatal(err)
				}
				state := g.New(setup)
				for n := 0; n < 400 && state.ToMove() != games.Nobody; n++ {
					if state.ToMove() == games.Chance {
						state = state.Apply(dice.Outcome(state.Outcomes()))
						continue
					}
					legal := state.Moves()
					move := legal[rng.IntN(len(legal))]
					view := games.Mask(state, state.ToMove())
					menu := games.NewMenu(view)
					places := map[string]bool{}
					for _, spot := range view.Scene(state.ToMove(), nil).Spots {
						places[spot.Name] = true
					}
					way := menu.Ancestors(games.Spell(state, move))
					steps := func(touching bool) (n int) {
						for path := ""; ; n++ {
							q, err := stepper.Next(menu, path)
							if err != nil || n > 30 {
								t.Fatalf("%q leads not to %q: %v", path, way[len(way)-1], err)
							}
							if q.Path == way[len(way)-1] {
								return n
							}
							offered := q.Choices
							for _, c := range slices.Concat(q.Reach, q.Ahead) {
								if touching && places[c.Word.Spot] {
									offered = append(offered, c)
								}
							}
							path = ""
							for _, c := range offered {
								if slices.Contains(way, c.Path) && len(c.Path) > len(path) {
									path = c.Path
								}
							}
						}
					}
					touches += 1 + steps(true)
					clicks += 2 + steps(false)
					moves++
					state = state.Apply(move)
				}
			}
			page, buttons := float64(touches)/float64(moves), float64(clicks)/float64(moves)
			t.Logf("%s: %d moves, %.2f touches a move, %.2f clicks", g.Key(), moves, page, buttons)
			most := cmp.Or(most[g.Key()], 2.5)
			if page > most || page > buttons-.9 {
				t.Errorf("%.2f touches a move, want %.2f at most, and %.2f clicks", page, most, buttons)
			}
		})
	}
}
