package text

import (
	"strconv"
	"time"
)

// Day returns a calendar day, with the name of its month.
func Day(t time.Time) Message {
	return M("date.day", "Day", t.Day(), "Month", monthName(t), "Year", t.Year())
}

// Month returns a month of a year.
func Month(t time.Time) Message { return M("date.month", "Month", monthName(t), "Year", t.Year()) }

func monthName(t time.Time) Message { return M("date.name." + strconv.Itoa(int(t.Month()))) }
