package bolt

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"os"

	"go.etcd.io/bbolt"

	"marque/storage/kv"
)

// CheckPages reads the whole file and calls fault with the first damage that it finds in the pages. It does not check
// keys and values. A file without such damage can be read to its end. If the file is open for writing, writers wait
// until CheckPages returns. CheckPages returns ctx's error.
func (e *Engine) CheckPages(ctx context.Context, fault func(error)) error {
	if err := e.checkMeta(); err != nil {
		fault(err)
		return nil
	}
	err := guard(func() error {
		// A concurrent commit would change the list of free pages.
		tx, err := e.db.Begin(!e.db.IsReadOnly())
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }()
		// bbolt's own check relies on valid pages, and cannot be cancelled.
		return pagesOf(tx, e.file).check(e.freeList(), ctx.Err)
	})
	if err != nil && ctx.Err() == nil {
		fault(err)
	}
	return ctx.Err()
}

// A bbolt file begins with two meta pages, of which bbolt uses the later one with a correct checksum. A meta page with
// a wrong checksum counts as damage, because it may have recorded the last commit.
const (
	metaPage   = 4 // flag of a meta page
	metaMagic  = 0xED0CDAED
	metaSummed = 56 // number of bytes that the checksum covers
)

func (e *Engine) checkMeta() error {
	size := int64(e.db.Info().PageSize)
	for page := range int64(2) {
		raw := make([]byte, pageHeader+metaSummed+8)
		if _, err := e.file.ReadAt(raw, page*size); err != nil {
			return fmt.Errorf("%w (%w)", kv.ErrDamaged, err)
		}
		if n := binary.NativeEndian.Uint64(raw); n != uint64(page) {
			return fmt.Errorf("%w (its meta page %d says that it is page %d)", kv.ErrDamaged, page, n)
		}
		if kind := binary.NativeEndian.Uint16(raw[8:]); kind != metaPage {
			return fmt.Errorf("%w (its meta page %d says that it is of kind %d)", kv.ErrDamaged, page, kind)
		}
		b := raw[pageHeader:]
		sum := fnv.New64a()
		sum.Write(b[:metaSummed])
		if binary.NativeEndian.Uint32(b) != metaMagic || binary.NativeEndian.Uint64(b[metaSummed:]) != sum.Sum64() {
			return fmt.Errorf("%w (its meta page %d is not as it was written)", kv.ErrDamaged, page)
		}
	}
	return nil
}

// freeList returns the number of the first page of the list of free pages, as recorded in the later meta page.
func (e *Engine) freeList() (list uint64) {
	const freelist, commit = pageHeader + 32, pageHeader + 48 // offsets of two numbers of 8 bytes
	var latest uint64
	for page := range int64(2) {
		raw := make([]byte, pageHeader+metaSummed)
		_, err := e.file.ReadAt(raw, page*int64(e.db.Info().PageSize))
		if n := binary.NativeEndian.Uint64(raw[commit:]); err == nil && n >= latest {
			latest, list = n, binary.NativeEndian.Uint64(raw[freelist:])
		}
	}
	return list
}

// OpenToRead opens a file for reading, and prevents other processes from opening it for writing. It fails if a process
// already has the file open for writing. Its errors wrap a *FileError, as for Open.
func OpenToRead(path string) (*Engine, error) {
	e, err := openUnseen(path)
	if err != nil {
		return nil, explain(path, err)
	}
	err = guard(func() error {
		return e.db.View(func(tx *bbolt.Tx) error {
			if err := pagesOf(tx, e.file).accounted().checkWays(); err != nil {
				return err
			}
			return suits(tx)
		})
	})
	if err != nil {
		return nil, errors.Join(explain(path, err), e.db.Close())
	}
	return e, nil
}

// openUnseen opens a file for reading. It checks only the beginning of the file.
func openUnseen(path string) (*Engine, error) {
	info, err := os.Stat(path)
	if err == nil && info.Size() == 0 {
		err = fmt.Errorf("%w (it is empty)", kv.ErrDamaged)
	}
	if err != nil {
		return nil, err
	}
	return openWith(path, bbolt.Options{ReadOnly: true, NoStatistics: true})
}
