//go:build unix

package storage_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"marque/games"
	"marque/storage"
	"marque/storage/kv/postgres"
	"marque/storage/kv/postgres/postgrestest"
	"marque/storage/storagetest"
)

// engines open the stores that the benchmarks of scale use: in a file, and in a database on a server that syncs to
// disk.
var engines = map[string]func(b *testing.B) func() *storage.Store{
	"file": func(b *testing.B) func() *storage.Store {
		return func() *storage.Store {
			s, err := openFile(filepath.Join(b.TempDir(), "marque.db"))
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = s.Close() })
			return s
		}
	},
	"database": func(b *testing.B) func() *storage.Store {
		srv := postgrestest.Start(b)
		return func() *storage.Store {
			url, err := srv.Database()
			if err != nil {
				b.Fatal(err)
			}
			engine, err := postgres.Open(b.Context(), url)
			if err != nil {
				b.Fatal(err)
			}
			s, err := storage.Open(b.Context(), engine)
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = s.Close() })
			return s
		}
	},
}

const (
	scaleTables  = 200 // tables per server
	scalePlayers = 60  // players per server
)

// scaled fills a store with n tables in servers of the same size. Every second table has ended with a counted result.
func scaled(b *testing.B, s *storage.Store, n int) {
	b.Helper()
	ctx := context.Background()
	var next atomic.Int64
	var wg sync.WaitGroup
	for range 250 {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && !b.Failed(); i = int(next.Add(1)) - 1 {
				guild, at := scaleGuild(i/scaleTables), i%scaleTables
				two := []string{scaleUser(guild, at%scalePlayers), scaleUser(guild, (at*7+1)%scalePlayers)}
				c := storagetest.Opening(guild, fmt.Sprintf("12800000000%08d", i), two...)
				c.Head.Digest = "0123456789abcdef0123456789abcdef"
				id, err := s.Create(ctx, c)
				if err != nil {
					b.Error(err)
					return
				}
				c.Head.ID = id
				if at%2 == 0 {
					c = storagetest.Ending(c.Head, games.Seat(at/2%2))
					err = s.Commit(ctx, c)
				}
				if err == nil {
					err = s.MarkPublished(ctx, id, storage.Publication{Version: c.Head.Version}, storage.Fence{})
				}
				if err != nil {
					b.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func scaleGuild(i int) string { return fmt.Sprintf("11800000000000%05d", i) }

func scaleUser(guild string, i int) string { return guild[:15] + fmt.Sprint(1000+i) + guild[15:] }

// BenchmarkScale compares a store of a thousand tables with a large store of MARQUE_BENCH_TABLES tables (10,000 by
// default), alternately. The servers of both have the same size. "x" is the time of the large store divided by that of
// the small one, when both are queried for the same number of servers. "of all servers" queries all servers instead, so
// that the processor's caches hold less of the large store.
func BenchmarkScale(b *testing.B) {
	many := 10_000
	if n, err := strconv.Atoi(os.Getenv("MARQUE_BENCH_TABLES")); err == nil {
		many = n
	}
	for name, engine := range engines {
		b.Run(name, func(b *testing.B) {
			open := engine(b)
			var stores [2]*storage.Store
			sizes := [2]int{1000, many}
			for i, n := range sizes {
				stores[i] = open()
				start := time.Now()
				scaled(b, stores[i], n)
				b.Logf("%d tables were made in %v", n, time.Since(start).Round(time.Second))
			}
			for _, what := range scaleReads {
				b.Run(what.name, func(b *testing.B) {
					compare(b, func(which, i int) error {
						guild := scaleGuild(i % (sizes[0] / scaleTables) * (sizes[which] / sizes[0]))
						return what.do(stores[which], guild)
					})
				})
				b.Run(what.name+" of all servers", func(b *testing.B) {
					compare(b, func(which, i int) error {
						guild := scaleGuild((i * 7919) % (sizes[which] / scaleTables))
						return what.do(stores[which], guild)
					})
				})
			}
			b.Run("move", func(b *testing.B) {
				var ids [2][]storage.Head
				for which, s := range stores {
					for i := range 50 {
						guild := scaleGuild(i * (sizes[which] / scaleTables) / 50)
						heads, err := s.ByGuild(b.Context(), guild, storage.Active, 0, 50)
						if err != nil {
							b.Fatal(err)
						}
						ids[which] = append(ids[which], heads[i%len(heads)])
					}
				}
				compare(b, func(which, i int) error {
					h := &ids[which][i%50]
					c := storagetest.Next(*h, 2)
					*h = c.Head
					return stores[which].Commit(b.Context(), c)
				})
			})
		})
	}
}

var scaleReads = []struct {
	name string
	do   func(s *storage.Store, guild string) error
}{
	{"list", func(s *storage.Store, guild string) error {
		heads, err := s.ByGuild(context.Background(), guild, storage.Active, 0, 25)
		return wants(len(heads) == 25, err)
	}},
	{"results", func(s *storage.Store, guild string) error {
		list, err := s.Results(context.Background(), storage.ResultQuery{Guild: guild, Limit: 25})
		return wants(len(list) == 25, err)
	}},
	{"leaderboard", func(s *storage.Store, guild string) error {
		page, err := s.Leaderboard(context.Background(), storage.BoardQuery{Board: storage.Board{Guild: guild},
			Limit: 10})
		return wants(len(page.Lines) == 10, err)
	}},
	{"tables of a user", func(s *storage.Store, guild string) error {
		heads, err := s.ByUser(context.Background(), scaleUser(guild, 1), storage.Active, 0, 25)
		return wants(len(heads) > 0, err)
	}},
}

func wants(ok bool, err error) error {
	if err == nil && !ok {
		err = fmt.Errorf("there is less than was made")
	}
	return err
}

// compare runs f on the small store (0) and on the large one (1), alternately. It reports the median of each, and
// of their ratio. "cpu-x" is the ratio of the processor times, which other programs on the machine hardly change.
func compare(b *testing.B, f func(which, i int) error) {
	b.Helper()
	const turn = 100
	var took, worked [2][]float64
	for n := 0; n < b.N || len(took[0]) < 11; n += turn {
		for which := range took {
			start, began := time.Now(), processorTime(b)
			for i := range turn {
				if err := f(which, n+i); err != nil {
					b.Fatal(err)
				}
			}
			took[which] = append(took[which], 1e6*time.Since(start).Seconds()/turn)
			worked[which] = append(worked[which], processorTime(b)-began)
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(took[0]), "small-us")
	b.ReportMetric(median(took[1]), "large-us")
	b.ReportMetric(median(ratios(took[1], took[0])), "x")
	b.ReportMetric(median(worked[1])/median(worked[0]), "cpu-x")
}

// processorTime returns the processor time that this process has used, in seconds.
func processorTime(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// BenchmarkVoidBeside compares how long moves of other players take during a recount and without one. The leaderboards
// of a large server are recounted because one of its results was voided. "p99-x" is the ratio of the 99th percentiles,
// as the median of many runs. Both parts of a run take about equally long, so that other load on the machine affects
// both.
func BenchmarkVoidBeside(b *testing.B) {
	for name, engine := range engines {
		b.Run(name, func(b *testing.B) {
			s := engine(b)()
			ctx := b.Context()
			const results, writers, moves = 5000, 16, 40
			var first storage.ID
			heads := make([]storage.Head, 250)
			var wg sync.WaitGroup
			var mu sync.Mutex
			for w := range heads {
				wg.Go(func() {
					for i := range results / len(heads) {
						c := storagetest.Opening("large", "c", fmt.Sprint("u", (w*i)%199), fmt.Sprint("v", i%211))
						id, err := s.Create(ctx, c)
						if c.Head.ID = id; err == nil {
							err = s.Commit(ctx, storagetest.Ending(c.Head, games.Seat(i%2)))
						}
						if err != nil {
							b.Error(err)
							return
						}
						mu.Lock()
						if first == 0 || id < first {
							first = id
						}
						mu.Unlock()
					}
					c := storagetest.Opening(fmt.Sprint("g", w), fmt.Sprint("c", w), fmt.Sprint("a", w),
						fmt.Sprint("b", w))
					id, err := s.Create(ctx, c)
					if err != nil {
						b.Error(err)
					}
					c.Head.ID = id
					heads[w] = c.Head
				})
			}
			wg.Wait()
			// play lets each writer move until enough returns true, but at least as many times as the constant moves
			// says. It returns how long each move took, in milliseconds, in ascending order.
			play := func(enough func() bool) (took []float64) {
				for w := range writers {
					wg.Go(func() {
						for i := 0; i < moves || !enough(); i++ {
							c := storagetest.Next(heads[w], 2)
							start := time.Now()
							if err := s.Commit(ctx, c); err != nil {
								b.Error(err)
								return
							}
							d := 1e3 * time.Since(start).Seconds()
							heads[w] = c.Head
							mu.Lock()
							took = append(took, d)
							mu.Unlock()
							time.Sleep(5 * time.Millisecond) // players think between moves, so the disk has idle time
						}
					})
				}
				wg.Wait()
				slices.Sort(took)
				return took
			}
			work := storage.Work{Kind: storage.Recounting, Of: "large"}
			p := func(took []float64, q int) float64 { return took[len(took)*q/100] }
			var p50s, p99s, alone, beside []float64
			lasting := 2 * time.Second // as long as the recount of the previous run
			for range 15 {
				var seen int
				until := time.Now().Add(lasting)
				quiet := play(func() bool { return !time.Now().Before(until) })
				var v *storage.Voiding
				if r, err := s.Result(ctx, first); err == nil && r.Voided == nil {
					v = &storage.Voiding{By: "mod", At: 1}
				}
				if _, err := s.Void(ctx, first, v); err != nil {
					b.Fatal(err)
				}
				began := time.Now()
				busy := play(func() bool {
					underWay, err := s.UnderWay(ctx, work)
					return err != nil || !underWay
				})
				seen, lasting = len(busy), time.Since(began)
				if err := s.Finished(ctx, work); err != nil {
					b.Fatal(err)
				}
				b.Logf("alone p50 %.1f ms, p99 %.1f ms of %d moves; beside p50 %.1f ms, p99 %.1f ms of %d",
					p(quiet, 50), p(quiet, 99), len(quiet), p(busy, 50), p(busy, 99), seen)
				p50s, p99s = append(p50s, p(busy, 50)/p(quiet, 50)), append(p99s, p(busy, 99)/p(quiet, 99))
				alone, beside = append(alone, p(quiet, 99)), append(beside, p(busy, 99))
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(median(alone), "alone-p99-ms")
			b.ReportMetric(median(beside), "beside-p99-ms")
			b.ReportMetric(median(p50s), "p50-x")
			b.ReportMetric(median(p99s), "p99-x")
		})
	}
}
