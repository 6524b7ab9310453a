//go:build unix

package postgres

import (
	"bytes"
	"errors"
	"sync"
	"testing"
	"time"

	"marque/storage/kv"
)

// A caller that waits for a silent server soon gets an error, long before the connection is given up. The error says
// whether the change may be there. When the server answers again, the store finds it by itself.
func TestASilentServerIsNoticed(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		silent int // the round trip of the group that is not answered, from 1; 0 for a view
		unsure bool
	}{{"a view", 0, false}, {"the beginning of a group", 1, false}, {"its commit", 2, true}} {
		t.Run(tc.name, func(t *testing.T) {
			d, w := throughWire(t)
			var n int
			for range 8 { // the connections then know the statements
				if err := d.Update(t.Context(), count("a", &n)); err != nil {
					t.Fatal(err)
				}
			}
			var mu sync.Mutex
			sent := 0
			w.Sent(func(b []byte) bool {
				mu.Lock()
				defer mu.Unlock()
				if !bytes.Contains(b, []byte("-- ping")) {
					sent++
				}
				return sent < tc.silent
			})
			ctx := kv.WithPatience(t.Context(), time.Now())
			began := time.Now()
			var err error
			if tc.silent == 0 {
				err = d.View(ctx, func(r kv.Reader) error {
					_, err := r.Count(kv.Range{Space: "counters"})
					return err
				})
			} else {
				err = d.Update(ctx, count("a", &n))
			}
			took := time.Since(began)
			var away *kv.UnreachableError
			if !errors.Is(err, kv.ErrSilent) || !errors.As(err, &away) || away.Unsure != tc.unsure {
				t.Errorf("after %v: %v", took, err)
			}
			w.Sent(nil)
			w.Cut()
			if err := d.Update(t.Context(), count("b", &n)); err != nil || n != 1 {
				t.Errorf("when the server answers again: %d, %v", n, err)
			}
			if got := counted(t, d, "a"); got != 8 && !tc.unsure {
				t.Errorf("what was refused as not done was done: counted %d, want 8", got)
			}
			t.Logf("the silence was noticed after %v: %v", took, err)
		})
	}
}

// A server that answers is waited for, however long a lock is held.
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
