package clock

import (
	"slices"
	"time"

	"marque/storage"
)

// Reminders come at growing intervals. The first comes when the player's own interval has passed, the next after twice
// that, and so on up to a week. The last one comes before time runs out. None comes in the player's quiet hours, while
// they are away, or on a quiet day. An interval counts only time in which the player could have moved, without the
// bot's downtime and the server's outages. After a pause of the game it begins again.

const (
	longestInterval = 7 * 24 * time.Hour
	longestCall     = 24 * time.Hour   // maximum of the planned time from the last reminder to the deadline
	shortestCall    = 15 * time.Minute // minimum of that time, and of the pause after the previous ping
	// beforeNight is how long before the quiet hours a ping comes if the user would wake too late for it. It leaves
	// time for a sweep that is late.
	beforeNight = 15 * time.Minute
)

// Reminder returns the time of the next reminder for the present decision, and whether it is the last one. The time is
// not before now; it is 0 if there is no further reminder.
func (c Conditions) Reminder(h storage.Head, now Stamp) (at Stamp, last bool) {
	t := h.Timing
	if c.Remind == 0 {
		return 0, false
	}
	step := c.Remind
	for range t.Reminded {
		step = min(2*step, longestInterval)
	}
	told := max(t.Turn, t.Last)
	reach := max(step.Milliseconds(), allowance(t, h.ToMove)) + int64(max(0, now-told))
	rest := c.resting(told, reach)
	due := runsOut(told, step.Milliseconds(), Merge(slices.Clone(c.Down)))
	at = c.awake(max(now, due), rest)

	deadline := c.Deadline(h)
	if deadline == 0 {
		return at, false
	}
	call := Stamp(0)
	if !t.Called {
		call = c.lastCall(h, now, deadline, rest)
	}
	switch {
	case call != 0 && at+ms(time.Hour) >= call:
		return call, true
	case at >= deadline:
		return 0, false
	}
	return at, false
}

// lastCall returns the time of the last reminder, not before now; 0 if there is none.
func (c Conditions) lastCall(h storage.Head, now, deadline Stamp, rest []Span) Stamp {
	t := h.Timing
	lead := min(max(Stamp(allowance(t, h.ToMove)/4), ms(shortestCall)), ms(longestCall))
	at := max(now, deadline-lead)
	if t.Last != 0 {
		at = max(at, t.Last+ms(shortestCall)) // not right after another ping
	}
	return c.inTime(max(t.Turn, t.Last), at, deadline, now, rest)
}

// Call returns the time of a second ping to a user. The user was first notified at told, and the ping is due at the
// time at. If they are asleep or away then, it comes when they wake or return, or earlier. It must come before the time
// until, but not before now. Call returns 0 if there is no such time, and for users who want no reminders.
func (c Conditions) Call(told, at, until, now Stamp) Stamp {
	if c.Remind == 0 {
		return 0
	}
	return c.inTime(told, max(at, now), until, now, c.resting(told, int64(until-told)))
}

// inTime returns the time, not before now, of a ping that is due at the time at and must come before a deadline,
// outside the user's quiet hours and rest; 0 if there is none.
func (c Conditions) inTime(told, at, deadline, now Stamp, rest []Span) Stamp {
	if at >= deadline {
		return 0
	}
	if woken := c.awake(at, rest); woken < deadline {
		return woken
	}
	// The user would wake too late, so the ping comes before the quiet hours, unless they have just been notified.
	evening := c.lastAwake(at, rest)
	if aim := evening - ms(beforeNight); told < aim && now <= evening {
		return c.awake(max(now, aim), rest)
	}
	return 0
}

// night returns the quiet hours that cover a moment, or an empty span.
func (c Conditions) night(at Stamp) Span {
	from, to := c.Night[0], c.Night[1]
	if from == to {
		return Span{}
	}
	t := at.Time().In(Zone(c.Zone))
	y, m, d := t.Date()
	for _, day := range []int{d - 1, d} {
		begin := Shows(y, m, day, from, t.Location())
		last := day
		if to < from {
			last++
		}
		end := Shows(y, m, last, to, t.Location())
		if s := (Span{From: storage.At(begin), To: storage.At(end)}); s.From <= at && at < s.To {
			return s
		}
	}
	return Span{}
}

// awake returns the first moment, not before at, outside the quiet hours and rest.
func (c Conditions) awake(at Stamp, rest []Span) Stamp {
	for range 100 {
		next := firstOutside(at, rest)
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

// lastAwake returns the last moment, not after at, outside the quiet hours and rest.
func (c Conditions) lastAwake(at Stamp, rest []Span) Stamp {
	for range 100 {
		before := at
		if n := c.night(at); n.To > at {
			at = n.From - 1
		}
		for _, s := range rest {
			if s.From <= at && at < s.To {
				at = s.From - 1
			}
		}
		if at == before {
			return at
		}
	}
	return at
}
