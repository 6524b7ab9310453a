package table

import (
	"context"
	"errors"
	"time"

	"marque/storage"
)

// News that a channel did not take, because it is gone or closed to the bot, are told again by
// themselves: Discord does not say in every case that a permission was given back. The pauses
// double from firstRetell to longestRetell; they are in the store's index of what is due. After maxRetells,
// about a month, nothing more is tried by itself; as before, a Poke and a change at the table
// try at once, and a restart does for mostRefused tables.
const (
	firstRetell   = 5 * time.Minute
	longestRetell = 6 * time.Hour
	maxRetells    = 128
)

// retellPause is how long to wait before try number n, from 1.
func retellPause(n int) time.Duration {
	pause := firstRetell
	for i := 1; i < n && pause < longestRetell; i++ {
		pause *= 2
	}
	return min(pause, longestRetell)
}

// postpone notes when the news of a table are told again, unless that is noted already.
func (u *upkeep) postpone(ctx context.Context, id ID) {
	_, err := u.tables.edit(ctx, SystemActor, id, func(d *draft) error {
		if d.Retell.At > d.now || d.Retell.Tries >= maxRetells {
			return nil
		}
		d.Retell.Tries++
		d.Retell.At = d.now + Stamp(retellPause(d.Retell.Tries).Milliseconds())
		d.keep = keepUntold
		return nil
	})
	u.unnoted(ctx, id, err)
}

// retold notes that the news of a table were told after all. Its clock goes on.
func (u *upkeep) retold(ctx context.Context, id ID) {
	_, err := u.tables.edit(ctx, SystemActor, id, func(d *draft) error {
		if d.Retell.Tries > 0 || d.Timing.Untold != 0 {
			d.keep = keepAll
		}
		d.Retell.Tries, d.Retell.At = 0, 0
		return d.goOn()
	})
	u.unnoted(ctx, id, err)
}

// unnoted reports that it could not be noted when news are told again: they are at the next change
// or start. Of tables that were deleted meanwhile, and while the service closes, that is as it
// should be.
func (u *upkeep) unnoted(ctx context.Context, id ID, err error) {
	if err != nil && ctx.Err() == nil && !errors.Is(err, storage.ErrNoTable) && !errors.Is(err, ErrClosing) &&
		!errors.Is(err, ErrNotOwner) && !IsFrozen(err) {
		u.tables.logged(ctx, "it could not be noted when news are told again; they are at the next change or start", id,
			err)
	}
}
