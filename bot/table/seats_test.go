package table_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"marque/bot/table"
	"marque/games"
	"marque/games/text/locale"
	"marque/storage"
)

// rounds starts a game of laps, which has no dice and never ends. The players have this order, and the first is to
// move.
func rounds(s *ship, rule storage.ClockRule, players ...string) *table.Snapshot {
	s.t.Helper()
	ctx, ok := s.t.Context(), must(s.t)
	snap := ok(s.Open(ctx, s.as(players[0]), table.Opening{Game: "laps", Seats: len(players), Guild: "g", Channel: "c",
		Fixed: true, WhenFull: true, Clock: rule}))
	for _, p := range players[1:] {
		snap = ok(s.Join(ctx, s.as(p), snap.ID))
	}
	return snap
}

// take1 plays "take 1" for a user.
func (s *ship) take1(id table.ID, user string) *table.Snapshot {
	s.t.Helper()
	return must(s.t)(s.Move(s.t.Context(), s.as(user), id, "take 1", 0))
}

// runOut waits until the time of the player to move has run out.
func (s *ship) runOut(id table.ID, per time.Duration) *table.Snapshot {
	s.t.Helper()
	time.Sleep(per + time.Minute)
	synctest.Wait()
	snap := s.at(id)
	if !snap.Timing.Out || !table.IsOpen(snap.Head, snap.ToMove) {
		s.t.Fatalf("time has run out, but the seat is not offered: %+v", snap.Head)
	}
	return snap
}

func moderator(s *ship) table.Actor {
	mod := s.as("mod")
	mod.Moderator = true
	return mod
}

// inTime runs a test in a synctest bubble, with a started ship.
func inTime(t *testing.T, f func(t *testing.T, s *ship)) {
	synctest.Test(t, func(t *testing.T) {
		s := newShip(t)
		defer func() { s.sink() }()
		s.Start(s.teller)
		f(t, s)
	})
}

// A seat that is offered because its player is late is the player's again once they move, also after another player's
// resignation or a restart.
func TestALatePlayersMoveKeepsTheSeat(t *testing.T) {
	t.Parallel()
	for name, between := range map[string]func(t *testing.T, s *ship, id table.ID){
		"nothing": func(*testing.T, *ship, table.ID) {},
		"another resigns": func(t *testing.T, s *ship, id table.ID) {
			snap := must(t)(s.Resign(t.Context(), s.as("cid"), id))
			if !snap.Timing.Out || snap.Timing.Since != 0 || !table.IsOpen(snap.Head, 0) {
				t.Errorf("cid has resigned, ann is as late as before: %+v, open %b", snap.Timing, snap.Open)
			}
		},
		"a restart": func(t *testing.T, s *ship, id table.ID) {
			s.sink()
			s.launch(table.Config{})
			s.Start(s.teller)
		},
	} {
		t.Run(name, func(t *testing.T) {
			inTime(t, func(t *testing.T, s *ship) {
				s.silence("ann", "bob", "cid")
				id := rounds(s, perMove(time.Hour, storage.LateOffer), "ann", "bob", "cid").ID
				s.runOut(id, time.Hour)
				between(t, s, id)
				snap := s.take1(id, "ann")
				if snap.Open != 0 || snap.Timing.Out || snap.Timing.Since == 0 {
					t.Errorf("ann has moved: open %b, %+v", snap.Open, snap.Timing)
				}
				if _, err := s.Take(t.Context(), s.as("eve"), id, 0); !errors.Is(err, table.ErrNotOffered) {
					t.Errorf("a stranger takes ann's seat: %v, want %v", err, table.ErrNotOffered)
				}
				synctest.Wait()
				if n := s.count(id, storage.OfferEnded, 0); n != 1 {
					t.Errorf("it is told %d times that ann keeps her seat", n)
				}
			})
		})
	}
}

