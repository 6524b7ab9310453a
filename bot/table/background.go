package table

import (
	"context"
	"sync"
	"time"
)

// Background lets work that nobody waits for, as reviews and replays of games that have just ended,
// give way to what people wait for. It goes piece by piece, and asks before each.
type Background struct {
	mu    sync.Mutex
	ahead int           // pieces of work that people wait for
	quiet chan struct{} // closed when there is none of it any more; nil while there is none
}

// givesWay is how long a piece of background work gives way at most, so that it comes to an end however much people do.
const givesWay = time.Second

// Begin says that people wait for something that takes a processor, until End.
func (b *Background) Begin() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ahead++; b.quiet == nil {
		b.quiet = make(chan struct{})
	}
}

// End says that it is done.
func (b *Background) End() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ahead--; b.ahead == 0 {
		close(b.quiet)
		b.quiet = nil
	}
}

// GiveWay waits until people wait for nothing, or for a second; less when hurry is closed, which
// may be nil. It returns ctx's error when ctx ends before.
func (b *Background) GiveWay(ctx context.Context, hurry <-chan struct{}) error {
	b.mu.Lock()
	quiet := b.quiet
	b.mu.Unlock()
	if quiet == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	timer := time.NewTimer(givesWay)
	defer timer.Stop()
	select {
	case <-quiet:
	case <-hurry:
	case <-timer.C:
	case <-ctx.Done():
	}
	return ctx.Err()
}
