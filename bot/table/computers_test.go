package table_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"marque/bot/choices"
	"marque/bot/table"
	"marque/games"
	"marque/games/computer"
	"marque/games/text"
	"marque/storage"
)

// mate is a computer player of the heap game. It takes one, and answers offers of a draw by the chance that a test
// sets.
type mate struct {
	mu     sync.Mutex
	chance float64
	asked  []games.Seat
	hold   chan struct{} // if set, choices wait until hold is closed
	fail   error
	panics bool
	lost   []computer.Candidate // if set, the candidates returned with its moves
	judged int                  // number of plays judged with little effort
	tires  int                  // if set, after this many plays judging hangs until its context ends
}

func (*mate) Levels() []string { return []string{"easy", "hard"} }

func (m *mate) Advise(ctx context.Context, v games.View, seed uint64,
	waiting int) (games.Move, computer.Thought, error) {
	return m.Choose(ctx, "heap", "hard", v, seed, waiting)
}

func (m *mate) Choose(ctx context.Context, _, level string, v games.View, _ uint64,
	_ int) (games.Move, computer.Thought, error) {
	m.mu.Lock()
	m.asked = append(m.asked, v.Viewer)
	hold, fail, lost := m.hold, m.fail, m.lost
	m.mu.Unlock()
	if m.panics {
		panic("the compass is broken")
	}
	if hold != nil {
		select {
		case <-hold:
		case <-ctx.Done():
		}
	}
	if !v.Mine() {
		return 0, computer.Thought{}, computer.ErrNotToMove
	}
	if lost != nil {
		return 1, computer.Thought{Candidates: lost}, fail
	}
	return 1, computer.Thought{Chance: 0.5, Candidates: []computer.Candidate{{Move: 1, Chance: 0.5}}}, fail
}

// Assess judges taking two or three as a mistake. A thorough assessment finds that taking three was no mistake.
func (m *mate) Assess(ctx context.Context, _ games.View, played games.Move, effort computer.Effort,
	_ uint64) (computer.Assessment, error) {
	m.mu.Lock()
	tired := m.tires > 0 && m.judged == m.tires && effort == computer.Quick
	if !tired && effort == computer.Quick {
		m.judged++
	}
	m.mu.Unlock()
	if tired {
		<-ctx.Done()
		return computer.Assessment{}, ctx.Err()
	}
	if effort == computer.Thorough && played == 3 {
		return computer.Assessment{Better: 1, Had: 0.9, Left: 0.85}, nil
	}
	return computer.Assessment{Better: 1, Had: 0.9, Left: 0.9 - 0.2*float64(played-1)}, nil
}

// Threaten reports that every move threatens to win.
func (*mate) Threaten(_ context.Context, v games.View, m games.Move, _ uint64) (computer.Threat, bool) {
	return computer.Threat{Said: v.State.Describe(m), Wins: true, Share: 1}, true
}

func (m *mate) Estimate(context.Context, games.View, uint64, int) float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.chance
}

func (m *mate) set(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f()
}

// withComputers returns a ship with m as its computer player.
func withComputers(t *testing.T, m *mate) *ship {
	s := newShip(t)
	s.sink()
	s.launch(table.Config{Computers: m})
	s.Start(s.teller)
	return s
}

// against opens a game of ann against computers of level easy. It begins immediately, with ann in the first seat.
func (s *ship) against(game string, computers ...string) *table.Snapshot {
	s.t.Helper()
	open := table.Opening{Game: game, Guild: "g", Channel: "c", WhenFull: true, Fixed: true}
	for _, name := range computers {
		open.Computers = append(open.Computers, easy(name))
	}
	return must(s.t)(s.Open(s.t.Context(), s.as("ann"), open))
}

func easy(name string) table.ComputerPlayer {
	return table.ComputerPlayer{Level: "easy", Name: text.NewName(name)}
}

