package bolt

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"marque/games"
	"marque/storage"
	"marque/storage/storagetest"
)

// fill writes n tables into a server each 200, of which one in a hundred goes on and the others are over,
// in large transactions.
func fill(b *testing.B, s *Store, n int, guild func(i int) string) {
	b.Helper()
	s.db.NoSync = true
	const chunk = 1000
	for done := 0; done < n; done += chunk {
		err := s.do(context.Background(), func(t *txn) error {
			for i := done; i < min(done+chunk, n); i++ {
				users := []string{userName(i % (1 + n/20)), userName(1 + (i*7+3)%(2+n/10))}
				c := opening(guild(i), fmt.Sprintf("12800000000%08d", i), users...)
				if users[0] == users[1] {
					c.Head.Seats[1].User = "1"
				}
				if err := put(t, &c, nil); err != nil {
					return err
				}
				e := next(c.Head, 2)
				e.Head.ToMove = 0
				if i%100 != 0 {
					e = ending(c.Head, games.Seat(i%2))
				}
				if err := put(t, &e, t.get(tableBucket, headKey(c.Head.ID))); err != nil {
					return err
				}
				if err := t.del(outboxBucket, tableKey(c.Head.ID)); err != nil {
					return err
				}
				post := append(tableKey(storage.ID(e.Head.Version)), "note"...)
				if err := t.put(tableBucket, rowKey(c.Head.ID, postRow), post); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	s.db.NoSync = false
	if err := s.db.Sync(); err != nil {
		b.Fatal(err)
	}
}

// put stores a change inside a transaction, and gives a new table its id.
func put(t *txn, c *storage.Change, before []byte) error {
	if before == nil {
		id, err := t.tx.Bucket(tableBucket).NextSequence()
		if err != nil {
			return err
		}
		c.Head.ID = storage.ID(id)
	}
	p, err := prepare(*c)
	if err != nil {
		return err
	}
	return p.store(t, c.Head.ID, before)
}

// BenchmarkMoveDuringWork measures how long a move waits for its commit while nothing else goes on, and
// while a result is voided in a server with 100,000 results, a user is forgotten and a server of 10,000
// tables is deleted: the median, the 99th percentile and the longest, in milliseconds.
func BenchmarkMoveDuringWork(b *testing.B) {
	for _, tc := range []struct {
		name string
		work storage.Work
		ask  func(context.Context, *Store) error
	}{
		{"nothing", storage.Work{}, nil},
		{"voiding", storage.Work{Kind: storage.Recounting, Of: "g"}, func(ctx context.Context, s *Store) error {
			_, err := s.Void(ctx, 1<<40, &storage.Voiding{By: "1"})
			return err
		}},
		{"forgetting", storage.Work{Kind: storage.Forgetting, Of: userName(3)}, func(ctx context.Context, s *Store) error {
			return s.Forget(ctx, userName(3), storage.Departed+"1")
		}},
		{"deleting", storage.Work{Kind: storage.Deleting, Of: "h"}, func(ctx context.Context, s *Store) error { return s.DeleteGuild(ctx, "h") }},
	} {
		b.Run(tc.name, func(b *testing.B) {
			s := openLeague(b, b.TempDir(), 100_000, 10_000)
			defer s.Close()
			ctx := b.Context()
			err := s.do(ctx, func(t *txn) error {
				return storeResult(t, storage.Result{Table: 1 << 40, Game: "pirat", Guild: "g", Ended: 1, Winners: []games.Seat{0}, Seats: []storage.Occupant{{User: "1"}, {User: "2"}}})
			})
			if err != nil {
				b.Fatal(err)
			}
			if err := s.db.Update(func(tx *bbolt.Tx) error { return tx.Bucket(tableBucket).SetSequence(200_000) }); err != nil {
				b.Fatal(err)
			}
			fill(b, s, 10_000, func(int) string { return "h" })
			var heads []storage.Head
			for i := range 16 {
				id, err := s.Create(ctx, opening("other", fmt.Sprint("c", i), "ann", "bob"))
				if err != nil {
					b.Fatal(err)
				}
				h, err := s.Head(ctx, id)
				if err != nil {
					b.Fatal(err)
				}
				heads = append(heads, h)
			}
			begun := time.Now()
			if tc.ask != nil {
				if err := tc.ask(ctx, s); err != nil {
					b.Fatal(err)
				}
			}
			var waits []float64
			for i := 0; len(waits) < 1000 || tc.ask != nil; i++ {
				h := &heads[i%len(heads)]
				c := next(*h, 1)
				start := time.Now()
				if err := s.Commit(ctx, c); err != nil {
					b.Fatal(err)
				}
				waits = append(waits, float64(time.Since(start).Microseconds())/1000)
				*h = c.Head
				if tc.ask != nil && i%20 == 0 {
					if going, err := s.UnderWay(ctx, tc.work); err != nil || !going {
						break
					}
				}
			}
			b.ReportMetric(time.Since(begun).Seconds(), "work-s")
			slices.Sort(waits)
			b.ReportMetric(waits[len(waits)/2], "p50-ms")
			b.ReportMetric(waits[len(waits)*99/100], "p99-ms")
			b.ReportMetric(waits[len(waits)-1], "max-ms")
			b.ReportMetric(float64(len(waits)), "moves")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkScale measures what may not grow with the tables that are over: with a thousand, and with
// MARQUE_BENCH_MILLION=1 with a million.
func BenchmarkScale(b *testing.B) {
	sizes := []int{1000}
	if os.Getenv("MARQUE_BENCH_MILLION") != "" {
		sizes = append(sizes, 1_000_000)
	}
	for _, n := range sizes {
		path := filepath.Join(b.TempDir(), "m.db")
		s, err := Open(path)
		if err != nil {
			b.Fatal(err)
		}
		guild := func(i int) string { return fmt.Sprintf("11800000000000%05d", i/200) }
		fill(b, s, n, guild)
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
		ctx := b.Context()
		run := func(name string, f func() error) {
			b.Run(name+"/tables="+strconv.Itoa(n), func(b *testing.B) {
				for b.Loop() {
					if err := f(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		run("open", func() error {
			if s, err = Open(path); err != nil {
				return err
			}
			return s.Close()
		})
		if s, err = Open(path); err != nil {
			b.Fatal(err)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.Logf("%d tables: an open store holds %d kB on the heap", n, (int64(after.HeapAlloc)-int64(before.HeapAlloc))/1024)
		user := userName(1)
		run("tables of a server", func() error { _, err := s.ByGuild(ctx, guild(0), storage.Active, 0, 500); return err })
		run("past tables of a user", func() error { _, err := s.ByUser(ctx, user, storage.Finished, 0, 10); return err })
		run("turns", func() error { _, err := s.Turns(ctx, user, 1000); return err })
		run("due", func() error { _, err := s.DueUntil(ctx, 1<<40, 64); return err })
		run("pending", func() error { _, err := s.Pending(ctx, 0, 64); return err })
		run("servers", func() error { _, err := s.Guilds(ctx); return err })
		run("tables that name a user", func() error { _, err := s.Naming(ctx, user); return err })
		run("leaderboard", func() error {
			_, err := s.Leaderboard(ctx, storage.BoardQuery{Board: storage.Board{Guild: guild(0)}, Limit: 10})
			return err
		})
		i := 0
		run("deleting a server of 200", func() error { i++; return deleteGuild(s, guild(i*200)) })
		b.Run("check/tables="+strconv.Itoa(n), func(b *testing.B) {
			begun := time.Now()
			if err := s.Check(ctx); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(time.Since(begun).Seconds(), "s")
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(after.HeapSys)/(1<<20), "heap-MB")
			b.ReportMetric(0, "ns/op")
		})
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// A server's table of a month, beside many users who have solved puzzles elsewhere: from the index, and by a look at all settings.
func BenchmarkScores(b *testing.B) {
	const users, here = 20_000, 50
	ctx := b.Context()
	s := openStore(b, file(b))
	defer s.Close()
	s.db.NoSync = true
	for i := range users {
		score := storage.Score{Server: fmt.Sprint("1000000000000", i%5000), Month: "2026-11", Solved: 1 + i%28}
		if i < here {
			score.Server = "g"
		}
		settings := map[string]any{"zone": "Europe/Berlin", "puzzles": map[string]any{"solved": 100, "months": []storage.Score{score}}}
		if err := s.ChangeUserSettings(ctx, fmt.Sprint("2000000000000", i), storagetest.Set(settings)); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("index", func(b *testing.B) {
		for b.Loop() {
			if page, err := s.Scores(ctx, "g", "2026-11", 15); err != nil || page.Total != here {
				b.Fatal(page, err)
			}
		}
	})
	b.Run("settings", func(b *testing.B) {
		for b.Loop() {
			list, err := s.UsersNaming(ctx, `"g"`)
			if err != nil || len(list) != here {
				b.Fatal(len(list), err)
			}
			for _, u := range list {
				var v map[string]any
				if err := s.UserSettings(ctx, u, &v); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}
