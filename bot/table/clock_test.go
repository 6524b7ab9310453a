package table_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"marque/bot/choices"
	"marque/bot/servers"
	"marque/bot/table"
	"marque/bot/table/clock"
	"marque/games"
	"marque/games/catalog"
	"marque/storage"
	"marque/storage/kv/strict"
)

const day = 24 * time.Hour

func perMove(d time.Duration, late storage.Late) storage.ClockRule {
	return storage.ClockRule{Mode: storage.PerMove, Time: d.Milliseconds(), Late: late}
}

// timed starts a game of heap with a clock, in which the first player is to move.
func timed(s *ship, rule storage.ClockRule, players ...string) *table.Snapshot {
	s.t.Helper()
	ctx, ok := s.t.Context(), must(s.t)
	snap := ok(s.Open(ctx, s.as(players[0]), table.Opening{Game: "heap", Seats: len(players), Guild: "g", Channel: "c",
		Fixed: true, WhenFull: true, Clock: rule}))
	for _, p := range players[1:] {
		snap = ok(s.Join(ctx, s.as(p), snap.ID))
	}
	return snap
}

// kinds returns the texts of a table's published events of one kind, in order.
func (s *ship) kinds(id table.ID, kind storage.Kind) []string {
	var texts []string
	for _, e := range s.told(id) {
		if e.Kind == kind {
			texts = append(texts, e.Text)
		}
	}
	return texts
}

// at returns the present snapshot of a table.
func (s *ship) at(id table.ID) *table.Snapshot {
	s.t.Helper()
	return must(s.t)(s.Lookup.Snapshot(s.t.Context(), id))
}

// silence turns the reminders of these users off, so that no reminder appears among the tested events.
func (s *ship) silence(users ...string) {
	s.t.Helper()
	for _, u := range users {
		if _, err := s.Choices.ChangePreferences(s.t.Context(), u,
			func(p *choices.Preferences) error { p.Remind = -1; return nil }); err != nil {
			s.t.Fatal(err)
		}
	}
}

func TestTimeRunsOutOnce(t *testing.T) {
	t.Parallel()
	for _, late := range []storage.Late{storage.LateForfeit, storage.LateOffer, storage.LateComputer} {
		t.Run("late:"+string(late), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newShip(t)
				defer func() { s.sink() }()
				s.Start(s.teller)
				s.silence("ann", "bob", "cid")
				snap := timed(s, perMove(2*time.Hour, late), "ann", "bob", "cid")
				first := snap.ToMove
				time.Sleep(2*time.Hour - time.Minute)
				synctest.Wait()
				if got := s.kinds(snap.ID, storage.TimedOut); got != nil {
					t.Fatalf("a minute before the time is over: timed out %v", got)
				}
				time.Sleep(30 * time.Hour)
				synctest.Wait()
				now := s.at(snap.ID)
				got := s.kinds(snap.ID, storage.TimedOut)
				switch late {
				case storage.LateForfeit:
					if now.In(first) || now.Status != table.Over || len(got) != 2 {
						t.Errorf("after forfeits of two of three: %v, in %v, %v", now.Status, now.In(first), got)
					}
				default: // without a computer, the late player's seat is offered
					if len(got) != 1 || got[0] != "" || !table.IsOpen(now.Head, first) || now.ToMove != first {
						t.Errorf("timed out %q, open %b, to move %d", got, now.Open, now.ToMove)
					}
				}
			})
		})
	}
}

func TestTheComputerPlaysForWhoIsLate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := ashore(t)
		asked := 0
		s.launch(table.Config{Substitute: func(_ context.Context, snap *table.Snapshot, seat games.Seat) (string,
			bool) {
			asked++
			menu, _ := snap.Menu(seat)
			return menu.Candidates()[0].Notation, true
		}})
		defer func() { s.sink() }()
		s.Start(s.teller)
		s.silence("ann", "bob")
		snap := timed(s, perMove(time.Hour, storage.LateComputer), "ann", "bob")
		time.Sleep(time.Hour + time.Minute)
		synctest.Wait()
		if now := s.at(snap.ID); asked != 1 || now.ToMove == snap.ToMove ||
			len(s.kinds(snap.ID, storage.TimedOut)) != 1 {
			t.Errorf("asked %d times, seat %d is to move after %d, timed out %q", asked, now.ToMove, snap.ToMove,
				s.kinds(snap.ID, storage.TimedOut))
		}
	})
}

// Work that falls due at a table while another change of the table is made is not delayed until the next sweep.
func TestWhatIsDueWaitsForNoOtherChange(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := ashore(t)
		var asked []time.Time
		s.launch(table.Config{Substitute: func(ctx context.Context, snap *table.Snapshot, seat games.Seat) (string,
			bool) {
			if asked = append(asked, time.Now()); len(asked) == 1 {
				must(t)(s.Propose(ctx, s.as(snap.Holder(1-seat).User), snap.ID, table.Draw))
			}
			menu, _ := snap.Menu(seat)
			return menu.Candidates()[0].Notation, true
		}})
		defer func() { s.sink() }()
		s.Start(s.teller)
		s.silence("ann", "bob")
		snap := timed(s, perMove(time.Hour, storage.LateComputer), "ann", "bob")
		time.Sleep(time.Hour + time.Minute)
		synctest.Wait()
		if len(asked) != 2 || !asked[0].Equal(asked[1]) || len(s.kinds(snap.ID, storage.TimedOut)) != 1 {
			t.Errorf("a stand-in was thought of at %v, timed out %q, want both at the same moment", asked,
				s.kinds(snap.ID, storage.TimedOut))
		}
	})
}

// A player who moves a millisecond before the deadline does not run out of time.
func TestAMoveInTimeIsSafe(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShip(t)
		defer func() { s.sink() }()
		s.Start(s.teller)
		s.silence("ann", "bob")
		snap := timed(s, perMove(time.Hour, storage.LateForfeit), "ann", "bob")
		for i := range 3 {
			time.Sleep(time.Hour - time.Millisecond)
			mover := snap.Mover()
			snap = must(t)(s.Move(t.Context(), s.as(mover), snap.ID, "take 1", 0))
			if snap.Status != table.Playing || snap.Mover() == mover {
				t.Fatalf("move %d: %+v", i, snap.Head)
			}
		}
		synctest.Wait()
		if got := s.kinds(snap.ID, storage.TimedOut); got != nil {
			t.Errorf("timed out %v although everybody moved in time", got)
		}
	})
}

// Of a time-out and a move in the first 15 seconds after the deadline, exactly one counts. A move that comes second is
// refused, because the game is over.
func TestAMoveAndItsTimeOutAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShip(t)
		defer func() { s.sink() }()
		s.Start(s.teller)
		s.silence("ann", "bob")
		moved := 0
		for i := range 40 {
			snap := timed(s, perMove(time.Hour, storage.LateForfeit), "ann", "bob")
			time.Sleep(time.Hour - time.Millisecond)
			synctest.Wait()
			errs := make(chan error, 1)
			move := s.as(snap.Mover())
			go func() {
				// Due work is looked up every 15 seconds.
				time.Sleep(time.Millisecond + time.Duration(i%4)*5*time.Second)
				_, err := s.Move(t.Context(), move, snap.ID, "take 1", 0)
				errs <- err
			}()
			time.Sleep(time.Minute)
			synctest.Wait()
			err, late := <-errs, len(s.kinds(snap.ID, storage.TimedOut))
			if late > 1 || (err == nil) == (late == 1) || err != nil && !errors.Is(err, table.ErrOver) {
				t.Errorf("game %d: the move is answered %v, and time ran out %d times", i, err, late)
			}
			if err == nil {
				moved++
			}
		}
		t.Logf("of 40 moves at the last moment %d came first", moved)
	})
}