// A game of one person against two computers begins immediately. The computers move one after the other, and one
// message shows all their moves.
func TestComputersMoveInARow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, ok := t.Context(), must(t)
		m := &mate{}
		s := withComputers(t, m)
		snap := ok(s.Open(ctx, s.as("ann"), table.Opening{Game: "heap", Computers: []table.ComputerPlayer{easy("Bosun"),
			easy("Cook")}, Guild: "g", Channel: "c", WhenFull: true}))
		// The table is opened, filled and begun in one commit. A process that ended between two commits would leave a
		// full table that nobody starts.
		if snap.Status != table.Playing || len(snap.Seats) != 3 || snap.Version != 1 {
			t.Fatalf("after /play with two computers: %+v", snap.Head)
		}
		id := snap.ID
		for {
			synctest.Wait()
			snap = ok(s.Lookup.Snapshot(ctx, id))
			if snap.Status == table.Over {
				break
			}
			if snap.Mover() != "ann" {
				t.Fatalf("seat %d (%+v) is to move once all is quiet, want ann", snap.ToMove, snap.Holder(snap.ToMove))
			}
			told := len(s.teller.news)
			ok(s.Move(ctx, s.as("ann"), id, "take 1", snap.Version))
			synctest.Wait()
			if got := len(s.teller.news) - told; got != 1 {
				t.Errorf("ann's move and the answers were told in %d messages, want one", got)
			}
		}
		told := s.told(id)
		if len(told) != int(snap.Events) {
			t.Errorf("told %d events, there are %d", len(told), snap.Events)
		}
		for _, seat := range m.asked {
			if snap.Holder(seat).Computer == "" {
				t.Errorf("the computer thought for seat %d, which is a person's", seat)
			}
		}
		results, err := s.standings().Results(ctx, storage.ResultQuery{Guild: "g", Limit: 10})
		if err != nil || len(results) != 1 || !results[0].Computers() {
			t.Errorf("results %+v, %v; want one, marked as with computers", results, err)
		}
		for _, b := range results[0].Boards() {
			if !b.Computers {
				t.Errorf("the result counts on %+v, which is for people", b)
			}
		}
		s.sink()
	})
}

// Users with a seat can add and dismiss computers before the start.
func TestComputersInTheLobby(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, ok := t.Context(), must(t)
		s := withComputers(t, &mate{})
		snap := ok(s.Open(ctx, s.as("ann"), table.Opening{Game: "heap", Seats: 3, Guild: "g", Channel: "c",
			WhenFull: true}))
		id := snap.ID
		for _, c := range []struct {
			by    string
			level string
			want  error
		}{{"bob", "easy", table.ErrNotSeated}, {"ann", "grand", table.ErrNoLevel}} {
			if _, err := s.AddComputer(ctx, s.as(c.by), id, table.ComputerPlayer{Level: c.level,
				Name: text.NewName("Bosun")}); !errors.Is(err, c.want) {
				t.Errorf("%s adds level %s: %v, want %v", c.by, c.level, err, c.want)
			}
		}
		if _, err := s.DismissComputer(ctx, s.as("ann"), id); !errors.Is(err, table.ErrNoComputer) {
			t.Errorf("sending nobody ashore: %v, want %v", err, table.ErrNoComputer)
		}
		snap = ok(s.AddComputer(ctx, s.as("ann"), id, easy("Bosun")))
		if len(snap.Seats) != 2 || snap.Seats[1] != (table.Occupant{Name: text.NewName("Bosun"), Computer: "easy"}) ||
			len(snap.Inputs()) != 2 {
			t.Fatalf("seats %+v, inputs %v", snap.Seats, snap.Inputs())
		}
		snap = ok(s.DismissComputer(ctx, s.as("ann"), id))
		if len(snap.Seats) != 1 || len(snap.Inputs()) != 3 || snap.Seats[0].User != "ann" {
			t.Fatalf("after dismissing: seats %+v, inputs %v", snap.Seats, snap.Inputs())
		}
		ok(s.AddComputer(ctx, s.as("ann"), id, easy("Bosun")))
		// The table is closed when its last person leaves, even if computers have seats.
		snap = ok(s.Leave(ctx, s.as("ann"), id))
		if snap.Status != table.Over {
			t.Errorf("a lobby of computers alone is %+v, want over", snap.Head)
		}
		s.sink()
	})
}

