package table

import (
	"context"
	"errors"
	"time"

	"marque/bot/table/changes"
	"marque/storage"
)

// afterCommit does the work that follows a commit at a table. It reports the result of a competition's game. It then
// lets the computers think, or publishes the events and updates the table's card and thread. It also runs for tables
// that were in the outbox when the bot stopped, for retries that are due, and after Poke. The commit itself computed
// when something next falls due at the table (draft.schedule); the sweeper reads these times from the store.
func (u *upkeep) afterCommit(ctx context.Context, j *job) error {
	if j.polled && u.tables.frozen.has(j.id) { // this has been logged
		return nil
	}
	snap, err := u.tables.Snapshot(ctx, j.id)
	if errors.Is(err, storage.ErrNoTable) {
		return nil
	}
	if err != nil {
		return err
	}

	// Only the process that serves the table's server does this work. A polled table whose channel has refused the
	// events waits until the retry is due.
	refused := snap.Retry.At > u.tables.now() || snap.Retry.Tries >= maxRepublishes
	if !u.tables.mine(snap.Guild) || j.polled && refused {
		return nil
	}

	// Report the result first, because it counts even if the events cannot be published.
	if snap.Status == Over && snap.OfCompetition() && !snap.Competition.Reported {
		if err := u.rooms.over(ctx, snap); err != nil {
			if errors.Is(err, ErrNotOwner) || errors.Is(err, ErrClosing) || errors.Is(err, storage.ErrClosed) ||
				ctx.Err() != nil {
				return nil // the report stays due, for the process that serves the server
			}
			u.tables.logged(ctx, "a result could not be reported to its competition; trying again", j.id, err)
		}
		if snap, err = u.tables.Snapshot(ctx, j.id); err != nil {
			return err
		}
	}

	// Nothing is published while computers think, because the same message shows their moves.
	if thinking, err := u.pool.take(snap); thinking || err != nil {
		return err
	}

	// After a start, only mostRefused of the tables whose channel had refused events are tried before they are due.
	if j.fetched && refused && !u.outbox.may() {
		return nil
	}

	// Wait while the player to move watches a quick game on a page.
	if wait, err := u.hold(ctx, snap, j); err == nil && wait > 0 {
		return &heldError{wait}
	}

	// Publish the events. If they are late, the clock stops.
	now, err := u.stand(ctx, snap, j)
	published := false
	if err == nil {
		snap = now
		published, err = u.outbox.publish(ctx, snap, j)
	}
	switch {
	case errors.Is(err, ErrNotOwner):
		return nil
	case errors.Is(err, storage.ErrStale):
		u.tables.cache.drop(j.id)
		u.queue.poke(j.id)
		return nil
	}

	u.showCard(ctx, snap)
	u.archive(ctx, snap)

	// Schedule another attempt if the channel refused the events.
	switch permanent := (*PermanentError)(nil); {
	case errors.As(err, &permanent):
		u.postpone(ctx, j.id)
	case published && (snap.Retry.Tries > 0 || snap.Timing.HeldSince != 0):
		u.retried(ctx, j.id)
	}
	return err
}

// stand stops a table's clock if the events that are about to be published are late. It returns the table to publish.
func (u *upkeep) stand(ctx context.Context, snap *Snapshot, j *job) (*Snapshot, error) {
	if snap.Status != Playing || snap.Timing.HeldSince != 0 || snap.Timing.Since == 0 {
		return snap, nil
	}
	late, _, err := u.outbox.late(ctx, snap, j.published.Version, u.tables.now())
	if err != nil || late == 0 {
		return snap, err
	}
	now, err := u.tables.edit(ctx, SystemActor, snap.ID, func(d *draft) error {
		d.keep = keepUnpublished
		d.stand(late)
		return nil
	})
	if err == nil && waitsForComputer(now.Head, now.match) {
		return snap, nil // a player has just moved; that move is published together with the computer's answer
	}
	return now, err
}

// A player to move who has the table open on a page needs no board in the channel. The boards of a quick game therefore
// wait until nobody has played for quietAfter, but at most for heldAtMost. Meanwhile the events are in the store, so
// that they are not lost if the process ends.
const (
	quietAfter = 20 * time.Second
	heldAtMost = 90 * time.Second // less than lateNews: no clock stops because a board waits
)

// hold returns how long the events of a table should wait for the game to become quiet; 0 to publish them now. They
// wait only if they are all plays other than resignations, and the player to move has the table open.
func (u *upkeep) hold(ctx context.Context, snap *Snapshot, j *job) (time.Duration, error) {
	mover := snap.Mover()
	if snap.Status != Playing || snap.Paused != "" || mover == "" || u.queue.stopping() ||
		!u.looks.At(changes.Look{Table: snap.ID, User: mover}) {
		return 0, nil
	}
	stored, err := u.outbox.stored(ctx, snap)
	if err != nil {
		return 0, err
	}
	var first, last Stamp
	for _, e := range stored.events {
		if e.Version <= max(j.published.Version, stored.published.Version) {
			continue
		}
		if !e.Kind.Play() || e.Kind == storage.Resigned {
			return 0, nil
		}
		if first == 0 {
			first = e.At
		}
		last = e.At
	}
	until := min(last+Stamp(quietAfter.Milliseconds()), first+Stamp(heldAtMost.Milliseconds()))
	return max(0, until.Time().Sub(u.tables.now().Time())), nil
}
