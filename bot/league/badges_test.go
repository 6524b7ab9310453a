package league

import (
	"testing"

	"marque/bot/show"
	"marque/games/catalog"
	"marque/games/competition"
)

// Each merit earns its own badge and no other.
func TestBadgesAreEarnedByOneMeritEach(t *testing.T) {
	by := map[string]merits{"lessons": {learned: true}, "comeback": {comeback: true}, "punctual": {punctual: true}}
	for _, g := range catalog.Games {
		by["win-"+g.Key()] = merits{won: map[string]bool{g.Key(): true}}
	}
	list := badges(show.Games(catalog.Games))
	if len(list) != len(by) {
		t.Errorf("there are %d badges, want %d", len(list), len(by))
	}
	for _, b := range list {
		for key, m := range by {
			if got := b.earned(m); got != (key == b.key) {
				t.Errorf("the badge %q is earned by the merit of %q: %v", b.key, key, got)
			}
		}
	}
}

// A player who has played all games of a complete league season, and lost none on time, is punctual. Walkovers alone
// do not suffice.
func TestPunctual(t *testing.T) {
	const win = competition.Win
	season := func(change func(*competition.Competition)) competition.Competition {
		c := competition.Competition{Setup: competition.Setup{Kind: competition.League}, Phase: competition.Ended,
			Why: competition.EndPlayed, Entrants: make([]competition.Entrant, 3), Pairings: []competition.Pairing{
				{Seats: []int{0, 1}, End: competition.Played, Points: []int{0, win}},
				{Seats: []int{2, 0}, End: competition.TimeUp, Points: []int{0, win}},
				{Seats: []int{1, 2}, End: competition.Void, Points: []int{0, 0}},
			}}
		change(&c)
		return c
	}
	same := func(*competition.Competition) {}
	for _, tc := range []struct {
		what    string
		entrant int
		change  func(*competition.Competition)
		want    bool
	}{
		{"who lost by the rules, and won on time", 0, same, true},
		{"with a void result", 1, same, true},
		{"who lost on time", 2, same, false},
		{"who withdrew", 0, func(c *competition.Competition) { c.Entrants[0].Out = 1 }, false},
		{"while it runs", 0, func(c *competition.Competition) { c.Phase = competition.Running }, false},
		{"called off", 0, func(c *competition.Competition) { c.Why = competition.EndCalled }, false},
		{"a tournament", 0, func(c *competition.Competition) { c.Setup.Kind = competition.Swiss }, false},
		{"not finished", 1, func(c *competition.Competition) { c.Pairings[0].End = competition.Unfinished },
			false},
		{"with walkovers alone", 1, func(c *competition.Competition) {
			c.Pairings = []competition.Pairing{{Seats: []int{1}, End: competition.Walkover, Points: []int{win}}}
		}, false},
	} {
		if got := punctual(season(tc.change), tc.entrant); got != tc.want {
			t.Errorf("%s: %v, want %v", tc.what, got, tc.want)
		}
	}
}
