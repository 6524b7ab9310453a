package computer_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"marque/games"
	"marque/games/computer"
	"marque/games/example"
	"marque/games/gametest"
	"marque/games/lab"
	"marque/games/loyalcaptain"
	"marque/games/madagascar"
)

// quick returns a limit by iterations alone, low enough to play whole games.
func quick(workers int) computer.Limit { return computer.Limit{Iterations: 60, Workers: workers} }

// hasty returns the limit of quick with a level's noise.
func hasty(level computer.Level, g games.Game, workers int) computer.Limit {
	limit := quick(workers)
	limit.Noise = level.Limit(g.Key()).Noise
	return limit
}

// positions plays a random game and calls see with every stride-th decision.
func positions(t *testing.T, g games.Game, setup games.Setup, seed uint64, stride int, see func(s games.State)) {
	t.Helper()
	rng := rand.New(games.NewRand(seed))
	decisions := 0
	for s := g.New(setup); s.ToMove() != games.Nobody; {
		if s.ToMove() >= 0 {
			if decisions%stride == 0 {
				see(s)
			}
			decisions++
		}
		_, s = gametest.Random(s, rng)
	}
}

// In positions of random games with each setup, each level plays legal moves. The same seed gives the same result,
// unless several workers share a transposition table.
func TestLegalAndRepeatable(t *testing.T) {
	for _, g := range example.Games {
		for _, setup := range gametest.Setups(g) {
			t.Run(g.Key()+"/"+gametest.Name(setup), func(t *testing.T) {
				positions(t, g, setup, 1, 97, func(s games.State) {
					v := games.Look(s, s.ToMove())
					for _, level := range computer.Levels {
						for _, workers := range []int{1, 2} {
							m, thought := choose(t, computer.New(level, hasty(level, g, workers), 5), v)
							if !slices.Contains(s.Moves(), m) {
								t.Fatalf("%s chose %v, which is not legal: %s", level, m, gametest.JSON(t, s))
							}
							if thought.Chance < 0 || thought.Chance > 1 {
								t.Errorf("%s thinks its chance is %v, want 0 to 1", level, thought.Chance)
							}
							if workers > 1 && sharesTable(v.State) {
								continue
							}
							again, same := choose(t, computer.New(level, hasty(level, g, workers), 5), v)
							if again != m || fmt.Sprint(same) != fmt.Sprint(thought) {
								t.Fatalf("%s with %d workers chose %v, and with the same seed %v: %s", level, workers,
									m, again, gametest.JSON(t, s))
							}
						}
					}
				})
			})
		}
	}
}

// sharesTable reports whether several workers share a transposition table when they search a position, so that the
// result depends on their timing.
func sharesTable(s games.State) bool {
	tuner, ok := s.Sim().(games.Tuner)
	return ok && tuner.Tuning().AlphaBeta
}

// A computer's move depends on its view alone: other cards in hidden hands and stacks lead to the same move.
func TestNoPeeking(t *testing.T) {
	for _, g := range example.Games {
		for _, setup := range gametest.Setups(g) {
			differ := 0
			positions(t, g, setup, 2, 41, func(s games.State) {
				seat := s.ToMove()
				other := games.Sample(games.Mask(s, seat), seat, rand.New(games.NewRand(99)))
				if !bytes.Equal(encode(t, s), encode(t, other)) {
					differ++
				}
				workers := 2
				if sharesTable(s) {
					workers = 1
				}
				for _, level := range computer.Levels {
					m, thought := choose(t, computer.New(level, hasty(level, g, workers), 7), games.Look(s, seat))
					n, same := choose(t, computer.New(level, hasty(level, g, workers), 7), games.Look(other, seat))
					if m != n || fmt.Sprint(thought) != fmt.Sprint(same) {
						t.Fatalf("%s %s: %s chose %v, and with other hidden cards %v\n%s\n%s", g.Key(),
							gametest.Name(setup), level, m, n, encode(t, s), encode(t, other))
					}
				}
			})
			if (differ > 0) != g.Traits().Hidden {
				t.Errorf("%s %s: hidden cards differed in %d positions: the test has tried nothing in the others",
					g.Key(), gametest.Name(setup), differ)
			}
		}
	}
}

// A computer plays and proves an immediately winning move in random games of Loyal Captain.
func TestProvesWins(t *testing.T) {
	setup, err := games.NewSetup(loyalcaptain.Game, 2)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for seed := range uint64(15) {
		positions(t, loyalcaptain.Game, setup, seed, 1, func(s games.State) {
			seat := s.ToMove()
			wins := slices.ContainsFunc(s.Moves(), func(m games.Move) bool {
				return slices.Equal(s.Apply(m).Result().Winners, []games.Seat{seat})
			})
			if !wins {
				return
			}
			found++
			m, thought := choose(t, computer.New(computer.Hard, quick(1), 1), games.Look(s, seat))
			if r := s.Apply(m).Result(); !slices.Equal(r.Winners, []games.Seat{seat}) || !thought.Proved ||
				thought.Chance != 1 {
				t.Errorf("chose %v with %+v, want a move that wins: %s", m, r, gametest.JSON(t, s))
			}
		})
	}
	if found == 0 {
		t.Error("no position with a winning move came up")
	}
}