// Computers answer offers of a draw, and can agree.
func TestComputersAnswerDraws(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		chance float64
		agrees bool
	}{{0.9, false}, {0.5, false}, {0.2, true}} {
		synctest.Test(t, func(t *testing.T) {
			ctx, ok := t.Context(), must(t)
			s := withComputers(t, &mate{chance: c.chance})
			snap := ok(s.Open(ctx, s.as("ann"), table.Opening{Game: "heap",
				Computers: []table.ComputerPlayer{easy("Bosun")}, Guild: "g", Channel: "c", WhenFull: true}))
			synctest.Wait()
			if snap = ok(s.Propose(ctx, s.as("ann"), snap.ID, table.Draw)); snap.Status == table.Over {
				t.Fatal("the draw was agreed without asking the computer")
			}
			synctest.Wait()
			snap = ok(s.Lookup.Snapshot(ctx, snap.ID))
			agreed := snap.Status == table.Over && snap.Outcome().Drawn
			if agreed != c.agrees || !agreed && snap.Proposal.Kind != "" {
				t.Errorf("with a chance of %v: %+v, want agreed %v", c.chance, snap.Head, c.agrees)
			}
			kinds := []storage.Kind{}
			for _, e := range s.told(snap.ID) {
				kinds = append(kinds, e.Kind)
			}
			want := storage.Declined
			if c.agrees {
				want = storage.Agreed
			}
			if !slices.Contains(kinds, want) {
				t.Errorf("told %v, want %v among them", kinds, want)
			}
			s.sink()
		})
	}
}

// People do not wait for a computer that thinks: a person can resign in the meantime, and the computer's decision is
// discarded.
func TestThinkingBlocksNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, ok := t.Context(), must(t)
		m := &mate{hold: make(chan struct{})}
		s := withComputers(t, m)
		snap := s.against("heap", "Bosun")
		snap = ok(s.Move(ctx, s.as("ann"), snap.ID, "take 3", 0))
		synctest.Wait()
		if len(m.asked) == 0 {
			t.Fatal("the computer is not thinking")
		}
		plays := ok(s.Resign(ctx, s.as("ann"), snap.ID)).Plays
		close(m.hold)
		synctest.Wait()
		snap = ok(s.Lookup.Snapshot(ctx, snap.ID))
		if snap.Status != table.Over || snap.Plays != plays {
			t.Errorf("after resigning: %+v, want over with %d plays", snap.Head, plays)
		}
		if told := s.told(snap.ID); told[len(told)-1].Kind != storage.Ended {
			t.Errorf("told %+v, want the end", told)
		}
		s.sink()
	})
}

// A computer that was to move when the bot stopped moves after the bot's next start.
func TestComputersSurviveRestarts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, ok := t.Context(), must(t)
		m := &mate{hold: make(chan struct{})}
		s := withComputers(t, m)
		snap := s.against("heap", "Bosun")
		id := snap.ID
		snap = ok(s.Move(ctx, s.as("ann"), id, "take 3", 0))
		synctest.Wait()
		s.sink()
		m.set(func() { m.hold = nil })
		s.launch(table.Config{Computers: m})
		if again := ok(s.Lookup.Snapshot(ctx, id)); again.Version != snap.Version {
			t.Fatalf("the computer's move was committed while stopping: version %d, want %d", again.Version,
				snap.Version)
		}
		s.Start(s.teller)
		synctest.Wait()
		if snap = ok(s.Lookup.Snapshot(ctx, id)); snap.Mover() != "ann" {
			t.Errorf("after the restart: %+v, want ann to move", snap.Head)
		}
		s.sink()
	})
}

// A computer whose thinking fails tries again later, even after a restart. The people's moves are published in the
// meantime.
func TestFailedThinkingIsTriedAgain(t *testing.T) {
	t.Parallel()
	for _, restart := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			ctx, ok := t.Context(), must(t)
			m := &mate{chance: 0.9, fail: errors.New("lost the compass")}
			s := withComputers(t, m)
			defer func() { s.sink() }()
			id := s.against("heap", "Bosun").ID
			snap := ok(s.Move(ctx, s.as("ann"), id, "take 3", 0))
			synctest.Wait()
			if told := s.told(id); len(told) != int(snap.Events) {
				t.Errorf("told %d events, want all %d", len(told), snap.Events)
			}
			time.Sleep(10 * time.Hour)
			synctest.Wait() // the computer may be thinking right now
			if n := len(m.asked); n < 10 || n > 25 {
				t.Errorf("in ten hours it tries %d times, want every minute at first and every hour at last", n)
			}
			m.set(func() { m.fail = nil })
			if restart {
				s.sink()
				s.launch(table.Config{Computers: m})
				s.Start(s.teller)
			}
			time.Sleep(2 * time.Hour)
			synctest.Wait()
			if snap = ok(s.Lookup.Snapshot(ctx, id)); snap.Mover() != "ann" {
				t.Errorf("two hours after the fault (restart %v): %+v, want ann to move", restart, snap.Head)
			}
			if told := s.told(id); len(told) != int(snap.Events) {
				t.Errorf("in the end %d events are told, want all %d", len(told), snap.Events)
			}
		})
	}
}