// Clocks can be set to 1 hour to 14 days per move or 1 hour to 60 days for a bank, with an increment of at most 7 days.
func TestClocksAreBounded(t *testing.T) {
	t.Parallel()
	s := newShip(t)
	defer func() { s.sink() }()
	h := time.Hour
	for _, tc := range []struct {
		mode      storage.ClockMode
		time, add time.Duration
		fits      bool
	}{
		{storage.NoClock, 0, 0, true}, {storage.PerMove, h, 0, true}, {storage.PerMove, 14 * day, 0, true},
		{storage.PerMove, h - time.Millisecond, 0, false},
		{storage.PerMove, 14*day + time.Millisecond, 0, false}, {storage.Bank, h, 0, true},
		{storage.Bank, 60 * day, 7 * day, true},
		{storage.Bank, h / 2, h, false}, {storage.Bank, 61 * day, 0, false}, {storage.Bank, day, 8 * day, false}, {storage.Bank, day, -h, false}, {"glass", h, 0, false},
	} {
		rule := storage.ClockRule{Mode: tc.mode, Time: tc.time.Milliseconds(), Add: tc.add.Milliseconds()}
		err := s.Service.Check(t.Context(), s.as("ann"), table.Opening{Game: "heap", Guild: "g", Channel: "c",
			Clock: rule})
		if tc.fits && err != nil || !tc.fits && !errors.Is(err, table.ErrNoClock) {
			t.Errorf("%+v: %v", tc, err)
		}
	}
}

func TestABankWithIncrement(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		s := newShip(t)
		defer func() { s.sink() }()
		s.Start(s.teller)
		s.silence("ann", "bob")
		rule := storage.ClockRule{Mode: storage.Bank, Time: (10 * time.Hour).Milliseconds(),
			Add: time.Hour.Milliseconds(), Late: storage.LateForfeit}
		snap := timed(s, rule, "ann", "bob")
		ann, bob := snap.Seat("ann"), snap.Seat("bob")
		left := func(seat games.Seat) time.Duration {
			d, err := s.left(ctx, s.at(snap.ID).Head, seat)
			if err != nil {
				t.Fatal(err)
			}
			return d
		}
		time.Sleep(3 * time.Hour)
		if got := left(ann); got != 7*time.Hour {
			t.Errorf("while ann thinks she has %v, want 7h", got)
		}
		for _, stop := range []func(context.Context, table.Actor, table.ID) (*table.Snapshot, error){
			s.Pause,
			func(ctx context.Context, by table.Actor, id table.ID) (*table.Snapshot, error) {
				return s.Resume(ctx, by, id, "")
			},
		} {
			mod := s.as("mod")
			mod.Moderator = true
			must(t)(stop(ctx, mod, snap.ID))
			if got := left(ann); got != 7*time.Hour {
				t.Errorf("around a pause ann has %v, want 7h", got)
			}
		}
		snap = must(t)(s.Move(ctx, s.as("ann"), snap.ID, "take 1", 0))
		time.Sleep(30 * time.Minute)
		snap = must(t)(s.Move(ctx, s.as("bob"), snap.ID, "take 1", 0))
		if a, b := left(ann), left(bob); a != 8*time.Hour || b != 10*time.Hour+30*time.Minute {
			t.Errorf("after a move each: ann %v, bob %v, want 8h and 10h30m", a, b)
		}
		time.Sleep(8*time.Hour + time.Minute)
		synctest.Wait()
		if now := s.at(snap.ID); now.Status != table.Over || !slices.Equal(now.Outcome().Winners, []games.Seat{bob}) {
			t.Errorf("after ann's bank is empty: %v %+v", now.Status, now.Outcome())
		}
	})
}

// A player with an empty bank still has an hour for each decision before the computer makes it, even if the table's
// clock is computed in between.
func TestAnEmptyBank(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		s := ashore(t)
		s.launch(table.Config{Substitute: func(context.Context, *table.Snapshot, games.Seat) (string, bool) {
			return "take 1", true
		}})
		defer func() { s.sink() }()
		s.Start(s.teller)
		s.silence("ann", "bob")
		began := time.Now()
		rule := storage.ClockRule{Mode: storage.Bank, Time: (2 * time.Hour).Milliseconds(), Late: storage.LateComputer}
		snap := timed(s, rule, "ann", "bob")
		// Both banks are empty after four hours, in which two moves are played. From then on each move takes an hour.
		for hour := 1; hour <= 8; hour++ {
			time.Sleep(time.Until(began.Add(time.Duration(hour)*time.Hour + 10*time.Minute)))
			synctest.Wait()
			now := s.at(snap.ID)
			late := len(s.kinds(snap.ID, storage.TimedOut))
			if want := max(0, hour/2, hour-2); late != want {
				t.Errorf("after %d hours the computer has played %d moves, want %d", hour, late, want)
			}
			at, running, err := s.deadline(ctx, now.Head)
			left, err2 := s.left(ctx, now.Head, now.ToMove)
			other, err3 := s.left(ctx, now.Head, 1-now.ToMove)
			if err != nil || err2 != nil || err3 != nil || !running || time.Until(at) != left {
				t.Fatalf("after %d hours: until %v, %v left (%v, %v, %v)", hour, time.Until(at), left, err, err2, err3)
			}
			if over := clock.InOvertime(now.Timing, now.ToMove); over != (hour >= 4) || over &&
				(left != 50*time.Minute || other != time.Hour) {
				t.Errorf("after %d hours: in overtime: %v, %v left, %v for the other", hour, over, left, other)
			}
		}
		// A player who returns makes their own moves again, and has an hour for each.
		mover := s.at(snap.ID).Mover()
		for range 2 {
			now := s.at(snap.ID)
			must(t)(s.Move(ctx, s.as(now.Mover()), snap.ID, "take 1", 0))
			time.Sleep(20 * time.Minute)
		}
		synctest.Wait()
		now := s.at(snap.ID)
		if left, err := s.left(ctx, now.Head, now.ToMove); err != nil || now.Mover() != mover ||
			left != 40*time.Minute {
			t.Errorf("%s, who moved and is to move again, has %v left (%v), want 40m", now.Mover(), left, err)
		}
	})
}

