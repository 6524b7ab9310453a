package table_test

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"marque/bot/table"
)

// Of two processes on one store only the one whose the server is does what nobody asked for; what people ask the other for is
// done all the same, seen by both, and told once, wherever it was done.
func TestTwoProcessesShareTheirWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, ok, a := t.Context(), must(t), newShip(t)
		b := &ship{t: t, teller: &teller{}, path: a.path, store: a.store}
		b.Service = table.New(table.Config{Store: a.store, Games: find, Log: slog.New(slog.DiscardHandler)})
		var owner atomic.Pointer[ship]
		var sole atomic.Bool
		owner.Store(a)
		for _, s := range []*ship{a, b} {
			mine := func(string) bool { return owner.Load() == s }
			s.Sharing.Begin(table.Share{Mine: mine, Sole: func(string) bool { return mine("") && sole.Load() }, Alone: func() bool { return false }})
			s.Start(s.teller)
		}
		a.keys, b.keys = 0, 1000
		snap := started(a, "ann", "bob")
		play := func(by *ship) {
			t.Helper()
			snap = ok(by.Move(ctx, by.as(snap.Mover()), snap.ID, "take 1", snap.Version))
		}
		play(a)
		play(b) // who has nothing in memory
		play(a)
		synctest.Wait()
		if got := len(b.told(snap.ID)); got != 0 {
			t.Errorf("the process whose the server is not told of %d events", got)
		}
		play(b)
		time.Sleep(30 * time.Second) // it is found by looking
		synctest.Wait()
		toldBy := func(s *ship, since int) {
			t.Helper()
			if got := s.told(snap.ID); len(got) == since || got[len(got)-1].Version != snap.Version {
				t.Errorf("%d events are told, the last %+v; want those up to version %d", len(got), got[max(0, len(got)-1):], snap.Version)
			}
		}
		toldBy(a, 0)

		play(a)
		synctest.Wait()
		before := len(a.told(snap.ID))
		owner.Store(nil) // while the server is handed over
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
