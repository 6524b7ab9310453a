package league

import (
	"fmt"
	"slices"
	"testing"

	"marque/bot/table"
	"marque/games"
	"marque/games/text"
	"marque/storage"
)

// A player's opponents are listed once per user, and once per computer level and game. Abandoned and voided results do
// not count, nor do users whose data were deleted.
func TestRivals(t *testing.T) {
	computer := func(level string) table.Occupant {
		return table.Occupant{Computer: level, Name: text.NewName("Bosun (" + level + ")")}
	}
	me, jack, gone := table.Occupant{User: "1"}, table.Occupant{User: "2"}, table.Occupant{User: storage.Departed + "3"}
	result := func(game string, ended storage.Stamp, winner games.Seat, seats ...table.Occupant) table.Result {
		return table.Result{Game: game, Ended: ended, Winners: []games.Seat{winner}, Seats: seats}
	}
	drawn := result("a", 5, 0, me, jack)
	drawn.Drawn, drawn.Winners = true, []games.Seat{0, 1}
	void, abandoned := result("a", 90, 1, me, jack), result("a", 91, 1, me, jack)
	void.Voided, abandoned.Ending = &storage.Voiding{By: "9"}, games.Abandoned
	list := []table.Result{
		abandoned, void,
		result("b", 8, 2, me, computer("easy"), computer("easy"), computer("hard")), // an easy computer won
		result("a", 7, 0, me, computer("easy"), computer("easy"), jack),
		result("a", 6, 1, jack, me, gone),
		drawn,
		result("b", 4, 1, me, me, jack), // the same user in two seats
	}
	var got []string
	for _, v := range rivals(list, "1") {
		got = append(got, fmt.Sprintf("%s%s %s: %d games, %d won, %d lost, last %d", v.User, v.Computer, v.game,
			v.games, v.won, v.lost, v.last))
	}
	want := []string{
		"2 : 4 games, 2 won, 0 lost, last 7",
		"easy b: 1 games, 0 won, 1 lost, last 8",
		"hard b: 1 games, 0 won, 0 lost, last 8",
		"easy a: 1 games, 1 won, 0 lost, last 7",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the opponents are\n%q, want\n%q", got, want)
	}
}