// A late player's seat is no longer offered when the move before the time-out is taken back.
func TestTakingBackEndsALateOffer(t *testing.T) {
	t.Parallel()
	inTime(t, func(t *testing.T, s *ship) {
		ctx, ok := t.Context(), must(t)
		s.silence("ann", "bob")
		id := rounds(s, perMove(time.Hour, storage.LateOffer), "ann", "bob").ID
		s.take1(id, "ann")
		s.runOut(id, time.Hour)
		ok(s.Propose(ctx, s.as("ann"), id, table.Undo))
		back := ok(s.Accept(ctx, s.as("bob"), id, table.Undo, 0))
		if back.Mover() != "ann" || back.Open != 0 || back.Timing.Out {
			t.Errorf("taken back: %s to move, open %b, %+v", back.Mover(), back.Open, back.Timing)
		}
		s.take1(id, "ann")
		if snap := s.take1(id, "bob"); snap.Open != 0 {
			t.Errorf("both have moved, and open is %b", snap.Open)
		}
	})
}

// A seat that its player or a moderator has offered stays offered when the player, who is late, moves.
func TestAnOfferOutlivesLateness(t *testing.T) {
	t.Parallel()
	inTime(t, func(t *testing.T, s *ship) {
		ctx, ok := t.Context(), must(t)
		s.silence("ann", "bob", "cid")
		id := rounds(s, perMove(time.Hour, storage.LateOffer), "ann", "bob", "cid").ID
		ok(s.Offer(ctx, s.as("ann"), id))
		ok(s.Offer(ctx, s.as("bob"), id))
		ok(s.Remove(ctx, moderator(s), id, "cid"))
		s.runOut(id, time.Hour)
		if snap := s.take1(id, "ann"); snap.Open != 0b111 {
			t.Errorf("ann has moved: open %b, want all three", snap.Open)
		}
		s.runOut(id, time.Hour)
		// Bob withdraws his own offer, so his move will keep the seat.
		if snap := ok(s.Keep(ctx, s.as("bob"), id)); !table.IsOpen(snap.Head, 1) || !snap.Timing.Out {
			t.Errorf("bob takes his offer back while he is late: open %b, %+v", snap.Open, snap.Timing)
		}
		if snap := s.take1(id, "bob"); snap.Open != 0b101 {
			t.Errorf("bob has moved: open %b, want ann's and cid's", snap.Open)
		}
		if snap := ok(s.Keep(ctx, s.as("ann"), id)); snap.Open != 0b100 {
			t.Errorf("ann takes her offer back: open %b, want cid's", snap.Open)
		}
	})
}

// A player who has run out of time keeps the seat only by moving. If a command could keep it, no clock would be
// running.
func TestALateSeatIsNotKeptByWords(t *testing.T) {
	t.Parallel()
	inTime(t, func(t *testing.T, s *ship) {
		catalogue, err := locale.Load()
		if err != nil {
			t.Fatal(err)
		}
		s.silence("ann", "bob")
		id := rounds(s, perMove(time.Hour, storage.LateOffer), "ann", "bob").ID
		late := s.runOut(id, time.Hour)
		_, err = s.Keep(t.Context(), s.as("ann"), id)
		var refusal *table.Refusal
		if !errors.Is(err, table.ErrLate) || !errors.As(err, &refusal) {
			t.Fatalf("ann keeps her seat: %v, want %v", err, table.ErrLate)
		}
		if said := catalogue.Speaker(nil, "en").Say(refusal.Text()); !strings.Contains(said,
			"Make your move to keep it") {
			t.Errorf("she is told %q", said)
		}
		if now := s.at(id); now.Version != late.Version || !table.IsOpen(now.Head, 0) {
			t.Errorf("the refusal changed the table: %+v", now.Head)
		}
		// ann can still offer the seat for good.
		must(t)(s.Offer(t.Context(), s.as("ann"), id))
		if snap := s.take1(id, "ann"); !table.IsOpen(snap.Head, 0) {
			t.Error("she has offered her seat, and her move has kept it")
		}
	})
}

