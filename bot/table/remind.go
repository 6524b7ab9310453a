package table

import (
	"time"

	"marque/storage"
)

// Reminders: the first when the player's own interval has passed, the next after twice that, and so on up to a week; and one
// last call before time runs out. None comes in the player's quiet hours, while they are away, or on a quiet day.

const (
	longestInterval = 7 * 24 * time.Hour
	longestCall     = 24 * time.Hour   // before time runs out
	shortestCall    = 15 * time.Minute // likewise
)

// reminder is the moment of the next reminder for the decision that is due, at earliest now, and whether it is the last
// call; 0 when there is none to come.
func (c conditions) reminder(h Head, now Stamp) (at Stamp, call bool) {
	t := h.Timing
	if c.user.Remind < 0 {
		return 0, false
	}
	interval := time.Duration(orDefault(c.user.Remind, DefaultRemind)) * time.Hour
	step := interval
	for range t.Reminded {
		step = min(2*step, longestInterval)
	}
	rest := c.resting(t.Turn, step.Milliseconds())
	at = c.awake(pushed(max(now, max(t.Turn, t.Last)+Stamp(step.Milliseconds())), rest), rest)

	deadline := c.deadline(h)
	if deadline == 0 {
		return at, false
	}
	if t.Called {
		if at >= deadline {
			return 0, false
		}
		return at, false
	}
	lead := min(max(time.Duration(allowance(t, h.ToMove)/4)*time.Millisecond, shortestCall), longestCall)
	last := max(now, deadline-Stamp(lead.Milliseconds()))
	if woken := c.awake(last, rest); woken < deadline {
		last = woken
	} else {
		last = c.dusk(last)
	}
	switch {
	case last < now || last >= deadline:
		last = 0
	case at+Stamp(time.Hour.Milliseconds()) >= last:
		return last, true
	}
	if at >= deadline {
		return last, last != 0
	}
	return at, false
}

// night is the quiet hours that cover a moment, or an empty span.
func (c conditions) night(at Stamp) span {
	from, to := c.user.Night[0], c.user.Night[1]
	if from == to {
		return span{}
	}
	t := at.Time().In(zone(c.user.Zone))
	y, m, d := t.Date()
	for _, day := range []int{d - 1, d} {
		begin := onClock(y, m, day, from, t.Location())
		last := day
		if to < from {
			last++
		}
		end := onClock(y, m, last, to, t.Location())
		if s := (span{storage.At(begin), storage.At(end)}); s.From <= at && at < s.To {
			return s
		}
	}
	return span{}
}

// awake is the first moment from at on that is neither in the quiet hours nor in rest.
func (c conditions) awake(at Stamp, rest []span) Stamp {
	for range 100 {
		next := pushed(at, rest)
		if n := c.night(next); n.To > next {
			next = n.To
		}
		if next == at {
			return at
		}
		at = next
	}
	return at
}

// dusk is at, or the moment before the quiet hours that cover it begin.
func (c conditions) dusk(at Stamp) Stamp {
	if n := c.night(at); n.From != 0 {
		return n.From - 1
	}
	return at
}
