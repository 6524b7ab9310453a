package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"go.etcd.io/bbolt"

	"marque/storage"
	"marque/storage/storagetest"
)

// openStore opens a store that is checked and closed at the end of the test.
func openStore(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Check(context.Background()); err != nil && !errors.Is(err, storage.ErrClosed) {
			t.Errorf("the file after the test: %v", err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return s
}

func file(t testing.TB) string { return filepath.Join(t.TempDir(), "marque.db") }

// The changes of the exercises.
var opening, next, ending = storagetest.Opening, storagetest.Next, storagetest.Ending

func create(t testing.TB, s *Store, c storage.Change) storage.Head {
	t.Helper()
	id, err := s.Create(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	c.Head.ID = id
	return c.Head
}

func commit(t testing.TB, s *Store, c storage.Change) storage.Head {
	t.Helper()
	if err := s.Commit(context.Background(), c); err != nil {
		t.Fatal(err)
	}
	return c.Head
}

// The next command makes the keys of commands go that are too old.
func TestOldKeysGo(t *testing.T) {
	ctx, s := t.Context(), openStore(t, file(t))
	h := create(t, s, opening("g", "c", "ann", "bob"))
	for i := range 3 {
		c := next(h, 1)
		c.Key = fmt.Sprint("move-", i)
		h = commit(t, s, c)
	}
	c := next(h, 1)
	c.Key, c.Head.Changed = "late", h.Changed+storage.Stamp(storage.KeyGone.Milliseconds())
	commit(t, s, c)
	kept := 0
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		prefix := rowKey(h.ID, commandRow)
		c := tx.Bucket(tableBucket).Cursor()
		for k, _ := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, _ = c.Next() {
			kept++
		}
		return nil
	})
	if err != nil || kept != 1 {
		t.Errorf("%d keys are kept, want the last alone (%v)", kept, err)
	}
}

// One bad operation must not fail its companions, whether it fails before or after it has written.
func TestABadOperationFailsAlone(t *testing.T) {
	s := openStore(t, file(t))
	boom := errors.New("boom")
	heads := make([]storage.Head, 3)
	for i := range heads {
		heads[i] = create(t, s, opening("g", "c", "ann", "bob"))
	}
	var group []*op
	queue := func(f func(*txn) error) *op {
		o := &op{run: f, done: make(chan error, 1)}
		o.state.Store(taken)
		group = append(group, o)
		return o
	}
	change := func(i int) func(*txn) error {
		p, err := prepare(next(heads[i], 1))
		if err != nil {
			t.Fatal(err)
		}
		return func(t *txn) error { return p.store(t, heads[i].ID, t.get(tableBucket, headKey(heads[i].ID))) }
	}
	first := queue(change(0))
	wrote := queue(func(t *txn) error {
		if err := change(1)(t); err != nil {
			return err
		}
		return boom
	})
	panics := queue(func(t *txn) error {
		if err := change(1)(t); err != nil {
			return err
		}
		panic("page 7 is odd")
	})
	clean := queue(func(*txn) error { return boom })
	last := queue(change(2))
	s.commit(group)
	for _, tc := range []struct {
		name string
		op   *op
		want error
	}{{"first", first, nil}, {"after writing", wrote, boom}, {"a panic", panics, storage.ErrDamaged}, {"before writing", clean, boom}, {"last", last, nil}} {
		if err := <-tc.op.done; !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", tc.name, err, tc.want)
		}
	}
	for i, want := range []uint64{2, 1, 2} {
		if h, err := s.Head(t.Context(), heads[i].ID); err != nil || h.Version != want {
			t.Errorf("table %d has version %d, %v; want %d", i, h.Version, err, want)
		}
	}
}

// Who is refused for what another operation of the same group has written finds it in the store.
func TestARefusalIsTrueWhenItIsHeard(t *testing.T) {
	s := openStore(t, file(t))
	for _, wrote := range []bool{false, true} { // before the refusal, which makes the group run anew
		h := create(t, s, opening("g", "c", "ann", "bob"))
		p, err := prepare(next(h, 1))
		if err != nil {
			t.Fatal(err)
		}
		change := func(t *txn) error { return p.store(t, h.ID, t.get(tableBucket, headKey(h.ID))) }
		first, late := &op{run: change, done: make(chan error, 1)}, &op{done: make(chan error, 1)}
		late.run = func(t *txn) error {
			if wrote {
				if err := t.put(detailBucket, tableKey(h.ID+1000), nil); err != nil {
					return err
				}
			}
			return change(t)
		}
		go s.commit([]*op{first, late})
		if err := <-late.done; err == nil {
			t.Fatal("a version is written twice")
		}
		if now, err := s.Head(t.Context(), h.ID); err != nil || now.Version != 2 {
			t.Errorf("when the refusal is heard the table has version %d (%v), want 2", now.Version, err)
		}
		<-first.done
	}
}

func TestAContextThatEndsInTheQueueChangesNothing(t *testing.T) {
	s := openStore(t, file(t))
	h := create(t, s, opening("g", "c", "ann", "bob"))
	// Hold the writer up, so that the next operation waits in the queue.
	started, release := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := s.do(context.Background(), func(*txn) error { close(started); <-release; return nil }); err != nil {
			t.Errorf("the operation that holds the writer up: %v", err)
		}
	})
	<-started
	ctx, cancel := context.WithCancel(t.Context())
	refused := make(chan error, 1)
	go func() { refused <- s.Commit(ctx, next(h, 1)) }()
	for len(s.queue) == 0 {
		runtime.Gosched()
	}
	cancel()
	if err := <-refused; !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled in the queue: %v", err)
	}
	close(release)
	wg.Wait()
	if got, err := s.Head(t.Context(), h.ID); err != nil || got.Version != 1 {
		t.Errorf("version %d, %v; the cancelled commit was carried out", got.Version, err)
	}
}

// settled waits until the leaderboards of some servers are counted.
func settled(t testing.TB, s *Store, guilds ...string) {
	t.Helper()
	for _, g := range guilds {
		if err := s.Finished(context.Background(), storage.Work{Kind: storage.Recounting, Of: g}); err != nil {
			t.Fatal(err)
		}
	}
}

// holds reports whether text stands anywhere in the file, keys and values.
func holds(t *testing.T, s *Store, text string) bool {
	t.Helper()
	found, err := contains(s, text)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func contains(s *Store, text string) (found bool, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(_ []byte, b *bbolt.Bucket) error {
			return b.ForEach(func(k, v []byte) error {
				found = found || bytes.Contains(k, []byte(text)) || bytes.Contains(v, []byte(text))
				return nil
			})
		})
	})
	return found, err
}

// forget forgets a user, and returns when that is done.
func forget(s *Store, user, as string) error {
	ctx := context.Background()
	if err := s.Forget(ctx, user, as); err != nil {
		return err
	}
	return s.Finished(ctx, storage.Work{Kind: storage.Forgetting, Of: user})
}

// deleteGuild deletes a server, and returns when that is done.
func deleteGuild(s *Store, guild string) error {
	ctx := context.Background()
	if err := s.DeleteGuild(ctx, guild); err != nil {
		return err
	}
	return s.Finished(ctx, storage.Work{Kind: storage.Deleting, Of: guild})
}
