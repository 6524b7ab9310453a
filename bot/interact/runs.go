package interact

import (
	"context"
	"marque/bot/incident"

	"golang.org/x/sync/singleflight"
)

// Runs lets callers that ask the same question at the same time share one run.
type Runs struct{ group singleflight.Group }

// Share runs work once for all callers that use the same key at the same time, and returns the result to each. The run
// continues if its first caller stops waiting, at most until that caller's deadline. Every caller waits at most until
// its own ctx ends.
func Share[T any](ctx context.Context, runs *Runs, key string, work func(context.Context) (T, error)) (T, error) {
	done := runs.group.DoChan(key, func() (value any, err error) {
		defer func() {
			if p := recover(); p != nil { // the group would let it end the program
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
