package table

import (
	"context"
	"slices"
	"time"

	"marque/games"
	"marque/storage"
)

// Time at a table.
//
// A clock runs from Timing.Since on; what it has used up is the time since then without the stops: days on which the
// server is quiet, times for which the player is away, the server's outages, and the bot's own downtime. The moment at which it runs out follows from
// that and stands in the store's due index; it is reckoned anew whenever it falls due or something changes, so it
// never comes too early.

// Clock is where a Service takes the time from; *localdiscord.ManualClock is one.
type Clock interface {
	Now() time.Time
	// AfterFunc calls f once d has passed; stop prevents a call that has not begun.
	AfterFunc(d time.Duration, f func()) (stop func())
}

type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) AfterFunc(d time.Duration, f func()) func() {
	t := time.AfterFunc(d, f)
	return func() { t.Stop() }
}

func (s *Service) now() Stamp { return storage.At(s.clock.Now()) }

// Now is the time as the service has it.
func (s *Service) Now() time.Time { return s.clock.Now() }

// The bounds of a ClockRule.
const (
	MinPerMove = time.Hour
	MaxPerMove = 14 * 24 * time.Hour
	MinBank    = time.Hour
	MaxBank    = 60 * 24 * time.Hour
	MaxAdd     = 7 * 24 * time.Hour
)

// Overtime is what a decision has when the bank holds less, where the game goes on although time has run out. Without it, empty banks would let the computer
// play all the rest of a game at one moment.
const Overtime = time.Hour

// InOvertime reports whether a seat's present or next decision has Overtime instead of what is in its bank.
func InOvertime(t storage.Timing, seat games.Seat) bool {
	return hasBank(t, seat) && t.Rule.Late != storage.LateForfeit && t.Banks[seat] < Overtime.Milliseconds()
}

func hasBank(t storage.Timing, seat games.Seat) bool {
	return t.Rule.Mode == storage.Bank && seat >= 0 && int(seat) < len(t.Banks)
}

// checkClock refuses a rule that is out of bounds.
func checkClock(r storage.ClockRule) error {
	within := func(ms int64, least, most time.Duration) bool {
		return ms >= least.Milliseconds() && ms <= most.Milliseconds()
	}
	switch {
	case r.Mode == storage.NoClock,
		r.Mode == storage.PerMove && within(r.Time, MinPerMove, MaxPerMove),
		r.Mode == storage.Bank && within(r.Time, MinBank, MaxBank) && within(r.Add, 0, MaxAdd):
		return nil
	}
	return refuseClock()
}

// span is a time during which clocks stand: from From up to and without To.
type span struct {
	From Stamp `json:"f"`
	To   Stamp `json:"t"`
}

// merge sorts spans and joins those that touch.
func merge(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return int(max(-1, min(1, a.From-b.From))) })
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

// ran is how many milliseconds between two moments lie outside the stops.
func ran(from, to Stamp, stops []span) int64 {
	total := int64(max(0, to-from))
	for _, s := range stops {
		total -= int64(max(0, min(to, s.To)-max(from, s.From)))
	}
	return total
}

