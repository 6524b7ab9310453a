//go:build unix

package postgres

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"marque/storage/kv"
	"marque/storage/kv/kvtest"
	"marque/storage/kv/postgres/postgrestest"
)

// shared is the server of all tests that do not stop their server. It does not sync to disk, because no test crashes
// the machine.
var shared struct {
	once   sync.Once
	server *postgrestest.Server
	err    error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if shared.server != nil {
		shared.server.Close()
	}
	os.Exit(code)
}

// server returns the shared server. If PostgreSQL is not installed, it skips the test.
func server(t testing.TB) *postgrestest.Server {
	t.Helper()
	shared.once.Do(func() { shared.server, shared.err = postgrestest.New("fsync=off") })
	if errors.Is(shared.err, postgrestest.ErrMissing) {
		t.Skip("PostgreSQL is not installed (Debian: postgresql): skipped")
	}
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.server
}

// database returns the connection string of a new, empty database.
func database(t testing.TB) string {
	t.Helper()
	url, err := server(t).Database()
	if err != nil {
		t.Fatal(err)
	}
	return url
}

// opened returns an engine on a new database.
func opened(t testing.TB) *Engine {
	t.Helper()
	e, err := Open(context.Background(), database(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

// place returns a new database. Fence of the place makes a process the owner of a lease.
func place(t testing.TB) kvtest.Place {
	url := database(t)
	open := func() (*Engine, error) { return Open(context.Background(), url) }
	leases := func(f func(ctx context.Context, e *Engine) error) {
		e, err := open()
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		if err := f(context.Background(), e); err != nil {
			t.Fatal(err)
		}
	}
	return kvtest.Place{
		Open: func() (kv.Engine, error) { return open() },
		Fence: func() (fence kv.Fence) {
			leases(func(ctx context.Context, e *Engine) error {
				if _, err := e.Renew(ctx, "p", 2, time.Hour); err != nil {
					return err
				}
				term, err := e.Claim(ctx, "p", 1, time.Hour)
				fence = kv.Fence{Process: "p", Shard: 1, Term: term}
				return err
			})
			return fence
		},
		Lost: func(kv.Fence) {
			leases(func(ctx context.Context, e *Engine) error { return e.Leave(ctx, "p") })
		},
	}
}

// The database engine passes the tests that every engine must pass.
func TestEngine(t *testing.T) {
	server(t)
	kvtest.Run(t, place)
}