// The clock and the reminders of the player to move do not change when another player leaves.
func TestLeavingChangesNobodysClock(t *testing.T) {
	t.Parallel()
	for name, rule := range map[string]storage.ClockRule{
		"per move": perMove(8*day, storage.LateForfeit),
		"bank":     {Mode: storage.Bank, Time: (8 * day).Milliseconds(), Late: storage.LateForfeit},
	} {
		t.Run(name, func(t *testing.T) {
			inTime(t, func(t *testing.T, s *ship) {
				s.silence("bob", "cid")
				id := rounds(s, rule, "ann", "bob", "cid").ID
				time.Sleep(2 * day)
				synctest.Wait()
				before := s.at(id)
				if before.Timing.Reminded == 0 {
					t.Fatalf("ann was not reminded yet: %+v", before.Timing)
				}
				deadline := func(snap *table.Snapshot) time.Time {
					t.Helper()
					at, runs, err := s.deadline(t.Context(), snap.Head)
					if err != nil || !runs {
						t.Fatalf("no clock runs: %v", err)
					}
					return at
				}
				after := must(t)(s.Resign(t.Context(), s.as("cid"), id))
				if was, is := deadline(before), deadline(after); !is.Equal(was) {
					t.Errorf("ann's time runs out at %v, it was %v before cid left", is, was)
				}
				if was, is := before.Timing, after.Timing; is.Reminded != was.Reminded || is.Last != was.Last ||
					is.Turn != was.Turn {
					t.Errorf("reminders begin anew: %+v, they were at %+v", is, was)
				}
				if next := s.take1(id, "ann"); next.Timing.Reminded != 0 || next.Timing.Turn == before.Timing.Turn ||
					time.Until(deadline(next)) != 8*day {
					t.Errorf("bob's clock: %+v", next.Timing)
				}
			})
		})
	}
}

// A proposed undo ends when a computer player moves, when a computer moves for a late player, or when another player
// leaves, so that no later play is taken back without its player's consent.
func TestAWishToTakeBackLapses(t *testing.T) {
	t.Parallel()
	lapsed := func(t *testing.T, s *ship, id table.ID, plays int) {
		t.Helper()
		synctest.Wait()
		snap := s.at(id)
		if snap.Proposal.Kind != "" || snap.Plays != plays {
			t.Errorf("%d plays, want %d; proposed is %+v", snap.Plays, plays, snap.Proposal)
		}
		if _, err := s.Accept(t.Context(), s.as("bob"), id, table.Undo, 0); !errors.Is(err, table.ErrNoProposal) {
			t.Errorf("bob agrees: %v, want %v", err, table.ErrNoProposal)
		}
		if now := s.at(id); now.Plays != plays {
			t.Errorf("%d plays are left of %d", now.Plays, plays)
		}
		if n := s.count(id, storage.Declined, games.Nobody); n != 1 {
			t.Errorf("it is told %d times that the game has moved on", n)
		}
	}
	t.Run("a computer moves for who is late", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			s := ashore(t)
			s.launch(table.Config{Substitute: func(context.Context, *table.Snapshot, games.Seat) (string, bool) {
				return "take 1", true
			}})
			defer func() { s.sink() }()
			s.Start(s.teller)
			s.silence("ann", "bob", "cid")
			id := rounds(s, perMove(time.Hour, storage.LateComputer), "ann", "bob", "cid").ID
			s.take1(id, "ann")
			time.Sleep(30 * time.Minute)
			if asked := must(t)(s.Propose(t.Context(), s.as("ann"), id,
				table.Undo)); asked.Proposal.Kind != table.Undo {
				t.Fatalf("bob is not asked: %+v", asked.Proposal)
			}
			time.Sleep(31 * time.Minute)
			lapsed(t, s, id, 2)
		})
	})
	t.Run("a computer player moves", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			m := &mate{hold: make(chan struct{})}
			s := withComputers(t, m)
			ctx, ok := t.Context(), must(t)
			id := ok(s.Open(ctx, s.as("ann"), table.Opening{Game: "laps", Invited: []string{"bob"},
				Computers: []table.ComputerPlayer{easy("Bosun")}, Order: []string{"ann", "bob", ""}, Guild: "g",
				Channel: "c", WhenFull: true})).ID
			ok(s.Join(ctx, s.as("bob"), id))
			s.take1(id, "ann")
			s.take1(id, "bob")
			synctest.Wait()
			if asked := ok(s.Propose(ctx, s.as("ann"), id, table.Undo)); asked.Proposal.Kind != table.Undo {
				t.Fatalf("bob is not asked: %+v", asked.Proposal)
			}
			close(m.hold)
			// The proposal makes the computer's move stale. The move is discarded, and the computer thinks again.
			time.Sleep(2 * time.Hour)
			lapsed(t, s, id, 3)
			s.sink()
		})
	})
	t.Run("a player leaves", func(t *testing.T) {
		inTime(t, func(t *testing.T, s *ship) {
			id := rounds(s, storage.ClockRule{}, "ann", "bob", "cid").ID
			s.take1(id, "ann")
			time.Sleep(time.Hour)
			must(t)(s.Propose(t.Context(), s.as("ann"), id, table.Undo))
			must(t)(s.Resign(t.Context(), s.as("cid"), id))
			lapsed(t, s, id, 2)
		})
	})
	catalogue, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	if said := catalogue.Speaker(nil, "en").Say((&table.Snapshot{}).Describe(table.Event{Kind: storage.Declined,
		Seat: games.Nobody, Text: string(table.Undo)})); !strings.Contains(said, "has moved on") {
		t.Errorf("it is said as %q", said)
	}
}

