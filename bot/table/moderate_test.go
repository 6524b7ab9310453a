package table_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"marque/bot/table"
	"marque/games"
	"marque/games/text"
	"marque/games/text/locale"
	"marque/storage"
)

// hands is the game laps with hidden information.
type hands struct{ laps }

func (hands) Key() string { return "hands" }
func (h hands) Traits() games.Traits {
	t := h.laps.Traits()
	t.Hidden = true
	return t
}

// asModerator returns an actor with a moderator's powers.
func (s *ship) asModerator(user string) table.Actor {
	a := s.as(user)
	a.Moderator = true
	return a
}

// asManager returns an actor who manages the server.
func (s *ship) asManager(user string) table.Actor {
	a := s.asModerator(user)
	a.Manager = true
	return a
}

// refused fails the test unless err is a refusal with this reason and a text that contains says.
func refused(t *testing.T, what string, err error, want table.Reason, says string) {
	t.Helper()
	var refusal *table.Refusal
	if !errors.Is(err, want) || !errors.As(err, &refusal) {
		t.Errorf("%s: %v, want %v", what, err, want)
		return
	}
	sentences, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	if said := sentences.Speaker(nil, "en").Say(refusal.Text()); !strings.Contains(said, says) {
		t.Errorf("%s: %q, want %q in it", what, said, says)
	}
}

// A player who has had a seat in a game with hands cannot take another seat at its table, but can take the same one
// again. In games without hands, any seat can be taken.
func TestNobodySeesTwoHands(t *testing.T) {
	t.Parallel()
	ctx, ok := t.Context(), must(t)
	for _, game := range []string{"hands", "laps"} {
		for _, fixed := range []bool{true, false} {
			s := newShip(t)
			snap := ok(s.Open(ctx, s.as("ann"), table.Opening{Game: game, Seats: 3, Fixed: fixed, WhenFull: true,
				Guild: "g", Channel: "c"}))
			id := snap.ID
			ok(s.Join(ctx, s.as("bob"), id))
			ok(s.Leave(ctx, s.as("bob"), id))
			ok(s.Join(ctx, s.as("cid"), id))
			snap = ok(s.Join(ctx, s.as("dan"), id))
			ann, cid := snap.Seat("ann"), snap.Seat("cid")
			ok(s.Offer(ctx, s.as("ann"), id))
			ok(s.Take(ctx, s.as("eve"), id, ann))
			ok(s.Offer(ctx, s.as("cid"), id))
			_, err := s.Take(ctx, s.as("ann"), id, cid)
			if game == "laps" {
				if err != nil {
					t.Errorf("%s: ann takes another seat of an open game: %v", game, err)
				}
				s.sink()
				continue
			}
			refused(t, "ann takes another seat", err, table.ErrHeldSeat, "know its cards")
			_, err = s.Take(ctx, s.as("ann"), id, games.Nobody)
			refused(t, "ann takes any seat", err, table.ErrHeldSeat, "know its cards")
			// Bob left before the start, so he has seen no hand.
			ok(s.Take(ctx, s.as("bob"), id, cid))
			ok(s.Offer(ctx, s.as("dan"), id))
			_, err = s.Take(ctx, s.as("cid"), id, games.Nobody)
			refused(t, "cid takes any seat", err, table.ErrHeldSeat, "know its cards")
			// Of the two free seats, ann gets the one that she had.
			ok(s.Offer(ctx, s.as("eve"), id))
			if snap = ok(s.Take(ctx, s.as("ann"), id, games.Nobody)); snap.Seat("ann") != ann {
				t.Errorf("ann sits at %d, want %d", snap.Seat("ann"), ann)
			}
			_, err = s.Take(ctx, s.as("eve"), id, games.Nobody)
			refused(t, "eve, who came during the game, takes another seat", err, table.ErrHeldSeat, "know its cards")
			s.sink()
		}
	}
}