// Overtime exists only at tables where the game continues after a player's time has run out. At tables where the late
// player is out, a player has no more time than the bank.
func TestTheEndOfABank(t *testing.T) {
	t.Parallel()
	for late, want := range map[storage.Late]time.Duration{storage.LateOffer: time.Hour,
		storage.LateForfeit: 10 * time.Minute} {
		t.Run("late:"+string(late), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				s := newShip(t)
				defer func() { s.sink() }()
				s.Start(s.teller)
				s.silence("ann", "bob")
				snap := timed(s, storage.ClockRule{Mode: storage.Bank, Time: (10 * time.Hour).Milliseconds(),
					Late: late}, "ann", "bob")
				time.Sleep(9*time.Hour + 50*time.Minute)
				must(t)(s.Move(ctx, s.as("ann"), snap.ID, "take 1", 0))
				must(t)(s.Move(ctx, s.as("bob"), snap.ID, "take 1", 0))
				time.Sleep(want - time.Minute)
				synctest.Wait()
				if got := s.kinds(snap.ID, storage.TimedOut); got != nil {
					t.Errorf("a minute before %v have gone by: timed out %q", want, got)
				}
				time.Sleep(2 * time.Minute)
				synctest.Wait()
				if got := s.kinds(snap.ID, storage.TimedOut); !slices.Equal(got, []string{string(late)}) {
					t.Errorf("a minute after %v: timed out %q", want, got)
				}
			})
		})
	}
}

// A player who moves and takes the move back gains no time. Conditional moves get the same increment as other moves.
func TestTakingBackTakesTheIncrementBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, ok := t.Context(), must(t)
		s := newSloop(t)
		defer func() { s.sink() }()
		s.silence("ann", "bob")
		rule := storage.ClockRule{Mode: storage.Bank, Time: (10 * time.Hour).Milliseconds(),
			Add: time.Hour.Milliseconds(), Late: storage.LateForfeit}
		snap := ok(s.Open(ctx, s.as("ann"), table.Opening{Game: "loyal-captain", Seats: 2, Guild: "g", Channel: "c",
			Fixed: true, WhenFull: true, Clock: rule}))
		snap = ok(s.Join(ctx, s.as("bob"), snap.ID))
		want := func(when string, ann, bob time.Duration) {
			t.Helper()
			head := s.at(snap.ID).Head
			a, err := s.left(ctx, head, 0)
			b, err2 := s.left(ctx, head, 1)
			if err != nil || err2 != nil || a != ann || b != bob {
				t.Errorf("%s: ann has %v, bob %v (%v, %v), want %v and %v", when, a, b, err, err2, ann, bob)
			}
		}
		time.Sleep(time.Hour)
		for range 3 {
			s.moveFirst(s.at(snap.ID))
			want("after ann's move", 10*time.Hour, 10*time.Hour)
			ok(s.Propose(ctx, s.as("ann"), snap.ID, table.Undo))
			want("taken back", 9*time.Hour, 10*time.Hour)
		}
		ok(s.LeavePlan(ctx, s.as("bob"), snap.ID, linesFrom(s.at(snap.ID)), 0))
		s.moveFirst(s.at(snap.ID))
		want("after both moves at once", 10*time.Hour, 11*time.Hour)
		time.Sleep(time.Hour)
		ok(s.Propose(ctx, s.as("bob"), snap.ID, table.Undo))
		ok(s.Accept(ctx, s.as("ann"), snap.ID, table.Undo, 0))
		want("the planned move taken back", 9*time.Hour, 10*time.Hour)
	})
}

func TestClocksStand(t *testing.T) {
	t.Parallel()
	runsOutAfter := func(t *testing.T, prepare func(s *ship, id table.ID), want time.Duration) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			s := newShip(t)
			defer func() { s.sink() }()
			s.Start(s.teller)
			s.silence("ann", "bob")
			snap := timed(s, perMove(10*time.Hour, storage.LateForfeit), "ann", "bob")
			began := time.Now()
			time.Sleep(time.Minute) // so that the hourly looks below come a minute past the full hour
			prepare(s, snap.ID)
			for s.at(snap.ID).Status == table.Playing && time.Since(began) < 70*day {
				time.Sleep(time.Hour)
				synctest.Wait()
			}
			if took := time.Since(began).Truncate(time.Hour); took != want {
				t.Errorf("time ran out after %v, want %v", took, want)
			}
		})
	}
	// synctest begins at midnight UTC on Saturday, 1 January 2000.
	for _, tc := range []struct {
		name    string
		prepare func(s *ship, id table.ID)
		want    time.Duration
	}{
		{"nothing stops it", func(*ship, table.ID) {}, 10 * time.Hour},
		{"the player is away", func(s *ship, id table.ID) {
			time.Sleep(4 * time.Hour)
			if _, err := s.GoAway(s.t.Context(), "ann", "g", time.Now().Add(3*day)); err != nil {
				s.t.Fatal(err)
			}
		}, 3*day + 10*time.Hour},
		{"the player is away and returns early", func(s *ship, id table.ID) {
			time.Sleep(4 * time.Hour)
			if _, err := s.GoAway(s.t.Context(), "ann", "g", time.Now().Add(9*day)); err != nil {
				s.t.Fatal(err)
			}
			time.Sleep(day)
			if was, err := s.Return(s.t.Context(), "ann", "g"); !was || err != nil {
				s.t.Fatal(was, err)
			}
		}, day + 10*time.Hour},
		{"away from another server does not count", func(s *ship, id table.ID) {
			if _, err := s.GoAway(s.t.Context(), "ann", "other", time.Now().Add(3*day)); err != nil {
				s.t.Fatal(err)
			}
		}, 10 * time.Hour},
		{"a quiet weekend", func(s *ship, id table.ID) {
			if _, err := s.Choices.ChangeSettings(s.t.Context(),
				"g", func(c *choices.Settings) {
					c.SetQuiet(time.Now(), 1<<time.Saturday|1<<time.Sunday,
						"")
				}); err != nil {
				s.t.Fatal(err)
			}
		}, 2*day + 10*time.Hour},
		{"quiet days are given up again", func(s *ship, id table.ID) {
			set := func(days uint8) {
				if _, err := s.Choices.ChangeSettings(s.t.Context(),
					"g", func(c *choices.Settings) { c.SetQuiet(time.Now(), days, "") }); err != nil {
					s.t.Fatal(err)
				}
			}
			set(1 << time.Saturday)
			time.Sleep(5 * time.Hour)
			set(0)
		}, 15 * time.Hour},
		{"two dates of the calendar", func(s *ship, id table.ID) {
			s.quietDates("2000-01-01 to 2000-01-02, 2000-01-04")
		}, 2*day + 10*time.Hour},
		{"a date that comes while the clock runs", func(s *ship, id table.ID) {
			s.quietDates("2000-01-01, 2000-01-03")
		}, day + 10*time.Hour},
		// Quiet until Tuesday, 29 February; the next day is a Wednesday.
		{"a long holiday beside quiet weekdays", func(s *ship, id table.ID) {
			s.quietDates("2000-01-01 to 2000-02-29")
			if _, err := s.Choices.ChangeSettings(s.t.Context(),
				"g", func(c *choices.Settings) { c.SetQuiet(time.Now(), 1<<time.Wednesday, "") }); err != nil {
				s.t.Fatal(err)
			}
		}, 61*day + 10*time.Hour},
		{"a date is given up again", func(s *ship, id table.ID) {
			s.quietDates("2000-01-01 to 2000-01-09")
			time.Sleep(30 * time.Hour)
			s.quietDates("")
		}, 40 * time.Hour},
		// In Tokyo it is 9 o'clock on the 1st, so the quiet date ends in 15 hours.
		{"a date of the server's zone", func(s *ship, id table.ID) {
			if _, err := s.Choices.ChangeSettings(s.t.Context(),
				"g", func(c *choices.Settings) { c.SetQuiet(time.Now(), 0, "Asia/Tokyo") }); err != nil {
				s.t.Fatal(err)
			}
			s.quietDates("2000-01-01")
		}, 25 * time.Hour},
		{"the table is paused", func(s *ship, id table.ID) {
			mod := s.as("mod")
			mod.Moderator = true
			time.Sleep(time.Hour)
			must(s.t)(s.Pause(s.t.Context(), mod, id))
			if _, err := s.Move(s.t.Context(), s.as("ann"), id, "take 1", 0); !errors.Is(err, table.ErrPaused) {
				s.t.Errorf("a move at a paused table: %v, want %v", err, table.ErrPaused)
			}
			time.Sleep(5 * time.Hour)
			mod = s.as("mod")
			mod.Moderator = true
			must(s.t)(s.Resume(s.t.Context(), mod, id, ""))
		}, 15 * time.Hour},
		{"the players cannot reach the bot", func(s *ship, id table.ID) {
			time.Sleep(time.Hour)
			s.SetOnline(false)
			time.Sleep(2 * day)
			s.SetOnline(true)
		}, 2*day + 10*time.Hour},
		{"the bot is down", func(s *ship, id table.ID) {
			time.Sleep(time.Hour)
			s.sink()
			time.Sleep(2 * day)
			s.launch(table.Config{})
			s.Start(s.teller)
		}, 2*day + 10*time.Hour},
		{"the server has an outage", func(s *ship, id table.ID) {
			time.Sleep(time.Hour)
			s.outage("g", true)
			time.Sleep(2 * day)
			s.outage("g", false)
		}, 2*day + 10*time.Hour},
		{"two outages, the second before time would have run out", func(s *ship, id table.ID) {
			for range 2 {
				s.outage("g", true)
				s.outage("g", true) // each new session reports the outage again
				time.Sleep(day)
				s.outage("g", false)
				time.Sleep(4 * time.Hour)
			}
		}, 2*day + 10*time.Hour},
		{"an outage of another server", func(s *ship, id table.ID) {
			s.outage("other", true)
		}, 10 * time.Hour},
		{"the bot is down in the middle of an outage", func(s *ship, id table.ID) {
			time.Sleep(time.Hour)
			s.outage("g", true)
			time.Sleep(day)
			s.sink()
			time.Sleep(day)
			s.launch(table.Config{})
			s.Start(s.teller)
			time.Sleep(day)
			s.outage("g", false)
		}, 3*day + 10*time.Hour},
		{"an outage begins while the bot is down, and ends while it is down again", func(s *ship, id table.ID) {
			time.Sleep(time.Hour)
			s.sink()
			time.Sleep(day)
			s.launch(table.Config{})
			s.outage("g", true) // the gateway reports the outage before the bot is ready
			s.Start(s.teller)
			time.Sleep(day)
			s.sink()
			time.Sleep(day)
			s.launch(table.Config{})
			s.outage("g", false)
			s.Start(s.teller)
		}, 3*day + 10*time.Hour},
		{"the player is away during an outage", func(s *ship, id table.ID) {
			s.outage("g", true)
			time.Sleep(day)
			if _, err := s.GoAway(s.t.Context(), "ann", "g", time.Now().Add(2*day)); err != nil {
				s.t.Fatal(err)
			}
			time.Sleep(day)
			s.outage("g", false)
		}, 3*day + 10*time.Hour},
	} {
		t.Run(tc.name, func(t *testing.T) { runsOutAfter(t, tc.prepare, tc.want) })
	}
}

