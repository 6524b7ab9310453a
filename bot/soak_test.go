package bot_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/bot/timesource/manual"
	"marque/games"
	"marque/games/catalog"
	"marque/render"
)

var soakGames = flag.Int("soak", 0, "play so many games on the local Discord, and look at what memory they leave")

const (
	// soakMoves is the number of moves after which a player resigns.
	soakMoves = 12
	// soakCache is the size of the cache of tables, in positions. The first games fill the cache.
	soakCache = 1000
	// soakLeast is the minimum number of games before memory is measured. Every game is played four times by then, and
	// its background, which is painted once and kept, is in memory.
	soakLeast = 24
	// soakTolerance is the number of bytes by which the heap may grow after the first measurement: the size of the
	// pictures' caches, which fill slowly, and of the buffers of the runtime and libraries. Over the last 2,700 of
	// 3,000 games, the tolerance is 28 kB a game, less than the memory of a table that is kept.
	soakTolerance = render.CacheBytes + 1<<20
)

// Finished games leave nothing in memory. The first measurement comes after a tenth of the games or, if that is fewer
// than soakLeast, after the next tenth that is enough. From then on, the heap in use grows by no more than
// soakTolerance, and the number of goroutines by no more than 16. Games are played and replayed in their own channels,
// which are then deleted. The local Discord runs in the same process, and forgets deleted channels and expired tokens.
func TestSoak(t *testing.T) {
	if *soakGames < 2*soakLeast {
		t.Skipf("only with -soak N, N at least %d", 2*soakLeast)
	}
	clock := manual.NewClock(time.Now())
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Ctx, r.CachePositions = t.Context(), soakCache },
		func(o *localdiscord.Options) { o.Clock = clock })
	rng := rand.New(rand.NewPCG(1, 2))
	var first uint64
	var moves, plateau int
	for n := 1; n <= *soakGames; n++ {
		moves += soak(r, fmt.Sprint("soak-", n), catalog.Games[n%len(catalog.Games)], rng)
		clock.Advance(time.Hour) // the tokens of the game's interactions expire
		r.Log.Clear()
		if n%(*soakGames/10) != 0 || n < soakLeast {
			continue
		}
		runtime.GC()
		runtime.GC() // frees objects that finalizers and pools still held after the first run
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		t.Logf("%5d games, %6d moves: %6d kB in use, %7d objects, %d goroutines", n, moves, m.HeapAlloc>>10,
			m.HeapObjects, runtime.NumGoroutine())
		if first == 0 {
			first, plateau = m.HeapAlloc, runtime.NumGoroutine()
		}
		if m.HeapAlloc > first+soakTolerance {
			t.Errorf("%d kB in use after %d games, %d kB after the first tenth", m.HeapAlloc>>10, n, first>>10)
		}
		if g := runtime.NumGoroutine(); g > plateau+16 {
			t.Errorf("%d goroutines after %d games, %d after the first tenth", g, n, plateau)
		}
	}
}

// soak plays and replays a game in a new channel, and deletes the channel.
func soak(r *bottest.Rig, name string, g games.Game, rng *rand.Rand) (moves int) {
	r.T.Helper()
	channel, err := r.Server.Admin.AddChannel(localdiscord.Tortuga, name)
	if err != nil {
		r.T.Fatal(err)
	}
	least, _ := g.Seats()
	turn := r.Open(channel, g, bottest.World[:least])
	for ; !bottest.IsOver(turn) && moves < soakMoves; moves++ {
		r.TypeMove(r.Mover(turn), channel, rng)
		turn = r.TurnAfter(channel, turn)
	}
	if !bottest.IsOver(turn) {
		who := r.Mover(turn)
		r.Click(who, r.Command(who, channel, "table resign"), "Yes, resign")
		turn = r.Next(channel, turn.ID, bottest.IsOver)
	}
	r.Click(bottest.World[0], turn, "Replay")
	if err := r.Server.Admin.DeleteChannel(channel); err != nil {
		r.T.Fatal(err)
	}
	return moves
}
