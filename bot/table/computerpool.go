package table

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"marque/bot/background"
)

const (
	// thinkers is how many tables computers think for at once.
	thinkers = 2
	// maxWaiting bounds the tables that wait for a computer; the outbox brings the others later.
	maxWaiting = 4096
	// maxRow bounds the moves of computers in a row that one commit has. While other tables are in the queue it is one,
	// so that no table waits for another's long row.
	maxRow = 12
	// noPeopleHaste is how many more tables seem to wait while computers think about a game without people.
	noPeopleHaste = 3
	// longestThought bounds how long computers think for one table at a time.
	longestThought = 30 * time.Second
	// firstRethink and longestRethink bound the pause after which a table comes up again that still waits for a
	// computer. The pause doubles in between.
	firstRethink   = time.Minute
	longestRethink = time.Hour
	// mostResumed bounds how often thinking about one position is resumed because the store works again.
	mostResumed = 8
)

var errComputersBusy = errors.New("too many tables wait for computer players")

// computerPool lets the computers think: for a few tables at once, in the order in which they came, and never under a
// table's lock. Their decision is committed against the version that they saw; when the table has changed meanwhile,
// they think again.
//
// A table that waits for a computer is not published: the people's moves are published together with the computer's
// answer. The table therefore stays in the store's outbox, where a restarted process finds it. When the thinking
// fails, the table is published as it is, and the store's due index brings it up again.
type computerPool struct {
	tables    editor
	computers Computers
	log       *slog.Logger
	// again does what follows a commit for a table whose computers are done: it publishes the table, or takes it up
	// again if the next turn is a computer's.
	again      func(ID)
	background *background.Gate

	mu      sync.Mutex
	jobs    map[ID]bool // true while computers think for it
	queue   []ID
	running int
	failed  map[ID]failure
	closed  bool
	wg      sync.WaitGroup
	ctx     context.Context
	cancel  context.CancelFunc

	thought func(time.Duration) // receives how long computers thought for each table

	advisers chan struct{} // bounds the hints that are thought about at once
}

// editor reads and changes tables.
type editor interface {
	Snapshot(ctx context.Context, id ID) (*Snapshot, error)
	edit(ctx context.Context, by Actor, id ID, f func(*draft) error) (*Snapshot, error)
}

func newComputerPool(c Config, tables editor, again func(ID), background *background.Gate) *computerPool {
	p := &computerPool{
		tables: tables, computers: c.Computers, log: c.Log, again: again, background: background, thought: c.Thought,
		jobs: map[ID]bool{}, failed: map[ID]failure{}, advisers: make(chan struct{}, thinkers),
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	return p
}

// failure records that thinking about a table failed: its news are published as they are.
type failure struct {
	version uint64
	again   bool // computers think about it anyway
	resumed int  // how often that happened
}

// resume lets computers think again where that failed: the store, which may have been the reason, works again. A table
// that fails again and again only comes up by nextThought.
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

// waiting returns how many other tables wait for computers or have them thinking.
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

// close stops the thinking. Unfinished thinking begins again after the next start.
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
