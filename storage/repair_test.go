package storage_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"marque/storage"
	"marque/storage/kv"
	"marque/storage/kv/strict"
	"marque/storage/storagetest"
)

// unreadable is an engine that cannot read the keys in gap.
type unreadable struct {
	kept
	gap kv.Range
}

func (e unreadable) View(ctx context.Context, read func(kv.Reader) error) error {
	return e.kept.View(ctx, func(r kv.Reader) error { return read(gapReader{r, e.gap}) })
}

// gapReader fails each scan that reaches a key in gap.
type gapReader struct {
	kv.Reader
	gap kv.Range
}

func (r gapReader) Scan(in kv.Range, order kv.Order, limit int) ([]kv.Pair, error) {
	list, err := r.Reader.Scan(in, order, limit)
	for _, p := range list {
		if r.gap.Has(kv.Key{Space: in.Space, Key: p.Key}) {
			return nil, storage.ErrDamaged
		}
	}
	return list, err
}

// mend repairs an engine from copies into a new engine, and checks the new one.
func mend(t *testing.T, damaged kv.Engine, copies ...storage.Copy) (kv.Engine, storage.Mended) {
	t.Helper()
	to := kept{strict.New(nil)}
	done, err := storage.Mending{Damaged: damaged, Copies: copies, To: to, Now: time.UnixMilli(9000)}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s, err := storage.Peek(t.Context(), to)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check(t.Context()); err != nil {
		t.Errorf("what was mended is not sound: %v\n%+v", err, done)
	}
	return to, done
}

// A sound store is repaired into an equal one. Only its leaderboards are counted again.
func TestASoundStoreLosesNothing(t *testing.T) {
	t.Parallel()
	from := kept{strict.New(nil)}
	defer everything(t, from).Close()
	to, done := mend(t, from)
	if len(done.Done)+len(done.Lost) > 0 {
		t.Errorf("mended %+v", done)
	}
	before, after := pairs(t, from), pairs(t, to)
	for space, list := range before {
		if space == "standings" || space == "ranks" || space == "ratings" || space == "halves" {
			continue // leaderboards are counted again
		}
		if got, want := fmt.Sprintf("%q", after[space]), fmt.Sprintf("%q", list); got != want {
			t.Errorf("%s is\n%s\nwant\n%s", space, got, want)
		}
	}
}

// A store with one damaged value is repaired from a copy. The repaired store is sound and nothing is lost, whichever
// value was damaged. Without a copy, the report names what was lost or repaired, unless the value can be derived from
// others.
func TestAnyDamageIsMended(t *testing.T) {
	t.Parallel()
	from, same := kept{strict.New(nil)}, kept{strict.New(nil)}
	s := everything(t, from)
	defer s.Close()
	if _, err := s.Move(t.Context(), same); err != nil {
		t.Fatal(err)
	}
	for space, list := range pairs(t, from) {
		for _, p := range list {
			if len(p.Value) == 0 {
				continue
			}
			at := kv.Key{Space: space, Key: p.Key}
			v := bytes.Clone(p.Value)
			v[len(v)/2] ^= 1
			set(t, from, kv.Change{Key: at, Value: v})
			what := fmt.Sprintf("%s %q", space, p.Key)
			if _, done := mend(t, from, storage.Copy{Name: "the copy", Source: same}); len(done.Lost) > 0 {
				t.Errorf("%s: mended from a copy, lost is %q", what, done.Lost)
			}
			_, done := mend(t, from)
			whole := space == "standings" || space == "ranks" || space == "ratings" || space == "halves" ||
				strings.HasPrefix(string(space), "results-") || space == "lobbies" || p.Key[len(p.Key)-1] == 0 &&
				space == "sequences"
			if len(done.Lost)+len(done.Done) == 0 && !whole {
				t.Errorf("%s: mended without a copy, and nothing is lost", what)
			}
			set(t, from, kv.Change{Key: at, Value: p.Value})
		}
	}
}

// fromTheEnd is an engine that can read a space only from its end, like a file with pages in the wrong order. View
// fails after 10,000 calls, which turns an endless repair into a failure.
type fromTheEnd struct {
	kept
	space kv.Space
	views *int
}

func (e fromTheEnd) View(ctx context.Context, read func(kv.Reader) error) error {
	if *e.views++; *e.views > 10_000 {
		return errors.New("asked without end")
	}
	return e.kept.View(ctx, func(r kv.Reader) error { return read(endReader{r, e.space}) })
}

type endReader struct {
	kv.Reader
	space kv.Space
}

func (r endReader) Scan(in kv.Range, order kv.Order, limit int) ([]kv.Pair, error) {
	list, err := r.Reader.Scan(in, order, limit)
	if in.Space == r.space && order == kv.Ascending && len(list) > 0 {
		return nil, storage.ErrDamaged
	}
	return list, err
}

