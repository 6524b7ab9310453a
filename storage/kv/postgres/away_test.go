//go:build unix

package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"marque/storage/kv"
	"marque/storage/kv/postgres/postgrestest"
)

// dbOf returns a DB on a new database of a server.
func dbOf(t testing.TB, srv *postgrestest.Server) *kv.DB {
	t.Helper()
	url, err := srv.Database()
	if err != nil {
		t.Fatal(err)
	}
	e, err := Open(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	d := kv.New(e)
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// count returns a kv.Work that increments the counter of a key, and stores the new number in *to.
func count(key string, to *int) kv.Work {
	k := kv.Key{Space: "counters", Key: []byte(key)}
	return kv.Work{Locks: []kv.Lock{kv.Lock(key)}, Want: kv.Want{Keys: []kv.Key{k}}, Run: func(w kv.Writer) error {
		got, err := w.Get(k)
		if err != nil {
			return err
		}
		n := 0
		_, _ = fmt.Sscan(string(got[0]), &n)
		*to = n + 1
		return w.Put(k, fmt.Append(nil, n+1))
	}}
}

func counted(t testing.TB, d *kv.DB, key string) (n int) {
	t.Helper()
	err := d.View(context.Background(), func(r kv.Reader) error {
		got, err := r.Get(kv.Key{Space: "counters", Key: []byte(key)})
		if err == nil {
			_, _ = fmt.Sscan(string(got[0]), &n)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// While the server is down, a change, a read and Alive fail with a *kv.UnreachableError that says that nothing was
// changed. The store reconnects automatically when the server is back.
func TestTheServerIsAwayForAWhile(t *testing.T) {
	ctx := context.Background()
	for name, end := range map[string]func(*postgrestest.Server){"stopped": (*postgrestest.Server).Stop,
		"killed": (*postgrestest.Server).Kill} {
		t.Run(name, func(t *testing.T) {
			srv := postgrestest.Start(t)
			d := dbOf(t, srv)
			var n int
			if err := d.Update(ctx, count("a", &n)); err != nil {
				t.Fatal(err)
			}
			end(srv)
			for what, f := range map[string]func() error{
				"update": func() error { return d.Update(ctx, count("a", &n)) },
				"view": func() error {
					return d.View(ctx, func(r kv.Reader) error {
						_,
							err := r.Count(kv.Range{Space: "counters"})
						return err
					})
				},
				"alive": func() error { return d.Alive(ctx) },
			} {
				var away *kv.UnreachableError
				if err := f(); !errors.As(err, &away) || away.Unsure {
					t.Errorf("%s while the server is away: %v", what, err)
				}
			}
			if err := srv.Start(); err != nil {
				t.Fatal(err)
			}
			if err := d.Update(ctx, count("a", &n)); err != nil || counted(t, d, "a") != 2 {
				t.Errorf("when it is back: %d, %v", counted(t, d, "a"), err)
			}
		})
	}
}

// throughWire returns a DB on a new database and the wire through which it talks to the server.
func throughWire(t testing.TB) (*kv.DB, *postgrestest.Wire) {
	t.Helper()
	e, w := engineThroughWire(t)
	d := kv.New(e)
	t.Cleanup(func() { _ = d.Close() })
	return d, w
}

func engineThroughWire(t testing.TB) (*Engine, *postgrestest.Wire) {
	t.Helper()
	w, err := server(t).Wire()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	e, err := Open(context.Background(), w.URL(database(t)))
	if err != nil {
		t.Fatal(err)
	}
	return e, w
}

// If the connection breaks, a Work is still done exactly once, and its caller gets no error. The test breaks the
// connection at each step of a group: before its first request or its commit is sent, and before either is answered.
func TestCutAtEveryStep(t *testing.T) {
	for _, tc := range []struct {
		name   string
		commit bool // cut at the second round trip, the commit
		after  bool // cut after the server has received the request
	}{
		{"the beginning is not sent", false, false},
		{"the beginning is not answered", false, true},
		{"the commit is not sent", true, false},
		{"the commit is not answered", true, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d, w := throughWire(t)
			ctx := context.Background()
			var n int
			for range 8 { // so that the connections have prepared the statements
				if err := d.Update(ctx, count("a", &n)); err != nil {
					t.Fatal(err)
				}
			}
			var mu sync.Mutex // the wire calls the hook in a goroutine of each connection
			cuts := 0
			batches := 0
			w.Sent(func([]byte) bool {
				mu.Lock()
				defer mu.Unlock()
				batches++
				if batches != 1 && !tc.commit || batches != 2 && tc.commit || cuts > 0 {
					return true
				}
				cuts++
				if tc.after {
					w.Answered(func([]byte) bool { return false })
					// The connection breaks when the server has processed the request.
					time.AfterFunc(300*time.Millisecond, func() { w.Cut(); w.Answered(nil) })
					return true
				}
				go w.Cut()
				return false
			})
			if err := d.Update(ctx, count("a", &n)); err != nil {
				t.Errorf("a group whose connection is cut: %v", err)
			}
			w.Sent(nil)
			mu.Lock()
			defer mu.Unlock()
			if cuts != 1 {
				t.Fatalf("%d cuts: the test does not test", cuts)
			}
			if got := counted(t, d, "a"); got != 9 || n != 9 {
				t.Errorf("counted %d, and the caller was told %d; want 9", got, n)
			}
		})
	}
}

// A client that freezes in the middle of a group does not hold its locks forever. The server ends its transaction after
// a limit.
func TestAFrozenClientIsGivenUp(t *testing.T) {
	ctx := context.Background()
	url := database(t)
	var engines [2]*Engine
	for i := range engines {
		var err error
		if engines[i], err = Open(ctx, url); err != nil {
			t.Fatal(err)
		}
		defer engines[i].Close()
	}
	frozen, other := engines[0], engines[1]
	const life = time.Hour
	roster, err := frozen.Renew(ctx, "frozen", 2, life)
	if err != nil {
		t.Fatal(err)
	}
	term, err := frozen.Claim(ctx, "frozen", 0, life)
	if err != nil {
		t.Fatal(roster, err)
	}
	fence := kv.Fence{Process: "frozen", Shard: 0, Term: term}
	// The client stops between the two round trips of a group, when it holds a lock and its lease has been checked.
	stopped, held, err := frozen.Begin(ctx, []kv.Lock{"a"}, []kv.Fence{fence}, nil)
	if err != nil || !held[0] {
		t.Fatal(held, err)
	}
	givenUpAfter := func(limit time.Duration) {
		t.Helper()
		sql := fmt.Sprintf("SET LOCAL idle_in_transaction_session_timeout TO %d", limit.Milliseconds())
		if _, err := stopped.(*tx).conn.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	givenUpAfter(0) // 0 turns the limit off: a call that waits for the client would fail
	if r, err := other.Renew(ctx, "other", 2, life); err != nil || len(r.Members) != 2 {
		t.Errorf("another process joins: %+v, %v", r, err)
	}
	if _, err := other.Claim(ctx, "other", 1, life); err != nil {
		t.Errorf("another process claims another lease: %v", err)
	}
	givenUpAfter(idleLimit)
	began := time.Now()
	if err := other.Leave(ctx, "frozen"); err != nil { // has the effect of an expired lease; Leave waits for the group
		t.Errorf("the frozen process's leases are taken: %v", err)
	}
	d := kv.New(other)
	var n int
	if err := d.Update(ctx, count("a", &n)); err != nil || n != 1 {
		t.Errorf("a work that needs the same lock: %d, %v", n, err)
	}
	t.Logf("the frozen process was given up after %v", time.Since(began))
	err = stopped.Commit(ctx, []kv.Change{{Key: kv.Key{Space: "counters", Key: []byte("a")}, Value: []byte("7")}})
	var again *kv.AgainError
	if !errors.As(err, &again) {
		t.Errorf("what the frozen process commits when it goes on: %v", err)
	}
	if got := counted(t, d, "a"); got != 1 {
		t.Errorf("counted %d, want 1", got)
	}
	stopped, held, err = frozen.Begin(ctx, nil, []kv.Fence{fence}, nil)
	if err != nil || held[0] {
		t.Fatalf("it may write under a lease that it lost: %v, %v", held, err)
	}
	stopped.Rollback()
}

// No acknowledged Work is lost, and none is done twice, when the server is killed while Works run. A Work that was
// refused as not done has no effect.
func TestNothingAcknowledgedIsLost(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	srv := postgrestest.Start(t)
	// Slow commits make most crashes hit transactions in the middle of their commit, even on a fast disk.
	for _, sql := range []string{"ALTER ROLE postgres SET commit_delay = 20000",
		"ALTER ROLE postgres SET commit_siblings = 0"} {
		if err := srv.Exec("postgres", sql); err != nil {
			t.Fatal(err)
		}
	}
	d := dbOf(t, srv)
	const counters, deaths, works = 8, 3, 40
	var least, most [counters]int // limits of each counter, from what its callers were told
	var unsure, acknowledged atomic.Int64
	done := make(chan struct{}, 1)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for i := range counters {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				var n int
				err := d.Update(ctx, count(fmt.Sprint(i), &n))
				var away *kv.UnreachableError
				switch {
				case err == nil:
					if n < least[i]+1 || n > most[i]+1 {
						t.Errorf("counter %d comes to %d, want %d to %d", i, n, least[i]+1, most[i]+1)
						return
					}
					least[i], most[i] = n, n
					acknowledged.Add(1)
					select {
					case done <- struct{}{}:
					default:
					}
				case errors.As(err, &away) && away.Unsure:
					unsure.Add(1)
					most[i]++
				case !errors.As(err, &away):
					t.Errorf("counter %d: %v", i, err)
					return
				}
			}
		})
	}
	finish := sync.OnceFunc(func() { close(stop); wg.Wait() })
	defer finish()
	for range deaths {
		for goal := acknowledged.Load() + counters*works; acknowledged.Load() < goal; {
			select {
			case <-done:
			case <-ctx.Done():
				t.Fatalf("%d works were acknowledged, and no more are", acknowledged.Load())
			}
		}
		srv.Kill()
		if err := srv.Start(); err != nil {
			t.Fatal(err)
		}
	}
	finish()
	for i := range counters {
		if got := counted(t, d, fmt.Sprint(i)); got < least[i] || got > most[i] {
			t.Errorf("counter %d is %d, want %d to %d", i, got, least[i], most[i])
		}
	}
	t.Logf("%d works were acknowledged, of %d it is not known", acknowledged.Load(), unsure.Load())
}
