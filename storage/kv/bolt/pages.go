package bolt

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"go.etcd.io/bbolt"

	"marque/storage/kv"
)

// The library trusts what pages say of themselves: a bit too many and it reads behind the file, which ends the program,
// follows a circle for ever, or passes over pairs without a word. So pages are looked at here first, without it.
//
// A page has a header (its number in 8 bytes, its kind and how many elements it has in 2 each, and in 4 how many pages
// it reaches over besides), then its elements, 16 bytes each, then their keys and values, one right behind the other.
// An element of a page with values has flags, the place of its key, counted from the element, and the lengths of key
// and value, 4 bytes each; one of a page that leads to others has the place and length of the first key there, and the
// page's number in 8 bytes. A small space lies in its entry in the list of spaces: 16 bytes, the first 8 of them 0,
// and then a page.
const (
	pageHeader  = 16
	pageElement = 16
	spaceHeader = 16

	branchPage = 1
	leafPage   = 2

	isSpace = 1 // flag of an element in the list of spaces
)

// pages are those of a file.
type pages struct {
	file io.ReaderAt
	size int64  // of a page
	root uint64 // the first page of the list of spaces
	end  uint64 // the number behind the last page
}

// pagesOf are the pages as a transaction sees them; file is the one that it reads.
func pagesOf(tx *bbolt.Tx, file io.ReaderAt) pages {
	size := int64(tx.DB().Info().PageSize)
	return pages{file: file, size: size, root: uint64(tx.Cursor().Bucket().Root()), end: uint64(tx.Size() / size)}
}

// bounds are those of keys: from the first on, up to but without the second; nil is no bound.
type bounds struct{ from, to []byte }

func (b bounds) has(k []byte) bool {
	return bytes.Compare(k, b.from) >= 0 && (b.to == nil || bytes.Compare(k, b.to) < 0)
}

// meets reports whether keys can be in both.
func (b bounds) meets(o bounds) bool {
	return (b.to == nil || bytes.Compare(b.to, o.from) > 0) && (o.to == nil || bytes.Compare(o.to, b.from) > 0)
}

// part is an element of a page that can be read, or a hole: why nothing can be read at this place.
type part struct {
	hole       error
	flags      uint32
	key, value []byte
	page       uint64 // to which an element leads
}

// origin is where pages begin: with a number, or within an entry of the list of spaces.
type origin struct {
	page   uint64
	within []byte // unless nil
}

// originOf is where a space begins, by its entry.
func originOf(entry []byte) (origin, error) {
	if len(entry) < spaceHeader {
		return origin{}, fmt.Errorf("%w (an entry of its list of spaces is too short)", kv.ErrDamaged)
	}
	if root := binary.NativeEndian.Uint64(entry); root != 0 {
		return origin{page: root}, nil
	}
	return origin{within: entry[spaceHeader:]}, nil
}

// read reads the page at a place, with all that it reaches over.
func (p pages) read(at origin) ([]byte, error) {
	if at.within != nil {
		return at.within, nil
	}
	if at.page < 2 || at.page >= p.end {
		return nil, fmt.Errorf("there is no page %d", at.page)
	}
	raw := make([]byte, p.size)
	if _, err := p.file.ReadAt(raw, int64(at.page)*p.size); err != nil {
		return nil, fmt.Errorf("page %d: %w", at.page, err)
	}
	if n := binary.NativeEndian.Uint64(raw); n != at.page {
		return nil, fmt.Errorf("page %d says that it is page %d", at.page, n)
	}
	if over := uint64(binary.NativeEndian.Uint32(raw[12:])); over > 0 {
		whole := make([]byte, int64(min(over+1, p.end-at.page))*p.size)
		n, err := p.file.ReadAt(whole, int64(at.page)*p.size)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("page %d: %w", at.page, err)
		}
		raw = whole[:n]
	}
	return raw, nil
}

// parse takes a page apart whose keys should be within bounds. A hole stands for what cannot be what was
// written, and at the end of a page that may have had more. within says that the page lies in an entry,
// which ends where it does.
func parse(raw []byte, in bounds, within bool) (leaf bool, parts []part, err error) {
	if len(raw) < pageHeader {
		return false, nil, errors.New("it is too short")
	}
	kind, n := binary.NativeEndian.Uint16(raw[8:]), int(binary.NativeEndian.Uint16(raw[10:]))
	first := pageHeader + n*pageElement
	leaf = kind == leafPage
	if !leaf && (kind != branchPage || within) || n == 0 && !within || first > len(raw) {
		return false, nil, fmt.Errorf("it is of kind %d, with %d elements", kind, n)
	}
	behind, more := first, false // where the next key begins, and whether there may be more elements than it says
	for i := range n {
		at := pageHeader + i*pageElement
		word := func(i int) int { return int(binary.NativeEndian.Uint32(raw[at+4*i:])) }
		var x part
		begin, key, value := at+word(0), word(1), 0
		if leaf {
			x.flags, begin, key, value = uint32(word(0)), at+word(1), word(2), word(3)
		} else {
			x.page = binary.NativeEndian.Uint64(raw[at+8:])
		}
		if begin != behind {
			parts = append(parts, part{hole: errors.New("its keys and values do not lie one behind the other")})
			more = more || i == 0
		}
		behind = begin + key + value
		if begin < first || behind > len(raw) || key == 0 {
			parts = append(parts, part{hole: errors.New("an element reaches out of it")})
			continue
		}
		x.key, x.value = raw[begin:begin+key:begin+key], raw[begin+key:behind:behind]
		parts = append(parts, x)
	}
	if more || within && behind != len(raw) {
		parts = append(parts, part{hole: errors.New("it has not as many elements as it says")})
	}
	return leaf, ordered(parts, in), nil
}

