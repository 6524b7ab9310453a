package interact

import (
	"context"
	"marque/bot/incident"

	"golang.org/x/sync/singleflight"
)

// Runs lets the same question asked twice at once share one run.
type Runs struct{ group singleflight.Group }

// Share is what work returns; who asks with the same key while it runs gets the same. The run goes on
// when the first who asked does not wait any longer, at most until their deadline; each waits for it
// until their own ctx ends.
func Share[T any](ctx context.Context, runs *Runs, key string, work func(context.Context) (T, error)) (T, error) {
	done := runs.group.DoChan(key, func() (value any, err error) {
		defer func() {
			if p := recover(); p != nil { // the group would end the program
				err = incident.Recovered(p)
			}
		}()
		run := context.WithoutCancel(ctx)
		if end, ok := ctx.Deadline(); ok {
			limited, cancel := context.WithDeadline(run, end)
			defer cancel()
			run = limited
		}
		return work(run)
	})
	select {
	case r := <-done:
		value, _ := r.Val.(T)
		return value, r.Err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
