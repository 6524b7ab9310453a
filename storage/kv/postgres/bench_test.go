//go:build unix

package postgres

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"marque/storage/kv"
	"marque/storage/kv/kvtest"
	"marque/storage/kv/postgres/postgrestest"
)

// BenchmarkDurableMove compares moves with one-row updates through the same pool, alternately. "ratio" is the time of a
// move divided by that of an update. "ratio/p50" is the median of these ratios, which other load on the machine hardly
// changes.
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
	if err := d.Update(ctx, kvtest.Tables(tables, 3)); err != nil {
		b.Fatal(err)
	}
	for _, sql := range []string{
		"CREATE TABLE one (id bigint PRIMARY KEY, n bigint NOT NULL)",
		"INSERT INTO one SELECT g, 0 FROM generate_series(1, 64) g",
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
				if err := d.Update(ctx, kvtest.Move(c, next[c])); err != nil {
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
				one := kvtest.Among(clients, n, update)
				other := kvtest.Among(clients, n, play)
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