// runsOut is when a clock that runs from a moment on has run for left milliseconds.
func runsOut(from Stamp, left int64, stops []span) Stamp {
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

// pushed is the first moment from at on that lies in none of the stops.
func pushed(at Stamp, stops []span) Stamp {
	for _, s := range stops {
		if s.From <= at && at < s.To {
			at = s.To
		}
	}
	return at
}

// conditions are what a clock depends on besides the table.
type conditions struct {
	settings Settings
	guild    string
	user     Preferences // of who is to move
	down     []span      // when the bot was down, and the server's outages so far
	outage   bool        // one of them goes on
}

func (s *Service) conditions(ctx context.Context, guild, user string) (c conditions, err error) {
	if c.settings, err = s.Settings(ctx, guild); err != nil {
		return c, err
	}
	c.guild, c.down, c.outage = guild, slices.Concat(s.downtimes(), c.settings.Outages), c.settings.outage()
	if c.outage {
		c.down[len(c.down)-1].To = s.now()
	}
	c.user, err = s.Preferences(ctx, user)
	return c, err
}

// resting are the player's absences and the server's quiet days, merged, far enough to let left milliseconds run from a moment on.
func (c conditions) resting(from Stamp, left int64) []span {
	var spans []span
	const day = 24 * time.Hour
	until := from + Stamp(8*left+(30*day).Milliseconds())
	for _, a := range c.user.Away {
		if a.Guild == c.guild && a.Until > from {
			spans = append(spans, span{a.From, a.Until})
			until += a.Until - a.From
		}
	}
	for i, q := range c.settings.Quiet {
		loc := zone(q.Zone)
		for _, r := range q.Dates {
			s := r.span(loc)
			if i > 0 {
				s.From = max(s.From, q.From)
			}
			if i+1 < len(c.settings.Quiet) {
				s.To = min(s.To, c.settings.Quiet[i+1].From)
			}
			if s.To > max(from, s.From) {
				spans = append(spans, s)
				until += s.To - s.From
			}
		}
	}
	for i, q := range c.settings.Quiet {
		if q.Days == 0 {
			continue
		}
		begin, end := from, until
		if i > 0 {
			begin = max(begin, q.From)
		}
		if i+1 < len(c.settings.Quiet) {
			end = min(end, c.settings.Quiet[i+1].From)
		}
		loc := zone(q.Zone)
		y, m, d := begin.Time().In(loc).Date()
		for first := storage.At(Midnight(y, m, d, loc)); first < end; d++ { // by the calendar, so that it comes to an end whatever the clocks do
			next := storage.At(Midnight(y, m, d+1, loc))
			weekday := time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Weekday()
			if s := (span{max(begin, first), min(end, next)}); q.Days>>uint(weekday)&1 == 1 && s.From < s.To {
				spans = append(spans, s)
			}
			first = next
		}
	}
	return merge(spans)
}

// stops are all times during which the clock stands.
func (c conditions) stops(from Stamp, left int64) []span {
	spans := c.resting(from, left)
	for _, s := range c.down {
		if s.To > from {
			spans = append(spans, s)
		}
	}
	return merge(spans)
}

// The kinds of due moments.
const (
	dueClock  = "clock"
	dueRemind = "remind"
	dueIdle   = "idle"
	dueTell   = "tell"
	dueThink  = "think"
	dueKinds  = 5 // at most so many moments of a table are in the index
)

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

// deadline is when the time of the seat to move runs out; 0 while its clock stands or there is none.
func (c conditions) deadline(h Head) Stamp {
	if h.Timing.Rule.Mode == storage.NoClock || h.Timing.Since == 0 {
		return 0
	}
	left := max(0, allowance(h.Timing, h.ToMove)-h.Timing.Used)
	return runsOut(h.Timing.Since, left, c.stops(h.Timing.Since, left))
}

// Deadline is when the player to move runs out of time as things are, and whether a clock runs at all.
func (s *Service) Deadline(ctx context.Context, h Head) (time.Time, bool, error) {
	if h.Timing.Since == 0 || h.Status != Playing {
		return time.Time{}, false, nil
	}
	c, err := s.conditions(ctx, h.Guild, holder(h, h.ToMove).User)
	if err != nil {
		return time.Time{}, false, err
	}
	at := c.deadline(h)
	return at.Time(), at != 0, nil
}

// Left is how much time a seat has for its decisions: what is in its bank, or what it has in overtime; less what the seat to move has used up by now.
func (s *Service) Left(ctx context.Context, h Head, seat games.Seat) (time.Duration, error) {
	left := allowance(h.Timing, seat)
	if seat == h.ToMove {
		left -= h.Timing.Used
	}
	if seat == h.ToMove && h.Timing.Since != 0 {
		c, err := s.conditions(ctx, h.Guild, holder(h, seat).User)
		if err != nil {
			return 0, err
		}
		left -= ran(h.Timing.Since, s.now(), c.stops(h.Timing.Since, left))
	}
	return time.Duration(max(0, left)) * time.Millisecond, nil
}

func holder(h Head, seat games.Seat) Occupant {
	if seat < 0 || int(seat) >= len(h.Seats) {
		return Occupant{}
	}
	return h.Seats[seat]
}

// schedule sets the clock by what the command changed, and says what falls due when. It is called before change.
func (d *draft) schedule() error {
	t := &d.Timing
	if d.by.User != "" {
		d.Touched, t.Closing = d.now, 0
		d.Retell = storage.Retell{}
	}
	d.Due = nil
	earliest := Stamp(0)
	due := func(kind string, at Stamp) {
		if at != 0 {
			d.Due = append(d.Due, storage.Due{Kind: kind, At: max(at, earliest)})
		}
	}
	due(dueTell, d.Retell.At)
	if d.Status == Over {
		t.Since = 0
		return nil
	}
	mover := games.Nobody
	if d.Status == Playing {
		mover = d.match.ToMove()
		if (d.Digest == "" || d.match.Len() != d.Plays) && !d.sameDecision() {
			if err := d.turn(); err != nil {
				return err
			}
		}
	}
	d.ToMove = mover
	c, err := d.svc.conditions(d.ctx, d.Guild, holder(d.Head, mover).User)
	if err != nil {
		return err
	}
	if c.outage {
		earliest = d.now + Stamp(outagePause.Milliseconds())
	}
	runs := d.Status == Playing && d.Paused == "" && !t.Out && holder(d.Head, mover).User != ""
	switch {
	case runs && t.Since == 0:
		t.Since = d.now
	case !runs && t.Since != 0:
		t.Used += ran(t.Since, d.now, c.stops(t.Since, allowance(*t, mover)))
		t.Since = 0
	}
	deadline := c.deadline(d.Head)
	due(dueClock, deadline)
	if runs {
		at, _ := c.reminder(d.Head, d.now)
		due(dueRemind, at)
	}
	if d.svc.crew != nil && waitsForComputer(d.Head, d.match) {
		due(dueThink, d.rethink())
	}
	warn, end := c.idle(d.Head, deadline)
	if warn != 0 {
		due(dueIdle, warn)
	} else {
		due(dueIdle, end)
	}
	return nil
}

// sameDecision reports whether who was to move is still to make that decision: only others have left the game.
func (d *draft) sameDecision() bool {
	if d.Digest == "" || d.match.Len() < d.Plays || d.match.ToMove() != d.before.ToMove {
		return false
	}
	return !slices.ContainsFunc(d.match.Log()[d.Plays:], func(e games.Entry) bool { return e.Text != games.Resigns })
}

// turn charges who moved for their time and begins the next decision. A seat that was offered because its player was late is theirs again.
func (d *draft) turn() error {
	t := &d.Timing
	if before := d.before; before != nil && t.Out && IsOpen(d.Head, before.ToMove) && !stays(d.Head, before.ToMove) {
		d.unoffer(before.ToMove)
		d.add(storage.Kept, before.ToMove, "", "")
	}
	t.Banks = slices.Clone(t.Banks)
	if t.Rule.Mode == storage.Bank {
		for len(t.Banks) < len(d.Seats) {
			t.Banks = append(t.Banks, t.Rule.Time)
		}
	}
	if before := d.before; t.Rule.Mode == storage.Bank && before != nil && before.ToMove >= 0 {
		used := t.Used
		if t.Since != 0 {
			c, err := d.svc.conditions(d.ctx, d.Guild, before.Mover())
			if err != nil {
				return err
			}
			used += ran(t.Since, d.now, c.stops(t.Since, t.Banks[before.ToMove]))
		}
		bank := &t.Banks[before.ToMove]
		*bank = max(0, *bank-used)
		for _, e := range d.events { // conditional moves among them
			if e.Kind == storage.Played && e.Seat >= 0 && int(e.Seat) < len(t.Banks) {
				t.Banks[e.Seat] += t.Rule.Add
			}
		}
	}
	*t = storage.Timing{Rule: t.Rule, Banks: t.Banks, Turn: d.now, Closing: t.Closing}
	return nil
}

// idle says when it is to be said that a table will be closed because nobody plays, 0 if it was said or need not be, and when it is closed.
func (c conditions) idle(h Head, deadline Stamp) (warn, end Stamp) {
	const day = 24 * time.Hour
	ms := func(d time.Duration) Stamp { return Stamp(d.Milliseconds()) }
	touched := max(h.Touched, h.Opened)
	if h.Status == Lobby {
		return 0, touched + ms(min(lobbyLife, c.settings.idle()))
	}
	if h.Timing.Closing != 0 {
		return 0, max(h.Timing.Closing, deadline)
	}
	patience := c.settings.idle()
	if h.Paused != "" {
		patience = max(patience, pausedLife)
	}
	end = max(touched+ms(patience), deadline+ms(day))
	for _, a := range c.user.Away {
		if a.Guild == c.guild {
			end = max(end, a.Until+ms(7*day))
		}
	}
	return end - ms(idleNotice), end
}

const (
	lobbyLife  = 7 * 24 * time.Hour  // of a table that does not start
	pausedLife = 90 * 24 * time.Hour // of a table that is paused
	idleNotice = 3 * 24 * time.Hour  // how long before a table is closed that is said
)
