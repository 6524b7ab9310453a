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

// bbolt relies on valid pages. After one flipped bit it may read past the end of the file, which crashes the program.
// It may also follow a cycle forever, or skip pairs silently. The code in this file therefore checks the pages first,
// without bbolt.
//
// A page is a header, then elements of 16 bytes each, then the keys and values of the elements, without gaps. The
// header has the number of the page (8 bytes), its kind (2), its number of elements (2), and the number of following
// pages that belong to it (4).
//
// A leaf page has pairs. Its elements have flags, the offset of the key from the element, the length of the key, and
// the length of the value (4 bytes each). A branch page leads to other pages. Its elements have the offset and the
// length of the first key of a page (4 bytes each), and the number of that page (8).
//
// The list of spaces is stored in pages, too. Its keys are names. Its values, the entries, say where each space begins.
// An entry has 16 bytes, of which the first 8 are the number of the first page of the space. In the entry of a small
// space that number is 0, and the only page of the space follows inline.
const (
	pageHeader  = 16
	pageElement = 16
	spaceHeader = 16

	branchPage = 1
	leafPage   = 2

	isSpace = 1 // flag of a space's element in the list of spaces
)

// pages reads the pages of a file.
type pages struct {
	file io.ReaderAt
	size int64  // size of a page in bytes
	root uint64 // number of the first page of the list of spaces
	end  uint64 // number of pages
	used *used  // if set, reads check that each page is used once, and has the length that it needs
}

// used records which pages of a file are used, as a bit set.
type used []uint64

func (u used) has(page uint64) bool { return u[page/64]>>(page%64)&1 != 0 }

// mark marks n pages as used, beginning with the page from. It reports whether none of them was marked before.
func (u used) mark(from, n uint64) bool {
	free := true
	for page := from; page < from+n; page++ {
		free = free && !u.has(page)
		u[page/64] |= 1 << (page % 64)
	}
	return free
}

// pagesOf returns the pages that a transaction sees. file is the file that the transaction reads.
func pagesOf(tx *bbolt.Tx, file io.ReaderAt) pages {
	size := int64(tx.DB().Info().PageSize)
	return pages{file: file, size: size, root: uint64(tx.Cursor().Bucket().Root()), end: uint64(tx.Size() / size)}
}

// accounted returns the same pages with an empty record of used pages, so that reads check each page.
func (p pages) accounted() pages {
	u := make(used, p.end/64+1)
	u.mark(0, 2) // the two meta pages
	p.used = &u
	return p
}

// bounds is the half-open interval [from, to) of keys. A nil end is unbounded.
type bounds struct{ from, to []byte }

func (b bounds) has(k []byte) bool {
	return bytes.Compare(k, b.from) >= 0 && (b.to == nil || bytes.Compare(k, b.to) < 0)
}

// meets reports whether the two intervals can have a key in common.
func (b bounds) meets(o bounds) bool {
	return (b.to == nil || bytes.Compare(b.to, o.from) > 0) && (o.to == nil || bytes.Compare(o.to, b.from) > 0)
}

// part is an element of a page, or a hole: a place where an element cannot be read.
type part struct {
	hole       error // for a hole, why no element can be read; otherwise nil
	flags      uint32
	key, value []byte
	page       uint64 // for an element of a branch page, the number of the page to which it leads
}

// origin is the location of a page: its number in the file, or the entry in the list of spaces that contains it inline.
type origin struct {
	page   uint64
	within []byte // content of an inline page; otherwise nil
}

// originOf returns the location of the first page of a space, as given in the space's entry.
func originOf(entry []byte) (origin, error) {
	if len(entry) < spaceHeader {
		return origin{}, fmt.Errorf("%w (an entry of its list of spaces is too short)", kv.ErrDamaged)
	}
	if root := binary.NativeEndian.Uint64(entry); root != 0 {
		return origin{page: root}, nil
	}
	return origin{within: entry[spaceHeader:]}, nil
}

// read reads a page together with the following pages that belong to it.
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
	if over := overflow(raw); over > 0 {
		most, err := p.most(at.page, raw)
		if p.used != nil && over > most {
			return nil, errors.Join(err, tooMany(over, most))
		}
		whole := make([]byte, int64(min(over, most)+1)*p.size)
		n, err := p.file.ReadAt(whole, int64(at.page)*p.size)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("page %d: %w", at.page, err)
		}
		raw = whole[:n]
	}
	return raw, nil
}

// overflow returns the number of following pages that belong to a page according to its header.
func overflow(raw []byte) uint64 { return uint64(binary.NativeEndian.Uint32(raw[12:])) }

