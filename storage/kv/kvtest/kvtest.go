// Package kvtest has the tests that every engine of package kv must pass.
package kvtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"marque/storage/kv"
)

// Place is where an engine stores its data. Open can be called again after the engine is closed.
type Place struct {
	Open func() (kv.Engine, error)
	// Fence creates a lease and returns its fence. Lost ends the lease of a fence. Both are nil for an engine
	// without leases.
	Fence func() kv.Fence
	Lost  func(kv.Fence)
}

// Run runs all tests on an engine, each in an empty place.
func Run(t *testing.T, place func(t testing.TB) Place) {
	for _, e := range []struct {
		name string
		run  func(t *testing.T, p Place)
	}{
		{"order", order},
		{"limits", limits},
		{"a state holds", snapshots},
		{"works", works},
		{"groups", groups},
		{"locks exclude", exclusion},
		{"fences", fences},
		{"withdrawn", withdrawn},
		{"panics", panics},
		{"closed", closed},
		{"histories", histories},
		{"many at once", manyAtOnce},
	} {
		t.Run(e.name, func(t *testing.T) { e.run(t, place(t)) })
	}
}

// open opens a DB at a place, and closes it when the test ends.
func open(t testing.TB, p Place) *kv.DB {
	t.Helper()
	e, err := p.Open()
	if err != nil {
		t.Fatal(err)
	}
	d := kv.New(e)
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func key(space kv.Space, k string) kv.Key { return kv.Key{Space: space, Key: []byte(k)} }

// update runs a Work under the given locks.
func update(t testing.TB, d *kv.DB, run func(w kv.Writer) error, locks ...kv.Lock) {
	t.Helper()
	if err := d.Update(t.Context(), kv.Work{Locks: locks, Run: run}); err != nil {
		t.Fatal(err)
	}
}

func put(t testing.TB, d *kv.DB, space kv.Space, pairs ...string) {
	t.Helper()
	update(t, d, func(w kv.Writer) error {
		for i := 0; i < len(pairs); i += 2 {
			if err := w.Put(key(space, pairs[i]), []byte(pairs[i+1])); err != nil {
				return err
			}
		}
		return nil
	})
}

// read returns the pairs of a range, in order, as text.
func read(r kv.Reader, rg kv.Range, order kv.Order, limit int) (list []string, err error) {
	pairs, err := r.Scan(rg, order, limit)
	for _, p := range pairs {
		list = append(list, fmt.Sprintf("%s=%s", p.Key, p.Value))
	}
	return list, err
}

// is checks the first pairs of a range, at most limit of them, as read by a view and by a Work.
func is(t testing.TB, d *kv.DB, rg kv.Range, order kv.Order, limit int, want ...string) {
	t.Helper()
	look := func(r kv.Reader) error {
		got, err := read(r, rg, order, limit)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Errorf("%q to %q of %q, at most %d: %v\n%s", rg.From, rg.To, rg.Space, limit, err, diff)
		}
		return err
	}
	if err := d.View(t.Context(), look); err != nil {
		t.Error(err)
	}
	update(t, d, func(w kv.Writer) error { return look(w) })
}

