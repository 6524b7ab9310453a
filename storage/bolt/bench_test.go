package bolt

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
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
				if err := p.store(t, storage.ID(id), storage.Head{}); err != nil {
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

// floor is what the file system itself takes for a commit: three pages written, sync, one page, sync.
func floor(b *testing.B, dir string, n int) time.Duration {
	b.Helper()
	f, err := os.OpenFile(filepath.Join(dir, "floor"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	page := make([]byte, 4096)
	const pages = 4096
	for i := range pages {
		if _, err := f.WriteAt(page, int64(i)*4096); err != nil {
			b.Fatal(err)
		}
	}
	if err := f.Sync(); err != nil {
		b.Fatal(err)
	}
	start := time.Now()
	for i := range n {
		for j := range 3 {
			page[0] = byte(i)
			if _, err := f.WriteAt(page, int64(2+(i*7+j*1000)%(pages-2))*4096); err != nil {
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
	return time.Since(start) / time.Duration(n)
}

// moves lets writers play n moves, each at tables of its own, and returns how long a move took on average.
func moves(b *testing.B, tables, writers, n int, play func(storage.Head, int) storage.Head, head func(storage.ID) storage.Head) time.Duration {
	b.Helper()
	var wg sync.WaitGroup
	own := min(tables/writers, 100)
	heads := make([][]storage.Head, writers)
	for w := range writers {
		for i := range own {
			// Spread over the whole file.
			heads[w] = append(heads[w], head(storage.ID(1+(w*own+i)*(tables/(writers*own)))))
		}
	}
	start := time.Now()
	for w := range writers {
		wg.Go(func() {
			for i := w; i < n; i += writers {
				h := &heads[w][(i/writers)%own]
				*h = play(*h, i)
			}
		})
	}
	wg.Wait()
	return time.Since(start) / time.Duration(n)
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
	ctx := context.Background()
	head := func(id storage.ID) storage.Head {
		h, err := s.Head(ctx, id)
		if err != nil {
			b.Fatal(err)
		}
		return h
	}
	key := func(h storage.Head) string { return fmt.Sprintf("15800000%d-%d", h.ID, h.Version) }
	play := func(h storage.Head, _ int) storage.Head {
		c := next(h, 2)
		c.Key = key(h)
		if err := s.Commit(ctx, c); err != nil {
			b.Error(err)
		}
		return c.Head
	}
	batch := func(h storage.Head, _ int) storage.Head {
		c := next(h, 2)
		c.Key = key(h)
		p, err := prepare(c)
		if err == nil {
			err = s.db.Batch(func(tx *bbolt.Tx) error { return p.store(&txn{tx: tx}, h.ID, h) })
		}
		if err != nil {
			b.Error(err)
		}
		return c.Head
	}
	moves(b, tables, writers, 200, play, head) // warm
	rounds, ground, batched := 0, time.Duration(0), time.Duration(0)
	var took time.Duration
	n := max(b.N, 64)
	// In turns, so that a disk that gets slower or faster does so for all.
	for chunk := 2000; n > 0; n -= chunk {
		chunk = min(chunk, n)
		took += moves(b, tables, writers, chunk, play, head) * time.Duration(chunk)
		ground += floor(b, filepath.Dir(path), 200)
		batched += moves(b, tables, writers, 2*writers+10, batch, head)
		rounds++
	}
	move := took / time.Duration(max(b.N, 64))
	ground /= time.Duration(rounds)
	batched /= time.Duration(rounds)
	b.ReportMetric(float64(time.Second)/float64(move), "moves/s")
	b.ReportMetric(float64(move)/float64(ground), "floor-x")
	b.ReportMetric(float64(batched)/float64(move), "batch-x")
	b.ReportMetric(float64(ground.Microseconds()), "floor-us")
	b.ReportMetric(float64(move.Microseconds()), "move-us")
}
