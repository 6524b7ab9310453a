package clock_test

import (
	"archive/zip"
	"io"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"marque/bot/table/clock"
)

// allZones returns the time zones of the database that comes with Go.
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

// In 2011, 2026 and 2040, the days of Go's time zones have no gaps or overlaps, except in three zones in 2011. time.In
// places the first and last moment of each day, and the moments around changes of clocks, on that day. A day that a
// zone skips is empty.
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
				// Until 2011, clocks there went back to the previous day a minute after midnight, so that this day is
				// not contiguous.
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
						continue // the zone skips the day
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

// eachTransition calls f for each day of some years on which a zone's clocks change, with a date shortly before the
// change.
func eachTransition(zones []*time.Location, f func(loc *time.Location, y int, m time.Month, d int)) {
	for _, loc := range zones {
		for _, year := range []int{2011, 2026} {
			_, before := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC).In(loc).Zone()
			for d := range 366 {
				at := time.Date(year, 1, d+1, 0, 0, 0, 0, time.UTC)
				if _, now := at.In(loc).Zone(); now != before {
					before = now
					y, m, d := at.AddDate(0, 0, -2).Date()
					f(loc, y, m, d)
				}
			}
		}
	}
}

// Shows returns the first moment at which the clocks show a given time or have passed it. The test tries each quarter
// of an hour around the changes of clocks in two years, in all of Go's time zones.
func TestEveryTimeOfTheDaysOnWhichClocksChange(t *testing.T) {
	t.Parallel()
	transitions, skipped, repeated, bad := 0, 0, 0, 0
	eachTransition(allZones(t), func(loc *time.Location, y int, m time.Month, d int) {
		transitions++
		// most has, for each minute of some days, the latest time that the clocks have shown so far, in minutes since
		// zero.
		begin, zero := time.Date(y, m, d-1, 0, 0, 0, 0, time.UTC), time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
		var most []int
		for n := range 6 * 24 * 60 {
			at := begin.Add(time.Duration(n) * time.Minute)
			_, offset := at.In(loc).Zone()
			shows := int(at.Unix()-zero.Unix()+int64(offset)) / 60
			if n > 0 && most[n-1] >= shows {
				repeated++
				shows = most[n-1]
			}
			most = append(most, shows)
		}
		for minutes := 0; minutes < 4*24*60; minutes += 15 {
			first := sort.SearchInts(most, minutes)
			if most[first] != minutes {
				skipped++
			}
			want := begin.Add(time.Duration(first) * time.Minute)
			got := clock.Shows(y, m, d+minutes/(24*60), minutes%(24*60), loc)
			if !got.Equal(want) {
				if bad++; bad < 20 {
					t.Errorf("%v: %d minutes from the %d-%d-%d on are %v, want %v", loc, minutes, y, m, d, got, want.In(loc))
				}
			}
		}
	})
	t.Logf("%d changes of clocks, %d quarters skipped, %d minutes shown twice, %d wrong", transitions, skipped, repeated, bad)
	if skipped == 0 || repeated == 0 {
		t.Error("no clock goes forward or back: the test has nothing to show")
	}
}

// Around changes of clocks, a daily moment comes at most once on a day, and at most 49 hours after the previous one. It
// comes at the requested hour or, if clocks go forward over that hour, at the change.
func TestOnceADayWhereClocksChange(t *testing.T) {
	t.Parallel()
	transitions, bad := 0, 0
	eachTransition(allZones(t), func(loc *time.Location, y int, m time.Month, d int) {
		transitions++
		for hour := range 24 {
			chosen, last := clock.Midnight(y, m, d-1, loc), time.Time{}
			for range 6 {
				at := clock.Daily(60*hour, chosen, last, loc)
				day := at.Format(time.DateOnly)
				// If clocks go forward from 23 o'clock to midnight, the next day's midnight replaces 23 o'clock, and
				// the next day has no other moment.
				const late = 49 * time.Hour
				y, m, d := at.Date()
				shows := clock.Shows(y, m, d, 60*hour, loc).Equal(at) || clock.Shows(y, m, d-1, 60*hour, loc).Equal(at)
				again := day == last.Format(time.DateOnly)
				if !shows || again || !last.IsZero() && (at.Sub(last) > late || !at.After(last)) {
					if bad++; bad < 20 {
						t.Errorf("%v: after %v at %d o'clock comes %v", loc, last, hour, at)
					}
				}
				last = at
			}
		}
	})
	t.Logf("%d changes of clocks, %d wrong", transitions, bad)
}

// A moment due at 0 o'clock comes at one o'clock on the day whose midnight Havana skips, and at midnight on the next
// day.
func TestOnceADayWithoutMidnight(t *testing.T) {
	t.Parallel()
	havana := clock.Zone("America/Havana")
	one := time.Date(2026, 3, 8, 5, 0, 0, 0, time.UTC) // 1:00 in Havana
	got := clock.Daily(0, one.Add(-100*time.Hour), one.Add(-24*time.Hour), havana)
	next := clock.Daily(0, one.Add(-100*time.Hour), got, havana)
	if !got.Equal(one) || !next.Equal(one.Add(23*time.Hour)) {
		t.Errorf("0 o'clock is %v, and then %v", got, next)
	}
}

// The time zones of Go's database are accepted, except Factory. Some other entries of a machine's time zone database
// and invented names are refused, and count as UTC.
func TestNamesThatAreNoZone(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "Local", "localtime", "posixrules", "Factory", "right/Europe/Berlin",
		"posix/Europe/Berlin", "Europe/Atlantis", "../etc/passwd"} {
		if _, known := clock.KnownZone(name); known || clock.Zone(name) != time.UTC {
			t.Errorf("%q is taken for a zone", name)
		}
	}
	for _, loc := range allZones(t) {
		if _, known := clock.KnownZone(loc.String()); !known && loc.String() != "Factory" {
			t.Errorf("%v is refused", loc)
		}
	}
}
