package main

import (
	"encoding/binary"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"marque/bot/table"
	"marque/games/catalog"
)

// A game with a damaged move continues from the same position after a repair, if a copy has the move. If no copy has
// it, the repair changes nothing unless --without is given. Each failed command prints one line.
func TestDatabaseRepair(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env := settings(dir)
	try := func(code int, want string, args ...string) {
		t.Helper()
		got, out, errs := saidIn(t, env, append([]string{"database"}, args...)...)
		if got != code || !strings.Contains(out+errs, want) || strings.Count(errs, "\n") > 1 {
			t.Errorf("database %v: exit code %d, %q and %q, want %d and something with %q", args, got, out, errs, code,
				want)
		}
	}
	try(1, "there is no database", "repair")
	database, copies := filepath.Join(dir, "local.db"), filepath.Join(dir, "copies")
	open := func() (keeper, *table.Service) {
		t.Helper()
		store, err := openFile(t.Context(), database)
		if err != nil {
			t.Fatal(err)
		}
		return store, table.New(table.Config{Store: store, Games: catalog.Find, Log: slog.New(slog.DiscardHandler)})
	}
	store, svc := open()
	snap := begin(t, svc, "loyal-captain", 6)
	if err := newCopies(store, database, copies, slog.New(slog.DiscardHandler)).look(t.Context(),
		snap.Opened.Time()); err != nil {
		t.Fatal(err)
	}
	more := begin(t, svc, "pirat", 3) // not in any copy
	try(1, "in use by another process", "repair")
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	try(0, "nothing to repair", "repair")
	damage := func(id table.ID) {
		t.Helper()
		db, err := bbolt.Open(database, 0o600, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		err = db.Update(func(tx *bbolt.Tx) error {
			c := tx.Bucket([]byte("tables")).Cursor()
			k, v := c.Seek(append(binary.BigEndian.AppendUint64(nil, uint64(id)), 3, 0, 0, 0, 4))
			v = slices.Clone(v)
			v[len(v)-1] ^= 1
			return tx.Bucket([]byte("tables")).Put(k, v)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	damage(snap.ID)
	try(1, "event 4 of table 1", "check")
	try(1, "nothing was changed", "repair")
	try(1, "there is no file", "repair", "--from", filepath.Join(dir, "none.db"))
	env = append(env, "MARQUE_BACKUPS="+copies)
	try(0, "table 1 is taken from", "repair")
	try(0, "is sound", "check")
	store, svc = open()
	again, err := svc.Lookup.Snapshot(t.Context(), snap.ID)
	if err != nil || again.Digest != snap.Digest || again.Plays != snap.Plays {
		t.Errorf("the game after the repair: %v, %+v, want %+v", err, again, snap.Head)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	damage(more.ID)
	try(1, "table 2", "repair")
	try(0, "it is gone", "repair", "--without")
	left, _ := filepath.Glob(database + ".damaged-*")
	if names, err := os.ReadDir(copies); err != nil || len(names) != 1 || len(left) == 0 {
		t.Errorf("copies %v (%v), damaged files %v", names, err, left)
	}
}
