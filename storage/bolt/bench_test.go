package bolt

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"marque/storage"
)

// populate writes n tables of a few moves each to a new file, in large transactions, and rewrites it without free pages.
func populate(b *testing.B, n int) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "marque.db")
	s, err := Open(path)
	if err != nil {
		b.Fatal(err)
	}
	s.db.NoSync = true
	const chunk = 2000
	for done := 0; done < n; done += chunk {
		err := s.do(context.Background(), func(t *txn) error {
			for i := done; i < min(done+chunk, n); i++ {
				c := opening(fmt.Sprintf("11800000000000%05d", i%5000), fmt.Sprintf("12800000000%08d", i), fmt.Sprintf("13800000000%08d", i), fmt.Sprintf("14800000000%08d", i))
				c.Head.Digest = "0123456789abcdef0123456789abcdef"
				p, err := prepare(c)
				if err != nil {
					return err
				}
				id, err := t.tx.Bucket(tableBucket).NextSequence()
				if err != nil {
					return err
				}
				p.change.Head.ID = storage.ID(id)
				if p.head, p.mark, err = encodeHead(p.change.Head); err != nil {
					return err
				}
				if err := p.store(t, storage.ID(id), nil); err != nil {
					return err
				}
				if err := t.del(outboxBucket, tableKey(storage.ID(id))); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	if _, _, err := Compact(path); err != nil {
		b.Fatal(err)
	}
	return path
}

// floor is what the file system itself takes for a commit: three pages written, sync, one page, sync. It returns how long n commits took.
func floor(b *testing.B, f *os.File, n int) time.Duration {
	b.Helper()
	page := make([]byte, 4096)
	start := time.Now()
	for i := range n {
		for j := range 3 {
			page[0] = byte(i)
			if _, err := f.WriteAt(page, int64(2+(i*7+j*1000)%(floorPages-2))*4096); err != nil {
				b.Fatal(err)
			}
		}
		if err := datasync(f); err != nil {
			b.Fatal(err)
		}
		if _, err := f.WriteAt(page, int64(i%2)*4096); err != nil {
			b.Fatal(err)
		}
		if err := datasync(f); err != nil {
			b.Fatal(err)
		}
	}
	return time.Since(start)
}

const floorPages = 4096

// floorFile is a file for floor, written once.
func floorFile(b *testing.B) *os.File {
	b.Helper()
	f, err := os.Create(filepath.Join(b.TempDir(), "floor"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = f.Close() })
	if _, err := f.Write(make([]byte, floorPages*4096)); err != nil {
		b.Fatal(err)
	}
	if err := f.Sync(); err != nil {
		b.Fatal(err)
	}
	return f
}

// players are writers with tables of their own, spread over the whole file.
type players struct {
	heads [][]storage.Head
	next  []int
}

func newPlayers(b *testing.B, s *Store, tables, writers int) *players {
	p := &players{heads: make([][]storage.Head, writers), next: make([]int, writers)}
	own := min(tables/writers, 100)
	for w := range writers {
		for i := range own {
			h, err := s.Head(context.Background(), storage.ID(1+(w*own+i)*(tables/(writers*own))))
			if err != nil {
				b.Fatal(err)
			}
			p.heads[w] = append(p.heads[w], h)
		}
	}
	return p
}

// play makes n moves, all writers at once, and returns how long that took.
func (p *players) play(n int, move func(storage.Head) storage.Head) time.Duration {
	var wg sync.WaitGroup
	start := time.Now()
	for w := range p.heads {
		wg.Go(func() {
			for i := w; i < n; i += len(p.heads) {
				h := &p.heads[w][p.next[w]%len(p.heads[w])]
				p.next[w]++
				*h = move(*h)
			}
		})
	}
	wg.Wait()
	return time.Since(start)
}

// BenchmarkMove measures durable moves against the file system's floor and against db.Batch in the same run: floor-x is a move's time over the
// floor's, batch-x is Batch's time over a move's. MARQUE_BENCH_MILLION=1 adds a file of a million tables.
func BenchmarkMove(b *testing.B) {
	sizes := []int{1000}
	if os.Getenv("MARQUE_BENCH_MILLION") != "" {
		sizes = append(sizes, 1_000_000)
	}
	for _, tables := range sizes {
		path := populate(b, tables)
		for _, writers := range []int{1, 64} {
			b.Run("tables="+strconv.Itoa(tables)+"/writers="+strconv.Itoa(writers), func(b *testing.B) { benchmarkMove(b, path, tables, writers) })
		}
	}
}

func benchmarkMove(b *testing.B, path string, tables, writers int) {
	s, err := Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	}()
	change := func(h storage.Head) storage.Change {
		c := next(h, 2)
		c.Key = fmt.Sprintf("15800000%d-%d", h.ID, h.Version)
		return c
	}
	ours := func(h storage.Head) storage.Head {
		c := change(h)
		if err := s.Commit(context.Background(), c); err != nil {
			b.Error(err)
		}
		return c.Head
	}
	batch := func(h storage.Head) storage.Head {
		c := change(h)
		p, err := prepare(c)
		if err == nil {
			err = s.db.Batch(func(tx *bbolt.Tx) error {
				t := &txn{tx: tx}
				return p.store(t, h.ID, t.get(tableBucket, headKey(h.ID)))
			})
		}
		if err != nil {
			b.Error(err)
		}
		return c.Head
	}
	p, f := newPlayers(b, s, tables, writers), floorFile(b)
	p.play(200, ours) // warm
	// In turns, so that a disk that gets slower or faster does so for all three; then the median turn.
	const turn = 250
	var move, ground, batched []float64
	for n := b.N; n > 0 || len(move) < 3; n -= turn {
		move = append(move, p.play(turn*min(writers, 8), ours).Seconds()/float64(turn*min(writers, 8)))
		ground = append(ground, floor(b, f, turn).Seconds()/turn)
		batched = append(batched, p.play(2*writers, batch).Seconds()/float64(2*writers))
	}
	b.ReportMetric(1/median(move), "moves/s")
	b.ReportMetric(1e6*median(move), "move-us")
	b.ReportMetric(1e6*median(ground), "floor-us")
	b.ReportMetric(median(ratios(move, ground)), "floor-x")
	b.ReportMetric(median(ratios(batched, move)), "batch-x")
}

func ratios(a, b []float64) []float64 {
	r := make([]float64, len(a))
	for i := range a {
		r[i] = a[i] / b[i]
	}
	return r
}

func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}

// BenchmarkSeal measures what checksums cost a move: its head, its events and its command's key are sealed, and the head before is
// compared. "of-commit" is the median share of that in a commit of the same run which does not wait for the disk; with the disk it is less.
func BenchmarkSeal(b *testing.B) {
	const tables = 1000
	s, err := Open(populate(b, tables))
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	s.db.NoSync = true
	p := newPlayers(b, s, tables, 1)
	var seals, commits []float64
	for b.Loop() {
		var c storage.Change
		took := p.play(1, func(h storage.Head) storage.Head {
			c = next(h, 2)
			c.Key = fmt.Sprintf("15800000%d-%d", h.ID, h.Version)
			if err := s.Commit(context.Background(), c); err != nil {
				b.Error(err)
			}
			return c.Head
		})
		commits = append(commits, float64(took))
		values, err := prepare(c)
		if err != nil {
			b.Fatal(err)
		}
		id, before := c.Head.ID, seal(tableBucket, headKey(c.Head.ID), values.head)
		const times = 20
		start := time.Now()
		for range times {
			if _, err := unseal(tableBucket, headKey(id), before); err != nil {
				b.Fatal(err)
			}
			seal(tableBucket, headKey(id), values.head)
			for i, e := range values.events {
				seal(tableBucket, eventKey(id, uint64(i)), e)
			}
			seal(tableBucket, commandKey(id, 1, c.Key), before[:16])
		}
		seals = append(seals, float64(time.Since(start))/times)
	}
	b.ReportMetric(median(seals), "seal-ns")
	b.ReportMetric(median(ratios(seals, commits)), "of-commit")
}