// A repair ends even if a space can be read only from its end. With a sound copy, nothing is lost.
func TestMendingComesToAnEnd(t *testing.T) {
	t.Parallel()
	from, same := kept{strict.New(nil)}, kept{strict.New(nil)}
	s := everything(t, from)
	defer s.Close()
	if _, err := s.Move(t.Context(), same); err != nil {
		t.Fatal(err)
	}
	for space := range pairs(t, from) {
		_, done := mend(t, fromTheEnd{from, space, new(int)}, storage.Copy{Name: "the copy", Source: same})
		if len(done.Lost) > 0 {
			t.Errorf("%s: mended from a copy, lost is %q", space, done.Lost)
		}
	}
}

// A table that cannot be read is taken from the latest copy as a whole. The report lists the versions after the
// copy as lost, and the table gets a Recovered event with the moment of its last change in the copy.
func TestATableComesFromTheCopyAsAWhole(t *testing.T) {
	t.Parallel()
	from, older := kept{strict.New(nil)}, kept{strict.New(nil)}
	s := everything(t, from)
	defer s.Close()
	if _, err := s.Move(t.Context(), older); err != nil {
		t.Fatal(err)
	}
	head, err := s.Head(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(t.Context(), storagetest.Next(head, 2)); err != nil {
		t.Fatal(err)
	}
	err = s.ChangeUptime(t.Context(), func(storage.Uptime) storage.Uptime {
		return storage.Uptime{Alive: head.Changed + 5000}
	})
	if err != nil {
		t.Fatal(err)
	}
	rows := pairs(t, from)["tables"]
	for i, p := range rows {
		if i > 3 && p.Key[7] == 1 && p.Key[8] == 3 {
			gap := kv.Range{Space: "tables", From: p.Key, To: append(bytes.Clone(p.Key), 0)}
			to, done := mend(t, unreadable{from, gap}, storage.Copy{Name: "the copy", Source: older})
			want := fmt.Sprintf(
				"table 1 is as it was in the copy, of version %d: versions %d to %d, with 2 plays, are lost",
				head.Version, head.Version+1, head.Version+1)
			if len(done.Lost) > 0 || len(done.Done) != 1 || done.Done[0] != want {
				t.Errorf("mended %q, lost %q, want %q", done.Done, done.Lost, want)
			}
			mended, err := storage.Peek(t.Context(), to)
			if err != nil {
				t.Fatal(err)
			}
			table, err := mended.Load(t.Context(), 1)
			if err != nil {
				t.Fatal(err)
			}
			if last := table.Events[len(table.Events)-1]; last.Kind != storage.Recovered ||
				table.Head.Version < head.Version+1000 || last.Text != fmt.Sprint(int64(head.Changed)) {
				t.Errorf("the table ends with %+v at version %d", last, table.Head.Version)
			}
			return
		}
	}
	t.Fatal("no event of table 1")
}

// A table without a readable row is reported as lost if it is in no copy. The repair finds its number in its detail or
// in the lists of tables.
func TestATableWithoutRowsIsNamed(t *testing.T) {
	from, empty := kept{strict.New(nil)}, kept{strict.New(nil)}
	defer everything(t, from).Close()
	gap := kv.Range{Space: "tables", From: []byte{0, 0, 0, 0, 0, 0, 0, 2}, To: []byte{0, 0, 0, 0, 0, 0, 0, 4}}
	want := []string{"table 2", "table 3"}
	for _, what := range []string{"its detail", "the lists that have it"} {
		for _, copies := range [][]storage.Copy{nil, {{Name: "the copy", Source: empty}}} {
			if _, done := mend(t, unreadable{from, gap}, copies...); !slices.Equal(done.Lost, want) {
				t.Errorf("by %s, with %d copies mended %q, lost %q, want %q", what, len(copies), done.Done, done.Lost,
					want)
			}
		}
		set(t, from, kv.Change{Key: kv.Key{Space: "details", Key: gap.From}},
			kv.Change{Key: kv.Key{Space: "details", Key: []byte{0, 0, 0, 0, 0, 0, 0, 3}}})
	}
}

// If nothing in a store can be read, it is restored from a copy.
func TestNothingCanBeRead(t *testing.T) {
	from := kept{strict.New(nil)}
	defer everything(t, from).Close()
	to, done := mend(t, nil, storage.Copy{Name: "the copy", Source: from})
	if tables := len(pairs(t, to)["details"]); tables != 6 || len(done.Lost) > 0 {
		t.Errorf("%d tables, lost %q", tables, done.Lost)
	}
}