// A player who is removed, or whose seat a computer gets, is no longer asked about a proposal. The agreement of the
// remaining players is enough.
func TestWhoIsGoneIsNotAsked(t *testing.T) {
	t.Parallel()
	t.Run("removed", func(t *testing.T) {
		ctx, ok, s := t.Context(), must(t), newShip(t)
		defer s.sink()
		for _, kind := range []table.ProposalKind{table.Draw, table.Abandon} {
			id := started(s, "ann", "bob", "cid").ID
			ok(s.Propose(ctx, s.as("ann"), id, kind))
			ok(s.Accept(ctx, s.as("bob"), id, kind, 0))
			want := map[table.ProposalKind]games.Ending{table.Draw: games.Agreed, table.Abandon: games.Abandoned}[kind]
			if snap := ok(s.Remove(ctx, moderator(s), id, "cid")); snap.Status != table.Over || snap.Ending != want {
				t.Errorf("%s: ann and bob agree, cid is gone: %v %q, want %q", kind, snap.Status, snap.Ending, want)
			}
		}
	})
	t.Run("a computer takes over", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			ctx, ok, s := t.Context(), must(t), withComputers(t, &mate{})
			defer func() { s.sink() }()
			id := rounds(s, storage.ClockRule{}, "ann", "bob", "cid").ID
			ok(s.Offer(ctx, s.as("cid"), id))
			ok(s.Propose(ctx, s.as("ann"), id, table.Abandon))
			ok(s.Accept(ctx, s.as("bob"), id, table.Abandon, 0))
			if snap := ok(s.TakeByComputer(ctx, s.as("ann"), id, 2, easy("Bosun"))); snap.Status != table.Over {
				t.Errorf("all people agree, and it is %v: %+v", snap.Status, snap.Proposal)
			}
		})
	})
	t.Run("a substitute is asked no more than who went", func(t *testing.T) {
		inTime(t, func(t *testing.T, s *ship) {
			ctx, ok := t.Context(), must(t)
			id := rounds(s, storage.ClockRule{}, "ann", "bob", "cid").ID
			s.take1(id, "ann")
			time.Sleep(time.Hour)
			ok(s.Offer(ctx, s.as("cid"), id))
			asked := ok(s.Propose(ctx, s.as("ann"), id, table.Undo))
			taken := ok(s.Take(ctx, s.as("dan"), id, 2))
			if taken.Proposal != asked.Proposal {
				t.Errorf("bob alone is asked: %+v, and after dan came %+v", asked.Proposal, taken.Proposal)
			}
			if snap := ok(s.Accept(ctx, s.as("bob"), id, table.Undo, 0)); snap.Plays != 0 {
				t.Errorf("bob has agreed: %d plays", snap.Plays)
			}
		})
	})
}

