package table_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"marque/bot/table"
	"marque/games"
	"marque/games/example/heap"
	"marque/games/fair"
	"marque/games/text"
	"marque/games/verify"
	"marque/storage"
)

// played brings a game of "take 1" to its end.
func (s *ship) played(snap *table.Snapshot) *table.Snapshot {
	s.t.Helper()
	for snap.Status == table.Playing {
		snap = must(s.t)(s.Move(s.t.Context(), s.as(snap.Mover()), snap.ID, "take 1", 0))
	}
	return snap
}

// verified checks a table's record as anybody can.
func verified(t *testing.T, snap *table.Snapshot) games.Record {
	t.Helper()
	record, _ := snap.Record()
	read, err := games.DecodeRecord(strings.NewReader(record.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	report, err := verify.Record(read, find)
	if err != nil || report.Fairness != verify.Proved || report.Version != snap.Fairness() {
		t.Fatalf("the record: %+v, %v\n%s", report, err, record.Encode())
	}
	return read
}

// Whoever comes, goes, is removed or starts the game leaves an input behind, with the id of the
// interaction, in order.
func TestEverythingBeforeTheStartIsAnInput(t *testing.T) {
	t.Parallel()
	ctx, ok := t.Context(), must(t)
	s := crewed(t, &mate{})
	defer s.sink()
	var want []string
	did := func(text string, a table.Actor) table.Actor {
		want = append(want, strings.Replace(text, "KEY", a.Key, 1))
		return a
	}
	opener := did("open KEY", s.as("ann"))
	want = append(want, "computer "+opener.Key)
	snap := ok(s.Open(ctx, opener, table.Opening{Game: "heap", Seats: 4, Computers: []table.ComputerPlayer{easy("Bosun")}, Guild: "g", Channel: "c"}))
	id := snap.ID
	ok(s.Join(ctx, did("join KEY", s.as("bob")), id))
	ok(s.DismissComputer(ctx, did("remove KEY 2", s.as("ann")), id))
	ok(s.Leave(ctx, did("leave KEY 3", s.as("bob")), id))
	ok(s.Join(ctx, did("join KEY", s.as("bob")), id))
	again := did("join KEY", s.as("cid"))
	ok(s.Join(ctx, again, id))
	ok(s.Join(ctx, again, id)) // the same command once more
	ok(s.Remove(ctx, did("remove KEY 6", moderator(s)), id, "bob"))
	ok(s.Join(ctx, did("join KEY", s.as("dan")), id))
	if err := s.Privacy.Forget(ctx, "dan"); err != nil {
		t.Fatal(err)
	}
	want = append(want, "leave - 9")
	ok(s.AddComputer(ctx, did("computer KEY", s.as("ann")), id, easy("Mate")))
	if diff := cmp.Diff(want, ok(s.Lookup.Snapshot(ctx, id)).Inputs()); diff != "" {
		t.Fatalf("before the start:\n%s", diff)
	}
	ok(s.Join(ctx, did("join KEY", s.as("eve")), id))
	ok(s.Begin(ctx, did("start KEY", s.as("ann")), id))
	snap = ok(s.Lookup.Snapshot(ctx, id))
	if diff := cmp.Diff(want, snap.Inputs()); diff != "" || snap.Fairness() != fair.Second {
		t.Errorf("version %d, after the start:\n%s", snap.Fairness(), diff)
	}
}

// Who comes and goes and comes again changes the draws, and it shows.
func TestComingAgainIsNoSecondTry(t *testing.T) {
	t.Parallel()
	ctx, ok := t.Context(), must(t)
	lots := map[string]bool{}
	for tries := range 6 {
		s := newShip(t)
		snap := ok(s.Open(ctx, s.as("ann"), table.Opening{Game: "heap", Seats: 4, WhenFull: true, Guild: "g", Channel: "c"}))
		for range tries {
			ok(s.Join(ctx, s.as("bob"), snap.ID))
			ok(s.Leave(ctx, s.as("bob"), snap.ID))
		}
		for _, u := range []string{"bob", "cid", "dan"} {
			snap = ok(s.Join(ctx, s.as(u), snap.ID))
		}
		if n := len(snap.Inputs()); n != 5+2*tries {
			t.Errorf("after %d tries there are %d inputs: %v", tries, n, snap.Inputs())
		}
		last := snap.Inputs()[len(snap.Inputs())-2:]
		if strings.TrimPrefix(last[0], "join ") != strings.TrimPrefix(last[1], "start ") {
			t.Errorf("the last to come starts the table, but its inputs end with %q", last)
		}
		read := verified(t, s.played(snap))
		lots[fmt.Sprint(read.Header.Lot)] = true
		// Without the tries the record does not verify: none can be hidden.
		if tries > 0 {
			read.Header.Inputs = slices.Concat(read.Header.Inputs[:1], read.Header.Inputs[1+2*tries:])
			if _, err := verify.Record(read, find); err == nil {
				t.Errorf("%d tries are left out, and nobody notices", tries)
			}
		}
		s.sink()
	}
	if len(lots) < 2 {
		t.Errorf("six tables, one lot: %v", lots)
	}
}

// A table that is opened full starts by the interaction that opened it; substitutes change nothing
// any more.
func TestInputsOfATableOpenedFull(t *testing.T) {
	t.Parallel()
	ctx, ok := t.Context(), must(t)
	s := crewed(t, &mate{})
	defer s.sink()
	by := s.as("ann")
	snap := ok(s.Open(ctx, by, table.Opening{Game: "laps", Computers: []table.ComputerPlayer{easy("Bosun")}, WhenFull: true, Guild: "g", Channel: "c"}))
	want := []string{"open " + by.Key, "computer " + by.Key, "start " + by.Key}
	if diff := cmp.Diff(want, snap.Inputs()); diff != "" || snap.Status != table.Playing || !snap.OpenedBy(by.Key) || snap.OpenedBy("key-0") {
		t.Fatalf("%+v:\n%s", snap.Head, diff)
	}
	ok(s.Offer(ctx, s.as("ann"), snap.ID))
	snap = ok(s.Take(ctx, s.as("bob"), snap.ID, games.Nobody))
	if diff := cmp.Diff(want, snap.Inputs()); diff != "" {
		t.Errorf("after a substitute:\n%s", diff)
	}
}

// So many inputs as are shown, and no more: coming and going has an end.
func TestComingAndGoingHasAnEnd(t *testing.T) {
	t.Parallel()
	ctx, ok, s := t.Context(), must(t), newShip(t)
	defer s.sink()
	snap := ok(s.Open(ctx, s.as("ann"), table.Opening{Game: "heap", Seats: 3, Guild: "g", Channel: "c"}))
	id := snap.ID
	var err error
	n := 0
	for ; err == nil && n < 100; n++ {
		if _, err = s.Join(ctx, s.as("bob"), id); err == nil {
			ok(s.Leave(ctx, s.as("bob"), id))
		}
	}
	var refusal *table.Refusal
	if !errors.As(err, &refusal) || !errors.Is(err, table.ErrRestless) || n != 21 {
		t.Errorf("coming for the %dth time: %v, want %v at the 21st", n, err, table.ErrRestless)
	}
}

// stored puts a table into the store as the version of the program before wrote it.
func (s *ship) stored(d storage.Detail, events []storage.Event, seats ...storage.Occupant) table.ID {
	s.t.Helper()
	for i := range events {
		events[i].Version, events[i].At = 1, 1000
	}
	id, err := s.store.Create(s.t.Context(), storage.Change{
		Head: storage.Head{Game: "heap", Version: 1, Guild: "g", Channel: "c", Host: seats[0].User, Seats: seats, Least: 3, Most: 3, ToMove: games.Nobody,
			Events: uint64(len(events)), Opened: 1000, Changed: 1000},
		Detail: &d, Events: events,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return id
}

// A table that was opened under the first version of fairness goes on under it: the ids alone of
// those who are seated are mixed in.
func TestATableOfTheFirstFairnessGoesOn(t *testing.T) {
	t.Parallel()
	ctx, ok, s := t.Context(), must(t), newShip(t)
	defer s.sink()
	setup, err := games.NewSetup(heap.Game, 3)
	if err != nil {
		t.Fatal(err)
	}
	seed := fair.Seed{7, 8, 9}
	id := s.stored(storage.Detail{Setup: setup, Rules: 1, Seed: seed, Inputs: []string{"11", "12"}, WhenFull: true},
		[]storage.Event{{Kind: storage.Opened, Seat: games.Nobody, User: "ann", Text: "Ann"}, {Kind: storage.Joined, Seat: games.Nobody, User: "bob", Text: "Bob"}},
		storage.Occupant{User: "ann", Name: text.NewName("Ann")}, storage.Occupant{User: "bob", Name: text.NewName("Bob")})
	ok(s.Leave(ctx, s.as("bob"), id))
	cid, dan := s.as("cid"), s.as("dan")
	ok(s.Join(ctx, cid, id))
	snap := ok(s.Join(ctx, dan, id))
	if diff := cmp.Diff([]string{"11", cid.Key, dan.Key}, snap.Inputs()); diff != "" || snap.Fairness() != fair.First || snap.Status != table.Playing {
		t.Fatalf("version %d, %+v:\n%s", snap.Fairness(), snap.Head, diff)
	}
	// It goes on after a restart.
	s.sink()
	s.launch(table.Config{})
	read := verified(t, s.played(ok(s.Lookup.Snapshot(ctx, id))))
	if text := read.Encode(); strings.Contains(text, "fairness:") || !strings.Contains(text, "join: 11\n") {
		t.Errorf("the record is not one of the first version:\n%s", text)
	}
	if want := fair.Shuffle(seed, snap.Inputs(), 3); !slices.Equal(read.Header.Lot, want) {
		t.Errorf("the lot is %v, want %v", read.Header.Lot, want)
	}
}

// A fingerprint is worth showing where something is left to chance.
func TestWhatIsLeftToChance(t *testing.T) {
	t.Parallel()
	ctx, ok := t.Context(), must(t)
	s := newShip(t)
	defer s.sink()
	for _, c := range []struct {
		game         string
		fixed        bool
		before, then bool
	}{{"heap", false, true, true}, {"heap", true, true, true}, {"laps", false, true, true}, {"laps", true, false, false}} {
		snap := ok(s.Open(ctx, s.as("ann"), table.Opening{Game: c.game, Seats: 2, Fixed: c.fixed, WhenFull: true, Guild: "g", Channel: "c"}))
		after := ok(s.Join(ctx, s.as("bob"), snap.ID))
		if snap.Draws() != c.before || after.Draws() != c.then {
			t.Errorf("%s, fixed seats %t: %t before the start and %t after it, want %t and %t", c.game, c.fixed, snap.Draws(), after.Draws(), c.before, c.then)
		}
	}
}
