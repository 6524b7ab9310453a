package table_test

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"testing"

	"marque/bot/table"
	"marque/games"
	"marque/games/catalog"
	"marque/games/text"
	"marque/storage/storagetest"
)

var soakGames = flag.Int("soak", 0, "play so many games to their ends, and look at what memory they leave")

const (
	// soakCache is the size of the cache in positions. The first tenth of 300 games fills the cache.
	soakCache = 1000
	// soakTolerance is the number of bytes by which the heap may grow after the first tenth. It is twice the memory of
	// a full cache, because the cache's content is estimated, games differ, and the runtime and bbolt keep buffers. For
	// each free page that is used again, bbolt remembers the transaction (freelist.allocs), which takes some 200 bytes
	// a game. Over the rest of 3,000 games, the tolerance is 400 bytes a game, a hundredth of the memory of a table
	// that is kept.
	soakTolerance = 1 << 20
)

// Finished games do not accumulate in memory. After the first tenth of the games, the heap in use grows by no more than
// soakTolerance, and the number of goroutines by no more than 8. The games are random, each game of the catalogue in
// turn, with the real store and a publisher.
func TestSoak(t *testing.T) {
	if *soakGames < 10 {
		t.Skip("only with -soak N, N at least 10")
	}
	ctx := t.Context()
	store, err := storagetest.OpenFile(filepath.Join(t.TempDir(), "marque.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	s := table.New(table.Config{Store: store, Games: catalog.Find, Log: slog.New(slog.DiscardHandler),
		CachePositions: soakCache})
	s.Start(deaf{})
	defer func() {
		if err := s.Close(context.WithoutCancel(ctx)); err != nil {
			t.Error(err)
		}
	}()
	rng := rand.New(rand.NewPCG(1, 2))
	var first uint64
	var moves, plateau int
	for n := 1; n <= *soakGames; n++ {
		moves += soakGame(t, s, catalog.Games[n%len(catalog.Games)], n, rng)
		if n%(*soakGames/10) != 0 {
			continue
		}
		runtime.GC()
		runtime.GC() // frees objects that finalizers and pools still held after the first run
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		t.Logf("%5d games, %7d moves: %6d kB in use, %6d objects, %d goroutines", n, moves, m.HeapAlloc>>10,
			m.HeapObjects, runtime.NumGoroutine())
		if first == 0 {
			first, plateau = m.HeapAlloc, runtime.NumGoroutine()
		}
		if m.HeapAlloc > first+soakTolerance {
			t.Errorf("%d kB in use after %d games, %d kB after the first tenth", m.HeapAlloc>>10, n, first>>10)
		}
		if g := runtime.NumGoroutine(); g > plateau+8 {
			t.Errorf("%d goroutines after %d games, %d after the first tenth", g, n, plateau)
		}
	}
}

// deaf is a publisher that ignores all publications.
type deaf struct{}

func (deaf) Publish(_ context.Context, n table.News) (string, error) {
	return fmt.Sprint(n.Version), nil
}

func (deaf) ShowCard(context.Context, *table.Snapshot) error { return nil }

func (deaf) ArchiveThread(context.Context, *table.Snapshot) error { return nil }
func (deaf) NameThread(context.Context, *table.Snapshot) error    { return nil }

// soakGame plays one game to its end, in its own channel and with its own users, and returns the number of moves. After
// many moves, players resign.
func soakGame(t *testing.T, s *table.Service, g games.Game, n int, rng *rand.Rand) (moves int) {
	const most = 150
	ctx, ok := t.Context(), must(t)
	key := 0
	as := func(user string) table.Actor {
		key++
		return table.Actor{User: user, Name: text.NewName("Captain " + user), Key: fmt.Sprintf("%d-%d", n, key)}
	}
	user := func(i int) string { return fmt.Sprintf("%d%02d", n, i) }
	seats, _ := g.Seats()
	snap := ok(s.Open(ctx, as(user(0)), table.Opening{Game: g.Key(), Guild: fmt.Sprint("g", n),
		Channel: fmt.Sprint("c", n), Seats: seats, WhenFull: true}))
	for i := 1; i < seats; i++ {
		snap = ok(s.Join(ctx, as(user(i)), snap.ID))
	}
	for ; snap.Status == table.Playing; moves++ {
		if moves >= most {
			snap = ok(s.Resign(ctx, as(snap.Mover()), snap.ID))
			continue
		}
		menu, _ := snap.Menu(snap.ToMove)
		candidates := menu.Candidates()
		snap = ok(s.Move(ctx, as(snap.Mover()), snap.ID, candidates[rng.IntN(len(candidates))].Notation, snap.Version))
		if moves%10 == 0 {
			if _, err := s.Lookup.MyTurn(ctx, snap.Mover()); err != nil {
				t.Fatal(err)
			}
		}
	}
	return moves
}
