package table_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"

	"marque/bot/table"
	"marque/games"
	"marque/games/computer"
	"marque/games/text"
	"marque/storage"
)

// laps is a game that never ends, because nothing is ever taken from the heap.
type laps struct{ games.Game }

func (laps) Key() string                     { return "laps" }
func (laps) Traits() games.Traits            { return games.Traits{Longest: 40, Usual: 40} }
func (l laps) New(s games.Setup) games.State { return lap{State: l.Game.New(s), seats: s.Seats} }

// lap is the first position of the heap, with any player to move.
type lap struct {
	games.State
	turn, seats int
	gone        games.SeatSet
}

func (l lap) ToMove() games.Seat { return games.Seat(l.turn) }

func (l lap) Apply(games.Move) games.State { return l.next() }

func (l lap) next() lap {
	for {
		l.turn = (l.turn + 1) % l.seats
		if !l.gone.Has(games.Seat(l.turn)) {
			return l
		}
	}
}

func (l lap) Withdraw(seat games.Seat) games.State {
	l.gone.Add(seat)
	if games.Seat(l.turn) == seat {
		return l.next()
	}
	return l
}

func (l lap) MarshalJSON() ([]byte, error) {
	return json.Marshal([]int{l.turn, l.seats, int(l.gone)})
}
func (l lap) Mask(games.Seat) games.State                      { return l }
func (l lap) Sample(games.Seat, *rand.Rand) games.State        { return l }
func (lap) Strike(games.Move, games.Seat) (text.Message, bool) { return text.Message{}, false }

var _ games.Striker = lap{}

// count returns how many of a table's published events have this kind and seat.
func (s *ship) count(id table.ID, kind storage.Kind, seat games.Seat) int {
	n := 0
	for _, e := range s.told(id) {
		if e.Kind == kind && e.Seat == seat {
			n++
		}
	}
	return n
}

// A computer whose loss is proved resigns if and only if the table allows it.
func TestLostComputersResign(t *testing.T) {
	t.Parallel()
	for _, allowed := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			ctx, ok := t.Context(), must(t)
			s := withComputers(t, &mate{lost: []computer.Candidate{{Move: 1, Proved: true}, {Move: 2, Proved: true}}})
			snap := ok(s.Open(ctx, s.as("ann"), table.Opening{Game: "heap",
				Computers: []table.ComputerPlayer{easy("Bosun")}, Guild: "g", Channel: "c", WhenFull: true, Fixed: true,
				Resign: allowed}))
			id := snap.ID
			ok(s.Move(ctx, s.as("ann"), id, "take 1", 0))
			synctest.Wait()
			snap = ok(s.Lookup.Snapshot(ctx, id))
			if over := snap.Status == table.Over; over != allowed {
				t.Fatalf("allowed %v: %+v", allowed, snap.Head)
			}
			if n := s.count(id, storage.Resigned, 1); allowed != (n == 1) {
				t.Errorf("allowed %v: the computer's resignation was told %d times", allowed, n)
			}
			if allowed {
				if w := snap.Outcome().Winners; len(w) != 1 || w[0] != 0 {
					t.Errorf("the winners are %v, want ann", w)
				}
				said := snap.Describe(table.Event{Kind: storage.Resigned, Seat: 1})
				if said.ID != "table.news.computer-resigned" {
					t.Errorf("its resignation is told by %q", said.ID)
				}
			}
			s.sink()
		})
	}
}

// A computer whose loss is probable but not proved resigns only after several hopeless decisions. A restart between
// them changes nothing. If its chance at the earlier decisions was better, it does not resign.
func TestHopelessComputersResign(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, ok := t.Context(), must(t)
		m := &mate{chance: 0.01, lost: []computer.Candidate{{Move: 1, Chance: 0.01}, {Move: 2, Chance: 0.02}}}
		s := withComputers(t, m)
		open := func() table.ID {
			return ok(s.Open(ctx, s.as("ann"), table.Opening{Game: "laps",
				Computers: []table.ComputerPlayer{easy("Bosun")}, Guild: "g", Channel: "c", WhenFull: true, Fixed: true,
				Resign: true})).ID
		}
		id := open()
		for turn := 1; turn <= 4; turn++ {
			ok(s.Move(ctx, s.as("ann"), id, "take 1", 0))
			synctest.Wait()
			if over := ok(s.Lookup.Snapshot(ctx, id)).Status == table.Over; over != (turn == 4) {
				t.Fatalf("after decision %d of a hopeless computer the game is over: %v", turn, over)
			}
			if turn == 2 {
				s.sink()
				s.launch(table.Config{Computers: m})
				s.Start(s.teller)
			}
		}
		id = open()
		m.set(func() { m.chance = 0.2 }) // chance at the earlier decisions
		for range 6 {
			ok(s.Move(ctx, s.as("ann"), id, "take 1", 0))
			synctest.Wait()
		}
		if snap := ok(s.Lookup.Snapshot(ctx, id)); snap.Status == table.Over {
			t.Errorf("a computer gives up though it stood well some decisions ago: %+v", snap.Head)
		}
		s.sink()
	})
}

