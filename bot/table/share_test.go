package table_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"marque/bot/shards/shardstest"
	"marque/bot/table"
	"marque/bot/table/changes"
	"marque/bot/timesource"
	"marque/storage"
)

// Of two processes that share a store, only the owner of a server does automatic work there. The other process still
// carries out people's commands. Both processes see the change, and it is published once.
func TestTwoProcessesShareTheirWork(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, ok, a := t.Context(), must(t), newShip(t)
		b := &ship{t: t, teller: &teller{}, kept: a.kept, store: a.store}
		b.Service = table.New(table.Config{Store: a.store, Games: find, Log: slog.New(slog.DiscardHandler)})
		var owner atomic.Pointer[ship]
		var sole atomic.Bool
		owner.Store(a)
		for _, s := range []*ship{a, b} {
			mine := func(string) bool { return owner.Load() == s }
			fence := func(string) (storage.Fence, bool) { return storage.Fence{}, mine("") }
			s.Sharing.Begin(table.Share{Fence: fence, Exclusive: func(string) bool {
				return mine("") && sole.Load()
			}, Alone: func() bool { return false }})
			s.Start(s.teller)
		}
		a.keys, b.keys = 0, 1000
		snap := started(a, "ann", "bob")
		play := func(by *ship) {
			t.Helper()
			snap = ok(by.Move(ctx, by.as(snap.Mover()), snap.ID, "take 1", snap.Version))
		}
		play(a)
		play(b) // b does not have the table in memory
		play(a)
		synctest.Wait()
		if got := len(b.told(snap.ID)); got != 0 {
			t.Errorf("the process whose the server is not told of %d events", got)
		}
		play(b)
		time.Sleep(30 * time.Second) // polling finds the table
		synctest.Wait()
		toldBy := func(s *ship, since int) {
			t.Helper()
			if got := s.told(snap.ID); len(got) == since || got[len(got)-1].Version != snap.Version {
				t.Errorf("%d events are told, the last %+v; want those up to version %d", len(got),
					got[max(0, len(got)-1):], snap.Version)
			}
		}
		toldBy(a, 0)

		play(a)
		synctest.Wait()
		before := len(a.told(snap.ID))
		owner.Store(nil) // nobody owns the server during a handover
		play(a)
		play(b)
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := len(a.told(snap.ID)) + len(b.told(snap.ID)); got != before {
			t.Errorf("while the server was nobody's %d events were told", got-before)
		}
		b.Sharing.Gaining()
		owner.Store(b)
		sole.Store(true)
		b.Sharing.Gained(ctx)
		synctest.Wait()
		toldBy(b, 0)

		time.Sleep(2 * day) // a reminder falls due
		synctest.Wait()
		if got := a.told(snap.ID); len(got) != before {
			t.Errorf("the process that the server was taken from told %d events more", len(got)-before)
		}
		seen := map[uint64]int{}
		for _, e := range append(a.told(snap.ID), b.told(snap.ID)...) {
			seen[e.Version]++
		}
		final := ok(b.Lookup.Snapshot(ctx, snap.ID))
		if final.Version == snap.Version {
			t.Error("nobody was reminded in two days")
		}
		stored, err := a.store.Load(ctx, snap.ID)
		if err != nil {
			t.Fatal(err)
		}
		want := map[uint64]int{}
		for _, e := range stored.Events {
			want[e.Version]++
		}
		for v, n := range want {
			if seen[v] != n {
				t.Errorf("of version %d %d of %d events were told", v, seen[v], n)
			}
		}
		closing, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := b.Close(closing); err != nil {
			t.Error(err)
		}
		a.sink()
	})
}

// related returns two processes that share a store and relay their changes to each other. a owns the server. part stops
// the relaying.
func related(t *testing.T) (a, b *ship, wire *shardstest.Leases, part func()) {
	t.Helper()
	a = newShip(t)
	b = &ship{t: t, teller: &teller{}, kept: a.kept, store: a.store}
	b.Service = table.New(table.Config{Store: a.store, Games: find, Log: slog.New(slog.DiscardHandler)})
	a.keys, b.keys = 0, 1000
	wire = shardstest.New(timesource.System{})
	relaying, stop := context.WithCancel(t.Context())
	var relays sync.WaitGroup
	for _, s := range []*ship{a, b} {
		owner := s == a
		s.Sharing.Begin(table.Share{
			Fence:     func(string) (storage.Fence, bool) { return storage.Fence{}, owner },
			Exclusive: func(string) bool { return owner }, Alone: func() bool { return false },
		})
		s.Start(s.teller)
		relays.Go(func() { s.Sharing.Relay(relaying, wire) })
	}
	return a, b, wire, func() { stop(); relays.Wait() }
}

