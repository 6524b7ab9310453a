package computer_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"marque/games"
	"marque/games/catalog"
	"marque/games/computer"
	"marque/games/lab"
)

// recorder is a computer player that records its decisions.
type recorder struct {
	lab.Chooser
	decisions *[]decision
}

type decision struct {
	view games.View
	move games.Move
}

func (s recorder) Choose(ctx context.Context, v games.View) (games.Move, computer.Thought, error) {
	m, t, err := s.Chooser.Choose(ctx, v)
	*s.decisions = append(*s.decisions, decision{v, m})
	return m, t, err
}

// beginners returns the decisions of some games, of at most 200 plays each, between two computer players with 60
// iterations and a noise of 0.10.
func beginners(t *testing.T, key string, seeds ...uint64) (decisions []decision) {
	t.Helper()
	game, _ := catalog.Find(key)
	setup, err := games.NewSetup(game, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, seed := range seeds {
		limit := computer.Limit{Iterations: 60, Noise: 0.10}
		players := []lab.Chooser{recorder{computer.New(computer.Easy, limit, seed), &decisions},
			recorder{computer.New(computer.Easy, limit, seed+1), &decisions}}
		terms := lab.Terms{Plies: 200}
		if _, err := lab.PlayGame(t.Context(), game, setup, players, seed, terms); err != nil {
			t.Fatal(err)
		}
	}
	return decisions
}

// Of the moves that Assess blames, a longer search finds at most one in ten about as good as the suggested move.
func TestOnlyMistakesAreBlamed(t *testing.T) {
	for _, key := range []string{"loyal-captain", "madagascar", "quedah-merchant"} {
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			blamed := 0
			var wrong []string
			for i, d := range beginners(t, key, 2, 5, 8, 11, 14, 17) {
				if testing.Short() && i%8 > 0 {
					continue
				}
				j, err := new(computer.Pool).Assess(t.Context(), d.view, d.move, computer.Quick, 1)
				if err == nil && j.Had-j.Left >= 0.1 {
					j, err = new(computer.Pool).Assess(t.Context(), d.view, d.move, computer.Thorough, 1)
				}
				if err != nil {
					t.Fatal(err)
				}
				if j.Had-j.Left < 0.1 {
					continue
				}
				blamed++
				after := d.view.State.Apply(d.move)
				if after.ToMove() == games.Nobody {
					continue
				}
				long := computer.New(computer.Hard, computer.Limit{Iterations: 60_000}, 2)
				if worth := long.Estimate(t.Context(), games.View{State: games.Mask(after, d.view.Viewer),
					Viewer: d.view.Viewer}); worth > j.Had-0.05 {
					wrong = append(wrong,
						fmt.Sprintf("decision %d: %s is said to leave %.2f where %s had %.2f, but it leaves %.2f", i,
							games.Spell(d.view.State, d.move), j.Left, games.Spell(d.view.State, j.Better), j.Had,
							worth))
				}
			}
			if 10*len(wrong) > blamed {
				t.Errorf("%d of %d moves are blamed wrongly:\n%s", len(wrong), blamed, strings.Join(wrong, "\n"))
			}
			if blamed == 0 && !testing.Short() {
				t.Error("beginners made no mistake in a whole game")
			}
		})
	}
}

// Estimate returns 1 if the search has proved a win.
func TestEstimatesKnowWhatIsProved(t *testing.T) {
	for _, key := range []string{"loyal-captain", "madagascar"} {
		proved := 0
		for _, d := range beginners(t, key, 2, 5, 8, 11, 14, 17) {
			_, thought, err := computer.New(computer.Normal, computer.Limit{Iterations: 800}, 1).Choose(t.Context(),
				d.view)
			if err != nil {
				t.Fatal(err)
			}
			if thought.Before > thought.Chance {
				t.Errorf("%s: the best move is worth %v, but all together %v", key, thought.Chance, thought.Before)
			}
			if !thought.Proved || thought.Chance != 1 || thought.Iterations == 0 {
				continue
			}
			proved++
			if got := computer.New(computer.Normal, computer.Limit{Iterations: 800}, 1).Estimate(t.Context(),
				d.view); got != 1 {
				t.Errorf("%s: a position that is won for certain is estimated at %v", key, got)
			}
		}
		if proved == 0 {
			t.Errorf("%s: nothing was proved in a whole game", key)
		}
	}
}

// A hint has no reply if the player moves twice in a row.
func TestAnAnswerIsSomebodyElses(t *testing.T) {
	for _, tt := range []struct {
		key, option, value string
		seats, stride      int
		seeds              []uint64
	}{
		// a player who chooses Red also moves first
		{"loyal-captain", "opening", "offered", 2, 1, []uint64{1, 2, 3, 4, 5, 6}},
		// a player sets the backs of six pirates one after another
		{"pirate-versus-pirate", "backstabbing", "off", 3, 5, []uint64{2}},
	} {
		game, _ := catalog.Find(tt.key)
		setup, err := games.NewSetup(game, tt.seats, games.Setting{Key: tt.option, Value: tt.value})
		if err != nil {
			t.Fatal(err)
		}
		again := 0
		for _, seed := range tt.seeds {
			positions(t, game, setup, seed, tt.stride, func(s games.State) {
				v := games.Look(s, s.ToMove())
				m, thought := choose(t, computer.New(computer.Normal, computer.Limit{Iterations: 200}, 1), v)
				if v.State.Apply(m).ToMove() != v.Viewer {
					return
				}
				again++
				if thought.HasAnswer {
					t.Errorf("%s: after %s seat %d moves again, but %v is called an answer", tt.key,
						games.Spell(v.State, m), v.Viewer, thought.Answer)
				}
			})
		}
		if again == 0 {
			t.Errorf("%s: nobody moved twice running", tt.key)
		}
	}
}

// The time for a move at the level Expert decreases with the number of waiting tables, to no less than 50 ms. Only a
// table that waits alone gets a second core.
func TestThinkingIsShorterUnderLoad(t *testing.T) {
	previous := time.Duration(1<<63 - 1)
	for _, waiting := range []int{0, 1, 3, 100} {
		limit := computer.Expert.Limit("pirat").Amid(waiting)
		if limit.Time >= previous || limit.Time < 50*time.Millisecond || limit.Workers > 1 && waiting > 0 {
			t.Errorf("with %d tables waiting: %+v, before %v", waiting, limit, previous)
		}
		previous = limit.Time
	}
}
