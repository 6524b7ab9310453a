package turn_test

import (
	"strings"
	"testing"

	"marque/bot/bottest"
	"marque/games/catalog"
)

// A player who moves again learns whether the same turn goes on, as in Freebooter, or whether the other player had to
// pass, as in Madagascar.
func TestAPlayerWhoMovesAgainLearnsWhy(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{"freebooter": "still your turn", "madagascar": "your turn again"} {
		g, _ := catalog.Find(key)
		r, rng := bottest.New(t), bottest.NewRand()
		r.Open(bottest.TablesChannel, g, bottest.World[:2])
		told := false
		for range 60 {
			mover := r.Table().Mover()
			said := r.TypeMove(mover, bottest.TablesChannel, rng)
			if again := r.Table().Mover() == mover; again != strings.Contains(said, want) {
				t.Fatalf("%s: the same player moves again: %t; the player reads %q", key, again, said)
			}
			told = told || strings.Contains(said, want)
		}
		if !told {
			t.Errorf("%s: nobody moved again", key)
		}
	}
}
