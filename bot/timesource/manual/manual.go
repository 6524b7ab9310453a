// Package manual has clocks for tests: one that stands still until the test moves it, and one on which every pause ends
// immediately. Its function Run raises the limit of parallel tests for tests that mostly wait.
package manual

import (
	"slices"
	"sort"
	"sync"
	"time"
)

// Clock is a timesource.Clock that stands still until Advance or Jump is called. It is safe for concurrent use.
type Clock struct {
	mu     sync.Mutex
	now    time.Time
	next   int
	timers map[int]timer
	before func()
}

type timer struct {
	at time.Time
	f  func()
}

// NewClock returns a clock that stands at start.
func NewClock(start time.Time) *Clock {
	return &Clock{now: start, timers: map[int]timer{}}
}

// Now returns the time at which the clock stands.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// AfterFunc makes Advance and Jump call f when the clock has moved by d. The returned function prevents the call if it
// is not yet due.
func (c *Clock) AfterFunc(d time.Duration, f func()) func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := c.next
	c.next++
	c.timers[id] = timer{c.now.Add(d), f}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.timers, id)
	}
}

// Before sets a function that Advance calls before the clock moves.
func (c *Clock) Before(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.before = f
}

// Advance moves the clock by d and calls the functions that are due, one after another in order. It returns when they
// have returned.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	before := c.before
	c.mu.Unlock()
	if before != nil {
		before()
	}
	c.Jump(d)
}

// Jump moves the clock as Advance does, but does not call the function set by Before.
func (c *Clock) Jump(d time.Duration) {
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

// Hasty is a timesource.Clock on which every pause ends immediately, because the clock moves forward by the pause. It
// is safe for concurrent use. The zero Hasty begins at the machine's time.
type Hasty struct {
	mu      sync.Mutex
	skipped time.Duration
	pauses  []time.Duration
}

// Now returns the machine's time plus all pauses.
func (c *Hasty) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.skipped)
}

// AfterFunc moves the clock forward by d, and calls f.
func (c *Hasty) AfterFunc(d time.Duration, f func()) func() {
	c.mu.Lock()
	c.skipped += d
	c.pauses = append(c.pauses, d)
	c.mu.Unlock()
	f()
	return func() {}
}

// Pauses returns the lengths of all pauses so far, in order.
func (c *Hasty) Pauses() []time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.pauses)
}