// computerToMove returns a ship on a store with faults, and a table at which a computer is to move. The computer waits
// for m.hold to be closed.
func computerToMove(t *testing.T) (s *ship, f *flaky, m *mate, id table.ID) {
	t.Helper()
	ctx, ok := t.Context(), must(t)
	m = &mate{hold: make(chan struct{})}
	s = newShip(t)
	s.sink()
	s.launch(table.Config{})
	f = &flaky{Store: s.store, before: map[string]int{}, after: map[string]int{}}
	s.Service = table.New(table.Config{Store: f, Games: find, Computers: m, Log: slog.New(slog.DiscardHandler)})
	s.Start(s.teller)
	id = s.against("heap", "Bosun").ID
	ok(s.Move(ctx, s.as("ann"), id, "take 3", 0))
	synctest.Wait()
	return s, f, m, id
}

// A computer's move that the disk refuses several times is committed soon after the last refusal.
func TestAComputersMoveOutlivesAFault(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, ok := t.Context(), must(t)
		s, f, m, id := computerToMove(t)
		defer func() { s.sink() }()
		began := time.Now()
		const faults = 4
		f.mu.Lock()
		f.before["commit"] = faults
		f.mu.Unlock()
		close(m.hold)
		for left := faults; left > 0; {
			time.Sleep(time.Second)
			synctest.Wait()
			if time.Since(began) > faults*15*time.Second {
				t.Fatalf("%d commits of %d were tried in %v", faults-left, faults, time.Since(began))
			}
			f.mu.Lock()
			left = f.before["commit"]
			f.mu.Unlock()
		}
		time.Sleep(15 * time.Second)
		synctest.Wait()
		if snap := ok(s.Lookup.Snapshot(ctx, id)); snap.Mover() != "ann" {
			t.Errorf("15 s after the last fault: %+v, want ann to move", snap.Head)
		}
	})
}

// A computer's move that the store refuses each time is tried again only a few times an hour, even though the store
// accepts other writes.
func TestAMoveThatIsAlwaysRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, f, m, _ := computerToMove(t)
		defer func() { s.sink() }()
		const many = 10_000
		f.mu.Lock()
		f.before["commit"] = many
		f.mu.Unlock()
		close(m.hold)
		time.Sleep(10 * time.Hour)
		f.mu.Lock()
		defer f.mu.Unlock()
		// Due work that keeps failing is tried every ten minutes.
		if n := many - f.before["commit"]; n < 10 || n > 80 {
			t.Errorf("in ten hours %d commits were tried", n)
		}
	})
}

// A computer that chooses a move while the bot is stopping moves after the next start.
func TestAComputersMoveOutlivesAStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, ok := t.Context(), must(t)
		hold := make(chan struct{})
		m := &mate{hold: hold}
		s := newShip(t)
		defer func() { s.sink() }()
		s.sink()
		s.launch(table.Config{})
		slow := &slowStore{Store: s.store}
		s.Service = table.New(table.Config{Store: slow, Games: find, Computers: m, Log: slog.New(slog.DiscardHandler)})
		s.Start(s.teller)
		open := table.Opening{Game: "heap", Computers: []table.ComputerPlayer{easy("Bosun")}, Guild: "g", Channel: "c",
			WhenFull: true, Fixed: true}
		id := ok(s.Open(ctx, s.as("ann"), open)).ID
		ok(s.Move(ctx, s.as("ann"), id, "take 3", 0))
		other := ok(s.Open(ctx, s.as("bob"), open)).ID
		synctest.Wait()
		slow.pause.Store(int64(10 * time.Second)) // a running command delays the stop
		go s.Move(ctx, s.as("bob"), other, "take 3", 0)
		synctest.Wait()
		go func() { time.Sleep(time.Second); close(hold) }()
		s.sink()
		m.set(func() { m.hold = nil })
		s.launch(table.Config{Computers: m})
		s.Start(s.teller)
		time.Sleep(time.Second)
		synctest.Wait()
		for _, id := range []table.ID{id, other} {
			if snap := ok(s.Lookup.Snapshot(ctx, id)); snap.ToMove != 0 {
				t.Errorf("table %s after the restart: %+v, want the person to move", id, snap.Head)
			}
		}
	})
}

