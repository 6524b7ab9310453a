// Package clock computes the times of games that take days: when a player runs out of time, when they are reminded, and
// when an idle table is closed. It is pure: it reads no clock and no store. Its callers supply the rule, the settings
// of the server and the player, and the time.
//
// A clock runs from storage.Timing.Since on. The time that it has used excludes its stops: the server's quiet days, the
// player's absences, the server's outages, the bot's downtime, and times when the table's messages could not be sent.
// The deadline follows from the time used. It is recomputed whenever it is reached or something changes, so that time
// never runs out too early.
package clock

import (
	"cmp"
	"slices"
	"time"

	"marque/storage"
)

// Stamp is a moment in the store's format.
type Stamp = storage.Stamp

// Span is the half-open interval [From, To).
type Span = storage.Span

// Merge sorts spans, joins those that overlap or touch, and drops empty ones. It reuses the slice.
func Merge(spans []Span) []Span {
	slices.SortFunc(spans, func(a, b Span) int { return cmp.Compare(a.From, b.From) })
	merged := spans[:0]
	for _, s := range spans {
		if n := len(merged); n > 0 && s.From <= merged[n-1].To {
			merged[n-1].To = max(merged[n-1].To, s.To)
		} else if s.To > s.From {
			merged = append(merged, s)
		}
	}
	return merged
}

// elapsed returns how many milliseconds between two moments are outside the stops.
func elapsed(from, to Stamp, stops []Span) int64 {
	total := int64(max(0, to-from))
	for _, s := range stops {
		total -= int64(max(0, min(to, s.To)-max(from, s.From)))
	}
	return total
}

// runsOut returns when a clock that starts at from has run for left milliseconds.
func runsOut(from Stamp, left int64, stops []Span) Stamp {
	t := from
	for _, s := range stops {
		if s.To <= t {
			continue
		}
		if s.From > t {
			if int64(s.From-t) >= left {
				break
			}
			left -= int64(s.From - t)
		}
		t = s.To
	}
	return t + Stamp(left)
}

// firstOutside returns the first moment, not before at, that is in none of the stops.
func firstOutside(at Stamp, stops []Span) Stamp {
	for _, s := range stops {
		if s.From <= at && at < s.To {
			at = s.To
		}
	}
	return at
}

// ms converts a duration into the difference of two stamps.
func ms(d time.Duration) Stamp { return Stamp(d.Milliseconds()) }