// Keys are returned in byte order. A range includes its From and excludes its To. Spaces are independent.
func order(t *testing.T, p Place) {
	d := open(t, p)
	all := []string{"\x00", "\x00\x00", "\x00\xff", "a", "a\x00", "a\x00b", "aa", "b", "b\xff", "c", "ä", "\xfe",
		"\xff", "\xff\xff"}
	shuffled := slices.Clone(all)
	rand.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	for i, k := range shuffled {
		put(t, d, "keys", k, fmt.Sprint(slices.Index(all, k)))
		if i == len(shuffled)/2 {
			put(t, d, "other", "a", "x", "zz", "x")
		}
	}
	put(t, d, "Keys", "b", "upper case")
	slices.Sort(all)
	want := make([]string, len(all))
	for i, k := range all {
		want[i] = fmt.Sprintf("%s=%d", k, i)
	}
	back := slices.Clone(want)
	slices.Reverse(back)
	for _, limit := range []int{1, 2, 3, len(all), 100} {
		is(t, d, kv.Range{Space: "keys"}, kv.Ascending, limit, want[:min(limit, len(want))]...)
		is(t, d, kv.Range{Space: "keys"}, kv.Descending, limit, back[:min(limit, len(back))]...)
	}
	ends := append([]string{""}, all...)
	for _, from := range ends {
		for _, to := range ends {
			rg := kv.Range{Space: "keys", From: []byte(from), To: []byte(to)}
			if to == "" {
				rg.To = nil
			}
			var in []string
			for i, k := range all {
				if k >= from && (to == "" || k < to) {
					in = append(in, want[i])
				}
			}
			view := func(r kv.Reader) error {
				up, err := read(r, rg, kv.Ascending, 100)
				down, err2 := read(r, rg, kv.Descending, 100)
				n, err3 := r.Count(rg)
				slices.Reverse(down)
				if err := errors.Join(err, err2, err3); err != nil {
					return err
				}
				if !slices.Equal(up, in) || !slices.Equal(down, in) || n != len(in) {
					t.Errorf("%q to %q: %q, backwards %q, counted %d; want %q", from, to, up, down, n, in)
				}
				return nil
			}
			if err := d.View(t.Context(), view); err != nil {
				t.Fatal(err)
			}
		}
	}
	is(t, d, kv.Prefix("keys", []byte("a")), kv.Ascending, 100, want[3:7]...)
	is(t, d, kv.Prefix("keys", []byte("\xff")), kv.Ascending, 100, want[12:]...)
	is(t, d, kv.Range{Space: "none"}, kv.Ascending, 1)
	is(t, d, kv.Range{Space: "none"}, kv.Descending, 1)
	spaces, err := d.Spaces(t.Context())
	if diff := cmp.Diff([]kv.Space{"Keys", "keys", "other"}, spaces); err != nil || diff != "" {
		t.Errorf("the spaces (%v):\n%s", err, diff)
	}
}

// Keys can have their maximum length, but no more. Values can have a megabyte, but no more than MaxValue. An empty
// value is stored as a value.
func limits(t *testing.T, p Place) {
	d := open(t, p)
	long := string(bytes.Repeat([]byte{0xfe}, kv.MaxKey))
	large := string(bytes.Repeat([]byte{0, 1, 2, 3}, 1<<18))
	put(t, d, "s", long, large, "empty", "")
	update(t, d, func(w kv.Writer) error { return w.Put(key("s", "nil"), nil) })
	view := func(r kv.Reader) error {
		got, err := r.Get(key("s", long), key("s", "empty"), key("s", "none"), key("s", "nil"), key("t", "none"),
			key("s", "empty"))
		if err != nil {
			return err
		}
		if string(got[0]) != large || got[1] == nil || len(got[1]) > 0 || got[2] != nil || got[3] == nil ||
			got[4] != nil || got[5] == nil {
			t.Errorf("long: %d bytes, empty: %v, none: %v, put as nil: %v, of a space that is not there: %v",
				len(got[0]), got[1], got[2], got[3], got[4])
		}
		got, err = r.Get()
		if len(got) > 0 {
			t.Errorf("nothing asked for: %v", got)
		}
		return err
	}
	if err := d.View(t.Context(), view); err != nil {
		t.Error(err)
	}
	update(t, d, func(w kv.Writer) error { return view(w) })
	for what, run := range map[string]func(w kv.Writer) error{
		"a long key":        func(w kv.Writer) error { return w.Put(key("s", long+"x"), nil) },
		"an empty key":      func(w kv.Writer) error { return w.Put(key("s", ""), nil) },
		"no space":          func(w kv.Writer) error { return w.Put(key("", "x"), nil) },
		"a long value":      func(w kv.Writer) error { return w.Put(key("s", "x"), make([]byte, kv.MaxValue+1)) },
		"deleting no key":   func(w kv.Writer) error { return w.Delete(key("s", "")) },
		"deleting a key is": nil,
	} {
		if run == nil {
			continue
		}
		if err := d.Update(t.Context(), kv.Work{Run: run}); !errors.Is(err, kv.ErrLimits) {
			t.Errorf("%s: %v, want %v", what, err, kv.ErrLimits)
		}
	}
}

