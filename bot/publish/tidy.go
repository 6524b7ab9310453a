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

// Tidying up after a table's news: old boards are folded or deleted, lobbies closed. Nothing depends on it, and nothing
// waits for it: it is tried once, for a moment, and otherwise later, beside everything else.

const (
	// tidyMoment is how long a table's next news may be held up by tidying up after the last ones.
	tidyMoment = 2 * time.Second
	// tidyPatience bounds one later try.
	tidyPatience = time.Minute
	// tidyPause is how long it takes to the first later try; each pause is twice the one before.
	tidyPause = time.Minute
	// tidyTries is the number of later tries, besides those that Discord has put off itself.
	tidyTries = 4
	// mostTidying bounds the messages that wait for a later try; further ones are left unchanged.
	mostTidying = 1000
	// tidyAtOnce bounds how many later tries are under way at a time.
	tidyAtOnce = 2
)

// tidier has what could not be done at once tried later.
type tidier struct {
	clock   timesource.Clock
	waiting atomic.Int64
	slots   chan struct{}
}

func newTidier(clock timesource.Clock) *tidier {
	return &tidier{clock: clock, slots: make(chan struct{}, tidyAtOnce)}
}

// tidy does something that nothing depends on; what says in the log what failed.
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

// tidyLater has something tried again that has failed, and reports whether it will be.
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
