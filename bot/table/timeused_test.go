package table_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"marque/bot/compete"
	"marque/bot/table"
	"marque/storage"
)

// CO-8: only the time that each player took for their moves counts when a game is ended by its deadline. Pauses, the
// player's own absences, and times when the board could not be published do not count.
func TestCO8_TimeThatDidNotRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShip(t)
		defer func() { s.sink() }()
		s.Start(s.teller)
		ctx, ok := t.Context(), must(t)
		s.silence("ann", "bob")
		snap := timed(s, perMove(7*day, storage.LateForfeit), "ann", "bob")
		first, second := snap.ToMove, 1-snap.ToMove
		mover := snap.Mover()
		time.Sleep(2 * time.Hour)
		mod := s.as("mod")
		mod.Moderator = true
		ok(s.Pause(ctx, mod, snap.ID))
		time.Sleep(3 * day)
		mod.Key += "0"
		ok(s.Resume(ctx, mod, snap.ID, ""))
		if _, err := s.GoAway(ctx, mover, "g", time.Now().Add(4*day)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(4*day + time.Hour)
		s.failWith(func(table.News) error { return errors.New("503") })
		ok(s.Move(ctx, s.as(mover), snap.ID, "take 1", 0))
		time.Sleep(day)
		s.failWith(nil)
		s.Poke(snap.ID)
		time.Sleep(5 * time.Hour)
		stored, err := s.store.Load(ctx, snap.ID)
		if err != nil {
			t.Fatal(err)
		}
		used, err := compete.TimeUsed(ctx, s.Service, stored)
		t.Logf("used are %v", used)
		hour := storage.Stamp(time.Hour.Milliseconds())
		if err != nil || used[first] != 3*hour || used[second] != 5*hour {
			t.Errorf("used are %v, %v, want 3 hours of seat %d and 5 of the other", used, err, first)
		}
	})
}
