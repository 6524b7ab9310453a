package table

import (
	"context"
	"errors"

	"marque/storage"
)

// A server has a limited number of active threads, and Discord keeps one active for days. The
// thread of a table that is over is archived some time after the last news, when people have seen
// the result; whatever is posted there opens it again. When that is due stands in the head, so that
// the due index brings the table.

// nextArchive is when the thread of a table that is over is archived; 0 when it is not to be.
func nextArchive(d *draft) (storage.Stamp, error) {
	card := &d.Card
	if card.Thread == "" || card.Thread != d.Channel { // it has no thread, or is elsewhere
		card.Archive = 0
		return 0, nil
	}
	if len(d.events) > 0 {
		settings, err := d.settings()
		if err != nil {
			return 0, err
		}
		card.Archive = d.now + storage.Stamp(settings.ThreadTime().Milliseconds())
	}
	if card.Archive != 0 && card.Archive <= d.now { // it is being done, and is tried again if that fails
		return d.retry(cardPause), nil
	}
	return card.Archive, nil
}

// archive archives the thread of a table that is over when it is time for that, and notes it. What
// fails is tried again when it is due.
func (u *upkeep) archive(ctx context.Context, snap *Snapshot) {
	if snap.Status != Over || snap.Card.Archive == 0 || snap.Card.Archive > u.tables.now() ||
		!u.tables.mine(snap.Guild) {
		return
	}
	others, err := u.tables.lists.ByChannel(ctx, snap.Channel, storage.Active, 0, 1)
	if err == nil && len(others) == 0 { // a table that goes on there will archive it
		err = u.outbox.archive(ctx, snap)
	}
	if permanent := (*PermanentError)(nil); err != nil && !errors.As(err, &permanent) {
		u.tables.log.InfoContext(ctx, "a table's thread could not be archived; it is tried again", "table", snap.ID,
			"error", err)
		return
	}
	_, noted := u.tables.edit(ctx, SystemActor, snap.ID, func(d *draft) error {
		d.keep = keepUntold
		d.Card.Archive, d.Tries = 0, 0
		return nil
	})
	if noted == nil {
		u.queue.poke(snap.ID) // there is nothing to tell of that, which is to be marked
		return
	}
	u.unnoted(ctx, snap.ID, noted)
}
