package table_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"marque/bot/table"
	"marque/games"
	"marque/games/computer"
)

// judges is a computer player that records in which order it assesses the moves of several tables.
type judges struct {
	mate
	order []uint64 // numbers of the tables
}

func (j *judges) Assess(ctx context.Context, v games.View, played games.Move, effort computer.Effort,
	seed uint64) (computer.Assessment, error) {
	j.set(func() { j.order = append(j.order, seed>>32) })
	return j.mate.Assess(ctx, v, played, effort, seed)
}

func (j *judges) judged() (order []uint64) {
	j.set(func() { order = slices.Clone(j.order) })
	return order
}

// judgedBy returns a ship whose reviews are made by m.
func judgedBy(t *testing.T, m *judges) *ship {
	t.Helper()
	s := newShip(t)
	s.sink()
	s.launch(table.Config{Computers: m})
	s.Start(s.teller)
	return s
}

// over plays a game of ann and bob to its end.
func (s *ship) over(channel string) *table.Snapshot {
	s.t.Helper()
	ctx, ok := s.t.Context(), must(s.t)
	snap := ok(s.Open(ctx, s.as("ann"), table.Opening{Game: "heap", Invited: []string{"bob"}, Guild: "g",
		Channel: channel, WhenFull: true, Fixed: true}))
	for snap = ok(s.Join(ctx, s.as("bob"), snap.ID)); snap.Status != table.Over; {
		snap = ok(s.Move(ctx, s.as(snap.Mover()), snap.ID, "take 1", 0))
	}
	return snap
}

// A review that nobody requested advances by only one decision a second while people wait for something. A requested
// review is made immediately in the meantime. The first review continues where it stopped when it is requested too, and
// skips nothing.
func TestReviewsGiveWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		m := &judges{}
		s := judgedBy(t, m)
		unasked, asked := s.over("c"), s.over("d")
		s.Background.Begin() // from now on, somebody is always waiting
		s.Reviews.Begin(ctx, unasked)
		synctest.Wait()
		if order := m.judged(); len(order) > 0 {
			t.Errorf("%d decisions were judged before those who wait had a second", len(order))
		}
		time.Sleep(2*time.Second + time.Millisecond)
		if order := m.judged(); len(order) != 2 {
			t.Errorf("%d decisions were judged in two seconds, want two", len(order))
		}
		began := time.Now()
		found, err := s.Reviews.Review(ctx, asked.ID)
		if took := time.Since(began); err != nil || !found.Done || took > 0 {
			t.Errorf("who asks has %d of %d decisions judged after %v, %v", found.Looked, found.Plays, took, err)
		}
		order := m.judged()
		if i := slices.Index(order, uint64(asked.ID)); i != 2 || slices.Contains(order[i:], uint64(unasked.ID)) {
			t.Errorf("the tables whose decisions were judged are %v: want two of %d, then those of %d", order,
				unasked.ID, asked.ID)
		}
		rest, err := s.Reviews.Review(ctx, unasked.ID)
		if err != nil || !rest.Done {
			t.Errorf("the other is left: %+v, %v", rest, err)
		}
		for _, snap := range []*table.Snapshot{unasked, asked} {
			judged, decisions := 0, 0
			for _, id := range m.judged() {
				if id == uint64(snap.ID) {
					judged++
				}
			}
			for n := range snap.Plays {
				if v := snap.ViewAt(n, games.Spectator); v.State.ToMove() >= 0 && len(v.State.Moves()) > 1 {
					decisions++
				}
			}
			if judged != decisions {
				t.Errorf("%d of the %d decisions at table %d were judged", judged, decisions, snap.ID)
			}
		}
		s.Background.End()
		s.sink()
	})
}

// A review that nobody requested advances by one decision a second while computers are to move at 64 tables. The
// computers' moves do not wait for the review, which can be completed afterwards.
func TestReportsGiveWayToManyTables(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, ok := t.Context(), must(t)
		m := &judges{}
		s := judgedBy(t, m)
		over := s.over("c")
		hold := make(chan struct{})
		m.set(func() { m.hold = hold })
		const tables = 64
		var ids []table.ID
		for i := range tables {
			ann := fmt.Sprint("ann ", i)
			snap := ok(s.Open(ctx, s.as(ann), table.Opening{Game: "heap",
				Computers: []table.ComputerPlayer{easy("Bosun")}, Guild: "g", Channel: "c", WhenFull: true,
				Fixed: true}))
			ok(s.Move(ctx, s.as(ann), snap.ID, "take 3", 0))
			ids = append(ids, snap.ID)
		}
		s.Reviews.Begin(ctx, over)
		const seconds = 3
		time.Sleep(seconds*time.Second + time.Millisecond)
		behind := len(m.judged())
		began := time.Now()
		close(hold)
		synctest.Wait()
		took := time.Since(began)
		for _, id := range ids {
			if snap := ok(s.Lookup.Snapshot(ctx, id)); snap.Mover() == "" {
				t.Errorf("table %s: %+v, want ann to move", id, snap.Head)
			}
		}
		time.Sleep(time.Second)
		if found, err := s.Reviews.Review(ctx, over.ID); err != nil || !found.Done {
			t.Errorf("the report has %d of %d decisions, %v", found.Looked, found.Plays, err)
		}
		all := len(m.judged())
		t.Logf("%d tables waited for %d s: %d of %d decisions were judged; the tables were served after %v more",
			tables, seconds, behind, all, took)
		if behind != seconds || took > 0 || all <= behind {
			t.Errorf("%d decisions were judged while tables waited for %d s, and then the tables for %v; %d in all",
				behind, seconds, took, all)
		}
		s.sink()
	})
}
