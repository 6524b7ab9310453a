package strict

import (
	"errors"
	"strings"
	"testing"

	"marque/storage/kv"
	"marque/storage/kv/kvtest"
)

// memory is an engine that stays open on Close, so that it can be reopened.
type memory struct{ *Engine }

func (memory) Close() error { return nil }

func place(testing.TB) kvtest.Place {
	e := New(nil)
	fence := kv.Fence{Process: "p", Term: 1}
	next := fence
	next.Term++
	e.End(next)
	return kvtest.Place{
		Open:  func() (kv.Engine, error) { return memory{e}, nil },
		Fence: func() kv.Fence { return fence },
		Lost:  e.End,
	}
}

// The strict engine passes the tests that every engine must pass.
func TestEngine(t *testing.T) { kvtest.Run(t, place) }

// tables is a Cover. Reads and puts in the space "tables" need the lock of their table, which is named by the first
// byte of the keys, or the lock of all tables.
func tables(r kv.Range, use kv.Use) []kv.Lock {
	switch {
	case r.Space != "tables", use == kv.Deletes:
		return nil
	case len(r.From) == 0 || len(r.To) == 0 || r.From[0] != r.To[0]:
		return []kv.Lock{"tables"}
	}
	return []kv.Lock{kv.Lock("table " + string(r.From[0])), "tables"}
}

// A Work that uses keys outside its locks is refused, even if it ignores the error. A use that affects no decision
// needs no lock.
func TestAForgottenLockIsFound(t *testing.T) {
	at := func(k string) kv.Key { return kv.Key{Space: "tables", Key: []byte(k)} }
	for _, tc := range []struct {
		what  string
		locks []kv.Lock
		run   func(w kv.Writer) error
		fine  bool
	}{
		{"reading without a lock", nil, func(w kv.Writer) error { _, _ = w.Get(at("a1")); return nil }, false},
		{"reading with another lock", []kv.Lock{"table b"}, func(w kv.Writer) error { _, err := w.Get(at("a1")); return err }, false},
		{"reading with its lock", []kv.Lock{"table a"}, func(w kv.Writer) error { _, err := w.Get(at("a1")); return err }, true},
		{"reading with the wider lock", []kv.Lock{"tables"}, func(w kv.Writer) error { _, err := w.Get(at("a1")); return err }, true},
		{"writing without a lock", nil, func(w kv.Writer) error { return w.Put(at("a1"), nil) }, false},
		{"writing with its lock", []kv.Lock{"table a"}, func(w kv.Writer) error { return w.Put(at("a1"), nil) }, true},
		{"a use that needs none", nil, func(w kv.Writer) error { return w.Delete(at("a1")) }, true},
		{"a range", []kv.Lock{"table a"}, func(w kv.Writer) error { _, err := w.Count(kv.Range{Space: "tables"}); return err }, false},
		{"what decides nothing", nil, func(w kv.Writer) error { return w.Put(kv.Key{Space: "other", Key: []byte("a")}, nil) }, true},
	} {
		e := New(tables)
		d := kv.New(e)
		err := d.Update(t.Context(), kv.Work{Locks: tc.locks, Run: tc.run})
		uncovered := (*UncoveredError)(nil)
		if errors.As(err, &uncovered) == tc.fine || (len(e.Refused()) == 0) != tc.fine {
			t.Errorf("%s: %v, and %v is noted", tc.what, err, e.Refused())
		}
		if !tc.fine && !strings.Contains(err.Error(), "tables") {
			t.Errorf("%s: %q does not say what was used", tc.what, err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// The engine shows misuse that other engines allow: it sometimes runs a Work twice, overwrites the values that a
// Work has read when the transaction is over, and panics if a Work changes a value that it has read or put.
func TestWhatIsNotPromised(t *testing.T) {
	d := kv.New(New(nil))
	k := kv.Key{Space: "s", Key: []byte("k")}
	runs, times := 0, 200
	var kept []byte
	for range times {
		err := d.Update(t.Context(), kv.Work{Run: func(w kv.Writer) error {
			runs++
			got, err := w.Get(k)
			if kept = got[0]; err != nil {
				return err
			}
			return w.Put(k, []byte("value"))
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	if runs <= times || string(kept) == "value" {
		t.Errorf("%d works were run %d times, and what one kept is %q", times, runs, kept)
	}
	for what, run := range map[string]func(w kv.Writer) error{
		"read": func(w kv.Writer) error { got, err := w.Get(k); got[0][0]++; return err },
		"put":  func(w kv.Writer) error { b := []byte("v"); err := w.Put(k, b); b[0]++; return err },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("what was %s is changed, and nobody minds", what)
				}
			}()
			_ = d.Update(t.Context(), kv.Work{Run: run})
		}()
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
