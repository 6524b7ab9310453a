package kv

import (
	"bytes"
	"cmp"
	"fmt"

	"github.com/tidwall/btree"
)

// entry is a change in an overlay: a put, or a deletion.
type entry struct {
	Key
	value []byte // nil for a deletion
}

func before(a, b entry) bool {
	return cmp.Or(cmp.Compare(a.Space, b.Space), bytes.Compare(a.Key.Key, b.Key.Key)) < 0
}

// overlay holds a group's changes, on top of the state that its transaction reads.
type overlay struct {
	ranges  []Range // deleted ranges; the entries are put on top of them
	entries *btree.BTreeG[entry]
}

func newOverlay() overlay {
	return overlay{entries: btree.NewBTreeGOptions(before, btree.Options{NoLocks: true})}
}

// copy returns a copy. It is cheap, because copies share their unchanged parts.
func (o overlay) copy() overlay {
	return overlay{ranges: o.ranges[:len(o.ranges):len(o.ranges)], entries: o.entries.Copy()}
}

// changes returns the overlay's changes in the form that Tx.Commit takes.
func (o overlay) changes() []Change {
	list := make([]Change, 0, len(o.ranges)+o.entries.Len())
	for i := range o.ranges {
		list = append(list, Change{Delete: &o.ranges[i]})
	}
	o.entries.Scan(func(e entry) bool {
		list = append(list, Change{Key: e.Key, Value: e.value})
		return true
	})
	return list
}

func (o overlay) hides(key Key) bool {
	for _, r := range o.ranges {
		if r.Has(key) {
			return true
		}
	}
	return false
}

// within returns the entries of a range, in the given order.
func (o overlay) within(r Range, order Order) (list []entry) {
	if order == Ascending {
		o.entries.Ascend(entry{Key: Key{r.Space, r.From}}, func(e entry) bool {
			if !r.Has(e.Key) {
				return false
			}
			list = append(list, e)
			return true
		})
		return list
	}
	from := Key{r.Space, r.To}
	if r.To == nil {
		from.Space += "\x00" // sorts after all keys of the space
	}
	o.entries.Descend(entry{Key: from}, func(e entry) bool {
		if !r.Has(e.Key) {
			return before(entry{Key: from}, e) == before(e, entry{Key: from}) // an entry at from itself is skipped
		}
		list = append(list, e)
		return true
	})
	return list
}

// writer is a Writer with an overlay on top of a transaction.
type writer struct {
	base Reader
	overlay
	failed error // error that has made the transaction unusable, or nil
}

// fail records an error that makes the transaction unusable, and returns it.
func (w *writer) fail(err error) error {
	w.failed = err
	return err
}

func (w *writer) Put(key Key, value []byte) error {
	if len(key.Key) == 0 || len(key.Key) > MaxKey || len(value) > MaxValue || key.Space == "" {
		return fmt.Errorf("%w: a key of %d bytes in %q, a value of %d", ErrLimits, len(key.Key), key.Space, len(value))
	}
	if value == nil {
		value = []byte{}
	}
	w.entries.Set(entry{key, value})
	return nil
}

func (w *writer) Delete(key Key) error {
	if len(key.Key) == 0 || len(key.Key) > MaxKey || key.Space == "" {
		return fmt.Errorf("%w: a key of %d bytes in %q", ErrLimits, len(key.Key), key.Space)
	}
	w.entries.Set(entry{key, nil})
	return nil
}

func (w *writer) DeleteRange(r Range) error {
	if r.To != nil && bytes.Compare(r.From, r.To) >= 0 {
		return nil // nothing to delete
	}
	for _, e := range w.within(r, Ascending) {
		w.entries.Delete(e)
	}
	w.ranges = append(w.ranges, r)
	return nil
}

func (w *writer) Get(keys ...Key) ([][]byte, error) {
	values := make([][]byte, len(keys))
	var missing []Key
	var at []int
	for i, k := range keys {
		if e, ok := w.entries.Get(entry{Key: k}); ok {
			values[i] = e.value
		} else if !w.hides(k) {
			missing, at = append(missing, k), append(at, i)
		}
	}
	if len(missing) == 0 {
		return values, nil
	}
	got, err := w.base.Get(missing...)
	if err != nil {
		return nil, w.fail(err)
	}
	for i, v := range got {
		values[at[i]] = v
	}
	return values, nil
}

func (w *writer) Scan(r Range, order Order, limit int) ([]Pair, error) {
	own := w.within(r, order)
	var list []Pair
	// The base is read in pages. Its first page may already have been fetched for a Want.
	for rest := r; len(list) < limit; {
		page, err := w.base.Scan(rest, order, limit)
		if err != nil {
			return nil, w.fail(err)
		}
		if len(own) == 0 && len(w.ranges) == 0 && list == nil {
			return page, nil
		}
		for _, p := range page {
			for len(own) > 0 && precedes(own[0].Key.Key, p.Key, order) {
				list, own = appendPut(list, own[0]), own[1:]
			}
			if len(own) > 0 && bytes.Equal(own[0].Key.Key, p.Key) {
				list, own = appendPut(list, own[0]), own[1:]
			} else if !w.hides(Key{r.Space, p.Key}) {
				list = append(list, p)
			}
		}
		if len(page) < limit {
			for _, e := range own {
				list = appendPut(list, e)
			}
			break
		}
		if last := page[len(page)-1].Key; order == Ascending {
			rest.From = append(append([]byte(nil), last...), 0)
		} else {
			rest.To = append([]byte(nil), last...)
		}
	}
	return list[:min(len(list), limit)], nil
}

func precedes(a, b []byte, order Order) bool {
	if order == Descending {
		a, b = b, a
	}
	return bytes.Compare(a, b) < 0
}

func appendPut(list []Pair, e entry) []Pair {
	if e.value == nil {
		return list
	}
	return append(list, Pair{e.Key.Key, e.value})
}

func (w *writer) Count(r Range) (int, error) {
	n := 0
	for _, part := range w.shown(r) {
		below, err := w.base.Count(part)
		if err != nil {
			return 0, w.fail(err)
		}
		n += below
	}
	var asked []Key
	for _, e := range w.within(r, Ascending) {
		if e.value != nil {
			n++
		}
		if !w.hides(e.Key) {
			asked = append(asked, e.Key)
		}
	}
	if len(asked) == 0 {
		return n, nil
	}
	values, err := w.base.Get(asked...)
	if err != nil {
		return 0, w.fail(err)
	}
	for _, v := range values {
		if v != nil { // the base's count includes this key, and a put of it has been counted again
			n--
		}
	}
	return n, nil
}

// shown returns the parts of a range that are in none of the overlay's deleted ranges.
func (o overlay) shown(r Range) []Range {
	parts := []Range{r}
	for _, gone := range o.ranges {
		if gone.Space != r.Space {
			continue
		}
		var left []Range
		for _, p := range parts {
			if head := (Range{p.Space, p.From, least(p.To, gone.From)}); bytes.Compare(p.From, gone.From) < 0 {
				left = append(left, head)
			}
			if gone.To != nil && (p.To == nil || bytes.Compare(gone.To, p.To) < 0) {
				tail := p
				if bytes.Compare(gone.To, p.From) > 0 {
					tail.From = gone.To
				}
				left = append(left, tail)
			}
		}
		parts = left
	}
	return parts
}

// least returns the smaller of two ends. A nil a is the end of a space. b must not be nil.
func least(a, b []byte) []byte {
	if a == nil || bytes.Compare(b, a) < 0 {
		return b
	}
	return a
}