// The owner shows and publishes a change that another process made at a table. Subscribers of both processes receive
// the change. Polling finds changes whose messages were lost.
func TestProcessesHearOfEachOthersChanges(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, ok := t.Context(), must(t)
		a, b, wire, part := related(t)
		snap := started(a, "ann", "bob")
		synctest.Wait()
		atA := a.Subscribe(changes.Interest{Tables: []table.ID{snap.ID}})
		atB := b.Subscribe(changes.Interest{User: "bob"})
		expect := func(what string) {
			t.Helper()
			synctest.Wait()
			want := []changes.Change{{Table: snap.ID, Version: snap.Version, Position: true}}
			for i, sub := range []*changes.Subscription{atA, atB} {
				if got, all := sub.Take(); !slices.Equal(got, want) || all {
					t.Errorf("%s: process %d hears %+v (all %t), want %+v", what, i, got, all, want)
				}
			}
			if now := ok(a.Lookup.Snapshot(ctx, snap.ID)); now.Version != snap.Version {
				t.Errorf("%s: the owner shows version %d, want %d", what, now.Version, snap.Version)
			}
			if told := a.told(snap.ID); told[len(told)-1].Version != snap.Version {
				t.Errorf("%s: the owner has told up to version %d, want %d", what, told[len(told)-1].Version,
					snap.Version)
			}
		}
		snap = ok(a.Move(ctx, a.as(snap.Mover()), snap.ID, "take 1", 0))
		expect("a move at the owner")
		snap = ok(b.Move(ctx, b.as(snap.Mover()), snap.ID, "take 1", 0))
		snap = ok(b.Move(ctx, b.as(snap.Mover()), snap.ID, "take 1", 0))
		expect("two moves at the other process")

		wire.Break(errors.New("no store"))
		snap = ok(b.Move(ctx, b.as(snap.Mover()), snap.ID, "take 1", 0))
		time.Sleep(time.Minute)
		synctest.Wait()
		wire.Break(nil)
		if told := a.told(snap.ID); told[len(told)-1].Version != snap.Version {
			t.Errorf("what was lost on the way is not told after a minute: version %d, want %d",
				told[len(told)-1].Version, snap.Version)
		}
		if _, all := atA.Take(); !all {
			t.Error("nobody is told to look for what was lost on the way")
		}
		part()
		if err := b.Close(ctx); err != nil {
			t.Error(err)
		}
		a.sink()
	})
}

// leasedStore refuses writes under a lease whose term is over, like a store with leases.
type leasedStore struct {
	table.Store
	term    atomic.Uint64
	refused atomic.Int64
}

func (s *leasedStore) held(fence storage.Fence) error {
	if fence.Process != "" && fence.Term != s.term.Load() {
		s.refused.Add(1)
		return storage.ErrNotOwner
	}
	return nil
}

func (s *leasedStore) Commit(ctx context.Context, c storage.Change) error {
	if err := s.held(c.Fence); err != nil {
		return err
	}
	return s.Store.Commit(ctx, c)
}

func (s *leasedStore) MarkPublished(ctx context.Context, id storage.ID, p storage.Publication,
	fence storage.Fence) error {
	if err := s.held(fence); err != nil {
		return err
	}
	return s.Store.MarkPublished(ctx, id, p, fence)
}

