package bolt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"

	"marque/games"
	"marque/games/rating"
	"marque/storage"
)

// idle is a store whose jobs wait until they are let run, and whose commits do not wait for the disk.
func idle(t testing.TB, path string) *Store {
	t.Helper()
	s, err := load(path, schema)
	if err != nil {
		t.Fatal(err)
	}
	s.db.NoSync = true // power failures are another test's
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// played ends n games among eight players in a server.
func played(t testing.TB, s *Store, guild string, n int) {
	t.Helper()
	for i := range n {
		h := create(t, s, opening(guild, "c", fmt.Sprint("u", i%7), "dan"))
		commit(t, s, ending(h, games.Seat(i%2)))
	}
}

func board(t testing.TB, s *Store, guild string) []storage.Ranked {
	t.Helper()
	page, err := s.Leaderboard(t.Context(), storage.BoardQuery{Board: storage.Board{Guild: guild}, Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	return page.Lines
}

// A job that is cut off between any two of its steps is done when the file is opened again, and what can
// be read of leaderboards in between is what they were before or will be, nothing between.
func TestAJobGoesOnWhereItWasCutOff(t *testing.T) {
	const tables = 450
	ctx := context.Background()
	for _, tc := range []struct {
		name string
		ask  func(*Store) error
		work storage.Work
		sure func(t *testing.T, s *Store) // afterwards
	}{
		{"counting anew", func(s *Store) error {
			_, err := s.Void(ctx, 1, &storage.Voiding{By: "mod"})
			return err
		}, storage.Work{Kind: storage.Recounting, Of: "g"}, func(t *testing.T, s *Store) {
			if l, err := s.Standing(ctx, storage.Board{Guild: "g"}, "dan"); err != nil || l.Games != tables-1 {
				t.Errorf("dan has %d games, %v; want the %d that count", l.Games, err, tables-1)
			}
		}},
		{"forgetting", func(s *Store) error { return forget(s, "u3", "departed-1") },
			storage.Work{Kind: storage.Forgetting, Of: "u3"}, func(t *testing.T, s *Store) {
				if holds(t, s, "u3") {
					t.Error("the user is still in the file")
				}
				if l, err := s.Standing(ctx, storage.Board{Guild: "g"}, "departed-1"); err != nil || l.Games == 0 {
					t.Errorf("who is forgotten has the line %+v, %v", l, err)
				}
			}},
		{"deleting", func(s *Store) error { return deleteGuild(s, "g") },
			storage.Work{Kind: storage.Deleting, Of: "g"}, func(t *testing.T, s *Store) {
				if lines := board(t, s, "g"); len(lines) > 0 {
					t.Errorf("the server's leaderboard has %d lines", len(lines))
				}
			}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			s := idle(t, filepath.Join(dir, "m.db"))
			played(t, s, "g", tables)
			played(t, s, "h", 3)
			before := board(t, s, "g")
			var copies []string
			s.labour.pause = func(context.Context, time.Duration) {
				path := filepath.Join(dir, fmt.Sprint("cut-", len(copies), ".db"))
				f, err := os.Create(path)
				if err == nil {
					_, err = s.Backup(ctx, f)
				}
				if err := errors.Join(err, f.Close()); err != nil {
					t.Error(err)
				}
				copies = append(copies, path)
			}
			s.labour.start(s)
			if err := errors.Join(tc.ask(s), s.Finished(ctx, tc.work)); err != nil {
				t.Fatal(err)
			}
			s.labour.close()
			tc.sure(t, s)
			after := board(t, s, "g")
			if len(copies) < 3 {
				t.Fatalf("it was done in %d steps: the test does not test", len(copies)+1)
			}
			for i, path := range copies {
				c := idle(t, path)
				lines := board(t, c, "g")
				if tc.work.Kind == storage.Recounting && !cmp.Equal(lines, before) && !cmp.Equal(lines, after) {
					t.Errorf("after step %d the leaderboard is neither the one before nor the one afterwards", i+1)
				}
				if err := c.Check(ctx); err != nil {
					t.Errorf("after step %d: %v", i+1, err)
				}
				c.labour.start(c)
				if err := c.Finished(ctx, tc.work); err != nil {
					t.Fatal(err)
				}
				tc.sure(t, c)
				if diff := cmp.Diff(after, board(t, c, "g")); diff != "" {
					t.Errorf("cut off after step %d, the leaderboard is another:\n%s", i+1, diff)
				}
				if err := c.Check(ctx); err != nil {
					t.Errorf("cut off after step %d and done: %v", i+1, err)
				}
				if err := errors.Join(c.Close(), os.Remove(path)); err != nil {
					t.Error(err)
				}
			}
			t.Logf("cut off after each of %d steps", len(copies))
		})
	}
}

// Games that end between the steps of a job are counted once, and their players keep their names.
func TestGamesEndBetweenTheStepsOfAJob(t *testing.T) {
	ctx := context.Background()
	for _, tc := range []struct {
		name string
		ask  func(*Store) error
		want int // results of the server in the end, without those that end in between
	}{
		{"counting anew", func(s *Store) error {
			_, err := s.Void(ctx, 2, &storage.Voiding{By: "mod"})
			return err
		}, 449},
		{"forgetting", func(s *Store) error { return forget(s, "u3", "departed-1") }, 450},
		{"deleting", func(s *Store) error { return deleteGuild(s, "g") }, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := idle(t, file(t))
			played(t, s, "g", 450)
			n := 0
			var mu sync.Mutex // one job may ask for another
			s.labour.pause = func(context.Context, time.Duration) {
				mu.Lock()
				defer mu.Unlock()
				for range 2*stepResults + 5 { // so that more than one step catches up with them
					if n == 100 {
						return
					}
					h := create(t, s, opening("g", "c", []string{"u3", "ann"}[n%2], "dan"))
					commit(t, s, ending(h, 0))
					n++
				}
			}
			s.labour.start(s)
			if err := tc.ask(s); err != nil {
				t.Fatal(err)
			}
			settled(t, s, "g")
			s.labour.close()
			line, err := s.Standing(ctx, storage.Board{Guild: "g"}, "dan")
			if err != nil || n < 3 || line.Games != tc.want+n {
				t.Errorf("dan has %d games, %v; want %d and the %d that ended in between", line.Games, err, tc.want, n)
			}
			if err := s.Check(ctx); err != nil {
				t.Error(err)
			}
		})
	}
}

// A job that was asked for again while it runs ends with what was asked for last.
func TestAJobIsAskedForAgain(t *testing.T) {
	ctx, s := context.Background(), idle(t, file(t))
	played(t, s, "g", 450)
	want := board(t, s, "g")
	asked := false
	s.labour.pause = func(context.Context, time.Duration) {
		if !asked {
			asked = true
			if _, err := s.Void(ctx, 1, nil); err != nil {
				t.Error(err)
			}
		}
	}
	s.labour.start(s)
	if r, err := s.Void(ctx, 1, &storage.Voiding{By: "mod"}); err != nil || r.Voided == nil || r.Ratings != nil {
		t.Fatalf("%+v, %v", r, err)
	}
	settled(t, s, "g")
	if diff := cmp.Diff(want, board(t, s, "g")); !asked || diff != "" {
		t.Errorf("voided and put back, the leaderboard is another:\n%s", diff)
	}
	if err := s.Check(ctx); err != nil {
		t.Error(err)
	}
}

// What cannot be done is said to who waits for it, and holds up nothing else.
func TestAJobThatFails(t *testing.T) {
	ctx, s := context.Background(), idle(t, file(t))
	played(t, s, "a", 2)
	played(t, s, "b", 2)
	harm := func(f func([]byte) []byte) {
		if err := s.db.Update(func(tx *bbolt.Tx) error {
			b := tx.Bucket(resultBucket)
			return b.Put(tableKey(1), f(slices.Clone(b.Get(tableKey(1)))))
		}); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range []storage.ID{2, 3} {
		if _, err := s.Void(ctx, id, &storage.Voiding{By: "mod"}); err != nil {
			t.Fatal(err)
		}
	}
	harm(func(b []byte) []byte { b[len(b)/2] ^= 1; return b })
	s.labour.start(s)
	if err := s.Finished(ctx, storage.Work{Kind: storage.Recounting, Of: "a"}); !errors.Is(err, storage.ErrDamaged) {
		t.Errorf("waiting for what cannot be counted: %v", err)
	}
	if err := s.Finished(ctx, storage.Work{Kind: storage.Recounting, Of: "b"}); err != nil {
		t.Errorf("another server: %v", err)
	}
	harm(func(b []byte) []byte { b[len(b)/2] ^= 1; return b })
	s.labour.forgive(recounting)
	s.labour.tell(jobKey(recounting, "b"), nil)
	settled(t, s, "a")
	if err := s.Check(ctx); err != nil {
		t.Error(err)
	}
}

// older makes a file of schema 1 of one of today's.
func older(t *testing.T, path string) {
	t.Helper()
	s := idle(t, path)
	results, err := s.Results(t.Context(), storage.ResultQuery{Guild: "g", Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	err = s.db.Update(func(tx *bbolt.Tx) error {
		w := &txn{tx: tx}
		for _, r := range results { // the ratings stood in them
			b, err := encodeJSON(r)
			if err != nil {
				return err
			}
			if err := w.put(resultBucket, tableKey(r.Table), b); err != nil {
				return err
			}
		}
		for _, b := range append([][]byte{botBucket, scoreBucket}, version2...) {
			if err := tx.DeleteBucket(b); err != nil {
				return err
			}
		}
		return nil
	})
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	setSchema(t, path, 1)
}

// A file of schema 1 has whose turn it is, rematches and ratings as one that was written today, also
// when filling in its indexes was cut off.
func TestAFileOfSchemaOneIsBroughtUpToDate(t *testing.T) {
	ctx, path := context.Background(), file(t)
	s := idle(t, path)
	played(t, s, "g", 20)
	for i := range 2*fillRows + 10 {
		c := opening([]string{"g", "h", ""}[i%3], "c", "ann", "bob")
		c.Head.Rematch = storage.ID(1 + i%5)
		h := create(t, s, c)
		n := next(h, 2)
		n.Head.ToMove, n.Head.Timing.Turn = games.Seat(i%2), storage.Stamp(1000-i)
		commit(t, s, n)
	}
	read := func(s *Store) (all []any) {
		for _, user := range []string{"ann", "bob"} {
			turns, err := s.Turns(ctx, user, 1000)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, turns)
		}
		for id := range storage.ID(7) {
			r, err := s.RematchOf(ctx, id)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, r)
		}
		results, err := s.Results(ctx, storage.ResultQuery{Guild: "g", Limit: 100})
		if err != nil || len(results) != 20 || slices.Equal(results[0].Ratings, []rating.Rating(nil)) {
			t.Fatal(results, err)
		}
		return append(all, results, board(t, s, "g"))
	}
	want := read(s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	older(t, path)
	// The first step is taken, then the process is killed.
	cut, _, err := openFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(migrate(cut, schema), cut.Close()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		s = idle(t, path)
		if diff := cmp.Diff(want, read(s)); diff != "" {
			t.Error(diff)
		}
		if err := s.Check(ctx); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	s = idle(t, path)
	s.labour.start(s)
	for news := s.labour.watch(); ; news = s.labour.watch() {
		if left, err := s.pending(ctx, jobKey(fillingIn, "")); err != nil {
			t.Fatal(err)
		} else if !left {
			break
		}
		<-news
	}
	if diff := cmp.Diff(want, read(s)); diff != "" {
		t.Error(diff)
	}
	if err := s.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(resultBucket).ForEach(func(k, v []byte) error {
			if lacksFacts(k, v) {
				t.Errorf("result %d has no facts", tableOf(k))
			}
			return nil
		})
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Void(ctx, 1, &storage.Voiding{By: "mod"}); err != nil {
		t.Fatal(err)
	}
	settled(t, s, "g")
	if err := s.Check(ctx); err != nil {
		t.Error(err)
	}
}
