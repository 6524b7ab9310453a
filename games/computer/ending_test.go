package computer_test

import (
	"testing"

	"marque/games"
	"marque/games/catalog"
	"marque/games/computer"
)

// In games without hidden cards, NearEnd is true when the last tenth begins in nine of ten games, and false when the
// first tenth ends in nine of ten games.
func TestNearEnd(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("plays 400 games")
	}
	const played = 100
	for _, g := range catalog.Games {
		if g.Traits().Hidden {
			continue
		}
		t.Run(g.Key(), func(t *testing.T) {
			t.Parallel()
			closed, open := 0, 0
			for i := range uint64(played) {
				line := casualGame(t, g, i)
				near := func(at int) bool {
					return computer.NearEnd(games.Look(line[at], 0), at, i)
				}
				if near(len(line) * 9 / 10) {
					closed++
				}
				if !near(len(line) / 10) {
					open++
				}
			}
			t.Logf("of %d games %d were closed when the last tenth began, and %d were open after the first", played,
				closed, open)
			if want := played * 9 / 10; closed < want || open < want {
				t.Errorf("want %d of each", want)
			}
		})
	}
}

// casualGame returns the positions before each play of a game between casual computer players, at most 1,500.
func casualGame(t *testing.T, g games.Game, seed uint64) (line []games.State) {
	t.Helper()
	const most = 1500
	rng := games.NewRand(seed + 1)
	least, _ := g.Seats()
	var players []*computer.Player
	for i := range least {
		players = append(players, computer.New(computer.Casual, computer.Casual.Limit(g.Key()), seed*10+uint64(i)))
	}
	for s := g.New(games.Setup{Seats: least}); s.ToMove() != games.Nobody && len(line) < most; {
		line = append(line, s)
		if s.ToMove() == games.Chance {
			s = s.Apply(rng.Outcome(s.Outcomes()))
			continue
		}
		m, _, err := players[s.ToMove()].Choose(t.Context(), games.Look(s, s.ToMove()))
		if err != nil {
			t.Fatal(err)
		}
		s = s.Apply(m)
	}
	return line
}