// slowStore is a store whose commits take the time in pause.
type slowStore struct {
	*storage.Store
	pause atomic.Int64 // in nanoseconds
}

func (s *slowStore) Commit(ctx context.Context, c storage.Change) error {
	time.Sleep(time.Duration(s.pause.Load()))
	return s.Store.Commit(ctx, c)
}

// A computer that panics while it chooses a late player's move does not end the process. The late player's seat is
// offered instead.
func TestAPanicInPlaceOfALatePlayer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := withComputers(t, &mate{panics: true})
		defer func() { s.sink() }()
		rule := storage.ClockRule{Mode: storage.PerMove, Time: (10 * time.Hour).Milliseconds(),
			Late: storage.LateComputer}
		id := timed(s, rule, "ann", "bob").ID
		time.Sleep(11 * time.Hour)
		synctest.Wait()
		if snap := s.at(id); !snap.Timing.Out {
			t.Errorf("after the time: %+v, want the seat offered", snap.Head)
		}
	})
}

// Computers serve all waiting tables, two at a time.
func TestComputersServeManyTables(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, ok := t.Context(), must(t)
		m := &mate{hold: make(chan struct{})}
		s := withComputers(t, m)
		var ids []table.ID
		for range 40 {
			snap := s.against("heap", "Bosun")
			ok(s.Move(ctx, s.as("ann"), snap.ID, "take 3", 0))
			ids = append(ids, snap.ID)
		}
		synctest.Wait()
		if len(m.asked) != 2 {
			t.Errorf("%d tables are thought for at once, want 2", len(m.asked))
		}
		close(m.hold)
		synctest.Wait()
		for _, id := range ids {
			if snap := ok(s.Lookup.Snapshot(ctx, id)); snap.Mover() != "ann" {
				t.Errorf("table %s: %+v, want ann to move", id, snap.Head)
			}
		}
		s.sink()
	})
}

// A computer can take a seat that its player offers, and then moves for that seat.
func TestComputersTakeOfferedSeats(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, ok := t.Context(), must(t)
		s := withComputers(t, &mate{})
		snap := ok(s.Open(ctx, s.as("ann"), table.Opening{Game: "heap", Invited: []string{"bob"}, Guild: "g",
			Channel: "c", WhenFull: true, Fixed: true}))
		id := snap.ID
		ok(s.Join(ctx, s.as("bob"), id))
		if _, err := s.TakeByComputer(ctx, s.as("ann"), id, games.Nobody, easy("Bosun")); !errors.Is(err,
			table.ErrNotOffered) {
			t.Errorf("a computer takes what nobody offers: %v, want %v", err, table.ErrNotOffered)
		}
		ok(s.Offer(ctx, s.as("bob"), id))
		if _, err := s.TakeByComputer(ctx, s.as("cid"), id, games.Nobody, easy("Bosun")); !errors.Is(err,
			table.ErrNotSeated) {
			t.Errorf("a stranger seats a computer: %v, want %v", err, table.ErrNotSeated)
		}
		snap = ok(s.TakeByComputer(ctx, s.as("ann"), id, games.Nobody, easy("Bosun")))
		if snap.Holder(1).Computer != "easy" || snap.Holder(1).Name != text.NewName("Bosun") {
			t.Fatalf("seat 1 is held by %+v, want Bosun", snap.Holder(1))
		}
		ok(s.Move(ctx, s.as("ann"), id, "take 3", 0))
		synctest.Wait()
		if snap = ok(s.Lookup.Snapshot(ctx, id)); snap.Mover() != "ann" {
			t.Errorf("after ann's move: %+v, want that the computer has moved", snap.Head)
		}
		s.sink()
	})
}

