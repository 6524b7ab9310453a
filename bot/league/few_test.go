package league

import (
	"fmt"
	"testing"

	"marque/bot/table"
	"marque/games"
	"marque/storage"
)

// Players with enough wins over people who play with hardly anybody else, or who leave early, are listed. Other
// wins are ignored, and so are results that do not count.
func TestWinsOverFewStandOut(t *testing.T) {
	var list []table.Result
	play := func(times int, stayed []int, users ...string) {
		for range times {
			r := table.Result{Game: "a", Winners: []games.Seat{0}, Stayed: stayed}
			for _, u := range users {
				r.Seats = append(r.Seats, table.Occupant{User: u})
			}
			list = append(list, r)
		}
	}
	play(4, nil, "ann", "x")
	play(3, []int{100, 30}, "ann", "y")
	play(1, nil, "y", "x")
	for i := range 7 { // cid and these players all meet each other
		play(2, nil, "cid", fmt.Sprint("p", i))
		for j := range i {
			play(1, nil, fmt.Sprint("p", i), fmt.Sprint("p", j))
		}
	}
	play(5, []int{100, 20}, "dan", "p0") // p0 meets many opponents, but leaves early
	play(4, nil, "eve", "z")             // eve has too few wins to be listed
	for range 9 {
		list = append(list, table.Result{Winners: []games.Seat{0}, Voided: &storage.Voiding{},
			Seats: []table.Occupant{{User: "eve"}, {User: "z"}}})
	}
	var got []string
	for _, g := range overFew(list) {
		got = append(got, fmt.Sprintf("%s %d %d %d %v", g.who.User, g.wins, g.few, g.left, g.over))
	}
	want := []string{"ann 7 7 3 map[x:4 y:3]", "dan 5 0 5 map[p0:5]"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("whose wins stand out: %q, want %q", got, want)
	}
}
