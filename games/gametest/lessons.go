package gametest

import (
	"strings"
	"testing"

	"marque/games"
	"marque/games/text"
	"marque/games/text/locale"
)

// checkLessons makes every legal play in every lesson. It checks that some plays solve the task and some do not, that
// the plays that follow are legal, that each kind of miss occurs, and that the positions have a text board and an alt
// text. A lesson must end with a win, but not the last one, so that a beginner soon learns the aim of the game.
func checkLessons(t *testing.T, g games.Game) {
	teacher, ok := g.(games.Teacher)
	if !ok {
		t.Skip("the game has no lessons")
	}
	sentences, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	say := sentences.Speaker(nil, "en")
	told := func(t *testing.T, m text.Message) {
		if said := say.Say(m); said == "" || strings.HasPrefix(said, "[") {
			t.Errorf("%s is said as %q", m.ID, said)
		}
	}
	lessons := teacher.Lessons()
	if n := len(lessons); n < 5 || n > 8 {
		t.Errorf("%d lessons; there should be five to eight", n)
	}
	seen := map[string]bool{}
	won := -1 // index of the lesson that ends with a win
	for i, l := range lessons {
		t.Run(l.Key, func(t *testing.T) {
			if seen[l.Key] || strings.ContainsAny(l.Key, "/.") {
				t.Errorf("the key %q is there twice, or cannot stand in a control", l.Key)
			}
			seen[l.Key] = true
			start, err := l.Start(g)
			if err != nil {
				t.Fatal(err)
			}
			seat := start.ToMove()
			if seat < 0 {
				t.Fatalf("nobody is to move after %q", l.Line)
			}
			for _, m := range []text.Message{l.Title(g), l.Task(g), l.Hint(g), l.Praise(g)} {
				told(t, m)
			}
			shown(t, start, seat, say)

			var solutions, others []string
			missed := make([]int, len(l.Misses)+1)
			for _, m := range start.State().Moves() {
				match := start.Fork()
				if err := match.Play(m); err != nil {
					t.Fatal(err)
				}
				spelled := games.Spell(start.State(), m)
				try := games.Try{Before: start.State(), After: match.State(), Seat: seat, Move: m}
				if !l.Done(try) {
					others = append(others, spelled)
					told(t, l.Miss(g, try))
					which := len(l.Misses)
					for j, miss := range l.Misses {
						if miss.Is(try) {
							which = j
							break
						}
					}
					missed[which]++
					if line, ok := games.Threat(try.After, seat); ok {
						for _, m := range line {
							if err := match.Play(m); err != nil {
								t.Fatalf("after %s it is said that %d could follow: %v", spelled, m, err)
							}
						}
					}
					shown(t, match, seat, say)
					continue
				}
				solutions = append(solutions, spelled)
				if try.Wins() {
					won = i
				}
				for _, then := range games.Plays(l.Then) {
					if err := match.PlayExact(then); err != nil {
						t.Fatalf("what follows %s: %v", spelled, err)
					}
				}
				shown(t, match, seat, say)
			}
			for j, n := range missed {
				if n == 0 {
					t.Errorf("nobody can miss in way %d of %d", j+1, len(missed))
				}
			}
			if len(solutions) == 0 || len(others) == 0 {
				t.Errorf("done by %q, not by %q: there must be both", solutions, others)
			}
			t.Logf("done by %q, not by %d others", solutions, len(others))
		})
	}
	if won < 0 || won == len(lessons)-1 {
		t.Errorf("one wins in lesson %d of %d; it should be one before the last", won+1, len(lessons))
	}
}

// shown checks that the position has a text board and an alt text for seat.
func shown(t *testing.T, m *games.Match, seat games.Seat, say interface{ Say(text.Message) string }) {
	t.Helper()
	sc := m.View(seat).State.Scene(seat, m.Trail(seat, m.Len()-1, m.Len()))
	if len(sc.Text) == 0 || len(sc.Alt) == 0 {
		t.Errorf("no text board or alt text after %v", m.Log())
	}
	for _, a := range sc.Alt {
		if said := say.Say(a); strings.HasPrefix(said, "[") {
			t.Errorf("%s is said as %q", a.ID, said)
		}
	}
}
