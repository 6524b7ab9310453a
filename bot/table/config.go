package table

import (
	"context"
	"log/slog"
	"time"

	"marque/bot/timesource"
	"marque/games"
	"marque/games/fair"
)

// Config has the parts and settings of a Service.
type Config struct {
	Store Store
	// Games finds a game by its key; catalog.Find.
	Games func(key string) (games.Game, bool)
	Log   *slog.Logger // slog.Default() when nil
	// CachePositions is how many positions are kept in memory, over all tables; DefaultCachePositions when 0. Other
	// tables are read and replayed when they are used.
	CachePositions int
	// Workers is how many tables are published at once; 32 when 0. They wait most of the time, for Discord and for the
	// disk, and the more of them wait for the disk together, the fewer commits they need.
	Workers int
	// Patience is how long one publication may take, in which it may have to wait for its part of
	// Discord's limits; two minutes when 0.
	Patience time.Duration
	// Computers think for the computer players; there are none when nil.
	Computers Computers
	// NewSeed makes the secret of a table; fair.NewSeed if nil.
	NewSeed func() fair.Seed
	// Clock is where the time comes from; the machine's when nil.
	Clock timesource.Clock
	// Substitute returns a move for a seat whose player is late, in the notation of the rules; false when it has none.
	// When it is nil, one of the Computers chooses the move.
	Substitute func(ctx context.Context, snap *Snapshot, seat games.Seat) (notation string, ok bool)
	// Thought receives how long computers thought for a table each time; may be nil. It must be quick.
	Thought func(took time.Duration)
}