// A host who is removed from the table is no longer its host.
func TestARemovedHostIsHostNoLonger(t *testing.T) {
	t.Parallel()
	inTime(t, func(t *testing.T, s *ship) {
		ctx, ok := t.Context(), must(t)
		lobby := ok(s.Open(ctx, s.as("ann"), table.Opening{Game: "heap", Seats: 3, Guild: "g", Channel: "c"}))
		ok(s.Join(ctx, s.as("bob"), lobby.ID))
		for _, id := range []table.ID{lobby.ID, started(s, "ann", "bob").ID} {
			if snap := ok(s.Remove(ctx, moderator(s), id, "ann")); snap.Host != "bob" {
				t.Errorf("table %d, ann is gone: the host is %q, want bob", id, snap.Host)
			}
			if _, err := s.Rehouse(ctx, s.as("ann"), id, "c2"); !errors.Is(err, table.ErrNotAllowed) {
				t.Errorf("table %d: ann moves it to another channel: %v", id, err)
			}
			synctest.Wait()
			if got := s.kinds(id, storage.Hosted); len(got) != 1 || got[0] != "Captain bob" {
				t.Errorf("table %d: hosts told are %q", id, got)
			}
		}
		alone := started(s, "ann", "bob").ID
		ok(s.Remove(ctx, moderator(s), alone, "bob"))
		if snap := ok(s.Remove(ctx, moderator(s), alone, "ann")); snap.Host != "" {
			t.Errorf("nobody is left, and the host is %q", snap.Host)
		}
	})
}

// narrow is a store that returns at most two tables of a server at a time.
type narrow struct{ table.Store }

func (n narrow) ByGuild(ctx context.Context, guild string, phase storage.Phase, after table.ID,
	limit int) ([]table.Head, error) {
	return n.Store.ByGuild(ctx, guild, phase, after, min(limit, 2))
}

// When several users request a rematch of a table at the same time, only one is opened. RematchOf finds the rematch
// among more tables than the store lists at a time. When the rematch is over, another can be opened.
func TestOneRematchAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, ok := t.Context(), must(t)
		s := newShip(t)
		defer func() { s.sink() }()
		s.Service = table.New(table.Config{Store: narrow{s.store}, Games: find})
		old := over(s)
		rematch := func() table.ID {
			t.Helper()
			opened := make(chan table.ID, 6)
			for i := range cap(opened) {
				by := s.as([]string{"ann", "bob"}[i%2])
				go func() {
					snap, err := s.Open(ctx, by, table.Opening{Game: "heap", Seats: 2, Guild: "g", Channel: "c",
						Rematch: old.ID})
					if err != nil {
						t.Error(err)
						opened <- 0
						return
					}
					opened <- snap.ID
				}()
			}
			id := <-opened
			for range cap(opened) - 1 {
				if other := <-opened; other != id {
					t.Errorf("tables %d and %d are both opened as the rematch", id, other)
				}
			}
			return id
		}
		started(s, "cid", "dan")
		started(s, "cid", "dan")
		started(s, "cid", "dan")
		if there := ok(s.Lookup.RematchOf(ctx, old)); there != nil {
			t.Errorf("table %d is the rematch before there is any", there.ID)
		}
		first := rematch()
		if there := ok(s.Lookup.RematchOf(ctx, old)); there == nil || there.ID != first {
			t.Errorf("the rematch is %v, want table %d", there, first)
		}
		host := s.at(first).Host
		ok(s.Abandon(ctx, s.as(host), first))
		if there := ok(s.Lookup.RematchOf(ctx, old)); there != nil {
			t.Errorf("table %d is over and still the rematch", there.ID)
		}
		if second := rematch(); second <= first {
			t.Errorf("after table %d was closed the rematch is table %d", first, second)
		}
		time.Sleep(2 * time.Hour)
		if again := ok(s.Lookup.RematchOf(ctx, old)); again == nil || again.ID == first {
			t.Errorf("two hours later the rematch is %v", again)
		}
	})
}

