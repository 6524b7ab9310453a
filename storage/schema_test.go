package storage

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"marque/storage/kv"
	"marque/storage/kv/bolt"
	"marque/storage/kv/kvtest"
)

// bringUp upgrades the store to a later schema, as docs/store.md says that a later Open will. It puts the index entries
// of each value, page by page, and writes the version last. It stops with an error after the given number of pages.
func bringUp(ctx context.Context, s *Store, version uint64, pages int) error {
	const page = 3
	at := key{name: schemaName}
	lock := []kv.Lock{sequenceLock.of(at)}
	done := map[kv.Space]bool{}
	for _, x := range kinds {
		in := kv.Range{Space: x.at().space}
		for more := !done[in.Space]; more; {
			if pages--; pages < 0 {
				return errors.New("interrupted")
			}
			err := s.update(ctx, work{locks: lock, run: func(t *txn) error {
				list, err := t.Scan(in, kv.Ascending, page)
				if err != nil {
					return err
				}
				for _, p := range list {
					of, k := find(in.Space, p.Key)
					entries, err := of.read(k, p.Value)
					if err != nil {
						return err
					}
					if err := t.reindex(nil, entries); err != nil {
						return err
					}
					in.From = append(p.Key[:len(p.Key):len(p.Key)], 0)
				}
				more = len(list) == page
				return nil
			}})
			if err != nil {
				return err
			}
		}
		done[in.Space] = true
	}
	return s.update(ctx, work{locks: lock, run: func(t *txn) error {
		return sequences.put(t, at, version)
	}})
}

// A later program can upgrade a store of this program to its own schema. In this test, the upgrade adds the lists of
// turns and of due moments, which were deleted before. An interrupted upgrade leaves the stored version unchanged, and
// starts again from the beginning. In the end nothing is missing, and this program refuses the file.
func TestALaterSchemaIsBroughtUp(t *testing.T) {
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "next.db")
	must(os.WriteFile(path, kvtest.Unpacked(t, filepath.Join("testdata", "releases", "next.db")), 0o600))

	open := func() *Store {
		t.Helper()
		e, err := bolt.Open(path)
		must(err)
		s, err := Peek(ctx, e)
		must(err)
		return s
	}
	s := open()
	lists, entries := []*index{turnsOf, dueAt}, 0
	for _, list := range lists {
		must(s.update(ctx, work{locks: []kv.Lock{sequenceLock.of(key{name: schemaName})}, run: func(t *txn) error {
			pairs, err := t.Scan(kv.Range{Space: list.space}, kv.Ascending, scanPage)
			for _, p := range pairs {
				entries++
				err = errors.Join(err, t.Delete(kv.Key{Space: list.space, Key: p.Key}))
			}
			return err
		}}))
	}
	if entries == 0 || s.Check(ctx) == nil {
		t.Fatalf("%d entries are missing, and the check finds nothing", entries)
	}
	if err := bringUp(ctx, s, Schema+1, 5); err == nil {
		t.Fatal("nothing was interrupted")
	}
	must(s.Close())
	s = open() // still has schema 1, so the later program starts again
	must(bringUp(ctx, s, Schema+1, 1<<20))
	must(s.Close())

	e, err := bolt.Open(path)
	must(err)
	if _, err := Open(ctx, e); !errors.Is(err, ErrNewer) {
		t.Errorf("a file of the later schema is opened by this program: %v", err)
	}
	if e, err = bolt.Open(path); err != nil { // the engine is closed, because Open failed
		t.Fatal(err)
	}
	later := &Store{db: kv.New(e), engine: e}
	later.runner = newJobRunner(later)
	at := key{name: schemaName}
	must(later.update(ctx, work{locks: []kv.Lock{sequenceLock.of(at)}, run: func(t *txn) error {
		return sequences.put(t, at, Schema) // lets this program check the store
	}}))
	if err := later.Check(ctx); err != nil {
		t.Errorf("what was brought up is not as a whole: %v", err)
	}
	must(later.Close())
}
