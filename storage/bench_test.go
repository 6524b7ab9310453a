package storage_test

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

	"marque/storage"
	"marque/storage/kv/bolt"
	"marque/storage/kv/kvtest"
	"marque/storage/storagetest"
)

// openFile opens a store in a file.
func openFile(path string) (*storage.Store, error) {
	engine, err := bolt.Open(path)
	if err != nil {
		return nil, err
	}
	return storage.Open(context.Background(), engine)
}

// populate opens n tables and marks them as published.
func populate(b *testing.B, s *storage.Store, n int) {
	b.Helper()
	const writers = 250
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := w; i < n; i += writers {
				c := storagetest.Opening(fmt.Sprintf("11800000000000%05d", i%5000), fmt.Sprintf("12800000000%08d", i),
					fmt.Sprintf("13800000000%08d", i), fmt.Sprintf("14800000000%08d", i))
				c.Head.Digest = "0123456789abcdef0123456789abcdef"
				id, err := s.Create(context.Background(), c)
				if err == nil {
					err = s.MarkPublished(context.Background(), id, storage.Publication{Version: 1}, storage.Fence{})
				}
				if err != nil {
					b.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

// players are concurrent writers. Each writer has its own tables, which are spread over the whole store.
type players struct {
	store *storage.Store
	heads [][]storage.Head
	next  []int
}

func newPlayers(b *testing.B, s *storage.Store, tables, writers int) *players {
	p := &players{store: s, heads: make([][]storage.Head, writers), next: make([]int, writers)}
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

// play makes n moves, shared among concurrent writers, and returns how long they took.
func (p *players) play(b *testing.B, n int) time.Duration {
	var wg sync.WaitGroup
	start := time.Now()
	for w := range p.heads {
		wg.Go(func() {
			for i := w; i < n; i += len(p.heads) {
				h := &p.heads[w][p.next[w]%len(p.heads[w])]
				p.next[w]++
				c := storagetest.Next(*h, 2)
				c.Key = fmt.Sprintf("15800000%d-%d", h.ID, h.Version)
				if err := p.store.Commit(context.Background(), c); err != nil {
					b.Error(err)
				}
				*h = c.Head
			}
		})
	}
	wg.Wait()
	return time.Since(start)
}

// BenchmarkMove measures durable moves in a file. floor-x is the time of a move divided by that of a commit simulated
// in a plain file (kvtest.Floor), measured in the same run. MARQUE_BENCH_MILLION=1 adds a file of a million tables.
func BenchmarkMove(b *testing.B) {
	sizes := []int{1000}
	if os.Getenv("MARQUE_BENCH_MILLION") != "" {
		sizes = append(sizes, 1_000_000)
	}
	for _, tables := range sizes {
		s, err := openFile(filepath.Join(b.TempDir(), "marque.db"))
		if err != nil {
			b.Fatal(err)
		}
		populate(b, s, tables)
		for _, writers := range []int{1, 64} {
			b.Run("tables="+strconv.Itoa(tables)+"/writers="+strconv.Itoa(writers),
				func(b *testing.B) { benchmarkMove(b, s, tables, writers) })
		}
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	}
}

func benchmarkMove(b *testing.B, s *storage.Store, tables, writers int) {
	p, f := newPlayers(b, s, tables, writers), kvtest.NewFloor(b)
	p.play(b, 200) // warm up
	// Moves and plain commits alternate, so that changes in the disk's speed affect both. The result is the median.
	const turn = 250
	var move, ground []float64
	for n := b.N; n > 0 || len(move) < 3; n -= turn {
		move = append(move, p.play(b, turn*min(writers, 8)).Seconds()/float64(turn*min(writers, 8)))
		ground = append(ground, f.Commit(b, turn).Seconds()/turn)
	}
	b.ReportMetric(1/median(move), "moves/s")
	b.ReportMetric(1e6*median(move), "move-us")
	b.ReportMetric(1e6*median(ground), "floor-us")
	b.ReportMetric(median(ratios(move, ground)), "floor-x")
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
