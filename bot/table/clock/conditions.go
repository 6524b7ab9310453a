package clock

import (
	"time"

	"marque/games"
	"marque/storage"
)

// The bounds of a storage.ClockRule.
const (
	MinPerMove = time.Hour
	MaxPerMove = 14 * 24 * time.Hour
	MinBank    = time.Hour
	MaxBank    = 60 * 24 * time.Hour
	MaxAdd     = 7 * 24 * time.Hour
)

// Overtime is what a decision has when the bank holds less, where the game goes on although time
// has run out. Without it, empty banks would let the computer play all the rest of a game at one
// moment.
const Overtime = time.Hour

// Valid reports whether a rule is within the bounds.
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

// InOvertime reports whether a seat's present or next decision has Overtime instead of what is in
// its bank.
func InOvertime(t storage.Timing, seat games.Seat) bool {
	return hasBank(t, seat) && t.Rule.Late != storage.LateForfeit &&
		t.Banks[seat] < Overtime.Milliseconds()
}

func hasBank(t storage.Timing, seat games.Seat) bool {
	return t.Rule.Mode == storage.Bank && seat >= 0 && int(seat) < len(t.Banks)
}

// allowance is how many milliseconds a seat has for its decision in all.
func allowance(t storage.Timing, seat games.Seat) int64 {
	switch {
	case InOvertime(t, seat):
		return Overtime.Milliseconds()
	case hasBank(t, seat):
		return t.Banks[seat]
	}
	return t.Rule.Time
}

// Conditions are what a clock depends on besides the table.
type Conditions struct {
	Guild string
	// Of the server.
	Quiet QuietList
	Idle  time.Duration // after which a table is closed where nobody plays
	// Of the player who is to move.
	Away   AwayList
	Remind time.Duration // until the first reminder; 0 for never
	Night  [2]int        // quiet hours, from and to, in minutes after midnight; equal: none
	Zone   string        // of the quiet hours
	// Down is when nobody could move: the bot was down, or the server had an outage.
	Down []Span
	// Outage says that an outage goes on. Nothing falls due meanwhile.
	Outage bool
}

// resting are the player's absences and the server's quiet days, merged, far enough to let left
// milliseconds run from a moment on.
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

// stops are all times during which the clock stands.
func (c Conditions) stops(from Stamp, left int64) []Span {
	spans := c.resting(from, left)
	for _, s := range c.Down {
		if s.To > from {
			spans = append(spans, s)
		}
	}
	return Merge(spans)
}

// Deadline is when the time of the seat to move runs out; 0 while its clock stands or there is
// none.
func (c Conditions) Deadline(h storage.Head) Stamp {
	t := h.Timing
	if t.Rule.Mode == storage.NoClock || t.Since == 0 {
		return 0
	}
	left := max(0, allowance(t, h.ToMove)-t.Used)
	return runsOut(t.Since, left, c.stops(t.Since, left))
}

// Used is how many milliseconds of its time the seat to move has used up by now.
func (c Conditions) Used(t storage.Timing, toMove games.Seat, now Stamp) int64 {
	if t.Since == 0 {
		return t.Used
	}
	return t.Used + elapsed(t.Since, now, c.stops(t.Since, allowance(t, toMove)))
}

// Elapsed is how much time between two moments lies outside what stops the player's clock, and
// outside other times, merged.
func (c Conditions) Elapsed(from, to Stamp, besides []Span) time.Duration {
	stops := Merge(append(c.stops(from, int64(max(0, to-from))), besides...))
	return time.Duration(elapsed(from, to, stops)) * time.Millisecond
}

// Left is how much time a seat has for its decisions by now: what is in its bank, or what it has in
// overtime, less what the seat to move has used up.
func (c Conditions) Left(h storage.Head, seat games.Seat, now Stamp) time.Duration {
	left := allowance(h.Timing, seat)
	if seat == h.ToMove {
		left -= c.Used(h.Timing, seat, now)
	}
	return time.Duration(max(0, left)) * time.Millisecond
}

// When tables are closed where nobody plays.
const (
	lobbyLife  = 7 * 24 * time.Hour  // of a table that does not start
	pausedLife = 90 * 24 * time.Hour // of a table that is paused
	// IdleNotice is how long before a table is closed that is said.
	IdleNotice = 3 * 24 * time.Hour
)

// Closing says when it is to be said that a table will be closed because nobody plays, 0 if it was
// said or need not be, and when it is closed. deadline is as Deadline has it.
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
