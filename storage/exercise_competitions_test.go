package storage_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"marque/games/competition"
	"marque/games/text"
	"marque/storage"
	"marque/storage/kv/strict"
	"marque/storage/storagetest"
)

// Competitions are numbered by server. A change of a competition is refused unless it follows the stored version. A
// competition is listed when it is due. No competition names a forgotten user. A game of a competition has one table,
// however often one is opened.
func competitions(t *testing.T, s *store) {
	ctx := t.Context()
	rules, err := competition.New(competition.Setup{Kind: competition.RoundRobin, Game: "heap", Start: 400,
		Time: competition.Day})
	s.must(err)
	cup := storage.Competition{
		Server: "g", Version: 1, Changed: 1, Keys: []string{"make"}, Name: text.NewName("bob's cup"), Channel: "c",
		Host: "ann", Due: 500, Rules: rules,
	}
	add := func(c storage.Competition, most int, want uint64) {
		t.Helper()
		got, err := s.AddCompetition(ctx, c, most)
		s.same("the number", want, got, err)
	}
	add(cup, 2, 1)
	add(cup, 2, 1) // the same command again
	cup.Keys = nil
	add(cup, 2, 2)
	if _, err := s.AddCompetition(ctx, cup, 2); !errors.As(err, new(*storage.MoreCompetitionsError)) {
		t.Errorf("a third of two: %v", err)
	}
	cup.Server = "h"
	add(cup, 2, 1)
	dues := func(until storage.Stamp, want ...storage.CompetitionID) {
		t.Helper()
		got, err := s.CompetitionsDue(ctx, until, 10)
		s.same(fmt.Sprint("due until ", until), want, got, err)
	}
	first, second, other := storage.CompetitionID{Server: "g", Number: 1},
		storage.CompetitionID{Server: "g", Number: 2}, storage.CompetitionID{Server: "h", Number: 1}
	dues(499)
	dues(500, first, second, other)

	c, err := s.Competition(ctx, "g", 1)
	s.must(err)
	old := c
	c.Version, c.Due = 2, 700
	c.People = []storage.Participant{{User: "ann", Name: text.NewName("Ann"), Interaction: "7"},
		{User: "bob", Name: text.NewName("Bob"), Interaction: "8"}}
	for _, p := range c.People {
		c.Rules, err = c.Rules.Enter(p.User, 1500, 2)
		s.must(err)
	}
	c.Rules, err = c.Rules.Begin(3)
	s.must(err)
	s.must(s.ChangeCompetition(ctx, old, c, storage.Fence{}))
	if err := s.ChangeCompetition(ctx, old, c, storage.Fence{}); !errors.Is(err, storage.ErrStale) {
		t.Errorf("the same version again: %v", err)
	}
	for what, wrong := range map[string]func(c *storage.Competition){
		"somebody twice": func(c *storage.Competition) { c.People = append(c.People[:1:1], c.People[0]) },
		"nobody":         func(c *storage.Competition) { c.People = []storage.Participant{{}} },
		"a long channel": func(c *storage.Competition) { c.Channel = strings.Repeat("c", storage.MaxName+1) },
		"a long key":     func(c *storage.Competition) { c.Keys = []string{strings.Repeat("k", storage.MaxKey+1)} },
		"two versions":   func(c *storage.Competition) { c.Version = 4 },
		"another one's":  func(c *storage.Competition) { c.Number = 2 },
	} {
		next := c
		next.Version = 3
		wrong(&next)
		if err := s.ChangeCompetition(ctx, c, next, storage.Fence{}); !errors.Is(err, storage.ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
	gone := c
	gone.Number = 9
	missing := gone
	missing.Version = 3
	if err := s.ChangeCompetition(ctx, gone, missing, storage.Fence{}); !errors.Is(err, storage.ErrNoCompetition) {
		t.Errorf("one that is not there: %v", err)
	}
	for range 2 {
		got, err := s.Competition(ctx, "g", 1)
		s.same("as it was changed", c, got, err)
		dues(699, second, other)
		dues(700, second, other, first)
		of, err := s.CompetitionsOf(ctx, "bob", 10)
		s.same("bob's", []storage.CompetitionID{first}, of, err)
		list, err := s.Competitions(ctx, "g", 1)
		s.same("the latest", uint64(2), list[0].Number, err)
		s.again()
	}

	known := c
	for range 2 { // a participant who enters again moves to the end of the list, and is still found
		old = c
		c.Version++
		c.Know(storage.Occupant{User: "ann", Name: text.NewName("Ann")}, "9")
		c.Rules.Pairings = slices.Clone(c.Rules.Pairings)
		c.Rules.Pairings[0].Table = fmt.Sprint("of version ", c.Version)
		s.must(s.ChangeCompetition(ctx, old, c, storage.Fence{}))
		s.must(s.Check(ctx))
		for _, from := range []storage.Competition{known, c, {Server: "g", Number: 1}} {
			got, err := s.Reread(ctx, from)
			s.same("read again", c, got, err)
		}
		for _, user := range []string{"ann", "bob"} {
			of, err := s.CompetitionsOf(ctx, user, 10)
			s.same("those of "+user, []storage.CompetitionID{first}, of, err)
		}
		c.People = slices.Clone(c.People)
		slices.Reverse(c.People)
	}

	open := storagetest.Opening("g", "c", "ann", "bob")
	open.Head.Competition = storage.CompetitionGame{Number: 1, Game: 4}
	open.Key = "open"
	table := s.create(open)
	for _, key := range []string{"open", "another", ""} {
		open.Key = key
		_, err := s.Create(ctx, open)
		if done := (*storage.DoneError)(nil); !errors.As(err, &done) || done.Table != table.ID {
			t.Errorf("a second table of a game: %v", err)
		}
	}
	s.commit(storagetest.Ending(table, 0))
	s.again()
	got, err := s.TableOf(ctx, first, 4)
	s.same("the game's table", table.ID, got, err)
	got, err = s.TableOf(ctx, first, 5)
	s.same("a game without", storage.ID(0), got, err)

	s.forget("bob", storage.Departed+"1")
	if s.holds("bob") {
		t.Error("who is forgotten is still in the store")
	}
	got1, err := s.Competition(ctx, "g", 1)
	if e := got1.Rules.Entrants[1]; e.User != "" || e.Out == 0 {
		t.Errorf("who was forgotten is still %+v", e)
	}
	c.People = slices.DeleteFunc(c.People, func(p storage.Participant) bool { return p.User == "bob" })
	c.Rules = got1.Rules
	c.Name, c.Version = text.NewName("…'s cup"), c.Version+1
	c.Drawn = c.Version
	s.same("after a player was forgotten", c, got1, err)
	old = c
	c.Rules, c.Due, c.Version = c.Rules.CallOff(9), 0, c.Version+1
	s.must(s.ChangeCompetition(ctx, old, c, storage.Fence{}))
	going, err := s.ActiveCompetitions(ctx, "g", 10)
	s.same("those that go on", []storage.CompetitionID{second}, going, err)
	dues(9999, second, other)
	s.deleteGuild("g")
	if _, err := s.Competition(ctx, "g", 1); !errors.Is(err, storage.ErrNoCompetition) {
		t.Errorf("of a server that was deleted: %v", err)
	}
	got, err = s.TableOf(ctx, first, 4)
	s.same("its table", storage.ID(0), got, err)
	dues(9999, other)
	s.must(s.Check(ctx))
}

// A change of one pairing changes only the rows of the pairing and of the competition's head, even in a league of 400
// with 1,800 pairings.
func TestAChangeWritesWhatItChanges(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	e := kept{strict.New(nil)}
	s, err := storage.Open(ctx, e)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rules, err := competition.New(competition.Setup{Kind: competition.League, Game: "heap", Start: 400,
		Time: competition.Day, Division: 10})
	c := storage.Competition{Server: "g", Version: 1, Channel: "c", Host: "ann", Number: 1}
	for i := 0; err == nil && i < 400; i++ {
		user := fmt.Sprint("11800000000000000", i)
		c.Know(storage.Occupant{User: user, Name: text.NewName("Mate " + user)}, user)
		rules, err = rules.Enter(user, 1500, 2)
	}
	if err == nil {
		rules, err = rules.Begin(500)
	}
	if c.Rules = rules; err == nil {
		_, err = s.AddCompetition(ctx, c, 1)
	}
	if err != nil {
		t.Fatal(err)
	}
	before := pairs(t, e)["competitions"]
	old := c
	c.Version++
	if c.Rules, err = c.Rules.Opened(c.Rules.Pairings[7].No, "5"); err == nil {
		err = s.ChangeCompetition(ctx, old, c, storage.Fence{})
	}
	after := pairs(t, e)["competitions"]
	if err != nil || len(after) != len(before) || len(after) < 2000 {
		t.Fatalf("%d rows, and %d: %v", len(before), len(after), err)
	}
	rows, written := 0, 0
	for i, p := range after {
		if !bytes.Equal(p.Value, before[i].Value) {
			rows, written = rows+1, written+len(p.Key)+len(p.Value)
		}
	}
	if rows != 2 || written > 2000 {
		t.Errorf("to open a table %d rows changed, with %d bytes", rows, written)
	}
}
