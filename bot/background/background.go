// Package background makes work for which nobody waits give way to work for which people wait.
package background

import (
	"context"
	"sync"
	"time"
)

// Gate makes work give way to more urgent work. Background work, such as reviews of games that have just ended, gives
// way to work for which people wait. In a rush, pictures give way to promises of answers. Work asks the gate before
// each piece.
type Gate struct {
	mu    sync.Mutex
	ahead int           // pieces of work that people wait for
	quiet chan struct{} // closed when ahead falls to 0; nil while it is 0

	promises int           // number of promises in progress
	calm     chan struct{} // closed when the rush is over; nil while there is no rush
}

// givesWay is the maximum time for which a piece of background work gives way. So the work ends even if people are
// always waiting for something.
const givesWay = time.Second

// Begin records that people wait for work that takes a processor, until End.
func (b *Gate) Begin() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ahead++; b.quiet == nil {
		b.quiet = make(chan struct{})
	}
}

// End records that work recorded by Begin is done.
func (b *Gate) End() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ahead--; b.ahead == 0 {
		close(b.quiet)
		b.quiet = nil
	}
}

// rush is the number of simultaneous promises that count as a rush. Fewer promises mostly wait for Discord, not for a
// processor.
const rush = 32

// Promise records that an answer is being promised, until kept is called. A promise takes little work and must be
// quick.
func (b *Gate) Promise() (kept func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.promises++; b.promises == rush {
		b.calm = make(chan struct{})
	}
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.promises--; b.promises == rush-1 {
			close(b.calm)
			b.calm = nil
		}
	}
}

// AfterRush waits until there is no rush of promises, but no longer than givesWay. It returns ctx's error if ctx ends
// first.
func (b *Gate) AfterRush(ctx context.Context) error {
	b.mu.Lock()
	calm := b.calm
	b.mu.Unlock()
	return giveWay(ctx, calm, nil)
}

// GiveWay waits until people wait for nothing, but no longer than givesWay, or until hurry is closed. hurry may be nil.
// GiveWay returns ctx's error if ctx ends first.
func (b *Gate) GiveWay(ctx context.Context, hurry <-chan struct{}) error {
	b.mu.Lock()
	quiet := b.quiet
	b.mu.Unlock()
	return giveWay(ctx, quiet, hurry)
}

func giveWay(ctx context.Context, to, hurry <-chan struct{}) error {
	if to == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	timer := time.NewTimer(givesWay)
	defer timer.Stop()
	select {
	case <-to:
	case <-hurry:
	case <-timer.C:
	case <-ctx.Done():
	}
	return ctx.Err()
}
