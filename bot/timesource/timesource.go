// Package timesource gives the bot and the local Discord the time. With their own clock, tests can let hours pass at
// once.
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

// AfterFunc is time.AfterFunc, but that no timer is due when it is set: in tests with synctest, two such timers at a
// time crash the race detector (Go's issue 78156).
func (System) AfterFunc(d time.Duration, f func()) func() {
	t := time.AfterFunc(max(d, time.Nanosecond), f)
	return func() { t.Stop() }
}

// Wait waits until a moment, until wake is sent something, or until ctx ends.
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