// most returns the maximum number of following pages that can belong to a page. It follows from the end of the page's
// last element. For the list of free pages, which has no elements, it is the number of pages that would hold the
// numbers of all pages of the file. first is the beginning of the page.
func (p pages) most(page uint64, first []byte) (uint64, error) {
	if binary.NativeEndian.Uint16(first[8:]) == freePage {
		return min(p.end-page-1, (pageHeader+8*(p.end+1))/uint64(p.size)+1), nil
	}
	table, err := p.table(page, first)
	if err != nil {
		return 0, err
	}
	behind := uint64(len(table))
	if at := len(table) - pageElement; at >= pageHeader {
		word := func(i int) uint64 { return uint64(binary.NativeEndian.Uint32(table[at+4*i:])) }
		if binary.NativeEndian.Uint16(table[8:]) == leafPage {
			behind = uint64(at) + word(1) + word(2) + word(3)
		} else {
			behind = uint64(at) + word(0) + word(1)
		}
	}
	return min(p.end-page-1, (behind-1)/uint64(p.size)), nil
}

// table returns the header of a page with all its elements. first is the beginning of the page.
func (p pages) table(page uint64, first []byte) ([]byte, error) {
	n := pageHeader + int64(binary.NativeEndian.Uint16(first[10:]))*pageElement
	if n > int64(len(first)) {
		first = make([]byte, n)
		if _, err := p.file.ReadAt(first, int64(page)*p.size); err != nil {
			return nil, fmt.Errorf("page %d: %w", page, err)
		}
	}
	return first[:n], nil
}

func tooMany(over, need uint64) error {
	return fmt.Errorf("%d pages belong to it, and it needs %d", over, need)
}

// account records that a page and the following pages that belong to it are used. It returns an error if one of them is
// already used, or if the page is longer or shorter than its elements need.
func (p pages) account(page uint64, raw []byte, parts []part) error {
	bytes := int64(pageHeader)
	for _, x := range parts {
		bytes += pageElement + int64(len(x.key)+len(x.value))
	}
	return p.take(page, raw, bytes)
}

// take records that a page and the following pages that belong to it are used. It returns an error if one of them is
// already used, or if their number is not what bytes, the size of the header and the elements, needs.
func (p pages) take(page uint64, raw []byte, bytes int64) error {
	over := overflow(raw)
	if need := uint64((bytes - 1) / p.size); over != need || over >= p.end-page {
		return tooMany(over, need)
	}
	if !p.used.mark(page, over+1) {
		return errors.New("it is in two places")
	}
	return nil
}

// parse splits a page into its elements. An element that is certainly damaged, such as one with a key out of bounds,
// becomes a hole. If the page may have had more elements than its header says, parse adds a hole at the end. within
// says that the page is inline in an entry, and must end where the entry ends.
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
	behind := first // offset where the next key should begin
	more := false   // whether the page may have more elements than its header says
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

