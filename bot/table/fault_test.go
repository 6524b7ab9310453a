package table_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"marque/bot/table"
	"marque/games"
	"marque/games/catalog"
	"marque/games/example/heap"
	"marque/games/fair"
	"marque/storage"
)

// The property tests use the same cases in every run. The flag -rapid.seed selects other cases.
var _ = flag.Set("rapid.seed", "26")

var errDisk = errors.New("input/output error")

// flaky is a store whose next calls of an operation fail, before or after they take effect.
type flaky struct {
	*storage.Store
	mu     sync.Mutex
	before map[string]int // number of the next calls of each operation that fail without effect
	after  map[string]int // number of the next calls of each operation that take effect and still fail
}

func (f *flaky) fails(m map[string]int, op string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if m[op] == 0 {
		return false
	}
	m[op]--
	return true
}

func (f *flaky) guard(op string, do func() error) error {
	if f.fails(f.before, op) {
		return errDisk
	}
	if err := do(); err != nil {
		return err
	}
	if f.fails(f.after, op) {
		return errDisk
	}
	return nil
}

func (f *flaky) Create(ctx context.Context, c storage.Change) (id storage.ID, err error) {
	err = f.guard("create", func() error { id, err = f.Store.Create(ctx, c); return err })
	return id, err
}

func (f *flaky) Commit(ctx context.Context, c storage.Change) error {
	return f.guard("commit", func() error { return f.Store.Commit(ctx, c) })
}

func (f *flaky) Load(ctx context.Context, id storage.ID) (t storage.Table, err error) {
	err = f.guard("load", func() error { t, err = f.Store.Load(ctx, id); return err })
	return t, err
}

func (f *flaky) News(ctx context.Context, id storage.ID) (t storage.Table, err error) {
	err = f.guard("news", func() error { t, err = f.Store.News(ctx, id); return err })
	return t, err
}

func (f *flaky) MarkPublished(ctx context.Context, id storage.ID, p storage.Publication,
	fence storage.Fence) error {
	return f.guard("mark", func() error { return f.Store.MarkPublished(ctx, id, p, fence) })
}

func newFlaky(s *ship) *flaky {
	f := &flaky{Store: s.store, before: map[string]int{}, after: map[string]int{}}
	s.Service = table.New(table.Config{Store: f, Games: find, Log: slog.New(slog.DiscardHandler)})
	return f
}

// outage is a store that cannot write commits, publications and uptime while it is down or its disk is full. While it
// is down, it cannot read the due index either.
type outage struct {
	*storage.Store
	down, full atomic.Bool
}

func (o *outage) err() error {
	if o.down.Load() {
		return errDisk
	}
	return nil
}

func (o *outage) Commit(ctx context.Context, c storage.Change) error {
	if o.err() != nil || o.full.Load() {
		return errDisk
	}
	return o.Store.Commit(ctx, c)
}

func (o *outage) MarkPublished(ctx context.Context, id storage.ID, p storage.Publication, f storage.Fence) error {
	if o.err() != nil || o.full.Load() {
		return errDisk
	}
	return o.Store.MarkPublished(ctx, id, p, f)
}

func (o *outage) ChangeUptime(ctx context.Context, change func(storage.Uptime) storage.Uptime) error {
	if o.err() != nil || o.full.Load() {
		return errDisk
	}
	return o.Store.ChangeUptime(ctx, change)
}

func (o *outage) DueUntil(ctx context.Context, until storage.Stamp, limit int) ([]storage.DueTable, error) {
	if err := o.err(); err != nil {
		return nil, err
	}
	return o.Store.DueUntil(ctx, until, limit)
}

// Soon after the store is reachable again or its disk has space, the earlier moves are published and computers move.
// The outages last from five seconds to an hour.
func TestAnOutageOfTheStoreIsSoonOver(t *testing.T) {
	t.Parallel()
	for _, lasts := range []time.Duration{5 * time.Second, 30 * time.Second, 10 * time.Minute, time.Hour} {
		for _, full := range []bool{false, true} {
			outageIsSoonOver(t, lasts, full)
		}
	}
}

