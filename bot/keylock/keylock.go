// Package keylock has a lock for each key in use.
package keylock

import (
	"context"
	"sync"
)

// Locks has a lock for each key. A lock with neither a holder nor waiters takes no memory.
type Locks[K comparable] struct {
	mu   sync.Mutex
	held map[K]*lock
}

type lock struct {
	turn  chan struct{} // has one value while the lock is free
	users int           // number of holders and waiters
}

// New returns Locks in which every lock is free.
func New[K comparable]() *Locks[K] { return &Locks[K]{held: map[K]*lock{}} }

// Lock waits for the lock of a key. It returns ctx's error if ctx ends first. The returned function releases the lock.
func (l *Locks[K]) Lock(ctx context.Context, id K) (func(), error) {
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
