package bolt

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"go.etcd.io/bbolt"

	"marque/storage/kv"
)

// Damaged is a file that may be damaged anywhere. If pairs may be missing, a read returns kv.ErrDamaged; Scan also
// returns the pairs that it has read by then. Keys and values are not checked, and may differ from those that were
// written.
type Damaged struct {
	engine *Engine
	pages  pages
	behind bool
}

// OpenDamaged opens a file for reading, and prevents other processes from opening it for writing. Errors wrap a
// *FileError, as for Open. A file cannot be read if both of its meta pages, the first two pages, are damaged, because
// they say where the other pages are.
func OpenDamaged(path string) (*Damaged, error) {
	e, err := openUnseen(path)
	if err != nil {
		return nil, explain(path, err)
	}
	d := &Damaged{engine: e, behind: e.checkMeta() != nil}
	err = guard(func() error {
		return e.db.View(func(tx *bbolt.Tx) error { d.pages = pagesOf(tx, e.file); return nil })
	})
	if err != nil {
		return nil, errors.Join(explain(path, err), e.db.Close())
	}
	return d, nil
}

// Behind reports whether the latest commit may be missing from what is read. Commits are recorded alternately in the
// two meta pages. If one of them is damaged, it may have recorded the latest commit.
func (d *Damaged) Behind() bool { return d.behind }

// View runs read on the file.
func (d *Damaged) View(ctx context.Context, read func(kv.Reader) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return read(damagedReader{d.pages})
}

// Spaces returns the spaces whose names can be read, including those without keys.
func (d *Damaged) Spaces(ctx context.Context) (list []kv.Space, err error) {
	err = d.pages.spaces(func(name []byte, _ origin, err error) error {
		if err == nil && !bytes.Equal(name, metaBucket) {
			list = append(list, kv.Space(name))
		}
		return ctx.Err()
	})
	return list, err
}

// Close closes the file.
func (d *Damaged) Close() error { return d.engine.Close() }

// damagedReader reads pages without bbolt.
type damagedReader struct{ pages pages }

// Scan implements kv.Reader.
func (r damagedReader) Scan(rg kv.Range, order kv.Order, limit int) (list []kv.Pair, err error) {
	err = r.each(rg, order, func(x part) error {
		if list = append(list, kv.Pair{Key: x.key, Value: x.value}); len(list) == limit {
			return errEnough
		}
		return nil
	})
	return list, err
}

// Get implements kv.Reader.
func (r damagedReader) Get(keys ...kv.Key) ([][]byte, error) {
	values := make([][]byte, len(keys))
	for i, k := range keys {
		found, err := r.Scan(kv.Range{Space: k.Space, From: k.Key, To: append(slices.Clone(k.Key), 0)}, kv.Ascending, 1)
		if err != nil {
			return nil, err
		}
		for _, p := range found {
			values[i] = p.Value
		}
	}
	return values, nil
}

// Count implements kv.Reader.
func (r damagedReader) Count(rg kv.Range) (n int, err error) {
	err = r.each(rg, kv.Ascending, func(part) error { n++; return nil })
	return n, err
}

// each calls f with the pairs of a range until f returns an error. It returns this error, or nil for errEnough.
func (r damagedReader) each(rg kv.Range, order kv.Order, f func(part) error) error {
	begins, there := origin{}, false
	var hole error // an unreadable part of the list of spaces, which may have listed the space
	err := r.pages.walk(origin{page: r.pages.root}, bounds{}, kv.Ascending, func(x part) (err error) {
		switch {
		case x.hole != nil:
			hole = x.hole
		case string(x.key) == string(rg.Space):
			there = true
			begins, err = originOf(x.value)
		}
		return err
	})
	if err != nil {
		return err
	}
	if !there {
		return hole
	}
	err = r.pages.walk(begins, bounds{rg.From, rg.To}, order, func(x part) error {
		if x.hole != nil {
			return x.hole
		}
		return f(x)
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}
