package table_test

import (
	"testing"
	"testing/synctest"
	"time"

	"marque/bot/choices"
	"marque/storage"
)

// gaps are days without a midnight in some zones. They have 23 hours, because clocks go forward at their beginning.
var gaps = []struct {
	zone  string
	y     int
	m     time.Month
	d     int
	begin time.Time
}{
	{"America/Santiago", 2026, 9, 6, time.Date(2026, 9, 6, 4, 0, 0, 0, time.UTC)},
	{"America/Havana", 2026, 3, 8, time.Date(2026, 3, 8, 5, 0, 0, 0, time.UTC)},
	{"Atlantic/Azores", 2026, 3, 29, time.Date(2026, 3, 29, 1, 0, 0, 0, time.UTC)},
	{"Asia/Beirut", 2026, 3, 29, time.Date(2026, 3, 28, 22, 0, 0, 0, time.UTC)},
	{"Africa/Cairo", 2026, 4, 24, time.Date(2026, 4, 23, 22, 0, 0, 0, time.UTC)},
}

// A quiet weekday or date is quiet from its first moment to its last, even if clocks go forward at midnight.
func TestAQuietDayWithoutMidnight(t *testing.T) {
	t.Parallel()
	for _, gap := range gaps {
		for _, how := range []string{"weekday", "date"} {
			t.Run(gap.zone+" "+how, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					time.Sleep(time.Until(gap.begin.Add(-10 * time.Hour)))
					s := newShip(t)
					defer func() { s.sink() }()
					day := time.Date(gap.y, gap.m, gap.d, 0, 0, 0, 0, time.UTC)
					if _, err := s.Choices.ChangeSettings(t.Context(), "g", func(c *choices.Settings) {
						if c.SetQuiet(time.Now(), 0, gap.zone); how == "weekday" {
							c.SetQuiet(time.Now(), 1<<day.Weekday(), gap.zone)
						}
					}); err != nil {
						t.Fatal(err)
					}
					if how == "date" {
						s.quietDates(day.Format(time.DateOnly))
					}
					snap := timed(s, perMove(12*time.Hour, storage.LateOffer), "ann", "bob")
					at, runs, err := s.deadline(t.Context(), snap.Head)
					if want := gap.begin.Add((23 + 2) * time.Hour); err != nil || !runs || !at.Equal(want) {
						t.Errorf("12 hours from 10 hours before the day on end at %v (%v, %v), want 2 hours after it: %v", at.UTC(), runs, err, want)
					}
				})
			})
		}
	}
}

// On a day without a midnight, quiet hours that begin at midnight begin with the day, and quiet hours that end at
// midnight last until the day begins.
func TestQuietHoursWithoutMidnight(t *testing.T) {
	t.Parallel()
	for _, gap := range gaps {
		for _, tc := range []struct {
			name  string
			night [2]int        // quiet hours, from and to, in hours
			due   time.Duration // time from the day's beginning
			want  time.Duration
		}{
			{"due before they begin", [2]int{0, 8}, -30 * time.Minute, -30 * time.Minute},
			// The day begins at 1 o'clock.
			{"due after they begin", [2]int{0, 8}, 30 * time.Minute, 7 * time.Hour},
			{"due before they end", [2]int{22, 0}, -30 * time.Minute, 0},
		} {
			t.Run(gap.zone+" "+tc.name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					time.Sleep(time.Until(gap.begin.Add(tc.due - 6*time.Hour)))
					s := newShip(t)
					defer func() { s.sink() }()
					if _, err := s.Choices.ChangePreferences(t.Context(), "ann", func(p *choices.Preferences) error {
						p.Remind, p.Night, p.Zone = 6, [2]int{60 * tc.night[0], 60 * tc.night[1]}, gap.zone
						return nil
					}); err != nil {
						t.Fatal(err)
					}
					s.Start(s.teller)
					snap := timed(s, storage.ClockRule{}, "ann", "bob")
					began := gap.begin.Add(tc.due - 6*time.Hour)
					for len(s.kinds(snap.ID, storage.Reminded)) == 0 && time.Since(began) < 3*24*time.Hour {
						time.Sleep(time.Minute)
						synctest.Wait()
					}
					if got := time.Since(gap.begin).Round(5 * time.Minute); got != tc.want {
						t.Errorf("reminded %v after the day begins, want %v", got, tc.want)
					}
				})
			})
		}
	}
}