// A lost computer among several opponents plays on, because leaving would change the others' game.
func TestLostComputersStayAmongMany(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, ok := t.Context(), must(t)
		s := withComputers(t, &mate{lost: []computer.Candidate{{Move: 1, Proved: true}, {Move: 2, Proved: true}}})
		snap := ok(s.Open(ctx, s.as("ann"), table.Opening{Game: "laps", Computers: []table.ComputerPlayer{easy("Bosun"),
			easy("Cook")}, Guild: "g", Channel: "c", WhenFull: true, Fixed: true, Resign: true}))
		for range 3 {
			ok(s.Move(ctx, s.as("ann"), snap.ID, "take 1", 0))
			synctest.Wait()
		}
		if snap = ok(s.Lookup.Snapshot(ctx, snap.ID)); snap.Status == table.Over || !snap.In(1) || !snap.In(2) {
			t.Errorf("a lost computer left two others: %+v", snap.Head)
		}
		s.sink()
	})
}

// A computer that has declined a draw can be asked again only after some plays.
func TestComputersAreNotPestered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, ok := t.Context(), must(t)
		s := withComputers(t, &mate{chance: 0.9})
		id := s.against("laps", "Bosun").ID
		ok(s.Propose(ctx, s.as("ann"), id, table.Draw))
		synctest.Wait()
		if n := s.count(id, storage.Declined, 1); n != 1 {
			t.Fatalf("the computer declined %d times, want once", n)
		}
		for plays := 0; plays < 20; plays = ok(s.Lookup.Snapshot(ctx, id)).Plays {
			if _, err := s.Propose(ctx, s.as("ann"), id, table.Draw); !errors.Is(err, table.ErrDeclined) {
				t.Fatalf("after %d plays ann asks again: %v, want %v", plays, err, table.ErrDeclined)
			}
			ok(s.Move(ctx, s.as("ann"), id, "take 1", 0))
			synctest.Wait()
		}
		ok(s.Propose(ctx, s.as("ann"), id, table.Draw))
		synctest.Wait()
		if n := s.count(id, storage.Declined, 1); n != 2 {
			t.Errorf("the computer has answered %d offers, want 2", n)
		}
		s.sink()
	})
}

// In a game that goes round in circles, a computer agrees to a draw unless it is far ahead, and sometimes offers one
// itself.
func TestComputersEndCircles(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, ok := t.Context(), must(t)
		m := &mate{chance: 0.7}
		s := withComputers(t, m)
		open := func() table.ID {
			return s.against("laps", "Bosun").ID
		}
		sail := func(id table.ID, plays int) *table.Snapshot {
			snap := ok(s.Lookup.Snapshot(ctx, id))
			for snap.Plays < plays && snap.Status != table.Over {
				ok(s.Move(ctx, s.as("ann"), id, "take 1", 0))
				synctest.Wait()
				snap = ok(s.Lookup.Snapshot(ctx, id))
			}
			return snap
		}
		id := open()
		if snap := sail(id, 120); snap.Proposal.Kind != "" || s.count(id, storage.Proposed, 1) != 0 {
			t.Errorf("a draw is offered after %d plays: %+v", snap.Plays, snap.Proposal)
		}
		if snap := sail(id, 122); snap.Proposal.Kind != table.Draw || snap.Proposal.By != 1 {
			t.Fatalf("after %d plays that took nothing no draw is offered: %+v", snap.Plays, snap.Head)
		}
		sail(id, 220) // ann ignores the offers
		if n := s.count(id, storage.Proposed, 1); n != 1 {
			t.Errorf("up to play 220 a draw was offered %d times, want once", n)
		}
		if sail(id, 230); s.count(id, storage.Proposed, 1) != 2 {
			t.Errorf("up to play 230 a draw was offered %d times, want twice", s.count(id, storage.Proposed, 1))
		}
		ok(s.Propose(ctx, s.as("ann"), id, table.Draw))
		synctest.Wait()
		if snap := ok(s.Lookup.Snapshot(ctx, id)); snap.Status != table.Over || !snap.Outcome().Drawn {
			t.Errorf("a computer does not agree to a draw in a game that goes round in circles: %+v", snap.Head)
		}
		id = open()
		sail(id, 122)
		if snap := ok(s.Accept(ctx, s.as("ann"), id, table.Draw, 0)); snap.Status != table.Over ||
			!snap.Outcome().Drawn {
			t.Errorf("agreeing to the computer's draw leads to %+v", snap.Head)
		}
		// A computer that is far ahead plays for a win, but not forever.
		m.set(func() { m.chance = 0.9 })
		id = open()
		sail(id, 200)
		ok(s.Propose(ctx, s.as("ann"), id, table.Draw))
		synctest.Wait()
		if s.count(id, storage.Proposed, 1) != 0 || s.count(id, storage.Declined, 1) != 1 {
			t.Errorf("far ahead, up to play 200 the computer offered %d draws and declined %d, want 0 and 1",
				s.count(id, storage.Proposed, 1), s.count(id, storage.Declined, 1))
		}
		if snap := sail(id, 302); snap.Proposal.Kind != table.Draw || snap.Proposal.By != 1 {
			t.Errorf("after %d plays that took nothing no draw is offered: %+v", snap.Plays, snap.Head)
		}
		s.sink()
	})
}

