package table

import (
	"context"
	"log/slog"
	"time"

	"marque/bot/timesource"
	"marque/games"
	"marque/games/fair"
)

// Config holds the dependencies and settings of a Service.
type Config struct {
	Store Store
	// Games finds a game by its key, like catalog.Find.
	Games func(key string) (games.Game, bool)
	Log   *slog.Logger // slog.Default() when nil
	// CachePositions is the maximum number of positions kept in memory, over all tables; DefaultCachePositions if 0.
	// Other tables are read and replayed when they are used.
	CachePositions int
	// Workers is the number of tables published at the same time; 32 if 0. Workers mostly wait for Discord and for the
	// disk. When several wait for the disk, the store commits their changes together.
	Workers int
	// Patience is how long one publication may take, including waits for Discord's rate limits; two minutes if 0.
	Patience time.Duration
	// Computers chooses moves for the computer players; nil for none.
	Computers Computers
	// NewSeed returns a new table's secret seed; fair.NewSeed if nil.
	NewSeed func() fair.Seed
	// Clock gives the time; the machine's clock if nil.
	Clock timesource.Clock
	// Substitute returns a move for a seat whose player is late, in the rules' notation; false if there is none. If
	// Substitute is nil, Computers chooses the move.
	Substitute func(ctx context.Context, snap *Snapshot, seat games.Seat) (notation string, ok bool)
	// Thought is called after each time that computers have thought about a table, with how long they took. It must be
	// quick, and can be nil.
	Thought func(took time.Duration)
}
