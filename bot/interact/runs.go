package interact

import (
	"context"
	"marque/bot/incident"

	"golang.org/x/sync/singleflight"
)

// Runs lets concurrent callers with the same question share one run.
type Runs struct{ group singleflight.Group }

// Share runs work once for all concurrent callers with the same key, and returns the result to each. If the first
// caller stops waiting, work continues within that caller's deadline. Each caller waits at most until its ctx ends.
func Share[T any](ctx context.Context, runs *Runs, key string, work func(context.Context) (T, error)) (T, error) {
	done := runs.group.DoChan(key, func() (value any, err error) {
		defer func() {
			if p := recover(); p != nil { // otherwise the panic would end the program
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