// A moderator who plays in a game cannot end it, void its result or remove other players. Another moderator or the
// other players' consent is needed.
func TestModeratorsDoNotDecideTheirOwnGames(t *testing.T) {
	t.Parallel()
	ctx, ok, s := t.Context(), must(t), newShip(t)
	defer s.sink()
	id := rounds(s, storage.ClockRule{}, "ann", "bob", "cid").ID
	bob := func() table.Actor { return s.asModerator("bob") }
	_, err := s.Abandon(ctx, bob(), id)
	refused(t, "bob ends the game", err, table.ErrPlaysHere, "“/table abandon”")
	_, err = s.Remove(ctx, bob(), id, "ann")
	refused(t, "bob takes ann off", err, table.ErrPlaysHere, "another moderator")
	_, err = s.Pause(ctx, bob(), id)
	refused(t, "bob pauses the game, and his clock", err, table.ErrPlaysHere, "“/me away”")
	ok(s.Pause(ctx, s.asModerator("mod"), id))
	_, err = s.Resume(ctx, bob(), id, "")
	refused(t, "bob resumes the game", err, table.ErrPlaysHere, "another moderator")
	ok(s.Resume(ctx, s.asModerator("mod"), id, ""))
	// Moderators who gave their seat to another player are still refused.
	ok(s.Offer(ctx, s.as("bob"), id))
	ok(s.Take(ctx, s.as("dan"), id, games.Nobody))
	_, err = s.Abandon(ctx, bob(), id)
	refused(t, "bob, who played, ends the game", err, table.ErrPlaysHere, "another moderator")
	_, err = s.Remove(ctx, bob(), id, "ann")
	refused(t, "bob, who played, takes ann off", err, table.ErrPlaysHere, "another moderator")
	if snap := ok(s.Lookup.Snapshot(ctx, id)); snap.Status != table.Playing || snap.Seat("ann") < 0 {
		t.Fatalf("what was refused was done: %+v", snap.Head)
	}
	// A moderator may remove themselves.
	alone := rounds(s, storage.ClockRule{}, "ann", "bob", "cid").ID
	if snap := ok(s.Remove(ctx, bob(), alone, "bob")); snap.Seat("bob") >= 0 {
		t.Errorf("bob goes himself: %+v", snap.Head)
	}
	// Another moderator removes ann, but cannot take her seat.
	mod := func() table.Actor { return s.asModerator("mod") }
	ok(s.Remove(ctx, mod(), id, "ann"))
	_, err = s.Take(ctx, mod(), id, games.Nobody)
	refused(t, "a moderator takes the seat that they emptied", err, table.ErrEmptied, "somebody else")
	_, err = s.Take(ctx, mod(), id, 0)
	refused(t, "a moderator takes this seat that they emptied", err, table.ErrEmptied, "somebody else")
	ok(s.Take(ctx, s.as("eve"), id, games.Nobody))
	ok(s.Offer(ctx, s.as("eve"), id))
	ok(s.Take(ctx, mod(), id, games.Nobody)) // eve gave up the seat herself
	// The game ends with the other players' consent.
	for _, u := range []string{"mod", "dan", "cid"} {
		ok(s.Propose(ctx, s.as(u), id, table.Abandon))
	}
	if snap := ok(s.Lookup.Snapshot(ctx, id)); snap.Ending != games.Abandoned {
		t.Errorf("all agreed: %+v", snap.Head)
	}
	// A user who played in a game cannot decide about its result, even if another user holds the seat at the end.
	id = rounds(s, storage.ClockRule{}, "ann", "bob").ID
	ok(s.Offer(ctx, s.as("ann"), id))
	ok(s.Take(ctx, s.as("cid"), id, games.Nobody))
	ok(s.Resign(ctx, s.as("bob"), id))
	for _, u := range []string{"ann", "bob", "cid"} {
		_, err := s.standings().Void(ctx, s.asManager(u), "g", id, text.Name{})
		refused(t, u+" voids the result", err, table.ErrPlaysHere, "another server manager")
	}
	if _, err := s.standings().Void(ctx, s.asManager("mod"), "g", id, text.NewName("a test")); err != nil {
		t.Error(err)
	}
	for _, u := range []string{"ann", "bob", "cid"} {
		_, err := s.standings().Restore(ctx, s.asManager(u), "g", id)
		refused(t, u+" restores the result", err, table.ErrPlaysHere, "another server manager")
	}
}

// A moderator cannot decide about a game whose result affects them, even without a seat in it. The hook Partial reports
// such games.
func TestModeratorsDoNotDecideRivalsGames(t *testing.T) {
	t.Parallel()
	ctx, ok, s := t.Context(), must(t), newShip(t)
	defer s.sink()
	s.Attach(table.Hooks{Partial: func(_ context.Context, h table.Head, user string) (bool, error) {
		return user == "rival" && h.Guild == "g", nil
	}})
	id := rounds(s, storage.ClockRule{}, "ann", "bob").ID
	rival := func() table.Actor { return s.asManager("rival") }
	const says = "somebody else has to decide"
	_, err := s.Abandon(ctx, rival(), id)
	refused(t, "a rival ends the game", err, table.ErrPlaysHere, says)
	_, err = s.Remove(ctx, rival(), id, "ann")
	refused(t, "a rival takes ann off", err, table.ErrPlaysHere, says)
	_, err = s.Pause(ctx, rival(), id)
	refused(t, "a rival pauses the game", err, table.ErrPlaysHere, says)
	ok(s.Resign(ctx, s.as("bob"), id))
	_, err = s.standings().Void(ctx, rival(), "g", id, text.Name{})
	refused(t, "a rival voids the result", err, table.ErrPlaysHere, says)
}

