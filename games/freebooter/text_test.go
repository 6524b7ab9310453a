package freebooter

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"marque/games"
	"marque/games/gametest"
	"marque/games/text"
	"marque/games/text/locale"
)

func speaker(t *testing.T) *locale.Speaker {
	t.Helper()
	c, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	return c.Speaker(func(n int) text.Message { return text.Raw([]string{"Ann", "Ben", "Cat", "Dan"}[n]) }, "en")
}

// said renders a message and fails the test if a sentence or an argument is missing.
func said(t *testing.T, sp *locale.Speaker, m text.Message) string {
	t.Helper()
	s := sp.Say(m)
	if s == "" || strings.Contains(s, "[freebooter") || strings.Contains(s, "<no value>") || strings.Contains(s, "{{") {
		t.Errorf("%s %v is said %q", m.ID, m.Args, s)
	}
	return s
}

// Discord's limits for a button's label and for a message, in characters.
const (
	maxLabel   = 80
	maxMessage = 2000
)

// TestEverythingIsSaid: messages of random games have a text, for a spectator and for players.
func TestEverythingIsSaid(t *testing.T) {
	sp := speaker(t)
	for seed := range uint64(9) {
		seats := 2 + int(seed)%3
		rng := newRand(seed)
		s := Game.New(games.Setup{Seats: seats})
		var trail []games.Step
		for ply := 0; ; ply++ {
			if ply%5 == 0 || s.ToMove() == games.Nobody {
				for _, v := range []games.Seat{games.Spectator, games.Seat(rng.IntN(seats))} {
					speakScene(t, sp, games.Mask(s, v), v, masked(trail, v))
				}
			}
			if s.ToMove() == games.Nobody {
				break
			}
			for _, m := range s.Moves() {
				said(t, sp, s.Describe(m))
				for _, w := range s.Spell(m) {
					said(t, sp, w.Ask)
					if l := said(t, sp, w.Label); utf8.RuneCountInString(l) > maxLabel {
						t.Errorf("the label %q is too long", l)
					}
				}
			}
			m, next := gametest.Random(s, rng)
			said(t, sp, s.Describe(m))
			said(t, sp, games.Mask(s, games.Spectator).Describe(games.MaskMove(s, m, games.Spectator)))
			trail = append(trail, games.Step{Before: s, Seat: s.ToMove(), Move: m})
			trail = trail[max(0, len(trail)-4):]
			s = next
		}
		said(t, sp, s.Result().Why)
	}
}

func masked(trail []games.Step, v games.Seat) []games.Step {
	var seen []games.Step
	for _, st := range trail {
		seen = append(seen, games.Step{Before: games.Mask(st.Before, v), Seat: st.Seat,
			Move: games.MaskMove(st.Before, st.Move, v)})
	}
	return seen
}

func speakScene(t *testing.T, sp *locale.Speaker, s games.State, v games.Seat, trail []games.Step) {
	t.Helper()
	sc := s.Scene(v, trail)
	for _, m := range sc.Alt {
		said(t, sp, m)
	}
	for _, p := range sc.Panels {
		for _, st := range p.Stats {
			said(t, sp, st.Label)
		}
	}
	for _, st := range sc.Status {
		said(t, sp, st.Label)
	}
	n := 0
	for _, l := range sc.Text {
		n += utf8.RuneCountInString(l) + 1
	}
	for _, m := range sc.Legend {
		n += utf8.RuneCountInString(said(t, sp, m)) + 1
	}
	if n > maxMessage {
		t.Errorf("text board and legend have %d characters, want at most %d", n, maxMessage)
	}
	if v < 0 && len(sc.Hand) > 0 {
		t.Errorf("a spectator is shown cards: %v", sc.Hand)
	}
}

func TestInfo(t *testing.T) {
	sp := speaker(t)
	info := Game.Info()
	for _, m := range append(info.Quick, info.Name, info.Tagline, info.Credits) {
		said(t, sp, m)
	}
	if c := sp.Say(info.Credits); !strings.Contains(c, "Reiner Stockhausen") || !strings.Contains(c, "not affiliated") {
		t.Errorf("credits %q", c)
	}
	for _, s := range info.Rules {
		said(t, sp, s.Title)
		if n := utf8.RuneCountInString(said(t, sp, s.Body)); n > 1500 {
			t.Errorf("rules section %s has %d characters, want at most 1500", s.Key, n)
		}
	}
}

