// Package timesource is where the bot and the local Discord take the time from, so that tests can
// let hours pass at once.
package timesource

import "time"

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

// AfterFunc is time.AfterFunc.
func (System) AfterFunc(d time.Duration, f func()) func() {
	t := time.AfterFunc(d, f)
	return func() { t.Stop() }
}
