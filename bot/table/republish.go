package table

import (
	"context"
	"errors"
	"time"

	"marque/storage"
)

// Events that a channel refused, for example because it was closed to the bot, are published again automatically:
// Discord does not always report that a permission was restored. The pauses double from firstRepublish to
// longestRepublish, and the store keeps the times. After maxRepublishes, about a month, the automatic retries end.
// Poke and a change at the table by this process still cause an immediate retry, and so does a restart for up to
// mostRefused tables.
const (
	firstRepublish   = 5 * time.Minute
	longestRepublish = 6 * time.Hour
	maxRepublishes   = 128
)

// republishPause returns the pause before retry number n, from 1.
func republishPause(n int) time.Duration {
	pause := firstRepublish
	for i := 1; i < n && pause < longestRepublish; i++ {
		pause *= 2
	}
	return min(pause, longestRepublish)
}

// postpone records when to publish the events of a table again, unless a time is already recorded or the automatic
// retries have ended.
func (u *upkeep) postpone(ctx context.Context, id ID) {
	_, err := u.tables.edit(ctx, SystemActor, id, func(d *draft) error {
		if d.Retry.At > d.now || d.Retry.Tries >= maxRepublishes {
			return nil
		}
		d.Retry.Tries++
		d.Retry.At = d.now + Stamp(republishPause(d.Retry.Tries).Milliseconds())
		d.keep = keepUnpublished
		return nil
	})
	u.unnoted(ctx, id, err)
}

// retried records that a table's refused or late events were published after all. Its clock runs again.
func (u *upkeep) retried(ctx context.Context, id ID) {
	_, err := u.tables.edit(ctx, SystemActor, id, func(d *draft) error {
		if d.Retry.Tries > 0 || d.Timing.HeldSince != 0 {
			d.keep = keepAll
		}
		d.Retry.Tries, d.Retry.At = 0, 0
		return d.goOn()
	})
	u.unnoted(ctx, id, err)
}

// unnoted logs that the result of upkeep could not be recorded at a table. It logs nothing for deleted and frozen
// tables, for tables of other processes, and once the service closes or ctx has ended.
func (u *upkeep) unnoted(ctx context.Context, id ID, err error) {
	if err != nil && ctx.Err() == nil && !errors.Is(err, storage.ErrNoTable) && !errors.Is(err, ErrClosing) &&
		!errors.Is(err, ErrNotOwner) && !IsFrozen(err) {
		u.tables.logged(ctx, "it could not be noted when news are told again; they are at the next change or start", id,
			err)
	}
}
