package kv

import (
	"context"
	"errors"
	"time"
)

// ErrSilent says that the server which keeps the store does not answer.
var ErrSilent = errors.New("the server does not answer")

// silencePause is the time from a sign of life of the server to the next that whoever waits asks for.
const silencePause = 500 * time.Millisecond

// Answerer is an engine that may fall silent: a server behind a network.
type Answerer interface {
	// Answers reports whether the server answered just now, or answers before ctx ends.
	Answers(ctx context.Context) bool
}

type patienceKey struct{}

// WithPatience says until when whoever waits for a View or an Update bears a server's silence. From then on the two ask
// for a sign of life, and return an *UnreachableError with ErrSilent where there is none. A server that is only slow is
// waited for.
func WithPatience(ctx context.Context, until time.Time) context.Context {
	return context.WithValue(ctx, patienceKey{}, until)
}

// silence returns a context that ends when the engine has fallen silent, with ErrSilent as its cause, as WithPatience
// says. Without patience, and for engines that do not fall silent, that is never.
func (d *DB) silence(ctx context.Context) (silent context.Context, stop func()) {
	until, impatient := ctx.Value(patienceKey{}).(time.Time)
	engine, may := d.engine.(Answerer)
	if !impatient || !may {
		return ctx, func() {}
	}
	silent, fall := context.WithCancelCause(ctx)
	// Never due when it is set: in tests with synctest, two such timers at a time crash the race detector (Go's issue
	// 78156).
	timer := time.AfterFunc(max(time.Nanosecond, time.Until(until)), func() {
		for silent.Err() == nil {
			asking, cancel := context.WithTimeout(silent, silencePause)
			answers := engine.Answers(asking)
			if !answers {
				fall(ErrSilent)
			}
			<-asking.Done() // the pause to the next, too
			cancel()
		}
	})
	return silent, func() { timer.Stop(); fall(nil) }
}

// isSilent reports whether a context of silence has ended because the engine has fallen silent.
func isSilent(ctx context.Context) bool { return errors.Is(context.Cause(ctx), ErrSilent) }
