package table

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"testing"

	"marque/games"
	"marque/games/catalog"
	"marque/storage"
)

// played returns a snapshot of a game after at most plays random moves.
func played(t *testing.T, g games.Game, id ID, plays int) *Snapshot {
	t.Helper()
	least, _ := g.Seats()
	setup, err := games.NewSetup(g, least)
	if err != nil {
		t.Fatal(err)
	}
	m, err := games.NewMatch(g, games.Header{Setup: setup})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(uint64(id), 2))
	for m.Len() < plays && !m.Over() {
		var move games.Move
		if m.ToMove() == games.Chance {
			outcomes := m.State().Outcomes()
			move = outcomes[rng.IntN(len(outcomes))].Move
		} else {
			moves := m.State().Moves()
			move = moves[rng.IntN(len(moves))]
		}
		if err := m.Play(move); err != nil {
			t.Fatal(err)
		}
	}
	return &Snapshot{Head: Head{ID: id, Plays: m.Len(), Seats: make([]Occupant, least)}, match: m, game: g}
}

func heapInUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// The cache never holds more positions than its limit. In short and in long games, a position takes at most half a
// kilobyte.
func TestCacheIsBounded(t *testing.T) {
	const (
		room     = 8000
		position = 512 // in bytes
	)
	for _, g := range catalog.Games {
		for _, plays := range []int{20, 200} {
			before := heapInUse()
			c := newCache(room)
			put := 0
			for total := 0; total < 3*room; put++ {
				s := played(t, g, ID(put+1), plays)
				total += s.weight()
				c.put(s, 0)
				if c.used > room {
					t.Fatalf("%s: %d tables have %d positions, %d may be", g.Key(), c.byID.Len(), c.used, room)
				}
			}
			took := heapInUse() - before
			t.Logf("%s of %d plays: %d of %d tables kept, %d positions, %d kB of the heap", g.Key(), plays,
				c.byID.Len(), put, c.used, took>>10)
			if took > room*position {
				t.Errorf("%s of %d plays: the cache takes %d bytes of the heap, %d a position, want %d at most", g.Key(),
					plays, took, took/room, position)
			}
			if c.get(ID(put)) == nil || c.get(1) != nil {
				t.Errorf("%s: the table used last is not kept, or the one used first still is", g.Key())
			}
			runtime.KeepAlive(c)
		}
	}
}

// Of two snapshots of a table with the same version, only the one put last counts. Dropped and cleared snapshots do
// not count, and a snapshot larger than the cache is not kept.
func TestCacheCounts(t *testing.T) {
	t.Parallel()
	c := newCache(1000)
	s := played(t, catalog.Games[0], 1, 10)
	c.put(s, 0)
	c.put(played(t, catalog.Games[0], 1, 30), 0)
	c.put(played(t, catalog.Games[0], 2, 30), 0)
	c.drop(2)
	if kept := c.get(1); kept == nil || c.used != kept.weight() {
		t.Errorf("%d positions are counted, want those of table 1 as it was put last", c.used)
	}
	if c.clear(); c.used != 0 || c.get(1) != nil {
		t.Errorf("%d positions are counted after clearing", c.used)
	}
	small := newCache(s.weight() - 1)
	if small.put(s, 0); small.get(1) != nil || small.used != 0 {
		t.Error("a table that alone takes more than the room is kept")
	}
}

// The cache does not return an older version of a table than the committed one in two cases: another table is dropped
// during the commit, or the command that opened the table puts its snapshot after a later move has put one.
func TestMemoryNeverGoesBack(t *testing.T) {
	t.Parallel()
	at := func(id ID, version uint64) *Snapshot { return &Snapshot{Head: Head{ID: id, Version: version}} }
	c := newCache(1000)
	c.put(at(1, 1), c.cleared())
	clears := c.cleared()
	c.drop(2) // while version 2 of table 1 is being committed
	c.put(at(1, 2), clears)
	if s := c.get(1); s != nil {
		t.Errorf("after the commit of version 2, version %d of the table is in memory; want none, or 2", s.Version)
	}
	clears = c.cleared()
	c.put(at(3, 2), clears)
	c.put(at(3, 1), clears) // the command that opened the table puts its snapshot late
	if s := c.get(3); s == nil || s.Version != 2 {
		t.Errorf("after the commit of version 2, %+v is in memory", s)
	}
}