func outageIsSoonOver(t *testing.T, lasts time.Duration, full bool) {
	synctest.Test(t, func(t *testing.T) {
		ctx, ok := t.Context(), must(t)
		s := newShip(t)
		m := &mate{hold: make(chan struct{})}
		store := &outage{Store: s.store}
		away := &store.down
		if full {
			away = &store.full
		}
		s.Service = table.New(table.Config{Store: store, Games: find, Computers: m,
			Log: slog.New(slog.DiscardHandler)})
		defer s.sink()
		s.failWith(func(table.News) error { return store.err() }) // publishing reads the store
		s.Start(s.teller)
		people := started(s, "ann", "bob").ID
		computer := ok(s.Open(ctx, s.as("cid"), table.Opening{Game: "heap",
			Computers: []table.ComputerPlayer{easy("Bosun")}, Guild: "g", Channel: "c", WhenFull: true,
			Fixed: true})).ID
		synctest.Wait()
		played := ok(s.Move(ctx, s.as("ann"), people, "take 1", 0))
		ok(s.Move(ctx, s.as("cid"), computer, "take 3", 0))
		away.Store(true)
		close(m.hold)
		time.Sleep(lasts)
		away.Store(false)
		time.Sleep(15 * time.Second)
		synctest.Wait()
		if told := s.told(people); len(told) == 0 || told[len(told)-1].Version != played.Version {
			t.Errorf("15 s after an outage of %v (full %v) the channel knows %d events, not all to version %d",
				lasts, full, len(told), played.Version)
		}
		if snap := ok(s.Lookup.Snapshot(ctx, computer)); snap.Mover() != "cid" {
			t.Errorf("15 s after an outage of %v (full %v) the computer has not moved: %+v", lasts, full,
				snap.Head)
		}
	})
}

// A move during which the disk fails is either stored or not, and the table continues from the stored state.
func TestATableGoesOnAfterAStoreError(t *testing.T) {
	t.Parallel()
	ctx, ok, s := t.Context(), must(t), newShip(t)
	f := newFlaky(s)
	defer s.sink()
	snap := started(s, "ann", "bob")
	id := snap.ID
	f.before["commit"] = 1
	if _, err := s.Move(ctx, s.as("ann"), id, "take 1", 0); !errors.Is(err, errDisk) {
		t.Fatalf("a commit that fails: %v", err)
	}
	if now := ok(s.Lookup.Snapshot(ctx, id)); now.Version != snap.Version {
		t.Errorf("version %d after a commit that failed at %d", now.Version, snap.Version)
	}
	f.after["commit"] = 1
	by := s.as("ann")
	if _, err := s.Move(ctx, by, id, "take 1", 0); !errors.Is(err, errDisk) {
		t.Fatalf("a commit that fails after all: %v", err)
	}
	// The player tries again. The move is already stored, so it is not played twice.
	snap = ok(s.Move(ctx, by, id, "take 1", 0))
	if snap.Version != 3 || snap.Mover() != "bob" {
		t.Errorf("version %d, %s to move; want 3 and bob", snap.Version, snap.Mover())
	}
	f.before["commit"] = 1
	_, _ = s.Move(ctx, s.as("bob"), id, "take 1", 0)
	f.before["load"] = 1
	if _, err := s.Lookup.Snapshot(ctx, id); !errors.Is(err, errDisk) {
		t.Errorf("a load that fails: %v", err)
	}
	ok(s.Move(ctx, s.as("bob"), id, "take 1", 0))
}