// A view reads one state from beginning to end. The state includes everything that was committed before the view began.
func snapshots(t *testing.T, p Place) {
	d := open(t, p)
	put(t, d, "s", "a", "1", "b", "1")
	err := d.View(t.Context(), func(r kv.Reader) error {
		if _, err := r.Get(key("s", "a")); err != nil {
			return err
		}
		put(t, d, "s", "a", "2", "c", "2")
		update(t, d, func(w kv.Writer) error { return w.Delete(key("s", "b")) })
		got, err := read(r, kv.Range{Space: "s"}, kv.Ascending, 10)
		if want := []string{"a=1", "b=1"}; !slices.Equal(got, want) {
			t.Errorf("a view sees %q, want %q", got, want)
		}
		n, err2 := r.Count(kv.Range{Space: "s"})
		if n != 2 {
			t.Errorf("a view counts %d, want 2", n)
		}
		return errors.Join(err, err2)
	})
	if err != nil {
		t.Error(err)
	}
	is(t, d, kv.Range{Space: "s"}, kv.Ascending, 10, "a=2", "c=2")
	boom := errors.New("boom")
	if err := d.View(t.Context(), func(kv.Reader) error { return boom }); err != boom {
		t.Errorf("the error of who views is %v", err)
	}
}

// A Work reads its own puts and deletions. A Work that returns an error changes nothing.
func works(t *testing.T, p Place) {
	d := open(t, p)
	put(t, d, "s", "a", "1", "b", "1", "c", "1", "d", "1")
	boom := errors.New("boom")
	for _, end := range []error{boom, nil} {
		err := d.Update(t.Context(), kv.Work{Run: func(w kv.Writer) error {
			err := errors.Join(
				w.Put(key("s", "b"), []byte("2")), w.Put(key("s", "bb"), []byte("2")), w.Delete(key("s", "c")),
				w.Delete(key("s", "x")),
				w.DeleteRange(kv.Range{Space: "s", From: []byte("d"), To: []byte("dd")}),
				w.Put(key("s", "d1"), []byte("2")),
				w.DeleteRange(kv.Range{Space: "s", From: []byte("z"), To: []byte("a")}),
			)
			for _, limit := range []int{1, 2, 3, 10} {
				want := []string{"a=1", "b=2", "bb=2", "d1=2"}
				up, err2 := read(w, kv.Range{Space: "s"}, kv.Ascending, limit)
				down, err3 := read(w, kv.Range{Space: "s"}, kv.Descending, limit)
				err = errors.Join(err, err2, err3)
				if n := min(limit, len(want)); !slices.Equal(up, want[:n]) {
					t.Errorf("a work sees %q, want %q", up, want[:n])
				}
				slices.Reverse(want)
				if n := min(limit, len(want)); !slices.Equal(down, want[:n]) {
					t.Errorf("a work sees backwards %q, want %q", down, want[:n])
				}
			}
			n, err2 := w.Count(kv.Range{Space: "s", From: []byte("b")})
			got, err3 := w.Get(key("s", "b"), key("s", "c"), key("s", "d"), key("s", "a"))
			if n != 3 || len(got) != 4 || string(got[0]) != "2" || got[1] != nil || got[2] != nil ||
				string(got[3]) != "1" {
				t.Errorf("a work counts %d and reads %q", n, got)
			}
			return errors.Join(err, err2, err3, end)
		}})
		if !errors.Is(err, end) || (err == nil) != (end == nil) {
			t.Errorf("%v, want %v", err, end)
		}
		if end != nil {
			is(t, d, kv.Range{Space: "s"}, kv.Ascending, 10, "a=1", "b=1", "c=1", "d=1")
		} else {
			is(t, d, kv.Range{Space: "s"}, kv.Ascending, 10, "a=1", "b=2", "bb=2", "d1=2")
		}
	}
	// A large range is deleted as a whole; its neighbours stay.
	update(t, d, func(w kv.Writer) error {
		for i := range 3000 {
			if err := w.Put(key("r", fmt.Sprintf("%05d", i)), []byte("x")); err != nil {
				return err
			}
		}
		return nil
	})
	update(t, d, func(w kv.Writer) error {
		return w.DeleteRange(kv.Range{Space: "r", From: []byte("00001"), To: []byte("02999")})
	})
	is(t, d, kv.Range{Space: "r"}, kv.Ascending, 10, "00000=x", "02999=x")
}

// held is a running Work that keeps later Works under its locks waiting until it is released.
type held struct {
	begun chan struct{} // closed when the Work begins
	free  chan struct{} // closed to release the Work
	once  sync.Once
	done  chan error
}

func hold(ctx context.Context, d *kv.DB, locks ...kv.Lock) *held {
	h := &held{begun: make(chan struct{}), free: make(chan struct{}), done: make(chan error, 1)}
	go func() {
		h.done <- d.Update(ctx, kv.Work{Locks: locks, Run: func(kv.Writer) error {
			h.once.Do(func() { close(h.begun) })
			<-h.free
			return nil
		}})
	}()
	<-h.begun
	return h
}

