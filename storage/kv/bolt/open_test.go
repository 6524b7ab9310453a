package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"marque/storage/kv"
)

func file(t testing.TB) string { return filepath.Join(t.TempDir(), "marque.db") }

func open(t testing.TB, path string) *kv.DB {
	t.Helper()
	e, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	d := kv.New(e)
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func put(t testing.TB, d *kv.DB, space kv.Space, key, value string) {
	t.Helper()
	err := d.Update(t.Context(), kv.Work{Run: func(w kv.Writer) error {
		return w.Put(kv.Key{Space: space, Key: []byte(key)}, []byte(value))
	}})
	if err != nil {
		t.Fatal(err)
	}
}

// filled writes a file with n keys in each of two spaces and closes it.
func filled(t testing.TB, n int) string {
	t.Helper()
	path := file(t)
	d := open(t, path)
	err := d.Update(t.Context(), kv.Work{Run: func(w kv.Writer) error {
		for i := range n {
			for _, space := range []kv.Space{"one", "two"} {
				if err := w.Put(kv.Key{Space: space, Key: fmt.Appendf(nil, "%06d", i)},
					bytes.Repeat([]byte{byte(i)}, 100)); err != nil {
					return err
				}
			}
		}
		return nil
	}})
	if err = errors.Join(err, d.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// contents returns all pairs of a store as text.
func contents(t testing.TB, d *kv.DB) string {
	t.Helper()
	var b strings.Builder
	spaces, err := d.Spaces(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	err = d.View(t.Context(), func(r kv.Reader) error {
		for _, s := range spaces {
			pairs, err := r.Scan(kv.Range{Space: s}, kv.Ascending, 1<<20)
			if err != nil {
				return err
			}
			for _, p := range pairs {
				fmt.Fprintf(&b, "%s %q %q\n", s, p.Key, p.Value)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The error for a file that cannot be opened is one sentence with advice. The file stays unchanged.
func TestFilesThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	root := os.Geteuid() == 0
	schema := func(version uint32) func(t *testing.T) string {
		return func(t *testing.T) string {
			path := filled(t, 1)
			change(t, path, func(tx *bbolt.Tx) error {
				return tx.Bucket(metaBucket).Put(schemaKey, binary.BigEndian.AppendUint32(nil, version))
			})
			return path
		}
	}
	for _, tc := range []struct {
		name   string
		make   func(t *testing.T) string
		want   error
		advice string
		root   bool // not tested as root, whom permissions do not stop
	}{
		{"a second instance", func(t *testing.T) string {
			path := file(t)
			open(t, path)
			return path
		}, kv.ErrLocked, "stop the other marque", false},
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
		{"an empty file", func(t *testing.T) string {
			path := file(t)
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			return path
		}, kv.ErrDamaged, "restores", false},
		{"a text file", func(t *testing.T) string {
			path := file(t)
			if err := os.WriteFile(path, []byte(strings.Repeat("ahoy ", 5000)), 0o600); err != nil {
				t.Fatal(err)
			}
			return path
		}, kv.ErrDamaged, "restores", false},
		{"a file cut short", func(t *testing.T) string {
			path := filled(t, 500)
			if err := os.Truncate(path, 3*4096); err != nil {
				t.Fatal(err)
			}
			return path
		}, kv.ErrDamaged, "restores", false},
		{"another program's bbolt file", func(t *testing.T) string {
			path := file(t)
			change(t, path, func(tx *bbolt.Tx) error { _, err := tx.CreateBucket([]byte("theirs")); return err })
			return path
		}, kv.ErrDamaged, "name another file", false},
		{"a file from the future", schema(Schema + 1), kv.ErrNewer, "newer version of marque", false},
		{"a file of before", func(t *testing.T) string {
			path := filled(t, 1)
			change(t, path, func(tx *bbolt.Tx) error {
				b := tx.Bucket(metaBucket)
				return errors.Join(b.Delete(schemaKey), b.Put(olderKey, []byte{0, 0, 0, 4}))
			})
			return path
		}, kv.ErrOlder, "name a new file", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.root && root {
				t.Skip("root may write everywhere")
			}
			path := tc.make(t)
			before, _ := os.ReadFile(path)
			e, err := Open(path)
			if err == nil {
				_ = e.Close()
				t.Fatal("it was opened")
			}
			t.Log(err)
			var f *FileError
			if !errors.As(err, &f) || tc.want != nil && !errors.Is(err, tc.want) {
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

// change changes a file through bbolt, and creates it if necessary.
func change(t testing.TB, path string, f func(tx *bbolt.Tx) error) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Update(f), db.Close()); err != nil {
		t.Fatal(err)
	}
}

// Opening, reading and writing randomly damaged files does not panic. Each error is a *FileError or kv.ErrDamaged.
func TestDamagedBytesNeverPanic(t *testing.T) {
	t.Parallel()
	path := filled(t, 2000)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	used := 0 // number of used bytes; the file is longer
	e, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	err = e.db.View(func(tx *bbolt.Tx) error { used = int(tx.Size()); return nil })
	if err = errors.Join(err, e.Close()); err != nil {
		t.Fatal(err)
	}
	whole = whole[:used]
	const seed = 20260
	rng := rand.New(rand.NewPCG(seed, 0))
	dir := t.TempDir()
	refused, unread := 0, 0
	for i := range 100 {
		// Each damage gets its own file, because bbolt keeps its lock for the life of the process after a panic in
		// opening.
		path := filepath.Join(dir, fmt.Sprint(i))
		b := bytes.Clone(whole)
		switch at := rng.IntN(len(b)); rng.IntN(4) {
		case 0:
			b = b[:at]
		case 1:
			for i := at; i < min(at+1+rng.IntN(64), len(b)); i++ {
				b[i] = byte(rng.Uint32())
			}
		case 2:
			clear(b[at&^4095 : at&^4095+4096])
		case 3:
			b[at&^4095] ^= 1 // damages the number of a page
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		e, err := Open(path)
		var f *FileError
		switch {
		case err != nil && !errors.As(err, &f):
			t.Fatalf("%T %v is no *FileError", err, err)
		case err != nil:
			refused++
			continue
		}
		d := kv.New(e)
		for _, space := range []kv.Space{"one", "two"} {
			read := func(r kv.Reader) error {
				_, err := r.Scan(kv.Range{Space: space}, kv.Ascending, 1<<20)
				_, err2 := r.Count(kv.Range{Space: space})
				return errors.Join(err, err2)
			}
			err := errors.Join(d.View(t.Context(), read), d.Update(t.Context(), kv.Work{Run: func(w kv.Writer) error {
				return errors.Join(read(w), w.Put(kv.Key{Space: space, Key: []byte("x")}, nil),
					w.DeleteRange(kv.Range{Space: space, From: []byte("0015")}))
			}}))
			if err != nil {
				unread++
				if !errors.Is(err, kv.ErrDamaged) {
					t.Errorf("file %d: %v", i, err)
				}
			}
		}
		if err := d.Close(); err != nil && !errors.Is(err, kv.ErrDamaged) {
			t.Errorf("closing: %v", err)
		}
	}
	t.Logf("%d refused on opening, %d spaces that cannot be read", refused, unread)
	if refused == 0 || unread == 0 {
		t.Error("the damage was never noticed: the test does not test")
	}
}

// A file is refused as damaged if its list of spaces reaches past the end of its page. bbolt alone would read memory
// outside the page, or loop forever.
func TestTheListOfSpacesStaysInItsPage(t *testing.T) {
	t.Parallel()
	path := filled(t, 2)
	e, err := OpenToRead(path)
	if err != nil {
		t.Fatal(err)
	}
	root := int64(0)
	err = e.db.View(func(tx *bbolt.Tx) error { root = int64(tx.Cursor().Bucket().Root()); return nil })
	first := root*int64(e.db.Info().PageSize) + pageHeader
	if err = errors.Join(err, e.Close()); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for what, at := range map[string]int64{
		"how many there are": first - pageHeader + 11, "where a name is": first + 7, "a name's length": first + 11,
		"an entry's length": first + 15,
	} {
		b := bytes.Clone(whole)
		b[at] ^= 0x10
		damaged := filepath.Join(t.TempDir(), "damaged.db")
		if err := os.WriteFile(damaged, b, 0o600); err != nil {
			t.Fatal(err)
		}
		e, err := OpenToRead(damaged)
		if !errors.Is(err, kv.ErrDamaged) || !strings.Contains(err.Error(), "list of spaces") {
			t.Errorf("%s: %v, want that its list of spaces is damaged", what, err)
		}
		if err == nil {
			_ = e.Close()
		}
	}
}

// A file whose pages form a cycle cannot be opened. OpenDamaged still lists its spaces.
func TestSpacesWithCirclesAreListed(t *testing.T) {
	path := filled(t, 2000)
	e, err := OpenToRead(path)
	if err != nil {
		t.Fatal(err)
	}
	want, err := e.Spaces(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	page, size := uint64(0), uint64(e.db.Info().PageSize)
	err = e.db.View(func(tx *bbolt.Tx) error { page = uint64(tx.Bucket([]byte("one")).Root()); return nil })
	if err = errors.Join(err, e.Close()); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if kind := binary.NativeEndian.Uint16(b[page*size+8:]); kind != branchPage {
		t.Fatalf("page %d is of kind %d, and leads nowhere", page, kind)
	}
	binary.NativeEndian.PutUint64(b[page*size+pageHeader+8:], page) // the page becomes its own first child
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if e, err = OpenToRead(path); !errors.Is(err, kv.ErrDamaged) {
		t.Errorf("opening: %v, %v", e, err)
	}
	d, err := OpenDamaged(path)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if got, err := d.Spaces(t.Context()); err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, want %q (%v)", got, want, err)
	}
}

// A backup is a whole store at one moment. Compacting keeps all pairs and shrinks the file. A peek shows the store as
// it was when Peek was called.
func TestCopies(t *testing.T) {
	t.Parallel()
	path := filled(t, 3000)
	d := open(t, path)
	err := d.Update(t.Context(), kv.Work{Run: func(w kv.Writer) error {
		return w.DeleteRange(kv.Range{Space: "one", From: []byte("000100")})
	}})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Compact(path); !errors.Is(err, kv.ErrLocked) {
		t.Errorf("compacting a file in use: %v", err)
	}
	want := contents(t, d)
	peek, err := Peek(path)
	if err != nil {
		t.Fatal(err)
	}
	peeked := kv.New(peek)
	defer peeked.Close()
	put(t, d, "three", "later", "x")
	if got := contents(t, peeked); got != want {
		t.Error("a peek is not what was there")
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	e, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	copied := file(t)
	f, err := os.Create(copied)
	if err != nil {
		t.Fatal(err)
	}
	n, err := e.Backup(t.Context(), f)
	if err = errors.Join(err, f.Close()); err != nil || n == 0 {
		t.Fatalf("%d bytes, %v", n, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Backup(ctx, new(bytes.Buffer)); !errors.Is(err, context.Canceled) {
		t.Errorf("a backup that was broken off: %v", err)
	}
	d = kv.New(e)
	want = contents(t, d)
	size, err := d.Size(t.Context())
	if err != nil || size.FreePages == 0 || size.FreeBytes < size.FreePages || size.Bytes <= size.FreeBytes {
		t.Errorf("after much was deleted the size is %+v (%v)", size, err)
	}
	put(t, d, "three", "after the backup", "x")
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	before, after, err := Compact(copied)
	if err != nil || after >= before {
		t.Errorf("from %d to %d bytes, %v", before, after, err)
	}
	if got := contents(t, open(t, copied)); got != want {
		t.Error("the compacted backup is not what was there")
	}
	if _, _, err := Compact(file(t)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("compacting no file: %v", err)
	}
}

// Opening a file removes an unfinished copy of Compact next to it.
func TestWhatWasCutShortIsRemoved(t *testing.T) {
	path := file(t)
	for range 2 { // first with a new file, then with an existing one
		if err := os.WriteFile(path+compactSuffix, []byte("half a copy"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := open(t, path).Close(); err != nil {
			t.Fatal(err)
		}
		left, err := os.ReadDir(filepath.Dir(path))
		if err != nil || len(left) != 1 || left[0].Name() != filepath.Base(path) {
			t.Errorf("%v beside the file after a start (%v)", left, err)
		}
	}
}
