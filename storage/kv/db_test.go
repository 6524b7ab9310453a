package kv_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"marque/storage/kv"
	"marque/storage/kv/strict"
)

// hindered is an in-memory engine whose transactions fail when its hooks return errors.
type hindered struct {
	*strict.Engine
	begin  func(locks []kv.Lock) error // called before a transaction begins; may be nil
	commit func(c []kv.Change) error   // called before a transaction is committed; may be nil
	begun  atomic.Int64
}

func (h *hindered) Begin(ctx context.Context, locks []kv.Lock, fences []kv.Fence,
	wants []kv.Want) (kv.Tx, []bool, error) {
	h.begun.Add(1)
	if h.begin != nil {
		if err := h.begin(locks); err != nil {
			return nil, nil, err
		}
	}
	tx, held, err := h.Engine.Begin(ctx, locks, fences, wants)
	return hinderedTx{tx, h}, held, err
}

type hinderedTx struct {
	kv.Tx
	h *hindered
}

func (t hinderedTx) Commit(ctx context.Context, changes []kv.Change) error {
	if t.h.commit != nil {
		if err := t.h.commit(changes); err != nil {
			return err
		}
	}
	return t.Tx.Commit(ctx, changes)
}

// together starts n Works while another Work is running, so that they form one group if possible. It returns their
// errors.
func together(t *testing.T, d *kv.DB, n int) []error {
	t.Helper()
	begun, free := make(chan struct{}), make(chan struct{})
	var once sync.Once
	var wg sync.WaitGroup
	wg.Go(func() {
		err := d.Update(t.Context(), kv.Work{Run: func(kv.Writer) error {
			once.Do(func() { close(begun) })
			<-free
			return nil
		}})
		if err != nil {
			t.Errorf("the first work: %v", err)
		}
	})
	<-begun
	errs := make([]error, n)
	for i := range n {
		wg.Go(func() {
			errs[i] = d.Update(t.Context(), kv.Work{Locks: []kv.Lock{kv.Lock(fmt.Sprint(i))},
				Run: func(w kv.Writer) error {
					return w.Put(kv.Key{Space: "s", Key: fmt.Append(nil, i)}, nil)
				}})
		})
	}
	close(free)
	wg.Wait()
	return errs
}

