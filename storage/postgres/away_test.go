//go:build unix

package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"marque/games/text"
	"marque/storage"
	"marque/storage/postgres/postgrestest"
	"marque/storage/storagetest"
)

func opening(guild string, users ...string) storage.Change {
	h := storage.Head{Version: 1, Game: "pirat", Guild: guild, Channel: "c", Host: users[0], Least: 2, Most: 2, Opened: 1000, Changed: 1000, ToMove: -1}
	for _, u := range users {
		h.Seats = append(h.Seats, storage.Occupant{User: u, Name: text.NewName("name of " + u)})
	}
	h.Events = 1
	return storage.Change{Head: h, Detail: &storage.Detail{}, Events: []storage.Event{{Kind: storage.Opened, Version: 1, At: 1000, User: users[0], Text: "name"}}}
}

func next(h storage.Head) storage.Change {
	h.Version++
	h.Events++
	h.Status = storage.Playing
	return storage.Change{Head: h, Events: []storage.Event{{Kind: storage.Played, Version: h.Version, At: h.Changed, Seat: 0, Text: fmt.Sprint("move ", h.Version)}}}
}

// While the server is away every change is refused as a *storage.UnreachableError that changed nothing; when it is back, the store
// finds it by itself.
func TestTheServerIsAwayForAWhile(t *testing.T) {
	ctx := context.Background()
	for name, end := range map[string]func(*postgrestest.Server){"stopped": (*postgrestest.Server).Stop, "killed": (*postgrestest.Server).Kill} {
		t.Run(name, func(t *testing.T) {
			srv := postgrestest.Start(t)
			url, err := srv.Database()
			if err != nil {
				t.Fatal(err)
			}
			s, err := Open(ctx, url)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			c := opening("g", "ann", "bob")
			id, err := s.Create(ctx, c)
			if err != nil {
				t.Fatal(err)
			}
			h := c.Head
			h.ID = id
			end(srv)
			// A connection that nobody used since does not know yet, and what is sent on it may have arrived. Reading finds out.
			if err := s.Alive(ctx); err == nil {
				t.Error("the store is alive without its server")
			}
			for what, f := range map[string]func() error{
				"commit":   func() error { return s.Commit(ctx, next(h)) },
				"create":   func() error { _, err := s.Create(ctx, c); return err },
				"settings": func() error { return s.ChangeGuildSettings(ctx, "g", storagetest.Set(1)) },
				"load":     func() error { _, err := s.Load(ctx, id); return err },
				"alive":    func() error { return s.Alive(ctx) },
			} {
				var away *storage.UnreachableError
				if err := f(); !errors.As(err, &away) || away.Unsure {
					t.Errorf("%s while the server is away: %v", what, err)
				}
			}
			if err := srv.Start(); err != nil {
				t.Fatal(err)
			}
			if err := s.Commit(ctx, next(h)); err != nil {
				t.Errorf("when it is back: %v", err)
			}
			got, err := s.Load(ctx, id)
			if err != nil || got.Head.Version != 2 || len(got.Events) != 2 {
				t.Errorf("%+v, %v; want version 2", got.Head, err)
			}
		})
	}
}

