package bolt

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"

	"marque/storage"
	"marque/storage/storagetest"
)

// Whatever an index has too many or too few of, Check says so, and that the rows of the tables lack one.
func TestCheckComparesEveryIndex(t *testing.T) {
	ctx := t.Context()
	whole := filepath.Join(t.TempDir(), "marque.db")
	s, err := Open(whole)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		h := create(t, s, opening("g", fmt.Sprint("c", i), "ann", "bob"))
		if i == 0 {
			continue // a lobby
		}
		c := next(h, 3)
		c.Head.ToMove, c.Head.Due, c.Head.Rematch = 1, []storage.Due{{Kind: "clock", At: 5000}}, 3
		if err := s.Commit(ctx, c); err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 {
			if err := s.Commit(ctx, ending(c.Head, 0)); err != nil {
				t.Fatal(err)
			}
			if err := s.MarkPublished(ctx, h.ID, c.Head.Version+1, "", storage.Tenure{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i, u := range []string{"ann", "bob", "cid"} {
		scores := []storage.Score{{Server: "g", Month: "2026-11", Solved: 3, First: i}, {Server: "h", Month: "2026-11", Solved: 1}}
		if err := s.ChangeUserSettings(ctx, u, storagetest.Set(map[string]any{"puzzles": map[string]any{"months": scores}})); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Check(ctx, whole); err != nil {
		t.Fatal(err)
	}
	if sums, err := agrees(whole); err != nil || !sums {
		t.Fatalf("the sums of a sound file are not equal (%v)", err)
	}
	raw, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	spoil := func(what string, f func(tx *bbolt.Tx) error) {
		t.Run(what, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "marque.db")
			if err := os.WriteFile(path, raw, 0o600); err != nil {
				t.Fatal(err)
			}
			db, err := bbolt.Open(path, 0o600, nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := db.Update(f); err != nil {
				t.Fatal(err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			if err := Check(ctx, path); err == nil {
				t.Error("it is called sound")
			} else if err := CheckValues(ctx, path); err != nil {
				t.Errorf("its values are not sound: %v", err)
			} else {
				t.Log(Check(ctx, path))
			}
			// By the sums alone, without the comparison that names what is wrong.
			if sums, err := agrees(path); err != nil || sums {
				t.Errorf("the sums are equal (%v)", err)
			}
		})
	}
	for _, bucket := range comparedBuckets {
		spoil(string(bucket)+" lacks one", func(tx *bbolt.Tx) error {
			k, _ := tx.Bucket(bucket).Cursor().First()
			if k == nil {
				t.Fatalf("%s is empty", bucket)
			}
			return tx.Bucket(bucket).Delete(bytes.Clone(k))
		})
		spoil(string(bucket)+" has another", func(tx *bbolt.Tx) error {
			k, v := tx.Bucket(bucket).Cursor().Last()
			k, v = bytes.Clone(k), bytes.Clone(v)
			if err := tx.Bucket(bucket).Delete(k); err != nil {
				return err
			}
			k[len(k)-1] ^= 0x40
			if len(v) > sealLen && v[0] == sealedFormat {
				v = seal(bucket, k, v[sealLen:])
			}
			return tx.Bucket(bucket).Put(k, v)
		})
	}
	for _, key := range [][]byte{eventKey(2, 0), eventKey(2, 2), eventKey(2, 3)} {
		spoil(fmt.Sprintf("event %d is missing", eventIndex(key)), func(tx *bbolt.Tx) error { return tx.Bucket(tableBucket).Delete(key) })
	}
	spoil("a head is missing", func(tx *bbolt.Tx) error { return tx.Bucket(tableBucket).Delete(headKey(3)) })
	spoil("a result is missing", func(tx *bbolt.Tx) error { return tx.Bucket(resultBucket).Delete(tableKey(3)) })
	spoil("numbers are given again", func(tx *bbolt.Tx) error { return tx.Bucket(tableBucket).SetSequence(2) })
	spoil("places are given again", func(tx *bbolt.Tx) error { return tx.Bucket(resultBucket).SetSequence(1) })
	spoil("a result of another mark", func(tx *bbolt.Tx) error {
		k, _ := tx.Bucket(userResults).Cursor().First()
		return tx.Bucket(userResults).Put(bytes.Clone(k), abandonedMark)
	})
}

// agrees reads a file by an agreement.
func agrees(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	pages, err := readPages(io.ReaderAt(f))
	if err != nil {
		return false, err
	}
	g := newAgreement(true, true)
	pages.fault = func(pageFault) { g.wrong = true }
	pages.bucket = func(name []byte, n uint64) { g.sequences[string(name)] = n }
	pages.row = func(bucket, key, value []byte) error { g.row(bucket, key, value); return nil }
	err = pages.walk()
	return g.holds(), err
}
