package publish

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"marque/bot/rest"
	"marque/bot/table"
	"marque/bot/timesource"
)

// Old boards are folded or deleted, and lobbies closed, after a table's events are published. Nothing depends on this
// work. It is tried once for a short time. If that fails for a reason that may pass, it is tried again later in the
// background.

const (
	// tidyMoment is the time limit for the first try, which delays a table's next publication.
	tidyMoment = 2 * time.Second
	// tidyPatience is the time limit for a later try.
	tidyPatience = time.Minute
	// tidyPause is the pause before the first later try. It doubles for each further try.
	tidyPause = time.Minute
	// tidyTries is the maximum number of later tries, not counting those that Discord itself has delayed.
	tidyTries = 4
	// mostTidying is the maximum number of messages that wait for a later try. Further messages are left unchanged.
	mostTidying = 1000
	// tidyAtOnce is the maximum number of later tries that run at the same time.
	tidyAtOnce = 2
)

// tidier schedules further tries of work that failed.
type tidier struct {
	clock   timesource.Clock
	waiting atomic.Int64
	slots   chan struct{}
}

func newTidier(clock timesource.Clock) *tidier {
	return &tidier{clock: clock, slots: make(chan struct{}, tidyAtOnce)}
}

// tidy calls do, which tidies up at a table, and schedules another call if it fails. what is the log message for a
// failure.
func (rm *Room) tidy(ctx context.Context, id table.ID, what string, do func(context.Context) error) {
	moment, cancel := context.WithTimeout(rest.For(ctx, rest.Tidying), tidyMoment)
	defer cancel()
	err := do(moment)
	if err == nil || ctx.Err() != nil {
		return
	}
	if !rm.tidyLater(id, what, do, err, 0) {
		rm.log.InfoContext(ctx, what, "table", id, "error", rest.Scrub(err))
	}
}

// tidyLater schedules another try of failed work, and reports whether there will be one.
func (rm *Room) tidyLater(id table.ID, what string, do func(context.Context) error, failed error, tries int) bool {
	pause := tidyPause << tries
	if old := (*rest.OldEditsError)(nil); errors.As(failed, &old) {
		pause = max(old.Pause, time.Second)
	} else if tries++; tries > tidyTries || rest.Final(failed) {
		return false
	}
	if rm.tidier.waiting.Add(1) > mostTidying {
		rm.tidier.waiting.Add(-1)
		return false
	}
	rm.tidier.clock.AfterFunc(pause, func() {
		rm.events.Go(func(ctx context.Context) {
			defer rm.tidier.waiting.Add(-1)
			select {
			case rm.tidier.slots <- struct{}{}:
			case <-ctx.Done():
				return
			}
			defer func() { <-rm.tidier.slots }()
			limited, cancel := context.WithTimeout(rest.For(ctx, rest.Tidying), tidyPatience)
			defer cancel()
			if err := do(limited); err != nil && ctx.Err() == nil && !rm.tidyLater(id, what, do, err, tries) {
				rm.log.InfoContext(ctx, what, "table", id, "error", rest.Scrub(err))
			}
		})
	})
	return true
}