// outage begins or ends an outage of a server, as Discord reports it.
func (s *ship) outage(guild string, begins bool) {
	s.t.Helper()
	var err error
	if begins {
		err = s.Choices.BeginOutage(s.t.Context(), guild)
	} else if _, err = s.Choices.EndOutage(s.t.Context(), guild); err == nil {
		err = s.Retime(s.t.Context(), guild)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// Nobody is reminded and no table is closed while its server cannot be reached. After the outage, a reminder waits
// until the player has had the announced time to move. The notice that a table will be closed comes immediately,
// because it leaves days to act.
func TestNothingFallsDueDuringAnOutage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShip(t)
		defer func() { s.sink() }()
		s.Start(s.teller)
		snap := timed(s, storage.ClockRule{}, "ann", "bob")
		if _, err := s.Choices.ChangeSettings(t.Context(),
			"g", func(c *choices.Settings) { c.IdleDays = 5 }); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		s.outage("g", true)
		before := len(s.told(snap.ID))
		time.Sleep(7 * day)
		synctest.Wait()
		if told := s.told(snap.ID)[before:]; len(told) > 0 || s.at(snap.ID).Status != table.Playing {
			t.Errorf("during the outage %v is told, and the table is %v", told, s.at(snap.ID).Status)
		}
		s.outage("g", false)
		time.Sleep(time.Hour)
		synctest.Wait()
		if got := s.kinds(snap.ID, storage.Reminded); len(got) > 0 {
			t.Errorf("reminders an hour after the outage: %q, after two hours in which ann could have moved", got)
		}
		if got := s.kinds(snap.ID, storage.IdleSoon); len(got) != 1 || s.at(snap.ID).Status != table.Playing {
			t.Errorf("the table, untouched for 7 days, is %v and said %q; want one notice before it is closed",
				s.at(snap.ID).Status, got)
		}
		time.Sleep(22*time.Hour + time.Minute)
		synctest.Wait()
		if got := s.kinds(snap.ID, storage.Reminded); !slices.Equal(got, []string{"1"}) {
			t.Errorf("reminders after a day in which ann could have moved: %q, want one", got)
		}
	})
}

// The number of outages that are kept for a server is limited, and none is kept for a server without games.
func TestOutagesAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShip(t)
		defer func() { s.sink() }()
		places := servers.New(s.Service, s.store, slog.New(slog.DiscardHandler), nil)
		s.Start(s.teller)
		timed(s, storage.ClockRule{}, "ann", "bob")
		for range 101 {
			for _, guild := range []string{"g", "empty"} {
				if err := places.OutageBegins(t.Context(), guild); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Minute)
				if _, err := places.OutageEnds(t.Context(), guild); err != nil {
					t.Fatal(err)
				}
			}
		}
		for guild, want := range map[string]int{"g": 100, "empty": 0} {
			if c, err := s.Choices.Settings(t.Context(), guild); err != nil || len(c.Outages) != want {
				t.Errorf("server %s remembers %d outages (%v), want %d", guild, len(c.Outages), err, want)
			}
		}
	})
}

