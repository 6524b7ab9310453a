package kv

import (
	"context"
	"errors"
	"time"
)

// ErrSilent says that the database server does not answer.
var ErrSilent = errors.New("the server does not answer")

// silencePause is the interval at which a waiting call checks whether the server answers.
const silencePause = 500 * time.Millisecond

// Answerer is an engine that can become silent, such as a server behind a network.
type Answerer interface {
	// Answers reports whether the server has answered just now, or answers before ctx ends.
	Answers(ctx context.Context) bool
}

type patienceKey struct{}

// WithPatience limits how long View and Update wait for a silent server. Once until has passed, they check whether the
// server answers. If it does not, they return an *UnreachableError with ErrSilent. They keep waiting for a server that
// is only slow.
func WithPatience(ctx context.Context, until time.Time) context.Context {
	return context.WithValue(ctx, patienceKey{}, until)
}

// silence returns a context that ends with the cause ErrSilent when the engine becomes silent, as WithPatience
// describes. It returns ctx itself if ctx has no patience, or if the engine is not an Answerer.
func (d *DB) silence(ctx context.Context) (silent context.Context, stop func()) {
	until, impatient := ctx.Value(patienceKey{}).(time.Time)
	engine, may := d.engine.(Answerer)
	if !impatient || !may {
		return ctx, func() {}
	}
	silent, fall := context.WithCancelCause(ctx)
	// The timer is never set to a moment in the past. In tests with synctest, two such timers that fire at the same
	// time crash the race detector (Go issue 78156).
	timer := time.AfterFunc(max(time.Nanosecond, time.Until(until)), func() {
		for silent.Err() == nil {
			asking, cancel := context.WithTimeout(silent, silencePause)
			answers := engine.Answers(asking)
			if !answers {
				fall(ErrSilent)
			}
			<-asking.Done() // waits before the next check
			cancel()
		}
	})
	return silent, func() { timer.Stop(); fall(nil) }
}

// isSilent reports whether a context that silence returned has ended because the engine is silent.
func isSilent(ctx context.Context) bool { return errors.Is(context.Cause(ctx), ErrSilent) }