// Works that wait for the same lock run one after another. Each sees the changes of earlier Works, and returns its own
// error.
func groups(t *testing.T, p Place) {
	d := open(t, p)
	var commits, in int
	var mu sync.Mutex
	d.Observe(func(took time.Duration, works int, err error) {
		mu.Lock()
		defer mu.Unlock()
		commits, in = commits+1, in+works
		if took <= 0 || err != nil {
			t.Errorf("a commit took %v: %v", took, err)
		}
	})
	h := hold(t.Context(), d, "l")
	boom := errors.New("boom")
	const many = 100
	errs := make([]error, many)
	var wg sync.WaitGroup
	for i := range many {
		wg.Go(func() {
			errs[i] = d.Update(t.Context(), kv.Work{Locks: []kv.Lock{"l"}, Run: func(w kv.Writer) error {
				n, err := w.Count(kv.Range{Space: "s"})
				err2 := w.Put(key("s", fmt.Sprintf("%03d", i)), fmt.Append(nil, n))
				if i%3 == 0 {
					return boom
				}
				return errors.Join(err, err2)
			}})
		})
	}
	close(h.free)
	wg.Wait()
	if err := <-h.done; err != nil {
		t.Error(err)
	}
	numbers := map[string]bool{}
	err := d.View(t.Context(), func(r kv.Reader) error {
		pairs, err := r.Scan(kv.Range{Space: "s"}, kv.Ascending, many+1)
		for _, p := range pairs {
			numbers[string(p.Value)] = true
		}
		return err
	})
	for i, err := range errs {
		if want := i%3 == 0; errors.Is(err, boom) != want || err != nil && !want {
			t.Errorf("work %d: %v", i, err)
		}
	}
	if want := many - (many+2)/3; len(numbers) != want || err != nil {
		t.Errorf("%d works counted differently, want %d (%v)", len(numbers), want, err)
	}
	if commits == 0 || in < commits {
		t.Errorf("%d commits of %d works were observed", commits, in)
	}
	t.Logf("%d commits of %d works", commits, in)
}

// Works under a common lock run one after another, so that none decides on values that another is changing.
func exclusion(t *testing.T, p Place) {
	d := open(t, p)
	const workers, times = 8, 25
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() {
			for n := range times {
				locks := []kv.Lock{"counter", kv.Lock(fmt.Sprint("own ", i))}
				if n%2 == 0 {
					slices.Reverse(locks)
				}
				err := d.Update(t.Context(), kv.Work{Locks: locks, Want: kv.Want{Keys: []kv.Key{key("s", "counter")}},
					Run: func(w kv.Writer) error {
						got, err := w.Get(key("s", "counter"))
						if err != nil {
							return err
						}
						var n int
						_, _ = fmt.Sscan(string(got[0]), &n)
						return w.Put(key("s", "counter"), fmt.Append(nil, n+1))
					}})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	is(t, d, kv.Range{Space: "s"}, kv.Ascending, 10, fmt.Sprintf("counter=%d", workers*times))
}

// A Work under a lease whose term is over or never began is refused, and changes nothing. A Work without a fence is
// committed.
func fences(t *testing.T, p Place) {
	d := open(t, p)
	if p.Lost == nil {
		t.Skip("leases are never lost here")
	}
	f := p.Fence()
	work := func(f kv.Fence, k string) error {
		return d.Update(t.Context(), kv.Work{Fence: f, Run: func(w kv.Writer) error { return w.Put(key("s", k), nil) }})
	}
	if err := work(f, "before"); err != nil {
		t.Errorf("under a lease: %v", err)
	}
	other := f
	other.Term++
	if err := work(other, "another term"); !errors.Is(err, kv.ErrNotOwner) {
		t.Errorf("in a term that never began: %v, want %v", err, kv.ErrNotOwner)
	}
	p.Lost(f)
	if err := work(f, "after"); !errors.Is(err, kv.ErrNotOwner) {
		t.Errorf("under a lease that is over: %v, want %v", err, kv.ErrNotOwner)
	}
	if err := work(kv.Fence{}, "none"); err != nil {
		t.Errorf("without a fence: %v", err)
	}
	is(t, d, kv.Range{Space: "s"}, kv.Ascending, 10, "before=", "none=")
}

// A waiting Work whose context ends is not run. Its caller returns immediately.
func withdrawn(t *testing.T, p Place) {
	d := open(t, p)
	h := hold(t.Context(), d, "l")
	ctx, cancel := context.WithCancel(t.Context())
	errs := make(chan error)
	for range 3 {
		go func() {
			errs <- d.Update(ctx, kv.Work{Locks: []kv.Lock{"l"}, Run: func(w kv.Writer) error {
				return w.Put(key("s", "withdrawn"), nil)
			}})
		}()
	}
	stays := make(chan error)
	go func() {
		stays <- d.Update(t.Context(), kv.Work{Locks: []kv.Lock{"l"}, Run: func(w kv.Writer) error {
			return w.Put(key("s", "stays"), nil)
		}})
	}()
	cancel()
	for range 3 {
		if err := <-errs; !errors.Is(err, context.Canceled) {
			t.Errorf("a work that was withdrawn: %v", err)
		}
	}
	close(h.free)
	if err := errors.Join(<-h.done, <-stays); err != nil {
		t.Error(err)
	}
	is(t, d, kv.Range{Space: "s"}, kv.Ascending, 10, "stays=")
	if err := d.Update(ctx, kv.Work{Run: func(kv.Writer) error { return nil }}); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: %v", err)
	}
	if err := d.View(ctx, func(kv.Reader) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("a view with a context that has ended: %v", err)
	}
}

// A panic in a Work reaches only the caller of that Work.
func panics(t *testing.T, p Place) {
	d := open(t, p)
	h := hold(t.Context(), d, "l")
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			defer func() {
				if r := recover(); (r != nil) != (i%2 == 0) {
					t.Errorf("caller %d recovers %v", i, r)
				}
			}()
			err := d.Update(t.Context(), kv.Work{Locks: []kv.Lock{"l"}, Run: func(w kv.Writer) error {
				if i%2 == 0 {
					panic("boom")
				}
				return w.Put(key("s", fmt.Sprint(i)), nil)
			}})
			if err != nil {
				t.Error(err)
			}
		})
	}
	close(h.free)
	wg.Wait()
	is(t, d, kv.Range{Space: "s"}, kv.Ascending, 10, "1=", "3=", "5=")
	if err := <-h.done; err != nil {
		t.Error(err)
	}
}

