package storage_test

import (
	"path/filepath"
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

func TestEngines(t *testing.T) {
	for name, place := range places {
		t.Run(name, func(t *testing.T) { storagetest.Run(t, place) })
	}
}

func TestHistories(t *testing.T) {
	for name, histories := range map[string]int{"strict": 60, "file": 10} {
		t.Run(name, func(t *testing.T) { storagetest.Histories(t, histories, places[name]) })
	}
}
