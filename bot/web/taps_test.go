package web_test

import (
	"strings"
	"testing"

	"marque/bot/bottest"
	"marque/bot/table"
	"marque/bot/web"
	"marque/games"
	"marque/games/catalog"
)

// Whoever knows their move touches the page less often for it than they click on Discord, by nine tenths a move at
// least in every game: the touch on Play, and the clicks on Move and Play, are counted.
func TestTouchesOfAMove(t *testing.T) {
	t.Parallel()
	for _, g := range catalog.Games {
		t.Run(g.Key(), func(t *testing.T) {
			t.Parallel()
			r, pages := twoPages(t, g)
			rng := bottest.NewRand()
			// steps chooses the move from one question to the next, each time as much of it as one touch can say.
			steps := func(c *client, move string, may func(web.Choice) bool) (n int) {
				for s := c.state(""); s.Question.Path != move; n++ {
					next := ""
					for _, choice := range s.Question.Choices {
						if strings.HasPrefix(move+" ", choice.Path+" ") || strings.HasPrefix(move, choice.Path) {
							if may(choice) && len(choice.Path) > len(next) {
								next = choice.Path
							}
						}
					}
					if next == "" || n > 30 {
						t.Fatalf("%q does not lead to %q: %+v", s.Question.Path, move, s.Question.Choices)
					}
					s = c.state(next)
				}
				return n
			}
			touches, clicks, moves, most := 0, 0, 0, 400
			if testing.Short() {
				most = 20
			}
			for ; moves < most && r.Table().Status != table.Over; moves++ {
				snap := r.Table()
				c := pages[snap.Mover()]
				state := snap.View(snap.ToMove).State
				legal := state.Moves()
				move := games.Spell(state, legal[rng.IntN(len(legal))])
				touches += 1 + steps(c, move, func(web.Choice) bool { return true })
				clicks += 2 + steps(c, move, func(choice web.Choice) bool { return choice.List })
				a := c.ask("play", map[string]any{"path": move, "version": snap.Version, "key": key()})
				if a.State == nil {
					t.Fatalf("%q was answered %d %s", move, a.Status, a.Raw)
				}
			}
			page, buttons := float64(touches)/float64(moves), float64(clicks)/float64(moves)
			t.Logf("%s: %d moves, %.2f touches a move, %.2f clicks", g.Key(), moves, page, buttons)
			if page > buttons-.9 {
				t.Errorf("%.2f touches a move, and %.2f clicks", page, buttons)
			}
		})
	}
}
