package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"

	"marque/storage"
)

// follows stands in for the rules: the n-th event of the games of these tests is "take n".
func follows(_ context.Context, t storage.Table) error {
	for i, e := range t.Events {
		if e.Kind == storage.Played && e.Text != fmt.Sprint("take ", i) {
			return fmt.Errorf("event %d is %q", i, e.Text)
		}
	}
	return nil
}

func backupOf(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	copied := file(t)
	if err := os.WriteFile(copied, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return copied
}

// tables are all tables of a file.
func tables(t testing.TB, path string) map[storage.ID]storage.Table {
	t.Helper()
	s := openStore(t, path)
	defer s.Close()
	all := map[storage.ID]storage.Table{}
	for id := storage.ID(1); id <= 80; id++ {
		table, err := s.Load(t.Context(), id)
		if errors.Is(err, storage.ErrNoTable) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		all[id] = table
	}
	return all
}

// flip changes a byte in the middle of a value.
func flip(t testing.TB, path string, bucket, key []byte) {
	t.Helper()
	edit(t, path, func(tx *bbolt.Tx) error {
		v := bytes.Clone(tx.Bucket(bucket).Get(key))
		v[len(v)/2] ^= 4
		return tx.Bucket(bucket).Put(key, v)
	})
}

// sailOn plays a little at the tables of a file that are not over.
func sailOn(t *testing.T, path string) {
	t.Helper()
	s := openStore(t, path)
	defer s.Close()
	s.db.NoSync = true
	for id := storage.ID(2); id <= 60; id += 2 { // every second is over, see voyage
		h := mustHead(t, s, id)
		h = commit(t, s, next(h, 2))
		if id == 4 {
			commit(t, s, ending(h, 0))
		}
	}
	create(t, s, opening("g1", "c1", "u1", "u2")) // no backup has it
}

// lasting is a dump without the leaderboards, which may be in either of two places; Check compares them with the results.
func lasting(dump string) (lines []string) {
	bucket := ""
	for _, line := range strings.Split(dump, "\n") {
		if !strings.Contains(line, " ") {
			bucket = line
		}
		if !strings.HasPrefix(bucket, "standings") && !strings.HasPrefix(bucket, "ra") && bucket != "generations" {
			lines = append(lines, line)
		}
	}
	return lines
}

// What is damaged comes from the newest backup that has it: an event alone, so that nothing is lost; a head with its whole table, as it was then.
func TestRepair(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for _, tc := range []struct {
		name   string
		bucket []byte
		key    []byte
		said   string
		before []storage.ID // tables that are as in the backup
	}{
		{"an event", tableBucket, eventKey(6, 1), "table 6 is whole", nil},
		{"a detail", detailBucket, tableKey(8), "table 8 is whole", nil},
		{"a head", tableBucket, headKey(6), "table 6 is as it was in", []storage.ID{6}},
		{"an event since the backup", tableBucket, eventKey(6, 9), "table 6 (it was of version 3) is as it was in", []storage.ID{6}},
		{"a result", resultBucket, tableKey(1), "the result of table 1: taken from", nil},
		{"a standing", standingBucket, append(boardKey(storage.Board{Guild: "g1", Game: storage.AllGames}), "u1"...), "", nil},
		{"a server's seasons", leagueBucket, name(nil, "g1"), "the seasons of server g1: taken from", nil},
		{"settings", userPreference, name(nil, "u3"), "the settings of user u3: taken from", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := voyage(t)
			older := tables(t, path)
			backup := backupOf(t, path)
			sailOn(t, path)
			want := tables(t, path)
			whole := dump(t, path)
			if tc.name == "a standing" {
				edit(t, path, func(tx *bbolt.Tx) error {
					tc.key, _ = tx.Bucket(standingBucket).Cursor().First()
					tc.key = bytes.Clone(tc.key)
					return nil
				})
			}
			flip(t, path, tc.bucket, tc.key)
			damagedBytes, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := Check(t.Context(), path); !errors.Is(err, storage.ErrDamaged) {
				t.Fatalf("the damage is not noticed: %v", err)
			}
			done, err := Repair{Path: path, Backups: []string{backup}, Replays: follows, Now: now}.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			said := strings.Join(done.Done, "\n")
			if t.Log(said); !strings.Contains(said, tc.said) {
				t.Errorf("said is %q, want %q", said, tc.said)
			}
			if err := Check(t.Context(), path); err != nil {
				t.Errorf("after the repair: %v", err)
			}
			if kept, err := os.ReadFile(done.Kept); err != nil || !bytes.Equal(kept, damagedBytes) {
				t.Errorf("the damaged file is not kept: %v", err)
			}
			for _, id := range tc.before {
				want[id] = older[id]
			}
			if tc.name == "a detail" {
				d := want[8]
				d.Detail.Plans = nil
				want[8] = d
			}
			if diff := cmp.Diff(want, tables(t, path)); diff != "" {
				t.Errorf("tables: -want +got\n%s", diff)
			}
			if len(tc.before) == 0 && tc.name != "a detail" {
				if diff := cmp.Diff(lasting(whole), lasting(dump(t, path))); diff != "" {
					t.Errorf("the file: -want +got\n%s", diff)
				}
			}
			s := openStore(t, path)
			if h := create(t, s, opening("g1", "c1", "u1")); h.ID != 62 {
				t.Errorf("the next table is %d, want 62", h.ID)
			}
		})
	}
}

