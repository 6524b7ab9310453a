package bolt

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"marque/storage/kv"
)

// floor is what the file system itself takes for a commit: three pages written, sync, one page, sync. It returns how long n
// commits took.
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

// move is a work like a move at a table: it reads one value, and puts three in three spaces.
func move(table, version int) kv.Work {
	at := func(space kv.Space, more string) kv.Key {
		return kv.Key{Space: space, Key: fmt.Appendf(nil, "%08d%s", table, more)}
	}
	head := at("tables", "")
	return kv.Work{
		Locks: []kv.Lock{kv.Lock("table " + strconv.Itoa(table))},
		Want:  kv.Want{Keys: []kv.Key{head}},
		Run: func(w kv.Writer) error {
			before, err := w.Get(head)
			if err != nil {
				return err
			}
			value := append([]byte(strconv.Itoa(version)), make([]byte, 700)...)
			if before[0] != nil {
				copy(value[20:], before[0][20:])
			}
			if err := w.Put(head, value); err != nil {
				return err
			}
			if err := w.Put(at("events", fmt.Sprintf(" %06d", version)), value[:90]); err != nil {
				return err
			}
			return w.Put(at("outbox", ""), value[:8])
		},
	}
}

// BenchmarkMove measures durable moves against the file system's floor in the same run: floor-x is a move's time over the
// floor's, the median of turns.
func BenchmarkMove(b *testing.B) {
	for _, writers := range []int{1, 64} {
		b.Run("writers="+strconv.Itoa(writers), func(b *testing.B) {
			e, err := Open(filepath.Join(b.TempDir(), "marque.db"))
			if err != nil {
				b.Fatal(err)
			}
			d := kv.New(e)
			defer d.Close()
			const tables, turn = 1000, 250
			err = d.Update(b.Context(), kv.Work{Run: func(w kv.Writer) error {
				for t := range tables {
					for v := range 3 {
						if err := move(t, v).Run(w); err != nil {
							return err
						}
					}
				}
				return nil
			}})
			if err != nil {
				b.Fatal(err)
			}
			f := floorFile(b)
			next := make([]int, writers)
			play := func(n int) time.Duration {
				var wg sync.WaitGroup
				start := time.Now()
				for w := range writers {
					wg.Go(func() {
						for i := w; i < n; i += writers {
							next[w]++
							if err := d.Update(b.Context(), move((w*tables/writers+next[w])%tables, 3+next[w])); err != nil {
								b.Error(err)
							}
						}
					})
				}
				wg.Wait()
				return time.Since(start)
			}
			play(200) // warm
			var moves, grounds, ratios []float64
			for n := b.N; n > 0 || len(moves) < 3; n -= turn {
				many := turn * min(writers, 8)
				moves = append(moves, play(many).Seconds()/float64(many))
				grounds = append(grounds, floor(b, f, turn).Seconds()/turn)
				ratios = append(ratios, moves[len(moves)-1]/grounds[len(grounds)-1])
			}
			b.ReportMetric(1e6*median(moves), "move-us")
			b.ReportMetric(1e6*median(grounds), "floor-us")
			b.ReportMetric(median(ratios), "floor-x")
		})
	}
}

func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}
