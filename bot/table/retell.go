package table

import (
	"context"
	"errors"
	"time"

	"marque/storage"
)

// News that a channel refused, because the channel is deleted or closed to the bot, are published again automatically:
// Discord does not always report that a permission came back. The pauses double from firstRetell to longestRetell;
// they are in the store's index of what is due. After maxRetells, about a month, the automatic tries end; a Poke and a
// change at the table still try at once, and a restart does for mostRefused tables.
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

// postpone records when to publish the news of a table again, unless a time is recorded already.
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

// retold records that a table's refused news were published after all. Its clock runs again.
func (u *upkeep) retold(ctx context.Context, id ID) {
	_, err := u.tables.edit(ctx, SystemActor, id, func(d *draft) error {
		if d.Retell.Tries > 0 || d.Timing.HeldSince != 0 {
			d.keep = keepAll
		}
		d.Retell.Tries, d.Retell.At = 0, 0
		return d.goOn()
	})
	u.unnoted(ctx, id, err)
}

// unnoted logs that the next try of a table's news could not be recorded: it comes at the next change or start. For
// tables that were deleted meanwhile, and while the service closes, that is no error.
func (u *upkeep) unnoted(ctx context.Context, id ID, err error) {
	if err != nil && ctx.Err() == nil && !errors.Is(err, storage.ErrNoTable) && !errors.Is(err, ErrClosing) &&
		!errors.Is(err, ErrNotOwner) && !IsFrozen(err) {
		u.tables.logged(ctx, "it could not be noted when news are told again; they are at the next change or start", id,
			err)
	}
}
