//go:build unix

package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"marque/storage/kv"
	"marque/storage/kv/postgres/postgrestest"
)

// What keeps a database from being opened is one sentence that says what to do, and never has the password.
func TestWhatKeepsADatabaseFromBeingOpened(t *testing.T) {
	s := server(t)
	ctx := context.Background()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	newer, older := database(t), database(t)
	change := func(url string, sql string, args ...any) {
		c, err := pgx.Connect(ctx, url)
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Exec(ctx, sql, args...)
		if err := errors.Join(err, c.Close(ctx)); err != nil {
			t.Fatal(err)
		}
	}
	e, err := Open(ctx, newer)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	change(newer, "UPDATE marque_pairs SET value = $1 WHERE key = $2", []byte{0, 0, 0, Schema + 1}, schemaKey)
	change(older, "CREATE TABLE marque_schema AS SELECT 6 AS version_id, true AS is_applied")
	const secret = "s3cret+of/the role"
	for _, sql := range []string{
		"CREATE ROLE poor LOGIN PASSWORD '" + secret + "'", "CREATE DATABASE others",
		"CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0",
	} {
		if err := s.Exec("postgres", sql); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		name, url, want string
		is              error
	}{
		{"a wrong password", s.URLOf("poor", "wr0ng+hush", "others"), "the password that the server knows", nil},
		{"a role that is not there", s.URLOf("nobody", "wr0ng+hush", "others"), "the password that the server knows", nil},
		{"a server that is down", fmt.Sprintf("postgres://poor:wr0ng+hush@127.0.0.1:%d/others", nobody), "start the server", nil},
		{"a server that is not known", "postgres://poor:wr0ng+hush@nowhere.invalid/others", "start the server, or name another one", nil},
		{"a database that is not there", s.URLOf("poor", secret, "missing"), "make the database", nil},
		{"a role without rights", s.URLOf("poor", secret, "others"), "let the role make tables there", nil},
		{"another encoding", s.URLOf("postgres", postgrestest.Password, "latin"), "ENCODING 'UTF8'", nil},
		{"a newer schema", newer, "run the newer version of marque", kv.ErrNewer},
		{"a schema of before", older, "commit " + lastOfBefore, kv.ErrOlder},
		{"no connection string", "postgres://poor:wr0ng%hush@127.0.0.1:%zz/", "postgres://user:password@host", nil},
	} {
		store, err := Open(ctx, tc.url)
		if err == nil {
			t.Errorf("%s: it was opened (%v)", tc.name, store.Close())
			continue
		}
		said := err.Error()
		t.Logf("%s: %s", tc.name, said)
		if !strings.Contains(said, tc.want) || tc.is != nil && !errors.Is(err, tc.is) || errors.As(err,
			new(*OpenError)) == false {
			t.Errorf("%s: %v, want %q in it", tc.name, err, tc.want)
		}
		if strings.Contains(said, "\n") {
			t.Errorf("%s: more than one line: %q", tc.name, said)
		}
		for _, hidden := range []string{"hush", secret, "s3cret", "file"} {
			if strings.Contains(fmt.Sprintf("%v %+v %#v", err, err, said), hidden) {
				t.Errorf("%s: %q shows %q", tc.name, said, hidden)
			}
		}
	}
}

// Who only looks makes no tables.
func TestPeekMakesNothing(t *testing.T) {
	url := database(t)
	for range 2 {
		if _, err := Peek(context.Background(), url); err == nil || !strings.Contains(err.Error(),
			"the first start of the bot makes it") {
			t.Errorf("a look at an empty database: %v", err)
		}
	}
}

// Opening again finds the schema as it is, and processes that open an empty database at once make it once.
func TestManyOpenAtOnce(t *testing.T) {
	url := database(t)
	const many = 4
	opened := make(chan error, many)
	for range many {
		go func() {
			s, err := Open(context.Background(), url)
			if err == nil {
				err = s.Close()
			}
			opened <- err
		}()
	}
	for range many {
		if err := <-opened; err != nil {
			t.Error(err)
		}
	}
	s, err := Peek(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
