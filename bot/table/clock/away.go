package clock

import (
	"slices"
	"time"

	"marque/games/text"
)

// Year is the period for which the total length of absences is limited, and the maximum time from now to the end of
// one.
const Year = 365 * 24 * time.Hour

// maxAways is the maximum number of absences kept for a user.
const maxAways = 200

// Away is a time during which a user's clocks are stopped on a server.
type Away struct {
	Guild string `json:"guild"`
	From  Stamp  `json:"from"`
	Until Stamp  `json:"until"`
}

// AwayList has a user's absences, in the order of From. See Ended and With for the absences that are dropped.
type AwayList []Away

// At returns the absence that covers a moment on a server; zero if there is none.
func (l AwayList) At(guild string, at Stamp) Away {
	for _, a := range l {
		if a.Guild == guild && a.From <= at && at < a.Until {
			return a
		}
	}
	return Away{}
}

// Spans returns the times of the absences from a server.
func (l AwayList) Spans(guild string) (spans []Span) {
	for _, a := range l {
		if a.Guild == guild {
			spans = append(spans, Span{From: a.From, To: a.Until})
		}
	}
	return spans
}

// Ended returns the list with the present absence from a server cut off at now. It has no future absences from that
// server, and no absences that ended more than a year ago.
func (l AwayList) Ended(guild string, now Stamp) AwayList {
	l = slices.Clone(l)
	for i, a := range l {
		if a.Guild == guild && a.Until > now {
			l[i].Until = max(a.From, now)
		}
	}
	return slices.DeleteFunc(l, func(a Away) bool { return a.Until < now-ms(Year) || a.Until <= a.From })
}

// With returns the list with one more absence. It drops the first absences if there are more than maxAways.
func (l AwayList) With(a Away) AwayList {
	l = append(slices.Clone(l), a)
	return l[max(0, len(l)-maxAways):]
}

// Used returns how long the user has been away from a server since a year before now. Absences that end in the future
// count up to their end.
func (l AwayList) Used(guild string, now Stamp) time.Duration {
	var total Stamp
	for _, a := range l {
		if a.Guild == guild {
			total += max(0, a.Until-max(a.From, now-ms(Year)))
		}
	}
	return time.Duration(total) * time.Millisecond
}

// Without returns the list without the absences from a server.
func (l AwayList) Without(guild string) AwayList {
	return slices.DeleteFunc(slices.Clone(l), func(a Away) bool { return a.Guild == guild })
}

// AwayTime returns the message that explains how long an absence may last. Its example is in the future.
func AwayTime(now time.Time) text.Message {
	return text.M("table.error.away-time", "Example", now.AddDate(0, 0, 14).Format(time.DateOnly))
}
