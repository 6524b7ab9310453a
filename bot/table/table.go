// Package table runs the tables: their seats, turns, clocks and agreements. It does not depend on Discord: users,
// servers and channels are ids, and a Publisher receives the events of the tables.
//
// # Commands
//
// A Service is made with New and begins to publish with Start. Its commands (Open, Join, Leave, Begin, Move, Resign,
// Propose, Accept, Decline, Withdraw, Abandon, Rehouse) each take the user as an Actor, change one table in one commit,
// and return the Snapshot of the table after it. When a command returns without an error, the change is on the disk.
// The Publisher informs the channel afterwards. A handler therefore answers only its player (ephemerally, or by
// deferring), and leaves the public message to Publish.
//
// An Actor has the Key of the command. If the same key comes again within half an hour, the command changes nothing
// and returns the table as it is.
//
// Errors that a player caused are *Refusal (errors.Is with the Reasons ErrNotYourTurn, storage.ErrStale, ...),
// *games.ParseError or *games.SetupError; all are games.PlayerErrors with a message. A *FrozenError has a message too;
// only the operator can fix its cause. Other errors are faults of the program or of the machine, or mean that the
// Service closes or that ctx has ended. Besides the errors that its comment lists, a command can return
// storage.ErrNoTable, a *FrozenError, storage.ErrStale for a table that changes twice during the command, and
// ErrTooSoon for a user who has notified others too often.
//
// # Snapshots
//
// A Snapshot is a table at one version. It is immutable and can be read by many goroutines. It gives positions as
// Views, which hold only what a seat, or a spectator, may know. It does not reveal the secret seed before the end.
//
// # Versions
//
// Every commit raises a table's Version by one. Board is the version in which the position, or before the start an
// option, last changed, or in which the game ended: a button made at version v is out of date when v < Board. Move
// checks that (storage.ErrStale); pass 0 for a typed move.
//
// # Publishing
//
// The Publisher receives all events of a table since the last published version (News), in order and at least once,
// even after a crash. Only plays that were taken back before they were published are left out. The Publisher returns a
// note, which it receives again with the next events. The note has the ids of messages that the Publisher will edit or
// reply to.
//
// # Changes
//
// Other views of tables, such as an open page, subscribe to their changes (Subscribe). Subscribers do not delay
// commits. They read the changed tables themselves.
package table

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"marque/bot/background"
	"marque/bot/choices"
	"marque/bot/keylock"
	"marque/bot/table/acts"
	"marque/bot/table/changes"
	"marque/bot/table/uptime"
	"marque/bot/timesource"
	"marque/games/fair"
)

// Service carries out people's actions at tables. Its fields are the other services for tables. Once it has started,
// its methods and theirs are safe for concurrent use.
type Service struct {
	Lookup  *Lookup          // finds and reads tables
	Choices *choices.Service // settings and preferences
	Sharing *Sharing         // other processes that share the store

	// Background makes work for which nobody waits give way to other work.
	Background *background.Gate

	tables    *tables
	queue     *queue
	outbox    *outbox
	pool      *computerPool // nil if there are no computer players
	uptime    *uptime.Uptime
	upkeep    *upkeep
	sweeper   *sweeper
	cleaner   *cleaner
	admission *admission
	newSeed   func() fair.Seed
	rooms     rooms
	changes   *changes.Hub
	looks     *changes.Looks
}

