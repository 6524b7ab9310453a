package table

import (
	"slices"
	"time"

	"marque/bot/table/clock"
	"marque/storage"
)

// No clock runs for a player who has not been notified of their turn. If a table's news waits for longer than lateNews,
// for any reason, the table's clock is stopped from the time of the oldest of it until the channel has received it.
// Timing.HeldSince records that. Work that falls due in the meantime is postponed, as during an outage of the server.

// lateNews is how long news may wait before the clock stops.
const lateNews = 2 * time.Minute

// mostStood limits the remembered times at which a game's clock was stopped; the oldest are forgotten first.
const mostStood = 100

// Stood returns the times, up to now, at which a game's clock was stopped because its news could not be published.
func Stood(t storage.Timing, now Stamp) []storage.Span {
	if t.HeldSince == 0 || t.HeldSince >= now {
		return t.Stood
	}
	list := clock.Merge(append(slices.Clone(t.Stood), storage.Span{From: t.HeldSince, To: now}))
	return list[max(0, len(list)-mostStood):]
}

// whileUntold returns the conditions of a clock that is stopped because news waits.
func whileUntold(c clock.Conditions, t storage.Timing, now Stamp) clock.Conditions {
	if t.HeldSince != 0 && t.HeldSince < now {
		c.Down = append(c.Down, clock.Span{From: t.HeldSince, To: now})
		c.Outage = true
	}
	return c
}

// stand stops the clock from since, the time of the oldest waiting news.
func (d *draft) stand(since Stamp) {
	if d.Status == Playing && d.Timing.Since != 0 && d.Timing.HeldSince == 0 {
		d.Timing.HeldSince = max(since, d.Timing.Since)
	}
}

// goOn makes the clock run again: the waiting news has just been published.
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
		t.Last = d.now // the news pinged the player to move
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
	return whileUntold(c, d.Timing, d.now), err
}
