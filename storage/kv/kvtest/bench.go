package kvtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"marque/storage/kv"
)

// Floor is a plain file on the file system of the benchmark's store. Benchmarks write to it to measure how long a
// commit takes in the file system alone.
type Floor struct{ file *os.File }

const floorPages = 4096

// NewFloor creates the file and writes it once.
func NewFloor(b *testing.B) Floor {
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
	return Floor{f}
}

// Commit makes n simulated commits and returns their total duration. Each writes three pages, syncs, writes one page,
// and syncs again.
func (f Floor) Commit(b *testing.B, n int) time.Duration {
	b.Helper()
	page := make([]byte, 4096)
	start := time.Now()
	for i := range n {
		for j := range 3 {
			page[0] = byte(i)
			if _, err := f.file.WriteAt(page, int64(2+(i*7+j*1000)%(floorPages-2))*4096); err != nil {
				b.Fatal(err)
			}
		}
		if err := datasync(f.file); err != nil {
			b.Fatal(err)
		}
		if _, err := f.file.WriteAt(page, int64(i%2)*4096); err != nil {
			b.Fatal(err)
		}
		if err := datasync(f.file); err != nil {
			b.Fatal(err)
		}
	}
	return time.Since(start)
}

// Move returns a kv.Work that resembles a move at a table: it reads one value, and puts one value into each of three
// spaces.
func Move(table, version int) kv.Work {
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

// Tables returns a kv.Work that puts the given number of versions of each of the given number of tables.
func Tables(tables, versions int) kv.Work {
	return kv.Work{Run: func(w kv.Writer) error {
		for t := range tables {
			for v := range versions {
				if err := Move(t, v).Run(w); err != nil {
					return err
				}
			}
		}
		return nil
	}}
}

// Among runs f n times, distributed among concurrent clients, and returns the elapsed time.
func Among(clients, n int, f func(client int)) time.Duration {
	start := time.Now()
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() {
			for i := c; i < n; i += clients {
				f(c)
			}
		})
	}
	wg.Wait()
	return time.Since(start)
}
