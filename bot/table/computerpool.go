package table

import (
	"context"
	"errors"
	"log/slog"
	"marque/bot/background"
	"sync"
	"time"
)

const (
	// thinkers is how many tables are thought for at once.
	thinkers = 2
	// maxWaiting bounds the tables that wait to be thought for; the outbox brings the others later.
	maxWaiting = 4096
	// maxRow bounds how many moves of computers in a row are committed at once. While other tables
	// are in the queue it is one, so that none waits for another's long row.
	maxRow = 12
	// noPeopleHaste is how many tables more seem to wait while computers think about a game that no
	// person is in any more.
	noPeopleHaste = 3
	// longestThought bounds how long one table may be thought for at a time.
	longestThought = 30 * time.Second
	// firstRethink and longestRethink bound when a table comes up again that waits for a computer
	// still; the pause doubles in between.
	firstRethink   = time.Minute
	longestRethink = time.Hour
	// mostResumed bounds how often thinking about one position is resumed because the store takes something again.
	mostResumed = 8
)

var errComputersBusy = errors.New("too many tables wait for computer players")

// computerPool lets the computers think: for a few tables at once, in the order in which they came, and
// never under a table's lock. What they decide is committed against the version that they saw; when
// the table has moved on meanwhile, they think again.
//
// A table that waits for a computer is not published: what its people did is told together with the
// answer. It therefore stays in the store's outbox, which is how it is found after a restart. When
// the thinking fails it is published as it is, and comes up again by the store's due index.
type computerPool struct {
	tables editor
	mind   Computers
	log    *slog.Logger
	// again lets what follows a commit be done for a table whose computers are done: it is
	// published, or comes back when it is a computer's turn still.
	again      func(ID)
	background *background.Gate

	mu      sync.Mutex
	jobs    map[ID]bool // true while being thought for
	queue   []ID
	running int
	failed  map[ID]failure
	closed  bool
	wg      sync.WaitGroup
	ctx     context.Context
	cancel  context.CancelFunc

	thought func(time.Duration) // told how long each table was thought for

	advisers chan struct{} // bounds how many hints are thought about at once
}

// editor reads and changes tables.
type editor interface {
	Snapshot(ctx context.Context, id ID) (*Snapshot, error)
	edit(ctx context.Context, by Actor, id ID, f func(*draft) error) (*Snapshot, error)
}

func newComputerPool(c Config, tables editor, again func(ID), background *background.Gate) *computerPool {
	p := &computerPool{
		tables: tables, mind: c.Computers, log: c.Log, again: again, background: background, thought: c.Thought,
		jobs: map[ID]bool{}, failed: map[ID]failure{}, advisers: make(chan struct{}, thinkers),
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	return p
}

// failure is that nothing came of thinking about a table: its news are published as they are.
type failure struct {
	version uint64
	again   bool // it is thought about all the same
	resumed int  // how often that was so
}

// resume lets computers think again for which that failed: the store, for which it may have failed, is back, or takes
// something. Where it fails again and again, nextThought alone brings it up.
func (c *computerPool) resume() {
	if c == nil {
		return
	}
	var again []ID
	c.mu.Lock()
	for id, f := range c.failed {
		if f.resumed < mostResumed {
			c.failed[id] = failure{version: f.version, again: true, resumed: f.resumed + 1}
			again = append(again, id)
		}
	}
	c.mu.Unlock()
	for _, id := range again {
		c.again(id)
	}
}

// waiting is how many other tables wait or are being thought for.
func (c *computerPool) waiting() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.jobs) - 1
}

// queued reports whether a table is in the queue.
func (c *computerPool) queued() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.queue) > 0
}

// close stops the thinking. What was being thought about is thought about again after the next
// start.
func (c *computerPool) close() {
	if c == nil {
		return
	}
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.cancel()
	c.wg.Wait()
}