// The time that the bot is down after a crash does not count against a player. It begins at the last record that the
// bot was up, so that the player gains at most the time between two such records.
func TestACrashIsCredited(t *testing.T) {
	t.Parallel()
	// coarse is the longest time between two records that the bot is up, including the sweep's pause.
	const coarse = 5*time.Minute + 15*time.Second
	synctest.Test(t, func(t *testing.T) {
		s := newShip(t)
		defer func() { s.sink() }()
		s.Start(s.teller)
		s.silence("ann", "bob")
		snap := timed(s, perMove(10*time.Hour, storage.LateForfeit), "ann", "bob")
		deadline := func() time.Time {
			at, runs, err := s.deadline(t.Context(), s.at(snap.ID).Head)
			if err != nil || !runs {
				t.Fatalf("the clock: %v, %v", runs, err)
			}
			return at
		}
		want := deadline()
		for i, down := range []time.Duration{2 * day, 20 * time.Minute, time.Minute, 3 * time.Second} {
			time.Sleep(time.Duration(i+1) * 17 * time.Minute)
			s.crash()
			time.Sleep(down)
			s.launch(table.Config{})
			s.Start(s.teller)
			synctest.Wait()
			got := deadline()
			if extra := got.Sub(want) - down; extra < -10*time.Second || extra > coarse {
				t.Errorf("after a crash and %v down the player has %v more than before, want %v and at most %v more",
					down, got.Sub(want), down, coarse)
			}
			want = got
		}
		time.Sleep(time.Until(want) - time.Second)
		synctest.Wait()
		if s.at(snap.ID).Status != table.Playing {
			t.Errorf("time ran out before %v", want)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if s.at(snap.ID).Status != table.Over {
			t.Errorf("time has not run out at %v", want)
		}
	})
}

// crash stops the service and keeps the store as it was before: changes made while the service closes are lost.
func (s *ship) crash() {
	s.t.Helper()
	to := kept{strict.New(storage.Cover)}
	if _, err := s.store.Move(context.Background(), to); err != nil {
		s.t.Fatal(err)
	}
	s.sink()
	s.kept = to
}

// quietDates sets the quiet dates of the server "g".
func (s *ship) quietDates(typed string) {
	s.t.Helper()
	now := s.Lookup.Now()
	if _, err := s.Choices.ChangeSettings(s.t.Context(), "g", func(c *choices.Settings) {
		dates, err := clock.ReadDates(typed, now, c.QuietNow().Zone)
		if err != nil {
			s.t.Fatal(err)
		}
		c.SetQuietDates(now, dates)
	}); err != nil {
		s.t.Fatal(err)
	}
}

// Quiet dates are accepted in several notations, sorted and joined, and dropped once they are past. Dates that are
// unreadable, past, far away or too many are refused, with a text that gives the reason.
func TestQuietDates(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 12, 20, 23, 30, 0, 0, time.UTC) // in Berlin it is already the 21st
	for _, tc := range []struct{ typed, want, refused string }{
		{"", "", ""},
		{" \n,; ", "", ""},
		{"2026-12-24", "2026-12-24", ""},
		{"2027-01-01\n2026-12-24 to 2026-12-26", "2026-12-24 – 2026-12-26, 2027-01-01", ""},
		{"2026-12-24 – 2026-12-25; 2026-12-26", "2026-12-24 – 2026-12-26", ""},
		{"2026-12-24–2026-12-25,2026-12-25/2026-12-27", "2026-12-24 – 2026-12-27", ""},
		{"2026-12-01 until 2026-12-21", "2026-12-01 – 2026-12-21", ""},
		{"2026-12-01..2026-12-21", "2026-12-01 – 2026-12-21", ""},
		{"2026-12-20", "", "table.error.date-over"},
		{"Christmas", "", "table.error.date"},
		{"2026-12-24, 2026-13-01", "", "table.error.date"},
		{"24.12.2026", "", "table.error.date"},
		{"2027-02-29", "", "table.error.date"},
		{"2026-12-26 to 2026-12-24", "", "table.error.date-order"},
		{"2027-01-01 to 2027-03-02", "", "table.error.date-long"},
		{"2027-01-01 to 2027-02-10, 2027-02-11 to 2027-03-10", "", "table.error.date-long"},
		{"2029-01-01", "", "table.error.date-far"},
		{strings.Repeat(",", 3) + manyDates(31), "", "table.error.dates-many"},
	} {
		dates, err := clock.ReadDates(tc.typed, now, "Europe/Berlin")
		var said []string
		for _, d := range dates {
			said = append(said, d.String())
		}
		refused := ""
		if r := (*clock.DateError)(nil); errors.As(err, &r) {
			refused = r.Message.ID
		}
		if got := strings.Join(said, ", "); got != tc.want || refused != tc.refused ||
			(err != nil) != (tc.refused != "") {
			t.Errorf("%q: %q, refused %q (%v), want %q, %q", tc.typed, got, refused, err, tc.want, tc.refused)
		}
	}
	var c choices.Settings
	dates, err := clock.ReadDates("2026-12-24 to 2026-12-26, 2027-01-01", now, "")
	if err != nil {
		t.Fatal(err)
	}
	c.SetQuietDates(now, dates)
	for _, step := range []struct {
		at   string
		want int
	}{{"2026-12-26", 2}, {"2026-12-27", 1}, {"2027-01-01", 1}, {"2027-01-02", 0}} {
		at, err := time.Parse(time.DateOnly, step.at)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.QuietDates(at); len(got) != step.want {
			t.Errorf("on %s %v are to come, want %d", step.at, got, step.want)
		}
	}
	c.SetQuiet(now.AddDate(0, 0, 8), 1<<time.Sunday, "")
	if got := c.QuietNow().Dates; len(got) != 1 || got[0].First != "2027-01-01" {
		t.Errorf("after the next change %v are kept, want those to come", got)
	}
}

// manyDates returns n single dates with gaps between them.
func manyDates(n int) string {
	var list []string
	for i := range n {
		list = append(list, time.Date(2027, 1, 1+2*i, 0, 0, 0, 0, time.UTC).Format(time.DateOnly))
	}
	return strings.Join(list, ",")
}

func TestDaysAwayAreBudgeted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		s := newShip(t)
		defer func() { s.sink() }()
		if _, err := s.Choices.ChangeSettings(ctx, "g", func(c *choices.Settings) { c.AwayDays = 10 }); err != nil {
			t.Fatal(err)
		}
		away := func(days int) error {
			_, err := s.GoAway(ctx, "ann", "g", time.Now().Add(time.Duration(days)*day))
			return err
		}
		if err := away(11); !errors.Is(err, table.ErrBudget) {
			t.Errorf("11 of 10 days: %v", err)
		}
		if err := away(8); err != nil {
			t.Errorf("8 of 10 days: %v", err)
		}
		time.Sleep(3 * day)
		if was, err := s.Return(ctx, "ann", "g"); !was || err != nil {
			t.Errorf("returning after 3 days: %v, %v", was, err)
		}
		if err := away(7); err != nil {
			t.Errorf("7 of the 7 days left: %v", err)
		}
		time.Sleep(8 * day)
		if err := away(1); !errors.Is(err, table.ErrBudget) {
			t.Errorf("after the budget is used up: %v", err)
		}
		time.Sleep(366 * day)
		if err := away(10); err != nil {
			t.Errorf("a year later: %v", err)
		}
		if err := away(-1); !errors.Is(err, table.ErrBadTime) {
			t.Errorf("until yesterday: %v", err)
		}
		if _, err := s.Choices.ChangeSettings(ctx, "g", func(c *choices.Settings) { c.AwayDays = -1 }); err != nil {
			t.Fatal(err)
		}
		time.Sleep(366 * day)
		refused(t, "a day on a server that allows none", away(1), table.ErrBudget, "allows no absences")
	})
}

