package text

import (
	"strconv"
	"time"
)

// Day returns a message with a calendar day, such as 2 May 2026.
func Day(t time.Time) Message {
	return M("date.day", "Day", t.Day(), "Month", monthName(t), "Year", t.Year())
}

// Month returns a message with a month of a year, such as May 2026.
func Month(t time.Time) Message { return M("date.month", "Month", monthName(t), "Year", t.Year()) }

func monthName(t time.Time) Message { return M("date.name." + strconv.Itoa(int(t.Month()))) }
