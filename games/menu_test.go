package games_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/width"

	"marque/games"
	"marque/games/catalog"
	"marque/games/example"
	"marque/games/gametest"
	"marque/games/text"
)

// position returns the position after the given plays from the start of a game.
func position(t testing.TB, key string, plays ...string) games.State {
	t.Helper()
	g, ok := catalog.Find(key)
	if !ok {
		t.Fatalf("no game %s", key)
	}
	m, err := games.NewMatch(g, games.Header{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range plays {
		if err := m.PlayExact(p); err != nil {
			t.Fatalf("%s: %v", p, err)
		}
	}
	return m.State()
}

func TestParseErrorsSayWhatCouldFollow(t *testing.T) {
	menu := games.NewMenu(position(t, "loyal-captain", "+1", "+4", "1-7", "4-17", "7-9", "17-16"))
	for _, tc := range []struct{ typed, want string }{
		{"9-11", `after "9": 10 or 8`},
		{"9", `after "9": 10 or 8`},
		{"10-9", `not "10-9": 1, 2, 3, 4, 5, 6 or 9`},
		{"9-10-11", `after "9-10": nothing more`},
		{"+9", `not "+9": 1, 2, 3, 4, 5, 6 or 9`},
	} {
		_, err := menu.Parse(tc.typed)
		var pe *games.ParseError
		if !errors.As(err, &pe) {
			t.Errorf("%q: error %v, want a ParseError", tc.typed, err)
			continue
		}
		slices.Sort(pe.Want)
		sorted := *pe
		got := sorted.Error()
		for _, part := range strings.Split(tc.want, ": ") {
			for _, word := range strings.Fields(strings.NewReplacer(",", "", " or ", " ").Replace(part)) {
				if !strings.Contains(got, word) {
					t.Errorf("%q: error %q, want something like %q", tc.typed, got, tc.want)
				}
			}
		}
		if pe.Text().IsZero() {
			t.Errorf("%q: nothing to tell the player", tc.typed)
		}
	}
}

func TestParseForgivesBlanksAndCapitals(t *testing.T) {
	menu := games.NewMenu(position(t, "loyal-captain", "+1", "+4", "1-7", "4-17"))
	for _, typed := range []string{"7-9", " 7-9 ", "7 - 9", "7 -9"} {
		if m, err := menu.Parse(typed); err != nil {
			t.Errorf("%q: %v", typed, err)
		} else if want, _ := menu.Move("7-9"); m != want {
			t.Errorf("%q parses to %v, want %v", typed, m, want)
		}
	}
}

// disguises holds functions that alter a notation as phones, keyboards and copying do, keyed by the alteration.
var disguises = map[string]func(string) string{
	"en dash":      func(n string) string { return strings.ReplaceAll(n, "-", "–") },
	"em dash":      func(n string) string { return strings.ReplaceAll(n, "-", " — ") },
	"hyphen":       func(n string) string { return strings.ReplaceAll(n, "-", "\u2010") },
	"kept hyphen":  func(n string) string { return strings.ReplaceAll(n, "-", "\u2011") },
	"minus":        func(n string) string { return strings.ReplaceAll(n, "-", "−") },
	"full width":   func(n string) string { return width.Widen.String(n) },
	"no-break":     func(n string) string { return "\u00a0" + strings.ReplaceAll(n, " ", "\u00a0") + "\u202f" },
	"zero width":   func(n string) string { return "\ufeff" + strings.Join(strings.Split(n, ""), "\u200b") + "\u200b" },
	"directions":   func(n string) string { return "\u200e\u2068" + n + "\u2069\ufe0f" },
	"double quote": func(n string) string { return `"` + n + `"` },
	"quotes":       func(n string) string { return " “" + n + "” " },
	"German":       func(n string) string { return "„" + n + "“" },
	"guillemets":   func(n string) string { return "»" + n + "«" },
	"code":         func(n string) string { return "`" + n + "`" },
	"code block":   func(n string) string { return "```\n" + n + "\n```" },
	"all of it": func(n string) string {
		return "‘\u200b" + width.Widen.String(strings.ReplaceAll(n, "-", "—")) + "’"
	},
}

// In random positions of every game, Parse finds the same move after a phone or keyboard has altered its notation.
// Altered text that is not a move gets the same error as the plain text. Records accept no altered notation.
func TestDisguisedMovesAreRead(t *testing.T) {
	for _, g := range example.Games {
		t.Run(g.Key(), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(43, 8))
			elsewhere := map[string]bool{}
			read, refused := 0, 0
			for _, setup := range gametest.Setups(g) {
				s := g.New(setup)
				for n := 0; s.ToMove() != games.Nobody && n < 300; n++ {
					if s.ToMove() >= 0 && rng.IntN(10) == 0 {
						menu := games.NewMenu(s)
						for _, c := range menu.Candidates() {
							elsewhere[c.Notation] = true
							for name, disguise := range disguises {
								typed := disguise(c.Notation)
								if got, err := menu.Parse(typed); err != nil || got != c.Move {
									t.Fatalf("%s\n%s as %q (%s) is read as %v, %v, want %v", gametest.JSON(t, s), c.Notation, typed,
										name, got, err, c.Move)
								}
								if got, exactly := menu.Move(typed); exactly && typed != c.Notation {
									t.Fatalf("%q (%s) is a notation of %v", typed, name, got)
								}
								read++
							}
						}
						for notation := range elsewhere {
							_, plain := menu.Parse(notation)
							if rng.IntN(8) != 0 || plain == nil {
								continue
							}
							for name, disguise := range disguises {
								_, err := menu.Parse(disguise(notation))
								if !sameRefusal(plain, err) {
									t.Fatalf("%s\n%s as %q (%s) is answered %v, want %v", gametest.JSON(t, s), notation,
										disguise(notation), name, err, plain)
								}
								refused++
							}
						}
					}
					_, s = gametest.Random(s, rng)
				}
			}
			t.Logf("%d disguised moves were read, %d refused", read, refused)
		})
	}
}