// Without computer players, a hint is refused without the advice to ask for one elsewhere.
func TestNoHintsWithoutComputers(t *testing.T) {
	t.Parallel()
	s := newShip(t)
	var why *table.Refusal
	if _, err := s.Hint(t.Context(), s.as("ann"), 1, false); !errors.As(err, &why) ||
		why.Message.ID != "table.error.hints-off" {
		t.Errorf("a hint without computer players: %v", err)
	}
	s.sink()
}

// A hint is given only to the player to move. A rated game with another person gives none. In a rated game against
// computers alone, the player must confirm before the first hint that the game then counts only if they come last.
// Where the server allowed hints in rated games when the game started, no confirmation is needed.
func TestHints(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, ok := t.Context(), must(t)
		s := withComputers(t, &mate{})
		mixed := ok(s.Open(ctx, s.as("ann"), table.Opening{Game: "heap", Guild: "g", Channel: "c", WhenFull: true,
			Invited: []string{"bob"}, Fixed: true, Computers: []table.ComputerPlayer{easy("Bosun")}})).ID
		ok(s.Join(ctx, s.as("bob"), mixed))
		open := func(o table.Opening) table.ID {
			o.Game, o.Guild, o.Channel, o.WhenFull, o.Fixed = "heap", "g", "c", true, true
			return ok(s.Open(ctx, s.as("ann"), o)).ID
		}
		bosun := []table.ComputerPlayer{easy("Bosun")}
		rated, unrated := open(table.Opening{Invited: []string{"bob"}}),
			open(table.Opening{Invited: []string{"bob"}, Unrated: true})
		alone := open(table.Opening{Computers: bosun})
		ok(s.Join(ctx, s.as("bob"), rated))
		ok(s.Join(ctx, s.as("bob"), unrated))
		for _, c := range []struct {
			what string
			by   string
			id   table.ID
			sure bool
			want error
		}{
			{"a rated game among people", "ann", rated, true, table.ErrNoHints},
			{"an unrated game", "ann", unrated, false, nil},
			{"a game against a computer alone, unasked", "ann", alone, false, table.ErrUnrates},
			{"a game against a computer alone", "ann", alone, true, nil},
			{"the same game once more", "ann", alone, false, nil},
			{"a rated game among people, with a computer", "ann", mixed, true, table.ErrNoHints},
			{"another's turn", "bob", unrated, false, table.ErrNotYourTurn},
			{"an onlooker", "cid", unrated, false, table.ErrNotSeated},
		} {
			h, err := s.Hint(ctx, s.as(c.by), c.id, c.sure)
			if !errors.Is(err, c.want) {
				t.Errorf("%s: %v, want %v", c.what, err, c.want)
			}
			if err == nil && h.Best != "take 1" {
				t.Errorf("%s: the hint is %q, want what the computer would play", c.what, h.Best)
			}
		}
		if ok(s.Lookup.Snapshot(ctx, rated)).Unrated() {
			t.Error("a hint that was refused takes the game off the leaderboards")
		}
		another := open(table.Opening{Computers: bosun})
		if _, err := s.Choices.ChangeSettings(ctx, "g", func(c *choices.Settings) { c.Hints = true }); err != nil {
			t.Fatal(err)
		}
		// The server's setting for hints changes only games that start later, because the manager who allows hints
		// may play in a running game.
		if _, err := s.Hint(ctx, s.as("ann"), rated, false); !errors.Is(err, table.ErrNoHints) {
			t.Errorf("where the server allows hints since the game started: %v", err)
		}
		if _, err := s.Hint(ctx, s.as("ann"), another, false); !errors.Is(err, table.ErrUnrates) {
			t.Errorf("against computers, where the server allows hints since the game started: %v", err)
		}
		another = open(table.Opening{Computers: bosun})
		if _, err := s.Hint(ctx, s.as("ann"), another, false); err != nil ||
			ok(s.Lookup.Snapshot(ctx, another)).Unrated() {
			t.Errorf("where the server allows hints in rated games the game is unrated after one: %v", err)
		}
		s.sink()
	})
}

