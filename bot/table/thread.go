package table

import (
	"context"
	"errors"
	"strings"

	"marque/storage"
)

// A server can have a limited number of active threads, and Discord keeps a thread active for days. The thread of a
// table that is over is therefore archived some time after the last event, when people have seen the result. A post
// reopens the thread. The table's head stores the time of archiving, at which the work falls due.

// archive archives the thread of a table that is over, if that is due, and records the result. A failed attempt is
// repeated when it falls due again.
func (u *upkeep) archive(ctx context.Context, snap *Snapshot) {
	if snap.Status != Over || snap.Card.Archive == 0 || snap.Card.Archive > u.tables.now() ||
		!u.tables.mine(snap.Guild) {
		return
	}
	others, err := u.tables.store.ByChannel(ctx, snap.Channel, storage.Active, 0, 1)
	if err == nil && len(others) == 0 { // otherwise another running table archives the thread later
		err = u.outbox.archive(ctx, snap)
	}
	if permanent := (*PermanentError)(nil); err != nil && !errors.As(err, &permanent) {
		u.tables.log.InfoContext(ctx, "a table's thread could not be archived; it is tried again", "table", snap.ID,
			"error", err)
		return
	}
	_, noted := u.tables.edit(ctx, SystemActor, snap.ID, func(d *draft) error {
		d.keep = keepUnpublished
		d.Card.Archive, d.Tries = 0, 0
		return nil
	})
	if noted == nil {
		u.queue.poke(snap.ID) // the queue then marks the new version, which has no events, as published
		return
	}
	u.unnoted(ctx, snap.ID, noted)
}

// showCard edits a table's card, if that is due, and records the result. A failed attempt is repeated when it falls due
// again.
func (u *upkeep) showCard(ctx context.Context, snap *Snapshot) {
	if snap.Card.Channel == "" {
		return
	}
	seats, turn := cardState(snap.Head, len(snap.detail.Invited))
	shown := shownAs(seats, turn)
	pause := snap.Card.Next - u.tables.now()
	urgent := !strings.HasPrefix(snap.Card.Shown, seats+" ") && pause <= Stamp(cardPause.Milliseconds())
	if snap.Card.Shown == shown || pause > 0 && !urgent {
		return
	}
	if !u.tables.mine(snap.Guild) {
		return
	}
	var err error
	if snap.Card.Message != "" {
		err = u.outbox.showCard(ctx, snap)
	}
	permanent := (*PermanentError)(nil)
	named := namedAfter(snap.Head)
	if (err == nil || errors.Is(err, ErrNoCard)) && snap.Card.Thread == snap.Channel && snap.Card.Named != named {
		if failed := u.outbox.nameThread(ctx, snap); failed != nil && !errors.As(failed, &permanent) {
			err = failed // if Discord has refused the name, the thread keeps its old name
		}
	}
	switch {
	case errors.Is(err, ErrNoCard), errors.As(err, &permanent):
	case err != nil:
		u.tables.log.InfoContext(ctx, "a table's card could not be edited; it is tried again", "table", snap.ID,
			"error", err)
		return
	}
	_, noted := u.tables.edit(ctx, SystemActor, snap.ID, func(d *draft) error {
		d.keep = keepUnpublished
		switch {
		case d.Card.Channel != snap.Card.Channel || d.Card.Message != snap.Card.Message: // the card has been replaced
		case errors.Is(err, ErrNoCard):
			d.Card.Message, d.Card.Named, d.Tries = "", named, 0
		case err != nil:
			d.Card.Next = d.now + Stamp(cardRefused.Milliseconds())
		default:
			d.Card.Named = named
			d.Card.Shown, d.Card.Next, d.Tries = shown, d.now+Stamp(cardPause.Milliseconds()), 0
		}
		return nil
	})
	if noted == nil {
		u.queue.poke(snap.ID) // the queue then marks the new version, which has no events, as published
		return
	}
	u.unnoted(ctx, snap.ID, noted)
}