// A game in which only computers are left comes to an end.
func TestComputersAloneComeToAnEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, ok := t.Context(), must(t)
		s := withComputers(t, &mate{chance: 0.9})
		id := s.against("laps", "Bosun", "Cook").ID
		ok(s.Resign(ctx, s.as("ann"), id))
		synctest.Wait()
		snap := ok(s.Lookup.Snapshot(ctx, id))
		if snap.Status != table.Over || !snap.Outcome().Drawn || len(snap.Outcome().Winners) != 2 {
			t.Errorf("after ann has resigned the computers are at %+v, want a draw of two", snap.Head)
		}
		if told := s.told(id); len(told) != int(snap.Events) {
			t.Errorf("told %d events, there are %d", len(told), snap.Events)
		}
		s.sink()
	})
}

// Other tables are served between the consecutive moves of computers at one table: such moves are committed one at a
// time while other tables are queued.
func TestLongRowsLetOthersIn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, ok := t.Context(), must(t)
		m := &mate{hold: make(chan struct{})}
		s := withComputers(t, m)
		var ids []table.ID
		for range 6 {
			id := s.against("laps", "Bosun", "Cook", "Gunner").ID
			ok(s.Move(ctx, s.as("ann"), id, "take 1", 0))
			ids = append(ids, id)
		}
		synctest.Wait()
		close(m.hold)
		synctest.Wait()
		// Computers choose a move for seat 1 at nearly all tables before they choose one for seat 3 at any.
		m.set(func() {
			first := func(seat games.Seat) int {
				n := 0
				for _, a := range m.asked {
					if a == seat {
						return n
					}
					n++
				}
				return -1
			}
			bosuns := 0
			for _, a := range m.asked[:first(3)] {
				if a == 1 {
					bosuns++
				}
			}
			if bosuns < len(ids)-1 { // one table may still be waiting
				t.Errorf("%d of %d tables had a first move before one had its third: %v", bosuns, len(ids), m.asked)
			}
		})
		for _, id := range ids {
			if snap := ok(s.Lookup.Snapshot(ctx, id)); snap.Mover() != "ann" {
				t.Errorf("table %s: %+v, want ann to move", id, snap.Head)
			}
		}
		s.sink()
	})
}

// If a person leaves a game before a quarter of its usual length, the result has the percentage of that quarter that
// had been played.
func TestAResultKnowsWhoLeftEarly(t *testing.T) {
	t.Parallel()
	ctx, ok, s := t.Context(), must(t), newShip(t)
	defer s.sink()
	for _, tc := range []struct {
		plays int
		want  []int
	}{{6, []int{100, 60}}, {10, nil}} {
		id := rounds(s, storage.ClockRule{}, "ann", "bob").ID
		for range tc.plays / 2 {
			s.take1(id, "ann")
			s.take1(id, "bob")
		}
		ok(s.Resign(ctx, s.as("bob"), id))
		if r, err := s.standings().ResultOf(ctx, id); err != nil || !slices.Equal(r.Stayed, tc.want) {
			t.Errorf("bob resigns after %d plays of usually 40: %v %v, want %v", tc.plays, r.Stayed, err, tc.want)
		}
	}
}