// A table whose log does not lead to the stored position, or cannot be replayed, is frozen. The error is logged, and
// nothing is changed.
func TestAMismatchFreezesTheTable(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		harm func(*storage.Change)
	}{
		{"another digest", func(c *storage.Change) { c.Head.Digest = strings.Repeat("0", 32) }},
		{"an illegal play", func(c *storage.Change) {
			c.Events = []storage.Event{{Kind: storage.Played, Version: c.Head.Version, Seat: 0, Text: "take 9"}}
			c.Head.Events++
			c.Head.Plays++
		}},
		{"a play out of turn", func(c *storage.Change) {
			c.Events = []storage.Event{{Kind: storage.Played, Version: c.Head.Version, Seat: 1, Text: "take 1"}}
			c.Head.Events++
			c.Head.Plays++
		}},
		{"another seat to move", func(c *storage.Change) { c.Head.ToMove = 1 }},
		{"other rules", func(c *storage.Change) { c.Detail.Rules = 99 }},
		{"a game that is gone", func(c *storage.Change) { c.Head.Game = "whist" }},
		{"over for no reason", func(c *storage.Change) { c.Head.Status = storage.Over }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ctx, s := t.Context(), newShip(t)
			snap := started(s, "ann", "bob")
			stored, err := s.store.Load(ctx, snap.ID)
			if err != nil {
				t.Fatal(err)
			}
			c := storage.Change{Head: stored.Head, Detail: &stored.Detail}
			c.Head.Version++
			tc.harm(&c)
			if err := s.store.Commit(ctx, c); err != nil {
				t.Fatal(err)
			}
			var log strings.Builder
			s.Service = table.New(table.Config{Store: s.store, Games: find,
				Log: slog.New(slog.NewTextHandler(&log, nil))})
			defer s.sink()
			_, err = s.Move(ctx, s.as("ann"), snap.ID, "take 1", 0)
			var frozen *table.FrozenError
			var player games.PlayerError
			if !errors.As(err, &frozen) || !errors.As(err, &player) || frozen.Table != snap.ID {
				t.Errorf("%T %v", err, err)
			}
			if !strings.Contains(log.String(), "level=ERROR") || !strings.Contains(log.String(), "frozen") {
				t.Errorf("the log says %q", log.String())
			}
			for _, e := range c.Events {
				if e.Text != "" && (strings.Contains(log.String(), e.Text) || strings.Contains(err.Error(), e.Text)) {
					t.Errorf("%q, which may be a hidden card, is in %v or in the log:\n%s", e.Text, err, log.String())
				}
			}
			if n, err := s.Numbers(ctx); err != nil || n.Frozen != 1 {
				t.Errorf("%d tables are counted as frozen, %v; want 1", n.Frozen, err)
			}
			after, err := s.store.Load(ctx, snap.ID)
			if diff := cmp.Diff(c.Head, after.Head); err != nil || diff != "" {
				t.Errorf("changed by a refused move: %v\n%s", err, diff)
			}
		})
	}
}

// Moves are played even if the cache is too small to keep a table.
func TestASmallCacheChangesNothing(t *testing.T) {
	t.Parallel()
	ctx, ok := t.Context(), must(t)
	s := ashore(t)
	s.launch(table.Config{CachePositions: 1})
	defer s.sink()
	a, b := started(s, "ann", "bob"), started(s, "cid", "dan")
	for a.Status == table.Playing && b.Status == table.Playing {
		a = ok(s.Move(ctx, s.as(a.Mover()), a.ID, "take 1", a.Version))
		b = ok(s.Move(ctx, s.as(b.Mover()), b.ID, "take 1", b.Version))
	}
	mine, err := s.Lookup.MyTurn(ctx, "ann")
	if want := a.Status == table.Playing && a.Mover() == "ann"; err != nil || (len(mine) == 1) != want {
		t.Errorf("ann's turn at %+v, %v; want %v", mine, err, want)
	}
}

