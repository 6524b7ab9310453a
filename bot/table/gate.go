package table

import (
	"context"
	"sync"
)

// gate counts the running commands, and can be closed to further ones.
type gate struct {
	mu     sync.Mutex
	closed bool
	inside int
	empty  chan struct{} // closed when the gate is closed and no command is running
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

// close refuses further commands. It waits until all running commands have left or ctx ends.
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
