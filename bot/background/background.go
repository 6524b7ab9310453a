// Package background delays less urgent work while people wait for other work.
package background

import (
	"context"
	"sync"
	"time"
)

// Gate delays work while more urgent work is under way. Background work, such as reviews of finished games, is delayed
// while people wait for other work. Pictures are delayed while many interactions are being acknowledged. Work asks the
// gate before each piece.
type Gate struct {
	mu    sync.Mutex
	ahead int           // pieces of work under way that people wait for
	quiet chan struct{} // closed when ahead falls to 0; nil while ahead is 0

	promises int           // number of acknowledgements under way
	calm     chan struct{} // closed when promises falls below rush; nil while it is below
}

// givesWay is the maximum delay of a piece of work, so that all work is done in the end even if people are always
// waiting.
const givesWay = time.Second

// Begin records that people wait for work that uses the processor. End must be called when this work is done.
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

// rush is the number of simultaneous acknowledgements from which on pictures are delayed. Fewer of them mostly wait for
// Discord, and use little of the processor.
const rush = 32

// Promise records that an interaction is being acknowledged, until kept is called. An acknowledgement, which promises a
// later answer, takes little work and must be quick.
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

// AfterRush waits while rush or more interactions are being acknowledged, but no longer than givesWay. It returns ctx's
// error if ctx ends first.
func (b *Gate) AfterRush(ctx context.Context) error {
	b.mu.Lock()
	calm := b.calm
	b.mu.Unlock()
	return giveWay(ctx, calm, nil)
}

// GiveWay waits while people wait for other work, but no longer than givesWay. It stops waiting when hurry is closed;
// hurry can be nil. GiveWay returns ctx's error if ctx ends first.
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
