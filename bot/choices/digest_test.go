package choices

import (
	"testing"
	"time"

	"marque/storage"
)

// A digest is due at its hour in its reader's time zone. It is due once a day, even when clocks change.
func TestTheHourOfADigest(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	at := func(month time.Month, day, hour, minute int) time.Time {
		return time.Date(2024, month, day, hour, minute, 0, 0, berlin)
	}
	for _, c := range []struct {
		what             string
		hour             int
		from, last, want time.Time
	}{
		{"later today", 18, at(5, 10, 9, 0), time.Time{}, at(5, 10, 18, 0)},
		{"past today", 8, at(5, 10, 9, 0), time.Time{}, at(5, 11, 8, 0)},
		{"the very moment", 9, at(5, 10, 9, 0), time.Time{}, at(5, 11, 9, 0)},
		{"after today's", 18, at(5, 10, 9, 0), at(5, 10, 18, 1), at(5, 11, 18, 0)},
		{"a later hour after today's", 20, at(5, 10, 18, 30), at(5, 10, 18, 1), at(5, 11, 20, 0)},
		{"an earlier hour after today's", 7, at(5, 10, 18, 30), at(5, 10, 18, 1), at(5, 11, 7, 0)},
		{"sent late, after midnight", 18, at(5, 1, 9, 0), at(5, 11, 0, 30), at(5, 12, 18, 0)},
		{"midnight", 0, at(5, 10, 9, 0), at(5, 11, 0, 0), at(5, 12, 0, 0)},
		{"an hour that there is not", 2, at(3, 30, 9, 0), time.Time{}, at(3, 31, 3, 0)},
		{"an hour that there is twice", 2, at(10, 26, 9, 0), at(10, 27, 2, 0), at(10, 28, 2, 0)},
		{"the end of a year", 18, at(12, 31, 9, 0), at(12, 31, 18, 0), time.Date(2025, 1, 1, 18, 0, 0, 0, berlin)},
	} {
		d := Digest{Hour: c.hour, From: storage.At(c.from)}
		if !c.last.IsZero() {
			d.Last = storage.At(c.last)
		}
		if got := d.next("Europe/Berlin").Time().In(berlin); !got.Equal(c.want) {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}

	// Havana has no midnight on 8 March 2026, so the digest of 0 o'clock is due once, at one o'clock.
	from := time.Date(2026, 3, 7, 12, 0, 0, 0, time.UTC)
	d := Digest{Hour: 0, From: storage.At(from)}
	for _, want := range []time.Time{from.Add(17 * time.Hour), from.Add((17 + 23) * time.Hour)} {
		got := d.next("America/Havana")
		if !got.Time().Equal(want) {
			t.Errorf("after %v comes %v, want %v", d.Last.Time().UTC(), got.Time().UTC(), want)
		}
		d.Last = got
	}
}
