package table_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"marque/bot/choices"
	"marque/bot/table"
	"marque/games"
	"marque/games/text"
	"marque/storage"
)

// sentence returns the text of a refusal, as its id and arguments.
func sentence(err error) (id string, args map[string]any) {
	var pe games.PlayerError
	if !errors.As(err, &pe) {
		return "", nil
	}
	m := pe.Text()
	return m.ID, m.Args
}

// A table for several people is not opened without a server.
func TestNoServer(t *testing.T) {
	t.Parallel()
	s := newShip(t)
	defer s.sink()
	ctx := t.Context()
	o := table.Opening{Game: "heap", Channel: "c"}
	if err := s.Check(ctx, s.as("ann"), o); !errors.Is(err, table.ErrNoServer) {
		t.Errorf("checked a table without a server: %v", err)
	}
	_, err := s.Service.Open(ctx, s.as("ann"), o)
	if id, _ := sentence(err); !errors.Is(err, table.ErrNoServer) || id != "table.error.no-server" {
		t.Errorf("opened a table without a server: %v (%q)", err, id)
	}
	if list, err := s.store.ByChannel(ctx, "c", storage.Active, 0, 10); err != nil || len(list) != 0 {
		t.Errorf("stored %v, %v", list, err)
	}
}

// bounded returns a ship with these limits on its home server.
func bounded(t *testing.T, l choices.Limits) *ship {
	s := newShip(t)
	t.Cleanup(s.sink)
	s.boundHome(l)
	return s
}

func (s *ship) boundHome(l choices.Limits) {
	s.t.Helper()
	if err := s.bound(home, l); err != nil {
		s.t.Fatal(err)
	}
}

// refusedFor fails the test unless err is a refusal with the text want and this limit.
func refusedFor(t *testing.T, what string, err error, want string, limit int) {
	t.Helper()
	id, args := sentence(err)
	if !errors.Is(err, table.ErrLimit) || id != want || args["Count"] != limit {
		t.Errorf("%s: %v (%q %v), want %q with %d", what, err, id, args, want, limit)
	}
}

// A user cannot open, join or take seats at more tables of a server than its settings allow. Finished tables and other
// servers' tables do not count. A limit that is lowered ends no game.
func TestOpenTablesOfAUser(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := bounded(t, choices.Limits{UserTables: 2, UserLobbies: 9})
	ok := must(t)
	const sentence = "table.error.limit-tables"
	first := ok(s.Open(ctx, s.as("ann"), table.Opening{Game: "laps", Seats: 2, WhenFull: true, Channel: "c"}))
	first = ok(s.Join(ctx, s.as("bob"), first.ID))
	second := ok(s.Open(ctx, s.as("ann"), table.Opening{Game: "laps", Channel: "c"}))
	_, err := s.Open(ctx, s.as("ann"), table.Opening{Game: "laps", Channel: "c"})
	refusedFor(t, "opens a third", err, sentence, 2)
	_, err = s.Open(ctx, table.Actor{User: "ann", Moderator: true, Key: "moderator"},
		table.Opening{Game: "laps", Channel: "c"})
	refusedFor(t, "opens a third as a moderator", err, sentence, 2)
	refusedFor(t, "looks whether she may", s.Check(ctx, s.as("ann"), table.Opening{Game: "laps", Guild: home,
		Channel: "c"}), sentence, 2)

	third := ok(s.Open(ctx, s.as("cid"), table.Opening{Game: "laps", Seats: 2, WhenFull: true, Channel: "c"}))
	_, err = s.Join(ctx, s.as("ann"), third.ID)
	refusedFor(t, "joins a third", err, sentence, 2)
	third = ok(s.Join(ctx, s.as("bob"), third.ID))
	ok(s.Offer(ctx, s.as("cid"), third.ID))
	_, err = s.Take(ctx, s.as("ann"), third.ID, games.Nobody)
	refusedFor(t, "takes a seat at a third", err, sentence, 2)
	ok(s.Open(ctx, s.as("ann"), table.Opening{Game: "laps", Guild: "nassau", Channel: "n"}))

	s.boundHome(choices.Limits{UserTables: 1, UserLobbies: 9})
	if snap := ok(s.Lookup.Snapshot(ctx, first.ID)); snap.Status != table.Playing {
		t.Errorf("after the limit was lowered, table %d is %v", first.ID, snap.Status)
	}
	ok(s.Leave(ctx, s.as("ann"), second.ID))
	_, err = s.Take(ctx, s.as("ann"), third.ID, games.Nobody)
	refusedFor(t, "takes a seat at a second", err, sentence, 1)
	ok(s.Resign(ctx, s.as("ann"), first.ID))
	taken := ok(s.Take(ctx, s.as("ann"), third.ID, games.Nobody))
	if taken.Seat("ann") < 0 {
		t.Errorf("she has no seat: %v", taken.Seats)
	}

	// Rematches count like other tables.
	_, err = s.Open(ctx, s.as("ann"), table.Opening{Game: "laps", Seats: 2, Channel: "c", Rematch: first.ID})
	refusedFor(t, "opens a rematch", err, sentence, 1)
}

