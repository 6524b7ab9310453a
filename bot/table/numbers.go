package table

import (
	"context"
	"errors"
	"maps"
	"time"

	"marque/storage"
)

// Numbers are measurements of a Service at one time.
type Numbers struct {
	Unpublished int           // tables in the queue's memory, whose events may be unpublished
	OldestNews  time.Duration // how long the oldest of the Unpublished has waited
	// DueLag is how long the earliest due work that can be carried out is overdue; 0 if none is overdue.
	DueLag  time.Duration
	Failing int // number of tables whose due work failed and is tried again later
	Waiting int // number of tables that wait for computers to think
	// Thinking is the number of tables for which computers are thinking.
	Thinking int
	Frozen   int // number of frozen tables found since the start
}

// Numbers returns the present measurements of the service. It reads the due index from the store, and returns the
// store's errors.
func (s *Service) Numbers(ctx context.Context) (n Numbers, err error) {
	n.Unpublished, n.OldestNews = s.queue.oldest()
	n.Waiting, n.Thinking = s.pool.load()
	n.Frozen = s.tables.frozen.len()
	n.DueLag, n.Failing, err = s.sweeper.lag(ctx)
	return n, err
}

// load returns the number of tables that wait for computers, and the number for which they are thinking.
func (c *computerPool) load() (waiting, thinking int) {
	if c == nil {
		return 0, 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.queue), len(c.jobs) - len(c.queue)
}

// lag returns how long the earliest due work is overdue, and the number of failing tables. The first result leaves out
// failing tables and tables of other processes. While the bot is offline, both are 0, because nothing falls due.
func (w *sweeper) lag(ctx context.Context) (lag time.Duration, failing int, err error) {
	if !w.uptime.Up() {
		return 0, 0, nil
	}
	w.mu.Lock()
	failed, elsewhere := maps.Clone(w.failing), maps.Clone(w.elsewhere)
	w.mu.Unlock()
	now := w.clock.Now()
	list, err := w.due(ctx, storage.At(now), 1+dueKinds*(len(failed)+len(elsewhere)))
	if err != nil && !errors.Is(err, storage.ErrClosed) {
		return 0, len(failed), err
	}
	for _, due := range list {
		if _, fails := failed[due.Table]; !fails && elsewhere[due.Table].IsZero() {
			return now.Sub(due.At.Time()), len(failed), nil
		}
	}
	return 0, len(failed), nil
}
