package league

import (
	"testing"
	"time"

	"marque/bot/table"
	"marque/games"
	"marque/games/rating"
	"marque/storage"
)

// The year is shown in December and January only.
func TestWhenAYearIsShown(t *testing.T) {
	for month := time.January; month <= time.December; month++ {
		got, ok := yearShown(time.Date(2027, month, 15, 0, 0, 0, 0, time.UTC))
		want := map[time.Month]int{time.January: 2026, time.December: 2027}[month]
		if got != want || ok != (want != 0) {
			t.Errorf("in %v it is %d, %v; want %d", month, got, ok, want)
		}
	}
}

// A year's results are counted by month in the user's time zone, without voided and abandoned results.
func TestWhatAYearHolds(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	me, jack, mary := table.Occupant{User: "1"}, table.Occupant{User: "2"}, table.Occupant{User: "3"}
	gone, computer := table.Occupant{User: storage.Departed + "4"}, table.Occupant{Computer: "hard"}
	next := table.ID(0)
	result := func(game string, month time.Month, turns int, winner games.Seat, other table.Occupant,
		points float64) table.Result {
		next++
		return table.Result{
			Table: next, Game: game, Seats: []table.Occupant{me, other}, Winners: []games.Seat{winner}, Turns: turns,
			Ended:   storage.At(time.Date(2026, month, 1, 0, 0, 0, 0, time.UTC).Add(-90 * time.Minute)),
			Ratings: []rating.Rating{{}, {Mu: points}},
		}
	}
	void, abandoned := result("a", 5, 999, 0, mary, 99), result("a", 5, 999, 0, mary, 99)
	void.Voided, abandoned.Ending = &storage.Voiding{By: "9"}, games.Abandoned
	drawn := result("b", 6, 30, 0, jack, 3)
	drawn.Drawn, drawn.Winners = true, []games.Seat{0, 1}
	shown := []table.Result{
		result("a", 3, 10, 0, jack, 3), result("a", 3, 50, 1, mary, 9), result("b", 4, 20, 0, mary, 5),
		result("b", 4, 40, 0, gone, 30), result("b", 4, 45, 0, computer, 40), drawn, void, abandoned,
	}
	// 22:30 UTC on the last day of February is 23:30 in Berlin, and on the last days of March and May it is half past
	// midnight.
	y := count(shown, "1", berlin)
	if y.games != 6 || y.won != 4 || y.drawn != 1 || y.favourite != "b" || y.often != 4 || y.longest.Turns != 50 {
		t.Errorf("the year is %+v", y)
	}
	if y.best.Table != 3 && y.best.Turns != 20 || y.best.Seats[y.beaten].User != "3" {
		t.Errorf("the best win is %+v against seat %d, want that against Mary", y.best, y.beaten)
	}
	want := map[time.Month][2]int{2: {2, 1}, 4: {3, 3}, 6: {1, 0}}
	for i, m := range y.months {
		if got := [2]int{m.Games, m.Won}; got != want[time.Month(i+1)] {
			t.Errorf("%v has %d games and %d won, want %v", time.Month(i+1), got[0], got[1], want[time.Month(i+1)])
		}
	}
}
