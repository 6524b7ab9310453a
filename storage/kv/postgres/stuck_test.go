//go:build unix

package postgres

import (
	"bytes"
	"context"
	"sync/atomic"
	"testing"
	"time"

	"marque/storage/kv"
)

// half returns an engine whose connection passes only a part of the next batch that contains text, and nothing after
// it.
func half(t *testing.T, url, text string) (e *Engine, stalled <-chan struct{}) {
	t.Helper()
	w, err := server(t).Wire()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	if e, err = Open(context.Background(), w.URL(url)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Cut(); _ = e.Close() })
	at := make(chan struct{})
	var once atomic.Bool
	w.StallInBatch(func(b []byte) bool {
		if !bytes.Contains(b, []byte(text)) || !once.CompareAndSwap(false, true) {
			return false
		}
		close(at)
		return true
	})
	return e, at
}

// A machine that vanishes in the middle of sending a request loses its expired lease and its locks to other processes.
// Such a request holds the shared lock of the lease, and the server's own limits do not apply to it.
func TestAHalfArrivedRequestHoldsNobodyUp(t *testing.T) {
	ctx := context.Background()
	for name, text := range map[string]string{
		"the beginning of a group": "half arrived", "its commit": "half written",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := database(t)
			vanishing, stalled := half(t, url, text)
			other, err := Open(ctx, url)
			if err != nil {
				t.Fatal(err)
			}
			defer other.Close()
			if _, err := vanishing.Renew(ctx, "vanishing", 1, time.Hour); err != nil {
				t.Fatal(err)
			}
			term, err := vanishing.Claim(ctx, "vanishing", 0, time.Hour)
			if err != nil {
				t.Fatal(err)
			}
			a := kv.Key{Space: "counters", Key: []byte("a")}
			go func() {
				tx, _, err := vanishing.Begin(ctx, []kv.Lock{"a"}, []kv.Fence{{Process: "vanishing", Term: term}},
					[]kv.Want{{Keys: []kv.Key{a, {Space: "counters", Key: []byte("half arrived")}}}})
				if err == nil {
					_ = tx.Commit(ctx, []kv.Change{{Key: a, Value: []byte("half written")}})
				}
			}()
			<-stalled
			locks := func() (n int) {
				if err := other.pool.QueryRow(ctx, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted AND "+
					"database = (SELECT oid FROM pg_database WHERE datname = current_database())").Scan(&n); err != nil {
					t.Fatal(err)
				}
				return n
			}
			for locks() == 0 { // the server has not yet read what arrived
			}
			began := time.Now()
			if _, err := other.pool.Exec(ctx, "UPDATE marque_leases SET until = 0 WHERE kind IN ('shard', 'member')"); err != nil {
				t.Fatal(err)
			}
			for { // like a process that renews regularly
				if _, err := other.Renew(ctx, "other", 1, time.Hour); err != nil {
					t.Fatal(err)
				}
				if locks() == 0 {
					break
				}
			}
			if _, err := other.Claim(ctx, "other", 0, time.Hour); err != nil {
				t.Errorf("the lease of the process that vanished, after %v: %v", time.Since(began), err)
			}
			var n int
			if err := kv.New(other).Update(ctx, count("a", &n)); err != nil || n != 1 {
				t.Errorf("its lock, after %v: %d, %v", time.Since(began), n, err)
			}
			t.Logf("others had the lease and the lock after %v", time.Since(began))
		})
	}
}

// Without leases, where one process uses the store alone, a group is committed even if its request has arrived only in
// part.
func TestAHalfArrivedCommitIsResolved(t *testing.T) {
	t.Parallel()
	e, stalled := half(t, database(t), "half written")
	d := kv.New(e)
	a := kv.Key{Space: "counters", Key: []byte("a")}
	began := time.Now()
	err := d.Update(context.Background(), kv.Work{Locks: []kv.Lock{"a"},
		Run: func(w kv.Writer) error { return w.Put(a, []byte("half written")) }})
	<-stalled
	if err != nil {
		t.Errorf("after %v: %v", time.Since(began), err)
	}
	t.Logf("the group was committed after %v", time.Since(began))
}
