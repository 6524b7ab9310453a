package clock

import (
	"time"

	"marque/games"
	"marque/storage"
)

// Limits of a storage.ClockRule.
const (
	MinPerMove = time.Hour
	MaxPerMove = 14 * 24 * time.Hour
	MinBank    = time.Hour
	MaxBank    = 60 * 24 * time.Hour
	MaxAdd     = 7 * 24 * time.Hour
)

// Overtime is the time for a decision when the bank holds less, at tables that play on after time has run out. Without
// overtime, a player with an empty bank would be late at the beginning of each decision.
const Overtime = time.Hour

// Valid reports whether a rule is within the limits.
func Valid(r storage.ClockRule) bool {
	within := func(ms int64, least, most time.Duration) bool {
		return ms >= least.Milliseconds() && ms <= most.Milliseconds()
	}
	switch r.Mode {
	case storage.NoClock:
		return true
	case storage.PerMove:
		return within(r.Time, MinPerMove, MaxPerMove)
	case storage.Bank:
		return within(r.Time, MinBank, MaxBank) && within(r.Add, 0, MaxAdd)
	}
	return false
}

// InOvertime reports whether a seat has Overtime for its present or next decision, instead of the time in its bank.
func InOvertime(t storage.Timing, seat games.Seat) bool {
	return hasBank(t, seat) && t.Rule.Late != storage.LateForfeit &&
		t.Banks[seat] < Overtime.Milliseconds()
}

func hasBank(t storage.Timing, seat games.Seat) bool {
	return t.Rule.Mode == storage.Bank && seat >= 0 && int(seat) < len(t.Banks)
}

// allowance returns the total number of milliseconds that a seat has for its decision.
func allowance(t storage.Timing, seat games.Seat) int64 {
	switch {
	case InOvertime(t, seat):
		return Overtime.Milliseconds()
	case hasBank(t, seat):
		return t.Banks[seat]
	}
	return t.Rule.Time
}

// Conditions are everything on which a clock depends besides its table.
type Conditions struct {
	Guild string
	// Quiet and Idle are settings of the server.
	Quiet QuietList
	Idle  time.Duration // how long a table can be idle before it is closed
	// Away, Remind, Night and Zone are preferences of the player whose clock it is.
	Away   AwayList
	Remind time.Duration // time until the first reminder; 0 for never
	Night  [2]int        // quiet hours, from and to, in minutes after midnight; equal if there are none
	Zone   string        // time zone of the quiet hours
	// Down has the times when the clock is stopped for everybody: the bot was down, the server had an outage, or
	// messages of the table could not be sent.
	Down []Span
	// Outage is true during an outage of the server, and while the clock is stopped because of unsent messages. No
	// deadline, reminder or closing of the table falls due then.
	Outage bool
}

// resting returns the player's absences and the server's quiet days, merged. They reach far enough ahead for a clock
// that starts at from to run for left milliseconds.
func (c Conditions) resting(from Stamp, left int64) []Span {
	var spans []Span
	const day = 24 * time.Hour
	until := from + Stamp(8*left) + ms(30*day)
	for _, a := range c.Away {
		if a.Guild == c.Guild && a.Until > from {
			spans = append(spans, Span{From: a.From, To: a.Until})
			until += a.Until - a.From
		}
	}
	quiet, _ := c.Quiet.spans(from, until)
	return Merge(append(spans, quiet...))
}

// stops returns the times at which the clock is stopped: the player's absences, quiet days, and the times in Down.
func (c Conditions) stops(from Stamp, left int64) []Span {
	spans := c.resting(from, left)
	for _, s := range c.Down {
		if s.To > from {
			spans = append(spans, s)
		}
	}
	return Merge(spans)
}

// Deadline returns when the time of the seat to move runs out; 0 if the table has no clock, or its clock does not run
// (Timing.Since is 0).
func (c Conditions) Deadline(h storage.Head) Stamp {
	t := h.Timing
	if t.Rule.Mode == storage.NoClock || t.Since == 0 {
		return 0
	}
	left := max(0, allowance(t, h.ToMove)-t.Used)
	return runsOut(t.Since, left, c.stops(t.Since, left))
}

// Used returns how many milliseconds the seat to move has used by now.
func (c Conditions) Used(t storage.Timing, toMove games.Seat, now Stamp) int64 {
	if t.Since == 0 {
		return t.Used
	}
	return t.Used + elapsed(t.Since, now, c.stops(t.Since, allowance(t, toMove)))
}

// Elapsed returns how much of the time between two moments the player's clock could run, leaving out the spans in
// besides.
func (c Conditions) Elapsed(from, to Stamp, besides []Span) time.Duration {
	stops := Merge(append(c.stops(from, int64(max(0, to-from))), besides...))
	return time.Duration(elapsed(from, to, stops)) * time.Millisecond
}

// Left returns how much time a seat has left for its decisions: its bank, overtime, or the time per move. For the seat
// to move, the time used by now is subtracted.
func (c Conditions) Left(h storage.Head, seat games.Seat, now Stamp) time.Duration {
	left := allowance(h.Timing, seat)
	if seat == h.ToMove {
		left -= c.Used(h.Timing, seat, now)
	}
	return time.Duration(max(0, left)) * time.Millisecond
}

// These constants determine when idle tables are closed, and when that is announced.
const (
	lobbyLife  = 7 * 24 * time.Hour  // longest time for a table that has not started
	pausedLife = 90 * 24 * time.Hour // shortest time for a paused table
	// IdleNotice is how long before closing an idle table the bot announces it.
	IdleNotice = 3 * 24 * time.Hour
)

// Closing returns when to close an idle table, and when to announce this, which is 0 if the announcement was made or is
// not needed. deadline is the result of Deadline.
func (c Conditions) Closing(h storage.Head, deadline Stamp) (warn, end Stamp) {
	const day = 24 * time.Hour
	touched := max(h.Touched, h.Opened)
	if h.Status == storage.Lobby {
		return 0, touched + ms(min(lobbyLife, c.Idle))
	}
	if h.Timing.Closing != 0 {
		return 0, max(h.Timing.Closing, deadline)
	}
	patience := c.Idle
	if h.Paused != "" {
		patience = max(patience, pausedLife)
	}
	end = max(touched+ms(patience), deadline+ms(day))
	for _, a := range c.Away {
		if a.Guild == c.Guild {
			end = max(end, a.Until+ms(7*day))
		}
	}
	return end - ms(IdleNotice), end
}
