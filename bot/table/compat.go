package table

import (
	"errors"
	"time"

	"marque/bot/table/clock"
	"marque/bot/timesource"
)

// Names under which the packages of bot know what has moved to package clock.
type (
	DateRange = clock.DateRange
	Away      = clock.Away
	Quiet     = clock.Quiet
)

const (
	MinPerMove = clock.MinPerMove
	MaxPerMove = clock.MaxPerMove
	MinBank    = clock.MinBank
	MaxBank    = clock.MaxBank
	MaxAdd     = clock.MaxAdd
	Overtime   = clock.Overtime

	MaxDateRanges = clock.MaxDateRanges
	MaxRangeDays  = clock.MaxRangeDays
)

var (
	Midnight   = clock.Midnight
	InOvertime = clock.InOvertime
)

// ReadDates is clock.ReadDates; its error is ErrBadTime.
func ReadDates(typed string, now time.Time, zoneName string) ([]DateRange, error) {
	dates, err := clock.ReadDates(typed, now, zoneName)
	if bad := (*clock.DateError)(nil); errors.As(err, &bad) {
		return dates, refuse(ErrBadTime, bad.Message)
	}
	return dates, err
}

// Clock is where a Service takes the time from.
type Clock = timesource.Clock

type Sailor = ComputerPlayer
