package table

import (
	"slices"
	"time"

	"marque/bot/table/clock"
	"marque/storage"
)

// A player who has not been notified of their turn should lose no time. If a table's events stay unpublished for longer
// than lateNews, for any reason, its clock is stopped from the time of the oldest one until the channel has received
// them. Timing.HeldSince records this. Work that falls due in the meantime is postponed, as during an outage of the
// server.

// lateNews is how long events can stay unpublished before the clock stops.
const lateNews = 2 * time.Minute

// mostStood is the maximum number of remembered times at which a game's clock was stopped. The oldest are forgotten
// first.
const mostStood = 100

// Stood returns the times, up to now, at which a game's clock was stopped because its events could not be published.
func Stood(t storage.Timing, now Stamp) []storage.Span {
	if t.HeldSince == 0 || t.HeldSince >= now {
		return t.Stood
	}
	list := clock.Merge(append(slices.Clone(t.Stood), storage.Span{From: t.HeldSince, To: now}))
	return list[max(0, len(list)-mostStood):]
}

// whileUnpublished returns the conditions c of a clock, with an outage if the clock is stopped because events are
// unpublished.
func whileUnpublished(c clock.Conditions, t storage.Timing, now Stamp) clock.Conditions {
	if t.HeldSince != 0 && t.HeldSince < now {
		c.Down = append(c.Down, clock.Span{From: t.HeldSince, To: now})
		c.Outage = true
	}
	return c
}

// stand stops a running clock at since, the time of the oldest unpublished event, or at the clock's start if that is
// later.
func (d *draft) stand(since Stamp) {
	if d.Status == Playing && d.Timing.Since != 0 && d.Timing.HeldSince == 0 {
		d.Timing.HeldSince = max(since, d.Timing.Since)
	}
}

// goOn makes the clock run again. It is called once the late events are published.
func (d *draft) goOn() error {
	t := &d.Timing
	if t.HeldSince == 0 {
		return nil
	}
	c, err := d.conditions(holder(d.Head, d.ToMove).User)
	if err != nil {
		return err
	}
	if t.Since != 0 {
		t.Used, t.Since = c.Used(*t, d.ToMove, d.now), d.now
		t.Last = d.now // the publication pinged the player to move
	}
	t.Stood, t.HeldSince = Stood(*t, d.now), 0
	return nil
}

// conditions returns the conditions of the table's clock while a user is to move.
func (d *draft) conditions(user string) (clock.Conditions, error) {
	s, err := d.settings()
	if err != nil {
		return clock.Conditions{}, err
	}
	c, err := d.choices.Conditions(d.ctx, d.Guild, s, user)
	return whileUnpublished(c, d.Timing, d.now), err
}
