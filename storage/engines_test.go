package storage_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"marque/games"
	"marque/storage"
	"marque/storage/kv"
	"marque/storage/kv/bolt"
	"marque/storage/kv/strict"
	"marque/storage/storagetest"
)

// places are functions that return a new place for a store, by the engine's name. The strict engine reports forgotten
// locks.
var places = map[string]func(t testing.TB) place{
	"strict": func(testing.TB) place {
		e := kept{strict.New(storage.Cover)}
		return place{Open: func() (kv.Engine, error) { return e, nil }}
	},
	"file": func(t testing.TB) place {
		path := filepath.Join(t.TempDir(), "marque.db")
		return place{Open: func() (kv.Engine, error) { return bolt.Open(path) }}
	},
}

// kept is an engine that stays open when its store is closed.
type kept struct{ *strict.Engine }

func (kept) Close() error { return nil }

// kinds records the kinds of the stored values, the number of all changes, and the number of changes in the largest
// commit.
type kinds struct {
	mu               sync.Mutex
	stored           map[string]bool
	changes, largest int
}

// noting is an engine that records each of its commits in kinds.
type noting struct {
	kept

	noted *kinds
}

func (e noting) Begin(ctx context.Context, locks []kv.Lock, fences []kv.Fence, wants []kv.Want) (kv.Tx, []bool,
	error) {
	tx, held, err := e.kept.Begin(ctx, locks, fences, wants)
	return notingTx{tx, e.noted}, held, err
}

type notingTx struct {
	kv.Tx
	noted *kinds
}

func (t notingTx) Commit(ctx context.Context, changes []kv.Change) error {
	t.noted.mu.Lock()
	t.noted.changes += len(changes)
	t.noted.largest = max(t.noted.largest, len(changes))
	for _, c := range changes {
		if c.Value != nil {
			t.noted.stored[storage.KindOf(c.Key.Space, c.Key.Key)] = true
		}
	}
	t.noted.mu.Unlock()
	return t.Tx.Commit(ctx, changes)
}

func TestEngines(t *testing.T) {
	t.Parallel()
	all := &kinds{stored: map[string]bool{}}
	t.Run("strict", func(t *testing.T) {
		runExercises(t, func(testing.TB) place {
			e := noting{kept{strict.New(storage.Cover)}, all}
			return place{Open: func() (kv.Engine, error) { return e, nil }}
		})
	})
	t.Run("file", func(t *testing.T) { runExercises(t, places["file"]) })
	// The exercises store every kind of value. Otherwise no test would notice that values of a kind are left behind or
	// lost.
	t.Run("both", func(t *testing.T) {
		t.Run("exercise every kind", func(t *testing.T) {
			for _, kind := range storage.Kinds() {
				if !all.stored[kind] {
					t.Errorf("no exercise stores %q", kind)
				}
			}
		})
	})
}

func TestHistories(t *testing.T) {
	t.Parallel()
	for name, histories := range map[string]int{"strict": 60, "file": 10} {
		t.Run(name, func(t *testing.T) { runHistories(t, histories, places[name]) })
	}
}

// A recount of a server's leaderboards after a voided result runs in steps of limited size. A move on another server is
// committed after each step.
func TestAVoidedResultIsRecountedInSmallSteps(t *testing.T) {
	t.Parallel()
	const (
		results = 1200
		most    = 250 // maximum number of changes in one commit
	)
	ctx := t.Context()
	e := noting{kept{strict.New(storage.Cover)}, &kinds{stored: map[string]bool{}}}
	first, err := storage.Open(ctx, e)
	if err == nil {
		err = first.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	var s *storage.Store
	var other storage.Head
	var steps, moves int
	s, err = storage.OpenPausing(ctx, e, func(ctx context.Context, _ time.Duration) {
		steps++
		next := storagetest.Next(other, 1)
		if err := s.Commit(ctx, next); err != nil {
			t.Errorf("a move after step %d: %v", steps, err)
			return
		}
		other = next.Head
		moves++
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	create := func(guild string, users ...string) storage.Head {
		t.Helper()
		c := storagetest.Opening(guild, "c", users...)
		if c.Head.ID, err = s.Create(ctx, c); err != nil {
			t.Fatal(err)
		}
		return c.Head
	}
	other = create("small", "ann", "bob")
	for i := range results {
		h := create("large", fmt.Sprint("u", i%499), fmt.Sprint("v", i%503))
		if err := s.Commit(ctx, storagetest.Ending(h, games.Seat(i%2))); err != nil {
			t.Fatal(err)
		}
	}
	voided := other.ID + 1
	e.noted.largest, e.noted.changes = 0, 0
	if _, err := s.Void(ctx, voided, &storage.Voiding{By: "mod", At: 1}); err != nil {
		t.Fatal(err)
	}
	if err := s.Finished(ctx, storage.Work{Kind: storage.Recounting, Of: "large"}); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d changes in %d steps, of at most %d, with %d moves between them", e.noted.changes, steps,
		e.noted.largest, moves)
	if e.noted.largest > most || e.noted.changes < 20*most || moves != steps {
		t.Errorf("want at most %d changes at once, and a move after each step", most)
	}
}