// TestDescribe: Describe returns the expected sentences for some moves of the examples.
func TestDescribe(t *testing.T) {
	sp := speaker(t)
	four := newTable(t, 3).lay("10", "C4").lay("double20", "D4").lay("warehouse", "C5", "A1").boarded(2, "C4").hand(0,
		"D5", "A1", "row1").
		boats(0, "C4").boats(1, "D4", "E4", "C5", "C6").boats(2, "E5", "D6")
	e1, e2 := volker(t, 20), volker(t, 2)
	e1.p.turn, e2.p.turn = 1, 1
	for _, tc := range []struct {
		name string
		s    games.State
		move string
		want string
	}{
		{"FB-E1", e1.state(), "sail D5", "Ben sails a boat to D5. Ann captures the 15/3 ship at CD45 and pays $6 to Ben and $3 to Cat."},
		{"FB-E2", e2.state(), "sail D5", "Ben sails a boat to D5. Ann captures the 15/3 ship at CD45 and pays $6 to Ben and $3 to Cat, $7 of it borrowed from the bank."},
		{"FB-6 a choice", four.state(), "sail D5", "Ann sails a boat to D5. The counters at CD45, DE45 and CD56 are encircled; Ann chooses the order."},
		{"FB-6 resolve", play(t, four.state(), "sail D5"), "resolve CD56", "Ann settles CD56 next. The warehouse at CD56 is plundered: $2 to Ann, $4 to Ben and $2 to Cat."},
		{"FB-6 the last", play(t, four.state(), "sail D5", "resolve CD56"), "resolve DE45",
			"Ann settles DE45 next. The double-value counter for 20 leaves DE45: every 20/4 ship counts double now. Cat captures the 10/2 ship at CD45 and pays $4 to Ann and $4 to Ben."},
		{"FB-4", newTable(t, 2).boats(1, "B2").hand(0, "B2", "A1").state(), "sail B2 $", "Ann plays B2 and takes $2 from the bank."},
		{"FB-5", newTable(t, 2).lay("5", "C4").lay("warehouse", "F6").boats(1, "C4", "D4", "C5").hand(0, "A1",
			"row5").state(), "dutchman row5 D5",
			"Ann plays row 5: out of the mist the Flying Dutchman appears in D5. The 5/1 ship at CD45, which nobody had boarded, escapes."},
		{"FB-3", newTable(t, 2).lay("5", "C4").hand(0, "A1").state(), "board CD45", "Ann boards the 5/1 ship at CD45."},
	} {
		m, err := games.FindMove(tc.s, tc.move)
		if err != nil {
			t.Fatalf("%s: %v", tc.name, err)
		}
		if got := said(t, sp, tc.s.Describe(m)); got != tc.want {
			t.Errorf("%s: %s is told\n%q, want\n%q", tc.name, tc.move, got, tc.want)
		}
	}
}

// TestTextBoard: the text board of a position equals the golden file.
func TestTextBoard(t *testing.T) {
	sp := speaker(t)
	rng := newRand(3)
	s := Game.New(games.Setup{Seats: 4})
	var trail []games.Step
	for range 190 {
		m, next := gametest.Random(s, rng)
		trail = append(trail, games.Step{Before: s, Seat: s.ToMove(), Move: m})
		s = next
	}
	sc := games.Mask(s, 2).Scene(2, masked(trail[len(trail)-8:], 2))
	var b strings.Builder
	for _, l := range sc.Text {
		fmt.Fprintln(&b, l)
	}
	for _, m := range append(sc.Legend, sc.Alt...) {
		fmt.Fprintln(&b, said(t, sp, m))
	}
	gametest.Golden(t, "textboard.txt", b.String())
}

// A choice that captures a ship says what its player pays for the boats of the others around the ship.
func TestChoicesSayWhatACaptureCosts(t *testing.T) {
	sp := speaker(t)
	paid, all := 0, 0
	for seed := range uint64(20) {
		rng := newRand(seed)
		s := Game.New(games.Setup{Seats: 3})
		for s.ToMove() != games.Nobody {
			seat := s.ToMove()
			for _, m := range s.Moves() {
				before := s.(state).p
				next, events := after(&before, m)
				if len(events) != 1 || events[0].owner != seat {
					continue
				}
				cost := before.money[seat] - next.money[seat] + next.debt[seat] - before.debt[seat]
				want := fmt.Sprintf("you capture a ship worth %d", events[0].counter.value())
				if all++; cost > 0 {
					want += fmt.Sprintf(" for $%d", cost)
					paid++
				}
				if got := sp.Say(s.(state).DescribeEffect(m)); got != want {
					t.Fatalf("%s: the choice says %q, want %q", games.Spell(s, m), got, want)
				}
			}
			_, s = gametest.Random(s, rng)
		}
	}
	if paid == 0 || all == paid {
		t.Errorf("of %d captures %d cost something: nothing was tested", all, paid)
	}
}

// The first question says when none of the player's Dutchman cards can be played, but says nothing about the hands of
// other players.
func TestTheQuestionSaysWhenTheDutchmanCannotBeSent(t *testing.T) {
	sp := speaker(t)
	for _, tc := range []struct {
		cards []string
		want  string
	}{
		{[]string{"B2"}, "What will you do?"},
		{[]string{"B2", "row4"}, "What will you do? Your Dutchman card can't encircle anything now."},
		{[]string{"B2", "row4", "columnA"},
			"What will you do? None of your 2 Dutchman cards can encircle anything now."},
		{[]string{"B2", "row4", "columnD"}, "What will you do?"},
	} {
		s := newTable(t, 2).lay("5", "C3", "E5").boats(0, "C3", "C4", "D4").hand(0, tc.cards...).state()
		for viewer, want := range []string{tc.want, "What will you do?"} {
			seen := games.Mask(s, games.Seat(viewer))
			for _, m := range seen.Moves() {
				if got := sp.Say(seen.Spell(m)[0].Ask); got != want {
					t.Errorf("seat 0 holds %v: for %s seat %d sees %q, want %q", tc.cards,
						games.Spell(seen, m), viewer, got, want)
				}
			}
		}
	}
}