// Reminders come after 1, 3, 7 and 14 days without a move. A restart neither repeats nor delays them.
func TestReminders(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShip(t)
		defer func() { s.sink() }()
		s.Start(s.teller)
		snap := timed(s, storage.ClockRule{}, "ann", "bob")
		var at []time.Duration
		began, seen := time.Now(), 0
		for time.Since(began) < 16*day {
			time.Sleep(time.Hour)
			synctest.Wait()
			if n := len(s.kinds(snap.ID, storage.Reminded)); n > seen {
				at, seen = append(at, time.Since(began).Truncate(time.Hour)), n
			}
			if time.Since(began)%(5*day) == 0 {
				s.sink()
				s.launch(table.Config{})
				s.Start(s.teller)
			}
		}
		if want := []time.Duration{day, 3 * day, 7 * day, 14 * day}; !slices.Equal(at, want) {
			t.Errorf("reminded after %v, want %v", at, want)
		}
		if got := strings.Join(s.kinds(snap.ID, storage.Reminded), " "); got != "1 2 3 4" {
			t.Errorf("reminders %q", got)
		}
	})
}

func TestTheLastCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShip(t)
		defer func() { s.sink() }()
		s.Start(s.teller)
		if _, err := s.Choices.ChangePreferences(t.Context(), "ann", func(p *choices.Preferences) error {
			p.Remind, p.Night, p.Zone = 6, [2]int{22 * 60, 8 * 60}, "UTC"
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		// The game begins at midnight. The first reminder is due at 6 and waits until 8. The last one is due a quarter
		// of 28 hours before the deadline, which is at 4 on the second day: at 21:00.
		snap := timed(s, perMove(28*time.Hour, storage.LateOffer), "ann", "bob")
		want := map[string]string{}
		for time.Now().Day() < 4 && s.at(snap.ID).Timing.Out == false {
			before := len(s.kinds(snap.ID, storage.Reminded))
			time.Sleep(time.Minute)
			synctest.Wait()
			if got := s.kinds(snap.ID, storage.Reminded); len(got) > before {
				want[got[before]] = time.Now().UTC().Format("2 15:04")
			}
		}
		if want["1"] != "1 08:00" || want["last"] != "1 21:00" || len(want) != 2 {
			t.Errorf("reminded %v, want the first at 8 and the last call at 21 on the first day", want)
		}
	})
}

// remindedAt sleeps until the given time. It returns the reminders that came in the meantime, each with its time.
func (s *ship) remindedAt(id table.ID, until time.Time) []string {
	var came []string
	for seen := len(s.kinds(id, storage.Reminded)); time.Now().Before(until); {
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := s.kinds(id, storage.Reminded); len(got) > seen {
			came = append(came, got[seen]+" "+time.Now().UTC().Format("Mon 15:04"))
			seen = len(got)
		}
	}
	return came
}

// If a player would wake or return only after the deadline, the last reminder comes before the quiet hours or quiet
// days begin, even if the sweep is a little late, but not right after the turn was announced. If the turn begins in
// quiet hours that end in time, the reminder comes when they end.
func TestTheLastCallBeforeTheNight(t *testing.T) {
	t.Parallel()
	saturday := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, tc := range []struct {
		name    string
		begins  time.Duration // time from Saturday's midnight to the start
		clock   time.Duration
		prepare func(s *ship)
		after   func(s *ship)
		want    []string
	}{
		{"in the evening", 20 * time.Hour, 8 * time.Hour, nil, nil, []string{"last Sat 21:45"}},
		{"just before the quiet hours", 21*time.Hour + 50*time.Minute, 8 * time.Hour, nil, nil, nil},
		// After the quiet hours, an hour is left to move.
		{"in the quiet hours", 23 * time.Hour, 10 * time.Hour, nil, nil, []string{"last Sun 08:00"}},
		{"the bot is away when it is due", 20 * time.Hour, 8 * time.Hour, nil, func(s *ship) {
			time.Sleep(100 * time.Minute)
			s.SetOnline(false)
			time.Sleep(12 * time.Minute)
			s.SetOnline(true)
		}, []string{"last Sat 21:53"}},
		{"the bot is away until the quiet hours", 20 * time.Hour, 8 * time.Hour, nil, func(s *ship) {
			time.Sleep(100 * time.Minute)
			s.SetOnline(false)
			time.Sleep(30 * time.Minute)
			s.SetOnline(true)
		}, nil},
		{"before quiet days", (6*24 + 20) * time.Hour, 8 * time.Hour, func(s *ship) {
			if _, err := s.Choices.ChangeSettings(s.t.Context(),
				"g", func(c *choices.Settings) {
					c.SetQuiet(time.Now(), 1<<time.Saturday|1<<time.Sunday,
						"")
				}); err != nil {
				s.t.Fatal(err)
			}
		}, nil, []string{"last Fri 21:45"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newShip(t)
				defer func() { s.sink() }()
				if _, err := s.Choices.ChangePreferences(t.Context(), "ann", func(p *choices.Preferences) error {
					p.Night, p.Zone = [2]int{22 * 60, 8 * 60}, "UTC"
					return nil
				}); err != nil {
					t.Fatal(err)
				}
				if tc.prepare != nil {
					tc.prepare(s)
				}
				time.Sleep(time.Until(saturday.Add(tc.begins)))
				s.Start(s.teller)
				snap := timed(s, perMove(tc.clock, storage.LateOffer), "ann", "bob")
				if tc.after != nil {
					tc.after(s)
				}
				got := s.remindedAt(snap.ID, saturday.Add(tc.begins+4*day))
				if !slices.Equal(got, tc.want) || !s.at(snap.ID).Timing.Out {
					t.Errorf("reminded %q, want %q; time has run out: %v", got, tc.want, s.at(snap.ID).Timing.Out)
				}
			})
		})
	}
}

// The interval of reminders does not include pauses, downtimes and outages, but includes absences. A player who was
// pinged because a game resumed is not pinged again immediately, and neither is a player who was to move while the bot
// was down.
func TestRemindersAfterAStop(t *testing.T) {
	t.Parallel()
	paused := func(s *ship, id table.ID) {
		mod := func() table.Actor { a := s.as("mod"); a.Moderator = true; return a }
		must(s.t)(s.Pause(s.t.Context(), mod(), id))
		time.Sleep(5 * day)
		must(s.t)(s.Resume(s.t.Context(), mod(), id, ""))
	}
	for _, tc := range []struct {
		name  string
		clock storage.ClockRule
		used  time.Duration
		stop  func(s *ship, id table.ID)
		want  []string // the test begins on a Saturday, and each stop lasts five days
	}{
		{"a pause", storage.ClockRule{}, time.Hour, paused, []string{"1 Fri 01:00"}},
		{"a pause, just before the last call", perMove(10*time.Hour, storage.LateOffer), 7*time.Hour + 20*time.Minute, paused, []string{"last Thu 07:35"}},
		{"a pause by the bot", storage.ClockRule{}, time.Hour, func(s *ship, id table.ID) {
			must(s.t)(s.PauseFor(s.t.Context(), id, storage.PausedChannelGone))
			time.Sleep(5 * day)
			must(s.t)(s.Resume(s.t.Context(), table.Actor{}, id, storage.PausedChannelGone))
		}, []string{"1 Fri 01:00"}},
		{"the bot is stopped", storage.ClockRule{}, time.Hour, func(s *ship, _ table.ID) {
			s.sink()
			time.Sleep(5 * day)
			s.launch(table.Config{})
			s.Start(s.teller)
		}, []string{"1 Fri 00:00"}},
		{"the players cannot reach the bot", storage.ClockRule{}, time.Hour, func(s *ship, _ table.ID) {
			s.SetOnline(false)
			time.Sleep(5 * day)
			s.SetOnline(true)
		}, []string{"1 Fri 00:00"}},
		{"an outage within a downtime, and one before", storage.ClockRule{}, time.Hour, func(s *ship, _ table.ID) {
			s.outage("g", true)
			time.Sleep(2 * day)
			s.outage("g", false)
			s.SetOnline(false)
			time.Sleep(day)
			s.outage("g", true)
			time.Sleep(day)
			s.outage("g", false)
			time.Sleep(day)
			s.SetOnline(true)
		}, []string{"1 Fri 00:00"}},
		{"an absence counts, and what fell due comes when it ends", storage.ClockRule{}, time.Hour,
			func(s *ship, _ table.ID) {
				if _, err := s.GoAway(s.t.Context(), "ann", "g", time.Now().Add(5*day)); err != nil {
					s.t.Fatal(err)
				}
			}, []string{"1 Thu 01:00"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newShip(t)
				defer func() { s.sink() }()
				s.Start(s.teller)
				began := time.Now()
				snap := timed(s, tc.clock, "ann", "bob")
				time.Sleep(tc.used)
				tc.stop(s, snap.ID)
				got := s.remindedAt(snap.ID, began.Add(7*day))
				if !slices.Equal(got, tc.want) {
					t.Errorf("reminded %q, want %q", got, tc.want)
				}
			})
		})
	}
}

