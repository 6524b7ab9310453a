package table

import (
	"testing"
	"time"
)

// Puzzles are counted by the year in which they were solved; the year before is kept, and no other.
func TestPuzzlesOfAYear(t *testing.T) {
	day := func(year int, month time.Month, day int) int {
		return DayOf(time.Date(year, month, day, 12, 0, 0, 0, time.UTC))
	}
	var is Puzzler
	for _, d := range []int{day(2025, 12, 30), day(2025, 12, 31), day(2026, 1, 1), day(2026, 5, 1), day(2026, 5, 2)} {
		is.solve(d)
	}
	wants := func(want map[int]int) {
		t.Helper()
		for year, n := range want {
			if got := is.SolvedIn(year); got != n {
				t.Errorf("in %d there are %d, want %d", year, got, n)
			}
		}
	}
	wants(map[int]int{2024: 0, 2025: 2, 2026: 3, 2027: 0})
	is.solve(day(2028, 1, 1))
	wants(map[int]int{2026: 0, 2027: 0, 2028: 1})
}
