package computer_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"marque/games"
	"marque/games/computer"
	"marque/games/example"
	"marque/games/gametest"
	"marque/games/text/locale"
)

// Each threat in positions of random games is possible: some continuation of the real position lets the viewer take
// exactly that piece, or win in exactly that way. Threats are found in every game with captures.
func TestThreatsArePossible(t *testing.T) {
	sentences, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	speaker := sentences.Speaker(nil, "en")
	for _, g := range example.Games {
		t.Run(g.Key(), func(t *testing.T) {
			t.Parallel()
			asked, found, wins := 0, 0, 0
			var spent time.Duration
			for _, setup := range gametest.Setups(g) {
				for seed := range uint64(2) {
					positions(t, g, setup, seed, 9, func(s games.State) {
						v := games.Look(s, s.ToMove())
						moves := s.Moves()
						m := moves[int(seed+uint64(asked))%len(moves)]
						if asked++; asked%4 != 0 && g.Key() == "pirate-versus-pirate" {
							return // its games are long, so every fourth position is tested
						}
						start := time.Now()
						threat, ok := computer.Threaten(context.Background(), v, m, 3)
						spent += time.Since(start)
						if !ok {
							return
						}
						found++
						if threat.Wins {
							wins++
						}
						if threat.Share <= 0 || threat.Share > 1 {
							t.Errorf("the share is %v", threat.Share)
						}
						if !comesTrue(s.Apply(m), v.Viewer, threat) {
							t.Errorf("after %q seat %d is said to threaten %q (%.2f), which never comes true\n%s",
								games.Spell(s, m), v.Viewer, speaker.Say(threat.Said), threat.Share,
								gametest.JSON(t, s))
						}
						if found%40 == 1 {
							t.Logf("%s: %.2f %s", games.Spell(s, m), threat.Share, speaker.Say(threat.Said))
						}
					})
				}
			}
			t.Logf("%d asked, %d threats, %d of them to win, %v each", asked, found, wins, spent/time.Duration(asked))
			setup, _ := games.NewSetup(g, 0)
			if _, takes := g.New(setup).(games.Striker); takes && found == 0 {
				t.Errorf("nothing was threatened in %d positions", asked)
			}
		})
	}
}

// comesTrue reports whether one of many random continuations carries out the threat.
func comesTrue(from games.State, viewer games.Seat, threat computer.Threat) bool {
	rng := rand.New(rand.NewPCG(1, 2))
	want := fmt.Sprint(threat.Said)
	for range 3000 {
		s := from
		for plies := 0; plies < 64 && s.ToMove() != games.Nobody; plies++ {
			if s.ToMove() == viewer {
				for _, m := range s.Moves() {
					said, ok := games.Mask(s, viewer).(games.Striker).Strike(m, viewer)
					after := s.Apply(m)
					if threat.Wins {
						if r := after.Result(); len(r.Winners) == 1 && r.Winners[0] == viewer &&
							(fmt.Sprint(said) == want || !ok && fmt.Sprint(games.Mask(s, viewer).Describe(m)) == want) {
							return true
						}
					} else if ok && fmt.Sprint(said) == want {
						return true
					}
				}
			}
			m, next := gametest.Random(s, rng)
			if said, ok := games.Mask(s, viewer).(games.Striker).Strike(games.MaskMove(s, m, viewer), viewer); ok &&
				fmt.Sprint(said) == want {
				return true
			}
			s = next
		}
	}
	return false
}

// Threats depend on the view alone, and the same seed gives the same threat.
func TestThreatsDoNotPeek(t *testing.T) {
	for _, g := range example.Games {
		for _, setup := range gametest.Setups(g) {
			positions(t, g, setup, 5, 23, func(s games.State) {
				seat := s.ToMove()
				other := games.Sample(games.Mask(s, seat), seat, rand.New(games.NewRand(4)))
				m := s.Moves()[0]
				one, ok := computer.Threaten(context.Background(), games.Look(s, seat), m, 8)
				two, same := computer.Threaten(context.Background(), games.Look(other, seat), m, 8)
				if ok != same || fmt.Sprint(one) != fmt.Sprint(two) {
					a, _ := json.Marshal(s)
					t.Fatalf("%s %s: %v, and with other hidden cards %v\n%s", g.Key(), gametest.Name(setup), one, two,
						a)
				}
				one, ok = computer.Prevent(context.Background(), games.Look(s, seat), m, 8)
				two, same = computer.Prevent(context.Background(), games.Look(other, seat), m, 8)
				if ok != same || fmt.Sprint(one) != fmt.Sprint(two) {
					t.Fatalf("%s %s prevents %v, and with other hidden cards %v\n%s", g.Key(), gametest.Name(setup), one,
						two, gametest.JSON(t, s))
				}
			})
		}
	}
}

// In games without luck and hidden cards, the seat that moves next cannot carry out what a move is said to prevent, and
// after at least one other move it can.
func TestPreventedThreatsArePrevented(t *testing.T) {
	for _, g := range example.Games {
		if g.Traits().Chance || g.Traits().Hidden {
			continue
		}
		t.Run(g.Key(), func(t *testing.T) {
			t.Parallel()
			found := 0
			for _, setup := range gametest.Setups(g) {
				positions(t, g, setup, 3, 7, func(s games.State) {
					v := games.Look(s, s.ToMove())
					m := s.Moves()[found%len(s.Moves())]
					threat, ok := computer.Prevent(context.Background(), v, m, 3)
					if !ok {
						return
					}
					found++
					if strikes(s.Apply(m), threat) {
						t.Errorf("%q allows %v, which it is said to prevent\n%s", games.Spell(s, m), threat.Said,
							gametest.JSON(t, s))
					}
					if slices.ContainsFunc(s.Moves(), func(o games.Move) bool { return strikes(s.Apply(o), threat) }) {
						return
					}
					t.Errorf("no move allows %v, which %q is said to prevent\n%s", threat.Said, games.Spell(s, m),
						gametest.JSON(t, s))
				})
			}
			t.Logf("%d moves prevent something", found)
			setup, _ := games.NewSetup(g, 0)
			if _, takes := g.New(setup).(games.Striker); takes && found == 0 {
				t.Error("nothing was prevented")
			}
		})
	}
}

// strikes reports whether the seat to move can carry out a threat immediately.
func strikes(s games.State, threat computer.Threat) bool {
	if s.ToMove() < 0 {
		return false
	}
	for _, m := range s.Moves() {
		said, ok := s.(games.Striker).Strike(m, s.ToMove())
		if !ok {
			said = s.Describe(m)
		}
		if fmt.Sprint(said) == fmt.Sprint(threat.Said) {
			return true
		}
	}
	return false
}