// A server that does not answer is given up, and the connection to it with it; one that answers in time keeps its connection, without
// a deadline.
func TestAServerThatDoesNotAnswerIsGivenUp(t *testing.T) {
	ctx := t.Context()
	s := opened(t)
	const short = 100 * time.Millisecond
	asleep := func(q querier, d time.Duration) error {
		_, err := q.Exec(ctx, "SELECT pg_sleep($1)", d.Seconds())
		return err
	}
	for what, f := range map[string]func(c *pgxpool.Conn) error{
		"a statement": func(c *pgxpool.Conn) error { return asleep(c, time.Hour) },
		"a transaction": func(c *pgxpool.Conn) error {
			return onTx(ctx, c, func(tx pgx.Tx) error { return asleep(tx, time.Hour) })
		},
	} {
		c, err := s.pool.Acquire(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := giveUpAfter(short, c, func() error { return nil }); err != nil {
			t.Error(err)
		}
		if err := asleep(c, 2*short); err != nil {
			t.Errorf("%s after what ended in time: %v", what, err)
		}
		err = giveUpAfter(short, c, func() error { return f(c) })
		if !isLost(err) || cause(err).Error() != "the server does not answer" {
			t.Errorf("%s of an hour: %v, want that the server does not answer", what, err)
		}
		if !c.Conn().IsClosed() {
			t.Errorf("%s of an hour leaves its connection to the next", what)
		}
		c.Release()
	}
	if err := s.Alive(ctx); err != nil {
		t.Error(err)
	}
}

// Whenever the server dies, a move that was acknowledged is there, one that was refused as not done is not, and none is there twice.
func TestNothingAcknowledgedIsLost(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	srv := postgrestest.Start(t)
	url, err := srv.Database()
	if err != nil {
		t.Fatal(err)
	}
	// Syncs that take long: most deaths find transactions in the middle of their commit, on a fast disk, too.
	for _, sql := range []string{"ALTER ROLE postgres SET commit_delay = 20000", "ALTER ROLE postgres SET commit_siblings = 0"} {
		if err := srv.Exec("postgres", sql); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Open(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const tables, deaths, moves = 8, 3, 40
	open := func() storage.Head {
		t.Helper()
		c := opening("g", "ann", "bob")
		id, err := s.Create(ctx, c)
		if err != nil {
			t.Fatal(err)
		}
		c.Head.ID = id
		return c.Head
	}
	own := open() // of the goroutine of the test
	heads := make([]storage.Head, tables)
	unsure := make([]int, tables)
	for i := range heads {
		heads[i] = open()
	}
	var acknowledged atomic.Int64
	moved := make(chan struct{}, 1)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for i := range heads {
		wg.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				c := next(heads[i])
				c.Key = fmt.Sprintf("%d %d", i, n)
				err := s.Commit(ctx, c)
				var away *storage.UnreachableError
				switch {
				case err == nil:
					heads[i] = c.Head
					acknowledged.Add(1)
					select {
					case moved <- struct{}{}:
					default:
					}
				case errors.As(err, &away) && away.Unsure:
					unsure[i]++
					// What became of it is asked for like a process does: by what is stored.
					now, err := s.Head(ctx, c.Head.ID)
					for err != nil && ctx.Err() == nil {
						pause(ctx, unsurePause)
						now, err = s.Head(ctx, c.Head.ID)
					}
					if err != nil {
						t.Errorf("table %d: what became of %q is never found out: %v", i, c.Key, err)
						return
					}
					heads[i] = now
				case errors.As(err, &away):
					pause(ctx, unsurePause)
				default:
					t.Errorf("table %d: %v", i, err)
					return
				}
			}
		})
	}
	finish := sync.OnceFunc(func() { close(stop); wg.Wait() })
	defer finish()
	for range deaths {
		for goal := acknowledged.Load() + moves*tables; acknowledged.Load() < goal; {
			select {
			case <-moved:
			case <-ctx.Done():
				t.Fatalf("%d moves were acknowledged, and no more are made", acknowledged.Load())
			}
		}
		srv.Kill()
		if err := s.Alive(ctx); err == nil {
			t.Error("the store is alive without its server")
		}
		var away *storage.UnreachableError
		if err := s.Commit(ctx, next(own)); !errors.As(err, &away) || away.Unsure {
			t.Errorf("a commit while the server is away: %v", err)
		}
		if err := srv.Start(); err != nil {
			t.Fatal(err)
		}
	}
	finish()
	heads = append(heads, own)
	if err := s.Check(ctx); err != nil {
		t.Error(err)
	}
	for i, want := range heads {
		got, err := s.Load(ctx, want.ID)
		if err != nil {
			t.Error(err)
			continue
		}
		if got.Head.Version != want.Version {
			t.Errorf("table %d is at version %d, acknowledged is %d", i, got.Head.Version, want.Version)
		}
		for n, e := range got.Events[1:] {
			if e.Version != uint64(n+2) {
				t.Errorf("table %d: event %d is of version %d", i, n+1, e.Version)
			}
		}
	}
	t.Logf("versions reached %v, outcomes left open %v", versionsOf(heads), unsure)
}

func versionsOf(heads []storage.Head) (list []uint64) {
	for _, h := range heads {
		list = append(list, h.Version)
	}
	return list
}
