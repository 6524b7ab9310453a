package games_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"marque/games"
	"marque/games/example"
	"marque/games/gametest"
	"marque/games/text/locale"
)

// ruleIDs returns the rule ids in docs/rules.
func ruleIDs(t *testing.T) map[string]bool {
	t.Helper()
	ids := map[string]bool{}
	files, err := filepath.Glob(filepath.Join("..", "docs", "rules", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`\*\*([A-Z]{2}-\d+)\*\*`).FindAllStringSubmatch(string(b), -1) {
			ids[m[1]] = true
		}
	}
	if len(ids) == 0 {
		t.Fatal("docs/rules has no rules")
	}
	return ids
}

func english(t *testing.T) *locale.Speaker {
	t.Helper()
	sentences, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	return sentences.Speaker(nil, "en").Plain()
}

// Text that has the form of a move but is illegal is refused by a rule, in random positions of every game that is a
// Refuser. The message "I can't read" is only for text that is not a move in any position.
func TestWhatCanBeReadIsRefusedByARule(t *testing.T) {
	rules, say := ruleIDs(t), english(t)
	for _, g := range example.Games {
		setup, err := games.NewSetup(g, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := g.New(setup).(games.Refuser); !ok {
			continue
		}
		t.Run(g.Key(), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(14, 2))
			var positions []games.State
			var typed []string
			seen := map[string]bool{}
			note := func(n string) {
				if !seen[n] {
					seen[n] = true
					typed = append(typed, n)
				}
			}
			for range 3 {
				for _, setup := range gametest.Setups(g) {
					s := g.New(setup)
					for n := 0; s.ToMove() != games.Nobody && n < 400; n++ {
						m, next := gametest.Random(s, rng)
						if s.ToMove() >= 0 {
							moves := s.Moves()
							for range 3 {
								note(games.Spell(s, moves[rng.IntN(len(moves))]))
							}
							positions = append(positions, s)
						} else {
							note(games.Spell(s, m))
						}
						s = next
					}
				}
			}
			said := map[string]string{}
			for range 1500 {
				s := positions[rng.IntN(len(positions))]
				menu := games.NewMenu(s)
				input := typed[rng.IntN(len(typed))]
				var pe *games.ParseError
				if _, err := menu.Parse(input); err == nil || !errors.As(err, &pe) {
					continue
				}
				sentence := say.Say(pe.Text())
				if pe.Got == "" && len(pe.Want) > 0 {
					continue // the text begins a longer move
				}
				if !rules[pe.Why.Rule] {
					t.Fatalf("%s\n%q is answered by rule %q: %s", gametest.JSON(t, s), input, pe.Why.Rule, sentence)
				}
				if strings.Contains(sentence, "can't read") || strings.Contains(sentence, "<no value>") ||
					strings.Contains(sentence, "{{") {
					t.Fatalf("%s\n%q: %s", gametest.JSON(t, s), input, sentence)
				}
				id := pe.Why.Why.ID
				if said[id] == "" {
					said[id] = fmt.Sprintf("%s %s", pe.Why.Rule, sentence)
				}
				// The error must not depend on hidden cards.
				seat := s.ToMove()
				other := games.Sample(games.Mask(s, seat), seat, rng)
				var again *games.ParseError
				if _, err := games.NewMenu(other).Parse(input); !errors.As(err, &again) ||
					say.Say(again.Text()) != sentence {
					t.Fatalf("%s\n%q: %s\nand with other hidden cards: %v", gametest.JSON(t, s), input, sentence, err)
				}
			}
			if len(said) < 6 && !testing.Short() {
				t.Errorf("only %d reasons were met: %v", len(said), said)
			}
			for id, sentence := range said {
				t.Logf("%-45s %s", id, sentence)
			}
		})
	}
}

// Text that is not a move of the game is not reported as an illegal move.
func TestWhatCannotBeReadIsSaidSo(t *testing.T) {
	say := english(t)
	for _, g := range example.Games {
		setup, err := games.NewSetup(g, 0)
		if err != nil {
			t.Fatal(err)
		}
		s := g.New(setup)
		for i := 0; s.ToMove() == games.Chance; i++ {
			outs := s.Outcomes()
			s = s.Apply(outs[i*7%len(outs)].Move)
		}
		for _, typed := range []string{"hello", "1000-2", "+", "??", "e4 e5 e6", "sail the seas", "9--10",
			"attack everything"} {
			_, err := games.NewMenu(s).Parse(typed)
			var pe *games.ParseError
			if !errors.As(err, &pe) || pe.Why.Rule != "" || !strings.HasPrefix(say.Say(pe.Text()), "I can't read") {
				t.Errorf("%s: %q is answered: %v", g.Key(), typed, err)
			}
		}
	}
}

func TestRefusalsSayWhy(t *testing.T) {
	say := english(t)
	opened := []string{"+1", "+4"}
	for _, tc := range []struct {
		game, typed, want string
		plays             []string
	}{
		{"loyal-captain", "+1", "“+1” isn't possible, because hatch 1 is taken.", opened},
		{"loyal-captain", "+7", "“+7” isn't possible, because pirates come aboard on hatches 1 to 6, and 7 isn't one.", opened},
		{"loyal-captain", "4-17", "“4-17” isn't possible, because the pirate on 4 is Blue, and it's Red's turn.", opened},
		{"loyal-captain", "propose", "“propose” isn't possible, because you can only propose a stalemate after 20 turns in a row without a placement or a capture; so far there have been 0.", opened},
		{"loyal-captain", "“”", "There's no move in that. A move here starts with +2, +3, +5, +6 or 1.", opened},
		{"loyal-captain", "1", "“1” is only the beginning of a move. From 1 you can go to 7 or 8.", opened},
		{"loyal-captain", "1-9", "“1-9” isn't possible, because no rope joins 1 and 9. From 1 you can go to 7 or 8.", opened},
		{"loyal-captain", "1-19", "“1-19” isn't possible, because there's no space 19: the spaces are numbered from 1 to 18. From 1 you can go to 7 or 8.", opened},
		{"loyal-captain", "1-x", "I can't read “-x” in “1-x”. From 1 you can go to 7 or 8.", opened},
		{"quedah-merchant", "3-18", "“3-18” isn't possible, because everybody first places one pirate on a hatch, as in +3.", nil},
		{"quedah-merchant", "1-7=5+1", "“1-7=5+1” isn't possible, because this move frees nobody: leave out =5.",
			[]string{"+1", "+4", "roll 1"}},
		{"pirate-versus-pirate", "j15-j13", "“j15-j13” isn't possible, because the pirate on j15 is Blue, and it's Red's turn.",
			[]string{"roll 4 4", "roll 1 1", "roll 1 1"}},
		{"madagascar", "1-7", "“1-7” isn't possible, because nobody can move before all six hatches are taken: place a pirate, as in +3.", opened},
	} {
		_, err := games.NewMenu(position(t, tc.game, tc.plays...)).Parse(tc.typed)
		var pe *games.ParseError
		if !errors.As(err, &pe) {
			t.Errorf("%s after %v: %q is no error", tc.game, tc.plays, tc.typed)
		} else if got := say.Say(pe.Text()); got != tc.want {
			t.Errorf("%s after %v: %q is answered\n%s, want\n%s", tc.game, tc.plays, tc.typed, got, tc.want)
		}
	}
}