// After a hint in a rated game against a computer, a win does not count, but a defeat does. The game cannot be stopped
// without a result.
func TestAHintDoesNotSaveFromADefeat(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, ok := t.Context(), must(t)
		s := withComputers(t, &mate{})
		defer s.sink()
		won := 0
		for n := range 60 { // the dice decide: play until ann has won a game; she resigns the first
			id := ok(s.Open(ctx, s.as("ann"), table.Opening{Game: "heap", Guild: "g", Channel: "c", WhenFull: true,
				Fixed: true, Computers: []table.ComputerPlayer{easy("Bosun")}})).ID
			if _, err := s.Hint(ctx, s.as("ann"), id, true); err != nil {
				t.Fatal(err)
			}
			snap := s.take1(id, "ann")
			_, err := s.Propose(ctx, s.as("ann"), id, table.Abandon)
			refused(t, "ann stops the game after a hint", err, table.ErrStaked, "“/table resign”")
			for n > 0 && snap.Status == table.Playing {
				if snap, err = s.Move(ctx, s.as("ann"), id, "take 3", 0); err != nil {
					synctest.Wait()
					if snap = ok(s.Lookup.Snapshot(ctx, id)); snap.ToMove == 0 {
						if snap, err = s.Move(ctx, s.as("ann"), id, "take 2", 0); err != nil {
							snap = s.take1(id, "ann")
						}
					}
				}
			}
			if n == 0 {
				ok(s.Resign(ctx, s.as("ann"), id))
			}
			r, err := s.standings().ResultOf(ctx, id)
			if err != nil || r.Unrated != r.Won(0) {
				t.Fatalf("after a hint, ann wins %v, and the result is unrated %v, %v", r.Won(0), r.Unrated, err)
			}
			if r.Won(0) {
				won++
				break
			}
		}
		if won == 0 {
			t.Error("ann has not won a single game")
		}
	})
}

// A game's turning points are mistakes that closer analysis confirms, in the order of play. A running game is not
// reviewed.
func TestReview(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, ok := t.Context(), must(t)
		s := withComputers(t, &mate{})
		snap := ok(s.Open(ctx, s.as("ann"), table.Opening{Game: "heap", Invited: []string{"bob"}, Guild: "g",
			Channel: "c", WhenFull: true, Fixed: true}))
		id := snap.ID
		snap = ok(s.Join(ctx, s.as("bob"), id))
		if _, err := s.Reviews.Review(ctx, id); !errors.Is(err, table.ErrNotOver) {
			t.Errorf("reviewing a game that goes on: %v, want %v", err, table.ErrNotOver)
		}
		mistakes := map[int]bool{}
		for n := 0; snap.Status != table.Over; n++ {
			take := []string{"take 1", "take 2", "take 3"}[n%3]
			if menu, _ := snap.Menu(snap.ToMove); len(menu.Candidates()) < 3 {
				take = "take 1"
			}
			play := snap.Plays
			snap = ok(s.Move(ctx, s.as(snap.Mover()), id, take, 0))
			mistakes[play] = take == "take 2"
		}
		found, err := s.Reviews.Review(ctx, id)
		if err != nil || !found.Done || found.Looked != snap.Plays || len(found.Points) == 0 {
			t.Fatalf("the review is %+v, %v", found, err)
		}
		for i, p := range found.Points {
			if !mistakes[p.Play] || p.Played != "take 2" || p.Better != "take 1" {
				t.Errorf("point %+v, want a play of two", p)
			}
			if i > 0 && p.Play <= found.Points[i-1].Play {
				t.Errorf("the points are out of order: %+v", found.Points)
			}
		}
		s.sink()
	})
}