// ordered are parts with a hole for each key that is not within bounds or breaks the order of the others, and one hole
// where there are several beside each other.
func ordered(parts []part, in bounds) (list []part) {
	var latest []byte
	follows := func(x part) bool {
		return x.hole == nil && in.has(x.key) && (latest == nil || bytes.Compare(x.key, latest) > 0)
	}
	for i, x := range parts {
		// Of two in the wrong order the first is wrong where the second follows what came before both.
		next := slices.IndexFunc(parts[i+1:], follows)
		if x.hole == nil && (!follows(x) || next >= 0 && bytes.Compare(parts[i+1+next].key, x.key) <= 0) {
			x = part{hole: errors.New("a key is not of it, or not in order")}
		}
		if x.hole == nil {
			latest = x.key
		} else if len(list) > 0 && list[len(list)-1].hole != nil {
			continue
		}
		list = append(list, x)
	}
	return list
}

// errEnough ends a walk.
var errEnough = errors.New("enough")

// walk calls f in an order with the parts that have values, and the holes, in which keys within some bounds are or
// would be, of the page at a place and all below it. f returns errEnough when it needs no more.
func (p pages) walk(from origin, want bounds, order kv.Order, f func(part) error) error {
	return p.down(from, bounds{}, want, order, 0, f)
}

// deepest is more levels than any file has: pages that lead in circles have no end.
const deepest = 32

// down is walk for pages whose keys should be within in, so many levels below the first.
func (p pages) down(from origin, in, want bounds, order kv.Order, depth int, f func(part) error) error {
	if depth == deepest {
		return f(hole(from, errors.New("the pages lead nowhere")))
	}
	raw, err := p.read(from)
	if err != nil {
		return f(hole(from, err))
	}
	if from.page == p.root && p.end == fresh && binary.NativeEndian.Uint16(raw[10:]) == 0 {
		return nil
	}
	leaf, parts, err := parse(raw, in, from.within != nil)
	if err != nil {
		return f(hole(from, err))
	}
	for i := range parts {
		if order == kv.Descending {
			i = len(parts) - 1 - i
		}
		x := parts[i]
		if leaf && x.hole == nil {
			if want.has(x.key) {
				err = f(x)
			}
		} else if reach := reachOf(parts, i, in); !reach.meets(want) {
			continue
		} else if x.hole != nil {
			err = f(hole(from, x.hole))
		} else {
			err = p.down(origin{page: x.page}, reach, want, order, depth+1, f)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// reachOf are the bounds of the keys that are at a part, or would be in a hole, of a page with keys within some bounds.
func reachOf(parts []part, i int, in bounds) bounds {
	switch {
	case parts[i].hole == nil:
		in.from = parts[i].key
	case i > 0:
		in.from = append(slices.Clone(parts[i-1].key), 0)
	}
	if i+1 < len(parts) && parts[i+1].hole == nil {
		in.to = parts[i+1].key
	}
	return in
}

func hole(at origin, why error) part {
	if at.within != nil {
		return part{hole: fmt.Errorf("%w (a space in its entry: %w)", kv.ErrDamaged, why)}
	}
	return part{hole: fmt.Errorf("%w (page %d: %w)", kv.ErrDamaged, at.page, why)}
}

// fresh is how many pages a file has that has nothing yet.
const fresh = 4

// spaces calls f with the names of the list of spaces and where each begins, or with a hole.
func (p pages) spaces(f func(name []byte, begins origin, err error) error) error {
	return p.walk(origin{page: p.root}, bounds{}, kv.Ascending, func(x part) error {
		if x.hole != nil {
			return f(nil, origin{}, fmt.Errorf("its list of spaces: %w", x.hole))
		}
		begins, err := originOf(x.value)
		if err != nil || x.flags != isSpace {
			err = fmt.Errorf("%w (its list of spaces has an entry that is none)", kv.ErrDamaged)
		}
		return f(x.key, begins, err)
	})
}

// check returns kv.ErrDamaged for the first page that is not as the library writes pages. each is called
// for every value; its error ends the check.
func (p pages) check(each func() error) error {
	return p.spaces(func(name []byte, begins origin, err error) error {
		if err != nil {
			return err
		}
		return p.walk(begins, bounds{}, kv.Ascending, func(x part) error {
			switch {
			case x.hole != nil:
				return fmt.Errorf("the space %q: %w", name, x.hole)
			case x.flags != 0:
				return fmt.Errorf("%w (there is a space in the space %q)", kv.ErrDamaged, name)
			}
			return each()
		})
	})
}

// checkWays is check for the pages that lead to others and for spaces in their entries: without faults in these the
// library finds an end. Of the other pages it reads no more than what they are.
func (p pages) checkWays() error {
	return p.spaces(func(name []byte, begins origin, err error) error {
		if err == nil {
			err = p.ways(begins, bounds{}, 0)
		}
		if err != nil {
			return fmt.Errorf("the space %q: %w", name, err)
		}
		return nil
	})
}

func (p pages) ways(from origin, in bounds, depth int) error {
	if from.within == nil {
		header := make([]byte, pageHeader)
		_, err := p.file.ReadAt(header, int64(from.page)*p.size)
		if err == nil && binary.NativeEndian.Uint16(header[8:]) == leafPage {
			return nil
		}
	}
	raw, err := p.read(from)
	if err != nil {
		return hole(from, err).hole
	}
	leaf, parts, err := parse(raw, in, from.within != nil)
	if err != nil || depth == deepest {
		return hole(from, cmp.Or(err, errors.New("the pages lead nowhere"))).hole
	}
	for i, x := range parts {
		if x.hole != nil {
			return hole(from, x.hole).hole
		}
		if !leaf {
			if err := p.ways(origin{page: x.page}, reachOf(parts, i, in), depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}
