package bolt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"

	"marque/storage"
)

// filled writes a file with some tables and closes it.
func filled(t testing.TB, tables int) string {
	t.Helper()
	path := file(t)
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	s.db.NoSync = true // power failures are another test's
	for i := range tables {
		h := create(t, s, opening("g", fmt.Sprint("c", i%7), fmt.Sprint("u", i), fmt.Sprint("v", i)))
		h = commit(t, s, next(h, 3))
		if i%2 == 0 {
			commit(t, s, ending(h, 0))
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// Whatever keeps the file from opening is one sentence that says what to do.
func TestFilesThatCannotBeOpened(t *testing.T) {
	root := os.Geteuid() == 0
	for _, tc := range []struct {
		name   string
		make   func(t *testing.T) string
		want   error
		advice string
		root   bool // root is not kept out by permissions
	}{
		{"a second instance", func(t *testing.T) string {
			path := file(t)
			openStore(t, path)
			return path
		}, storage.ErrLocked, "stop the other marque", false},
		{"no folder", func(t *testing.T) string { return filepath.Join(t.TempDir(), "none", "m.db") }, fs.ErrNotExist, "make the folder", false},
		{"a folder", func(t *testing.T) string { return t.TempDir() }, nil, "name a file in it", false},
		{"a read-only folder", func(t *testing.T) string {
			dir := t.TempDir()
			if err := os.Chmod(dir, 0o500); err != nil {
				t.Fatal(err)
			}
			return filepath.Join(dir, "m.db")
		}, fs.ErrPermission, "read and write", true},
		{"a read-only file", func(t *testing.T) string {
			path := filled(t, 1)
			if err := os.Chmod(path, 0o400); err != nil {
				t.Fatal(err)
			}
			return path
		}, fs.ErrPermission, "read and write", true},
		{"a text file", func(t *testing.T) string {
			path := file(t)
			if err := os.WriteFile(path, []byte(strings.Repeat("ahoy ", 5000)), 0o600); err != nil {
				t.Fatal(err)
			}
			return path
		}, storage.ErrDamaged, "restore", false},
		{"a file cut short", func(t *testing.T) string {
			path := filled(t, 50)
			if err := os.Truncate(path, 3*4096); err != nil {
				t.Fatal(err)
			}
			return path
		}, storage.ErrDamaged, "restore", false},
		{"another program's bbolt file", func(t *testing.T) string {
			path := file(t)
			db, err := bbolt.Open(path, 0o600, nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := db.Update(func(tx *bbolt.Tx) error { _, err := tx.CreateBucket([]byte("theirs")); return err }); err != nil {
				t.Fatal(err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			return path
		}, storage.ErrDamaged, "name another file", false},
		{"a file from the future", func(t *testing.T) string {
			path := filled(t, 1)
			setSchema(t, path, uint32(len(schema)+1))
			return path
		}, storage.ErrNewer, "newer version of marque", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.root && root {
				t.Skip("root may write everywhere")
			}
			path := tc.make(t)
			before, _ := os.ReadFile(path)
			s, err := Open(path)
			if err == nil {
				_ = s.Close()
				t.Fatal("it was opened")
			}
			var e *FileError
			if !errors.As(err, &e) || tc.want != nil && !errors.Is(err, tc.want) {
				t.Fatalf("%T %v, want a *FileError of %v", err, err, tc.want)
			}
			if !strings.Contains(err.Error(), tc.advice) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q does not say %q in one line", err, tc.advice)
			}
			if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
				t.Error("the file was changed")
			}
		})
	}
}

func setSchema(t *testing.T, path string, version uint32) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		return tx.Bucket(metaBucket).Put(schemaKey, binary.BigEndian.AppendUint32(nil, version))
	})
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

// Whatever bytes are damaged, opening and reading return errors and never panic.
func TestDamagedBytesNeverPanic(t *testing.T) {
	path := filled(t, 40)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	used := 0 // the file is longer than what it holds
	s := openStore(t, path)
	if err := s.view(t.Context(), func(tx *bbolt.Tx) error { used = int(tx.Size()); return nil }); err != nil {
		t.Fatal(err)
	}
	whole = whole[:used]
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)
	dir := t.TempDir()
	refused, unread, fine := 0, 0, 0
	for i := range 150 {
		// A file of its own each: bbolt keeps its lock for the life of the process when it panics on opening.
		path := filepath.Join(dir, fmt.Sprint(i))
		b := bytes.Clone(whole)
		switch at := rng.IntN(used); rng.IntN(3) {
		case 0:
			b = b[:at]
		case 1:
			for i := at; i < min(at+1+rng.IntN(64), used); i++ {
				b[i] = byte(rng.Uint32())
			}
		case 2:
			clear(b[at&^4095 : at&^4095+4096])
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(path)
		var e *FileError
		switch {
		case err != nil && !errors.As(err, &e):
			t.Fatalf("%T %v is no *FileError", err, err)
		case err != nil:
			refused++
			continue
		}
		bad := false
		for id := storage.ID(1); id <= 40; id++ {
			if _, err := s.Load(t.Context(), id); err != nil {
				bad = true
				if !errors.Is(err, storage.ErrDamaged) && !errors.Is(err, storage.ErrNoTable) {
					t.Errorf("reading table %d: %v", id, err)
				}
			}
		}
		if bad {
			unread++
		} else {
			fine++
		}
		if err := s.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	}
	t.Logf("%d refused on opening, %d with tables that cannot be read, %d without harm to a table", refused, unread, fine)
	if refused == 0 || unread == 0 {
		t.Error("the damage was never noticed: the test does not test")
	}
}

// steps are schema versions of a step each.
func steps(runs ...func(*bbolt.Tx) error) (versions [][]step) {
	for _, run := range runs {
		versions = append(versions, []step{{"a test", run}})
	}
	return versions
}

// An older file is copied aside and brought up to date step by step; a step that fails leaves it as it was.
func TestMigrations(t *testing.T) {
	path := file(t)
	one := func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucket([]byte("tables"))
		if err != nil {
			return err
		}
		return b.Put([]byte("1"), []byte("loyal"))
	}
	old, err := open(path, steps(one))
	if err != nil {
		t.Fatal(err)
	}
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	grow := func(suffix string) func(*bbolt.Tx) error {
		return func(tx *bbolt.Tx) error {
			b := tx.Bucket([]byte("tables"))
			return b.Put([]byte("1"), append(bytes.Clone(b.Get([]byte("1"))), suffix...))
		}
	}
	value := func(path string) string {
		t.Helper()
		db, err := bbolt.Open(path, 0o600, nil)
		if err != nil {
			t.Fatal(err)
		}
		var v string
		err = db.View(func(tx *bbolt.Tx) error {
			v = fmt.Sprintf("%s at schema %d", tx.Bucket([]byte("tables")).Get([]byte("1")), binary.BigEndian.Uint32(tx.Bucket(metaBucket).Get(schemaKey)))
			return nil
		})
		if err = errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
		return v
	}
	boom := errors.New("boom")
	if _, err := open(path, steps(one, grow("-2"), func(*bbolt.Tx) error { return boom })); !errors.Is(err, boom) {
		t.Fatalf("a step that fails: %v", err)
	}
	if got := value(path); got != "loyal at schema 1" {
		t.Errorf("after a step that failed: %s", got)
	}
	s, err := open(path, steps(one, grow("-2"), grow("-3")))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got := value(path); got != "loyal-2-3 at schema 3" {
		t.Errorf("brought up to date: %s", got)
	}
	if got := value(path + ".v1"); got != "loyal at schema 1" {
		t.Errorf("the copy that was made before: %s", got)
	}
	if _, err := open(path, steps(one)); !errors.Is(err, storage.ErrNewer) {
		t.Errorf("the old program opens the new file: %v, want %v", err, storage.ErrNewer)
	}
}

