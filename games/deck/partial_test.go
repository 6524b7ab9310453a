package deck_test

import (
	"math/rand/v2"
	"testing"

	"marque/games"
	"marque/games/catalog"
	"marque/games/scene"
)

// While a move is chosen, its token is already shown with the back that it will have, towards the space that it comes
// from (DK-5).
func TestDK4_ATokenTurnsAsItIsMoved(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"loyal-captain", "quedah-merchant", "madagascar"} {
		g, _ := catalog.Find(key)
		setup, err := games.NewSetup(g, 0)
		if err != nil {
			t.Fatal(err)
		}
		seen := 0
		for seed := range uint64(10) {
			rng, dice := rand.New(rand.NewPCG(seed, 8)), games.NewRand(seed)
			state := g.New(setup)
			for n := 0; n < 300 && state.ToMove() != games.Nobody; n++ {
				if state.ToMove() == games.Chance {
					state = state.Apply(dice.Outcome(state.Outcomes()))
					continue
				}
				legal := state.Moves()
				move := legal[rng.IntN(len(legal))]
				menu, notation := games.NewMenu(state), games.Spell(state, move)
				to, arrived := "", ""
				for _, path := range menu.Ancestors(notation) {
					words := menu.Chosen(path)
					if len(words) == 0 {
						continue
					}
					switch last := words[len(words)-1]; last.Sep {
					case "-", "x":
						to, arrived = last.Spot, path
					case "<":
						arrived = path
					}
				}
				after := state.Apply(move)
				if to != "" {
					partial := state.Scene(state.ToMove(), nil)
					menu.Mark(&partial, arrived)
					whole := after.Scene(state.ToMove(), nil)
					got, want := tokenOn(&partial, to), tokenOn(&whole, to)
					if want != nil && (got == nil || got.Angle != want.Angle || got.BackOff != want.BackOff) {
						t.Errorf("%s: after the words %s of %s the token is %+v, and after the move %+v", key, arrived,
							notation, got, want)
					}
					seen++
				}
				state = after
			}
		}
		if seen < 50 {
			t.Errorf("%s: only %d moves of a token were seen", key, seen)
		}
	}
}

// tokenOn returns the uppermost token on the spot with this name, or nil.
func tokenOn(sc *scene.Scene, name string) (found *scene.Piece) {
	for _, spot := range sc.Spots {
		for i := range sc.Pieces {
			if p := &sc.Pieces[i]; spot.Name == name && p.Kind == scene.Token && !p.Ghost && p.At == spot.At {
				found = p
			}
		}
	}
	return found
}