// told is a store whose News returns one table.
type told struct {
	Store

	stored storage.Table
}

func (t told) News(context.Context, storage.ID) (storage.Table, error) { return t.stored, nil }

// outboxOf returns an outbox on a store that has only the table t.
func outboxOf(t storage.Table) *outbox {
	return &outbox{store: told{stored: t}, news: map[ID]*pendingNews{}, ownership: new(ownership)}
}

// Data that was read before memory was cleared is not cached afterwards, so that a deleted user stays forgotten. The
// table's earlier snapshot is not published either.
func TestWhatWasReadBeforeSomebodyWasForgottenIsNotKept(t *testing.T) {
	t.Parallel()
	c := newCache(1000)
	s := played(t, catalog.Games[0], 1, 10)
	s.Version = 1
	read := c.cleared()
	c.clear()
	if c.put(s, read); c.get(1) != nil {
		t.Error("a table that was read before is kept")
	}
	o := outboxOf(storage.Table{Head: s.Head})
	known, err := o.stored(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if o.marked(1, known, storage.Publication{Version: 1}); len(o.news) != 1 {
		t.Fatalf("%d tables are known, want the one that was told", len(o.news))
	}
	after := *s
	after.Forgotten = 1
	o.store = told{stored: storage.Table{Head: after.Head}}
	if known, err := o.stored(t.Context(), &after); err != nil || known.forgotten != 1 {
		t.Errorf("what was known before is told: %+v, %v", known, err)
	}
	o.clear()
	if o.marked(1, known, storage.Publication{Version: 1, Note: "a name"}); len(o.news) != 0 {
		t.Error("a note that was written before is kept")
	}
	if _, err := o.stored(t.Context(), s); !errors.Is(err, storage.ErrStale) {
		t.Errorf("telling of a table as it was before: %v, want %v", err, storage.ErrStale)
	}
}

// If the outcome of a table's last commit is unknown, the outbox drops the table's events, and so reads them from the
// store again.
func TestAfterACommitThatFailedTheStoreIsAsked(t *testing.T) {
	t.Parallel()
	s := played(t, catalog.Games[0], 1, 10)
	s.Version = 1
	o := outboxOf(storage.Table{Head: s.Head})
	known, err := o.stored(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	o.marked(1, known, storage.Publication{Version: 1})
	if o.committed(Head{ID: 1}, nil); len(o.news) != 0 {
		t.Error("what was known before the commit is still known")
	}
}

// A version that has been published is not published again, even if its commit reaches the outbox late. The queue may
// have found the table in the store by then, and memory may have been cleared in between.
func TestACommitThatComesLateIsNotToldAgain(t *testing.T) {
	t.Parallel()
	s := played(t, catalog.Games[0], 1, 10)
	s.Version = 1
	steps := map[string]func(*outbox, *pendingNews){
		"clear":     func(o *outbox, _ *pendingNews) { o.clear() },
		"committed": func(o *outbox, _ *pendingNews) { o.committed(s.Head, nil) },
		"marked":    func(o *outbox, f *pendingNews) { o.marked(1, f, storage.Publication{Version: 1}) },
	}
	for _, order := range [][]string{
		{"committed", "marked"}, {"marked", "committed"},
		{"clear", "committed", "marked"}, {"clear", "marked", "committed"}, {"committed", "clear", "marked"},
		{"committed", "marked", "clear"}, {"marked", "clear", "committed"}, {"marked", "committed", "clear"},
	} {
		o := outboxOf(storage.Table{Head: s.Head})
		known, err := o.stored(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range order {
			steps[step](o, known)
		}
		o.store = told{stored: storage.Table{Head: s.Head, Published: 1}}
		if known, err = o.stored(t.Context(), s); err != nil || known.published.Version != 1 {
			t.Errorf("%v: version %d is taken for the last that was told (%v), it was 1", order, known.published.Version,
				err)
		}
	}
}
