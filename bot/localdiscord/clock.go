package localdiscord

import (
	"sort"
	"sync"
	"time"
)

// Clock is where the server takes the time from: ids, timestamps, the three seconds for a first answer, the fifteen
// minutes of an interaction token.
type Clock interface {
	Now() time.Time
	// AfterFunc calls f in its own goroutine once d has passed; stop prevents a call that has not begun.
	AfterFunc(d time.Duration, f func()) (stop func())
}

// SystemClock is the machine's clock.
type SystemClock struct{}

// Now returns the current time.
func (SystemClock) Now() time.Time { return time.Now() }

// AfterFunc is time.AfterFunc.
func (SystemClock) AfterFunc(d time.Duration, f func()) func() {
	t := time.AfterFunc(d, f)
	return func() { t.Stop() }
}

// ManualClock stands still until Advance is called. It is safe for concurrent use.
type ManualClock struct {
	mu     sync.Mutex
	now    time.Time
	next   int
	timers map[int]manualTimer
}

type manualTimer struct {
	at time.Time
	f  func()
}

// NewManualClock returns a clock that shows start.
func NewManualClock(start time.Time) *ManualClock {
	return &ManualClock{now: start, timers: map[int]manualTimer{}}
}

// Now returns the time the clock shows.
func (c *ManualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// AfterFunc registers f for the time d from now; Advance calls it.
func (c *ManualClock) AfterFunc(d time.Duration, f func()) func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := c.next
	c.next++
	c.timers[id] = manualTimer{c.now.Add(d), f}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.timers, id)
	}
}

// Advance moves the clock by d and calls, one after the other in their order, the functions that came due; when it
// returns they have returned.
func (c *ManualClock) Advance(d time.Duration) {
	c.mu.Lock()
	c.now = c.now.Add(d)
	var due []int
	for id, t := range c.timers {
		if !t.at.After(c.now) {
			due = append(due, id)
		}
	}
	sort.Slice(due, func(i, j int) bool {
		a, b := c.timers[due[i]], c.timers[due[j]]
		return a.at.Before(b.at) || a.at.Equal(b.at) && due[i] < due[j]
	})
	fs := make([]func(), len(due))
	for i, id := range due {
		fs[i] = c.timers[id].f
		delete(c.timers, id)
	}
	c.mu.Unlock()
	for _, f := range fs {
		f()
	}
}