// A former owner that has not noticed the end of its lease changes nothing without a command: the store refuses the
// lease's term, and no error is logged. It still carries out people's commands. The new owner does the remaining work.
func TestALateOwnerIsRefusedQuietly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, ok, s := t.Context(), must(t), newShip(t)
		store := &leasedStore{Store: s.store}
		var log bytes.Buffer
		s.Service = table.New(table.Config{Store: store, Games: find,
			Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelInfo}))})
		var term atomic.Uint64
		term.Store(1)
		store.term.Store(1)
		s.Sharing.Begin(table.Share{
			Fence: func(string) (storage.Fence, bool) {
				return storage.Fence{Process: "a", Term: term.Load()},
					true
			},
			Exclusive: func(string) bool { return true }, Alone: func() bool { return false },
		})
		s.Start(s.teller)
		snap := started(s, "ann", "bob")
		synctest.Wait()
		store.term.Store(2) // another process has claimed the lease
		snap = ok(s.Move(ctx, s.as(snap.Mover()), snap.ID, "take 1", snap.Version))
		synctest.Wait()
		stored := func() storage.Table {
			t.Helper()
			found, err := s.store.Load(ctx, snap.ID)
			if err != nil {
				t.Fatal(err)
			}
			return found
		}
		if got := stored(); got.Head.Version != snap.Version || got.Published == snap.Version {
			t.Errorf("version %d is stored, published is %d; want the move, and no mark of who is late",
				got.Head.Version, got.Published)
		}
		time.Sleep(2 * day) // a reminder falls due
		synctest.Wait()
		if got := stored(); got.Head.Version != snap.Version || store.refused.Load() < 2 {
			t.Errorf("version %d is stored after %d refusals; want %d, and some", got.Head.Version,
				store.refused.Load(), snap.Version)
		}
		if log.Len() > 0 {
			t.Errorf("it is logged that the owner is late:\n%s", &log)
		}
		term.Store(2)
		s.Sharing.Gained(ctx)
		synctest.Wait()
		if got := stored(); got.Head.Version == snap.Version || got.Published != got.Head.Version {
			t.Errorf("under the lease version %d is stored, published is %d; want the reminder, told", got.Head.Version,
				got.Published)
		}
		s.sink()
	})
}

// headless is a store that fails to read the heads of tables.
type headless struct{ table.Store }

func (headless) Head(context.Context, storage.ID) (storage.Head, error) {
	return storage.Head{}, errDisk
}

// A table whose owner cannot be read from the store is reported in the log and in the numbers. It is not treated as
// another process's table.
func TestATableWhoseHeadCannotBeReadFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShip(t)
		var log bytes.Buffer
		s.Service = table.New(table.Config{Store: headless{s.store}, Games: find,
			Log: slog.New(slog.NewTextHandler(&log, nil))})
		s.Sharing.Begin(table.Share{
			Fence:     func(string) (storage.Fence, bool) { return storage.Fence{}, true },
			Exclusive: func(string) bool { return true }, Alone: func() bool { return false },
		})
		s.Start(s.teller)
		s.silence("ann", "bob")
		timed(s, perMove(2*time.Hour, storage.LateForfeit), "ann", "bob")
		time.Sleep(3 * time.Hour)
		synctest.Wait()
		n, err := s.Numbers(t.Context())
		if err != nil || n.Failing != 1 || !strings.Contains(log.String(), errDisk.Error()) {
			t.Errorf("%d tables fail, want 1: %v\n%s", n.Failing, err, &log)
		}
		s.sink()
	})
}

// A process that shares its store polls it. Polling neither publishes the events of a table whose automatic retries
// have ended, nor logs again that a table is frozen. After Poke, both are tried again.
func TestPollingLeavesRefusedAndFrozenTablesAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShip(t)
		var log bytes.Buffer
		s.Service = table.New(table.Config{Store: s.store, Games: find, Log: slog.New(slog.NewTextHandler(&log, nil))})
		s.Sharing.Begin(table.Share{
			Fence:     func(string) (storage.Fence, bool) { return storage.Fence{}, true },
			Exclusive: func(string) bool { return false }, Alone: func() bool { return false },
		})
		head := storage.Head{Version: 1, Game: "heap", Guild: "g", Channel: "c", Host: "ann", Events: 1,
			Seats: []storage.Occupant{{User: "ann"}}}
		create := func(h storage.Head, d storage.Detail) table.ID {
			id, err := s.store.Create(t.Context(), storage.Change{Head: h, Detail: &d,
				Events: []storage.Event{{Kind: storage.Opened, Version: 1, User: "ann"}}})
			if err != nil {
				t.Fatal(err)
			}
			return id
		}
		ended, frozen := head, head
		ended.Retry.Tries = 128
		frozen.Digest = "of another position"
		refusing := create(ended, storage.Detail{})
		broken := create(frozen, storage.Detail{Rules: 99})
		var tried atomic.Int32
		s.failWith(func(table.News) error {
			tried.Add(1)
			return &table.PermanentError{Err: errors.New("missing permissions")}
		})
		s.Start(s.teller)
		want := func(when string, tries, reports int) {
			t.Helper()
			time.Sleep(time.Hour) // some 240 rounds of polling
			synctest.Wait()
			if got := int(tried.Load()); got != tries {
				t.Errorf("%s the refused events were tried %d times, want %d", when, got, tries)
			}
			if got := strings.Count(log.String(), "a table is frozen"); got != reports {
				t.Errorf("%s the frozen table was logged %d times, want %d:\n%.2000s", when, got, reports, &log)
			}
		}
		want("since the start", 1, 1)
		s.Poke(refusing)
		s.Poke(broken)
		want("after Poke", 2, 2)
		s.sink()
	})
}

