package storagetest

import (
	"context"
	"flag"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"marque/storage"
)

func TestMemory(t *testing.T) { Run(t, Memory) }

func TestMemoryIsItself(t *testing.T) { Compare(t, 100, Memory, Memory) }

// broken is an engine with a fault.
type broken struct {
	storage.Engine
	commit func(s storage.Engine, c storage.Change) (storage.Change, error) // what it commits instead
}

func (s broken) Commit(ctx context.Context, c storage.Change) error {
	c, err := s.commit(s.Engine, c)
	if err != nil {
		return err
	}
	return s.Engine.Commit(ctx, c)
}

// Faults of an engine are found, each by a history that has been cut down to what it takes.
func TestFaultsAreFound(t *testing.T) {
	for _, tc := range []struct {
		name  string
		fault broken
		most  int // actions that a history needs at most to show it
	}{
		{"the second moment that falls due is lost", broken{commit: func(_ storage.Engine, c storage.Change) (storage.Change, error) {
			c.Head.Due = c.Head.Due[:min(1, len(c.Head.Due))]
			return c, nil
		}}, 2},
		{"a version ahead is taken for the next one", broken{commit: func(s storage.Engine, c storage.Change) (storage.Change, error) {
			h, err := s.Head(context.Background(), c.Head.ID)
			if err == nil && c.Head.Version > h.Version {
				c.Head.Version = h.Version + 1
				for i := range c.Events {
					c.Events[i].Version = c.Head.Version
				}
			}
			return c, err
		}}, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			seen := watch(t, func(t testing.TB) {
				Compare(t, 5000, func(t testing.TB) Place {
					p := Memory(t)
					open := p.Open
					p.Open = func() (storage.Engine, error) {
						s, err := open()
						fault := tc.fault
						fault.Engine = s
						return fault, err
					}
					return p
				}, Memory)
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

// witness is a test that may fail.
type witness struct {
	testing.TB
	mu      sync.Mutex
	failed  bool
	actions []string // of the history that was printed
}

// watch runs f as a test of its own and says what became of it.
func watch(t *testing.T, f func(t testing.TB)) *witness {
	for name, value := range map[string]string{
		"rapid.nofailfile": "true", "rapid.shrinktime": time.Hour.String(), // as long as it can be made shorter
		"rapid.steps": "8", // short histories are soon as short as can be
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
