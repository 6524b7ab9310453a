package interact

import (
	"context"
	"marque/bot/incident"

	"golang.org/x/sync/singleflight"
)

// Runs lets the same question asked twice at once share one run.
type Runs struct{ group singleflight.Group }

// Share is what work returns; who asks with the same key while it runs gets the same. The run goes on
// while anybody may still want it, at most for the time of one answer; each waits for it until their
// own ctx ends.
func Share[T any](ctx context.Context, runs *Runs, key string, work func(context.Context) (T, error)) (T, error) {
	done := runs.group.DoChan(key, func() (value any, err error) {
		defer func() {
			if p := recover(); p != nil { // the group would end the program
				err = incident.Recovered(p)
			}
		}()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerTime)
		defer cancel()
		return work(ctx)
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
