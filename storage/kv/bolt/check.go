package bolt

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"

	"go.etcd.io/bbolt"

	"marque/storage/kv"
)

// CheckPages reads the whole file and calls fault for what is wrong with its pages, whatever is in
// them. What it finds sound can be read to the end. Where the file is open for writing, writers wait
// until it returns. It returns ctx's error.
func (e *Engine) CheckPages(ctx context.Context, fault func(error)) error {
	if err := e.checkMeta(); err != nil {
		fault(err)
		return nil
	}
	// The library's own check runs in a goroutine of its own, where a damaged page would end the
	// program: so everything is read here first.
	err := guard(func() error {
		// What others write meanwhile would not fit the list of free pages.
		tx, err := e.db.Begin(!e.db.IsReadOnly())
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }()
		_, err = walk(tx.Cursor(), func(name, _ []byte) error {
			if err := e.circles[kv.Space(name)]; err != nil {
				return err
			}
			b := tx.Bucket(name)
			if b == nil {
				return fmt.Errorf("%w (the space %q cannot be opened)", kv.ErrDamaged, name)
			}
			_, err := walk(b.Cursor(), func(_, value []byte) error {
				if value == nil {
					return fmt.Errorf("%w (there is a space in the space %q)", kv.ErrDamaged, name)
				}
				return ctx.Err()
			})
			return err
		})
		if err != nil {
			return err
		}
		for err := range tx.Check() {
			fault(fmt.Errorf("%w (%w)", kv.ErrDamaged, err))
		}
		return nil
	})
	if err != nil && ctx.Err() == nil {
		fault(err)
	}
	return ctx.Err()
}

// walk reads all pairs of a bucket and calls f with each. The sum is there to have all pages of each
// value read.
func walk(c *bbolt.Cursor, f func(k, v []byte) error) (sum byte, err error) {
	for k, v := c.First(); k != nil; k, v = c.Next() {
		for _, b := range [][]byte{k, v} {
			if len(b) > 0 {
				sum ^= b[0] ^ b[len(b)-1]
			}
		}
		if err := f(k, v); err != nil {
			return sum, err
		}
	}
	return sum, nil
}

// A bbolt file begins with two meta pages. The library takes the later one with a right checksum. A
// wrong one is damage all the same: the last commit may have been in it.
const (
	pageHeader = 16
	metaMagic  = 0xED0CDAED
	metaSummed = 56 // bytes before the checksum
)

func (e *Engine) checkMeta() error {
	size := int64(e.db.Info().PageSize)
	for page := range int64(2) {
		b := make([]byte, metaSummed+8)
		if _, err := e.file.ReadAt(b, page*size+pageHeader); err != nil {
			return fmt.Errorf("%w (%w)", kv.ErrDamaged, err)
		}
		sum := fnv.New64a()
		sum.Write(b[:metaSummed])
		if binary.NativeEndian.Uint32(b) != metaMagic || binary.NativeEndian.Uint64(b[metaSummed:]) != sum.Sum64() {
			return fmt.Errorf("%w (its meta page %d is not as it was written)", kv.ErrDamaged, page)
		}
	}
	return nil
}

// OpenToRead opens a file that nobody has open for writing, and keeps others from opening it so.
// Errors are *FileErrors as of Open.
func OpenToRead(path string) (*Engine, error) {
	e, err := OpenDamaged(path)
	if err != nil {
		return nil, err
	}
	err = guard(func() error { return e.db.View(suits) })
	if err != nil {
		return nil, errors.Join(explain(path, err), e.db.Close())
	}
	return e, nil
}

// OpenDamaged is OpenToRead for a file in which anything may be wrong: it reads what can be read.
func OpenDamaged(path string) (*Engine, error) {
	info, err := os.Stat(path)
	if err == nil && info.Size() == 0 {
		err = fmt.Errorf("%w (it is empty)", kv.ErrDamaged)
	}
	if err != nil {
		return nil, explain(path, err)
	}
	e := &Engine{}
	err = guard(func() (err error) {
		e.db, err = bbolt.Open(path, 0o600, &bbolt.Options{
			OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
				f, err := os.OpenFile(name, flag, mode)
				e.file = f
				return f, err
			},
			Timeout: lockPatience, ReadOnly: true, NoStatistics: true,
		})
		return err
	})
	if err == nil {
		err = guard(func() error {
			return e.db.View(func(tx *bbolt.Tx) error {
				e.circles = map[kv.Space]error{}
				return eachSpace(tx, e.file, func(space kv.Space, _ *bbolt.Bucket, err error) error {
					e.circles[space] = err
					return nil
				})
			})
		})
		if err != nil {
			_ = e.db.Close()
		}
	}
	if err != nil {
		return nil, explain(path, err)
	}
	return e, nil
}

