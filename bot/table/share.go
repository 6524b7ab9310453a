package table

import (
	"context"

	"marque/bot/table/changes"
)

// Sharing connects a Service to other processes that share its store.
type Sharing struct {
	owned   *ownership
	queue   *queue
	outbox  *outbox
	sweeper *sweeper
	cleaner *cleaner
	cache   *cache
	changes *changes.Hub
	looks   *changes.Looks
	others  bool // whether there were other processes at the last poll; only the sweeper's goroutine uses it
}

// Begin makes the Service share its store with other processes. It is called before Start.
func (s *Sharing) Begin(share Share) { s.owned.share = &share }

// Relay sends the changes of tables to other processes, and receives theirs, until ctx ends. poll finds changes whose
// messages were lost.
func (s *Sharing) Relay(ctx context.Context, w changes.Wire) {
	relay := changes.Relay{Hub: s.changes, Looks: s.looks, Alone: s.owned.alone, Log: s.queue.log}
	relay.Changed = func(c changes.Notice) {
		// Other processes seldom change tables of servers that this process serves, and other servers' tables are not
		// in memory.
		if s.owned.exclusive(c.Guild) {
			s.cache.drop(c.Table)
		}
		if s.owned.mine(c.Guild) {
			s.queue.poke(c.Table)
		}
	}
	relay.Missed = func() {
		s.Gaining()
		s.queue.fetch(true)
	}
	relay.Run(ctx, w)
}

// Gaining clears memory, where tables may be out of date. It is called before this process becomes the owner of
// servers, and when other processes may have changed tables.
func (s *Sharing) Gaining() { s.cleaner.clear() }

// Gained does the waiting work of servers of which this process has become the owner. The previous owner may have
// published events and ended before recording that.
func (s *Sharing) Gained(ctx context.Context) {
	if err := s.outbox.recall(ctx); err != nil && ctx.Err() == nil {
		s.queue.log.ErrorContext(ctx, "the outbox cannot be read; what another process told last may be told again",
			"error", err)
	}
	s.sweeper.returned()
	s.queue.fetch(false)
	s.sweeper.poke()
}

// poll fetches the work that other processes have left to this one, and drops tables from memory that other processes
// may have changed.
func (s *Sharing) poll() {
	if s.owned.share == nil {
		return
	}
	others := !s.owned.alone()
	if others || s.others { // a process that has just ended may have changed something
		s.Gaining()
	}
	s.others = others
	s.cleaner.look()
	s.queue.fetch(true)
}