// Without a copy that has it, nothing is changed, unless one does without. While a store has the file open nothing is done at all.
func TestRepairWithoutACopy(t *testing.T) {
	path := voyage(t)
	flip(t, path, tableBucket, headKey(6))
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := Repair{Path: path, Replays: follows, Now: time.Now()}
	_, err = r.Run(t.Context())
	lost := (*LostError)(nil)
	if !errors.As(err, &lost) || len(lost.Lost) != 1 || !strings.Contains(err.Error(), "table 6") {
		t.Fatalf("%v", err)
	}
	after, err := os.ReadFile(path)
	if left, _ := filepath.Glob(path + "*"); err != nil || !bytes.Equal(before, after) || len(left) != 1 {
		t.Errorf("the file was changed, or there are others beside it: %v, %v", left, err)
	}
	s := openStore(t, path)
	if _, err := r.Run(t.Context()); !errors.Is(err, storage.ErrLocked) {
		t.Errorf("with a file that is in use: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	r.Without = true
	done, err := r.Run(t.Context())
	if t.Log(done); err != nil || Check(t.Context(), path) != nil {
		t.Errorf("doing without: %v", err)
	}
	if all := tables(t, path); len(all) != 59 || all[6].Head.ID != 0 {
		t.Errorf("%d tables are left", len(all))
	}
	if done, err := r.Run(t.Context()); err != nil || done.Kept != "" {
		t.Errorf("a sound file: %+v, %v", done, err)
	}
}

// A file from before checksums is repaired, too, and comes out as one of today.
func TestRepairOfAnOldFile(t *testing.T) {
	path, backup := oldFile(t), oldFile(t)
	edit(t, path, func(tx *bbolt.Tx) error { return tx.Bucket(tableBucket).Put(headKey(3), []byte("rust")) })
	done, err := Repair{Path: path, Backups: []string{backup}, Replays: follows, Now: time.Now()}.Run(t.Context())
	if err != nil || len(done.Done) != 1 {
		t.Fatalf("%+v, %v", done, err)
	}
	if diff := cmp.Diff(tables(t, backup), tables(t, path)); diff != "" {
		t.Error(diff)
	}
	if _, without := seals(t, openStore(t, path)); without != 0 {
		t.Errorf("%d values have no checksum", without)
	}
}

// Whatever way a file is damaged, with a copy it is repaired: it is sound, has all tables that the copy has, and each is as it was last or as in the copy.
func TestRepairOfAnyDamage(t *testing.T) {
	path := voyage(t)
	backup := backupOf(t, path)
	older := tables(t, path)
	sailOn(t, path)
	latest := tables(t, path)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	used := 0
	s := openStore(t, path)
	if err := s.view(t.Context(), func(tx *bbolt.Tx) error { used = int(tx.Size()); return nil }); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	times := 84
	if testing.Short() {
		times = 21
	}
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)
	repaired, kept, back := 0, 0, 0
	for i := range times {
		b, how := spoil(rng, bytes.Clone(whole[:used]), used, i)
		damaged := file(t)
		if err := os.WriteFile(damaged, b, 0o600); err != nil {
			t.Fatal(err)
		}
		done, err := Repair{Path: damaged, Backups: []string{backup}, Replays: follows, Without: true, Now: time.Now()}.Run(t.Context())
		if err != nil {
			t.Errorf("%s: %v", how, err)
			continue
		}
		if err := Check(t.Context(), damaged); err != nil {
			t.Errorf("%s: after the repair: %v", how, err)
			continue
		}
		if done.Kept != "" {
			repaired++
		}
		got := tables(t, damaged)
		for id := range older {
			table, ok := got[id]
			table.Detail.Plans, table.Published, table.Note = nil, 0, ""
			as := func(want storage.Table) bool {
				want.Detail.Plans, want.Published, want.Note = nil, 0, ""
				return cmp.Equal(want, table)
			}
			switch {
			case ok && as(latest[id]):
				kept++
			case ok && as(older[id]):
				back++
			default:
				t.Errorf("%s: table %d is there: %v, but neither as it was last nor as in the copy", how, id, ok)
			}
		}
	}
	t.Logf("%d of %d files were repaired; %d tables are as they were last, %d as in the copy", repaired, times, kept, back)
	if repaired < times/3 || back == 0 {
		t.Error("the test does not test")
	}
}
