package bolt

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"

	"marque/storage/kv"
)

// A small space is stored inline in its entry, without pages. It is valid only if its pairs fill the entry. Otherwise
// bbolt would follow an offset past the end and crash, or skip pairs.
func TestASpaceFillsItsEntry(t *testing.T) {
	// The space has one pair: a page header with number, kind, count and overflow; an element with the offset and the
	// lengths of key and value; then "key" and "value".
	sound := make([]byte, pageHeader+pageElement+len("key")+len("value"))
	binary.NativeEndian.PutUint16(sound[8:], leafPage)
	binary.NativeEndian.PutUint16(sound[10:], 1)
	binary.NativeEndian.PutUint32(sound[pageHeader+4:], pageElement)
	binary.NativeEndian.PutUint32(sound[pageHeader+8:], uint32(len("key")))
	binary.NativeEndian.PutUint32(sound[pageHeader+12:], uint32(len("value")))
	copy(sound[pageHeader+pageElement:], "keyvalue")
	whole := func(entry []byte) bool {
		_, parts, err := parse(entry, bounds{}, true)
		for _, x := range parts {
			err = errors.Join(err, x.hole)
		}
		return err == nil
	}
	for what, damaged := range map[string]struct {
		at    int  // index of the changed byte in the entry
		by    byte // the bits that are flipped
		holds bool
	}{
		"nothing":               {0, 0, true},
		"another kind of page":  {8, branchPage | leafPage, false},
		"no pair":               {10, 1, false},
		"more pairs":            {10, 2, false},
		"many more pairs":       {11, 0x40, false},
		"a place behind":        {pageHeader + 4, 1, false},
		"a place far behind":    {pageHeader + 7, 0x10, false},
		"a longer key":          {pageHeader + 8, 4, false},
		"a value of a gigabyte": {pageHeader + 15, 0x40, false},
	} {
		entry := append([]byte(nil), sound...)
		entry[damaged.at] ^= damaged.by
		if got := whole(entry); got != damaged.holds {
			t.Errorf("%s: %v, want %v", what, got, damaged.holds)
		}
	}
	for n := range len(sound) {
		if whole(sound[:n]) {
			t.Errorf("the first %d of %d bytes are taken for whole", n, len(sound))
		}
	}
}

// A check detects each of these damaged numbers in pages, and neither crashes nor runs forever. A read in either
// direction returns all pairs, or reports that pairs may be missing.
func TestNumbersOfPages(t *testing.T) {
	t.Parallel()
	path := filled(t, 2000)
	e, err := OpenToRead(path)
	if err != nil {
		t.Fatal(err)
	}
	var at pages
	if err := e.db.View(func(tx *bbolt.Tx) error { at = pagesOf(tx, e.file); return nil }); err != nil {
		t.Fatal(err)
	}
	var root uint64 // number of the first page of the space "one"
	err = at.spaces(func(name []byte, begins origin, err error) error {
		if err == nil && string(name) == "one" {
			root = begins.page
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := at.read(origin{page: root})
	if err != nil {
		t.Fatal(err)
	}
	kind, children, err := parse(raw, bounds{}, false)
	if err != nil || kind || len(children) < 4 {
		t.Fatalf("the space has no pages of its own (%v)", err)
	}
	leaf := children[2].page // in the middle of the space
	pairs := func(from interface {
		View(context.Context, func(kv.Reader) error) error
	}, order kv.Order) (n int, err error) {
		err = from.View(t.Context(), func(r kv.Reader) error {
			list, err := r.Scan(kv.Range{Space: "one"}, order, 1<<20)
			n = len(list)
			return err
		})
		return n, err
	}
	want, err := pairs(e, kv.Ascending)
	free := e.freeList()
	if err = errors.Join(err, e.Close()); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page := func(n uint64) []byte { return b[n*uint64(at.size):] }
	for what, where := range map[string]struct {
		bytes   []byte
		by      byte
		refused bool // refused by Open: a write would allocate gigabytes, overwrite used pages, or never end
	}{
		"fewer pairs in a page":         {page(leaf)[10:], 1, true},
		"no page's number":              {page(leaf), 1, false},
		"another kind":                  {page(leaf)[8:], leafPage | branchPage, true},
		"a place of a pair":             {page(leaf)[pageHeader+4:], 1, false},
		"a value of a gigabyte":         {page(leaf)[pageHeader+15:], 0x40, true},
		"fewer pages of a space":        {page(root)[10:], 1, true},
		"a long key of a page":          {page(root)[pageHeader+7:], 4, true},
		"a way to another page":         {page(root)[pageHeader+8:], 3, true},
		"a way out of the file":         {page(root)[pageHeader+15:], 0x40, true},
		"fewer spaces":                  {page(at.root)[10:], 1, true},
		"a long name of a space":        {page(at.root)[pageHeader+9:], 0x10, true},
		"an entry behind the others":    {page(at.root)[pageHeader+6:], 0x10, true},
		"one more page behind one":      {page(leaf)[12:], 1, true},
		"many more pages behind one":    {page(leaf)[15:], 0x40, true},
		"one more page behind a root":   {page(root)[12:], 1, true},
		"many more pages behind a root": {page(root)[15:], 0x40, true},
		"more pages behind spaces":      {page(at.root)[15:], 0x40, true},
		"a long list of free pages":     {page(free)[15:], 0x40, true},
		"more free pages":               {page(free)[11:], 0x40, true},
		"another count of free pages":   {page(free)[10:], 1, true},
		"another free page":             {page(free)[pageHeader:], 1, true},
		"another kind of beginning":     {page(1)[9:], 8, false},
		"a free page behind the file":   {page(free)[pageHeader+6:], 0x40, true},
	} {
		where.bytes[0] ^= where.by
		damaged := filepath.Join(t.TempDir(), "damaged.db")
		if err := os.WriteFile(damaged, b, 0o600); err != nil {
			t.Fatal(err)
		}
		where.bytes[0] ^= where.by
		var found error
		if e, err := OpenToRead(damaged); err != nil {
			found = err
		} else {
			if err := e.CheckPages(t.Context(), func(err error) { found = errors.Join(found, err) }); err != nil {
				t.Error(err)
			}
			_ = e.Close()
		}
		if !errors.Is(found, kv.ErrDamaged) {
			t.Errorf("%s: the check says %v", what, found)
		}
		d, err := OpenDamaged(damaged)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		for _, order := range []kv.Order{kv.Ascending, kv.Descending} {
			if n, err := pairs(d, order); n != want && !errors.Is(err, kv.ErrDamaged) {
				t.Errorf("%s: %d of %d pairs are read, and %v", what, n, want, err)
			}
		}
		_ = d.Close()
		e, err := Open(damaged)
		if where.refused != errors.Is(err, kv.ErrDamaged) {
			t.Errorf("%s: opened with %v", what, err)
		}
		if err == nil {
			_ = e.Close()
		}
	}
}

// A check returns the error of its context when the context is cancelled.
func TestACheckEndsWhenToldTo(t *testing.T) {
	e, err := OpenToRead(filled(t, 2000))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err = e.CheckPages(ctx, func(err error) { t.Errorf("a fault in a sound file: %v", err) })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a check that was cancelled: %v", err)
	}
}
