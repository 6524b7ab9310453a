package bolt

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"

	"go.etcd.io/bbolt"

	"marque/games"
	"marque/games/rating"
	"marque/games/text"
	"marque/storage"
)

// holds reports whether text stands anywhere in the file, keys and values.
func holds(t *testing.T, s *Store, text string) bool {
	t.Helper()
	found := false
	if err := s.db.View(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(_ []byte, b *bbolt.Bucket) error {
			return b.ForEach(func(k, v []byte) error {
				found = found || bytes.Contains(k, []byte(text)) || bytes.Contains(v, []byte(text))
				return nil
			})
		})
	}); err != nil {
		t.Fatal(err)
	}
	return found
}

// A user is also forgotten as host, as one who is invited, in tables that go on, where a moderator removed or voided something, and in the titles of seasons; and
// the servers and tables that name somebody can be listed.
func TestForgetEverywhere(t *testing.T) {
	s, ctx := openStore(t, file(t)), context.Background()
	const user, called, noted = "annabella", "Captain  Annabella", "Captain Annabella"
	lobby := opening("g", "c", "bob")
	lobby.Detail.Invited, lobby.Detail.Order = []string{user}, []string{"bob", user}
	waiting := create(t, s, lobby)
	hosted := opening("h", "c", "bob")
	hosted.Head.Host = user
	first := create(t, s, hosted)
	running := create(t, s, opening("g", "c", user, "bob"))
	events := []storage.Event{
		{Kind: storage.Joined, User: user, Text: called}, {Kind: storage.Removed, Seat: 1, User: "mod", Text: noted},
		{Kind: storage.Removed, Seat: 0, User: user, Text: "Bob"},
	}
	running.Version++
	running.Events += uint64(len(events))
	for i := range events {
		events[i].Version = running.Version
	}
	commit(t, s, storage.Change{Head: running, Events: events})
	if err := s.MarkPublished(ctx, running.ID, running.Version, "1234\n<@"+user+"> sails on."); err != nil {
		t.Fatal(err)
	}
	over := create(t, s, opening("g", "c", "cid", "bob"))
	commit(t, s, ending(over, 0))
	if _, err := s.Void(ctx, over.ID, &storage.Voiding{By: user, At: 1, Why: text.NewName("says <@" + user + ">")}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.StartSeason(ctx, "only-seasons", text.NewName("The summer of <@"+user+">"), 1); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Naming(ctx, user); err != nil || !slices.Equal(got, []storage.ID{waiting.ID, first.ID, running.ID}) {
		t.Errorf("tables that name her: %v, %v", got, err)
	}
	if err := s.SetGuildSettings(ctx, "only-settings", struct{}{}); err != nil {
		t.Fatal(err)
	}
	if err := s.SetGuildSettings(ctx, "", struct{}{}); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Guilds(ctx); err != nil || !slices.Equal(got, []string{"g", "h", "only-seasons", "only-settings"}) {
		t.Errorf("servers: %v, %v", got, err)
	}
	if err := forget(s, user, storage.Departed+"1234"); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{user, called, noted} {
		if holds(t, s, text) {
			t.Errorf("%q is still in the file", text)
		}
	}
	if !holds(t, s, "Bob") {
		t.Error("the name of another is gone")
	}
	if told, err := s.News(ctx, running.ID); err != nil || told.Note != "1234" || told.Published != running.Version {
		t.Errorf("the publisher's note is %q of version %d, %v; want its first line alone", told.Note, told.Published, err)
	}
	if got, err := s.Naming(ctx, user); err != nil || len(got) != 0 {
		t.Errorf("afterwards these name her: %v, %v", got, err)
	}
	if err := s.Check(ctx); err != nil {
		t.Error(err)
	}
}

// Who is forgotten is nowhere in the file any more, and the statistics are still those that the results make.
func TestForget(t *testing.T) {
	s, ctx := openStore(t, file(t)), context.Background()
	for _, users := range [][]string{{"annabella", "bob"}, {"cid", "annabella"}, {"bob", "cid"}} {
		h := create(t, s, opening("g", "c", users...))
		commit(t, s, ending(h, 0))
	}
	if err := s.SetUserSettings(ctx, "annabella", struct{ A string }{"x"}); err != nil {
		t.Fatal(err)
	}
	before, err := s.Leaderboard(ctx, storage.BoardQuery{Board: storage.Board{Guild: "g"}, Limit: 10})
	if err != nil || before.Total != 3 {
		t.Fatal(before, err)
	}
	if !holds(t, s, "annabella") {
		t.Fatal("annabella was never in the file")
	}
	for range 2 { // a second time does nothing
		if err := forget(s, "annabella", storage.Departed+"1234"); err != nil {
			t.Fatal(err)
		}
	}
	if holds(t, s, "annabella") {
		t.Error("annabella is still in the file")
	}
	after, err := s.Leaderboard(ctx, storage.BoardQuery{Board: storage.Board{Guild: "g"}, Limit: 10})
	if err != nil || after.Total != 2 {
		t.Fatal(after, err)
	}
	// The departed holds no line; their numbers stay for the arithmetic, and so do the others'.
	for i, was := range before.Lines {
		player := was.Player
		if player == "annabella" {
			player = storage.Departed + "1234"
		}
		l, err := s.Standing(ctx, storage.Board{Guild: "g"}, player)
		if err != nil || l.Games != was.Games || l.Wins != was.Wins || l.Rating != was.Rating {
			t.Errorf("%d: %+v, before %+v, %v", i, l, was, err)
		}
	}
	for i, l := range after.Lines {
		if l.Rank != i+1 || storage.HasDeparted(l.Player) {
			t.Errorf("line %d: %+v", i, l)
		}
	}
	if list, err := s.ByUser(ctx, storage.Departed+"1234", storage.Finished, 0, 10); err != nil || len(list) != 2 {
		t.Errorf("tables of the departed: %v, %v", list, err)
	}
	if !storage.HasDeparted(storage.Departed+"1") || storage.HasDeparted("bob") {
		t.Error("who has departed is not known")
	}
}

// A seat that nobody holds any more is on no leaderboard, and the others are rated as against a newcomer.
func TestAnEmptySeatIsNotRanked(t *testing.T) {
	s, ctx := openStore(t, file(t)), context.Background()
	h := create(t, s, opening("g", "c", "ann", "bob"))
	h.Seats = []storage.Occupant{h.Seats[0], {}}
	commit(t, s, ending(h, 0))
	page, err := s.Leaderboard(ctx, storage.BoardQuery{Board: storage.Board{Guild: "g"}, Limit: 10})
	if err != nil || page.Total != 1 || page.Lines[0].Player != "ann" || page.Lines[0].Wins != 1 || page.Lines[0].Rating == rating.New() {
		t.Errorf("%+v, %v", page, err)
	}
}

func TestDeleteGuild(t *testing.T) {
	s, ctx := openStore(t, file(t)), context.Background()
	for range 3 {
		commit(t, s, ending(create(t, s, opening("gone-guild", "gone-channel", "ann", "bob")), games.Seat(1)))
	}
	running := create(t, s, opening("gone-guild", "gone-channel", "ann", "bob"))
	kept := create(t, s, opening("kept", "c", "ann", "bob"))
	commit(t, s, ending(kept, 0))
	if err := s.SetGuildSettings(ctx, "gone-guild", struct{}{}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := deleteGuild(s, "gone-guild"); err != nil {
			t.Fatal(err)
		}
	}
	if holds(t, s, "gone-") {
		t.Error("something of the server is still in the file")
	}
	if _, err := s.Load(ctx, running.ID); !errors.Is(err, storage.ErrNoTable) {
		t.Errorf("a table of it: %v", err)
	}
	if list, err := s.Results(ctx, storage.ResultQuery{User: "ann", Limit: 10}); err != nil || len(list) != 1 || list[0].Guild != "kept" {
		t.Errorf("ann's results: %v, %v", list, err)
	}
}

// forget forgets a user, and returns when that is done.
func forget(s *Store, user, as string) error {
	ctx := context.Background()
	if err := s.Forget(ctx, user, as); err != nil {
		return err
	}
	return s.Finished(ctx, storage.Work{Kind: storage.Forgetting, Of: user})
}

// deleteGuild deletes a server, and returns when that is done.
func deleteGuild(s *Store, guild string) error {
	ctx := context.Background()
	if err := s.DeleteGuild(ctx, guild); err != nil {
		return err
	}
	return s.Finished(ctx, storage.Work{Kind: storage.Deleting, Of: guild})
}