// A rated game against computers in which a person has moved can only be resigned. It cannot be dropped by stopping it,
// by leaving it to a computer, by taking the first move back, or by a moderator who leaves their own seat. Before the
// first move, or if the game does not count, it can be dropped.
func TestAStakedGameIsResigned(t *testing.T) {
	t.Parallel()
	ctx, ok := t.Context(), must(t)
	opening := table.Opening{Game: "laps", Computers: []table.ComputerPlayer{easy("Bosun")}, WhenFull: true,
		Fixed: true, Guild: "g", Channel: "c"}
	for _, tc := range []struct {
		name    string
		unrated bool
		moves   bool
		back    bool
		staked  bool
	}{{"before the first move", false, false, false, false}, {"after it", false, true, false, true},
		{"taken back", false, true, true, true}, {"unrated", true, true, false, false}} {
		s := withComputers(t, &mate{})
		o := opening
		o.Unrated = tc.unrated
		snap := ok(s.Open(ctx, s.as("ann"), o))
		if tc.moves {
			snap = ok(s.Move(ctx, s.as("ann"), snap.ID, menu(t, snap)[0], 0))
		}
		if tc.back {
			snap = ok(s.Propose(ctx, s.as("ann"), snap.ID, table.Undo))
		}
		if snap.Staked() != tc.staked {
			t.Errorf("%s: staked %v, want %v", tc.name, snap.Staked(), tc.staked)
		}
		ok(s.Offer(ctx, s.as("ann"), snap.ID))
		if _, err := s.TakeByComputer(ctx, s.as("ann"), snap.ID, snap.Seat("ann"), easy("Mate")); tc.staked {
			refused(t, tc.name+": a computer takes over", err, table.ErrStaked, "/table resign")
		} else if err != nil {
			t.Errorf("%s: a computer takes over: %v", tc.name, err)
		}
		s.sink()
	}
	s := withComputers(t, &mate{})
	defer s.sink()
	snap := ok(s.Open(ctx, s.as("ann"), opening))
	early := ok(s.Propose(ctx, s.as("ann"), snap.ID, table.Abandon))
	if early.Status != table.Over || early.Ending != games.Abandoned {
		t.Errorf("before the first move the game cannot be stopped: %+v", early.Head)
	}
	snap = ok(s.Open(ctx, s.as("ann"), opening))
	snap = ok(s.Move(ctx, s.as("ann"), snap.ID, menu(t, snap)[0], 0))
	_, err := s.Propose(ctx, s.as("ann"), snap.ID, table.Abandon)
	refused(t, "stopping", err, table.ErrStaked, "/table resign")
	by := moderator(s)
	by.User = "ann"
	_, err = s.Remove(ctx, by, snap.ID, "ann")
	refused(t, "a moderator takes themselves off", err, table.ErrStaked, "/table resign")
	after := ok(s.Resign(ctx, s.as("ann"), snap.ID))
	if after.Status != table.Over || after.Unrated() || after.Ending != games.Resigned {
		t.Errorf("resigned: %+v", after.Head)
	}
}

// Nobody becomes first on a leaderboard by wins against opponents who resign: neither against twenty new accounts that
// resign within five moves, nor against one account that resigns ten times.
func TestOpponentsWhoResignMakeNobodyFirst(t *testing.T) {
	t.Parallel()
	ctx, ok, s := t.Context(), must(t), newShip(t)
	defer s.sink()
	against := func(user string, moves int) {
		snap := ok(s.Open(ctx, s.as("ann"), table.Opening{Game: "heap", Seats: 2, WhenFull: true, Fixed: true,
			Guild: "g", Channel: "c"}))
		snap = ok(s.Join(ctx, s.as(user), snap.ID))
		for range moves {
			snap = ok(s.Move(ctx, s.as(snap.Mover()), snap.ID, "take 1", 0))
		}
		if snap = ok(s.Resign(ctx, s.as(user), snap.ID)); snap.Status != table.Over {
			t.Fatalf("%+v", snap.Head)
		}
	}
	line := func() (storage.Standing, storage.BoardPage) {
		page, err := s.standings().Leaderboard(ctx, storage.Board{Guild: "g", Game: "heap"}, 0, 10, "ann")
		if err != nil {
			t.Fatal(err)
		}
		return page.Own.Standing, page
	}
	for n := range 20 {
		against(fmt.Sprint("fresh", n), n%6)
	}
	if own, page := line(); own.Games != 0 || page.Total != 0 {
		t.Errorf("20 accounts that resigned at once leave ann with %+v, %d ranked", own, page.Total)
	}
	against("bob", 6)
	once, _ := line()
	for range 9 {
		against("bob", 6)
	}
	if own, page := line(); own.Games != 10 || page.Total != 0 || own.Rating.Points() > once.Rating.Points()+
		3*(once.Rating.Points()-1500) {
		t.Errorf("one who resigned ten times makes ann %d after %d; %d ranked, %d games", own.Rating.Points(),
			once.Rating.Points(), page.Total, own.Games)
	}
}
