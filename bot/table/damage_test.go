package table_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"marque/bot/table"
	"marque/storage"
)

// harm changes a byte of a table's stored value, as a failing disk could. It picks the last row whose key begins with
// the table's number followed by row.
func harm(t *testing.T, path string, id storage.ID, row ...byte) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.Update(func(tx *bbolt.Tx) error {
		b := tx.Bucket([]byte("tables"))
		prefix := append(binary.BigEndian.AppendUint64(nil, uint64(id)), row...)
		var key, value []byte
		c := b.Cursor()
		for k, v := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, v = c.Next() {
			key, value = bytes.Clone(k), bytes.Clone(v)
		}
		if key == nil {
			t.Fatalf("table %d has no row %x", id, row)
		}
		value[len(value)-1] ^= 1
		return b.Put(key, value)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A table with damaged data is frozen, with a message for the player and a log entry for the operator. Other tables are
// not affected.
func TestDamageFreezesOneTable(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		row  []byte
		said string
	}{{"the head", []byte{0}, "the head of table 1"}, {"an event", []byte{3}, "event 2 of table 1"}} {
		t.Run(tc.name, func(t *testing.T) {
			ctx, ok, s := t.Context(), must(t), ashore(t)
			s.path = filepath.Join(t.TempDir(), "marque.db")
			s.launch(table.Config{})
			bad, good := started(s, "ann", "bob"), started(s, "ann", "cid")
			s.sink()
			harm(t, s.path, bad.ID, tc.row...)
			var log strings.Builder
			s.launch(table.Config{})
			if err := s.Service.Close(ctx); err != nil {
				t.Fatal(err)
			}
			s.Service = table.New(table.Config{Store: s.store, Games: find,
				Log: slog.New(slog.NewTextHandler(&log, nil))})
			defer s.sink()
			_, err := s.Move(ctx, s.as(bad.Mover()), bad.ID, "take 1", 0)
			var frozen *table.FrozenError
			if !errors.As(err, &frozen) || frozen.Table != bad.ID || !errors.Is(err, storage.ErrDamaged) {
				t.Fatalf("%T %v, want a *FrozenError of table %d", err, err, bad.ID)
			}
			if got := frozen.Text().ID; got != "table.error.damaged" {
				t.Errorf("the player is told %q", got)
			}
			if said := log.String(); !strings.Contains(said, "level=ERROR") || !strings.Contains(said,
				"database repair") || !strings.Contains(said, tc.said) {
				t.Errorf("the operator is told %q", said)
			}
			ok(s.Move(ctx, s.as(good.Mover()), good.ID, "take 1", good.Version))
			heads, err := s.Lookup.ByUser(ctx, "ann", storage.Active, 0, 10)
			if err != nil || len(heads) == 0 || heads[len(heads)-1].ID != good.ID {
				t.Errorf("ann's tables are %v, %v, want table %d among them", heads, err, good.ID)
			}
			t.Log(err, frozen)
		})
	}
}
