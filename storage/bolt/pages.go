package bolt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math"

	"marque/storage"
)

// The pages of the file are read here without the library where the file may be damaged: the library maps the file, follows what is written in it, and
// checks it in a goroutine whose faults end the program. The layout is that of go.etcd.io/bbolt, internal/common. Numbers are in the machine's byte order.

const (
	pageHeader    = 16 // id, flags, count, overflow
	pageElement   = 16
	bucketHeader  = 16 // root, sequence
	branchPage    = 0x01
	leafPage      = 0x02
	freelistPage  = 0x10
	bucketElement = 0x01
	fileMagic     = 0xED0CDAED
	fileVersion   = 2
	noFreelist    = math.MaxUint64
	// maxDepth bounds the height of a tree: with two keys a page it would hold more than any file.
	maxDepth = 48
	// maxPageBytes bounds what one value makes of a page.
	maxPageBytes = 16 << 20
)

// pageFault says that a page cannot be read, and what is lost with it.
type pageFault struct {
	page   uint64
	bucket []byte // nil for the list of buckets, and for pages of none
	// The keys that it would have: from from up to, but not including, to; nil for the first and beyond the last.
	from, to []byte
	why      string
	rows     bool // whether rows are lost with it
}

// lost reports whether a row may have been lost with the page.
func (f pageFault) lost(bucket, key []byte) bool {
	return f.rows && (f.bucket == nil || bytes.Equal(f.bucket, bucket)) && bytes.Compare(key, f.from) >= 0 && (f.to == nil || bytes.Compare(key, f.to) < 0)
}

func (f pageFault) Error() string {
	s := fmt.Sprintf("page %d %s", f.page, f.why)
	if f.bucket == nil {
		return s
	}
	s += fmt.Sprintf(", in %q", f.bucket)
	if string(f.bucket) != string(tableBucket) && string(f.bucket) != string(detailBucket) && string(f.bucket) != string(resultBucket) {
		return s
	}
	first, last := f.tables()
	switch {
	case first == last:
		return s + fmt.Sprintf(", of table %d", first)
	case last == math.MaxUint64:
		return s + fmt.Sprintf(", of tables from %d on", first)
	}
	return s + fmt.Sprintf(", of tables %d to %d", first, last)
}

// tables are the first and the last table of which rows may be lost in a bucket whose keys begin with tables.
func (f pageFault) tables() (first, last storage.ID) {
	first, last = 0, math.MaxUint64
	if len(f.from) >= 8 {
		first = storage.ID(binary.BigEndian.Uint64(f.from))
	}
	if len(f.to) >= 8 {
		last = storage.ID(binary.BigEndian.Uint64(f.to))
		if len(f.to) == 8 && last > first {
			last-- // that one's rows begin behind
		}
	}
	return first, last
}

// errUnreadable says that not even the beginning of the file can be read.
var errUnreadable = fmt.Errorf("%w (neither of its two first pages can be read)", storage.ErrDamaged)

// pageReader reads the pages of a file as they were when it was made.
type pageReader struct {
	file     io.ReaderAt
	size     int
	root     uint64
	freelist uint64
	end      uint64 // one more than the last page
	used     pageSet
	row      func(bucket, key, value []byte) error
	bucket   func(name []byte, sequence uint64)
	fault    func(pageFault)

	only    []byte // the only bucket that is read; nil for all
	shallow bool   // leave the leaves of buckets alone
	leaves  int    // in how many steps from here they come, when shallow
	metas   int    // how many of the two first pages can be read
}

// readPages reads the beginning of a file. It returns errUnreadable.
func readPages(file io.ReaderAt) (*pageReader, error) {
	p := &pageReader{file: file}
	latest := uint64(0)
	try := func(at int64, size int) {
		b := make([]byte, pageHeader+64)
		if _, err := file.ReadAt(b, at); err != nil {
			return
		}
		b = b[pageHeader:]
		sum := fnv.New64a()
		sum.Write(b[:56])
		order := binary.NativeEndian
		pageSize, tx := int(order.Uint32(b[8:])), order.Uint64(b[48:])
		if order.Uint32(b) != fileMagic || order.Uint32(b[4:]) != fileVersion || order.Uint64(b[56:]) != sum.Sum64() || pageSize < 1024 || size != 0 && size != pageSize {
			return
		}
		p.metas++
		if p.size != 0 && tx < latest {
			return
		}
		latest = tx
		p.size, p.root, p.freelist, p.end = pageSize, order.Uint64(b[16:]), order.Uint64(b[32:]), order.Uint64(b[40:])
	}
	try(0, 0)
	for size := 1024; size <= 1<<16 && p.metas < 2; size *= 2 {
		try(int64(size), size)
	}
	if p.size == 0 || p.end > 1<<32 {
		return nil, errUnreadable
	}
	return p, nil
}

