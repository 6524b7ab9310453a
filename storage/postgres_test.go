//go:build unix

package storage_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"marque/storage"
	"marque/storage/kv"
	"marque/storage/kv/bolt"
	"marque/storage/kv/kvtest"
	"marque/storage/kv/postgres"
	"marque/storage/kv/postgres/postgrestest"
)

// server is shared by all tests in this file. It does not sync to disk, because no test crashes the machine.
var server = sync.OnceValues(func() (s *postgrestest.Server, err error) {
	s, err = postgrestest.New("fsync=off")
	running = s
	return s, err
})

var running *postgrestest.Server // nil until a test has asked for a server

func TestMain(m *testing.M) {
	code := m.Run()
	if running != nil {
		running.Close()
	}
	os.Exit(code)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// database returns the connection string of a new, empty database. If PostgreSQL is not installed, it skips the test.
func database(t testing.TB) string {
	t.Helper()
	s, err := server()
	if errors.Is(err, postgrestest.ErrMissing) {
		t.Skip("PostgreSQL is not installed (Debian: postgresql): skipped")
	}
	if err != nil {
		t.Fatal(err)
	}
	url, err := s.Database()
	if err != nil {
		t.Fatal(err)
	}
	return url
}

func inDatabase(t testing.TB) place {
	url := database(t)
	return place{Open: func() (kv.Engine, error) { return postgres.Open(context.Background(), url) }}
}

func TestDatabase(t *testing.T) {
	t.Parallel()
	runExercises(t, inDatabase)
}

// The databases in the folder releases are read as they were written, are sound and can be used. Their tables are those
// of a new database.
func TestReleasesAreReadOnAServer(t *testing.T) {
	ctx := t.Context()
	if url := database(t); *update {
		path := everythingAndWork(t)
		pack(t, path)
		from, err := bolt.OpenToRead(path)
		must(t, err)
		to, err := postgres.Open(ctx, url)
		must(t, err)
		s, err := storage.Peek(ctx, from)
		must(t, err)
		_, err = s.Move(ctx, to)
		must(t, errors.Join(err, s.Close(), to.Close()))
		dump, err := running.Dump(url)
		must(t, err)
		must(t, os.WriteFile(filepath.Join(releases, "next.sql.gz"), kvtest.Packed(dump), 0o644))
	}
	fresh := database(t)
	empty, err := postgres.Open(ctx, fresh)
	must(t, err)
	must(t, empty.Close())
	made := tablesOf(t, fresh)
	names, err := filepath.Glob(filepath.Join(releases, "*.sql.gz"))
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		name := strings.TrimSuffix(filepath.Base(name), ".sql.gz")
		t.Run(name, func(t *testing.T) {
			said, err := os.ReadFile(filepath.Join(releases, name+".txt"))
			must(t, err)
			dump, err := os.ReadFile(unpacked(t, name+".sql"))
			must(t, err)
			url := database(t)
			must(t, running.Exec(url[strings.LastIndex(url, "/")+1:strings.Index(url, "?")], string(dump)))
			e, err := postgres.Open(ctx, url)
			must(t, err)
			got, _ := readingsOf(t, e)
			if diff := cmp.Diff(strings.Split(strings.TrimSpace(string(said)), "\n"), got); diff != "" {
				t.Errorf("what %s stored is read as something else (-want +got):\n%s", name, diff)
			}
			if diff := cmp.Diff(made, tablesOf(t, url)); diff != "" {
				t.Errorf("the tables of %s differ from those of a new database (-new database +%s):\n%s", name, name, diff)
			}
			s, err := storage.Open(ctx, e)
			must(t, err)
			goesOn(t, s)
		})
	}
}

// tablesOf returns the tables of a database, with their columns and indexes.
func tablesOf(t *testing.T, url string) []string {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer c.Close(t.Context())
	rows, err := c.Query(t.Context(), "SELECT concat_ws(' ', table_name, column_name, data_type, collation_name, "+
		"is_nullable, column_default) FROM information_schema.columns WHERE table_schema = current_schema() "+
		"UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema() ORDER BY 1")
	must(t, err)
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, err)
	if len(list) == 0 {
		t.Fatal("the database has no tables")
	}
	return list
}