// Close waits for running Works, and refuses later ones. The committed data is still there when the store is reopened.
func closed(t *testing.T, p Place) {
	e, err := p.Open()
	if err != nil {
		t.Fatal(err)
	}
	d := kv.New(e)
	put(t, d, "s", "a", "1")
	if err := d.Alive(t.Context()); err != nil {
		t.Errorf("alive: %v", err)
	}
	size, err := d.Size(t.Context())
	if err != nil || size.Bytes <= 0 {
		t.Errorf("%+v, %v", size, err)
	}
	h := hold(t.Context(), d)
	ended := make(chan error)
	go func() { ended <- d.Close() }()
	for err := error(nil); !errors.Is(err, kv.ErrClosed); { // until Close has begun, and refuses views
		err = d.View(t.Context(), func(kv.Reader) error { return nil })
	}
	close(h.free)
	if err := errors.Join(<-h.done, <-ended, d.Close()); err != nil {
		t.Error(err)
	}
	for what, err := range map[string]error{
		"update": d.Update(t.Context(), kv.Work{Run: func(kv.Writer) error { return nil }}),
		"alive":  d.Alive(t.Context()),
	} {
		if !errors.Is(err, kv.ErrClosed) {
			t.Errorf("%s after Close: %v", what, err)
		}
	}
	is(t, open(t, p), kv.Range{Space: "s"}, kv.Ascending, 10, "a=1")
}

// model is the expected content of a space.
type model map[string]string

func (m model) within(rg kv.Range) (list []string) {
	for k := range m {
		if rg.Has(kv.Key{Space: rg.Space, Key: []byte(k)}) {
			list = append(list, k)
		}
	}
	slices.Sort(list)
	return list
}

// A store and a plain map agree after the same random Works.
func histories(t *testing.T, p Place) {
	d := open(t, p)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	m := model{}
	for range 150 {
		m = history(t, d, "s", m, rng)
	}
}

