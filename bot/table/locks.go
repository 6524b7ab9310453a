package table

import (
	"context"
	"sync"
)

// locks are one lock for each table, or competition, that is in use. A lock that nobody holds or waits for takes no
// memory.
type locks[K comparable] struct {
	mu   sync.Mutex
	held map[K]*lock
}

type lock struct {
	turn  chan struct{} // holds one token
	users int           // holders and waiters
}

func newLocks[K comparable]() *locks[K] { return &locks[K]{held: map[K]*lock{}} }

// lock waits for the lock of one of them, or for the context to end. The function that it returns gives
// the lock back.
func (l *locks[K]) lock(ctx context.Context, id K) (func(), error) {
	l.mu.Lock()
	k := l.held[id]
	if k == nil {
		k = &lock{turn: make(chan struct{}, 1)}
		k.turn <- struct{}{}
		l.held[id] = k
	}
	k.users++
	l.mu.Unlock()
	leave := func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if k.users--; k.users == 0 {
			delete(l.held, id)
		}
	}
	select {
	case <-k.turn:
		return func() { k.turn <- struct{}{}; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}

// gate counts the commands under way and can be closed.
type gate struct {
	mu     sync.Mutex
	closed bool
	inside int
	empty  chan struct{} // closed when the gate is closed and nobody is inside
}

func newGate() *gate { return &gate{empty: make(chan struct{})} }

func (g *gate) enter() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return ErrClosing
	}
	g.inside++
	return nil
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.inside--; g.closed && g.inside == 0 {
		close(g.empty)
	}
}

// close lets nobody in any more and waits until all have left or ctx ends.
func (g *gate) close(ctx context.Context) {
	g.mu.Lock()
	if !g.closed {
		g.closed = true
		if g.inside == 0 {
			close(g.empty)
		}
	}
	g.mu.Unlock()
	select {
	case <-g.empty:
	case <-ctx.Done():
	}
}
