//go:build unix

package postgres

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"marque/storage"
	"marque/storage/postgres/postgrestest"
)

// filled is a store with n tables of three moves each, and one row to be updated for each of 64 clients.
func filled(b *testing.B, srv *postgrestest.Server, n int) *Store {
	b.Helper()
	ctx := context.Background()
	url, err := srv.Database()
	if err != nil {
		b.Fatal(err)
	}
	s, err := Open(ctx, url)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	c := opening("1180000000000000001", "1380000000000000001", "1480000000000000001")
	c.Head.ID = 1
	args, err := commitArgs(c)
	if err != nil {
		b.Fatal(err)
	}
	// The checksums are of table 1: a move does not read the head before it.
	for _, sql := range []string{
		`INSERT INTO tables (id, version, events, head, listing, slot, pending) SELECT g, 1, 3, $1, $2, 0, false FROM generate_series(1, $3::bigint) g`,
		`INSERT INTO events (table_id, version, number, value) SELECT g, 1, k, $1 FROM generate_series(1, $3::bigint) g, generate_series(0, 2) k WHERE $2::bigint IS NOT NULL`,
		`INSERT INTO listings SELECT g, g % 5000, g, 'pirat', 1, false, false, 0 FROM generate_series(1, $3::bigint) g WHERE $1::bytea IS NOT NULL AND $2::bigint IS NOT NULL`,
	} {
		if _, err := s.pool.Exec(ctx, sql, args[3], args[12], n); err != nil {
			b.Fatal(err)
		}
	}
	for _, sql := range []string{
		"CREATE TABLE one (id bigint PRIMARY KEY, n bigint NOT NULL)", "INSERT INTO one SELECT g, 0 FROM generate_series(1, 64) g",
		"ANALYZE", "CHECKPOINT",
	} {
		if _, err := s.pool.Exec(ctx, sql); err != nil {
			b.Fatal(err)
		}
	}
	return s
}

// mover makes moves at a table of its own.
type mover struct {
	s    *Store
	head storage.Head
	n    int
}

func newMover(s *Store, table, i int) *mover {
	h := opening("1180000000000000001", "1380000000000000001", "1480000000000000001").Head
	h.ID, h.Events, h.Status, h.Digest = storage.ID(table), 3, storage.Playing, "0123456789abcdef0123456789abcdef"
	h.Changed = storage.At(time.Now())
	return &mover{s: s, head: h, n: i}
}

func (m *mover) move(b *testing.B) {
	c := next(m.head)
	c.Head.ToMove = 1 - max(0, m.head.ToMove)
	c.Head.Timing.Turn = m.head.Changed + storage.Stamp(c.Head.Version)
	c.Head.Due = []storage.Due{{Kind: "remind", At: c.Head.Timing.Turn + 86_400_000}}
	c.Key = fmt.Sprintf("%d-%d", m.n, c.Head.Version)
	if err := m.s.Commit(context.Background(), c); err != nil {
		b.Error(err)
		return
	}
	m.head = c.Head
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

// BenchmarkDurableMove is a move beside a one-row update through the same pool, in turns: "ratio" is the time of a move in times of an
// update, "ratio/p50" the median of that over the turns, which a machine that does other things now and then does not change.
func BenchmarkDurableMove(b *testing.B) {
	s := filled(b, postgrestest.Start(b), 1000)
	for _, clients := range []int{1, 64} {
		b.Run(fmt.Sprint(clients), func(b *testing.B) {
			movers := make([]*mover, clients)
			for i := range movers {
				m := newMover(s, i+1+clients, i)
				var err error
				if err = s.pool.QueryRow(context.Background(), "SELECT version, events FROM tables WHERE id = $1", m.head.ID).Scan(&m.head.Version, &m.head.Events); err != nil {
					b.Fatal(err)
				}
				movers[i] = m
			}
			update := func(c int) {
				if _, err := s.pool.Exec(context.Background(), "UPDATE one SET n = n + 1 WHERE id = $1", c+1); err != nil {
					b.Error(err)
				}
			}
			var moves, updates time.Duration
			var ratios []float64
			const slice = 640
			for done := 0; done < b.N; done += slice {
				n := min(slice, b.N-done)
				one := each(clients, n, update)
				other := each(clients, n, func(c int) { movers[c].move(b) })
				updates, moves = updates+one, moves+other
				ratios = append(ratios, float64(other)/float64(one))
			}
			slices.Sort(ratios)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(moves.Microseconds())/float64(b.N), "µs/move")
			b.ReportMetric(float64(updates.Microseconds())/float64(b.N), "µs/update")
			b.ReportMetric(float64(moves)/float64(updates), "ratio")
			b.ReportMetric(ratios[len(ratios)/2], "ratio/p50")
		})
	}
}

// BenchmarkMoveAmongMany is a move among a thousand tables and among a million, in turns: "ratio" is the time among the
// million in times of that among the thousand. The databases are filled in half a minute where nothing else is done.
func BenchmarkMoveAmongMany(b *testing.B) {
	srv := postgrestest.Start(b)
	few, many := filled(b, srv, 1000), filled(b, srv, 1_000_000)
	var movers [2][]*mover
	const tables = 500
	for i := range tables {
		movers[0] = append(movers[0], newMover(few, i+1, i))
		movers[1] = append(movers[1], newMover(many, 1+i*1999, i))
	}
	b.Run("1", func(b *testing.B) { // once filled, they serve all runs
		var took [2]time.Duration
		for done, slice := 0, 100; done < b.N; done += slice {
			n := min(slice, b.N-done)
			for side := range took {
				at := done
				took[side] += each(1, n, func(int) { movers[side][at%tables].move(b); at++ })
			}
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(float64(took[0].Microseconds())/float64(b.N), "µs/few")
		b.ReportMetric(float64(took[1].Microseconds())/float64(b.N), "µs/many")
		b.ReportMetric(float64(took[1])/float64(took[0]), "ratio")
	})
}
