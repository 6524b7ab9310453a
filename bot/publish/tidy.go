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

// Tidying up after a table's news: old boards are folded or deleted, and lobbies are closed. Nothing depends on this
// work. It is tried once for a short time; if that fails, it is tried again later in the background.

const (
	// tidyMoment is how long tidying up may delay a table's next news.
	tidyMoment = 2 * time.Second
	// tidyPatience limits one later try.
	tidyPatience = time.Minute
	// tidyPause is the pause before the first later try; it doubles for each further one.
	tidyPause = time.Minute
	// tidyTries is the number of later tries, not counting those that Discord itself has delayed.
	tidyTries = 4
	// mostTidying limits the messages that wait for a later try; further ones are left unchanged.
	mostTidying = 1000
	// tidyAtOnce limits the later tries that run at the same time.
	tidyAtOnce = 2
)

// tidier tries failed work again later.
type tidier struct {
	clock   timesource.Clock
	waiting atomic.Int64
	slots   chan struct{}
}

func newTidier(clock timesource.Clock) *tidier {
	return &tidier{clock: clock, slots: make(chan struct{}, tidyAtOnce)}
}

// tidy calls do, whose failure does no harm. what is the log message for a failure.
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