// The limits of tables hold when many users open or join tables at the same moment.
func TestLimitsHoldAtOnce(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := bounded(t, choices.Limits{Tables: 5, UserTables: 2, UserLobbies: 9})
	ok := must(t)
	together := func(n int, do func(i int) error) (through int) {
		var wg sync.WaitGroup
		errs := make([]error, n)
		for i := range n {
			wg.Go(func() { errs[i] = do(i) })
		}
		wg.Wait()
		for _, err := range errs {
			switch {
			case err == nil:
				through++
			case !errors.Is(err, table.ErrLimit):
				t.Error(err)
			}
		}
		return through
	}
	open := func(user string, key int) error {
		_, err := s.Open(ctx, table.Actor{User: user, Key: fmt.Sprintf("open-%s-%d", user, key)},
			table.Opening{Game: "heap", Channel: "c"})
		return err
	}
	if n := together(8, func(i int) error { return open("ann", i) }); n != 2 {
		t.Errorf("one user opened %d tables at once, may 2", n)
	}
	if n := together(8, func(i int) error { return open(fmt.Sprintf("u%d", i), i) }); n != 3 {
		t.Errorf("%d more tables on a server that has room for 3", n)
	}
	list, err := s.store.ByGuild(ctx, home, storage.Active, 0, 100)
	if err != nil || len(list) != 5 {
		t.Fatalf("%d tables go on, may 5, %v", len(list), err)
	}
	if n := together(5, func(i int) error {
		_, err := s.Join(ctx, table.Actor{User: "zoe", Key: fmt.Sprintf("join-%d", i)}, list[i].ID)
		return err
	}); n != 2 {
		t.Errorf("one user joined %d tables at once, may 2", n)
	}

	// The server's limit applies to moderators too. A table that was opened before the limit was lowered can still
	// start.
	_, err = s.Open(ctx, table.Actor{User: "mod", Moderator: true, Key: "mod"},
		table.Opening{Game: "heap", Channel: "c"})
	refusedFor(t, "opens a sixth table of the server", err, "table.error.limit-server", 5)
	s.boundHome(choices.Limits{Tables: 1, UserTables: 1, UserLobbies: 1})
	i := slices.IndexFunc(list, func(h table.Head) bool { return ok(s.Lookup.Snapshot(ctx, h.ID)).Seat("zoe") >= 0 })
	if begun := ok(s.Begin(ctx, table.Actor{User: list[i].Host, Key: "begin"},
		list[i].ID)); begun.Status != table.Playing {
		t.Errorf("table %d did not start", begun.ID)
	}
}

// A user cannot host more waiting tables, or have more open invitations, than the settings allow.
func TestLobbiesAndInvitations(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := bounded(t, choices.Limits{UserLobbies: 2, UserInvitations: 3})
	ok := must(t)
	first := ok(s.Open(ctx, s.as("ann"), table.Opening{Game: "heap", Seats: 3, Invited: []string{"bob", "cid"},
		WhenFull: true, Channel: "c"}))
	_, err := s.Open(ctx, s.as("ann"), table.Opening{Game: "heap", Seats: 3, Invited: []string{"dan", "eve"},
		Channel: "c"})
	refusedFor(t, "has four invitations", err, "table.error.limit-invitations", 3)
	ok(s.Leave(ctx, s.as("bob"), first.ID))
	second := ok(s.Open(ctx, s.as("ann"), table.Opening{Game: "heap", Seats: 3, Invited: []string{"dan", "eve"},
		Channel: "c"}))
	_, err = s.Open(ctx, s.as("ann"), table.Opening{Game: "heap", Channel: "c"})
	refusedFor(t, "has three lobbies", err, "table.error.limit-lobbies", 2)
	ok(s.Join(ctx, s.as("cid"), first.ID))
	if begun := ok(s.Join(ctx, s.as("fay"), first.ID)); begun.Status != table.Playing {
		t.Fatalf("table %d did not start", begun.ID)
	}
	ok(s.Open(ctx, s.as("ann"), table.Opening{Game: "heap", Channel: "c"}))
	ok(s.Join(ctx, s.as("ann"), ok(s.Open(ctx, s.as("gus"), table.Opening{Game: "heap", Channel: "c"})).ID))
	if n := len(second.Invited()); n != 2 {
		t.Errorf("%d are invited", n)
	}
}