func TestNobodyWhoAskedNotToIsReminded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShip(t)
		defer func() { s.sink() }()
		s.Start(s.teller)
		s.silence("ann", "bob")
		snap := timed(s, perMove(5*day, storage.LateOffer), "ann", "bob")
		time.Sleep(6 * day)
		synctest.Wait()
		if got := s.kinds(snap.ID, storage.Reminded); got != nil {
			t.Errorf("reminded %v", got)
		}
	})
}

func TestIdleTablesAreClosed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, ok := t.Context(), must(t)
		s := newShip(t)
		defer func() { s.sink() }()
		s.Start(s.teller)
		s.silence("ann", "bob")
		if _, err := s.Choices.ChangeSettings(ctx, "g", func(c *choices.Settings) { c.IdleDays = 10 }); err != nil {
			t.Fatal(err)
		}
		snap := timed(s, storage.ClockRule{}, "ann", "bob")
		lobby := ok(s.Open(ctx, s.as("cid"), table.Opening{Game: "heap", Guild: "g", Channel: "c"}))
		time.Sleep(7*day + time.Hour)
		synctest.Wait()
		if s.at(lobby.ID).Status != table.Over {
			t.Errorf("a lobby is open after 7 days")
		}
		if got := s.kinds(snap.ID, storage.IdleSoon); len(got) != 1 {
			t.Errorf("after 7 days it was said %d times that the table will close", len(got))
		}
		snap = ok(s.Move(ctx, s.as("ann"), snap.ID, "take 1", 0))
		time.Sleep(9 * day)
		synctest.Wait()
		if now := s.at(snap.ID); now.Status != table.Playing {
			t.Fatalf("closed although ann moved: %+v", now.Head)
		}
		time.Sleep(2 * day)
		synctest.Wait()
		now := s.at(snap.ID)
		if now.Status != table.Over || now.Ending != games.Abandoned || len(s.kinds(snap.ID, storage.Idle)) != 1 {
			t.Errorf("after 11 idle days: %v %q", now.Status, now.Ending)
		}
	})
}

// A player who stays away from a staked game is warned, and then resigns the game by staying away.
func TestAnIdleStakedGameIsResigned(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, ok := t.Context(), must(t)
		s := withComputers(t, &mate{})
		defer func() { s.sink() }()
		s.silence("ann")
		if _, err := s.Choices.ChangeSettings(ctx, "g", func(c *choices.Settings) { c.IdleDays = 10 }); err != nil {
			t.Fatal(err)
		}
		snap := ok(s.Open(ctx, s.as("ann"), table.Opening{Game: "laps",
			Computers: []table.ComputerPlayer{easy("Bosun")}, WhenFull: true, Guild: "g", Channel: "c"}))
		synctest.Wait()
		snap = s.at(snap.ID)
		ok(s.Move(ctx, s.as("ann"), snap.ID, menu(t, snap)[0], 0))
		time.Sleep(8 * day)
		synctest.Wait()
		said := s.at(snap.ID).Describe(table.Event{Kind: storage.IdleSoon, Text: "1"})
		if n := len(s.kinds(snap.ID, storage.IdleSoon)); n != 1 || !strings.Contains(fmt.Sprintf("%+v", said),
			"idle-resigns") {
			t.Errorf("before it ends it is told %d times: %+v", n, said)
		}
		time.Sleep(4 * day)
		synctest.Wait()
		if now := s.at(snap.ID); now.Status != table.Over || now.Ending != games.Resigned ||
			len(s.kinds(snap.ID, storage.Idle)) != 1 {
			t.Errorf("after 12 idle days: %v %q", now.Status, now.Ending)
		}
	})
}

// newSloop returns a ship with the games of the catalogue.
func newSloop(t *testing.T) *ship {
	s := newShip(t)
	s.Service = table.New(table.Config{Store: s.store, Games: catalog.Find})
	s.Start(s.teller)
	return s
}

// begin starts a game for these players, the first of whom opens the table.
func (s *ship) begin(key string, players ...string) *table.Snapshot {
	s.t.Helper()
	ctx, ok := s.t.Context(), must(s.t)
	snap := ok(s.Open(ctx, s.as(players[0]), table.Opening{Game: key, Seats: len(players), Guild: "g", Channel: "c",
		Fixed: true, WhenFull: true}))
	for _, p := range players[1:] {
		snap = ok(s.Join(ctx, s.as(p), snap.ID))
	}
	return snap
}

func (s *ship) moveFirst(snap *table.Snapshot) *table.Snapshot {
	s.t.Helper()
	menu, _ := snap.Menu(snap.ToMove)
	return must(s.t)(s.Move(s.t.Context(), s.as(snap.Mover()), snap.ID, menu.Candidates()[0].Notation, 0))
}

func TestTakingBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, ok := t.Context(), must(t)
		s := newSloop(t)
		defer func() { s.sink() }()
		start := s.begin("loyal-captain", "ann", "bob")
		if _, err := s.Propose(ctx, s.as("ann"), start.ID, table.Undo); !errors.Is(err, table.ErrNoUndo) {
			t.Errorf("before the first move: %v", err)
		}
		s.moveFirst(start)
		back := ok(s.Propose(ctx, s.as("ann"), start.ID, table.Undo))
		if back.Digest != start.Digest || back.Plays != 0 || back.Mover() != "ann" || back.Board != back.Version {
			t.Fatalf("taken back at once: %+v, want the position of %+v", back.Head, start.Head)
		}
		synctest.Wait()

		moved := s.moveFirst(back)
		time.Sleep(2 * time.Minute)
		asked := ok(s.Propose(ctx, s.as("ann"), start.ID, table.Undo))
		if asked.Proposal.Kind != table.Undo || asked.Proposal.Has(moved.Seat("bob")) || asked.Plays != moved.Plays {
			t.Fatalf("after the seconds, bob is asked: %+v", asked.Head)
		}
		ok(s.Decline(ctx, s.as("bob"), start.ID, table.Undo, 0))
		replied := s.moveFirst(moved)
		ok(s.Propose(ctx, s.as("ann"), start.ID, table.Undo))
		ok(s.Accept(ctx, s.as("bob"), start.ID, table.Undo, 0))
		if now := s.at(start.ID); now.Plays != 0 || now.Digest != start.Digest || replied.Plays <= moved.Plays {
			t.Errorf("both moves taken back: %+v", now.Head)
		}
		// The table's events keep the plays that were taken back, and still lead to the present position.
		s.sink()
		s.launch(table.Config{})
		stored, err := s.store.Load(ctx, start.ID)
		if err != nil {
			t.Fatal(err)
		}
		plays, backs := 0, 0
		for _, e := range stored.Events {
			if e.Kind.Play() {
				plays++
			}
			backs += e.Back()
		}
		if plays == 0 || plays != backs || len(storage.Log(stored.Events)) != 0 {
			t.Errorf("%d plays and %d taken back are in the log", plays, backs)
		}
		s.Service = table.New(table.Config{Store: s.store, Games: catalog.Find})
		if again := s.at(start.ID); again.Digest != start.Digest {
			t.Errorf("after a restart: %+v", again.Head)
		}
	})
}

// A proposed undo is declined when another player moves.
func TestAMoveAnswersTheWishToTakeBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, ok := t.Context(), must(t)
		s := newSloop(t)
		defer func() { s.sink() }()
		snap := s.moveFirst(s.begin("loyal-captain", "ann", "bob"))
		time.Sleep(time.Hour)
		ok(s.Propose(ctx, s.as("ann"), snap.ID, table.Undo))
		snap = s.moveFirst(snap)
		if snap.Proposal.Kind != "" {
			t.Errorf("still proposed: %+v", snap.Proposal)
		}
		synctest.Wait()
		if got := s.kinds(snap.ID, storage.Declined); !slices.Equal(got, []string{"undo"}) {
			t.Errorf("declined %v", got)
		}
	})
}

func TestNeverPastDiceOrCards(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShip(t)
		defer func() { s.sink() }()
		s.Start(s.teller)
		snap := started(s, "ann", "bob")
		snap = must(t)(s.Move(t.Context(), s.as("ann"), snap.ID, "take 1", 0))
		if _, err := s.Propose(t.Context(), s.as("ann"), snap.ID, table.Undo); !errors.Is(err, table.ErrNoUndo) {
			t.Errorf("past a roll of the dice: %v, want %v", err, table.ErrNoUndo)
		}
		s.sink()
		s = newSloop(t)
		for _, key := range []string{"pirat", "freebooter"} {
			snap := s.begin(key, "ann", "bob", "cid")
			for range 6 {
				mover := snap.Mover()
				next := s.moveFirst(snap)
				log := next.Trail(games.Spectator, snap.Plays, next.Plays)
				drew := slices.ContainsFunc(log, func(st games.Step) bool { return st.Seat == games.Chance })
				_, err := s.Propose(t.Context(), s.as(mover), snap.ID, table.Undo)
				if drew && !errors.Is(err, table.ErrNoUndo) {
					t.Errorf("%s: cards were drawn, and taking back is answered %v", key, err)
				}
				if snap = s.at(snap.ID); snap.Mover() == "" || snap.Status != table.Playing {
					break
				}
			}
		}
	})
}

func TestSubstitutes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, ok := t.Context(), must(t)
		s := newShip(t)
		defer func() { s.sink() }()
		s.Start(s.teller)
		snap := timed(s, perMove(time.Hour, storage.LateOffer), "ann", "bob")
		if _, err := s.Take(ctx, s.as("cid"), snap.ID, games.Nobody); !errors.Is(err, table.ErrNotOffered) {
			t.Errorf("a seat that nobody offers: %v", err)
		}
		ok(s.Offer(ctx, s.as("bob"), snap.ID))
		if _, err := s.Take(ctx, s.as("ann"), snap.ID, games.Nobody); !errors.Is(err, table.ErrJoined) {
			t.Errorf("one's opponent's seat: %v", err)
		}
		bob := snap.Seat("bob")
		snap = ok(s.Take(ctx, s.as("cid"), snap.ID, games.Nobody))
		if snap.Seat("cid") != bob || snap.Seat("bob") != games.Spectator || table.IsOpen(snap.Head, bob) {
			t.Errorf("cid takes bob's seat: %+v", snap.Seats)
		}
		// ann is late; another player takes over with a new clock.
		time.Sleep(3 * time.Hour)
		synctest.Wait()
		ann := snap.Seat("ann")
		snap = ok(s.Take(ctx, s.as("dan"), snap.ID, ann))
		at, running, err := s.deadline(ctx, snap.Head)
		if err != nil || !running || time.Until(at) != time.Hour {
			t.Errorf("dan's clock: %v, %v, %v", time.Until(at), running, err)
		}
		snap = ok(s.Move(ctx, s.as("dan"), snap.ID, "take 1", 0))
		mod := s.as("mod")
		if _, err := s.Remove(ctx, mod, snap.ID, "cid"); !errors.Is(err, table.ErrNotAllowed) {
			t.Errorf("removed by anybody: %v", err)
		}
		mod.Moderator = true
		snap = ok(s.Remove(ctx, mod, snap.ID, "cid"))
		if snap.Seat("cid") != games.Spectator || snap.Mover() != "" || !table.IsOpen(snap.Head, bob) {
			t.Errorf("cid was removed: %+v", snap.Head)
		}
		time.Sleep(5 * time.Hour)
		synctest.Wait()
		snap = ok(s.Take(ctx, s.as("eve"), snap.ID, games.Nobody))
		snap = ok(s.Move(ctx, s.as("eve"), snap.ID, "take 1", 0))
		record := s.at(snap.ID)
		if record.Status != table.Playing {
			t.Errorf("eve plays on: %+v", record.Head)
		}
	})
}

// A change of settings that leaves a table's computed times as they are commits nothing.
func TestWhatChangesNothingIsNotCommitted(t *testing.T) {
	t.Parallel()
	ctx, ok, s := t.Context(), must(t), newShip(t)
	defer s.sink()
	snap := timed(s, perMove(2*time.Hour, storage.LateForfeit), "ann", "bob")
	change := func(f func(*choices.Settings)) uint64 {
		t.Helper()
		if _, err := s.Choices.ChangeSettings(ctx, "g", f); err != nil {
			t.Fatal(err)
		}
		return ok(s.Lookup.Snapshot(ctx, snap.ID)).Version
	}
	before := change(func(c *choices.Settings) { c.IdleDays = 20 })
	if before == snap.Version {
		t.Fatal("that the server closes idle tables later changes nothing at the table")
	}
	far := s.Lookup.Now().AddDate(0, 6, 0).Format(time.DateOnly)
	if after := change(func(c *choices.Settings) {
		c.SetQuietDates(s.Lookup.Now(), []clock.DateRange{{First: far, Last: far}})
	}); after != before {
		t.Errorf("a quiet day in half a year has changed the table from version %d to %d", before, after)
	}
}
