package clock

import (
	"slices"
	"time"

	"marque/storage"
)

// Quiet has the days on which a server's clocks are stopped: weekdays and calendar days.
type Quiet struct {
	From  Stamp       `json:"from"`            // when this entry begins to apply, and the previous entry ends
	Days  uint8       `json:"days"`            // bit n stands for time.Weekday n
	Zone  string      `json:"zone,omitempty"`  // whose midnights count; "" for UTC
	Dates []DateRange `json:"dates,omitempty"` // sorted, without duplicates
}

// QuietList is the history of a server's quiet days, oldest entry first. The last entry applies now.
type QuietList []Quiet

// maxQuiet is the maximum number of entries in a QuietList. For clocks that began to run before the first remaining
// entry, that entry counts as if it had always applied.
const maxQuiet = 20

// Now returns the quiet days that apply at present.
func (l QuietList) Now() Quiet {
	if len(l) == 0 {
		return Quiet{}
	}
	return l[len(l)-1]
}

// Dates returns the quiet calendar days that are not over at now.
func (l QuietList) Dates(now time.Time) []DateRange {
	q := l.Now()
	return upcoming(q.Dates, now, Zone(q.Zone))
}

// WithWeekdays returns the list with other quiet weekdays from now on. If all seven are given, Saturday is left out.
func (l QuietList) WithWeekdays(now time.Time, days uint8, zone string) QuietList {
	days &= 0x7f
	if days == 0x7f {
		days &^= 1 << 6
	}
	return l.with(now, Quiet{Days: days, Zone: zone, Dates: l.Now().Dates})
}

// WithDates returns the list with other quiet calendar days from now on.
func (l QuietList) WithDates(now time.Time, dates []DateRange) QuietList {
	last := l.Now()
	return l.with(now, Quiet{Days: last.Days, Zone: last.Zone, Dates: dates})
}

// with returns the list with q as its present entry, without dates that are over. It keeps up to maxQuiet entries, the
// earlier ones for clocks that were running then.
func (l QuietList) with(now time.Time, q Quiet) QuietList {
	q.From, q.Dates = storage.At(now), upcoming(q.Dates, now, Zone(q.Zone))
	if l.Now().Equal(q) {
		return l
	}
	l = append(slices.Clone(l), q)
	return l[max(0, len(l)-maxQuiet):]
}

// Equal reports whether q and o have the same quiet days.
func (q Quiet) Equal(o Quiet) bool {
	return q.Days == o.Days && q.Zone == o.Zone && slices.Equal(q.Dates, o.Dates)
}

// spans returns the quiet times that end after from: the calendar days, and the weekdays up to until. It extends
// until by the calendar days, and returns it.
func (l QuietList) spans(from, until Stamp) ([]Span, Stamp) {
	var spans []Span
	for i, q := range l {
		loc := Zone(q.Zone)
		for _, r := range q.Dates {
			s := r.span(loc)
			if i > 0 {
				s.From = max(s.From, q.From)
			}
			if i+1 < len(l) {
				s.To = min(s.To, l[i+1].From)
			}
			if s.To > max(from, s.From) {
				spans = append(spans, s)
				until += s.To - s.From
			}
		}
	}
	for i, q := range l {
		begin, end := from, until
		if i > 0 {
			begin = max(begin, q.From)
		}
		if i+1 < len(l) {
			end = min(end, l[i+1].From)
		}
		spans = append(spans, q.weekdays(begin, end)...)
	}
	return spans, until
}

// weekdays returns the quiet weekdays between two moments.
func (q Quiet) weekdays(begin, end Stamp) []Span {
	if q.Days == 0 {
		return nil
	}
	var spans []Span
	loc := Zone(q.Zone)
	y, m, d := begin.Time().In(loc).Date()
	// Step by calendar days, so that the loop ends for any zone.
	for first := storage.At(Midnight(y, m, d, loc)); first < end; d++ {
		next := storage.At(Midnight(y, m, d+1, loc))
		weekday := time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Weekday()
		s := Span{From: max(begin, first), To: min(end, next)}
		if q.Days>>uint(weekday)&1 == 1 && s.From < s.To {
			spans = append(spans, s)
		}
		first = next
	}
	return spans
}
