package table_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"marque/bot/choices"
	"marque/bot/privacy"
	"marque/bot/reviews"
	"marque/bot/standings"
	"marque/bot/table"
	"marque/games"
	"marque/games/example/heap"
	"marque/games/text"
	"marque/storage"
	"marque/storage/kv/strict"
	"marque/storage/storagetest"
)

func find(key string) (games.Game, bool) {
	switch key {
	case "heap":
		return heap.Game, true
	case "laps":
		return laps{heap.Game}, true
	case "planks":
		return planks{laps{heap.Game}}, true
	case "hands":
		return hands{laps{heap.Game}}, true
	}
	return nil, false
}

// teller is a Publisher that records what is published, and fails if a test makes it fail.
type teller struct {
	mu   sync.Mutex
	news []table.News
	fail func(table.News) error
}

func (p *teller) Publish(_ context.Context, n table.News) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fail != nil {
		if err := p.fail(n); err != nil {
			return "", err
		}
	}
	p.news = append(p.news, n)
	return fmt.Sprintf("note %d", n.Version), nil
}

func (p *teller) ShowCard(context.Context, *table.Snapshot) error { return nil }

func (p *teller) ArchiveThread(context.Context, *table.Snapshot) error { return nil }
func (p *teller) NameThread(context.Context, *table.Snapshot) error    { return nil }

func (p *teller) failWith(f func(table.News) error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fail = f
}

// told returns the published events of a table, in order.
func (p *teller) told(id table.ID) []table.Event {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []table.Event
	for _, n := range p.news {
		if n.ID == id {
			all = append(all, n.Events...)
		}
	}
	return all
}

// kept is an engine that stays open when its store is closed.
type kept struct{ *strict.Engine }

func (kept) Close() error { return nil }

// ship is a table service under test with its publisher. Its store is in memory, or in a file if path is set.
type ship struct {
	*table.Service
	*teller
	Reviews *reviews.Service // set by launch

	t     testing.TB
	kept  kept
	path  string
	store *storage.Store
	keys  int
	roomy sync.Map // servers for which a test has set limits
}

// bound sets the limits of a server.
func (s *ship) bound(guild string, l choices.Limits) error {
	s.roomy.Store(guild, true)
	_, err := s.Choices.ChangeSettings(context.Background(), guild, func(c *choices.Settings) {
		c.Tables, c.UserTables, c.UserLobbies, c.UserInvitations = l.Tables, l.UserTables, l.UserLobbies,
			l.UserInvitations
	})
	return err
}

// ashore returns a ship with an empty store in memory, whose service has not been launched.
func ashore(t testing.TB) *ship {
	return &ship{t: t, teller: &teller{}, kept: kept{strict.New(storage.Cover)}}
}

func newShip(t testing.TB) *ship {
	s := ashore(t)
	s.launch(table.Config{})
	return s
}

