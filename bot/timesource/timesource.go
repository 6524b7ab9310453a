// Package timesource provides the time for the bot and the local Discord. Tests can use other clocks, so that they
// need not wait for hours.
package timesource

import (
	"context"
	"time"
)

// Clock tells the time, and calls functions later.
type Clock interface {
	Now() time.Time
	// AfterFunc calls f, in a goroutine of the clock's choice, once d has passed. stop prevents the call if it is not
	// yet due.
	AfterFunc(d time.Duration, f func()) (stop func())
}

// System is the machine's clock.
type System struct{}

// Now returns the current time.
func (System) Now() time.Time { return time.Now() }

// AfterFunc calls f in a new goroutine after d, like time.AfterFunc, but never sets a timer that is already due. In
// tests with synctest, two such timers that fire at the same time crash the race detector (Go issue 78156).
func (System) AfterFunc(d time.Duration, f func()) func() {
	t := time.AfterFunc(max(d, time.Nanosecond), f)
	return func() { t.Stop() }
}

// Wait waits until the clock reaches a moment, wake receives a value, or ctx ends.
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