// A player whose context is already cancelled returns a legal move after a few iterations.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, g := range example.Games {
		setup, err := games.NewSetup(g, 0)
		if err != nil {
			t.Fatal(err)
		}
		seen := false
		positions(t, g, setup, 3, 50, func(s games.State) {
			if seen {
				return
			}
			seen = true
			m, thought, err := computer.New(computer.Expert, computer.Expert.Limit(g.Key()), 1).Choose(ctx,
				games.Look(s, s.ToMove()))
			if err != nil || !slices.Contains(s.Moves(), m) {
				t.Errorf("%s: %v, %v, want a legal move", g.Key(), m, err)
			}
			if most := 2 * 16; thought.Iterations > most {
				t.Errorf("%s: %d iterations after the end, want at most %d", g.Key(), thought.Iterations, most)
			}
		})
	}
}

// In positions of random games, no search at any level exceeds the iterations of its limit, or the number of legal
// moves if that is higher.
func TestIterationsAreALimit(t *testing.T) {
	for _, g := range example.Games {
		setup, err := games.NewSetup(g, 0)
		if err != nil {
			t.Fatal(err)
		}
		positions(t, g, setup, 5, 60, func(s games.State) {
			for _, level := range computer.Levels {
				for _, limit := range []computer.Limit{{Iterations: 70}, {Iterations: 333, Noise: 0.05},
					{Iterations: 200, Workers: 2}} {
					_, thought := choose(t, computer.New(level, limit, 1), games.Look(s, s.ToMove()))
					// Alpha-beta tries every move at least once, even beyond the limit.
					if most := max(limit.Iterations, len(s.Moves())); thought.Iterations > most {
						t.Errorf("%s, %s: %d iterations, want at most %d", g.Key(), level, thought.Iterations, most)
					}
				}
			}
		})
	}
}

// Choose returns ErrNotToMove for a viewer who is not to move.
func TestNotToMove(t *testing.T) {
	setup, err := games.NewSetup(loyalcaptain.Game, 2)
	if err != nil {
		t.Fatal(err)
	}
	s := loyalcaptain.Game.New(setup)
	for _, viewer := range []games.Seat{1, games.Spectator} {
		if _, _, err := computer.New(computer.Easy, computer.Easy.Limit("loyal-captain"),
			1).Choose(context.Background(), games.Look(s, viewer)); !errors.Is(err, computer.ErrNotToMove) {
			t.Errorf("viewer %d: %v, want ErrNotToMove", viewer, err)
		}
	}
}

// A search of 200 iterations clearly beats random play in every game.
func TestBeatsRandom(t *testing.T) {
	for _, g := range example.Games {
		setup, err := games.NewSetup(g, 2)
		if err != nil {
			t.Fatal(err)
		}
		const n = 16
		points := 0.0
		for i := range n {
			seat := games.Seat(i % 2)
			search, random := maker(t, g, "hard:200i"), maker(t, g, "random")
			players := []lab.Chooser{random(uint64(i)), random(uint64(i))}
			players[seat] = search(uint64(i))
			r, err := lab.PlayGame(context.Background(), g, setup, players, uint64(i), lab.Terms{Plies: 5000})
			if err != nil {
				t.Fatal(err)
			}
			if slices.Contains(r.Result.Winners, seat) {
				points += 1 / float64(len(r.Result.Winners))
			}
		}
		if points < 13 { // equal players reach 13 points in one of a hundred matches
			t.Errorf("%s: %v of %d against random play, want at least 13", g.Key(), points, n)
		}
	}
}

func maker(t *testing.T, g games.Game, name string) lab.Maker {
	t.Helper()
	m, err := lab.ParsePlayer(name, g.Key())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func choose(t *testing.T, p *computer.Player, v games.View) (games.Move, computer.Thought) {
	t.Helper()
	m, thought, err := p.Choose(context.Background(), v)
	if err != nil {
		t.Fatal(err)
	}
	return m, thought
}

func encode(t *testing.T, s games.State) []byte {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// In four games of Madagascar, two equal computer players do not draw within the first 40 plies.
func TestEqualsDoNotRunInCircles(t *testing.T) {
	setup, err := games.NewSetup(madagascar.Game, 2)
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(4) {
		players := []lab.Chooser{computer.New(computer.Hard, computer.Limit{Iterations: 3000}, 2*seed+1),
			computer.New(computer.Hard, computer.Limit{Iterations: 3000}, 2*seed+2)}
		played, err := lab.PlayGame(context.Background(), madagascar.Game, setup, players, seed, lab.Terms{Plies: 2000})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("game %d: %d plies, %v", seed, played.Plies, played.Result.Winners)
		if len(played.Result.Winners) > 1 && played.Plies <= 40 {
			t.Errorf("game %d was drawn after %d plies", seed, played.Plies)
		}
	}
}
