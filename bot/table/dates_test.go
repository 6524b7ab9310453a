package table_test

import (
	"archive/zip"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"marque/bot/table"
	"marque/bot/table/clock"
	"marque/storage"
)

// allZones are the time zones that come with Go.
func allZones(t *testing.T) []*time.Location {
	t.Helper()
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.OpenReader(filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = z.Close() }()
	var zones []*time.Location
	for _, f := range z.File {
		if strings.HasSuffix(f.Name, "/") {
			continue
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(f.Name, err)
		}
		loc, err := time.LoadLocationFromTZData(f.Name, data)
		if err != nil {
			t.Fatal(f.Name, err)
		}
		zones = append(zones, loc)
	}
	return zones
}

// The days of every zone tile time: each begins where the one before it ends, and all of its
// moments are of the day that time.In says. A day that a zone leaves out is empty.
func TestDaysTileTime(t *testing.T) {
	t.Parallel()
	zones := allZones(t)
	if len(zones) < 400 {
		t.Fatalf("only %d zones", len(zones))
	}
	const date = time.DateOnly
	days, shifted := 0, 0
	for _, loc := range zones {
		for _, years := range [][2]int{{2011, 2012}, {2026, 2027}, {2040, 2041}} {
			if years[0] == 2011 && (loc.String() == "America/St_Johns" || loc.String() == "America/Goose_Bay" ||
				loc.String() == "Canada/Newfoundland") {
				// until then their clocks went back a minute after midnight, into the day before:
				// no such day is one piece
				continue
			}
			begin := clock.Midnight(years[0], 1, 1, loc)
			for d := 1; begin.Before(clock.Midnight(years[1], 1, 1, loc)); d++ {
				day := time.Date(years[0], 1, d, 0, 0, 0, 0, time.UTC).Format(date)
				end := clock.Midnight(years[0], 1, d+1, loc)
				moments := []time.Time{begin, end.Add(-time.Nanosecond)}
				if begin.Hour() != 0 {
					shifted++
				}
				if _, offset := begin.Zone(); end.Sub(begin) != 24*time.Hour {
					for at := begin; at.Before(end); at = at.Add(10 * time.Minute) {
						if _, now := at.Zone(); now != offset {
							moments = append(moments, at.Add(-time.Nanosecond), at)
							offset = now
						}
					}
				}
				for _, at := range moments {
					if end.Equal(begin) && begin.Add(-time.Nanosecond).Format(date) < day && begin.Format(date) > day {
						continue // the zone goes from the day before to the day after
					}
					if got := at.In(loc).Format(date); got != day || at.Before(begin) || !at.Before(end) {
						t.Errorf("%v: %s is from %v to %v, and of that %v is the %s", loc, day, begin, end, at, got)
					}
				}
				begin = end
				days++
			}
		}
	}
	t.Logf("%d zones, %d days, of which %d do not begin at midnight", len(zones), days, shifted)
	if shifted == 0 {
		t.Error("no zone leaves a midnight out: the test has nothing to show")
	}
}

// gaps are days without a midnight: clocks go forward when they begin, and they are 23 hours long.
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

// A quiet day is quiet from its first moment to its last, also where clocks go forward at midnight;
// be it a weekday or a date.
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
					if _, err := s.Choices.ChangeSettings(t.Context(), "g", func(c *table.Settings) {
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

// Quiet hours that begin at midnight begin with the day, also where its midnight is left out, and
// those that end then last until then.
func TestQuietHoursWithoutMidnight(t *testing.T) {
	t.Parallel()
	for _, gap := range gaps {
		for _, tc := range []struct {
			name  string
			night [2]int        // in hours
			due   time.Duration // from the day's beginning
			want  time.Duration
		}{
			{"due before they begin", [2]int{0, 8}, -30 * time.Minute, -30 * time.Minute},
			// the day begins at 1
			{"due after they begin", [2]int{0, 8}, 30 * time.Minute, 7 * time.Hour},
			{"due before they end", [2]int{22, 0}, -30 * time.Minute, 0},
		} {
			t.Run(gap.zone+" "+tc.name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					time.Sleep(time.Until(gap.begin.Add(tc.due - 6*time.Hour)))
					s := newShip(t)
					defer func() { s.sink() }()
					if _, err := s.Choices.ChangePreferences(t.Context(), "ann", func(p *table.Preferences) error {
						p.Remind, p.Night, p.Zone = 6, [2]int{60 * tc.night[0], 60 * tc.night[1]}, gap.zone
						return nil
					}); err != nil {
						t.Fatal(err)
					}
					s.Start(s.teller, nil)
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
