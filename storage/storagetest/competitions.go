package storagetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"marque/games/text"
	"marque/storage"
)

// Competitions have numbers of their server, change from version to version, fall due, and lose those who are forgotten; the game of one has one
// table, whoever opens it and when.
func competitions(t *testing.T, s *store) {
	ctx := t.Context()
	cup := storage.Competition{
		Server: "g", Version: 1, Key: "make", Name: text.NewName("bob's cup"), Channel: "c", Host: "ann", Game: "heap", Due: 500,
		State: json.RawMessage(`{"round":1}`),
	}
	add := func(c storage.Competition, most int, want uint64) {
		t.Helper()
		got, err := s.AddCompetition(ctx, c, most)
		s.same("the number", want, got, err)
	}
	add(cup, 2, 1)
	add(cup, 2, 1) // the same command
	cup.Key = ""
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
	first, second, other := storage.CompetitionID{Server: "g", Number: 1}, storage.CompetitionID{Server: "g", Number: 2}, storage.CompetitionID{Server: "h", Number: 1}
	dues(499)
	dues(500, first, second, other)

	c, err := s.Competition(ctx, "g", 1)
	s.must(err)
	c.Version, c.Due = 2, 700
	c.Players = []storage.Entrant{{User: "ann", Name: text.NewName("Ann"), Interaction: "7"}, {User: "bob", Name: text.NewName("Bob")}}
	s.must(s.ChangeCompetition(ctx, c, storage.Tenure{}))
	if err := s.ChangeCompetition(ctx, c, storage.Tenure{}); !errors.Is(err, storage.ErrStale) {
		t.Errorf("the same version again: %v", err)
	}
	for what, wrong := range map[string]func(c *storage.Competition){
		"a player twice": func(c *storage.Competition) { c.Players = append(c.Players[:1:1], c.Players[0]) },
		"nobody":         func(c *storage.Competition) { c.Players = []storage.Entrant{{}} },
		"a long channel": func(c *storage.Competition) { c.Channel = strings.Repeat("c", storage.MaxName+1) },
		"a long state":   func(c *storage.Competition) { c.State = make([]byte, storage.MaxCompetition+1) },
	} {
		c := c
		c.Version = 3
		wrong(&c)
		if err := s.ChangeCompetition(ctx, c, storage.Tenure{}); !errors.Is(err, storage.ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
	missing := c
	missing.Number = 9
	if err := s.ChangeCompetition(ctx, missing, storage.Tenure{}); !errors.Is(err, storage.ErrNoCompetition) {
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

	open := Opening("g", "c", "ann", "bob")
	open.Head.Contest = storage.Contest{Number: 1, Game: 4}
	open.Key = "open"
	table := s.create(open)
	for _, key := range []string{"open", "another", ""} {
		open.Key = key
		_, err := s.Create(ctx, open)
		if done := (*storage.DoneError)(nil); !errors.As(err, &done) || done.Table != table.ID {
			t.Errorf("a second table of a game: %v", err)
		}
	}
	s.commit(Ending(table, 0))
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
	c.Players = []storage.Entrant{c.Players[0], {User: storage.Departed + "1"}}
	c.Name, c.Version = text.NewName("…'s cup"), c.Version+1
	s.same("after a player was forgotten", c, got1, err)
	c.Over, c.Due, c.Version = true, 0, c.Version+1
	s.must(s.ChangeCompetition(ctx, c, storage.Tenure{}))
	going, err := s.CompetitionsGoing(ctx, "g", 10)
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