// If somebody else takes a seat of a rematch, the seats are those of the players who came: in the order in which they
// came if it is fixed, and otherwise by lot.
func TestARematchWithSomebodyElse(t *testing.T) {
	t.Parallel()
	for _, fixed := range []bool{false, true} {
		ctx, ok, s := t.Context(), must(t), newShip(t)
		snap := ok(s.Open(ctx, s.as("ann"), table.Opening{Game: "heap", Seats: 3, Guild: "g", Channel: "c",
			WhenFull: true, Invited: []string{"bob", "cid"}, Order: []string{"bob", "cid", "ann"}, Fixed: fixed}))
		for _, who := range []string{"cid", "bob"} {
			snap = ok(s.Join(ctx, s.as(who), snap.ID))
			if who == "cid" {
				snap = ok(s.Leave(ctx, s.as(who), snap.ID))
			}
		}
		snap = ok(s.Join(ctx, s.as("dan"), snap.ID))
		var got []string
		for _, o := range snap.Seats {
			got = append(got, o.User)
		}
		came := []string{"ann", "bob", "dan"}
		if snap.Status != table.Playing || fixed && !slices.Equal(got, came) {
			t.Errorf("fixed %v: status %v, seats %v", fixed, snap.Status, got)
		}
		if slices.Sort(got); !slices.Equal(got, came) {
			t.Errorf("fixed %v: the seats have %v", fixed, got)
		}
		for snap.Status == table.Playing {
			snap = ok(s.Move(ctx, s.as(snap.Mover()), snap.ID, "take 1", 0))
		}
		verified(t, snap)
		s.sink()
	}
}

// A draw needs the agreement of two players. While the other seat has no holder, a person can neither agree on a draw
// nor get one that was proposed earlier. A user who takes the seat is asked.
func TestOnePersonAgreesOnNoDraw(t *testing.T) {
	t.Parallel()
	ctx, ok, s := t.Context(), must(t), newShip(t)
	moderator := table.Actor{User: "mod", Moderator: true}
	for _, before := range []bool{false, true} {
		snap := started(s, "ann", "bob")
		if before {
			ok(s.Propose(ctx, s.as("ann"), snap.ID, table.Draw))
		}
		snap = ok(s.Remove(ctx, moderator, snap.ID, "bob"))
		if snap.Status != table.Playing {
			t.Fatalf("proposed before %v: the table is over (%q) by one person's word", before, snap.Ending)
		}
		if !before {
			var refused *table.Refusal
			_, err := s.Propose(ctx, s.as("ann"), snap.ID, table.Draw)
			if !errors.Is(err, table.ErrAlone) || !errors.As(err, &refused) ||
				refused.Text().ID != "table.error.draw-alone" {
				t.Errorf("alone, a draw is proposed: %v", err)
			}
		}
		snap = ok(s.Take(ctx, s.as("cid"), snap.ID, games.Nobody))
		if !before {
			ok(s.Propose(ctx, s.as("ann"), snap.ID, table.Draw))
		}
		snap = ok(s.Accept(ctx, s.as("cid"), snap.ID, table.Draw, 0))
		if snap.Status != table.Over || snap.Ending != games.Agreed {
			t.Errorf("proposed before %v, agreed by both: %v %q", before, snap.Status, snap.Ending)
		}
	}
	// A game can be abandoned, because that has no result and costs nobody anything.
	snap := started(s, "ann", "bob")
	ok(s.Remove(ctx, moderator, snap.ID, "bob"))
	if snap = ok(s.Propose(ctx, s.as("ann"), snap.ID, table.Abandon)); snap.Status != table.Over ||
		snap.Ending != games.Abandoned {
		t.Errorf("alone, the game is not abandoned: %v %q", snap.Status, snap.Ending)
	}
}

