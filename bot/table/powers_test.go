package table_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"marque/bot/table"
	"marque/games"
	"marque/games/text"
	"marque/storage"
)

// For every restricted act and every kind of user, the service allows what the table of powers allows.
func TestWhoMayDoWhat(t *testing.T) {
	t.Parallel()
	synctest.Test(t, whoMayDoWhat)
}

func whoMayDoWhat(t *testing.T) {
	ctx, ok := t.Context(), must(t)
	s := withComputers(t, &mate{})
	defer s.sink()
	type try struct {
		name  string
		ready func() table.ID // returns the table at which the act is tried
		do    func(by table.Actor, id table.ID) error
	}
	act := func(_ *table.Snapshot, err error) error { return err }
	lobby := func() table.ID { // ann is the host, bob a player
		time.Sleep(time.Minute) // stay below the limit of acts per user
		snap := ok(s.Open(ctx, s.as("ann"), table.Opening{Game: "laps", Seats: 3, Guild: "g", Channel: "c"}))
		return ok(s.Join(ctx, s.as("bob"), snap.ID)).ID
	}
	full := func() table.ID { return ok(s.Join(ctx, s.as("cid"), lobby())).ID }
	playing := func() table.ID { return ok(s.Begin(ctx, s.as("ann"), full())).ID }
	offered := func() table.ID { return ok(s.Offer(ctx, s.as("bob"), playing())).ID }
	manned := func() table.ID {
		return ok(s.AddComputer(ctx, s.as("ann"), lobby(), easy("Bosun"))).ID
	}
	paused := func() table.ID { return ok(s.Pause(ctx, s.asModerator("nobody"), playing())).ID }
	over := func() table.ID {
		id := playing()
		ok(s.Resign(ctx, s.as("bob"), id))
		return ok(s.Resign(ctx, s.as("cid"), id)).ID
	}
	voided := func() table.ID {
		id := over()
		if _, err := s.standings().Void(ctx, s.asManager("nobody"), "g", id, text.NewName("a test")); err != nil {
			t.Fatal(err)
		}
		return id
	}
	none := func() table.ID { return 0 }
	tries := map[table.Act][]try{
		table.AddComputers: {
			{"a computer comes", lobby, func(by table.Actor, id table.ID) error {
				return act(s.AddComputer(ctx, by, id, easy("Bosun")))
			}},
			{"a computer goes", manned, func(by table.Actor, id table.ID) error { return act(s.DismissComputer(ctx, by, id)) }},
			{"a computer takes a seat", offered, func(by table.Actor, id table.ID) error {
				return act(s.TakeByComputer(ctx, by, id, games.Nobody, easy("Bosun")))
			}},
		},
		table.StartGame: {{"the game starts", full, func(by table.Actor, id table.ID) error {
			return act(s.Begin(ctx, by, id))
		}}},
		table.CloseTable: {{"the table is closed", lobby, func(by table.Actor, id table.ID) error {
			return act(s.Abandon(ctx, by, id))
		}}},
		table.ChangeOptions: {
			{"an option is chosen", lobby, func(by table.Actor, id table.ID) error {
				err := act(s.ChooseOption(ctx, by, id, games.Setting{Key: "length", Value: "long"}))
				if errors.As(err, new(*games.SetupError)) {
					err = nil // the act is allowed, but this game has no options
				}
				return err
			}},
			{"computers may resign", lobby, func(by table.Actor, id table.ID) error { return act(s.LetResign(ctx, by, id, true)) }},
		},
		table.InvitePlayers: {{"a player is invited", lobby, func(by table.Actor, id table.ID) error {
			return act(s.Invite(ctx, by, id, "eve", text.NewName("Eve")))
		}}},
		table.MoveTable: {
			{"a lobby moves", lobby, func(by table.Actor, id table.ID) error { return act(s.Rehouse(ctx, by, id, "c2")) }},
			{"a game moves", playing, func(by table.Actor, id table.ID) error { return act(s.Rehouse(ctx, by, id, "c2")) }},
		},
		table.ChangeHost: {{"another is host", playing, func(by table.Actor, id table.ID) error {
			return act(s.HandOver(ctx, by, id, "eve", text.NewName("Eve")))
		}}},
		table.RemovePlayer: {
			{"a player is taken off a lobby", lobby, func(by table.Actor, id table.ID) error { return act(s.Remove(ctx, by, id, "bob")) }},
			{"a player is taken off a game", playing, func(by table.Actor, id table.ID) error { return act(s.Remove(ctx, by, id, "bob")) }},
		},
		table.PauseGame: {
			{"the game is paused", playing, func(by table.Actor, id table.ID) error { return act(s.Pause(ctx, by, id)) }},
			{"the game goes on", paused, func(by table.Actor, id table.ID) error { return act(s.Resume(ctx, by, id, "")) }},
		},
		table.EndGame: {{"the game is ended", playing, func(by table.Actor, id table.ID) error {
			return act(s.Abandon(ctx, by, id))
		}}},
		table.Organise: {
			{"a competition is organised", none, func(by table.Actor, _ table.ID) error { return by.Check(table.Organise) }},
		},
		table.KeepSeasons: {
			{"a season begins", none, func(by table.Actor, _ table.ID) error {
				_, err := s.standings().StartSeason(ctx, by, "g", text.Name{})
				return err
			}},
			{"a season ends", none, func(by table.Actor, _ table.ID) error {
				_, err := s.standings().EndSeason(ctx, by, "g")
				return err
			}},
		},
		table.DecideResults: {
			{"a result is voided", over, func(by table.Actor, id table.ID) error {
				_, err := s.standings().Void(ctx, by, "g", id, text.NewName("a test"))
				return err
			}},
			{"a result is restored", voided, func(by table.Actor, id table.ID) error {
				_, err := s.standings().Restore(ctx, by, "g", id)
				return err
			}},
			{"what makes a rank", none, func(by table.Actor, _ table.ID) error { return s.standings().SetLeast(ctx, by, "g", 2) }},
		},
	}
	people := []struct {
		name  string
		by    func() table.Actor
		roles table.Roles
	}{
		{"a stranger", func() table.Actor { return s.as("zoe") }, 0},
		{"a player", func() table.Actor { return s.as("bob") }, table.Player},
		{"the host", func() table.Actor { return s.as("ann") }, table.Player | table.Host},
		{"a moderator", func() table.Actor { return s.asModerator("mod") }, table.Moderator},
		{"a manager", func() table.Actor { return s.asManager("max") }, table.Moderator | table.Manager},
	}
	for _, p := range table.Powers() {
		// Acts without a table are checked by other packages, with Actor.May.
		onServer := p.Act == table.OpenAnywhere || p.Act == table.KeepSettings
		if len(tries[p.Act]) == 0 && !onServer {
			t.Errorf("nobody tries %q", p.Act)
		}
		for _, who := range people {
			may := p.May&who.roles != 0
			if onServer && who.by().May(p.Act) != may {
				t.Errorf("%s may %q: %v, want %v", who.name, p.Act, !may, may)
			}
			for _, try := range tries[p.Act] {
				id := try.ready()
				err := try.do(who.by(), id)
				refused := errors.Is(err, table.ErrNotAllowed) || errors.Is(err, table.ErrNotSeated)
				// An allowed act can still fail for another reason, for example because a season is running.
				if refused == may || may && err != nil && !errors.Is(err, storage.ErrSeasonRuns) && !errors.Is(err,
					storage.ErrNoSeason) {
					t.Errorf("%s, by %s: %v; may: %v", try.name, who.name, err, may)
				}
			}
		}
	}
}
