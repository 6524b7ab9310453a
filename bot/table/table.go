// Package table holds the use cases: who sits where, whose turn it is, what has been agreed. It knows no Discord: users, servers
// and channels are ids, and what is to be said goes through a Publisher.
//
// # Commands
//
// A Service is made with New and begins to publish with Start. Its commands (Open, Join, Leave, Begin, Move, Resign, Propose, Accept,
// Decline, Withdraw, Abandon, Rehouse) each take who gives the command as an Actor, change one table in one commit, and
// return the Snapshot of the table after it. When a command returns without an error it is on the disk; telling the channel
// about it comes afterwards, through the Publisher. A handler therefore answers its player only (ephemerally, or by deferring) and leaves the
// public message to Publish.
//
// An Actor carries the Key of the command (Discord's interaction id). The same key given again, within half an
// hour, does nothing twice and returns the table as it is.
//
// Errors that a player caused are *Refusal (errors.Is with the Reasons ErrNotYourTurn, ErrStale, ...), *games.ParseError or
// *games.SetupError; all are games.PlayerErrors with a sentence. A *FrozenError has a sentence too, and is the operator's to mend. Anything
// else is the program's or the machine's fault.
//
// # Snapshots
//
// A Snapshot is a table at one version. It never changes and may be kept and read by many goroutines. It gives positions as Views:
// what a seat, or a spectator, may know. The secret seed is in none before the end.
//
// # Versions
//
// Every commit raises a table's Version by one. Board is the version in which the position last changed: a button made at
// version v is out of date when v < Board. Move checks that (ErrStale); give 0 for a move that was typed.
//
// # Publishing
//
// The Publisher is given all news of a table since the last version that it published, in order and at least once, also after a crash.
// It returns a note that it gets back with the next news: ids of the messages that it will want to edit or reply to.
package table

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"marque/games"
	"marque/games/fair"
	"marque/storage"
)

// What is stored, by the names that users of this package need.
type (
	ID           = storage.ID
	Head         = storage.Head
	Occupant     = storage.Occupant
	Status       = storage.Status
	Event        = storage.Event
	Proposal     = storage.Proposal
	ProposalKind = storage.ProposalKind
	Result       = storage.Result
	ResultQuery  = storage.ResultQuery
	Standing     = storage.Standing
)

// The life of a table.
const (
	Lobby   = storage.Lobby
	Playing = storage.Playing
	Over    = storage.Over
)

// What can be proposed.
const (
	Draw    = storage.DrawProposal
	Abandon = storage.AbandonOffered
	Undo    = storage.UndoProposal
)

// Store is what the table needs of its store. The errors are those of package storage.
type Store interface {
	Create(ctx context.Context, change storage.Change) (storage.ID, error)
	Commit(ctx context.Context, change storage.Change) error
	Done(ctx context.Context, table storage.ID, key string, now storage.Stamp) (*storage.DoneError, error)
	Load(ctx context.Context, id storage.ID) (storage.Table, error)

	ByChannel(ctx context.Context, channel string, over bool, after storage.ID, limit int) ([]storage.Head, error)
	ByGuild(ctx context.Context, guild string, over bool, after storage.ID, limit int) ([]storage.Head, error)
	ByUser(ctx context.Context, user string, over bool, after storage.ID, limit int) ([]storage.Head, error)
	Leaderboard(ctx context.Context, q storage.BoardQuery) (storage.BoardPage, error)
	Standing(ctx context.Context, b storage.Board, player string) (storage.Standing, error)
	League(ctx context.Context, guild string) (storage.League, error)
	SetLeast(ctx context.Context, guild string, least int) error
	StartSeason(ctx context.Context, guild, title string, now storage.Stamp) (storage.Season, error)
	EndSeason(ctx context.Context, guild string, now storage.Stamp) (storage.Season, error)
	Void(ctx context.Context, id storage.ID, v *storage.Voiding) (storage.Result, error)
	Result(ctx context.Context, id storage.ID) (storage.Result, error)
	Stats(ctx context.Context, guild string, games []string, now storage.Stamp) (storage.Stats, error)
	Results(ctx context.Context, q storage.ResultQuery) ([]storage.Result, error)
	Review(ctx context.Context, id storage.ID) (storage.Review, error)
	SetReview(ctx context.Context, id storage.ID, r storage.Review) error

	News(ctx context.Context, id storage.ID) (storage.Table, error)
	Pending(ctx context.Context, after storage.ID, limit int) ([]storage.ID, error)
	MarkPublished(ctx context.Context, id storage.ID, version uint64, note string) error
	DueUntil(ctx context.Context, until storage.Stamp, limit int) ([]storage.DueTable, error)

	GuildSettings(ctx context.Context, guild string, v any) error
	SetGuildSettings(ctx context.Context, guild string, v any) error
	UserSettings(ctx context.Context, user string, v any) error
	SetUserSettings(ctx context.Context, user string, v any) error
	Forget(ctx context.Context, user, as string) error
	Naming(ctx context.Context, user string) ([]storage.ID, error)
	Guilds(ctx context.Context) ([]string, error)
	DeleteGuild(ctx context.Context, guild string) error
	UsersNaming(ctx context.Context, id string) ([]string, error)
}

