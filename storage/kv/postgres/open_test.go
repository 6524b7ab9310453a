//go:build unix

package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"

	"marque/storage/kv"
	"marque/storage/kv/postgres/postgrestest"
)

// The error for a database that cannot be opened is one sentence with advice, and does not contain the password.
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
	for _, sql := range [][2]string{
		{"CREATE ROLE poor LOGIN PASSWORD '" + secret + "'", "DROP ROLE poor"},
		{"CREATE DATABASE others", "DROP DATABASE others WITH (FORCE)"},
		{"CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0", "DROP DATABASE latin WITH (FORCE)"},
	} {
		if err := s.Exec("postgres", sql[0]); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Exec("postgres", sql[1]); err != nil {
				t.Errorf("%s: %v", sql[1], err)
			}
		})
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
		{"a schema of before", older, "name a new database", kv.ErrOlder},
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

// logIn lets a client log in to a pretended server, and answers the given number of statements. After that it sends
// nothing.
func logIn(c net.Conn, statements int) error {
	s := pgproto3.NewBackend(c, c)
	if _, err := s.ReceiveStartupMessage(); err != nil {
		return err
	}
	s.Send(&pgproto3.AuthenticationOk{})
	for range statements {
		s.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
		if err := s.Flush(); err != nil {
			return err
		}
		if _, err := s.Receive(); err != nil {
			return err
		}
		s.Send(&pgproto3.CommandComplete{CommandTag: []byte("SET")})
	}
	s.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	if err := s.Flush(); err != nil {
		return err
	}
	_, err := io.Copy(io.Discard, c)
	return err
}

// Open gives up on a server that stops answering after the login, whether at the first statement or at a later one.
func TestASilentServerIsGivenUp(t *testing.T) {
	t.Parallel()
	for statements := range 2 {
		synctest.Test(t, func(t *testing.T) {
			cfg, err := configure("postgres://ann:hush@127.0.0.1:5432/marque?sslmode=disable")
			if err != nil {
				t.Fatal(err)
			}
			cfg.ConnConfig.DialFunc = func(context.Context, string, string) (net.Conn, error) {
				time.Sleep(time.Millisecond) // as on a network, where a request to cancel arrives late
				client, server := net.Pipe()
				go func() { _ = errors.Join(logIn(server, statements), server.Close()) }()
				return client, nil
			}
			began := time.Now()
			_, err = openPool(t.Context(), cfg, true)
			took := time.Since(began)
			time.Sleep(time.Minute) // pgx is still trying to close the connection
			t.Logf("after %v: %v", took, err)
			if !errors.As(err, new(*OpenError)) || !strings.Contains(err.Error(), "does not answer") ||
				took > 2*openPatience { // including the attempt to close the connection
				t.Errorf("a server that is silent after %d statements: %v, after %v", statements, err, took)
			}
		})
	}
}

// Peek creates no tables.
func TestPeekMakesNothing(t *testing.T) {
	url := database(t)
	for range 2 {
		if _, err := Peek(context.Background(), url); err == nil || !strings.Contains(err.Error(),
			"the first start of the bot makes it") {
			t.Errorf("a look at an empty database: %v", err)
		}
	}
}

// Several processes can open an empty database at the same time. Afterwards, the database has its schema.
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
