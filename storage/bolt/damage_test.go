package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"

	"marque/games"
	"marque/games/text"
	"marque/storage"
	"marque/storage/storagetest"
)

// voyage writes a file with something of everything and of several pages in every large bucket, and closes it.
func voyage(t testing.TB) string {
	t.Helper()
	ctx, path := t.Context(), file(t)
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	s.db.NoSync = true // power failures are another test's
	if _, err := s.StartSeason(ctx, "g1", text.NewName("first"), 1); err != nil {
		t.Fatal(err)
	}
	for i := range 60 {
		c := opening(fmt.Sprint("g", i%3), fmt.Sprint("c", i%7), fmt.Sprint("u", i%11), fmt.Sprint("v", i%7))
		c.Key = fmt.Sprint("key", i)
		h := create(t, s, c)
		h = commit(t, s, next(h, 3+i%20))
		if i%2 == 0 {
			h = commit(t, s, ending(h, games.Seat(i/2%2)))
			if err := s.SetReview(ctx, h.ID, storage.Review{Looked: 4}); err != nil {
				t.Fatal(err)
			}
		}
		if i%3 == 0 {
			if err := s.MarkPublished(ctx, h.ID, h.Version, "note", storage.Tenure{}); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.ChangeUserSettings(ctx, fmt.Sprint("u", i), storagetest.Set(map[string]any{
			"colour": i, "puzzles": map[string]any{"months": []storage.Score{{Server: "g1", Month: "2026-11", Solved: 1 + i}}},
		})); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.ChangeGuildSettings(ctx, "g1", storagetest.Set(map[string]int{"days": 1})); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Check(ctx, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// dump is all that a sound file holds.
func dump(t testing.TB, path string) string {
	t.Helper()
	db, err := openToRead(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var b bytes.Buffer
	err = db.View(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(name []byte, bucket *bbolt.Bucket) error {
			fmt.Fprintf(&b, "%s\n", name)
			return bucket.ForEach(func(k, v []byte) error { fmt.Fprintf(&b, "%x %x\n", k, v); return nil })
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// spoil damages a file's bytes, of which used are in use, in one of the ways in which disks do, and says how.
func spoil(rng *rand.Rand, b []byte, used, way int) ([]byte, string) {
	page := func() int { return rng.IntN(used/4096) * 4096 }
	switch way % 7 {
	case 6:
		// A page that leads back to itself, or to another that is in use.
		var branches []int
		for at := 0; at < used; at += 4096 {
			if binary.NativeEndian.Uint16(b[at+8:]) == branchPage {
				branches = append(branches, at)
			}
		}
		at := branches[rng.IntN(len(branches))]
		to := uint64(branches[rng.IntN(len(branches))] / 4096)
		child := rng.IntN(int(binary.NativeEndian.Uint16(b[at+10:])))
		binary.NativeEndian.PutUint64(b[at+pageHeader+child*pageElement+8:], to)
		return b, fmt.Sprintf("child %d of page %d is page %d", child, at/4096, to)
	case 0:
		at, bit := rng.IntN(used), rng.IntN(8)
		b[at] ^= 1 << bit
		return b, fmt.Sprintf("bit %d of byte %d flipped", bit, at)
	case 1:
		for range 8 {
			b[rng.IntN(used)] ^= 1 << rng.IntN(8)
		}
		return b, "eight bits flipped"
	case 2:
		at := page()
		clear(b[at : at+4096])
		return b, fmt.Sprintf("page %d zeroed", at/4096)
	case 3:
		at := rng.IntN(used)
		return b[:at], fmt.Sprintf("cut to %d bytes", at)
	case 4:
		from, to := page(), page()
		copy(b[to:to+4096], b[from:from+4096])
		return b, fmt.Sprintf("page %d written over page %d", from/4096, to/4096)
	default:
		// The numbers by which pages find each other, where one wrong bit does most harm.
		at := page() + rng.IntN(64)
		b[at] ^= byte(1 + rng.IntN(15))
		return b, fmt.Sprintf("byte %d at the head of a page changed", at)
	}
}

// The library takes the page of a small bucket, which lies in the bucket's own entry, for its own parent when it is marked as anything but a leaf, and would
// follow it for ever: such a file is not opened, and its check says so.
func TestABucketThatLeadsToItselfIsRefused(t *testing.T) {
	path := file(t)
	if err := openStore(t, path).Close(); err != nil { // all buckets are small
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	order, spoilt := binary.NativeEndian, 0
	for page := 0; page+4096 <= len(whole); page += 4096 {
		if order.Uint16(whole[page+8:]) != leafPage {
			continue
		}
		for i := range int(order.Uint16(whole[page+10:])) {
			at := page + pageHeader + i*pageElement
			pos, key := int(order.Uint32(whole[at+4:])), int(order.Uint32(whole[at+8:]))
			value := at + pos + key
			if order.Uint32(whole[at:]) != bucketElement || order.Uint64(whole[value:]) != 0 {
				continue
			}
			for _, flags := range []uint16{0, branchPage} {
				b := bytes.Clone(whole)
				order.PutUint16(b[value+bucketHeader+8:], flags)
				damaged := file(t)
				if err := os.WriteFile(damaged, b, 0o600); err != nil {
					t.Fatal(err)
				}
				s, err := Open(damaged)
				if err == nil {
					_ = s.Close() // a page that is no longer in use
					continue
				}
				if err := Check(t.Context(), damaged); !errors.Is(err, storage.ErrDamaged) {
					t.Errorf("bucket %q with a page of kind %d is checked: %v", whole[at+pos:value], flags, err)
				}
				spoilt++
				if !errors.Is(err, storage.ErrDamaged) || !errors.As(err, new(*FileError)) {
					t.Errorf("bucket %q with a page of kind %d: %T %v", whole[at+pos:value], flags, err, err)
				}
			}
		}
	}
	if spoilt < 10 {
		t.Errorf("%d files were refused: the test does not test", spoilt)
	}
}

// However a file is damaged or cut short, Check comes to an end and says so, unless the damage is where nothing lies: what it calls sound holds all that it
// held. The store reads such a file without a panic, too.
func TestADamagedFileIsNeverCalledSound(t *testing.T) {
	path := voyage(t)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := dump(t, path)
	db, err := openToRead(path)
	if err != nil {
		t.Fatal(err)
	}
	used := 0
	if err := db.View(func(tx *bbolt.Tx) error { used = int(tx.Size()); return nil }); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	times := 280
	if testing.Short() {
		times = 70
	}
	seed := rand.Uint64()
	if v := os.Getenv("MARQUE_TEST_SEED"); v != "" {
		var err error
		if seed, err = strconv.ParseUint(v, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d, %d copies of a file of %d bytes", seed, times, used)
	dir := t.TempDir()
	found, sound, refused, named := 0, 0, 0, 0
	for i := range times {
		b, how := spoil(rng, bytes.Clone(whole[:used]), used, i)
		copied := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(copied, b, 0o600); err != nil {
			t.Fatal(err)
		}
		err := Check(t.Context(), copied)
		switch {
		case err == nil:
			sound++
			if got := dump(t, copied); got != want {
				t.Errorf("%s: sound, but it does not hold what it held:\n%s", how, cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
			}
		case !errors.Is(err, storage.ErrDamaged):
			t.Errorf("%s: %T %v", how, err, err)
		default:
			found++
			if bytes.ContainsRune([]byte(err.Error()), '\n') {
				t.Errorf("%s: %q is more than a line", how, err)
			}
			if errors.As(err, new(*storage.DamagedError)) {
				named++
			}
		}
		refused += sail(t, copied, how)
	}
	t.Logf("%d damaged (%d with values that are named), %d not harmed; the store refused to open %d", found, named, sound, refused)
	if found < times/3 || named == 0 || refused == 0 || refused == times {
		t.Error("the test does not test")
	}
}

// sail reads and plays in a damaged file as the bot would, and returns 1 if it could not be opened. Whatever fails, fails for being damaged.
func sail(t *testing.T, path, how string) int {
	t.Helper()
	s, err := Open(path)
	if err != nil {
		if !errors.As(err, new(*FileError)) {
			t.Errorf("%s: opening: %T %v", how, err, err)
		}
		return 1
	}
	s.db.NoSync = true
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	expect := func(what string, err error) {
		if err != nil && !errors.Is(err, storage.ErrDamaged) && !errors.Is(err, storage.ErrNoTable) && !errors.Is(err, storage.ErrStale) && !errors.Is(err, storage.ErrNoResult) {
			t.Errorf("%s: %s: %v", how, what, err)
		}
	}
	for id := storage.ID(1); id <= 60; id++ {
		table, err := s.Load(ctx, id)
		expect("loading", err)
		if err == nil && table.Head.Status != storage.Over {
			expect("committing", s.Commit(ctx, next(table.Head, 2)))
		}
		_, err = s.Result(ctx, id)
		expect("a result", err)
	}
	for _, guild := range []string{"g0", "g1", "g2"} {
		_, err := s.ByGuild(ctx, guild, storage.Active, 0, 100)
		expect("a list", err)
		_, err = s.Results(ctx, storage.ResultQuery{Guild: guild, Limit: 100})
		expect("results", err)
		_, err = s.League(ctx, guild)
		expect("a league", err)
	}
	_, err = s.Pending(ctx, 0, 100)
	expect("pending tables", err)
	_, err = s.DueUntil(ctx, 1<<40, 100)
	expect("what is due", err)
	if _, err = s.Create(ctx, opening("g0", "c", "u1", "u2")); err != nil {
		expect("opening a table", err)
	}
	expect("closing", s.Close())
	return 0
}