// When several tables that need a channel for themselves are opened in the same channel at the same moment, only one is
// opened.
func TestOneTableIsAloneInItsChannel(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), newShip(t)
	const at = 8
	errs := make(chan error, at)
	for range at {
		by := s.as("ann")
		go func() {
			_, err := s.Open(ctx, by, table.Opening{Game: "heap", Guild: "g", Channel: "c", Alone: true})
			errs <- err
		}()
	}
	opened := 0
	for range at {
		switch err := <-errs; {
		case err == nil:
			opened++
		case !errors.Is(err, table.ErrChannelBusy):
			t.Error(err)
		}
	}
	heads, err := s.Lookup.InChannel(ctx, "c")
	if err != nil || opened != 1 || len(heads) != 1 {
		t.Errorf("%d were opened, %d are in the channel, %v", opened, len(heads), err)
	}
	if _, err := s.Open(ctx, s.as("bob"), table.Opening{Game: "heap", Guild: "g", Channel: "c"}); err != nil {
		t.Errorf("a table that need not be alone: %v", err)
	}
	if _, err := s.Abandon(ctx, table.Actor{User: "mod", Moderator: true}, heads[0].ID); err != nil {
		t.Fatal(err)
	}
}

// The next table of a player is the one that has waited longest for their move. Tables on the given server come first.
func TestTheNextTableHasWaitedLongest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, ok := t.Context(), must(t)
		s := newShip(t)
		defer s.sink()
		open := func(guild string) *table.Snapshot {
			time.Sleep(time.Minute)
			snap := ok(s.Open(ctx, s.as("ann"), table.Opening{Game: "heap", Seats: 2, Guild: guild, Channel: "c",
				WhenFull: true, Fixed: true}))
			return ok(s.Join(ctx, s.as("bob"), snap.ID))
		}
		a, b, c := open("g"), open("h"), open("g")
		next := func(guild string, but table.ID) (table.ID, int) {
			h, n, err := s.Lookup.NextTurn(ctx, "ann", guild, but)
			if err != nil {
				t.Fatal(err)
			}
			return h.ID, n
		}
		for _, tc := range []struct {
			guild string
			but   table.ID
			want  table.ID
			count int
		}{{"g", 0, a.ID, 3}, {"g", a.ID, c.ID, 2}, {"h", 0, b.ID, 3}, {"h", b.ID, a.ID, 2}, {"elsewhere", 0, a.ID, 3}} {
			if id, n := next(tc.guild, tc.but); id != tc.want || n != tc.count {
				t.Errorf("in %s after %d it is table %d of %d, want %d of %d", tc.guild, tc.but, id, n, tc.want,
					tc.count)
			}
		}
		time.Sleep(time.Minute)
		ok(s.Move(ctx, s.as("ann"), a.ID, "take 1", 0))
		ok(s.Move(ctx, s.as("bob"), a.ID, "take 1", 0))
		if id, _ := next("elsewhere", 0); id != b.ID {
			t.Errorf("after a move at the first table and back it is table %d, want %d", id, b.ID)
		}
		ok(s.Pause(ctx, table.Actor{User: "mod", Moderator: true}, b.ID))
		if id, n := next("h", 0); id != c.ID || n != 2 {
			t.Errorf("with that one paused it is table %d of %d, want %d of 2", id, n, c.ID)
		}
		mine, err := s.Lookup.MyTurn(ctx, "ann")
		if err != nil || len(mine) != 2 || mine[0].ID != c.ID || mine[1].ID != a.ID {
			t.Errorf("these wait for ann: %v, %v", mine, err)
		}
	})
}
