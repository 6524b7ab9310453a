//go:build unix

package postgres

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"marque/storage"
	"marque/storage/postgres/postgrestest"
	"marque/storage/storagetest"
)

// shared is the server of all tests that do not stop it. No machine fails under them, so it does not wait for its disk.
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

// server is the shared server; where PostgreSQL is not installed the test is skipped.
func server(t testing.TB) *postgrestest.Server {
	t.Helper()
	shared.once.Do(func() { shared.server, shared.err = postgrestest.New("fsync=off") })
	if shared.err == postgrestest.ErrMissing {
		t.Skip("PostgreSQL is not installed (Debian: postgresql): skipped")
	}
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.server
}

// emptyDatabase is the connection string of an empty database.
func emptyDatabase(t testing.TB) string {
	t.Helper()
	url, err := server(t).Database()
	if err != nil {
		t.Fatal(err)
	}
	return url
}

// newDatabase is the connection string of a database of this program's schema with nothing in it. Making one of a template saves the migrations.
func newDatabase(t testing.TB) string {
	t.Helper()
	url, err := server(t).Like(func(url string) error {
		s, err := Open(context.Background(), url)
		if err != nil {
			return err
		}
		return s.Close()
	})
	if err != nil {
		t.Fatal(err)
	}
	return url
}

// opened is a store in a database of its own.
func opened(t testing.TB) *Store {
	t.Helper()
	s, err := Open(context.Background(), newDatabase(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestEngine has the engine do the exercises of all engines.
func TestEngine(t *testing.T) {
	server(t)
	storagetest.Run(t, place)
}

func place(t testing.TB) storagetest.Place {
	url := newDatabase(t)
	return storagetest.Place{
		Open:  func() (storage.Engine, error) { return Open(context.Background(), url) },
		Holds: func(text string) (bool, error) { return holds(url, text) },
	}
}

// holds reports whether text stands anywhere in a database.
func holds(url, text string) (bool, error) {
	ctx := context.Background()
	c, err := pgx.Connect(ctx, url)
	if err != nil {
		return false, err
	}
	defer c.Close(ctx)
	rows, err := c.Query(ctx, "SELECT table_name::text, column_name::text, data_type::text FROM information_schema.columns WHERE table_schema = 'public'")
	if err != nil {
		return false, err
	}
	type column struct{ Table, Name, Kind string }
	columns, err := pgx.CollectRows(rows, pgx.RowToStructByPos[column])
	if err != nil {
		return false, err
	}
	for _, col := range columns {
		test := fmt.Sprintf("position($1 IN %s::text) > 0", col.Name)
		var arg any = text
		if col.Kind == "bytea" {
			test, arg = fmt.Sprintf("position($1::bytea IN %s) > 0", col.Name), []byte(text)
		}
		var found bool
		if err := c.QueryRow(ctx, fmt.Sprintf("SELECT EXISTS (SELECT FROM %s WHERE %s)", col.Table, test), arg).Scan(&found); err != nil || found {
			return found, err
		}
	}
	return false, nil
}

// TestTheStoreIsTheModel has the engine and the store in memory live through the same random histories.
func TestTheStoreIsTheModel(t *testing.T) {
	server(t)
	storagetest.Compare(t, 12, place, storagetest.Memory)
}