// A store that is moved from a file to a database and back to a file stays the same. The test covers every declared
// kind of value and unfinished jobs.
func TestMovedBothWays(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	url := database(t)
	from, err := bolt.Open(everythingAndWork(t))
	if err != nil {
		t.Fatal(err)
	}
	values, err := storage.Filled()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range values {
		set(t, from, c)
	}
	want, kinds := pairs(t, from), map[string]bool{}
	for space, list := range want {
		for _, p := range list {
			kinds[storage.KindOf(space, p.Key)] = true
		}
	}
	for _, kind := range storage.Kinds() {
		if !kinds[kind] {
			t.Errorf("there is nothing of the kind %q", kind)
		}
	}
	in, err := postgres.Open(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	back, err := bolt.Open(filepath.Join(t.TempDir(), "back.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer back.Close()
	var digests []storage.Digest
	for _, way := range [][2]kv.Engine{{from, in}, {in, back}} {
		s, err := storage.Peek(ctx, way[0])
		if err != nil {
			t.Fatal(err)
		}
		d, err := s.Move(ctx, way[1])
		if err := errors.Join(err, s.Close()); err != nil {
			t.Fatal(err)
		}
		digests = append(digests, d)
	}
	last, err := storage.DigestOf(ctx, back)
	if err != nil || digests[0] != digests[1] || digests[0] != last {
		t.Errorf("moved %+v and back %+v, and there is %+v, %v", digests[0], digests[1], last, err)
	}
	if diff := cmp.Diff(fmt.Sprintf("%q", want), fmt.Sprintf("%q", pairs(t, back))); diff != "" {
		t.Errorf("it is not the same (-want +got):\n%s", diff)
	}
	t.Logf("%d values of %d kinds, in %d spaces", last.Values, len(storage.Kinds()), len(want))
}

func TestHistoriesInADatabase(t *testing.T) {
	t.Parallel()
	runHistories(t, 4, inDatabase)
}

// If several processes may have the store open, a process that shuts down releases its jobs, so that the next process
// need not wait for them to time out.
func TestStopReleasesWork(t *testing.T) {
	t.Parallel()
	ctx, url := t.Context(), database(t)
	engine := func() kv.Engine {
		t.Helper()
		e, err := postgres.Open(ctx, url)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	stepped := make(chan struct{}, 1)
	first, err := storage.OpenPausing(ctx, engine(), func(ctx context.Context, _ time.Duration) {
		stepped <- struct{}{}
		<-ctx.Done()
	})
	if err != nil {
		t.Fatal(err)
	}
	onlooker, err := storage.Peek(ctx, engine())
	if err != nil {
		t.Fatal(err)
	}
	defer onlooker.Close()
	forgetting := []storage.Work{{Kind: storage.Forgetting, Of: "ann"}}
	if err := first.Forget(ctx, "ann", storage.Departed+"1"); err != nil {
		t.Fatal(err)
	}
	<-stepped
	if list, err := onlooker.Taken(ctx); err != nil || !slices.Equal(list, forgetting) {
		t.Fatalf("while a process does it, what is taken is %v, %v; want %v", list, err, forgetting)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if list, err := onlooker.Works(ctx); err != nil || !slices.Equal(list, forgetting) {
		t.Fatalf("when it has stopped, what is to be done is %v, %v; want %v", list, err, forgetting)
	}
	if list, err := onlooker.Taken(ctx); err != nil || len(list) > 0 {
		t.Errorf("when it has stopped, what is taken is %v, %v; want nothing", list, err)
	}
}

// BenchmarkMoveInDatabase compares durable moves with concurrent one-row updates in the same run, on a server that
// syncs to disk. row-x is the time of a move divided by that of an update.
func BenchmarkMoveInDatabase(b *testing.B) {
	s := postgrestest.Start(b)
	url, err := s.Database()
	if err != nil {
		b.Fatal(err)
	}
	engine, err := postgres.Open(b.Context(), url)
	if err != nil {
		b.Fatal(err)
	}
	store, err := storage.Open(b.Context(), engine)
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	const tables = 1000
	populate(b, store, tables)
	for _, writers := range []int{1, 64} {
		b.Run("writers="+strconv.Itoa(writers), func(b *testing.B) {
			p, rows := newPlayers(b, store, tables, writers), newRows(b, url, min(writers, 16))
			p.play(b, 20*writers) // warm up
			// Moves and updates alternate, so that changes in the disk's speed affect both. The result is the median.
			turn := 100 * min(writers, 8)
			var move, row []float64
			for n := b.N; n > 0 || len(move) < 5; n -= turn {
				move = append(move, p.play(b, turn).Seconds()/float64(turn))
				row = append(row, rows.update(b, turn).Seconds()/float64(turn))
			}
			b.ReportMetric(1e6*median(move), "move-us")
			b.ReportMetric(1e6*median(row), "row-us")
			b.ReportMetric(median(ratios(move, row)), "row-x")
		})
	}
}

// rows are connections, each of which updates its own row by key.
type rows []*pgx.Conn

func newRows(b *testing.B, url string, n int) (list rows) {
	for i := range n {
		c, err := pgx.Connect(b.Context(), url)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = c.Close(context.Background()) })
		_, err = c.Exec(b.Context(), "CREATE TABLE IF NOT EXISTS floor (id int PRIMARY KEY, value bytea)")
		if err == nil {
			_, err = c.Exec(b.Context(), "INSERT INTO floor VALUES ($1, '') ON CONFLICT DO NOTHING", i)
		}
		if err != nil {
			b.Fatal(err)
		}
		list = append(list, c)
	}
	return list
}

// update makes n updates, spread over all connections, and returns how long they took.
func (r rows) update(b *testing.B, n int) time.Duration {
	value := make([]byte, 600)
	var wg sync.WaitGroup
	start := time.Now()
	for i, c := range r {
		wg.Go(func() {
			for range n / len(r) {
				if _, err := c.Exec(context.Background(), "UPDATE floor SET value = $2 WHERE id = $1", i,
					value); err != nil {
					b.Error(err)
				}
			}
		})
	}
	wg.Wait()
	return time.Since(start)
}
