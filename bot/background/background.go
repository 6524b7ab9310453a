// Package background lets work that nobody waits for give way to what people wait for.
package background

import (
	"context"
	"sync"
	"time"
)

// Gate lets work give way to work that cannot wait as long: reviews and replays of games that
// have just ended to what people wait for, and pictures to promises in a rush. Work asks before each
// piece.
type Gate struct {
	mu    sync.Mutex
	ahead int           // pieces of work that people wait for
	quiet chan struct{} // closed when there is none of it any more; nil while there is none

	promises int           // promises that are being made
	calm     chan struct{} // closed when the rush is over; nil while there is none
}

// givesWay is how long a piece of background work gives way at most, so that it comes to an end however much people do.
const givesWay = time.Second

// Begin says that people wait for something that takes a processor, until End.
func (b *Gate) Begin() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ahead++; b.quiet == nil {
		b.quiet = make(chan struct{})
	}
}

// End says that it is done.
func (b *Gate) End() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ahead--; b.ahead == 0 {
		close(b.quiet)
		b.quiet = nil
	}
}

// rush is how many promises are made at once in a rush. Fewer wait for Discord rather than for a processor.
const rush = 32

// Promise says that an answer is being promised, which takes little and must be quick, until kept is called.
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

// AfterRush waits until no rush of promises is under way, or for a second. It returns ctx's error when ctx ends
// before.
func (b *Gate) AfterRush(ctx context.Context) error {
	b.mu.Lock()
	calm := b.calm
	b.mu.Unlock()
	return giveWay(ctx, calm, nil)
}

// GiveWay waits until people wait for nothing, or for a second; less when hurry is closed, which
// may be nil. It returns ctx's error when ctx ends before.
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
