package clock

import (
	"sort"
	"strings"
	"time"
)

// This file computes times of day in a time zone, for digests, quiet hours, quiet days, absences and years.

// Zone returns a time zone by its name; UTC for a name that KnownZone refuses.
func Zone(name string) *time.Location {
	if loc, known := KnownZone(name); known {
		return loc
	}
	return time.UTC
}

// KnownZone returns the time zone with a name, and whether there is one. It refuses "", and these entries of a
// machine's database: the machine's own zone (Local, localtime), the defaults posixrules and Factory, and the copies of
// all zones in posix and right, the latter with leap seconds.
func KnownZone(name string) (*time.Location, bool) {
	switch dir, _, _ := strings.Cut(name, "/"); dir {
	case "", "Local", "localtime", "posixrules", "Factory", "posix", "right":
		return nil, false
	}
	loc, err := time.LoadLocation(name)
	return loc, err == nil
}

// Midnight returns the first moment of a day in a zone. If clocks go forward over midnight, this is the moment of the
// change. If midnight comes twice, it is the earlier one. The days of a zone therefore follow each other without gaps
// or overlaps.
func Midnight(year int, month time.Month, day int, loc *time.Location) time.Time {
	return Shows(year, month, day, 0, loc)
}

// Shows returns the first moment at which the clocks of a zone show the given minutes after the midnight of a day, or a
// later time. If clocks go forward over the given time, this is the moment of the change. If they show it twice, it is
// the earlier moment. (time.Date does not specify on which side of a gap its result is.)
func Shows(year int, month time.Month, day, minutes int, loc *time.Location) time.Time {
	shown := time.Date(year, month, day, 0, minutes, 0, 0, time.UTC)
	ahead := func(t time.Time) time.Duration {
		_, seconds := t.In(loc).Zone()
		return time.Duration(seconds) * time.Second
	}
	const widest = 25 * time.Hour // more than any zone's offset from UTC or any change of clocks
	first, last := shown.Add(-widest), shown.Add(widest)
	for _, offset := range []time.Duration{ahead(first), ahead(last)} {
		if at := shown.Add(-offset); ahead(at) == offset {
			return at.In(loc)
		}
	}
	// The clocks go forward over the given time. (Time.ZoneBounds could return the moment, but on the last day of a
	// leap year its end is in the past.)
	after := sort.Search(int(last.Sub(first)/time.Second), func(n int) bool {
		t := first.Add(time.Duration(n) * time.Second)
		return !t.Add(ahead(t)).Before(shown)
	})
	return first.Add(time.Duration(after) * time.Second).In(loc)
}

// Later returns the moment that is a number of days after t, at the same minute of its zone's clocks (see Shows).
func Later(t time.Time, days int) time.Time {
	y, m, d := t.Date()
	return Shows(y, m, d+days, 60*t.Hour()+t.Minute(), t.Location())
}

// Daily returns the first moment at which the clocks of a zone show the given minutes after midnight (see Shows).
// The moment is after both after and last, and on a different day from last.
func Daily(minutes int, after, last time.Time, loc *time.Location) time.Time {
	after, last = after.In(loc), last.In(loc)
	from := after
	if last.After(from) {
		from = last
	}
	y, m, d := from.Date()
	for ; ; d++ {
		at := Shows(y, m, d, minutes, loc)
		if at.After(after) && at.After(last) && at.Format(time.DateOnly) != last.Format(time.DateOnly) {
			return at
		}
	}
}
