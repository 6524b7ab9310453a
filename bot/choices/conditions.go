package choices

import (
	"strconv"
	"strings"
)

// maxRating is the highest rating that a user can type in a condition.
const maxRating = 9999

// AskedAnswers lists the answer times, in hours, that a condition can require. All are in storage.AnswerTimes.
var AskedAnswers = []int{1, 3, 6, 12, 24, 48, 72, 168}

// AskedShares lists the percentages of finished games that a menu offers as a condition.
var AskedShares = []int{50, 80, 90, 95, 100}

// ParseRatings parses a condition on ratings: "1400-1700", "1500+", "-1600", "near" (at most NearRating away from
// own), or "any". It returns the lowest and the highest rating; 0 stands for no limit.
func ParseRatings(typed string, own int) (from, to int, ok bool) {
	typed = strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(typed, " ", ""), "–", "-"))
	number := func(s string, otherwise int) int {
		if s == "" {
			return otherwise
		}
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 || n > maxRating {
			ok = false
		}
		return n
	}
	ok = true
	switch {
	case typed == "" || typed == "any":
		return 0, 0, true
	case typed == "near":
		return max(1, own-NearRating), own + NearRating, true
	case strings.HasSuffix(typed, "+"):
		from = number(strings.TrimSuffix(typed, "+"), -1)
		return from, 0, ok && from > 0
	}
	first, last, between := strings.Cut(typed, "-")
	from, to = number(first, 0), number(last, 0)
	return from, to, ok && between && (from > 0 || to > 0) && (to == 0 || from <= to)
}
