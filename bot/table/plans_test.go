package table_test

import (
	"errors"
	"testing"
	"testing/synctest"

	"golang.org/x/text/width"

	"marque/bot/table"
	"marque/games"
)

// otherThan returns the notation of the first legal move that is not the given one.
func otherThan(menu *games.Menu, not string) string {
	for _, c := range menu.Candidates() {
		if c.Notation != not {
			return c.Notation
		}
	}
	return ""
}

// Conditional moves are played when the game follows their line, and dropped when it departs from it. Time stands
// still, so that an undo needs no agreement even on a busy machine.
func TestConditionalMoves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, ok := t.Context(), must(t)
		s := newSloop(t)
		defer func() { s.sink() }()
		snap := s.begin("loyal-captain", "ann", "bob")
		first, second := snap.Mover(), "bob"
		if first == "bob" {
			second = "ann"
		}
		menu, _ := snap.Menu(snap.ToMove)
		expected := menu.Candidates()[0].Notation
		menuAfter := games.NewMenu(snap.View(snap.ToMove).State.Apply(menu.Candidates()[0].Move))
		reply := menuAfter.Candidates()[0].Notation

		if _, err := s.LeavePlan(ctx, s.as(first), snap.ID, expected, 0); !errors.Is(err, table.ErrNoPlan) {
			t.Errorf("on one's own turn: %v", err)
		}
		if _, err := s.LeavePlan(ctx, s.as(second), snap.ID, expected, 0); !errors.Is(err, table.ErrNoPlan) {
			t.Errorf("a line that ends with the other's move: %v", err)
		}
		if _, err := s.LeavePlan(ctx, s.as(second), snap.ID, expected+"; nonsense", 0); err == nil {
			t.Error("a move that is none is accepted")
		}
		// The line is dropped when the game departs from it.
		left := ok(s.LeavePlan(ctx, s.as(second), snap.ID, expected+"; "+reply, 0))
		if got := left.Plans(left.Seat(second)); len(got) != 1 || left.Plans(left.Seat(first)) != nil {
			t.Fatalf("plans %v; the other sees %v", got, left.Plans(left.Seat(first)))
		}
		away := ok(s.Move(ctx, s.as(first), snap.ID, otherThan(menu, expected), 0))
		if away.Plays != 1 || len(away.Plans(away.Seat(second))) != 0 {
			t.Errorf("the game went elsewhere: %d plays, plans %v", away.Plays, away.Plans(away.Seat(second)))
		}
		back := ok(s.Propose(ctx, s.as(first), snap.ID, table.Undo))
		if back.Plays != 0 {
			t.Fatalf("not taken back: %+v", back.Head)
		}
		// When the game follows the line, the expected move and its reply are played in one commit.
		ok(s.LeavePlan(ctx, s.as(second), snap.ID, "„"+width.Widen.String(expected+";"+reply)+"“", 0))
		before := s.at(snap.ID).Version
		after := ok(s.Move(ctx, s.as(first), snap.ID, expected, 0))
		if after.Version != before+1 || after.Mover() != first || after.Plays != 2 ||
			len(after.Plans(after.Seat(second))) != 0 {
			t.Errorf("both moves: version %d after %d, %d plays, %s to move", after.Version, before, after.Plays,
				after.Mover())
		}
		dropped := ok(s.LeavePlan(ctx, s.as(second), snap.ID, linesFrom(after), 0))
		if len(dropped.Plans(dropped.Seat(second))) != 1 {
			t.Error("a second plan is not kept")
		}
		if dropped = ok(s.DropPlans(ctx, s.as(second), snap.ID)); len(dropped.Plans(dropped.Seat(second))) != 0 {
			t.Error("plans are not dropped")
		}

		hidden := s.begin("pirat", "ann", "bob", "cid")
		who := "ann"
		if hidden.Mover() == "ann" {
			who = "bob"
		}
		if _, err := s.LeavePlan(ctx, s.as(who), hidden.ID, "x; y", 0); !errors.Is(err, table.ErrNoPlan) {
			t.Errorf("in a game with hands: %v", err)
		}
	})
}

// linesFrom returns a line of two legal moves: one by the player to move, and one after it.
func linesFrom(snap *table.Snapshot) string {
	menu, _ := snap.Menu(snap.ToMove)
	c := menu.Candidates()[0]
	return c.Notation + ";" + games.NewMenu(snap.View(snap.ToMove).State.Apply(c.Move)).Candidates()[0].Notation
}