func (s *ship) launch(c table.Config) {
	s.t.Helper()
	var err error
	if s.path != "" {
		s.store, err = storagetest.OpenFile(s.path)
	} else {
		s.store, err = storage.Open(context.Background(), s.kept)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	if c.Store == nil {
		c.Store = s.store
	}
	c.Games = find
	c.Log = slog.New(slog.DiscardHandler)
	s.Service = table.New(c)
	s.Reviews = reviews.New(s.Service, s.store, c.Computers, c.Log)
}

func (s *ship) sink() {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	if err := s.Close(ctx); err != nil {
		s.t.Errorf("closing the service: %v", err)
	}
	if err := s.store.Close(); err != nil {
		s.t.Errorf("closing the store: %v", err)
	}
}

func (s *ship) privacy() *privacy.Service { return privacy.New(s.Service, s.store, nil) }

func (s *ship) standings() *standings.Service { return standings.New(s.Service, s.store) }

// forget deletes a user's data, and waits until all of it is deleted.
func (s *ship) forget(ctx context.Context, user string) error {
	if err := s.privacy().Forget(ctx, user); err != nil {
		return err
	}
	return s.store.Finished(ctx, storage.Work{Kind: storage.Forgetting, Of: user})
}

// deadline calls Lookup.Deadline with the settings of the table's server.
func (s *ship) deadline(ctx context.Context, h table.Head) (time.Time, bool, error) {
	c, err := s.Choices.Settings(ctx, h.Guild)
	if err != nil {
		return time.Time{}, false, err
	}
	return s.Lookup.Deadline(ctx, h, c)
}

// left calls Lookup.Left with the settings of the table's server.
func (s *ship) left(ctx context.Context, h table.Head, seat games.Seat) (time.Duration, error) {
	c, err := s.Choices.Settings(ctx, h.Guild)
	if err != nil {
		return 0, err
	}
	return s.Lookup.Left(ctx, h, c, seat)
}

// home is the server of the tables that a test opens without naming a server.
const home = "tortuga"

// Open calls Service.Open, at home if o has no server. It raises the limits of the table's server to the maximum,
// unless a test has set them.
func (s *ship) Open(ctx context.Context, by table.Actor, o table.Opening) (*table.Snapshot, error) {
	if o.Guild == "" {
		o.Guild = home
	}
	if _, known := s.roomy.LoadOrStore(o.Guild, true); !known {
		if err := s.bound(o.Guild, choices.Limits{
			Tables: choices.MostTables, UserTables: choices.MostUserTables, UserLobbies: choices.MostUserLobbies,
			UserInvitations: choices.MostUserInvitations,
		}); err != nil {
			return nil, err
		}
	}
	return s.Service.Open(ctx, by, o)
}

// as returns an actor for a new command of a user.
func (s *ship) as(user string) table.Actor {
	s.keys++
	return table.Actor{User: user, Name: text.NewName("Captain " + user), Key: fmt.Sprint(1297650000000000000 + s.keys)}
}

// must returns a function that fails the test on an error, and otherwise returns the snapshot.
func must(t testing.TB) func(*table.Snapshot, error) *table.Snapshot {
	return func(s *table.Snapshot, err error) *table.Snapshot {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
}

func TestFromOpeningToResult(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, ok := t.Context(), must(t)
		s := newShip(t)
		s.Start(s.teller)
		snap := ok(s.Open(ctx, s.as("ann"), table.Opening{Game: "heap", Invited: []string{"bob"}, Guild: "g",
			Channel: "c", WhenFull: true}))
		if snap.Status != table.Lobby || snap.Commitment() == "" || snap.Seed() != "" {
			t.Fatalf("after opening: %+v", snap.Head)
		}
		id := snap.ID
		if _, err := s.Join(ctx, s.as("cid"), id); !errors.Is(err, table.ErrKept) {
			t.Errorf("a stranger joins: %v, want %v", err, table.ErrKept)
		}
		snap = ok(s.Join(ctx, s.as("bob"), id))
		if snap.Status != table.Playing || len(snap.Seats) != 2 {
			t.Fatalf("after the last seat is taken: %+v", snap.Head)
		}
		for snap.Status == table.Playing {
			mover := snap.Mover()
			menu, mine := snap.Menu(snap.Viewer(mover))
			if !mine {
				t.Fatalf("no menu for %s, who is to move", mover)
			}
			snap = ok(s.Move(ctx, s.as(mover), id, menu.Candidates()[0].Notation, snap.Version))
		}
		winners := snap.Outcome().Winners
		if len(winners) != 1 || snap.Seed() == "" {
			t.Fatalf("over: outcome %+v, seed %q", snap.Outcome(), snap.Seed())
		}
		synctest.Wait()
		for seat := range games.Seat(2) {
			line, err := s.standings().Standing(ctx, storage.Board{Guild: "g", Game: "heap"}, snap.Holder(seat).User)
			if won := seat == winners[0]; err != nil || line.Games != 1 || (line.Wins == 1) != won {
				t.Errorf("seat %d won %v, its line is %+v, %v", seat, won, line, err)
			}
		}
		told := s.told(id)
		if len(told) != int(snap.Events) || told[len(told)-1].Kind != storage.Ended {
			t.Errorf("told %d events, there are %d", len(told), snap.Events)
		}
		for i := 1; i < len(told); i++ {
			if told[i].Version < told[i-1].Version {
				t.Errorf("event %d of version %d comes after version %d", i, told[i].Version, told[i-1].Version)
			}
		}
		s.sink()
	})
}
