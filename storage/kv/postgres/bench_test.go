//go:build unix

package postgres

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"marque/storage/kv"
	"marque/storage/kv/postgres/postgrestest"
)

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

// each runs f n times, shared among clients, and returns how long that took.
func each(clients, n int, f func(client int)) time.Duration {
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

// BenchmarkDurableMove is a move beside a one-row update through the same pool, in turns: "ratio" is the time of a move in
// times of an update, "ratio/p50" the median of that over the turns, which a machine that does other things now and then does
// not change.
func BenchmarkDurableMove(b *testing.B) {
	url, err := postgrestest.Start(b).Database()
	if err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	e, err := Open(ctx, url)
	if err != nil {
		b.Fatal(err)
	}
	d := kv.New(e)
	defer d.Close()
	const tables = 1000
	err = d.Update(ctx, kv.Work{Run: func(w kv.Writer) error {
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
	for _, sql := range []string{
		"CREATE TABLE one (id bigint PRIMARY KEY, n bigint NOT NULL)", "INSERT INTO one SELECT g, 0 FROM generate_series(1, 64) g",
		"ANALYZE", "CHECKPOINT",
	} {
		if _, err := e.pool.Exec(ctx, sql); err != nil {
			b.Fatal(err)
		}
	}
	version := 3
	for _, clients := range []int{1, 64} {
		b.Run(fmt.Sprint(clients), func(b *testing.B) {
			next := make([]int, clients)
			for i := range next {
				next[i] = version
			}
			update := func(c int) {
				if _, err := e.pool.Exec(ctx, "UPDATE one SET n = n + 1 WHERE id = $1", c+1); err != nil {
					b.Error(err)
				}
			}
			play := func(c int) {
				next[c]++
				if err := d.Update(ctx, move(c, next[c])); err != nil {
					b.Error(err)
				}
			}
			var moves, updates time.Duration
			var ratios []float64
			works, groups := 0, 0
			d.Observe(func(_ time.Duration, n int, _ error) { works, groups = works+n, groups+1 })
			const slice = 640
			for done := 0; done < b.N; done += slice {
				n := min(slice, b.N-done)
				one := each(clients, n, update)
				other := each(clients, n, play)
				updates, moves = updates+one, moves+other
				ratios = append(ratios, float64(other)/float64(one))
			}
			version = slices.Max(next)
			slices.Sort(ratios)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(moves.Microseconds())/float64(b.N), "µs/move")
			b.ReportMetric(float64(updates.Microseconds())/float64(b.N), "µs/update")
			b.ReportMetric(float64(moves)/float64(updates), "ratio")
			b.ReportMetric(ratios[len(ratios)/2], "ratio/p50")
			b.ReportMetric(float64(works)/float64(groups), "works/group")
		})
	}
}