func TestBackupIsAWholeStore(t *testing.T) {
	s := openStore(t, filled(t, 30))
	copied := file(t)
	f, err := os.Create(copied)
	if err != nil {
		t.Fatal(err)
	}
	n, err := s.Backup(t.Context(), f)
	if err = errors.Join(err, f.Close()); err != nil || n == 0 {
		t.Fatalf("%d bytes, %v", n, err)
	}
	commit(t, s, next(mustHead(t, s, 2), 1)) // after the backup
	same(t, openStore(t, copied), s, 30, 2)
}

func TestCompactKeepsEverythingAndShrinks(t *testing.T) {
	path := filled(t, 400)
	keep := openStore(t, filled(t, 400))
	before, after, err := Compact(path)
	if err != nil || after >= before {
		t.Errorf("from %d to %d bytes, %v", before, after, err)
	}
	s := openStore(t, path)
	same(t, s, keep, 400, 0)
	// The sequence goes on: no id is given twice.
	if h := create(t, s, opening("g", "c", "ann", "bob")); h.ID != 401 {
		t.Errorf("the next table is %d", h.ID)
	}
	if _, _, err := Compact(path); !errors.Is(err, storage.ErrLocked) {
		t.Errorf("compacting a file in use: %v", err)
	}
	if _, _, err := Compact(file(t)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("compacting no file: %v", err)
	}
}

func mustHead(t *testing.T, s *Store, id storage.ID) storage.Head {
	t.Helper()
	h, err := s.Head(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// same compares the tables 1 to n of two stores, but for one that is left out.
func same(t *testing.T, a, b *Store, n, but storage.ID) {
	t.Helper()
	for id := storage.ID(1); id <= n; id++ {
		x, err := a.Load(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		y, err := b.Load(t.Context(), id)
		if diff := cmp.Diff(x, y); id != but && (err != nil || diff != "") {
			t.Fatalf("table %d: %v\n%s", id, err, diff)
		}
	}
}

// What a compaction, a repair or a bringing up to date that was killed has left beside a file is gone when the file is open again.
func TestWhatWasCutShortIsRemoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "marque.db")
	for range 2 { // a new file, and one that there was
		for _, suffix := range []string{compactSuffix, repairSuffix, asideSuffix} {
			if err := os.WriteFile(path+suffix, []byte("half a copy"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		left, err := os.ReadDir(filepath.Dir(path))
		if err != nil || len(left) != 1 || left[0].Name() != filepath.Base(path) {
			t.Errorf("%v beside the file after a start (%v)", left, err)
		}
	}
}
