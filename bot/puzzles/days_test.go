package puzzles

import (
	"log/slog"
	"testing"
	"time"

	"marque/bot/choices"
	"marque/bot/table"
	"marque/storage"
	"marque/storage/kv/strict"
)

// Solved puzzles are counted by year. Only the last two years are stored.
func TestPuzzlesOfAYear(t *testing.T) {
	day := func(year int, month time.Month, day int) int {
		return DayOf(time.Date(year, month, day, 12, 0, 0, 0, time.UTC))
	}
	var is storage.Puzzler
	for _, d := range []int{day(2025, 12, 30), day(2025, 12, 31), day(2026, 1, 1), day(2026, 5, 1), day(2026, 5, 2)} {
		is = solve(is, d)
	}
	wants := func(want map[int]int) {
		t.Helper()
		for year, n := range want {
			if got := solvedIn(is, year); got != n {
				t.Errorf("in %d there are %d, want %d", year, got, n)
			}
		}
	}
	wants(map[int]int{2024: 0, 2025: 2, 2026: 3, 2027: 0})
	is = solve(is, day(2028, 1, 1))
	wants(map[int]int{2026: 0, 2027: 0, 2028: 1})
}

// A process that is late with the puzzle of the day learns before posting that another process is due to post it or has
// posted it, or that the server no longer wants it there. Its late record does not replace a newer one.
func TestTheDailyPuzzleOfALateOwner(t *testing.T) {
	t.Parallel()
	const day, guild = 20_700, "tortuga"
	ctx := t.Context()
	store, err := storage.Open(ctx, strict.New(storage.Cover))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	s := table.New(table.Config{Store: store, Log: slog.New(slog.DiscardHandler)})
	days := NewDays(s, store, nil)
	lease, held := storage.Fence{Process: "a", Term: 1}, true
	s.Sharing.Begin(table.Share{
		Fence:     func(string) (storage.Fence, bool) { return lease, held },
		Exclusive: func(string) bool { return true }, Alone: func() bool { return false },
	})
	change := func(f func(*choices.Settings)) {
		t.Helper()
		if _, err := s.Choices.ChangeSettings(ctx, guild, f); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		what      string
		meanwhile func()
		want      bool
		noted     int // the recorded day after a late record
	}{
		{"nothing happens", func() {}, true, day},
		{"the lease runs out", func() { held = false }, false, day},
		{"another process has the lease, and hands it back", func() { lease.Term += 2 }, false, day},
		{"another process posts it", func() { change(func(c *choices.Settings) { c.PuzzleDay = day }) }, false, day},
		{"another process posts that of the day after",
			func() { change(func(c *choices.Settings) { c.PuzzleDay = day + 1 }) }, false, day + 1},
		{"the server wants it elsewhere",
			func() { change(func(c *choices.Settings) { c.PuzzleChannel = "elsewhere" }) }, false, day - 1},
		{"the server does not want it",
			func() { change(func(c *choices.Settings) { c.PuzzleChannel = "" }) }, false, day - 1},
	} {
		held = true
		change(func(c *choices.Settings) { c.PuzzleChannel, c.PuzzleDay = "tavern", day-1 })
		found := 0
		err := days.posting(ctx, day, func(p post) error {
			found++
			tc.meanwhile()
			if wanted, err := p.wanted(ctx); err != nil || wanted != tc.want {
				t.Errorf("%s: it is to be posted: %v (%v), want %v", tc.what, wanted, err, tc.want)
			}
			return p.posted(ctx)
		})
		if err != nil || found != 1 {
			t.Errorf("%s: %d servers want it (%v)", tc.what, found, err)
		}
		if is, err := s.Choices.Settings(ctx, guild); err != nil || is.PuzzleDay != tc.noted {
			t.Errorf("%s: day %d is noted (%v), want %d", tc.what, is.PuzzleDay, err, tc.noted)
		}
	}
}