// After random sequences of commands and disk errors, the log of every stored table leads to its position. Refused
// commands have changed nothing, every event is published in order, and the file is consistent.
func TestAnySequenceOfCommandsKeepsTheTableSound(t *testing.T) {
	t.Parallel()
	dir, runs := t.TempDir(), 0
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		ctx := context.Background()
		s := &ship{t: t, teller: &teller{}, path: filepath.Join(dir, fmt.Sprintf("%d.db", runs))}
		s.launch(table.Config{CachePositions: 25})
		f := newFlaky(s)
		s.Start(s.teller)
		users := []string{"ann", "bob", "cid", "dan"}
		var ids []table.ID
		do := func(rt *rapid.T, command func(by table.Actor, id table.ID) (*table.Snapshot, error)) {
			if len(ids) == 0 {
				rt.Skip("no table")
			}
			id := rapid.SampledFrom(ids).Draw(rt, "table")
			by := s.as(rapid.SampledFrom(users).Draw(rt, "user"))
			by.Moderator = rapid.IntRange(0, 9).Draw(rt, "moderator") == 0
			before, err := s.store.Load(ctx, id)
			if err != nil {
				rt.Fatal(err)
			}
			snap, err := command(by, id)
			after, lerr := s.store.Load(ctx, id)
			if lerr != nil {
				rt.Fatal(lerr)
			}
			var player games.PlayerError
			switch {
			case errors.Is(err, errDisk):
			case err == nil && snap.Version != after.Head.Version:
				rt.Fatalf("returned version %d, stored is %d", snap.Version, after.Head.Version)
			case err == nil && after.Head.Version > before.Head.Version+1:
				rt.Fatalf("one command, versions %d to %d", before.Head.Version, after.Head.Version)
			case err != nil && !errors.As(err, &player):
				rt.Fatalf("%T %v", err, err)
			case err != nil && after.Head.Version != before.Head.Version:
				rt.Fatalf("refused (%v), but the version rose", err)
			}
			sound(rt, after)
		}
		kinds := rapid.SampledFrom([]table.ProposalKind{table.Draw, table.Abandon})
		rt.Repeat(map[string]func(*rapid.T){
			"open": func(rt *rapid.T) {
				o := table.Opening{
					Game: "heap", Guild: "g", Channel: "c", Options: []games.Setting{{Key: "size", Value: "5"}},
					Seats: rapid.SampledFrom([]int{0, 2, 3}).Draw(rt, "seats"), Fixed: rapid.Bool().Draw(rt, "fixed"),
					WhenFull: rapid.Bool().Draw(rt, "when full"),
				}
				if rapid.Bool().Draw(rt, "invite") {
					o.Invited = []string{"bob"}
				}
				snap, err := s.Open(ctx, s.as("ann"), o)
				if err != nil && !errors.Is(err, errDisk) {
					rt.Fatal(err)
				}
				if err == nil {
					ids = append(ids, snap.ID)
				}
			},
			"join": func(rt *rapid.T) {
				do(rt, func(by table.Actor, id table.ID) (*table.Snapshot, error) { return s.Join(ctx, by, id) })
			},
			"leave": func(rt *rapid.T) {
				do(rt, func(by table.Actor, id table.ID) (*table.Snapshot, error) { return s.Leave(ctx, by, id) })
			},
			"begin": func(rt *rapid.T) {
				do(rt, func(by table.Actor, id table.ID) (*table.Snapshot, error) { return s.Begin(ctx, by, id) })
			},
			"move": func(rt *rapid.T) {
				notation := rapid.SampledFrom([]string{"take 1", "take 2", "take 3", "TAKE  1 ", "sink"}).Draw(rt,
					"move")
				do(rt, func(by table.Actor, id table.ID) (*table.Snapshot, error) {
					return s.Move(ctx, by, id, notation, 0)
				})
			},
			"move in turn": func(rt *rapid.T) {
				do(rt, func(by table.Actor, id table.ID) (*table.Snapshot, error) {
					snap, err := s.Lookup.Snapshot(ctx, id)
					if err != nil || snap.Mover() == "" {
						return snap, err
					}
					by.User = snap.Mover()
					return s.Move(ctx, by, id, "take 1", snap.Version)
				})
			},
			"resign": func(rt *rapid.T) {
				do(rt, func(by table.Actor, id table.ID) (*table.Snapshot, error) { return s.Resign(ctx, by, id) })
			},
			"propose": func(rt *rapid.T) {
				k := kinds.Draw(rt, "kind")
				do(rt, func(by table.Actor, id table.ID) (*table.Snapshot, error) { return s.Propose(ctx, by, id, k) })
			},
			"accept": func(rt *rapid.T) {
				k := kinds.Draw(rt, "kind")
				do(rt, func(by table.Actor, id table.ID) (*table.Snapshot, error) {
					return s.Accept(ctx, by, id, k, 0)
				})
			},
			"decline": func(rt *rapid.T) {
				k := kinds.Draw(rt, "kind")
				do(rt, func(by table.Actor, id table.ID) (*table.Snapshot, error) {
					return s.Decline(ctx, by, id, k, 0)
				})
			},
			"withdraw": func(rt *rapid.T) {
				k := kinds.Draw(rt, "kind")
				do(rt, func(by table.Actor, id table.ID) (*table.Snapshot, error) {
					return s.Withdraw(ctx, by, id, k, 0)
				})
			},
			"abandon": func(rt *rapid.T) {
				do(rt, func(by table.Actor, id table.ID) (*table.Snapshot, error) { return s.Abandon(ctx, by, id) })
			},
			"offer": func(rt *rapid.T) {
				do(rt, func(by table.Actor, id table.ID) (*table.Snapshot, error) { return s.Offer(ctx, by, id) })
			},
			"keep": func(rt *rapid.T) {
				do(rt, func(by table.Actor, id table.ID) (*table.Snapshot, error) { return s.Keep(ctx, by, id) })
			},
			"take": func(rt *rapid.T) {
				do(rt, func(by table.Actor, id table.ID) (*table.Snapshot, error) {
					return s.Take(ctx, by, id, games.Nobody)
				})
			},
			"rehouse": func(rt *rapid.T) {
				c := rapid.SampledFrom([]string{"c", "c2"}).Draw(rt, "channel")
				do(rt, func(by table.Actor, id table.ID) (*table.Snapshot, error) { return s.Rehouse(ctx, by, id, c) })
			},
			"a disk error": func(rt *rapid.T) {
				op := rapid.SampledFrom([]string{"create", "commit", "load", "news", "mark"}).Draw(rt, "operation")
				f.mu.Lock()
				defer f.mu.Unlock()
				if rapid.Bool().Draw(rt, "after") {
					f.after[op] = 1
				} else {
					f.before[op] = 1
				}
			},
		})
		f.mu.Lock()
		clear(f.before)
		clear(f.after)
		f.mu.Unlock()
		// The restart makes the bot publish waiting events immediately.
		if err := s.Close(ctx); err != nil {
			rt.Fatal(err)
		}
		s.Service = table.New(table.Config{Store: s.store, Games: find, Log: slog.New(slog.DiscardHandler)})
		all := &teller{}
		s.Start(all)
		for _, id := range ids {
			s.Poke(id)
		}
		if err := s.Close(ctx); err != nil {
			rt.Fatal(err)
		}
		for _, id := range ids {
			stored, err := s.store.Load(ctx, id)
			if err != nil {
				rt.Fatal(err)
			}
			if stored.Published != stored.Head.Version {
				rt.Fatalf("table %d is at version %d, told up to %d", id, stored.Head.Version, stored.Published)
			}
			told := append(s.teller.told(id), all.told(id)...)
			next := 0
			for _, e := range told {
				want := stored.Events[min(next, len(stored.Events)-1)]
				if want.Kind.Play() {
					want.Text = ""
				}
				// Events that were published again after an error are skipped.
				if next < len(stored.Events) && e == want {
					next++
				}
			}
			if next != len(stored.Events) {
				rt.Fatalf("table %d: %d of %d events were told in order", id, next, len(stored.Events))
			}
		}
		if err := s.store.Check(ctx); err != nil {
			rt.Fatal(err)
		}
		if err := s.store.Close(); err != nil {
			rt.Fatal(err)
		}
	})
}