// A review is made once, and restarts do not repeat it. An interrupted review resumes where it stopped when somebody
// requests it.
func TestReviewsOutliveRestarts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, ok := t.Context(), must(t)
		m := &mate{tires: 3}
		s := withComputers(t, m)
		again := func() {
			s.sink()
			s.launch(table.Config{Computers: m})
			s.Start(s.teller)
		}
		snap := ok(s.Open(ctx, s.as("ann"), table.Opening{Game: "heap", Invited: []string{"bob"}, Guild: "g",
			Channel: "c", WhenFull: true, Fixed: true}))
		id := snap.ID
		snap = ok(s.Join(ctx, s.as("bob"), id))
		if points, done := s.Reviews.TurningPoints(ctx, snap); points != nil || done {
			t.Errorf("a game that goes on has turning points: %v, %v", points, done)
		}
		for snap.Status != table.Over {
			snap = ok(s.Move(ctx, s.as(snap.Mover()), id, "take 2", 0))
		}
		synctest.Wait()
		if points, done := s.Reviews.TurningPoints(ctx, snap); done {
			t.Errorf("as soon as somebody looks, all is found: %v", points)
		}
		synctest.Wait() // the third decision has been judged
		points, done := s.Reviews.TurningPoints(ctx, snap)
		if len(points) != 3 || done {
			t.Errorf("interrupted after three decisions there are %v, %v", points, done)
		}
		again()
		m.set(func() { m.tires = 0 })
		found, err := s.Reviews.Review(ctx, id)
		if err != nil || !found.Done || found.Looked != snap.Plays {
			t.Fatalf("after a restart the review is %+v, %v, want all of it", found, err)
		}
		decisions := 0
		for n := range snap.Plays {
			if v := found.ViewAt(n, games.Spectator); v.State.ToMove() >= 0 && len(v.State.Moves()) > 1 {
				decisions++
			}
		}
		if m.judged != decisions {
			t.Errorf("%d decisions were judged of %d: none twice, none left out", m.judged, decisions)
		}
		again()
		m.set(func() { m.judged = 0 })
		if stored, err := s.Reviews.Review(ctx, id); err != nil || !stored.Done || !slices.Equal(stored.Points,
			found.Points) || m.judged != 0 {
			t.Errorf("after another restart the review is %+v, %v, with %d plays judged anew; want %+v from the store",
				stored.Points, err, m.judged, found.Points)
		}
		if points, done := s.Reviews.TurningPoints(ctx, ok(s.Lookup.Snapshot(ctx, id))); !done || !slices.Equal(points,
			found.Points) {
			t.Errorf("a replay shows %v, %v, want %v", points, done, found.Points)
		}
		s.sink()
	})
}

// A review that another version of the computer players made is replaced, because that version judges differently. The
// new review is stored with the present version.
func TestReviewsAreMadeAnewByOtherPlayers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, ok := t.Context(), must(t)
		m := &mate{}
		s := withComputers(t, m)
		snap := ok(s.Open(ctx, s.as("ann"), table.Opening{Game: "heap", Invited: []string{"bob"}, Guild: "g",
			Channel: "c", WhenFull: true, Fixed: true}))
		id := snap.ID
		snap = ok(s.Join(ctx, s.as("bob"), id))
		for snap.Status != table.Over {
			snap = ok(s.Move(ctx, s.as(snap.Mover()), id, "take 2", 0))
		}
		today, err := s.Reviews.Review(ctx, id)
		if err != nil || !today.Done || len(today.Points) == 0 || m.judged == 0 {
			t.Fatalf("the review is %+v, %v, with %d plays judged", today, err, m.judged)
		}
		decisions := m.judged
		for _, version := range []int{computer.Version - 1, computer.Version + 1} {
			other := slices.Clone(today.Points[:1])
			other[0].Play++
			if err := s.store.SetReview(ctx, id, storage.Review{ComputerVersion: version, Looked: today.Looked,
				Points: other, Course: today.Course}); err != nil {
				t.Fatal(err)
			}
			s.sink()
			m.set(func() { m.judged = 0 })
			s.launch(table.Config{Computers: m})
			s.Start(s.teller)
			found, err := s.Reviews.Review(ctx, id)
			if err != nil || !found.Done || !slices.Equal(found.Points, today.Points) || m.judged != decisions {
				t.Errorf("of a review by version %d, %d of %d decisions were judged anew: %+v, %v, want %+v", version,
					m.judged, decisions, found.Points, err, today.Points)
			}
			if kept, err := s.store.Review(ctx, id); err != nil || kept.ComputerVersion != computer.Version ||
				!slices.Equal(kept.Points, today.Points) {
				t.Errorf("in place of a review by version %d, %+v is stored, %v", version, kept, err)
			}
		}
		s.sink()
	})
}