// sameRefusal reports whether two errors of Parse have the same rule and the same After, Got and Want.
func sameRefusal(a, b error) bool {
	var x, y *games.ParseError
	return errors.As(a, &x) && errors.As(b, &y) && x.After == y.After && x.Got == y.Got &&
		x.Why.Rule == y.Why.Rule && slices.Equal(x.Want, y.Want)
}

func TestCompleteOffersWhatBeginsSoFirst(t *testing.T) {
	menu := games.NewMenu(position(t, "loyal-captain", "+1", "+4", "1-7", "4-17"))
	say := func(m text.Message) string {
		if raw, ok := m.Literal().(string); ok {
			return raw
		}
		return m.ID
	}
	got, _ := menu.Complete("7", 25, say)
	if len(got) == 0 || !strings.HasPrefix(got[0].Notation, "7") {
		t.Errorf("typing 7 offers %v, want moves from 7 first", got)
	}
	if got, more := menu.Complete("no such move", 25, say); len(got) != 0 || more != 0 {
		t.Errorf("nonsense offers %v and %d more", got, more)
	}
}

// If not all moves fit, Complete offers equal numbers of every kind of move, as far as possible, and counts the rest.
func TestCompleteOffersMovesOfEveryKind(t *testing.T) {
	for _, g := range example.Games {
		_, most := g.Seats()
		setup, err := games.NewSetup(g, most)
		if err != nil {
			t.Fatal(err)
		}
		s := g.New(setup)
		rng := games.NewRand(3)
		full := 0
		for range 200 {
			if s.ToMove() == games.Nobody {
				break
			}
			if outs := s.Outcomes(); outs != nil {
				s = s.Apply(outs[rng.IntN(len(outs))].Move)
				continue
			}
			menu := games.NewMenu(s)
			all := menu.Candidates()
			got, more := menu.Complete("", 25, func(text.Message) string { return "" })
			if len(got)+more != len(all) || len(got) > 25 || more > 0 && len(got) != 24 {
				t.Fatalf("%s: %d moves are offered and %d more, of %d", g.Key(), len(got), more, len(all))
			}
			count := func(list []games.Candidate) map[string]int {
				kinds := map[string]int{}
				for _, c := range list {
					kinds[c.Words[0].Key]++
				}
				return kinds
			}
			offered, there := count(got), count(all)
			least, greatest := len(all), 0
			for kind, n := range there {
				if offered[kind] == n {
					continue
				}
				least, greatest = min(least, offered[kind]), max(greatest, offered[kind])
			}
			if more > 0 {
				full++
				if len(there) <= 24 && least < 1 || greatest-least > 1 {
					t.Errorf("%s: of %v moves %v are offered", g.Key(), there, offered)
				}
			}
			moves := s.Moves()
			s = s.Apply(moves[rng.IntN(len(moves))])
		}
		t.Logf("%s: %d positions have too many moves to list", g.Key(), full)
	}
}

func TestAncestorsAreTheWayToAChoice(t *testing.T) {
	menu := games.NewMenu(position(t, "loyal-captain", "+1", "+4", "1-7", "4-17"))
	if got, want := menu.Ancestors("7-9"), []string{"", "7", "7-9"}; !slices.Equal(got, want) {
		t.Errorf("the way to 7-9 is %q, want %q", got, want)
	}
	if got := menu.Ancestors("9-7"); got != nil {
		t.Errorf("the way to an illegal move is %q", got)
	}
}

// For any input, Parse returns a legal move, or an error with the part that fits or with possible continuations.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "9-10", "+3", "9 -", "\x00", "e4-f6@e5/w", "sail C4 $", strings.Repeat("-", 300),
		"ſ", "İ9"} {
		f.Add(s)
	}
	var menus []*games.Menu
	for _, g := range example.Games {
		setup, err := games.NewSetup(g, 0)
		if err != nil {
			f.Fatal(err)
		}
		s := g.New(setup)
		for i := 0; s.ToMove() == games.Chance; i++ { // avoids equal rolls, after which all would roll again forever
			outs := s.Outcomes()
			s = s.Apply(outs[i*7%len(outs)].Move)
		}
		menus = append(menus, games.NewMenu(s))
	}
	f.Fuzz(func(t *testing.T, typed string) {
		for _, menu := range menus {
			m, err := menu.Parse(typed)
			if err == nil {
				if !slices.ContainsFunc(menu.Candidates(), func(c games.Candidate) bool { return c.Move == m }) {
					t.Errorf("%q parses to %v, which is not legal", typed, m)
				}
				continue
			}
			var pe *games.ParseError
			if !errors.As(err, &pe) || len(pe.Want) == 0 && pe.After == "" {
				t.Errorf("%q: %v says no way on", typed, err)
			}
			menu.Complete(typed, 25, func(text.Message) string { return "" })
			menu.At(typed)
			menu.Ancestors(typed)
		}
	})
}
