package table_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"marque/bot/table"
	"marque/games"
	"marque/games/example/heap"
	"marque/games/fair"
	"marque/games/text"
	"marque/games/verify"
	"marque/storage"
)

// played plays "take 1" until a game is over.
func (s *ship) played(snap *table.Snapshot) *table.Snapshot {
	s.t.Helper()
	for snap.Status == table.Playing {
		snap = must(s.t)(s.Move(s.t.Context(), s.as(snap.Mover()), snap.ID, "take 1", 0))
	}
	return snap
}

// verified fails the test unless the public verifier accepts a table's record, which it returns.
func verified(t *testing.T, snap *table.Snapshot) games.Record {
	t.Helper()
	record, _ := snap.Record()
	read, err := games.DecodeRecord(strings.NewReader(record.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	report, err := verify.Record(read, find)
	if err != nil || report.Sealed || !report.Complete {
		t.Fatalf("the record: %+v, %v\n%s", report, err, record.Encode())
	}
	return read
}

// The opening, each join, leave and removal, and the start are inputs to a game's draws, in order. Each has the id of
// its interaction, except the leave of a user whose data is deleted.
func TestEverythingBeforeTheStartIsAnInput(t *testing.T) {
	t.Parallel()
	ctx, ok := t.Context(), must(t)
	s := withComputers(t, &mate{})
	defer s.sink()
	var want []string
	did := func(text string, a table.Actor) table.Actor {
		want = append(want, strings.Replace(text, "KEY", a.Key, 1))
		return a
	}
	opener := did("open KEY", s.as("ann"))
	want = append(want, "computer "+opener.Key)
	snap := ok(s.Open(ctx, opener, table.Opening{Game: "heap", Seats: 4,
		Computers: []table.ComputerPlayer{easy("Bosun")}, Guild: "g", Channel: "c"}))
	id := snap.ID
	ok(s.Join(ctx, did("join KEY", s.as("bob")), id))
	ok(s.DismissComputer(ctx, did("remove KEY 2", s.as("ann")), id))
	ok(s.Leave(ctx, did("leave KEY 3", s.as("bob")), id))
	ok(s.Join(ctx, did("join KEY", s.as("bob")), id))
	again := did("join KEY", s.as("cid"))
	ok(s.Join(ctx, again, id))
	ok(s.Join(ctx, again, id)) // the same command is delivered again
	ok(s.Remove(ctx, did("remove KEY 6", moderator(s)), id, "bob"))
	ok(s.Join(ctx, did("join KEY", s.as("dan")), id))
	if err := s.forget(ctx, "dan"); err != nil {
		t.Fatal(err)
	}
	want = append(want, "leave - 9")
	ok(s.AddComputer(ctx, did("computer KEY", s.as("ann")), id, easy("Mate")))
	if diff := cmp.Diff(want, ok(s.Lookup.Snapshot(ctx, id)).Inputs()); diff != "" {
		t.Fatalf("before the start:\n%s", diff)
	}
	ok(s.Join(ctx, did("join KEY", s.as("eve")), id))
	ok(s.Begin(ctx, did("start KEY lot", s.as("ann")), id))
	snap = ok(s.Lookup.Snapshot(ctx, id))
	if diff := cmp.Diff(want, snap.Inputs()); diff != "" {
		t.Errorf("after the start:\n%s", diff)
	}
}

// A player who joins, leaves and joins again changes the draws, but the recorded inputs show this.
func TestComingAgainIsNoSecondTry(t *testing.T) {
	t.Parallel()
	ctx, ok := t.Context(), must(t)
	lots := map[string]bool{}
	for tries := range 6 {
		s := newShip(t)
		snap := ok(s.Open(ctx, s.as("ann"), table.Opening{Game: "heap", Seats: 4, WhenFull: true, Guild: "g",
			Channel: "c"}))
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
		if strings.TrimPrefix(last[0], "join ")+" lot" != strings.TrimPrefix(last[1], "start ") {
			t.Errorf("the last to come starts the table, but its inputs end with %q", last)
		}
		read := verified(t, s.played(snap))
		lots[fmt.Sprint(read.Header.Seating)] = true
		// A record from which the repeated joins are removed does not verify, so nobody can hide them.
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

// The inputs of a table that is full when it is opened all have the id of the interaction that opened it. Later
// substitutes do not change them.
func TestInputsOfATableOpenedFull(t *testing.T) {
	t.Parallel()
	ctx, ok := t.Context(), must(t)
	s := withComputers(t, &mate{})
	defer s.sink()
	by := s.as("ann")
	snap := ok(s.Open(ctx, by, table.Opening{Game: "laps", Computers: []table.ComputerPlayer{easy("Bosun")},
		WhenFull: true, Guild: "g", Channel: "c"}))
	want := []string{"open " + by.Key, "computer " + by.Key, "start " + by.Key + " lot"}
	if diff := cmp.Diff(want, snap.Inputs()); diff != "" || snap.Status != table.Playing || !snap.OpenedBy(by.Key) ||
		snap.OpenedBy("key-0") {
		t.Fatalf("%+v:\n%s", snap.Head, diff)
	}
	ok(s.Offer(ctx, s.as("ann"), snap.ID))
	snap = ok(s.Take(ctx, s.as("bob"), snap.ID, games.Nobody))
	if diff := cmp.Diff(want, snap.Inputs()); diff != "" {
		t.Errorf("after a substitute:\n%s", diff)
	}
}

// Once a table has 40 inputs, nobody else can join. This limits the number of joins and leaves.
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

// A table whose draws use another version of package fair is frozen, because this program cannot make them.
func TestATableOfAnotherFairnessIsFrozen(t *testing.T) {
	t.Parallel()
	s := newShip(t)
	defer s.sink()
	setup, err := games.NewSetup(heap.Game, 3)
	if err != nil {
		t.Fatal(err)
	}
	ann := storage.Occupant{User: "ann", Name: text.NewName("Ann")}
	m, err := games.NewMatch(heap.Game, games.Header{Setup: setup})
	if err != nil {
		t.Fatal(err)
	}
	id, err := s.store.Create(t.Context(), storage.Change{
		Head: storage.Head{Game: "heap", Version: 1, Guild: "g", Channel: "c", Host: "ann",
			Seats: []storage.Occupant{ann, ann, ann}, Status: storage.Playing,
			Digest: m.Digest(), ToMove: m.ToMove(), Events: 1, Opened: 1000, Changed: 1000},
		Detail: &storage.Detail{Setup: setup, Rules: 1, Fairness: 2, Inputs: []string{"open 1", "join 2", "join 3",
			"start 3"}},
		Events: []storage.Event{{Kind: storage.Started, Version: 1, At: 1000, Seat: games.Nobody}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var frozen *table.FrozenError
	if _, err := s.Lookup.Snapshot(t.Context(), id); !errors.As(err, &frozen) || !strings.Contains(err.Error(),
		"version 2 of the fairness") {
		t.Errorf("a table of version 2: %v", err)
	}
}

// Every draw depends on the interaction of the latest move by a person. Automatic moves have no interaction.
func TestDrawsTakeTheLastInteraction(t *testing.T) {
	t.Parallel()
	ctx, ok, s := t.Context(), must(t), newShip(t)
	defer s.sink()
	snap := ok(s.Open(ctx, s.as("ann"), table.Opening{Game: "heap", Seats: 2, WhenFull: true, Guild: "g",
		Channel: "c"}))
	snap = ok(s.Join(ctx, s.as("bob"), snap.ID))
	var want []string
	for snap.Status == table.Playing {
		by := s.as(snap.Mover())
		want = append(want, fmt.Sprint(snap.Plays+1, " ", by.Key))
		snap = ok(s.Move(ctx, by, snap.ID, "take 1", 0))
	}
	record := verified(t, snap)
	var got []string
	draws := 0
	for i, e := range record.Log {
		if e.Interaction != "" {
			got = append(got, fair.Played(i+1, e.Interaction))
		}
		if e.Seat == games.Chance {
			draws++
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || draws == 0 {
		t.Errorf("%d draws, interactions:\n%s", draws, diff)
	}
	// After a restart the record is the same.
	s.sink()
	s.launch(table.Config{})
	if again := verified(t, ok(s.Lookup.Snapshot(ctx, snap.ID))); again.Encode() != record.Encode() {
		t.Errorf("after a restart the record is another one:\n%s", again.Encode())
	}
}

// A player who takes a move back and plays it again gets the same draws, even after a restart, because the first
// interaction is used again. A different move has its own interaction.
func TestTakingBackIsNoSecondTry(t *testing.T) {
	t.Parallel()
	ctx, ok, s := t.Context(), must(t), newShip(t)
	defer s.sink()
	snap := ok(s.Open(ctx, s.as("ann"), table.Opening{Game: "laps", Seats: 2, WhenFull: true, Guild: "g",
		Channel: "c"}))
	snap = ok(s.Join(ctx, s.as("bob"), snap.ID))
	id := snap.ID
	moves := menu(t, snap)
	if len(moves) < 2 {
		t.Fatalf("moves: %v", moves)
	}
	mover := snap.Mover()
	play := func(move string) (played, key string) {
		by := s.as(mover)
		return ok(s.Move(ctx, by, id, move, 0)).LastPlayed(), by.Key
	}
	back := func() { ok(s.Propose(ctx, s.as(mover), id, table.Undo)) }
	first, key := play(moves[0])
	if first != fair.Played(1, key) {
		t.Fatalf("the first move came with %q, want %s", first, key)
	}
	back()
	if other, own := play(moves[1]); other != fair.Played(1, own) {
		t.Errorf("another move came with %q, want its own %s", other, own)
	}
	back()
	s.sink()
	s.launch(table.Config{})
	if again, _ := play(moves[0]); again != first {
		t.Errorf("the same move played again came with %q, want %q as at first", again, first)
	}
}

// menu returns the notations of the legal moves of the player to move.
func menu(t *testing.T, snap *table.Snapshot) (list []string) {
	t.Helper()
	state := snap.View(snap.ToMove).State
	for _, m := range state.Moves() {
		list = append(list, games.Spell(state, m))
	}
	return list
}

// Draws reports whether a game leaves anything to chance. It is false only if the seats are fixed and the game has
// neither dice nor cards.
func TestWhatIsLeftToChance(t *testing.T) {
	t.Parallel()
	ctx, ok := t.Context(), must(t)
	s := newShip(t)
	defer s.sink()
	for _, c := range []struct {
		game         string
		fixed        bool
		before, then bool
	}{{"heap", false, true, true}, {"heap", true, true, true}, {"laps", false, true, true},
		{"laps", true, false, false}} {
		snap := ok(s.Open(ctx, s.as("ann"), table.Opening{Game: c.game, Seats: 2, Fixed: c.fixed, WhenFull: true,
			Guild: "g", Channel: "c"}))
		after := ok(s.Join(ctx, s.as("bob"), snap.ID))
		if snap.Draws() != c.before || after.Draws() != c.then {
			t.Errorf("%s, fixed seats %t: %t before the start and %t after it, want %t and %t", c.game, c.fixed,
				snap.Draws(), after.Draws(), c.before, c.then)
		}
	}
}

// PutBack records that a table was restored to an earlier version only if its caller knows the latest publication in
// the store. A process that was suspended knows an older one, so the channel seems to show a later version than the
// store.
func TestATableIsNotPutBackByOldNews(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, ok, s := t.Context(), must(t), newShip(t)
		s.Start(s.teller)
		snap := rounds(s, storage.ClockRule{}, "ann", "bob")
		synctest.Wait()
		told := snap.Version
		snap = s.take1(snap.ID, "ann")
		synctest.Wait()
		if noted, err := s.PutBack(ctx, snap.ID, told, snap.Version); noted || err != nil {
			t.Errorf("news from before: %v, %v", noted, err)
		}
		if ok(s.Lookup.Snapshot(ctx, snap.ID)).Unrated() {
			t.Error("nothing was put back, and the game counts nowhere")
		}
		if noted, err := s.PutBack(ctx, snap.ID, snap.Version, snap.Version+1); !noted || err != nil {
			t.Errorf("the latest news, in a channel that knows more: %v, %v", noted, err)
		}
		if !ok(s.Lookup.Snapshot(ctx, snap.ID)).Unrated() {
			t.Error("the store was put back, and the game counts")
		}
		s.sink()
	})
}
