package bolt

import (
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"marque/storage/kv"
	"marque/storage/kv/kvtest"
)

// BenchmarkMove measures durable moves. floor-x is the time of a move divided by that of a commit simulated in a plain
// file (kvtest.Floor); it is the median of alternating measurements.
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
			if err := d.Update(b.Context(), kvtest.Tables(tables, 3)); err != nil {
				b.Fatal(err)
			}
			f := kvtest.NewFloor(b)
			next := make([]int, writers)
			play := func(n int) time.Duration {
				return kvtest.Among(writers, n, func(w int) {
					next[w]++
					if err := d.Update(b.Context(), kvtest.Move((w*tables/writers+next[w])%tables,
						3+next[w])); err != nil {
						b.Error(err)
					}
				})
			}
			play(200) // warm up
			var moves, grounds, ratios []float64
			for n := b.N; n > 0 || len(moves) < 3; n -= turn {
				many := turn * min(writers, 8)
				moves = append(moves, play(many).Seconds()/float64(many))
				grounds = append(grounds, f.Commit(b, turn).Seconds()/turn)
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
