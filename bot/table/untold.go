package table

import (
	"context"
	"errors"
	"slices"
	"time"

	"marque/bot/table/clock"
	"marque/storage"
)

// No clock runs for somebody who was not told that it is their turn. While a table's news are untold for longer than
// lateNews, whatever the reason, its clock stands from the moment of the oldest of them until the channel has taken
// them. Timing.Untold says so; what falls due meanwhile is put off, as during an outage of the server.

// lateNews is for how long news may be untold before the clock stands.
const lateNews = 2 * time.Minute

// mostStood bounds the times that are remembered at which a game's clock stood; the oldest are forgotten first.
const mostStood = 100

// Stood is when a game's clock stood, up to now, because its news could not be told.
func Stood(t storage.Timing, now Stamp) []storage.Span {
	if t.Untold == 0 || t.Untold >= now {
		return t.Stood
	}
	list := clock.Merge(append(slices.Clone(t.Stood), storage.Span{From: t.Untold, To: now}))
	return list[max(0, len(list)-mostStood):]
}

// whileUntold are the conditions of a clock that stands because of untold news.
func whileUntold(c clock.Conditions, t storage.Timing, now Stamp) clock.Conditions {
	if t.Untold != 0 && t.Untold < now {
		c.Down = append(c.Down, clock.Span{From: t.Untold, To: now})
		c.Outage = true
	}
	return c
}

// late is the moment of the oldest of a table's news that wait to be told, if that is long ago; else 0. waits reports
// whether any do.
func (o *outbox) late(ctx context.Context, snap *Snapshot, told uint64, now Stamp) (late Stamp, waits bool, err error) {
	stored, err := o.stored(ctx, snap)
	if err != nil {
		return 0, false, err
	}
	for _, e := range stored.events {
		if e.Version <= max(told, stored.published.Version) {
			continue
		}
		if now-e.At > Stamp(lateNews.Milliseconds()) {
			late = e.At
		}
		return late, true, nil
	}
	return 0, false, nil
}

// stand has a table's clock stand when the news that are about to be told are late, and returns the table.
func (u *upkeep) stand(ctx context.Context, snap *Snapshot, j *job) (*Snapshot, error) {
	if snap.Status != Playing || snap.Timing.Untold != 0 || snap.Timing.Since == 0 {
		return snap, nil
	}
	late, _, err := u.outbox.late(ctx, snap, j.told.Version, u.tables.now())
	if err != nil || late == 0 {
		return snap, err
	}
	now, err := u.tables.edit(ctx, SystemActor, snap.ID, func(d *draft) error {
		d.keep = keepUntold
		d.stand(late)
		return nil
	})
	if err == nil && waitsForComputer(now.Head, now.match) {
		return snap, nil // somebody has just moved: that is told with the computer's answer
	}
	return now, err
}

// stand has the clock stand since news came that were not told.
func (d *draft) stand(since Stamp) {
	if d.Status == Playing && d.Timing.Since != 0 && d.Timing.Untold == 0 {
		d.Timing.Untold = max(since, d.Timing.Since)
	}
}

// goOn lets the clock go on: what was to be told was told just now.
func (d *draft) goOn() error {
	t := &d.Timing
	if t.Untold == 0 {
		return nil
	}
	c, err := d.conditions(holder(d.Head, d.ToMove).User)
	if err != nil {
		return err
	}
	if t.Since != 0 {
		t.Used, t.Since = c.Used(*t, d.ToMove, d.now), d.now
		t.Last = d.now // who is to move was called with it
	}
	t.Stood, t.Untold = Stood(*t, d.now), 0
	return nil
}

// untold looks whether news wait to be told of a table at which time makes something due: since when, if that is long
// ago. For all else that is due, and a table that is gone, the clock stays as it is.
func (u *upkeep) untold(ctx context.Context, due storage.DueTable) (late Stamp, waits bool, err error) {
	if due.Kind != dueClock && due.Kind != dueRemind && due.Kind != dueIdle {
		return 0, true, nil
	}
	snap, err := u.tables.Snapshot(ctx, due.Table)
	switch {
	case errors.Is(err, storage.ErrNoTable):
		return 0, true, nil
	case err != nil || snap.Status != Playing:
		return 0, true, err
	}
	late, waits, err = u.outbox.late(ctx, snap, 0, u.tables.now())
	if errors.Is(err, storage.ErrStale) { // somebody was forgotten just now
		return 0, true, nil
	}
	return late, waits, err
}