// A user who takes a seat in a running game must meet the table's conditions for joining.
func TestASeatIsTakenOnTheTablesConditions(t *testing.T) {
	t.Parallel()
	ctx, ok, s := t.Context(), must(t), newShip(t)
	defer s.sink()
	with := func(user, role string) table.Actor {
		by := s.as(user)
		by.Roles = []string{role}
		return by
	}
	id := ok(s.Open(ctx, s.as("ann"), table.Opening{Game: "laps", Seats: 2, Guild: "g", Channel: "c", WhenFull: true,
		Asks: table.Conditions{Role: "gunner"}})).ID
	_, err := s.Join(ctx, with("cid", "cook"), id)
	refused(t, "cid joins", err, table.ErrLacking, "the role")
	ok(s.Join(ctx, with("bob", "gunner"), id))
	ok(s.Offer(ctx, s.as("bob"), id))
	_, err = s.Take(ctx, with("cid", "cook"), id, games.Nobody)
	refused(t, "cid takes the seat", err, table.ErrLacking, "the role")
	ok(s.Take(ctx, with("dan", "gunner"), id, games.Nobody))
}

// Acts that a user may do only as a moderator are recorded as an event with the moderator's name, before the event of
// the act. Acts of hosts are not.
func TestEveryActOfAModeratorIsOnRecord(t *testing.T) {
	t.Parallel()
	ctx, ok := t.Context(), must(t)
	s := withComputers(t, &mate{})
	defer s.sink()
	opened := func(users ...string) table.ID {
		snap := ok(s.Open(ctx, s.as("ann"), table.Opening{Game: "laps", Seats: 3, Guild: "g", Channel: "c"}))
		for _, u := range users {
			ok(s.Join(ctx, s.as(u), snap.ID))
		}
		return snap.ID
	}
	act := func(_ *table.Snapshot, err error) error { return err }
	for _, c := range []struct {
		name string
		what storage.Kind
		id   table.ID
		do   func(by table.Actor, id table.ID) error
		also bool // the host may do it too, and then no moderator's act is recorded
	}{
		{"starts", storage.Started, opened("bob", "cid"), func(by table.Actor, id table.ID) error { return act(s.Begin(ctx, by, id)) }, true},
		{"adds a computer", storage.Joined, opened("bob"), func(by table.Actor, id table.ID) error { return act(s.AddComputer(ctx, by, id, easy("Bosun"))) }, true},
		{"closes a lobby", storage.Ended, opened("bob"), func(by table.Actor, id table.ID) error { return act(s.Abandon(ctx, by, id)) }, true},
		{"takes somebody off a lobby", storage.Left, opened("bob"), func(by table.Actor, id table.ID) error { return act(s.Remove(ctx, by, id, "bob")) }, false},
		{"takes somebody off a game", storage.Removed, rounds(s, storage.ClockRule{}, "ann", "bob").ID, func(by table.Actor, id table.ID) error { return act(s.Remove(ctx, by, id, "bob")) }, false},
		{"ends a game", storage.Ended, rounds(s, storage.ClockRule{}, "ann", "bob").ID, func(by table.Actor, id table.ID) error { return act(s.Abandon(ctx, by, id)) }, false},
		{"pauses", storage.Paused, rounds(s, storage.ClockRule{}, "ann", "bob").ID, func(by table.Actor, id table.ID) error { return act(s.Pause(ctx, by, id)) }, false},
		{"moves a table", storage.Rehoused, opened("bob"), func(by table.Actor, id table.ID) error { return act(s.Rehouse(ctx, by, id, "c2")) }, true},
		{"changes the host", storage.Hosted, opened("bob"), func(by table.Actor, id table.ID) error {
			return act(s.HandOver(ctx, by, id, "bob", text.NewName("Bob")))
		}, true},
	} {
		if err := c.do(s.asModerator("mod"), c.id); err != nil {
			t.Errorf("a moderator %s: %v", c.name, err)
			continue
		}
		stored, err := s.store.Load(ctx, c.id)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(stored.Events, func(e storage.Event) bool { return e.Kind == storage.Moderated })
		if i < 0 || i+1 >= len(stored.Events) || stored.Events[i].User != "mod" ||
			stored.Events[i].Text != "Captain mod" || stored.Events[i+1].Kind != c.what {
			t.Errorf("a moderator %s: the events are %+v", c.name, stored.Events)
		}
		if !c.also {
			continue
		}
		id := opened("bob", "cid")
		if c.what == storage.Joined {
			id = opened("bob")
		}
		if err := c.do(s.as("ann"), id); err != nil {
			t.Errorf("the host %s: %v", c.name, err)
		}
		if stored, err = s.store.Load(ctx, id); err != nil || slices.ContainsFunc(stored.Events,
			func(e storage.Event) bool { return e.Kind == storage.Moderated }) {
			t.Errorf("the host %s: %v, the events are %+v", c.name, err, stored.Events)
		}
	}
	// A decision about a result is also recorded at the table of the game. It does not change the version of the
	// table's latest board.
	id := rounds(s, storage.ClockRule{}, "ann", "bob").ID
	over := ok(s.Resign(ctx, s.as("ann"), id))
	if _, err := s.standings().Void(ctx, s.asManager("mod"), "g", id, text.NewName("a test")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.standings().Restore(ctx, s.asManager("mod"), "g", id); err != nil {
		t.Fatal(err)
	}
	snap := ok(s.Lookup.Snapshot(ctx, id))
	if snap.Board != over.Board || snap.Status != table.Over || snap.Ending != over.Ending {
		t.Errorf("after voiding: %+v, was %+v", snap.Head, over.Head)
	}
	stored, err := s.store.Load(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []storage.Kind
	for _, e := range stored.Events[len(stored.Events)-4:] {
		kinds = append(kinds, e.Kind)
		if e.User != "mod" {
			t.Errorf("event %+v is not the moderator's", e)
		}
	}
	if want := []storage.Kind{storage.Moderated, storage.Voided, storage.Moderated, storage.Restored}; !slices.Equal(
		kinds, want) {
		t.Errorf("the last events are %v, want %v", kinds, want)
	}
	sentences, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, e := range stored.Events[len(stored.Events)-4:] {
		said = append(said, sentences.Speaker(nil, "en").Say(snap.Describe(e)))
	}
	if want := []string{"Captain mod acts here as a moderator:", "The result of this game is void.",
		"Captain mod acts here as a moderator:", "The result of this game stands again."}; !slices.Equal(said, want) {
		t.Errorf("told as %q", said)
	}
}

// No event names a moderator whose data has been deleted.
func TestAForgottenModerator(t *testing.T) {
	t.Parallel()
	ctx, ok, s := t.Context(), must(t), newShip(t)
	defer s.sink()
	id := rounds(s, storage.ClockRule{}, "ann", "bob").ID
	ok(s.Pause(ctx, s.asModerator("mod"), id))
	if err := s.forget(ctx, "mod"); err != nil {
		t.Fatal(err)
	}
	stored, err := s.store.Load(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range stored.Events {
		if e.User == "mod" || strings.Contains(e.Text, "mod ") || strings.HasSuffix(e.Text, " mod") {
			t.Errorf("event %+v names them", e)
		}
		if e.Kind == storage.Moderated {
			snap := ok(s.Lookup.Snapshot(ctx, id))
			if who := snap.Describe(e).Args["Who"]; who == "" {
				t.Error("it is told as nobody's act")
			}
		}
	}
}

// Only a player who resigns is said to resign. A player whom a competition takes out of a game is said to be out.
func TestOnlyAPlayersOwnActIsTold(t *testing.T) {
	t.Parallel()
	s := newShip(t)
	defer s.sink()
	ctx, ok := t.Context(), must(t)
	sentences, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	taken := started(s, "ann", "bob")
	if err := s.SettleMatch(ctx, taken.ID, func(h table.Head) table.Settlement {
		return table.Settlement{Leave: []games.Seat{h.Seat("ann")}}
	}); err != nil {
		t.Fatal(err)
	}
	resigned := started(s, "ann", "bob")
	ok(s.Resign(ctx, s.as("ann"), resigned.ID))
	for id, want := range map[storage.ID]string{taken.ID: "is out of the game.", resigned.ID: "resigns."} {
		stored, err := s.store.Load(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		snap := ok(s.Lookup.Snapshot(ctx, id))
		for _, e := range stored.Events {
			said := sentences.Speaker(nil, "en").Say(snap.Describe(e))
			if e.Kind == storage.Resigned && !strings.HasSuffix(said, want) {
				t.Errorf("told as %q, want the end %q", said, want)
			}
		}
	}
}
