package table_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"marque/bot/privacy"
	"marque/bot/table"
	"marque/bot/table/conduct"
	"marque/games"
	"marque/storage"
)

// Users' conduct is computed from games with other people: how soon they usually answer, and how many games they leave.
// Pauses of a game and absences do not count.
func TestHowPeoplePlay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShip(t)
		defer func() { s.sink() }()
		s.Start(s.teller)
		ctx, ok := t.Context(), must(t)
		s.silence("ann", "bob", "cid")
		played := func(user string) conduct.Conduct {
			t.Helper()
			c, err := s.Service.Conduct(ctx, "g", user)
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		// move makes the next move: ann's after a minute, bob's after two hours. meanwhile is called just before it.
		move := func(snap *table.Snapshot, meanwhile func()) *table.Snapshot {
			t.Helper()
			wait := time.Minute
			if snap.Mover() == "bob" {
				wait = 2 * time.Hour
			}
			time.Sleep(wait)
			meanwhile()
			return ok(s.Move(ctx, s.as(snap.Mover()), snap.ID, "take 1", 0))
		}
		nothing := func() {}
		for n := range 4 {
			if c := played("bob"); c.Known() || c.Usual != 0 || c.Left != 0 {
				t.Errorf("after %d games: %+v, want nothing to be said", n, c)
			}
			snap := timed(s, perMove(3*day, storage.LateForfeit), "ann", "bob")
			for i := range 6 {
				meanwhile := nothing
				switch {
				case i == 2: // a moderator pauses the game
					meanwhile = func() {
						mod := s.as("mod")
						mod.Moderator = true
						ok(s.Pause(ctx, mod, snap.ID))
						time.Sleep(20 * day)
						mod.Key += "0"
						ok(s.Resume(ctx, mod, snap.ID, ""))
					}
				case i == 3 && n == 0: // a player is absent
					meanwhile = func() {
						if _, err := s.GoAway(ctx, snap.Mover(), "g", time.Now().Add(10*day)); err != nil {
							t.Fatal(err)
						}
						time.Sleep(10 * day)
					}
				}
				snap = move(snap, meanwhile)
			}
			ok(s.Resign(ctx, s.as("bob"), snap.ID))
			synctest.Wait()
		}
		// cid resigns in the first moves, and bob runs out of time.
		early := timed(s, perMove(3*day, storage.LateForfeit), "cid", "bob")
		ok(s.Resign(ctx, s.as("cid"), early.ID))
		late := timed(s, perMove(time.Hour, storage.LateForfeit), "bob", "ann")
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		if now := s.at(late.ID); now.Status != table.Over {
			t.Fatalf("%+v, want it forfeited", now.Head)
		}
		going := timed(s, perMove(3*day, storage.LateOffer), "bob", "ann")
		if c, want := played("ann"), (conduct.Conduct{Games: 5, Usual: 15 * time.Minute, Answered: 12,
			Going: 1}); c != want {
			t.Errorf("ann, who answers at once: %+v, want %+v", c, want)
		}
		if c, want := played("bob"), (conduct.Conduct{Games: 6, Left: 17, Usual: 3 * time.Hour, Answered: 12,
			Going: 1}); c != want {
			t.Errorf("bob, who answers after two hours and left one of six: %+v, want %+v", c, want)
		}
		if c := played("cid"); c.Games != 1 || c.Known() {
			t.Errorf("cid: %+v, want one game and nothing to be said", c)
		}
		// A late player whose seat is taken over has left the game, although the game continues.
		time.Sleep(4 * day)
		synctest.Wait()
		ok(s.Take(ctx, s.as("cid"), going.ID, games.Nobody))
		if c := played("bob"); c.Games != 7 || c.Left != 29 || c.Going != 0 {
			t.Errorf("bob, whose seat was taken over while he was late: %+v, want 2 of 7 left", c)
		}
		dossier, err := s.privacy().Export(ctx, "bob")
		if err != nil || len(dossier.Owned) == 0 {
			t.Errorf("what is exported of bob: %+v, %v", dossier.Owned, err)
		}
		if err := s.forget(ctx, "bob"); err != nil {
			t.Fatal(err)
		}
		if c := played("bob"); c != (conduct.Conduct{}) {
			t.Errorf("bob, who is forgotten: %+v", c)
		}
	})
}

// endless is a store whose search for the events that name a user takes too long.
type endless struct{ *storage.Store }

func (s endless) EventsNaming(ctx context.Context, user string) ([]storage.ID, error) {
	ids, err := s.Store.EventsNaming(ctx, user)
	if err == nil {
		<-ctx.Done()
		err = ctx.Err()
	}
	return ids, err
}

// A user whose seat somebody else has taken finds the table and the moves made there in the exported data. If the
// search for such tables takes too long, the user gets what was found, and the data say that tables may be missing.
func TestAnExportHasTheSeatsThatOthersHaveNow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, ok, s := t.Context(), must(t), newShip(t)
		snap := started(s, "ann", "bob", "cid")
		for range 4 {
			snap = ok(s.Move(ctx, s.as(snap.Mover()), snap.ID, "take 1", 0))
		}
		ok(s.Remove(ctx, table.Actor{User: "mod", Moderator: true, Key: "9"}, snap.ID, "bob"))
		ok(s.Take(ctx, s.as("dan"), snap.ID, games.Nobody))
		for _, slow := range []bool{false, true} {
			var store privacy.Store = s.store
			if slow {
				store = endless{s.store}
			}
			d, err := privacy.New(s.Service, store, nil).Export(ctx, "bob")
			if err != nil || d.Partial != slow || len(d.Named) != 1 || d.Named[0].Table != snap.ID.String() ||
				d.Named[0].Moves == "" || len(d.Named[0].Had) != 1 {
				t.Errorf("slow %v: %+v, %v; want the table with the moves", slow, d, err)
			}
		}
		s.sink()
	})
}
