// Package timesource provides the time for the bot and the local Discord. With a clock of their own, tests need not
// wait when hours pass.
package timesource

import (
	"context"
	"time"
)

// Clock tells the time and calls back later.
type Clock interface {
	Now() time.Time
	// AfterFunc calls f in its own goroutine once d has passed; stop prevents a call that has not
	// begun.
	AfterFunc(d time.Duration, f func()) (stop func())
}

// System is the machine's clock.
type System struct{}

// Now returns the current time.
func (System) Now() time.Time { return time.Now() }

// AfterFunc is like time.AfterFunc, but never sets a timer that is already due: in tests with synctest, two such timers
// at the same time crash the race detector (Go's issue 78156).
func (System) AfterFunc(d time.Duration, f func()) func() {
	t := time.AfterFunc(max(d, time.Nanosecond), f)
	return func() { t.Stop() }
}

// Wait waits until a moment, until wake receives a value, or until ctx ends.
func Wait(ctx context.Context, clock Clock, until time.Time, wake <-chan struct{}) {
	passed := make(chan struct{})
	defer clock.AfterFunc(until.Sub(clock.Now()), func() { close(passed) })()
	if !clock.Now().Before(until) {
		return
	}
	select {
	case <-passed:
	case <-wake:
	case <-ctx.Done():
	}
}
