package storage_test

import (
	"context"
	"flag"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"marque/storage"
	"marque/storage/kv"
	"marque/storage/kv/strict"
)

// lossy is an engine with one fault.
type lossy struct {
	*strict.Engine
	drops func(kv.Change) bool // selects the changes that are lost
	short bool                 // scans lack the second half of their pairs
}

func (e lossy) Begin(ctx context.Context, locks []kv.Lock, fences []kv.Fence, wants []kv.Want) (kv.Tx, []bool, error) {
	tx, held, err := e.Engine.Begin(ctx, locks, fences, wants)
	return lossyTx{tx, e.drops}, held, err
}

func (e lossy) View(ctx context.Context, read func(r kv.Reader) error) error {
	return e.Engine.View(ctx, func(r kv.Reader) error {
		if e.short {
			r = shortReader{r}
		}
		return read(r)
	})
}

type lossyTx struct {
	kv.Tx
	drops func(kv.Change) bool
}

func (t lossyTx) Commit(ctx context.Context, changes []kv.Change) error {
	if t.drops != nil {
		changes = slices.DeleteFunc(changes, t.drops)
	}
	return t.Tx.Commit(ctx, changes)
}

type shortReader struct{ kv.Reader }

func (r shortReader) Scan(in kv.Range, order kv.Order, limit int) ([]kv.Pair, error) {
	list, err := r.Reader.Scan(in, order, limit)
	return list[:len(list)-len(list)/2], err
}

func (lossy) Close() error { return nil }

// Random histories find each fault, and are shrunk to a few actions that show it.
func TestFaultsAreFound(t *testing.T) {
	for _, tc := range []struct {
		name  string
		fault lossy
		most  int // maximum number of actions in the shrunk history
	}{
		{"what is deleted stays", lossy{drops: func(c kv.Change) bool { return c.Value == nil }}, 3},
		{"what falls due is lost", lossy{drops: func(c kv.Change) bool { return c.Key.Space == "due" }}, 3},
		{"lists are too short", lossy{short: true}, 3},
	} {
		t.Run(tc.name, func(t *testing.T) {
			seen := watch(t, func(t testing.TB) {
				runHistories(t, 5000, func(testing.TB) place {
					e := tc.fault
					e.Engine = strict.New(storage.Cover)
					return place{Open: func() (kv.Engine, error) { return e, nil }}
				})
			})
			if !seen.failed {
				t.Fatal("it was not found")
			}
			if n := len(seen.actions); n == 0 || n > tc.most {
				t.Errorf("the history that shows it has %d actions, want at most %d: %v", n, tc.most, seen.actions)
			}
			t.Logf("shown by %v", seen.actions)
		})
	}
}

// witness records whether a test fails, without failing the test around it.
type witness struct {
	testing.TB
	mu      sync.Mutex
	failed  bool
	actions []string // actions of the shrunk history, as printed
}

// watch runs f as a test of its own and returns its outcome.
func watch(t *testing.T, f func(t testing.TB)) *witness {
	for name, value := range map[string]string{
		"rapid.nofailfile": "true", "rapid.shrinktime": time.Hour.String(), // shrinking takes as long as it needs
		"rapid.steps": "8", // short histories shrink fast
	} {
		fl := flag.Lookup(name)
		was := fl.Value.String()
		if err := fl.Value.Set(value); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = fl.Value.Set(was) }()
	}
	w := &witness{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(w)
	}()
	<-done
	return w
}

func (w *witness) Logf(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, action, ok := strings.Cut(fmt.Sprintf(format, args...), "draw action: "); ok {
		w.actions = append(w.actions, action)
	}
}

func (w *witness) Log(args ...any) { w.Logf("%s", fmt.Sprintln(args...)) }

func (w *witness) Errorf(format string, args ...any) {
	w.Logf(format, args...)
	w.Fail()
}

func (w *witness) Fatalf(format string, args ...any) {
	w.Errorf(format, args...)
	w.FailNow()
}

func (w *witness) Error(args ...any) { w.Errorf("%s", fmt.Sprintln(args...)) }
func (w *witness) Fatal(args ...any) { w.Fatalf("%s", fmt.Sprintln(args...)) }

func (w *witness) Fail() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failed = true
}

func (w *witness) FailNow() {
	w.Fail()
	runtime.Goexit()
}

func (w *witness) Failed() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failed
}