// sound checks the invariants of a stored table.
func sound(rt *rapid.T, t storage.Table) {
	h := t.Head
	fail := func(what string) { rt.Fatalf("%s: %+v\n%+v", what, h, t.Detail) }
	seen := map[string]bool{}
	for _, o := range h.Seats {
		if seen[o.User] {
			fail("a user holds two seats")
		}
		seen[o.User] = true
	}
	for _, u := range t.Detail.Invited {
		if seen[u] {
			fail("a player is invited")
		}
	}
	inputs, err := fair.ParseInputs(t.Detail.Inputs)
	switch {
	case h.Status != storage.Over && len(h.Seats) == 0:
		fail("a table without players goes on")
	case len(h.Seats) > h.Most || len(h.Seats)+len(t.Detail.Invited) > h.Most:
		fail("too many players")
	case err != nil || len(fair.Seated(inputs)) != len(h.Seats):
		fail(fmt.Sprintf("what is mixed into the draws and seats differ (%v)", err))
	case h.Status == storage.Playing && (h.ToMove < 0 || int(h.ToMove) >= len(h.Seats)):
		fail("the table waits for nobody")
	case h.Status != storage.Playing && h.ToMove != games.Nobody:
		fail("a table that is not playing waits for somebody")
	case h.Status != storage.Playing && h.Proposal.Kind != "":
		fail("something is proposed at a table that is not playing")
	case h.Stays&^h.Open != 0:
		fail("a seat stays open that is not")
	case h.Status == storage.Lobby && !slices.ContainsFunc(h.Seats, func(o storage.Occupant) bool {
		return o.User == h.Host
	}):
		fail("the host has no seat")
	}
	if h.Digest == "" {
		return
	}
	m, err := games.Replay(heap.Game, games.Header{Setup: t.Detail.Setup}, storage.Log(t.Events))
	if err != nil || m.Digest() != h.Digest {
		fail(fmt.Sprintf("the log leads elsewhere (%v)", err))
	}
	if _, forced := games.Forced(m.State()); forced && h.Status == storage.Playing {
		fail("a forced move was not played")
	}
}

