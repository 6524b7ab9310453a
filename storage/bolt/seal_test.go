package bolt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"

	"go.etcd.io/bbolt"

	"marque/storage"
)

// oldFile is a file that was written by a program of schema 1: tables 1 to 12 of server g, all that can be stored, and nothing with a checksum.
func oldFile(t testing.TB) string {
	t.Helper()
	return unpack(t, versionFile(1))
}

// seals counts the values with and without a checksum in those buckets whose values should have one.
func seals(t testing.TB, s *Store) (with, without int) {
	t.Helper()
	err := s.view(t.Context(), func(tx *bbolt.Tx) error {
		for _, bucket := range sealedBuckets {
			err := tx.Bucket(bucket).ForEach(func(_, v []byte) error {
				if len(v) > 0 && v[0] == sealedFormat {
					with++
				} else {
					without++
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return with, without
}

// edit changes the file behind the store's back.
func edit(t testing.TB, path string, f func(tx *bbolt.Tx) error) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Update(f), db.Close()); err != nil {
		t.Fatal(err)
	}
}

// A file from before checksums opens, reads as it was, and gets them as values are written, and all of them by Compact.
func TestAnOldFileGetsItsChecksums(t *testing.T) {
	path := oldFile(t)
	s := idle(t, path)
	with, without := seals(t, s)
	if with != 1 || without < 80 { // the job that gives results their facts
		t.Fatalf("the old file has %d values with and %d without a checksum: the test does not test", with, without)
	}
	table, err := s.Load(t.Context(), 2)
	if err != nil || len(table.Events) != 4 || table.Events[3].Text != "take 3" {
		t.Fatalf("%+v, %v", table, err)
	}
	commit(t, s, next(table.Head, 2))
	if with, _ := seals(t, s); with != 4 { // two events and the head
		t.Errorf("a commit leaves %d values with a checksum, want 4", with)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Compact(path); err != nil {
		t.Fatal(err)
	}
	s = idle(t, path)
	now, none := seals(t, s)
	if now != with+without+2 || none != 0 {
		t.Errorf("after Compact %d values have a checksum and %d have none, want %d and 0", now, none, with+without+2)
	}
	finishJobs(t, s)
	// Lines of before do not say who has met whom.
	if _, err := s.Rebuild(t.Context()); err != nil {
		t.Error(err)
	}
	if err := s.Check(t.Context()); err != nil {
		t.Errorf("after Compact: %v", err)
	}
}

// A new file has checksums alone.
func TestEverythingIsSealed(t *testing.T) {
	s := openStore(t, filled(t, 10))
	with, without := seals(t, s)
	if t.Logf("%d values with a checksum", with); with == 0 || without != 0 {
		t.Errorf("%d values have a checksum, %d have none", with, without)
	}
	err := s.view(t.Context(), func(tx *bbolt.Tx) error {
		if !allSealed(tx) {
			t.Error("a new file does not say that all of it has checksums")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Every single byte of every value that is not what was written is noticed, by name, and so is a value under another's key.
func TestAChangedValueIsNoticed(t *testing.T) {
	path := filled(t, 4)
	type row struct{ bucket, key, value []byte }
	var rows []row
	edit(t, path, func(tx *bbolt.Tx) error {
		for _, bucket := range sealedBuckets {
			_ = tx.Bucket(bucket).ForEach(func(k, v []byte) error {
				rows = append(rows, row{bucket, bytes.Clone(k), bytes.Clone(v)})
				return nil
			})
		}
		return nil
	})
	flips, named := 0, map[string]bool{}
	for _, r := range rows {
		for i := range r.value {
			if i == 0 {
				continue // the format: it is Check that notices, see below
			}
			v := bytes.Clone(r.value)
			v[i] ^= 1 << (i % 8)
			flips++
			_, err := unseal(r.bucket, r.key, v)
			var e *storage.DamagedError
			if !errors.As(err, &e) || !errors.Is(err, storage.ErrDamaged) {
				t.Fatalf("%s %x: byte %d changed: %v", r.bucket, r.key, i, err)
			}
			named[e.What] = true
			if string(r.bucket) == "tables" && e.Table != storage.ID(binary.BigEndian.Uint64(r.key)) {
				t.Errorf("%v is said to be of table %d", e, e.Table)
			}
		}
	}
	for _, want := range []string{"the head of table 3", "event 2 of table 1", "the detail of table 4", "the result of table 1"} {
		if !named[want] {
			t.Errorf("nothing was called %q among %d names", want, len(named))
		}
	}
	for i, r := range rows[1:] {
		if _, err := unseal(r.bucket, r.key, rows[i].value); err == nil {
			t.Errorf("the value of %x is taken for that of %x", rows[i].key, r.key)
		}
	}
	t.Logf("%d changes at %d values", flips, len(rows))
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	formats := 0
	for _, r := range rows {
		if formats++; formats%7 != 0 {
			continue
		}
		other := file(t)
		if err := os.WriteFile(other, whole, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, format := range []byte{0, 1, sealedFormat ^ 4} {
			edit(t, other, func(tx *bbolt.Tx) error {
				v := slices.Clone(r.value)
				v[0] = format
				return tx.Bucket(r.bucket).Put(r.key, v)
			})
			s := openStore(t, other)
			_, what := whose(r.bucket, r.key)
			if err := s.Check(t.Context()); err == nil || !bytes.Contains(fmt.Append(nil, err), []byte(what)) {
				t.Errorf("%s written as format %d: %v", what, format, err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// allSealed reports whether every value of the file has a checksum.
func allSealed(tx *bbolt.Tx) bool {
	b := tx.Bucket(metaBucket)
	return b != nil && b.Get(sealedKey) != nil
}
