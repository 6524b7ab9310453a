package kv

import (
	"context"
	"errors"
	"time"
)

// ErrSilent says that the database server does not answer.
var ErrSilent = errors.New("the server does not answer")

// silencePause is the time between two checks whether the server is alive.
const silencePause = 500 * time.Millisecond

// Answerer is an engine that can become silent, such as a server behind a network.
type Answerer interface {
	// Answers reports whether the server has answered just now, or answers before ctx ends.
	Answers(ctx context.Context) bool
}

type patienceKey struct{}

// WithPatience sets how long View and Update tolerate a silent server. After until they check whether the server is
// alive, and return an *UnreachableError with ErrSilent if it does not answer. They wait for a server that is only
// slow.
func WithPatience(ctx context.Context, until time.Time) context.Context {
	return context.WithValue(ctx, patienceKey{}, until)
}

// silence returns a context that ends with the cause ErrSilent when the engine becomes silent, as WithPatience says.
// For a ctx without patience, and for an engine that is not an Answerer, silence returns ctx itself.
func (d *DB) silence(ctx context.Context) (silent context.Context, stop func()) {
	until, impatient := ctx.Value(patienceKey{}).(time.Time)
	engine, may := d.engine.(Answerer)
	if !impatient || !may {
		return ctx, func() {}
	}
	silent, fall := context.WithCancelCause(ctx)
	// The timer is never set to a moment in the past: in tests with synctest, two such timers at the same time crash
	// the race detector (Go's issue 78156).
	timer := time.AfterFunc(max(time.Nanosecond, time.Until(until)), func() {
		for silent.Err() == nil {
			asking, cancel := context.WithTimeout(silent, silencePause)
			answers := engine.Answers(asking)
			if !answers {
				fall(ErrSilent)
			}
			<-asking.Done() // also the pause before the next check
			cancel()
		}
	})
	return silent, func() { timer.Stop(); fall(nil) }
}

// isSilent reports whether a context of silence has ended because the engine is silent.
func isSilent(ctx context.Context) bool { return errors.Is(context.Cause(ctx), ErrSilent) }
