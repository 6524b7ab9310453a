package storage_test

import (
	"context"
	"path/filepath"
	"sync"
	"testing"

	"marque/storage"
	"marque/storage/kv"
	"marque/storage/kv/bolt"
	"marque/storage/kv/strict"
	"marque/storage/storagetest"
)

// places are where the exercises are done; the strict engine finds forgotten locks.
var places = map[string]func(t testing.TB) storagetest.Place{
	"strict": func(testing.TB) storagetest.Place {
		e := kept{strict.New(storage.Cover)}
		return storagetest.Place{Open: func() (kv.Engine, error) { return e, nil }}
	},
	"file": func(t testing.TB) storagetest.Place {
		path := filepath.Join(t.TempDir(), "marque.db")
		return storagetest.Place{Open: func() (kv.Engine, error) { return bolt.Open(path) }}
	},
}

// kept is an engine that is still there when its store is closed.
type kept struct{ *strict.Engine }

func (kept) Close() error { return nil }

// kinds are those of what was stored in engines.
type kinds struct {
	mu     sync.Mutex
	stored map[string]bool
}

// noting is an engine that notes them.
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
	for _, c := range changes {
		if c.Value != nil {
			t.noted.stored[storage.KindOf(c.Key.Space, c.Key.Key)] = true
		}
	}
	t.noted.mu.Unlock()
	return t.Tx.Commit(ctx, changes)
}

func TestEngines(t *testing.T) {
	all := &kinds{stored: map[string]bool{}}
	t.Run("strict", func(t *testing.T) {
		storagetest.Run(t, func(testing.TB) storagetest.Place {
			e := noting{kept{strict.New(storage.Cover)}, all}
			return storagetest.Place{Open: func() (kv.Engine, error) { return e, nil }}
		})
	})
	t.Run("file", func(t *testing.T) { storagetest.Run(t, places["file"]) })
	// What no exercise stores could be left behind, or lost, and nobody would see it.
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
	for name, histories := range map[string]int{"strict": 60, "file": 10} {
		t.Run(name, func(t *testing.T) { storagetest.Histories(t, histories, places[name]) })
	}
}