// Actor is who gives a command.
type Actor struct {
	User      string
	Name      string // as shown in the server; for records
	Moderator bool   // may end and rehouse tables of others
	// Key names the command, so that it is done once however often it is delivered: Discord's interaction id. Open and
	// Join need one, because it is also the id that is mixed into the table's draws.
	Key string
}

// Config is what a Service is made of.
type Config struct {
	Store Store
	// Games finds a game by its key; catalog.Find.
	Games func(key string) (games.Game, bool)
	Log   *slog.Logger // slog.Default() when nil
	// Cache is how many tables are kept in memory; 512 when 0.
	Cache int
	// Workers is how many tables are published at once; 8 when 0.
	Workers int
	// Patience is how long one publication may take; 30 s when 0.
	Patience time.Duration
	// Computers think for the computer players; there are none when nil.
	Computers Computers
	// NewSeed makes the secret of a table; fair.NewSeed when nil.
	NewSeed func() fair.Seed
	// Clock is where the time comes from; the machine's when nil.
	Clock Clock
	// Substitute thinks of a move for a seat whose player is late, in the notation of the rules; false when it has none. One of the Computers does when nil.
	Substitute func(ctx context.Context, snap *Snapshot, seat games.Seat) (notation string, ok bool)
}

// Service carries out the commands. Its methods may be called by many goroutines at once.
type Service struct {
	store   Store
	games   func(key string) (games.Game, bool)
	log     *slog.Logger
	newSeed func() fair.Seed
	locks   *locks
	cache   *cache
	outbox  *outbox
	gate    *gate
	clock   Clock
	sweeper *sweeper
	choices sync.Mutex // held while settings or preferences change

	substitute func(ctx context.Context, snap *Snapshot, seat games.Seat) (notation string, ok bool)
	crew       *crew // nil without computer players
}

// New makes a Service. Nothing is published before Start.
func New(c Config) *Service {
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Cache == 0 {
		c.Cache = 512
	}
	if c.Workers == 0 {
		c.Workers = 8
	}
	if c.Patience == 0 {
		c.Patience = 30 * time.Second
	}
	if c.NewSeed == nil {
		c.NewSeed = fair.NewSeed
	}
	if c.Clock == nil {
		c.Clock = systemClock{}
	}
	s := &Service{
		clock:   c.Clock,
		store:   c.Store,
		games:   c.Games,
		log:     c.Log,
		newSeed: c.NewSeed,
		locks:   newLocks(),
		cache:   newCache(c.Cache),
		gate:    newGate(),

		substitute: c.Substitute,
	}
	s.sweeper = newSweeper(s)
	if c.Computers != nil {
		s.crew = newCrew(s, c.Computers)
		if s.substitute == nil {
			s.substitute = s.crew.substitute
		}
	}
	s.outbox = newOutbox(s, c.Workers, c.Patience)
	return s
}

// Start begins to publish through p, with whatever was committed but not published before. It is called once.
// From then on what falls due is carried out.
func (s *Service) Start(p Publisher) {
	s.sweeper.start()
	s.outbox.start(p)
}

// Close refuses new commands with ErrClosing, waits for those under way, publishes what is due until ctx ends, and stops. What could not be published is
// published after the next start. The store is not closed. It returns the context's error when news were left.
func (s *Service) Close(ctx context.Context) error {
	s.crew.close() // first, so that what it was about to decide is not refused but left for the next start
	s.gate.close(ctx)
	s.sweeper.close()
	return s.outbox.close(ctx)
}