// history runs one random Work, and returns the space's expected content after it.
func history(t testing.TB, d *kv.DB, space kv.Space, m model, rng *rand.Rand) model {
	seed := rng.Uint64()
	boom := errors.New("boom")
	rg := func(rng *rand.Rand) kv.Range {
		r := kv.Range{Space: space}
		if rng.IntN(3) > 0 {
			r.From = randomKey(rng)
		}
		if rng.IntN(3) > 0 {
			r.To = randomKey(rng)
		}
		return r
	}
	var after model
	work := kv.Work{Locks: []kv.Lock{kv.Lock(space)}, Run: func(w kv.Writer) error {
		rng := rand.New(rand.NewPCG(seed, 1)) // the same sequence for every run of the Work
		after = model{}
		for k, v := range m {
			after[k] = v
		}
		for range rng.IntN(12) {
			switch rng.IntN(8) {
			case 0, 1, 2:
				k, v := randomKey(rng), fmt.Sprint(rng.IntN(1000))
				if err := w.Put(kv.Key{Space: space, Key: k}, []byte(v)); err != nil {
					return err
				}
				after[string(k)] = v
			case 3:
				k := randomKey(rng)
				if err := w.Delete(kv.Key{Space: space, Key: k}); err != nil {
					return err
				}
				delete(after, string(k))
			case 4:
				if rng.IntN(4) > 0 {
					continue
				}
				r := rg(rng)
				if err := w.DeleteRange(r); err != nil {
					return err
				}
				for _, k := range after.within(r) {
					delete(after, k)
				}
			default:
				if err := agree(t, w, rg(rng), after, rng); err != nil {
					return err
				}
			}
		}
		if rng.IntN(5) == 0 {
			return boom
		}
		return nil
	}}
	for range rng.IntN(3) {
		work.Want.Keys = append(work.Want.Keys, kv.Key{Space: space, Key: randomKey(rng)})
		work.Want.Ranges = append(work.Want.Ranges, kv.WantRange{Range: rg(rng), Order: rng.IntN(2) == 0,
			Limit: 1 + rng.IntN(10)})
	}
	switch err := d.Update(t.Context(), work); err {
	case nil:
		m = after
	case boom:
	default:
		t.Errorf("a work: %v", err)
	}
	err := d.View(t.Context(), func(r kv.Reader) error { return agree(t, r, rg(rng), m, rng) })
	if err != nil {
		t.Error(err)
	}
	return m
}

// randomKey returns one of few keys, so that the Works often use the same keys.
func randomKey(rng *rand.Rand) []byte {
	const letters = "\x00ab\xff"
	k := []byte{letters[rng.IntN(4)]}
	for rng.IntN(2) == 0 && len(k) < 4 {
		k = append(k, letters[rng.IntN(4)])
	}
	return k
}

// agree compares a range of a space with the model.
func agree(t testing.TB, r kv.Reader, rg kv.Range, m model, rng *rand.Rand) error {
	t.Helper()
	keys := m.within(rg)
	n, err := r.Count(rg)
	if err != nil {
		return err
	}
	limit, order := 1+rng.IntN(10), kv.Order(rng.IntN(2) == 0)
	pairs, err := r.Scan(rg, order, limit)
	if err != nil {
		return err
	}
	want := slices.Clone(keys)
	if order == kv.Descending {
		slices.Reverse(want)
	}
	var got, values []string
	for _, p := range pairs {
		got = append(got, string(p.Key))
		values = append(values, string(p.Value))
	}
	if n != len(keys) || !slices.Equal(got, want[:min(limit, len(want))]) {
		t.Errorf("%q to %q, descending %v, at most %d: %q of %d, want %q of %d", rg.From, rg.To, order, limit, got, n,
			want[:min(limit, len(want))], len(keys))
	}
	asked := []kv.Key{{Space: rg.Space, Key: randomKey(rng)}}
	for _, p := range pairs {
		asked = append(asked, kv.Key{Space: rg.Space, Key: p.Key})
	}
	list, err := r.Get(asked...)
	if err != nil {
		return err
	}
	for i, k := range asked {
		v, there := m[string(k.Key)]
		if there != (list[i] != nil) || v != string(list[i]) {
			t.Errorf("%q is %q, want %q", k.Key, list[i], v)
		}
		if i > 0 && values[i-1] != v {
			t.Errorf("%q is %q in a list, want %q", k.Key, values[i-1], v)
		}
	}
	return nil
}

// Histories that run concurrently in separate spaces do not affect each other.
func manyAtOnce(t *testing.T, p Place) {
	d := open(t, p)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(seed, uint64(i)))
			m := model{}
			for range 30 {
				m = history(t, d, kv.Space(fmt.Sprint("s", i)), m, rng)
			}
		})
	}
	wg.Wait()
}