// Every game of the catalogue can be opened, started, played, resigned and recorded at a table.
func TestEveryGameIsPlayedAtATable(t *testing.T) {
	t.Parallel()
	ctx, ok := t.Context(), must(t)
	s := newShip(t)
	s.Service = table.New(table.Config{Store: s.store, Games: catalog.Find, Log: slog.New(slog.DiscardHandler),
		CachePositions: 1})
	defer s.sink()
	for _, g := range catalog.Games {
		least, most := g.Seats()
		for n := least; n <= most; n++ {
			snap := ok(s.Open(ctx, s.as("u0"), table.Opening{Game: g.Key(), Seats: n, WhenFull: true}))
			for i := 1; i < n; i++ {
				snap = ok(s.Join(ctx, s.as(fmt.Sprint("u", i)), snap.ID))
			}
			for i := 0; snap.Status == table.Playing && i < 20; i++ {
				menu, _ := snap.Menu(snap.ToMove)
				moves := menu.Candidates()
				snap = ok(s.Move(ctx, s.as(snap.Mover()), snap.ID, moves[i*7%len(moves)].Notation, snap.Version))
			}
			// To cut the game short, players resign until one is left.
			for snap.Status == table.Playing {
				snap = ok(s.Resign(ctx, s.as(snap.Mover()), snap.ID))
			}
			if len(snap.Outcome().Winners) == 0 {
				t.Errorf("%s with %d: nobody won: %+v", g.Key(), n, snap.Outcome())
			}
			record, _ := snap.Record()
			if _, err := record.Replay(g); err != nil {
				t.Errorf("%s with %d: the record: %v", g.Key(), n, err)
			}
		}
	}
}
