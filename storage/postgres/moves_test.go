//go:build unix

package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"marque/storage"
)

// What stands in databases compares with what programs of every version make of a table.
func TestTheDigestOfAListingIsThatOfEarlierPrograms(t *testing.T) {
	for _, tc := range []struct {
		of   listing
		want int64
	}{
		{listing{users: []string{}}, 4942673876481509043},
		{listing{guild: "g", channel: "c", game: "pirat", status: 2, paused: true, rematch: -7, users: []string{"u"}}, 2036602066803506183},
		{listing{guild: "g\"\\", channel: "\x00\u2028", game: "é\xff", status: 1, over: true, rematch: 1 << 40, users: []string{"a b", "c] ["}}, 1681960514203993691},
	} {
		if got := tc.of.digest(); got != tc.want {
			t.Errorf("the digest of %+v is %d, want %d", tc.of, got, tc.want)
		}
	}
}

// A table of a database of schema 5 is found by whose turn it is and by what falls due as before, also after a program of that
// schema has moved there, and by who moves now.
func TestADatabaseOfSchemaFiveFindsItsTables(t *testing.T) {
	ctx := t.Context()
	url := emptyDatabase(t)
	d, err := connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	files, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		t.Fatal(err)
	}
	db := stdlib.OpenDBFromPool(d.pool)
	m, err := goose.NewProvider(goose.DialectPostgres, db, files, goose.WithTableName(versions), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.UpTo(ctx, 5); err != nil {
		t.Fatal(err)
	}
	old := quietStore(d)
	moved := func(h storage.Head, due storage.Stamp) storage.Change {
		c := next(h)
		c.Head.ToMove = 0
		c.Head.Timing.Turn = storage.Stamp(c.Head.Version)
		c.Head.Due = []storage.Due{{Kind: "remind", At: due}}
		return c
	}
	byFunction := func(s *Store, c storage.Change) {
		t.Helper()
		args, err := commitArgs(c)
		if err != nil {
			t.Fatal(err)
		}
		var answer int
		if err := s.pool.QueryRow(ctx, commitSQL, args...).Scan(&answer); err != nil || answer != committed {
			t.Fatalf("commit_change: %d, %v", answer, err)
		}
	}
	c := opening("1180000000000000001", "1380000000000000001", "1480000000000000001")
	if c.Head.ID, err = old.Create(ctx, c); err != nil {
		t.Fatal(err)
	}
	c = moved(c.Head, 700_000)
	byFunction(old, c)
	if err := errors.Join(db.Close(), old.Close()); err != nil {
		t.Fatal(err)
	}

	s, err := Open(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(s.Check(context.Background()), s.Close()); err != nil {
			t.Error(err)
		}
	}()
	found := func(what string) {
		t.Helper()
		h := c.Head
		turns, err := s.Turns(ctx, h.Seats[h.ToMove].User, 10)
		if want := []storage.Turn{{Table: h.ID, Guild: h.Guild, Since: h.Timing.Turn}}; err != nil || !slices.Equal(turns, want) {
			t.Errorf("%s: the turns are %+v (%v), want %+v", what, turns, err, want)
		}
		for at, want := range map[storage.Stamp][]storage.DueTable{
			h.Due[0].At - 1: nil, h.Due[0].At: {{Table: h.ID, Due: h.Due[0]}}, h.Due[0].At + 1_000_000: {{Table: h.ID, Due: h.Due[0]}},
		} {
			got, err := s.DueUntil(ctx, at, 10)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%s: due until %d: %v\n%s", what, at, err, diff)
			}
		}
	}
	found("brought up to date")
	c = moved(c.Head, 1_200_000)
	byFunction(s, c)
	found("after the version before has moved")
	c = moved(c.Head, 599_999)
	if err := s.Commit(ctx, c); err != nil {
		t.Fatal(err)
	}
	found("after a move")
}

// A table at which they play on and on does not keep the keys of all its commands.
func TestOldKeysOfMovesAreRemoved(t *testing.T) {
	ctx := t.Context()
	s := opened(t)
	c := opening("1180000000000000001", "1380000000000000001", "1480000000000000001")
	var err error
	if c.Head.ID, err = s.Create(ctx, c); err != nil {
		t.Fatal(err)
	}
	kept := func() (n int) {
		t.Helper()
		if err := s.pool.QueryRow(ctx, "SELECT count(*) FROM commands WHERE table_id = $1", c.Head.ID).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	most := 0
	for range 5 * tidied {
		c = next(c.Head)
		c.Head.Changed += storage.Stamp(storage.KeyKept.Milliseconds())
		c.Key = fmt.Sprint("move ", c.Head.Version)
		if err := s.Commit(ctx, c); err != nil {
			t.Fatal(err)
		}
		most = max(most, kept())
	}
	t.Logf("of the keys of %d moves %d are kept, and %d at most", 5*tidied, kept(), most)
	if most > 2*tidied {
		t.Errorf("%d keys were kept at once, want no more than %d", most, 2*tidied)
	}
}