// eachSpace calls f with all spaces of a file, and with an error for those that the library could not read to an end.
func eachSpace(tx *bbolt.Tx, file io.ReaderAt, f func(space kv.Space, b *bbolt.Bucket, err error) error) error {
	size := int64(tx.DB().Info().PageSize)
	spoilt := map[string]bool{}
	var behind error // an entry that would lead the library to bytes behind the page
	leaf := func(page []byte) {
		for i := range int(binary.NativeEndian.Uint16(page[10:])) {
			// flags, place of the name behind here, lengths of the name and the value, 4 bytes each
			at := pageHeader + 16*i
			if at+16 > len(page) {
				behind = fmt.Errorf("%w (its list of spaces has more entries than its page)", kv.ErrDamaged)
				return
			}
			from := at + int(binary.NativeEndian.Uint32(page[at+4:]))
			to := from + int(binary.NativeEndian.Uint32(page[at+8:]))
			end := to + int(binary.NativeEndian.Uint32(page[at+12:]))
			switch {
			case end > len(page):
				behind = fmt.Errorf("%w (an entry of its list of spaces reaches behind its page)", kv.ErrDamaged)
			case binary.NativeEndian.Uint32(page[at:])&1 != 0 && !holdsItsPage(page[to:end]):
				spoilt[string(page[from:to])] = true
			}
		}
	}
	if err := circular(file, size, uint64(tx.Cursor().Bucket().Root()), map[uint64]bool{}, leaf); err != nil {
		return err
	}
	if behind != nil {
		return behind
	}
	return tx.ForEach(func(name []byte, b *bbolt.Bucket) (err error) {
		switch {
		case b == nil:
			return nil
		case b.Root() != 0:
			err = circular(file, size, uint64(b.Root()), map[uint64]bool{}, nil)
		case spoilt[string(name)]:
			err = fmt.Errorf("%w (the space %q lies in no page of its kind)", kv.ErrDamaged, name)
		}
		return f(kv.Space(name), b, err)
	})
}

// holdsItsPage reports whether the value of a bucket leads to a page elsewhere, or holds a page of its
// own with all that is in it. The library may copy such a value into memory of its own, where a
// place behind its end is nobody's, and ends the program.
func holdsItsPage(value []byte) bool {
	// the root page and a number, 8 bytes each, and, where the root is 0, the page itself
	const begin = 16
	if len(value) < begin || binary.NativeEndian.Uint64(value) != 0 {
		return len(value) >= begin
	}
	page := value[begin:]
	if len(page) < pageHeader || binary.NativeEndian.Uint16(page[8:]) != leafPage {
		return false
	}
	for i := range int(binary.NativeEndian.Uint16(page[10:])) {
		at := pageHeader + 16*i
		if at+16 > len(page) {
			return false
		}
		place, key, of := binary.NativeEndian.Uint32(page[at+4:]), binary.NativeEndian.Uint32(page[at+8:]),
			binary.NativeEndian.Uint32(page[at+12:])
		if at+int(place)+int(key)+int(of) > len(page) {
			return false
		}
	}
	return true
}

// The flags of pages that lead to others, and of those that have values.
const (
	branchPage = 1
	leafPage   = 2
)

// circular follows a page to all pages below it. It returns kv.ErrDamaged where the library would
// not find an end: two ways lead to one page, a page is of neither kind, or it leads nowhere. Pages
// that cannot be read are left to the library, which finds them. leaf, unless nil, is called with
// the pages that have values.
func circular(file io.ReaderAt, size int64, page uint64, seen map[uint64]bool, leaf func(page []byte)) error {
	header := make([]byte, pageHeader)
	if _, err := file.ReadAt(header, int64(page)*size); err != nil {
		return nil //nolint:nilerr // see above
	}
	flags, count := binary.NativeEndian.Uint16(header[8:]), int(binary.NativeEndian.Uint16(header[10:]))
	switch {
	case flags == leafPage && leaf != nil:
		whole := make([]byte, size*(1+int64(min(binary.NativeEndian.Uint32(header[12:]), 1<<10))))
		n, _ := file.ReadAt(whole, int64(page)*size)
		leaf(whole[:n])
		return nil
	case flags == leafPage:
		return nil
	case flags != branchPage || count == 0 || seen[page]:
		return fmt.Errorf("%w (its pages lead nowhere, over page %d)", kv.ErrDamaged, page)
	}
	seen[page] = true
	elements := make([]byte, 16*count)
	if _, err := file.ReadAt(elements, int64(page)*size+pageHeader); err != nil {
		return nil //nolint:nilerr // see above
	}
	for ; len(elements) > 0; elements = elements[16:] {
		if err := circular(file, size, binary.NativeEndian.Uint64(elements[8:]), seen, leaf); err != nil {
			return err
		}
	}
	return nil
}
