package table_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"marque/bot/table"
	"marque/bot/table/changes"
)

// A subscriber receives the changes of the tables that it follows, and of no other tables. Several changes of a table
// are received as one, with the latest version.
func TestASubscriberHearsOfWhatItFollows(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, ok, s := t.Context(), must(t), newShip(t)
		s.Start(s.teller)
		synctest.Wait()
		snap, other := started(s, "ann", "bob"), started(s, "cid", "dan")
		byTable := s.Subscribe(changes.Interest{Tables: []table.ID{snap.ID}})
		byUser := s.Subscribe(changes.Interest{User: "ann"})
		stranger := s.Subscribe(changes.Interest{Tables: []table.ID{snap.ID + 100}, User: "eve"})
		expect := func(what string, sub *changes.Subscription, want ...changes.Change) {
			t.Helper()
			if len(want) > 0 {
				select {
				case <-sub.Ready():
				default:
					t.Errorf("%s: the subscription is not ready", what)
				}
			}
			if got, all := sub.Take(); !slices.Equal(got, want) || all {
				t.Errorf("%s: %+v (all %t), want %+v", what, got, all, want)
			}
		}

		for range 3 {
			snap = ok(s.Move(ctx, s.as(snap.Mover()), snap.ID, "take 1", 0))
		}
		snap = ok(s.Propose(ctx, s.as("ann"), snap.ID, table.Draw))
		ok(s.Move(ctx, s.as(other.Mover()), other.ID, "take 1", 0))
		played := changes.Change{Table: snap.ID, Version: snap.Version, Position: true}
		expect("three moves and an offer, by table", byTable, played)
		expect("three moves and an offer, by user", byUser, played)
		expect("by nobody's table", stranger)

		snap = ok(s.Decline(ctx, s.as("bob"), snap.ID, table.Draw, 0))
		expect("an offer that is declined", byTable, changes.Change{Table: snap.ID, Version: snap.Version})
		expect("nothing more", byTable)
		byUser.Take()

		lobby := ok(s.Open(ctx, s.as("fay"), table.Opening{Game: "heap", Channel: "c"}))
		lobby = ok(s.Join(ctx, s.as("ann"), lobby.ID))
		expect("a seat taken", byUser, changes.Change{Table: lobby.ID, Version: lobby.Version})
		lobby = ok(s.Leave(ctx, s.as("ann"), lobby.ID))
		expect("a seat left", byUser, changes.Change{Table: lobby.ID, Version: lobby.Version})

		byTable.Close()
		byTable.Close()
		ok(s.Move(ctx, s.as(snap.Mover()), snap.ID, "take 1", 0))
		expect("after it has closed", byTable)
		s.sink()
	})
}

// A subscriber that takes no changes delays no command, and uses limited memory. Beyond the limit, it is told to read
// all tables again.
func TestASlowSubscriberIsToldToLookAtEverything(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, ok, s := t.Context(), must(t), newShip(t)
		s.Start(s.teller)
		synctest.Wait()
		sub := s.Subscribe(changes.Interest{User: "ann"})
		for i := range 300 {
			time.Sleep(15 * time.Second) // a user may open one table every 15 seconds
			ok(s.Open(ctx, s.as("ann"), table.Opening{Game: "heap", Guild: fmt.Sprint("g", i/50),
				Channel: fmt.Sprint("c", i)}))
		}
		if changes, all := sub.Take(); !all || len(changes) > 100 {
			t.Errorf("after 300 tables that nobody took: %d changes, all %t; want it bounded", len(changes), all)
		}
		if changes, all := sub.Take(); len(changes) > 0 || all {
			t.Errorf("taken again: %v, all %t", changes, all)
		}
		s.Sharing.Gaining() // other processes may have changed any table
		if _, all := sub.Take(); !all {
			t.Error("when servers are about to become this process's, nobody looks again at what they show")
		}
		s.sink()
	})
}
