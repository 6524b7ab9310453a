package table

import (
	"context"
	"errors"
	"log/slog"
	"slices"

	"marque/bot/table/changes"
	"marque/storage"
)

// cleaner clears the memory when users' data is deleted, because memory may have their names.
type cleaner struct {
	store   Store
	tables  *tables
	rooms   *rooms
	outbox  *outbox
	changes *changes.Hub
	log     *slog.Logger
	ctx     context.Context
	cancel  context.CancelFunc
	wake    chan struct{}
	done    chan struct{} // closed when the goroutine ends; nil until it starts
}

func newCleaner(ctx context.Context, c Config, t *tables, rooms *rooms, o *outbox, n *changes.Hub) *cleaner {
	w := &cleaner{store: c.Store, tables: t, rooms: rooms, outbox: o, changes: n, log: c.Log,
		wake: make(chan struct{}, 1)}
	w.ctx, w.cancel = context.WithCancel(ctx)
	return w
}

func (c *cleaner) start() {
	c.done = make(chan struct{})
	go func() {
		defer close(c.done)
		for {
			c.sweep() // an earlier process may have left work unfinished
			select {
			case <-c.wake:
			case <-c.ctx.Done():
				return
			}
		}
	}()
}

// look makes the cleaner work if a user's data is being deleted, possibly by another process. If that process stops,
// nothing else tells this one when the work is done.
func (c *cleaner) look() {
	list, err := c.store.Works(c.ctx) // if the store cannot be read, sweep logs the reason
	if err != nil || slices.ContainsFunc(list, func(w storage.Work) bool { return w.Kind == storage.Forgetting }) {
		c.poke()
	}
}

// poke makes the cleaner work because a user's data is being deleted.
func (c *cleaner) poke() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// sweep waits until all requested deletions of users' data are done, or one fails, and clears the caches.
func (c *cleaner) sweep() {
	list, err := c.store.Works(c.ctx)
	for _, w := range list {
		if w.Kind == storage.Forgetting && err == nil {
			err = c.store.Finished(c.ctx, w)
		}
	}
	if err != nil && c.ctx.Err() == nil && !errors.Is(err, storage.ErrClosed) {
		c.log.Error("a user could not be forgotten; trying again", "error", err)
	}
	c.clear()
}

// clear drops tables and their events from memory, here and in other packages, and notifies all subscribers.
func (c *cleaner) clear() {
	c.tables.cache.clear()
	c.outbox.clear()
	c.rooms.cleared()
	c.changes.Doubt()
}

func (c *cleaner) close() {
	c.cancel()
	if c.done != nil {
		<-c.done
	}
}
