package storage_test

import (
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"marque/storage"
	"marque/storage/kv"
	"marque/storage/kv/bolt"
	"marque/storage/kv/kvtest"
	"marque/storage/storagetest"
)

var update = flag.Bool("update", false, "write testdata/releases/next anew")

// releases is the folder with four files for each release. NAME.db.gz is a store with values of every kind, NAME.sql.gz
// is a dump of the same store in PostgreSQL, and NAME.txt lists the values read from both. NAME.values.txt has one
// value of every kind with all fields filled, in stored and in decoded form. The release named next is the coming one.
const releases = "testdata/releases"

// everythingAndWork returns the path of a closed store file, which has values of every kind and unfinished jobs.
func everythingAndWork(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "marque.db")
	e, err := bolt.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := everything(t, e).Close(); err != nil {
		t.Fatal(err)
	}
	if e, err = bolt.Open(path); err != nil {
		t.Fatal(err)
	}
	s, err := storage.Peek(t.Context(), e) // Peek runs no jobs
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Forget(t.Context(), "zoe", storage.Departed+"1"); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := bolt.Compact(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// readings returns a line for each value read from a file, and the kinds of all values. It leaves out the values of
// jobs, because their ids are random.
func readings(t *testing.T, path string) (lines []string, kinds map[string]bool) {
	t.Helper()
	e, err := bolt.OpenToRead(path)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	return readingsOf(t, e)
}

func readingsOf(t *testing.T, e kv.Engine) (lines []string, kinds map[string]bool) {
	t.Helper()
	kinds = map[string]bool{}
	err := e.View(t.Context(), func(r kv.Reader) error {
		spaces, err := e.Spaces(t.Context())
		for _, space := range spaces {
			list, err := r.Scan(kv.Range{Space: space}, kv.Ascending, 1<<20)
			if err != nil {
				return err
			}
			for _, p := range list {
				what, value, err := storage.Show(kv.Key{Space: space, Key: p.Key}, p.Value)
				if kinds[storage.KindOf(space, p.Key)] = true; what == "" {
					continue
				}
				if space == "jobs" {
					value = nil
				}
				if err != nil {
					return err
				}
				lines = append(lines, what+": "+string(value))
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(lines)
	return lines, kinds
}

// unpacked returns the path of a decompressed copy of a release's file, which the test can change.
func unpacked(t *testing.T, name string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, kvtest.Unpacked(t, filepath.Join(releases, name)), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// The stores in the folder releases are read as they were written, are sound and can be used. The store of the coming
// release must equal a new one, so that every change of the stored format is noticed.
func TestReleasesAreRead(t *testing.T) {
	fresh := everythingAndWork(t)
	if *update {
		pack(t, fresh)
	}
	want, kinds := readings(t, fresh)
	for _, kind := range storage.Kinds() {
		if !kinds[kind] {
			t.Errorf("there is nothing of the kind %q", kind)
		}
	}
	names, err := filepath.Glob(filepath.Join(releases, "*.db.gz"))
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		name := strings.TrimSuffix(filepath.Base(name), ".db.gz")
		t.Run(name, func(t *testing.T) {
			said, err := os.ReadFile(filepath.Join(releases, name+".txt"))
			if err != nil {
				t.Fatal(err)
			}
			path := unpacked(t, name+".db")
			got, _ := readings(t, path)
			if diff := cmp.Diff(strings.Split(strings.TrimSpace(string(said)), "\n"), got); diff != "" {
				t.Errorf("what %s stored is read as something else (-want +got):\n%s", name, diff)
			}
			if diff := cmp.Diff(got, want); name == "next" && diff != "" {
				t.Errorf("the coming release stores something else than %s has. Where this program still reads what is there, "+
					"see docs/store.md, and then -update (-%s +this program):\n%s", name, name, diff)
			}
			s, err := openFile(path)
			if err != nil {
				t.Fatal(err)
			}
			goesOn(t, s)
			said, err = os.ReadFile(filepath.Join(releases, name+".values.txt"))
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(said)) {
				c, want := stored(t, line)
				what, value, err := storage.Show(c.Key, c.Value)
				if got := what + ": " + string(value); err != nil || got != want {
					t.Errorf("what %s stored is read as %s, %v; want %s", name, got, err, want)
				}
			}
			if diff := cmp.Diff(string(said), filled(t)); name == "next" && diff != "" {
				t.Errorf("the coming release stores something else than %s has (-%s +this program):\n%s", name, name,
					diff)
			}
		})
	}
}

// pack writes a file as the store of the coming release.
func pack(t *testing.T, path string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines, _ := readings(t, path)
	err = os.MkdirAll(releases, 0o755)
	for name, b := range map[string][]byte{"next.db.gz": kvtest.Packed(b),
		"next.values.txt": []byte(filled(t)), "next.txt": []byte(strings.Join(lines, "\n") + "\n")} {
		if err == nil {
			err = os.WriteFile(filepath.Join(releases, name), b, 0o644)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// filled returns one line for each kind of value: an example in stored and in decoded form.
func filled(t *testing.T) string {
	t.Helper()
	list, err := storage.Filled()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, c := range list {
		what, value, err := storage.Show(c.Key, c.Value)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %x %x %s: %s\n", c.Key.Space, c.Key.Key, c.Value, what, value)
	}
	return b.String()
}

// stored parses a line of filled.
func stored(t *testing.T, line string) (c kv.Change, read string) {
	t.Helper()
	parts := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 4)
	if len(parts) < 4 {
		t.Fatalf("%q is no value", line)
	}
	k, err := hex.DecodeString(parts[1])
	v, err2 := hex.DecodeString(parts[2])
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	return kv.Change{Key: kv.Key{Space: kv.Space(parts[0]), Key: k}, Value: v}, parts[3]
}

// goesOn ends a running game in a store, after its job is finished, then checks the store and closes it.
func goesOn(t *testing.T, s *storage.Store) {
	t.Helper()
	defer s.Close()
	ctx := t.Context()
	if err := s.Finished(ctx, storage.Work{Kind: storage.Forgetting, Of: "zoe"}); err != nil {
		t.Error(err)
	}
	going, err := s.ByGuild(ctx, "g", storage.Active, 0, 1)
	if err != nil || len(going) == 0 {
		t.Fatalf("the tables that go on: %v, %v", going, err)
	}
	if err := s.Commit(ctx, storagetest.Ending(storagetest.Next(going[0], 0).Head, 0)); !errors.Is(err,
		storage.ErrStale) {
		t.Errorf("a change of the version after the next: %v", err)
	}
	if err := s.Commit(ctx, storagetest.Ending(going[0], 0)); err != nil {
		t.Error(err)
	}
	if err := s.Check(ctx); err != nil {
		t.Error(err)
	}
}
