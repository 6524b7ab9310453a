package storage_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"marque/storage"
	"marque/storage/kv"
)

// place is where the store of one exercise keeps its data.
type place struct {
	// Open opens the engine. The first time it is empty; later it has the data that it had when it was closed. Only one
	// engine is open at a time.
	Open func() (kv.Engine, error)
	// Drop removes the data when the store is closed; nil if there is nothing to do.
	Drop func() error
}

func (p place) open() (*storage.Store, kv.Engine, error) {
	engine, err := p.Open()
	if err != nil {
		return nil, nil, err
	}
	s, err := storage.Open(context.Background(), engine)
	return s, engine, err
}

// runExercises runs all exercises on an engine, each as a subtest with a store of its own.
func runExercises(t *testing.T, at func(t testing.TB) place) {
	for _, e := range exercises {
		t.Run(e.name, func(t *testing.T) { e.run(t, open(t, at(t))) })
	}
}

// exercise tests a promise of the store, or a few that belong together.
type exercise struct {
	name string
	run  func(t *testing.T, s *store)
}

var exercises = []exercise{
	{"what is stored comes back", storedComesBack},
	{"stale versions are refused", staleIsRefused},
	{"a command is done once", doneOnce},
	{"changes that are not valid", invalidChanges},
	{"a context that has ended changes nothing", endedContext},
	{"closing drains", closeDrains},
	{"one of many at once", oneOfMany},
	{"the outbox knows what is published", outbox},
	{"what falls due", due},
	{"lists are paged", lists},
	{"whose turn it is", turns},
	{"rematches", rematches},
	{"limits", limits},
	{"standings count wins, shares and draws", standings},
	{"ranks", ranks},
	{"an empty seat is not ranked", emptySeat},
	{"a computer in several seats", severalSeats},
	{"seasons", seasons},
	{"results come latest first", latestFirst},
	{"results are chosen by their facts", chosenByFacts},
	{"what a server has played", stats},
	{"voiding while games end", voidingMeanwhile},
	{"voided and put back", voidedAndBack},
	{"many games end at once", manyEnd},
	{"settings", settings},
	{"scores", scores},
	{"badges", badges},
	{"predictions", predictions},
	{"how people play", conduct},
	{"webhooks", webhooks},
	{"studies", studies},
	{"logins", logins},
	{"competitions", competitions},
	{"who looks for a game", seeking},
	{"uptime and removals", uptime},
	{"changes at once are all kept", changesAtOnce},
	{"a late owner is refused", lateOwner},
	{"when something was last known", lastKnown},
	{"reviews stay with their table", reviews},
	{"keys of pages stay with their table", shares},
	{"forgetting", forgetting},
	{"forgetting everywhere", forgettingEverywhere},
	{"forgetting while games go on", forgettingMeanwhile},
	{"forgetting beside who read before", forgettingBeside},
	{"deleting a server", deleting},
	{"work goes on after a restart", workGoesOn},
	{"tables are counted", tally},
	{"commits are observed", observed},
}

// store is the store of an exercise, with helpers.
type store struct {
	*storage.Store
	engine kv.Engine
	t      *testing.T
	place  place
}

// open opens the store of an exercise, and checks and closes it at the end of the exercise.
func open(t *testing.T, p place) *store {
	t.Helper()
	s := &store{t: t, place: p}
	var err error
	if s.Store, s.engine, err = p.open(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Check(context.Background()); err != nil && !errors.Is(err, storage.ErrClosed) {
			t.Errorf("the store after the exercise: %v", err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
		if p.Drop == nil {
			return
		}
		if err := p.Drop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// again closes the store and reopens it.
func (s *store) again() {
	s.t.Helper()
	if err := s.Close(); err != nil {
		s.t.Fatal(err)
	}
	var err error
	if s.Store, s.engine, err = s.place.open(); err != nil {
		s.t.Fatal(err)
	}
}

func (s *store) create(c storage.Change) storage.Head {
	s.t.Helper()
	id, err := s.Create(context.Background(), c)
	if err != nil {
		s.t.Fatal(err)
	}
	c.Head.ID = id
	return c.Head
}

func (s *store) commit(c storage.Change) storage.Head {
	s.t.Helper()
	s.must(s.Commit(context.Background(), c))
	return c.Head
}

// must ends the exercise if err is not nil.
func (s *store) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// done waits until the jobs of this kind are finished for each of the given servers or users.
func (s *store) done(kind storage.WorkKind, of ...string) {
	s.t.Helper()
	for _, of := range of {
		s.must(s.Finished(context.Background(), storage.Work{Kind: kind, Of: of}))
	}
}

// holds reports whether a stored key or value contains a text.
func (s *store) holds(text string) (found bool) {
	s.t.Helper()
	s.must(s.Dump(context.Background(), func(k kv.Key, value []byte) error {
		if bytes.Contains(k.Key, []byte(text)) || bytes.Contains(value, []byte(text)) {
			found = true
			s.t.Logf("%s stands in %s %q: %q", text, k.Space, k.Key, value)
		}
		return nil
	}))
	return found
}

// owns fails the test unless the user's own data is as wanted.
func (s *store) owns(what, user string, want ...string) {
	s.t.Helper()
	list, err := s.Owned(context.Background(), user)
	var got []string
	for _, o := range list {
		got = append(got, fmt.Sprintf("%s: %s", o.What, o.Value))
	}
	s.same(what, want, got, err)
}

// forget forgets a user, and returns when the job is finished.
func (s *store) forget(user, as string) {
	s.t.Helper()
	s.must(s.Forget(context.Background(), user, as))
	s.done(storage.Forgetting, user)
}

// deleteGuild deletes a server, and returns when the job is finished.
func (s *store) deleteGuild(guild string) {
	s.t.Helper()
	s.must(s.DeleteGuild(context.Background(), guild))
	s.done(storage.Deleting, guild)
}

// board returns a server's leaderboard of all its games.
func (s *store) board(guild string) []storage.Ranked {
	s.t.Helper()
	page, err := s.Leaderboard(context.Background(), storage.BoardQuery{Board: storage.Board{Guild: guild},
		Limit: 1000})
	s.must(err)
	return page.Lines
}

// same fails the test if got differs from want. A nil list equals an empty one.
func (s *store) same(what string, want, got any, err error) {
	s.t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
		s.t.Errorf("%s: %v, difference (-want +got):\n%s", what, err, diff)
	}
}