// forgettingStore is a store in which another process is deleting a user's data while going is true.
type forgettingStore struct {
	table.Store
	going atomic.Bool
	done  chan struct{} // closed when the deletion is finished
}

func (s *forgettingStore) Works(context.Context) (list []storage.Work, err error) {
	if s.going.Load() {
		list = append(list, storage.Work{Kind: storage.Forgetting, Of: "ann"})
	}
	return list, nil
}

func (s *forgettingStore) Finished(ctx context.Context, _ storage.Work) error {
	select {
	case <-s.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// A user whose data is deleted in one process soon disappears from the memory of both. To the other process, the first
// one seems to run on, to have stopped during the deletion, or to have finished it and ended.
func TestWhoIsForgottenIsInNoMemory(t *testing.T) {
	t.Parallel()
	for what, tc := range map[string]struct{ stops, leaves bool }{
		"the other process lives":            {},
		"the other process stops":            {stops: true},
		"the other process is done and ends": {leaves: true},
	} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, ok, a := t.Context(), must(t), newShip(t)
				b := &ship{t: t, teller: &teller{}, kept: a.kept, store: a.store}
				store := &forgettingStore{Store: a.store, done: make(chan struct{})}
				var alone atomic.Bool
				var clears [2]atomic.Int64
				for i, s := range []*ship{a, b} {
					c := table.Config{Store: a.store, Games: find, Log: slog.New(slog.DiscardHandler)}
					if s == a {
						c.Store = store
					}
					s.Service = table.New(c)
					s.Attach(table.Hooks{Cleared: func() { clears[i].Add(1) }})
					s.Sharing.Begin(table.Share{
						Fence:     func(string) (storage.Fence, bool) { return storage.Fence{}, s == a },
						Exclusive: func(string) bool { return true },
						Alone:     func() bool { return s == a && alone.Load() },
					})
					s.Start(s.teller)
				}
				alone.Store(tc.stops)
				snap := started(a, "ann", "bob")
				ok(a.Resign(ctx, a.as("bob"), snap.ID)) // no later change drops the table
				time.Sleep(time.Minute)
				synctest.Wait()
				inBoth := func(want bool) {
					t.Helper()
					for i, s := range []*ship{a, b} {
						now := ok(s.Lookup.Snapshot(ctx, snap.ID))
						if is := now.Seat("ann") >= 0; is != want {
							t.Errorf("in the memory of process %d ann has seat %d", i, now.Seat("ann"))
						}
					}
				}
				inBoth(true)
				store.going.Store(tc.stops)
				before := [2]int64{clears[0].Load(), clears[1].Load()}
				if err := b.privacy().Forget(ctx, "ann"); err != nil {
					t.Fatal(err)
				}
				if ok(a.Lookup.Snapshot(ctx, snap.ID)).Seat("ann") < 0 {
					t.Error("the table is not in memory, so nothing is shown here")
				}
				alone.Store(tc.stops || tc.leaves)
				time.Sleep(30 * time.Second) // the next poll comes
				store.going.Store(false)
				close(store.done)
				synctest.Wait()
				inBoth(false)
				for i := range clears {
					if clears[i].Load() == before[i] {
						t.Errorf("process %d keeps the pictures of before", i)
					}
				}
				if err := b.Close(context.Background()); err != nil {
					t.Error(err)
				}
				a.sink()
			})
		})
	}
}