// walk reads all pages. Rows, in the order of their keys in each bucket, go to row, whose error ends it; what is wrong goes to fault.
func (p *pageReader) walk() error {
	p.used = newPageSet(p.end)
	p.used.add(0)
	p.used.add(1)
	if p.metas < 2 {
		p.fault(pageFault{why: "or its twin is not what was written: what was stored last may be lost"})
	}
	if err := p.tree(p.root, nil, nil, nil, 0); err != nil {
		return err
	}
	if _, err := p.file.ReadAt(make([]byte, 1), int64(p.end)*int64(p.size)-1); err != nil {
		p.fault(pageFault{page: p.end - 1, why: missing(err)})
	}
	free := p.free()
	for id := range p.end {
		if !p.used.has(id) && !free.has(id) {
			p.fault(pageFault{page: id, why: "is neither used nor free"})
		}
	}
	return nil
}

// outline reads all pages that lead to others, and the list of free ones, and with leaves all the others. It returns storage.ErrDamaged for what the library
// cannot survive: pages that lead to the same page twice, too deep, or to one that is free and so would be written over, or that do not lead where they should,
// which it may follow in a circle for ever; and pages and values of impossible lengths, for which it would take that much memory. Other faults are left to
// whoever comes across them.
func (p *pageReader) outline(leaves bool) error {
	var wrong error
	p.used = newPageSet(p.end)
	p.bucket = func([]byte, uint64) {}
	p.row = func([]byte, []byte, []byte) error { return nil }
	p.fault = func(f pageFault) {
		if wrong == nil && (f.why == usedTwice || f.why == tooDeep || f.why == usedAndFree || f.why == astray || f.why == beyondPage || f.why == tooLong || f.page == p.freelist) {
			wrong = fmt.Errorf("%w (%v)", storage.ErrDamaged, f)
		}
	}
	p.shallow = !leaves
	if err := p.tree(p.root, nil, nil, nil, 0); err != nil {
		return err
	}
	p.free()
	return wrong
}

const (
	usedTwice   = "is used twice"
	tooDeep     = "lies too deep"
	garbled     = "is not what was written"
	disorder    = "has keys in disorder"
	astray      = "does not lead to others as it should"
	usedAndFree = "is used and free at once"
	tooLong     = "is said to be longer than it can be"
	beyondPage  = "has values that reach beyond it"
)

// height is how many pages below this one its leaves are, by its first child, and their first.
func (p *pageReader) height(id uint64) int {
	b := make([]byte, pageHeader+pageElement)
	for height := range maxDepth {
		if id < 2 || id >= p.end {
			return height
		}
		if _, err := p.file.ReadAt(b, int64(id)*int64(p.size)); err != nil || binary.NativeEndian.Uint16(b[8:]) != branchPage {
			return height
		}
		id = binary.NativeEndian.Uint64(b[pageHeader+8:])
	}
	return maxDepth
}

// pageSet is a set of pages, a bit each.
type pageSet []uint64

func newPageSet(end uint64) pageSet  { return make(pageSet, end/64+1) }
func (s pageSet) has(id uint64) bool { return s[id/64]>>(id%64)&1 == 1 }
func (s pageSet) add(id uint64)      { s[id/64] |= 1 << (id % 64) }

// read returns a page with those that it runs over into, and its header's flags and count. why says what is wrong with it.
func (p *pageReader) read(id uint64) (b []byte, flags, count uint16, why string) {
	if id < 2 || id >= p.end {
		return nil, 0, 0, "is none of the file's"
	}
	if p.used.has(id) {
		return nil, 0, 0, usedTwice
	}
	header := make([]byte, pageHeader)
	if _, err := p.file.ReadAt(header, int64(id)*int64(p.size)); err != nil {
		return nil, 0, 0, missing(err)
	}
	order := binary.NativeEndian
	flags, count = order.Uint16(header[8:]), order.Uint16(header[10:])
	over := uint64(order.Uint32(header[12:]))
	switch {
	case order.Uint64(header) != id:
		return nil, 0, 0, garbled
	case over >= p.end-id || over > maxPageBytes/uint64(p.size) && flags != freelistPage:
		return nil, 0, 0, tooLong
	}
	for i := range over + 1 {
		if p.used.has(id + i) {
			return nil, 0, 0, usedTwice
		}
	}
	for i := range over + 1 {
		p.used.add(id + i)
	}
	b = make([]byte, (int(over)+1)*p.size)
	if _, err := p.file.ReadAt(b, int64(id)*int64(p.size)); err != nil {
		return nil, 0, 0, missing(err)
	}
	return b, flags, count, ""
}

func missing(err error) string {
	if errors.Is(err, io.EOF) {
		return "is missing: the file is too short"
	}
	return "cannot be read: " + err.Error()
}

// tree reads a page of a bucket, nil for the list of buckets, and all below it; its keys should be from from up to to.
func (p *pageReader) tree(id uint64, bucket, from, to []byte, depth int) error {
	bad := func(why string) error {
		p.fault(pageFault{page: id, bucket: bucket, from: from, to: to, why: why, rows: true})
		return nil
	}
	if depth > maxDepth {
		return bad(tooDeep)
	}
	if p.shallow && bucket != nil && depth >= p.leaves {
		switch {
		case id < 2 || id >= p.end:
			return bad("is none of the file's")
		case p.used.has(id):
			return bad(usedTwice)
		}
		p.used.add(id)
		return nil
	}
	b, flags, count, why := p.read(id)
	if why != "" {
		return bad(why)
	}
	return p.elements(b, flags, count, bucket, from, to, depth, bad)
}

