//go:build unix

package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"marque/games/text"
	"marque/storage"
	"marque/storage/postgres/postgrestest"
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
				"settings": func() error { return s.SetGuildSettings(ctx, "g", 1) },
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

// Whenever the server dies, a move that was acknowledged is there, one that was refused as not done is not, and none is there twice.
func TestNothingAcknowledgedIsLost(t *testing.T) {
	ctx := context.Background()
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
	const tables, deaths = 8, 3
	var wg sync.WaitGroup
	stop := make(chan struct{})
	moved := make(chan struct{})
	heads := make([]storage.Head, tables)
	unsure := make([]int, tables)
	for i := range tables {
		c := opening("g", "ann", "bob")
		id, err := s.Create(ctx, c)
		if err != nil {
			t.Fatal(err)
		}
		heads[i] = c.Head
		heads[i].ID = id
		wg.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				case moved <- struct{}{}:
				}
				c := next(heads[i])
				c.Key = fmt.Sprintf("%d %d", i, n)
				err := s.Commit(ctx, c)
				var away *storage.UnreachableError
				switch {
				case err == nil:
					heads[i] = c.Head
				case errors.As(err, &away) && away.Unsure:
					unsure[i]++
					// What became of it is asked for like a process does: by what is stored.
					now, err := s.Head(ctx, c.Head.ID)
					for err != nil {
						now, err = s.Head(ctx, c.Head.ID)
					}
					heads[i] = now
				case errors.As(err, &away):
				default:
					t.Errorf("table %d: %v", i, err)
					return
				}
			}
		})
	}
	for range deaths {
		for range 40 * tables {
			<-moved
		}
		srv.Kill()
		for range 2 * tables {
			<-moved
		}
		if err := srv.Start(); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	wg.Wait()
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
