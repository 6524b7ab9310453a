package clock

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"marque/games"
	"marque/games/text"
	"marque/storage"
)

// DateRange is a range of calendar days, from First to Last, both inclusive. First and Last have the format
// time.DateOnly.
type DateRange struct {
	First string `json:"f"`
	Last  string `json:"l"`
}

// String returns the range in a format that ReadDates accepts: one day, or two days with a dash between them.
func (r DateRange) String() string {
	if r.First == r.Last {
		return r.First
	}
	return r.First + " – " + r.Last
}

// span returns the time from the midnight at the beginning of First to the midnight at the end of Last. It is empty for
// an invalid date.
func (r DateRange) span(loc *time.Location) Span {
	first, err := time.Parse(time.DateOnly, r.First)
	last, err2 := time.Parse(time.DateOnly, r.Last)
	if err != nil || err2 != nil {
		return Span{}
	}
	y, m, d := first.Date()
	y2, m2, d2 := last.Date()
	return Span{From: storage.At(Midnight(y, m, d, loc)), To: storage.At(Midnight(y2, m2, d2+1, loc))}
}

// Limits of a server's quiet dates.
const (
	MaxDateRanges = 30  // maximum number of ranges
	MaxRangeDays  = 60  // maximum number of days in a range
	maxDatesAhead = 730 // maximum number of days from now to the last date
)

// ExampleDates returns the first and last day of a future range, for texts that show how to write days.
func ExampleDates(now time.Time) (first, last string) {
	day := time.Date(now.Year(), time.December, 24, 0, 0, 0, 0, time.UTC)
	if !now.Before(day) {
		day = day.AddDate(1, 0, 0)
	}
	return day.Format(time.DateOnly), day.AddDate(0, 0, 2).Format(time.DateOnly)
}

// ReadDates parses days and ranges of days, separated by commas, semicolons or line breaks: "2026-12-24 to 2026-12-26,
// 2027-01-01". The result is sorted, and ranges that touch are joined. ReadDates returns a *DateError if a range is
// invalid, too long, too far in the future, or already over (at now, in the zone), or if there are too many ranges.
func ReadDates(typed string, now time.Time, zoneName string) ([]DateRange, error) {
	loc := Zone(zoneName)
	now = now.In(loc)
	bad := func(id, piece string, args ...any) ([]DateRange, error) {
		return nil, &DateError{text.M(id, append([]any{"Piece", piece}, args...)...)}
	}
	var list []DateRange
	for _, piece := range strings.FieldsFunc(typed, func(r rune) bool {
		return r == ',' || r == ';' || r == '\n' || r == '\r'
	}) {
		if piece = strings.Join(strings.Fields(piece), " "); piece == "" {
			continue
		}
		first, last := piece, piece
		for _, between := range []string{" to ", " until ", " bis ", " - ", "–", "—", "..", "/"} {
			if a, b, ok := strings.Cut(piece, between); ok {
				first, last = strings.TrimSpace(a), strings.TrimSpace(b)
				break
			}
		}
		a, err := time.Parse(time.DateOnly, first)
		b, err2 := time.Parse(time.DateOnly, last)
		s := DateRange{first, last}.span(loc)
		days := int(b.Sub(a)/(24*time.Hour)) + 1
		switch {
		case err != nil || err2 != nil:
			example, _ := ExampleDates(now)
			return bad("table.error.date", clipped(piece), "Example", example)
		case b.Before(a):
			return bad("table.error.date-order", piece)
		case s.To <= storage.At(now):
			return bad("table.error.date-over", piece)
		case days > MaxRangeDays:
			return bad("table.error.date-long", piece, "Count", MaxRangeDays, "Days", days)
		case s.To > storage.At(now.AddDate(0, 0, maxDatesAhead)):
			return bad("table.error.date-far", piece)
		}
		list = append(list, DateRange{first, last})
	}
	list = joined(list)
	if len(list) > MaxDateRanges {
		return bad("table.error.dates-many", "", "Count", MaxDateRanges, "Have", len(list))
	}
	for _, r := range list {
		if s := r.span(time.UTC); s.To-s.From > ms(MaxRangeDays*24*time.Hour) {
			return bad("table.error.date-long", r.String(), "Count", MaxRangeDays, "Days",
				int((s.To-s.From)/ms(24*time.Hour)))
		}
	}
	return list, nil
}

// clipped shortens typed text for a message that quotes it.
func clipped(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// joined sorts ranges and joins those that overlap or touch.
func joined(list []DateRange) []DateRange {
	slices.SortFunc(list, func(a, b DateRange) int {
		return cmp.Or(strings.Compare(a.First, b.First), strings.Compare(a.Last, b.Last))
	})
	var out []DateRange
	for _, r := range list {
		if n := len(out); n > 0 && r.span(time.UTC).From <= out[n-1].span(time.UTC).To {
			out[n-1].Last = max(out[n-1].Last, r.Last)
			continue
		}
		out = append(out, r)
	}
	return out
}

// upcoming returns the ranges that are not over at now.
func upcoming(list []DateRange, now time.Time, loc *time.Location) []DateRange {
	var left []DateRange
	for _, r := range list {
		if r.span(loc).To > storage.At(now) {
			left = append(left, r)
		}
	}
	return left
}

// DateError is the refusal of typed days. Its message says why, and names the invalid days unless there are too
// many ranges.
type DateError struct{ Message text.Message }

func (e *DateError) Error() string { return "not days that can be meant: " + e.Message.ID }

// Text returns the message for the user who typed the days.
func (e *DateError) Text() text.Message { return e.Message }

var _ games.PlayerError = (*DateError)(nil)