func keys(t *testing.T, d *kv.DB) (n int) {
	t.Helper()
	err := d.View(t.Context(), func(r kv.Reader) (err error) { n, err = r.Count(kv.Range{Space: "s"}); return err })
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A group with too many locks is split until each part fits.
func TestAGroupIsSplitForWantOfLocks(t *testing.T) {
	most := 0
	h := &hindered{Engine: strict.New(nil)}
	h.begin = func(locks []kv.Lock) error {
		if most = max(most, len(locks)); len(locks) > 3 {
			return fmt.Errorf("%w: out of slots", kv.ErrCrowded)
		}
		return nil
	}
	d := kv.New(h)
	defer d.Close()
	for i, err := range together(t, d, 20) {
		if err != nil {
			t.Errorf("work %d: %v", i, err)
		}
	}
	if n := keys(t, d); n != 20 {
		t.Errorf("%d works are done, want 20", n)
	}
	if err := d.Update(t.Context(), kv.Work{Locks: []kv.Lock{"a", "b", "c", "d"}, Run: func(kv.Writer) error {
		return nil
	}}); !errors.Is(err, kv.ErrCrowded) {
		t.Errorf("one work with too many locks: %v", err)
	}
	t.Logf("at most %d locks were asked for", most)
}

// Damage fails only the Works that touch the damaged data, not the other Works of their group.
func TestDamageIsLeftToThoseWhoMeetIt(t *testing.T) {
	h := &hindered{Engine: strict.New(nil)}
	h.commit = func(changes []kv.Change) error {
		for _, c := range changes {
			if string(c.Key.Key) == "7" {
				return fmt.Errorf("%w (page 7)", kv.ErrDamaged)
			}
		}
		return nil
	}
	d := kv.New(h)
	defer d.Close()
	for i, err := range together(t, d, 20) {
		if errors.Is(err, kv.ErrDamaged) != (i == 7) {
			t.Errorf("work %d: %v", i, err)
		}
	}
	if n := keys(t, d); n != 19 {
		t.Errorf("%d works are done, want 19", n)
	}
}

// A group is run again after a conflict with other transactions. After several failed attempts, its Works fail with the
// last error.
func TestAGroupIsRunAgain(t *testing.T) {
	why := errors.New("a deadlock")
	for _, times := range []int{1, 3, 1000} {
		h := &hindered{Engine: strict.New(nil)}
		left := times
		h.commit = func([]kv.Change) error {
			if left--; left >= 0 {
				return &kv.AgainError{Err: why}
			}
			return nil
		}
		d := kv.New(h)
		err := d.Update(t.Context(), kv.Work{Run: func(w kv.Writer) error {
			n, err := w.Count(kv.Range{Space: "s"})
			return errors.Join(err, w.Put(kv.Key{Space: "s", Key: fmt.Append(nil, n)}, nil))
		}})
		switch n := keys(t, d); {
		case times < 1000 && (err != nil || n != 1):
			t.Errorf("in the way %d times: %v, %d keys", times, err, n)
		case times == 1000 && (err != why || n != 0 || h.begun.Load() > 100):
			t.Errorf("always in the way: %v, %d keys, tried %d times", err, n, h.begun.Load())
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// When the disk refuses a commit, all Works of the group fail with the disk's error, and nothing is stored. The store
// is not alive until a trial commit succeeds.
func TestAFailedCommitIsEverybodys(t *testing.T) {
	e := strict.New(nil)
	d := kv.New(e)
	defer d.Close()
	var seen atomic.Int64
	d.Observe(func(_ time.Duration, _ int, err error) {
		if err != nil {
			seen.Add(1)
		}
	})
	full := &kv.DiskError{Problem: kv.DiskFull, Err: errors.New("no space")}
	e.Fail(func() error { return full })
	for i, err := range together(t, d, 5) {
		if !errors.Is(err, full) {
			t.Errorf("work %d: %v", i, err)
		}
	}
	if n := keys(t, d); n != 0 || seen.Load() == 0 {
		t.Errorf("%d works are done, %d failed commits were observed", n, seen.Load())
	}
	if err := d.Alive(t.Context()); !errors.Is(err, full) {
		t.Errorf("alive on a full disk: %v", err)
	}
	e.Fail(nil)
	if err := d.Alive(t.Context()); err != nil {
		t.Errorf("alive with room again: %v", err)
	}
}

// After the disk has refused a commit, a commit that fails for another reason does not make the store alive.
func TestAnotherFailureClearsNoDiskError(t *testing.T) {
	h := &hindered{Engine: strict.New(nil)}
	d := kv.New(h)
	defer d.Close()
	put := func() error {
		return d.Update(t.Context(), kv.Work{Run: func(w kv.Writer) error {
			return w.Put(kv.Key{Space: "s", Key: []byte("k")}, nil)
		}})
	}
	readOnly := &kv.DiskError{Problem: kv.DiskReadOnly, Err: errors.New("read-only")}
	h.Fail(func() error { return readOnly })
	if err := put(); !errors.Is(err, readOnly) {
		t.Errorf("a commit to a read-only disk: %v", err)
	}
	away := &kv.UnreachableError{Err: errors.New("away")}
	h.commit = func([]kv.Change) error { return away }
	if err := put(); !errors.Is(err, away) {
		t.Errorf("a commit to a server that is away: %v", err)
	}
	h.commit = nil
	if err := d.Alive(t.Context()); !errors.Is(err, readOnly) {
		t.Errorf("alive on a read-only disk: %v", err)
	}
	h.Fail(nil)
	if err := put(); err != nil {
		t.Error(err)
	}
	if err := d.Alive(t.Context()); err != nil {
		t.Errorf("alive when the disk is writable again: %v", err)
	}
}