// New returns a Service. It publishes nothing before Start.
func New(c Config) *Service {
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.CachePositions == 0 {
		c.CachePositions = DefaultCachePositions
	}
	if c.Workers == 0 {
		c.Workers = 32
	}
	if c.Patience == 0 {
		c.Patience = 2 * time.Minute
	}
	if c.NewSeed == nil {
		c.NewSeed = fair.NewSeed
	}
	if c.Clock == nil {
		c.Clock = timesource.System{}
	}
	if c.Thought == nil {
		c.Thought = func(time.Duration) {}
	}
	ctx, cancel := context.WithCancel(context.Background()) // context of work without a command
	s := &Service{newSeed: c.NewSeed, Background: new(background.Gate), changes: changes.NewHub()}
	owned := new(ownership)
	s.queue = newQueue(c)
	s.outbox = &outbox{ownership: owned, store: c.Store, log: c.Log, came: s.queue.came, news: map[ID]*pendingNews{}}
	s.uptime = uptime.New(ctx, c.Store, owned.alone, c.Clock, c.Log)
	s.tables = &tables{
		ownership: owned, store: c.Store, games: c.Games, log: c.Log, clock: c.Clock,
		computers: c.Computers != nil,
		locks:     keylock.New[ID](), cache: newCache(c.CachePositions), gate: newGate(), frozen: newFrozenSet(),
		acts:    acts.New(c.Clock),
		publish: s.publish, rooms: &s.rooms,
	}
	s.looks = changes.NewLooks(s.tables.now, s.queue.poke)
	s.Choices = choices.New(choices.Config{Store: c.Store, Clock: c.Clock, Downtimes: s.uptime.Downtimes, Work: s.Work,
		OfServer: s.tables.retimeServer, OfUser: s.tables.retimeUser})
	s.tables.choices = s.Choices
	if c.Computers != nil {
		s.pool = newComputerPool(c, s.tables, s.queue.poke, s.Background)
		if c.Substitute == nil {
			c.Substitute = s.pool.substitute
		}
	}
	s.cleaner = newCleaner(ctx, c, s.tables, &s.rooms, s.outbox, s.changes)
	s.admission = &admission{store: c.Store, choices: s.Choices, now: s.tables.now}

	s.Lookup = &Lookup{s.tables}
	s.upkeep = &upkeep{tables: s.tables, choices: s.Choices, queue: s.queue, outbox: s.outbox, pool: s.pool,
		rooms: &s.rooms, looks: s.looks, substitute: c.Substitute}
	s.sweeper = &sweeper{
		due: c.Store.DueUntil, carryOut: s.upkeep.fallDue,
		rooms: &s.rooms, uptime: s.uptime, clock: c.Clock, log: c.Log,
		ctx: ctx, cancel: cancel, wake: make(chan struct{}, 1), failing: map[ID]time.Time{},
		elsewhere: map[ID]time.Time{},
		back:      s.queue.resume, rethink: s.pool.resume,
	}
	s.Sharing = &Sharing{owned: owned, queue: s.queue, outbox: s.outbox, sweeper: s.sweeper, cleaner: s.cleaner,
		cache: s.tables.cache, changes: s.changes, looks: s.looks}
	return s
}

// publish passes a commit on: its events to the outbox, the change to the subscribers, and its table to the queue
// unless c.told is set.
func (s *Service) publish(c commit) {
	s.outbox.committed(c.after, c.events)
	if !c.told {
		s.queue.poke(c.after.ID)
		if c.after.Version == 0 { // the outcome of the commit is unknown
			s.sweeper.refused.Store(true)
		}
	}
	s.changes.Publish(c.before, c.after)
}

// Start begins to publish through p, beginning with events that were committed but not published, and to carry out due
// work. It is called once.
func (s *Service) Start(p Publisher) {
	s.sweeper.start(s.Sharing.poll)
	s.cleaner.start()
	s.outbox.pub = p
	if err := s.outbox.recall(s.queue.ctx); err != nil {
		s.queue.log.Error("the outbox cannot be read; what the bot told last may be told again", "error", err)
	}
	s.queue.start(s.upkeep.afterCommit)
}

// Close refuses new commands with ErrClosing, waits for running ones, publishes pending events, and stops. It returns
// ctx's error if ctx ends first. Unpublished events are published after the next start. The store is not closed.
func (s *Service) Close(ctx context.Context) error {
	// The pool is closed first, so that unfinished decisions wait for the next start instead of being refused.
	s.pool.close()
	s.rooms.close()
	s.tables.gate.close(ctx)
	s.sweeper.close()
	s.cleaner.close()
	return s.queue.close(ctx)
}

// Poke publishes a table's pending events immediately, for example because a permission was granted.
func (s *Service) Poke(id ID) { s.queue.poke(id) }

// SetOnline sets whether the players can reach the bot. While the bot is offline, clocks are stopped and nobody gets a
// reminder.
func (s *Service) SetOnline(online bool) {
	s.uptime.SetOnline(online)
	s.sweeper.poke()
}

// TryStore tests the store by writing that the bot is up. While players cannot reach the bot, it does nothing.
func (s *Service) TryStore() {
	if s.uptime.Up() {
		s.uptime.BeatNow()
	}
}

// Work begins work for which Close waits, and returns the function that ends it. It returns ErrClosing once the Service
// closes.
func (s *Service) Work() (done func(), err error) {
	if err := s.tables.gate.enter(); err != nil {
		return nil, err
	}
	return s.tables.gate.leave, nil
}

// Look records that a user has a table open on a page, until the caller calls away.
func (s *Service) Look(user string, id ID) (away func()) {
	l := changes.Look{Table: id, User: user}
	s.looks.Open(l)
	return sync.OnceFunc(func() { s.looks.Close(l) })
}
