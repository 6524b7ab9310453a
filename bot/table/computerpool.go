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
	// thinkers is the number of tables for which computers think at the same time.
	thinkers = 2
	// maxWaiting is the maximum number of tables that wait for a computer. Further tables stay in the outbox and come
	// later.
	maxWaiting = 4096
	// maxRow is the maximum number of consecutive computer moves in one commit. While other tables are queued it is
	// one, so that no table waits for another's long sequence.
	maxRow = 12
	// noPeopleHaste is added to the number of waiting tables when computers think about a game without people, so that
	// they think for a shorter time.
	noPeopleHaste = 3
	// longestThought is the time limit for thinking about a table before each commit.
	longestThought = 30 * time.Second
	// firstRethink is the shortest and longestRethink the longest pause before a table that still waits for a computer
	// is queued again. See nextThought.
	firstRethink   = time.Minute
	longestRethink = time.Hour
	// mostResumed is the maximum number of times that thinking about one version of a table is resumed because the
	// store works again.
	mostResumed = 8
)

var errComputersBusy = errors.New("too many tables wait for computer players")

// computerPool lets the computers think for a few tables at a time, in the order in which the tables arrived, and never
// under a table's lock. Their decision is committed only if the table still has the version that they saw. Otherwise
// they think again.
//
// A table that waits for a computer is not published, because the people's moves are published together with the
// computer's answer. The table therefore stays in the store's outbox, where a restarted process finds it. If the
// thinking fails, the table is published as it is, and the computers think again when the time from nextThought falls
// due.
type computerPool struct {
	tables    editor
	computers Computers
	log       *slog.Logger
	// again queues a table for the work that follows a commit, when its computers have stopped thinking or are to
	// think again. That work publishes the table, or puts it into queue if it waits for a computer.
	again      func(ID)
	background *background.Gate

	mu      sync.Mutex
	jobs    map[ID]bool // tables that wait for a computer; true while computers think about the table
	queue   []ID
	running int
	failed  map[ID]failure
	closed  bool
	wg      sync.WaitGroup
	ctx     context.Context
	cancel  context.CancelFunc

	thought func(time.Duration) // receives how long computers thought for each table

	advisers chan struct{} // semaphore for the hints and chances that are computed at the same time
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

// failure records that thinking about a version of a table failed. The version is published without a computer's
// answer.
type failure struct {
	version uint64
	again   bool // whether computers think about the version again
	resumed int  // how often thinking was resumed
}

// resume makes computers think again about tables for which thinking failed, because a fault of the store may have been
// the cause. After mostResumed times, a table waits until the time from nextThought.
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

// waiting returns how many tables besides the caller's wait for a computer, including those about which computers are
// thinking. A caller whose table is not in jobs adds 1.
func (c *computerPool) waiting() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.jobs) - 1
}

// queued reports whether any table is in the queue.
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
