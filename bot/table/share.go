package table

import (
	"context"
	"errors"
	"time"

	"marque/storage"
)

// Share is what of the tables is this process's, where several processes share a store. What people ask for is done by
// whoever they ask; what nobody asked for, by the process whose the server is.
type Share struct {
	// Fence is the lease under which this process is to do what nobody asked for in a server: tell
	// news, let computers move, carry out what falls due. It is not to when held is false.
	Fence func(guild string) (t storage.Fence, held bool)
	// Sole reports whether no other process changes what belongs to a server: what is in memory of
	// its tables is what is stored. It is not so where Fence is not held.
	Sole func(guild string) bool
	// Alone reports whether no other process lives.
	Alone func() bool
}

// elsewherePause is how long what falls due at a table of another process is left alone.
const elsewherePause = time.Minute

// ErrNotOwner says that what nobody asked for is another process's to do.
var ErrNotOwner = errors.New("another process does that")

// ownership says what of the tables is this process's: everything, until Sharing.Begin says otherwise.
type ownership struct{ share *Share }

// Sharing is where a Service is told of the other processes.
type Sharing struct {
	owned   *ownership
	queue   *queue
	outbox  *outbox
	sweeper *sweeper
	cleaner *cleaner
	cache   *cache
	changes *changes
	others  bool // there were other processes when poll looked last; the sweeper's goroutine alone uses it
}

// Begin says that there may be other processes; it is called before Start.
func (s *Sharing) Begin(share Share) { s.owned.share = &share }

// Gaining says that servers are about to become this process's: what it remembers of them may be old.
func (s *Sharing) Gaining() { s.cleaner.clear() }

// Gained says that servers have become this process's: what waits there is done from now on. The
// process before may have told news and ended before it could note that.
func (s *Sharing) Gained(ctx context.Context) {
	if err := s.outbox.recall(ctx); err != nil && ctx.Err() == nil {
		s.queue.log.ErrorContext(ctx, "the outbox cannot be read; what another process told last may be told again",
			"error", err)
	}
	s.sweeper.returned()
	s.queue.fetch(false)
	s.sweeper.poke()
}

// fence is Share.Fence; a process that knows of no others does everything.
func (o *ownership) fence(guild string) (fence storage.Fence, held bool) {
	if o.share == nil {
		return fence, true
	}
	return o.share.Fence(guild)
}

// mine reports whether this process is to do what nobody asked for in a server.
func (o *ownership) mine(guild string) bool {
	_, held := o.fence(guild)
	return held
}

// sole is Share.Sole.
func (o *ownership) sole(guild string) bool { return o.share == nil || o.share.Sole(guild) }

// alone is Share.Alone.
func (o *ownership) alone() bool { return o.share == nil || o.share.Alone() }

// ours reports whether a table is this process's to look after.
func (t *tables) ours(ctx context.Context, id ID) (bool, error) {
	if t.share == nil {
		return true, nil
	}
	h, err := t.lists.Head(ctx, id)
	if errors.Is(err, storage.ErrNoTable) {
		return true, nil // what is done at the table finds that out
	}
	return err == nil && t.mine(h.Guild), err
}

// remembered is a table that is in memory, if it is as it is stored; nil otherwise.
func (t *tables) remembered(id ID) *Snapshot {
	snap := t.cache.get(id)
	if snap == nil || t.sole(snap.Guild) {
		return snap
	}
	t.cache.drop(id)
	return nil
}

// remember keeps a table in memory, if nobody else changes it, and the memory was not cleared since
// it was read: then clears is cache.cleared as before.
func (t *tables) remember(snap *Snapshot, clears uint64) {
	if t.sole(snap.Guild) {
		t.cache.put(snap, clears)
	}
}

// fetch looks again for what the store has that is to be done; polled leaves alone what a channel did not take and that
// is tried again later by itself.
func (q *queue) fetch(polled bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.started || q.closing {
		return
	}
	if !q.left {
		q.left, q.fetched, q.polling = true, 0, polled
	} else {
		q.missed, q.polling = true, q.polling && polled
	}
	q.signal()
}

// returned lets the sweeper look again at what fell due while it was another process's.
func (w *sweeper) returned() {
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.elsewhere)
}

// leave notes that what is due at a table is another process's, and reports whether there was room to.
func (w *sweeper) leave(id ID, until time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.elsewhere) >= maxFailing {
		return false
	}
	w.elsewhere[id] = until
	return true
}

// left reports whether it is noted that what is due at a table is another process's.
func (w *sweeper) left(id ID) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, is := w.elsewhere[id]
	return is
}

// poll looks, where there are other processes, for what they have left to this one, and remembers
// nothing any longer that they may have changed.
func (s *Sharing) poll() {
	if s.owned.share == nil {
		return
	}
	others := !s.owned.alone()
	if others || s.others { // a process that has just gone may have changed something until then
		s.Gaining()
	}
	s.others = others
	s.cleaner.look()
	s.queue.fetch(true)
}