// elements reads what is on a page, after checking all of it.
func (p *pageReader) elements(b []byte, flags, count uint16, bucket, from, to []byte, depth int, bad func(string) error) error {
	unread := func(why string) error {
		if flags == branchPage || bucket == nil {
			why = astray
		}
		return bad(why)
	}
	if flags != branchPage && flags != leafPage || flags == branchPage && count == 0 || pageHeader+int(count)*pageElement > len(b) {
		return unread(garbled)
	}
	order := binary.NativeEndian
	type element struct {
		key, value []byte
		child      uint64 // of a branch
		bucket     bool   // of a leaf
	}
	list := make([]element, count)
	for i := range list {
		at := pageHeader + i*pageElement
		e := b[at : at+pageElement]
		var x element
		pos, keyLen, valueLen := uint64(order.Uint32(e)), uint64(order.Uint32(e[4:])), uint64(0)
		if flags == branchPage {
			x.child = order.Uint64(e[8:])
		} else {
			x.bucket = pos == bucketElement
			if pos > bucketElement {
				return bad(garbled)
			}
			pos, keyLen, valueLen = keyLen, uint64(order.Uint32(e[8:])), uint64(order.Uint32(e[12:]))
		}
		start := uint64(at) + pos
		if start < uint64(pageHeader+int(count)*pageElement) || start+keyLen+valueLen > uint64(len(b)) {
			return bad(beyondPage)
		}
		x.key, x.value = b[start:start+keyLen], b[start+keyLen:start+keyLen+valueLen]
		before := from
		if i > 0 {
			before = list[i-1].key
		}
		if c := bytes.Compare(x.key, before); c < 0 || c == 0 && i > 0 || to != nil && bytes.Compare(x.key, to) >= 0 {
			return unread(disorder)
		}
		list[i] = x
	}
	for i, x := range list {
		var err error
		switch {
		case flags == branchPage:
			end := to
			if i+1 < len(list) {
				end = list[i+1].key
			}
			err = p.tree(x.child, bucket, x.key, end, depth+1)
		case x.bucket && bucket == nil:
			err = p.openBucket(x.key, x.value, depth)
		case x.bucket || bucket == nil:
			err = bad(garbled)
		default:
			err = p.row(bucket, x.key, x.value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// openBucket reads a bucket, whose only page lies in its own entry when it is small.
func (p *pageReader) openBucket(name, b []byte, depth int) error {
	if len(b) < bucketHeader {
		p.fault(pageFault{bucket: name, why: "does not say where the bucket begins", rows: true})
		return nil
	}
	if p.only != nil && !bytes.Equal(p.only, name) {
		return nil
	}
	order := binary.NativeEndian
	root, sequence := order.Uint64(b), order.Uint64(b[8:])
	p.bucket(name, sequence)
	if root != 0 {
		if p.shallow {
			if p.leaves = depth + 1 + p.height(root); p.leaves > maxDepth {
				p.fault(pageFault{page: root, bucket: name, why: tooDeep, rows: true})
				return nil
			}
		}
		return p.tree(root, name, nil, nil, depth+1)
	}
	bad := func(why string) error {
		p.fault(pageFault{bucket: name, why: why, rows: true})
		return nil
	}
	b = b[bucketHeader:]
	if len(b) < pageHeader || order.Uint16(b[8:]) != leafPage {
		return bad(astray) // the library takes such a page for its own parent
	}
	return p.elements(b, leafPage, order.Uint16(b[10:]), name, nil, nil, depth, bad)
}

// free reads the list of free pages.
func (p *pageReader) free() pageSet {
	free := newPageSet(p.end)
	if p.freelist == noFreelist {
		return free
	}
	bad := func(why string) pageSet {
		p.fault(pageFault{page: p.freelist, why: why + " (the list of free pages)"})
		for i := range free { // unknown, so nothing is said of the others
			free[i] = math.MaxUint64
		}
		return free
	}
	b, flags, count, why := p.read(p.freelist)
	if why != "" {
		return bad(why)
	}
	order := binary.NativeEndian
	n, at := uint64(count), pageHeader
	if count == math.MaxUint16 {
		n, at = order.Uint64(b[pageHeader:]), pageHeader+8
	}
	if flags != freelistPage || n > uint64(len(b)-at)/8 {
		return bad(garbled)
	}
	for i := range n {
		id := order.Uint64(b[at+int(i)*8:])
		switch {
		case id < 2 || id >= p.end || free.has(id):
			return bad(garbled)
		case p.used.has(id):
			p.fault(pageFault{page: id, why: usedAndFree})
		}
		free.add(id)
	}
	return free
}