// A user cannot be invited by somebody they have blocked. The invitation is refused without a reason, and a rematch
// reserves no seat for them. When the blocked user's data is deleted, the block is deleted too.
func TestBlocked(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := newShip(t)
	defer s.sink()
	ok := must(t)
	invite := table.Opening{Game: "laps", Seats: 2, Invited: []string{"bob"}, WhenFull: true, Channel: "c"}
	old := ok(s.Open(ctx, s.as("ann"), invite))
	old = ok(s.Join(ctx, s.as("bob"), old.ID))
	ok(s.Resign(ctx, s.as("bob"), old.ID))
	if _, err := s.Choices.ChangePreferences(ctx, "bob",
		func(p *choices.Preferences) error { p.Blocked = []string{"ann", "cid"}; return nil }); err != nil {
		t.Fatal(err)
	}
	_, err := s.Open(ctx, s.as("ann"), invite)
	if id, args := sentence(err); !errors.Is(err, table.ErrNotInvitable) || id != "table.error.not-invitable" ||
		args["Who"] != text.User("bob") || len(args) != 1 {
		t.Errorf("invited who blocked her: %v (%q %v)", err, id, args)
	}
	if _, err := s.Open(ctx, s.as("bob"), table.Opening{Game: "laps", Seats: 2, Invited: []string{"ann"},
		Channel: "c"}); err != nil {
		t.Errorf("who blocks invites: %v", err)
	}
	again := invite
	again.Rematch = old.ID
	rematch := ok(s.Open(ctx, s.as("ann"), again))
	if len(rematch.Invited()) != 0 || rematch.Most != 2 {
		t.Errorf("a rematch invites %v to %d seats", rematch.Invited(), rematch.Most)
	}
	if joined := ok(s.Join(ctx, s.as("bob"), rematch.ID)); joined.Status != table.Playing {
		t.Errorf("who came to the rematch all the same does not play: %v", joined.Seats)
	}

	d, err := s.privacy().Export(ctx, "bob")
	if err != nil || !slices.Equal(d.Preferences.Blocked, []string{"ann", "cid"}) {
		t.Errorf("the export has %v, %v", d.Preferences.Blocked, err)
	}
	if err := s.forget(ctx, "ann"); err != nil {
		t.Fatal(err)
	}
	if p, err := s.Choices.Preferences(ctx, "bob"); err != nil || !slices.Equal(p.Blocked, []string{"cid"}) {
		t.Errorf("after ann's data were deleted, bob blocks %v, %v", p.Blocked, err)
	}
	if err := s.forget(ctx, "bob"); err != nil {
		t.Fatal(err)
	}
	if users, err := s.store.UsersNaming(ctx, "cid"); err != nil || len(users) != 0 {
		t.Errorf("cid is still blocked by %v, %v", users, err)
	}
}

// The number of acts with which a user can notify others at a table is limited. Otherwise, for example, a moderator
// could pause and resume a game endlessly. A player's move and another moderator's acts are not affected. After a
// quarter of a minute, one more act is allowed.
func TestWhatAUserHasOthersToldIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, ok, s := t.Context(), must(t), newShip(t)
		defer s.sink()
		id := rounds(s, storage.ClockRule{}, "ann", "bob").ID
		toggle := func(who string) error {
			if ok(s.Lookup.Snapshot(ctx, id)).Paused == "" {
				_, err := s.Pause(ctx, s.asModerator(who), id)
				return err
			}
			_, err := s.Resume(ctx, s.asModerator(who), id, "moderator")
			return err
		}
		done := 0
		var err error
		for ; err == nil && done < 1000; done++ {
			err = toggle("mod")
		}
		if id, _ := sentence(err); done != 41 || !errors.Is(err, table.ErrTooSoon) || id != "table.error.hasty" {
			t.Fatalf("after %d acts: %v, %q", done, err, id)
		}
		s.take1(id, "ann")
		if err := toggle("another"); err != nil {
			t.Errorf("another moderator: %v", err)
		}
		time.Sleep(16 * time.Second)
		if err := errors.Join(toggle("mod"), toggle("another")); err != nil {
			t.Errorf("a quarter of a minute later: %v", err)
		}
		if err := toggle("mod"); !errors.Is(err, table.ErrTooSoon) {
			t.Errorf("and at once again: %v", err)
		}
	})
}
