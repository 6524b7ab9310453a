//go:build unix

package postgres

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"marque/storage/kv"
)

// patient is an engine that counts as answering until a channel is closed. Otherwise a late answer on a busy machine
// would count as silence.
type patient struct {
	*Engine
	until <-chan struct{}
}

func (p patient) Answers(ctx context.Context) bool {
	select {
	case <-p.until:
		return p.Engine.Answers(ctx)
	default:
		return true
	}
}

// A caller with patience gets ErrSilent when the server falls silent. The error says whether the change may have been
// made. The store works again when the server answers again.
func TestASilentServerIsNoticed(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name       string
		view, runs bool // falls silent during a view, or after a group's Work has run
	}{{"a view", true, false}, {"the beginning of a group", false, false}, {"its commit", false, true}} {
		t.Run(tc.name, func(t *testing.T) {
			e, w := engineThroughWire(t)
			silent := make(chan struct{})
			d := kv.New(patient{e, silent})
			t.Cleanup(func() { _ = d.Close() })
			var n int
			for range 8 { // so that the connections have prepared the statements
				if err := d.Update(t.Context(), count("a", &n)); err != nil {
					t.Fatal(err)
				}
			}
			work := count("a", &n)
			var ran atomic.Bool
			ran.Store(!tc.runs)
			run := work.Run
			work.Run = func(w kv.Writer) error { err := run(w); ran.Store(true); return err }
			fall := sync.OnceFunc(func() { close(silent) })
			w.Sent(func([]byte) bool {
				if !ran.Load() {
					return true
				}
				fall() // during a view's read, at the beginning of a group, or at the commit after its Work has run
				return false
			})
			ctx := kv.WithPatience(t.Context(), time.Now())
			began := time.Now()
			var err error
			if tc.view {
				err = d.View(ctx, func(r kv.Reader) error {
					_, err := r.Count(kv.Range{Space: "counters"})
					return err
				})
			} else {
				err = d.Update(ctx, work)
			}
			took := time.Since(began)
			var away *kv.UnreachableError
			if !errors.Is(err, kv.ErrSilent) || !errors.As(err, &away) || away.Unsure != tc.runs {
				t.Errorf("after %v: %v", took, err)
			}
			w.Sent(nil)
			w.Cut()
			var b int // not n, because the abandoned Work may still run and write n
			if err := d.Update(t.Context(), count("b", &b)); err != nil || b != 1 {
				t.Errorf("when the server answers again: %d, %v", b, err)
			}
			if got := counted(t, d, "a"); got != 8 && !tc.runs {
				t.Errorf("what was refused as not done was done: counted %d, want 8", got)
			}
			t.Logf("the silence was noticed after %v: %v", took, err)
		})
	}
}

// A caller with patience waits as long as the server answers, here while another process holds a lock.
func TestASlowServerIsWaitedFor(t *testing.T) {
	t.Parallel()
	w, err := server(t).Wire()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	url := database(t)
	holder, err := Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close()
	waiting, err := Open(t.Context(), w.URL(url))
	if err != nil {
		t.Fatal(err)
	}
	d := kv.New(waiting)
	t.Cleanup(func() { _ = d.Close() })
	tx, _, err := holder.Begin(t.Context(), []kv.Lock{"a"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	free := sync.OnceFunc(tx.Rollback)
	w.Sent(func(b []byte) bool {
		if bytes.Contains(b, []byte("-- ping")) {
			go free()
		}
		return true
	})
	var n int
	if err := d.Update(kv.WithPatience(t.Context(), time.Now()), count("a", &n)); err != nil || n != 1 {
		t.Errorf("a work that waits for a lock: %d, %v", n, err)
	}
}
