package table_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"marque/bot/table"
)

// quick is a long game of two players whose first board has been published.
type quick struct {
	*ship
	t    *testing.T
	snap *table.Snapshot
	had  int // number of publications so far
}

func newQuick(t *testing.T, s *ship) *quick {
	t.Helper()
	q := &quick{ship: s, t: t, snap: s.begin("laps", "ann", "bob")}
	synctest.Wait()
	q.had = len(q.news)
	return q
}

// play makes a move by the player to move, and leaves time for its publication.
func (q *quick) play(by *ship) {
	q.t.Helper()
	q.snap = must(q.t)(by.Move(q.t.Context(), by.as(q.snap.Mover()), q.snap.ID, "take 1", 0))
	synctest.Wait()
}

// expect fails the test unless the number of publications since its previous call is want.
func (q *quick) expect(what string, want int) {
	q.t.Helper()
	synctest.Wait()
	q.mu.Lock()
	n := len(q.news)
	q.mu.Unlock()
	if got := n - q.had; got != want {
		q.t.Errorf("%s: the channel hears something %d times, want %d", what, got, want)
	}
	q.had = n
}

// upToDate fails the test unless the latest version of the table has been published.
func (q *quick) upToDate(what string) {
	q.t.Helper()
	synctest.Wait()
	if told := q.told(q.snap.ID); told[len(told)-1].Version != q.snap.Version {
		q.t.Errorf("%s: the channel knows version %d, want %d", what, told[len(told)-1].Version, q.snap.Version)
	}
}

// The board of a quick game is not published after each move while the players to move have the table open on a
// page. It is published when nobody has moved for twenty seconds, and at least every minute and a half. Other
// changes are published immediately, and so is the board when the page is closed.
func TestTheBoardOfAQuickGameWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, ok, s := t.Context(), must(t), newShip(t)
		s.Start(s.teller)
		q := newQuick(t, s)
		ann, bob := s.Look("ann", q.snap.ID), s.Look("bob", q.snap.ID)
		bob2 := s.Look("bob", q.snap.ID)

		for range 4 {
			q.play(s)
			time.Sleep(15 * time.Second)
		}
		q.expect("four moves, one in fifteen seconds", 0)
		time.Sleep(5 * time.Second)
		q.expect("twenty quiet seconds", 1)
		q.upToDate("twenty quiet seconds")

		for range 26 {
			q.play(s)
			time.Sleep(7 * time.Second)
		}
		q.expect("moves that go on for three minutes", 2)
		q.upToDate("three minutes")
		if q.snap = s.at(q.snap.ID); len(q.snap.Timing.Stood) > 0 || q.snap.Timing.HeldSince != 0 {
			t.Errorf("the clock stood while the board waited: %+v", q.snap.Timing)
		}

		for q.snap.Mover() != "ann" {
			q.play(s)
		}
		time.Sleep(20 * time.Second)
		q.had = len(q.news)
		q.play(s)
		bob()
		q.expect("one of two pages is closed", 0)
		bob2()
		q.expect("the page is closed", 1)
		q.play(s)
		q.expect("bob, whose page is closed, moves", 0)
		q.play(s)
		q.expect("ann moves, and bob's page is closed", 1)
		q.upToDate("bob is called")

		q.play(s)
		q.expect("ann is to move, and looks", 0)
		q.snap = ok(s.Propose(ctx, s.as("bob"), q.snap.ID, table.Draw))
		q.expect("an offer", 1)
		q.snap = ok(s.Decline(ctx, s.as("ann"), q.snap.ID, table.Draw, 0))
		q.expect("an answer", 1)
		ann()
		q.expect("nothing is left", 0)
		s.sink()
	})
}

// A board that waits is published when the process stops. If the process ends without publishing it, the next process
// publishes it.
func TestABoardThatWaitsIsNotLost(t *testing.T) {
	t.Parallel()
	for _, killed := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s := newShip(t)
			s.Start(s.teller)
			q := newQuick(t, s)
			s.Look("ann", q.snap.ID)
			s.Look("bob", q.snap.ID)
			q.play(s)
			q.expect("a move", 0)
			if killed {
				s.failWith(func(table.News) error { return context.Canceled })
				s.crash()
				s.failWith(nil)
				s.launch(table.Config{})
				s.Start(s.teller)
				q.expect("a kill", 1)
			} else {
				closing, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				if err := s.Close(closing); err != nil {
					t.Error(err)
				}
				q.expect("a stop", 1)
			}
			q.upToDate("the end")
			s.sink()
		})
	}
}

// The board also waits if the page is open in a process other than the one that publishes. If that process is no longer
// heard of, the page counts as open only for a short time.
func TestTheBoardWaitsAcrossProcesses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		a, b, _, part := related(t)
		q := newQuick(t, a)
		ann, bob := b.Look("ann", q.snap.ID), b.Look("bob", q.snap.ID)
		synctest.Wait()
		q.play(b)
		q.play(a)
		q.expect("two moves", 0)
		time.Sleep(20 * time.Second)
		q.expect("twenty quiet seconds", 1)
		time.Sleep(10 * time.Minute)
		q.play(b)
		q.expect("a move ten minutes later", 0)
		ann()
		bob()
		q.expect("the pages are closed", 1)
		q.upToDate("the pages are closed")

		b.Look("ann", q.snap.ID)
		b.Look("bob", q.snap.ID)
		synctest.Wait()
		part()
		time.Sleep(2 * time.Minute)
		q.play(a)
		q.expect("a move, when nothing was heard of the pages for two minutes", 1)
		if err := b.Close(ctx); err != nil {
			t.Error(err)
		}
		a.sink()
	})
}
