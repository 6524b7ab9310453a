package review_test

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"marque/games"
	"marque/games/catalog"
	"marque/games/review"
)

// A course holds, for each player, the number of decisions of each class, the best and the worst decision, and the
// chances over time. Storing and reading it does not change it.
func TestACourseSaysHowEachPlayed(t *testing.T) {
	m := match(t, 6)
	var c review.Course
	for i, d := range []struct{ had, lost, ahead float64 }{{0.5, 0, 0.3}, {0.5, 0.04, 0}, {0.6, 0.06, 0},
		{0.4, 0.15, 0}, {0.7, 0.5, 0}} {
		c = c.Add(&review.Decision{TurningPoint: review.TurningPoint{Play: i, Had: d.had, Left: d.had - d.lost},
			Ahead: d.ahead})
	}
	c = c.Add(nil)
	if c.Len() != 6 || !c.Sound(6) || c.Sound(5) {
		t.Errorf("a course of six plays has %d, sound %t, %t", c.Len(), c.Sound(6), c.Sound(5))
	}
	b, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var again review.Course
	if err := json.Unmarshal(b, &again); err != nil || !reflect.DeepEqual(again, c) {
		t.Errorf("%s is read as %+v, %v", b, again, err)
	}
	players := again.Players(m)
	for seat, want := range []review.Player{
		{Decisions: 3, Classes: [4]int{1, 1, 0, 1}, Best: 0, Worst: 4, Chances: []review.Chance{{Plays: 0, Of: 0.5},
			{Plays: 2, Of: 0.6}, {Plays: 4, Of: 0.7}}},
		{Decisions: 2, Classes: [4]int{1, 0, 1, 0}, Best: -1, Worst: 3, Chances: []review.Chance{{Plays: 1, Of: 0.5},
			{Plays: 3, Of: 0.4}}},
	} {
		if !reflect.DeepEqual(players[seat], want) {
			t.Errorf("seat %d played %+v, want %+v", seat, players[seat], want)
		}
	}
	stopped := match(t, 6)
	if err := stopped.End(games.Abandoned); err != nil {
		t.Fatal(err)
	}
	if got := again.Players(stopped)[0].Chances; len(got) != 3 {
		t.Errorf("a game without a result ends at %+v, want only the chances before the three decisions", got)
	}
	if err := m.End(games.Agreed); err != nil {
		t.Fatal(err)
	}
	if last := again.Players(m)[0].Chances[3]; last != (review.Chance{Plays: m.Len(), Of: 0.5}) {
		t.Errorf("an agreed draw ends at %+v", last)
	}
}

// The accuracy in a measured game is 100 for a player who loses nothing, and never increases with the loss. It is above
// 0 even for a mean loss of 0.3 per decision.
func TestAccuracyFallsWithWhatIsGivenAway(t *testing.T) {
	measured := 0
	for _, g := range catalog.Games {
		if _, ok := review.Accuracy(g.Key(), 0); !ok {
			continue
		}
		measured++
		last := 100.0
		for lost := 0.0; lost <= 0.3; lost += 0.0001 {
			a, ok := review.Accuracy(g.Key(), lost)
			if !ok || a > last+1e-9 || a <= 0 || lost == 0 && a != 100 {
				t.Fatalf("%s: who gives away %.4f has %.2f, %t; a little less has %.2f", g.Key(), lost, a, ok, last)
			}
			last = a
		}
		if last > 30 {
			t.Errorf("%s: who gives away 0.3 with each decision has %v", g.Key(), last)
		}
	}
	if measured == 0 {
		t.Error("no game was measured: the test does not test")
	}
	if a, ok := review.Accuracy("heap", 0.1); ok || math.IsNaN(a) {
		t.Errorf("a game that was not measured has the accuracy %v", a)
	}
}