// ordered replaces parts whose key is out of bounds or out of order by holes. Several holes in a row become one.
func ordered(parts []part, in bounds) (list []part) {
	var latest []byte
	follows := func(x part) bool {
		return x.hole == nil && in.has(x.key) && (latest == nil || bytes.Compare(x.key, latest) > 0)
	}
	for i, x := range parts {
		// If two keys are in the wrong order, the first is wrong when the second is in order with the keys before them.
		next := slices.IndexFunc(parts[i+1:], follows)
		if x.hole == nil && (!follows(x) || next >= 0 && bytes.Compare(parts[i+1+next].key, x.key) <= 0) {
			x = part{hole: errors.New("a key does not belong there, or is not in order")}
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

// errEnough is returned by a callback to stop a walk.
var errEnough = errors.New("enough")

// walk visits a page and those pages below it that can have keys in want, in ascending or descending order of the keys.
// It calls f with every pair whose key is in want, and with every hole that may have contained such a pair. If f
// returns an error, even errEnough, walk stops and returns the error.
func (p pages) walk(from origin, want bounds, order kv.Order, f func(part) error) error {
	return p.down(from, bounds{}, want, order, 0, f)
}

// deepest is more than the number of levels in any file. A walk that goes deeper is in a cycle.
const deepest = 32

// down does the work of walk for a page that is depth levels below the first page of a space. in are the bounds that
// the keys of the page should keep.
func (p pages) down(from origin, in, want bounds, order kv.Order, depth int, f func(part) error) error {
	if depth == deepest {
		return f(hole(from, errors.New("the pages lead nowhere")))
	}
	raw, err := p.read(from)
	if err != nil {
		return f(hole(from, err))
	}
	if from.page == p.root && p.end == newFilePages && binary.NativeEndian.Uint16(raw[10:]) == 0 {
		return nil
	}
	leaf, parts, err := parse(raw, in, from.within != nil)
	if err != nil {
		return f(hole(from, err))
	}
	lacks := func(x part) bool { return x.hole != nil }
	if p.used != nil && from.within == nil && !slices.ContainsFunc(parts, lacks) {
		if err := p.account(from.page, raw, parts); err != nil {
			return f(hole(from, err))
		}
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

// reachOf returns the bounds of the keys below the i-th part of a page, or of the keys that a hole may have contained.
// in are the bounds of the page's keys.
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

// hole returns the part for an unreadable page, or for an unreadable place in a page.
func hole(at origin, why error) part {
	if at.within != nil {
		return part{hole: fmt.Errorf("%w (a space in its entry: %w)", kv.ErrDamaged, why)}
	}
	return part{hole: fmt.Errorf("%w (page %d: %w)", kv.ErrDamaged, at.page, why)}
}

// newFilePages is the number of pages in a new file. The list of spaces can be empty only in a new file.
const newFilePages = 4

// spaces reads the list of spaces. It calls f with the name of each space and the location of its first page. For an
// invalid entry, f gets kv.ErrDamaged instead of the location. For a hole, f gets kv.ErrDamaged without a name.
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

// check returns kv.ErrDamaged for the first page that does not have bbolt's format, is used twice, or is neither used
// nor free. list is the first page of the list of free pages. check calls each after every pair, and returns its error.
// No single read is longer than the file.
func (p pages) check(list uint64, each func() error) error {
	p = p.accounted()
	if err := p.checkPairs(each); err != nil {
		return err
	}
	if err := p.checkFree(list); err != nil {
		return err
	}
	for page := range p.end {
		if !p.used.has(page) {
			return fmt.Errorf("%w (page %d is neither used nor free)", kv.ErrDamaged, page)
		}
	}
	return nil
}

// checkToWrite refuses a file with which bbolt would run forever, overwrite used pages, or allocate gigabytes in a
// commit. A commit frees the pages that it rewrites, and all following pages that their headers claim. list is the
// first page of the list of free pages. checkToWrite does not read the keys and values in a space's own leaf pages.
func (p pages) checkToWrite(list uint64) error {
	p = p.accounted()
	if err := p.checkWays(); err != nil {
		return err
	}
	return p.checkFree(list)
}

// freePage is the kind of the pages with the list of free pages. After the header come the numbers of the free pages, 8
// bytes each. A list of manyFree or more begins with their count.
const (
	freePage = 0x10
	manyFree = 0xffff
)

// checkFree compares the list of free pages with the used ones.
func (p pages) checkFree(list uint64) error {
	raw, err := p.read(origin{page: list})
	if err == nil && binary.NativeEndian.Uint16(raw[8:]) != freePage {
		err = fmt.Errorf("page %d is no list", list)
	}
	if err == nil && !p.used.mark(list, overflow(raw)+1) {
		err = fmt.Errorf("page %d is in two places", list)
	}
	if err != nil {
		return fmt.Errorf("%w (its list of free pages: %w)", kv.ErrDamaged, err)
	}
	n, numbers := uint64(binary.NativeEndian.Uint16(raw[10:])), raw[pageHeader:]
	if n == manyFree {
		n, numbers = binary.NativeEndian.Uint64(numbers), numbers[8:]
	}
	if n > uint64(len(numbers)/8) {
		return fmt.Errorf("%w (its list of free pages says that it has %d)", kv.ErrDamaged, n)
	}
	for i := range n {
		page := binary.NativeEndian.Uint64(numbers[8*i:])
		if page < 2 || page >= p.end || !p.used.mark(page, 1) {
			return fmt.Errorf("%w (page %d is called free, and is not)", kv.ErrDamaged, page)
		}
	}
	return nil
}

// checkPairs checks the pages of all spaces, and calls each after every pair.
func (p pages) checkPairs(each func() error) error {
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

// checkWays checks branch pages, inline pages, and where the elements of leaf pages end. If these are valid, every read
// by bbolt ends. p must be accounted.
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

// extent records the pages that a leaf page uses. It refuses a page with an element that ends past the page, because
// bbolt would copy the bytes there, perhaps gigabytes. Other faults of a leaf page are noticed when it is read. first
// is the beginning of the page.
func (p pages) extent(page uint64, first []byte) error {
	table, err := p.table(page, first)
	if err != nil {
		return err
	}
	behind, end := int64(len(table)), (int64(overflow(first))+1)*p.size
	for at := pageHeader; at < len(table); at += pageElement {
		word := func(i int) int64 { return int64(binary.NativeEndian.Uint32(table[at+4*i:])) }
		begin := int64(at) + word(1)
		behind = begin + word(2) + word(3)
		if begin < int64(len(table)) || behind > end {
			return errors.New("an element reaches out of it")
		}
	}
	return p.take(page, first, behind)
}

// ways checks the branch pages, and the ends of leaf pages, from a page that is depth levels below the first page of a
// space. in are the bounds that the keys of the page should keep.
func (p pages) ways(from origin, in bounds, depth int) error {
	if from.within == nil {
		first := make([]byte, p.size)
		_, err := p.file.ReadAt(first, int64(from.page)*p.size)
		if err == nil && from.page < p.end && binary.NativeEndian.Uint16(first[8:]) == leafPage {
			if err := p.extent(from.page, first); err != nil {
				return hole(from, err).hole
			}
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
	for _, x := range parts {
		if x.hole != nil {
			return hole(from, x.hole).hole
		}
	}
	if from.within == nil {
		if err := p.account(from.page, raw, parts); err != nil {
			return hole(from, err).hole
		}
	}
	for i, x := range parts {
		if !leaf {
			if err := p.ways(origin{page: x.page}, reachOf(parts, i, in), depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}
