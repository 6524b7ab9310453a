package stepper_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"marque/bot/stepper"
	"marque/games"
	"marque/games/catalog"
	"marque/games/gametest"
	"marque/games/text"
	"marque/games/text/locale"
)

// menuAfter returns the menu after plays from the start of a game.
func menuAfter(t *testing.T, key string, plays ...string) *games.Menu {
	t.Helper()
	g, _ := catalog.Find(key)
	m, err := games.NewMatch(g, games.Header{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range plays {
		if err := m.PlayExact(p); err != nil {
			t.Fatalf("%s: %v", p, err)
		}
	}
	return games.NewMenu(m.View(m.ToMove()).State)
}

// Questions and choices have the expected texts, which name the effects of moves. Before the first choice, no earlier
// choices are listed.
func TestChoicesSayWhatTheyBringAbout(t *testing.T) {
	t.Parallel()
	sentences, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	say := sentences.Speaker(func(seat int) text.Message { return text.Raw("ABCDE"[seat : seat+1]) }, "en")
	for _, tc := range []struct {
		game  string
		plays []string
		path  string
		ask   string
		want  []string // labels that must be among the choices
	}{
		{"loyal-captain", nil, "", "Where will you place a pirate?", []string{"Place on hatch 1"}},
		{"loyal-captain", []string{"+1", "+2"}, "", "Place a pirate, or move one?", []string{"Move from 1"}},
		{"madagascar", nil, "", "Where will you place a pirate?", []string{"Place on hatch 1"}},
		{"quedah-merchant", nil, "", "", []string{"New pirate on hatch 1"}},
		{"freebooter", freebooter(t), "board", "", []string{"Columns A–B"}},
		{"freebooter", freebooter(t), "board AB", "", []string{"Rows 1–2: worth 5, $1 per rival boat"}},
		{"freebooter", append(freebooter(t), "sail B1"), "", "Which stack will you draw from? " +
			"A sea card puts a boat in a square; a Dutchman card can only fill the last gap " +
			"round a counter.",
			[]string{"A sea card", "A Dutchman card"}},
	} {
		menu := menuAfter(t, tc.game, tc.plays...)
		q, err := stepper.Next(menu, tc.path)
		if err != nil {
			t.Errorf("%s %v: %v", tc.game, tc.plays, err)
			continue
		}
		if so := q.So(say); len(q.Back) == 0 && so != "" {
			t.Errorf("%s %v: before the first choice it is said %q", tc.game, tc.plays, so)
		}
		var labels []string
		for _, c := range q.Choices {
			labels = append(labels, c.Said(say))
		}
		if ask := say.Say(q.Ask); tc.ask != "" && ask != tc.ask {
			t.Errorf("%s %v asks %q, want %q", tc.game, tc.plays, ask, tc.ask)
		}
		for _, w := range tc.want {
			if !slices.Contains(labels, w) {
				t.Errorf("%s %v offers %q, want %q among them", tc.game, tc.plays, labels, w)
			}
		}
	}
}

// Buttons say nothing twice: no sign of the notation stands before their words. A place keeps its small letter, such as
// h6.
func TestButtonsNameEachPlaceOnce(t *testing.T) {
	t.Parallel()
	sentences, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range catalog.Games {
		setup, err := games.NewSetup(g, 0)
		if err != nil {
			t.Fatal(err)
		}
		state, rng := g.New(setup), rand.New(rand.NewPCG(1, 2))
		for n := 0; n < 300 && state.ToMove() != games.Nobody; n++ {
			if outcomes := state.Outcomes(); outcomes != nil {
				state = state.Apply(outcomes[rng.IntN(len(outcomes))].Move)
				continue
			}
			menu := games.NewMenu(state)
			play := menu.Candidates()[rng.IntN(len(menu.Candidates()))]
			for _, path := range menu.Ancestors(play.Notation) {
				q, err := stepper.Next(menu, path)
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range q.Choices {
					for _, language := range []string{"en", "de"} {
						say := sentences.Speaker(nil, language)
						label, sign := c.Said(say), c.Word.Written()
						written := strings.Contains(label, sign)
						said := strings.Contains(strings.ToLower(label), strings.ToLower(sign))
						if sign != "" && (strings.HasPrefix(label, sign+" · ") || said != written) {
							t.Fatalf("%s after %q: a button says %q of %s", g.Key(), path, label, sign)
						}
					}
				}
			}
			state = state.Apply(play.Move)
		}
	}
}

// A player is asked whether to place or to move only if both are possible.
func TestNoQuestionWithoutAChoice(t *testing.T) {
	t.Parallel()
	for key, both := range map[string]string{
		"loyal-captain": "loyal-captain.ask.turn", "madagascar": "madagascar.ask.start",
	} {
		asked := 0
		for n := range 20 {
			rng := rand.New(rand.NewPCG(uint64(n), 7))
			g, _ := catalog.Find(key)
			m, err := games.NewMatch(g, games.Header{})
			if err != nil {
				t.Fatal(err)
			}
			for range 150 {
				if m.ToMove() < 0 {
					break
				}
				menu := games.NewMenu(m.View(m.ToMove()).State)
				q, err := stepper.Next(menu, "")
				if err != nil {
					t.Fatal(err)
				}
				var places, moves bool
				for _, c := range q.Choices {
					places = places || strings.HasPrefix(c.Word.Key, "+")
					moves = moves || c.Word.Spot == c.Word.Key
				}
				if q.Ask.ID == both {
					asked++
					if !places || !moves {
						t.Errorf("%s asks %s: it can place %v, it can move %v", key, q.Ask.ID, places,
							moves)
					}
				}
				all := menu.Candidates()
				if err := m.PlayExact(all[rng.IntN(len(all))].Notation); err != nil {
					t.Fatal(err)
				}
			}
		}
		if asked == 0 {
			t.Errorf("%s never asks %s", key, both)
		}
	}
}

// freebooter returns the plays of a game of Freebooter up to the first decision.
func freebooter(t *testing.T) (plays []string) {
	t.Helper()
	g, _ := catalog.Find("freebooter")
	m, err := games.NewMatch(g, games.Header{})
	if err != nil {
		t.Fatal(err)
	}
	for m.ToMove() == games.Chance {
		plays = append(plays, games.Spell(m.State(), m.State().Outcomes()[0].Move))
		if err := m.PlayExact(plays[len(plays)-1]); err != nil {
			t.Fatal(err)
		}
	}
	return plays
}

// In the first plays of a random game of each kind, every move can be made with the choices and places that Next
// returns. Every question has more than one answer, and a touch on a place continues the choices made so far.
func TestEveryMoveIsReached(t *testing.T) {
	t.Parallel()
	for _, g := range catalog.Games {
		setup, err := games.NewSetup(g, 0)
		if err != nil {
			t.Fatal(err)
		}
		rng := games.NewRand(5)
		state := g.New(setup)
		for range 60 {
			switch state.ToMove() {
			case games.Nobody:
				continue
			case games.Chance:
				state = state.Apply(rng.Outcome(state.Outcomes()))
				continue
			}
			moves := state.Moves()
			menu := games.NewMenu(games.Mask(state, state.ToMove()))
			reached := map[string]bool{}
			var walk func(path string)
			walk = func(path string) {
				q, err := stepper.Next(menu, path)
				if err != nil {
					t.Fatalf("%s: after %q: %v", g.Key(), path, err)
				}
				if reached[q.Path] = true; !q.Complete && len(q.Choices) < 2 {
					t.Fatalf("%s: after %q %d choices", g.Key(), q.Path, len(q.Choices))
				}
				for _, c := range q.Choices {
					walk(c.Path)
				}
				for _, c := range q.Reach {
					if !strings.HasPrefix(c.Path, q.Path) || c.Word.Spot == "" {
						t.Fatalf("%s: after %q a touch of %q chooses %q", g.Key(), q.Path, c.Word.Spot, c.Path)
					}
					walk(c.Path)
				}
			}
			walk("")
			for _, mv := range moves {
				if n := games.Spell(state, mv); !reached[n] {
					t.Fatalf("%s: %s is not reached", g.Key(), n)
				}
			}
			state = state.Apply(moves[rng.IntN(len(moves))])
		}
	}
}

// An effect that all choices share does not help to choose, so no choice says it. A step with only one possible choice
// is skipped, and the choices so far then say what was chosen for the player.
func TestChoicesSayOnlyWhatDiffersAndWhatWasChosenForThePlayer(t *testing.T) {
	t.Parallel()
	sentences, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	say := sentences.Speaker(func(seat int) text.Message { return text.Raw("ABCDE"[seat : seat+1]) }, "en")
	g, _ := catalog.Find("pirat")
	const only = "(nothing else was possible)"
	effects, skipped := 0, 0
	for n := range 20 {
		rng := rand.New(rand.NewPCG(uint64(n), 8))
		s := g.New(games.Setup{Seats: 3})
		for s.ToMove() != games.Nobody {
			moves := s.Moves()
			if s.ToMove() == games.Chance {
				moves = nil
				for _, o := range s.Outcomes() {
					moves = append(moves, o.Move)
				}
			} else {
				menu := games.NewMenu(games.Mask(s, s.ToMove()))
				q, err := stepper.Next(menu, "")
				for err == nil && !q.Complete {
					said := map[string]bool{}
					for _, c := range q.Choices {
						said[say.Say(c.Effect)] = true
					}
					if len(said) == 1 && !said[""] {
						t.Errorf("after %q all choices say %v", q.Path, said)
					}
					effects += len(said) - 1
					asked := q.Choices[rng.IntN(len(q.Choices))].Path
					q, err = stepper.Next(menu, asked)
					if so := q.So(say); err == nil && q.Path != asked {
						skipped++
						if !strings.Contains(so, only) {
							t.Errorf("%q became %q without a question, and %q does not say so", asked, q.Path, so)
						}
					}
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			s = s.Apply(moves[rng.IntN(len(moves))])
		}
	}
	if effects < 20 || skipped < 20 {
		t.Errorf("%d effects and %d skipped steps in 20 games, want 20 or more to look at", effects, skipped)
	}
}

// Back leads from each question to the one before, also where the player could have stopped instead of choosing.
func TestBackLeadsToTheQuestionBefore(t *testing.T) {
	t.Parallel()
	stops := 0 // questions at which a move can be played, but also continued
	for _, g := range catalog.Games {
		rng := rand.New(rand.NewPCG(7, 8))
		least, _ := g.Seats()
		s := g.New(games.Setup{Seats: least})
		var follow func(menu *games.Menu, q stepper.Question)
		follow = func(menu *games.Menu, q stepper.Question) {
			if q.Complete && len(q.Choices) > 0 {
				stops++
			}
			for _, c := range q.Choices {
				next, err := stepper.Next(menu, c.Path)
				if err != nil {
					t.Fatal(err)
				}
				if len(next.Back) == 0 || next.Back[len(next.Back)-1] != q.Path {
					t.Fatalf("%s: %q follows %q, and Back leads to %q", g.Key(), next.Path, q.Path, next.Back)
				}
				follow(menu, next)
			}
		}
		for range 400 {
			if s.ToMove() != games.Chance && s.ToMove() != games.Nobody {
				menu := games.NewMenu(games.Mask(s, s.ToMove()))
				q, err := stepper.Next(menu, "")
				if err != nil {
					t.Fatal(err)
				}
				follow(menu, q)
			}
			if s.ToMove() != games.Nobody {
				_, s = gametest.Random(s, rng)
			}
		}
	}
	if stops < 20 {
		t.Errorf("only %d questions could have been the end of a move", stops)
	}
}
