package table

import (
	"slices"
	"time"

	"marque/bot/table/clock"
	"marque/storage"
)

// No clock runs for a player who has not been notified of their turn. When a table's news wait for longer than
// lateNews, for any reason, its clock is stopped from the moment of the oldest of them until the channel has taken
// them. Timing.HeldSince records that. Work that falls due meanwhile is put off, as during an outage of the server.

// lateNews is how long news may wait before the clock stops.
const lateNews = 2 * time.Minute

// mostStood bounds the remembered times at which a game's clock was stopped; the oldest are forgotten first.
const mostStood = 100

// Stood returns the times, up to now, at which a game's clock was stopped because its news could not be published.
func Stood(t storage.Timing, now Stamp) []storage.Span {
	if t.HeldSince == 0 || t.HeldSince >= now {
		return t.Stood
	}
	list := clock.Merge(append(slices.Clone(t.Stood), storage.Span{From: t.HeldSince, To: now}))
	return list[max(0, len(list)-mostStood):]
}

// whileUntold returns the conditions of a clock that is stopped because news wait.
func whileUntold(c clock.Conditions, t storage.Timing, now Stamp) clock.Conditions {
	if t.HeldSince != 0 && t.HeldSince < now {
		c.Down = append(c.Down, clock.Span{From: t.HeldSince, To: now})
		c.Outage = true
	}
	return c
}

// stand stops the clock from the moment since, when the oldest waiting news came.
func (d *draft) stand(since Stamp) {
	if d.Status == Playing && d.Timing.Since != 0 && d.Timing.HeldSince == 0 {
		d.Timing.HeldSince = max(since, d.Timing.Since)
	}
}

// goOn lets the clock run again: the waiting news have just been published.
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

// conditions returns what the table's clock depends on while a user is to move.
func (d *draft) conditions(user string) (clock.Conditions, error) {
	s, err := d.settings()
	if err != nil {
		return clock.Conditions{}, err
	}
	c, err := d.choices.Conditions(d.ctx, d.Guild, s, user)
	return whileUntold(c, d.Timing, d.now), err
}
