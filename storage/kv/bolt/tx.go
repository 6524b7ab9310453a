package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"syscall"

	"go.etcd.io/bbolt"

	"marque/storage/kv"
)

// reader reads one snapshot of the file.
type reader struct {
	tx      *bbolt.Tx
	buckets map[kv.Space]*bbolt.Bucket
}

// bucket returns a space's bucket; nil if the file has none for it.
func (r *reader) bucket(space kv.Space) *bbolt.Bucket {
	b, ok := r.buckets[space]
	if !ok {
		if r.buckets == nil {
			r.buckets = map[kv.Space]*bbolt.Bucket{}
		}
		b = r.tx.Bucket([]byte(space))
		r.buckets[space] = b
	}
	return b
}

func (r *reader) Get(keys ...kv.Key) ([][]byte, error) {
	values := make([][]byte, len(keys))
	for i, k := range keys {
		if b := r.bucket(k.Space); b != nil {
			values[i] = b.Get(k.Key)
		}
	}
	return values, nil
}

func (r *reader) Scan(rg kv.Range, order kv.Order, limit int) ([]kv.Pair, error) {
	var list []kv.Pair
	r.each(rg, order, func(k, v []byte) bool {
		list = append(list, kv.Pair{Key: k, Value: v})
		return len(list) < limit
	})
	return list, nil
}

func (r *reader) Count(rg kv.Range) (int, error) {
	n := 0
	r.each(rg, kv.Ascending, func(_, _ []byte) bool { n++; return true })
	return n, nil
}

// each calls f with the pairs of a range until f returns false.
func (r *reader) each(rg kv.Range, order kv.Order, f func(k, v []byte) bool) {
	b := r.bucket(rg.Space)
	if b == nil {
		return
	}
	c := b.Cursor()
	if order == kv.Ascending {
		for k, v := c.Seek(rg.From); k != nil && (rg.To == nil || bytes.Compare(k, rg.To) < 0); k, v = c.Next() {
			if !f(k, v) {
				return
			}
		}
		return
	}
	for k, v := last(c, rg.To); k != nil && bytes.Compare(k, rg.From) >= 0; k, v = c.Prev() {
		if !f(k, v) {
			return
		}
	}
}

// last returns the last pair before to; nil stands for the end of the bucket.
func last(c *bbolt.Cursor, to []byte) (k, v []byte) {
	if to != nil {
		if k, _ := c.Seek(to); k != nil {
			return c.Prev()
		}
	}
	return c.Last()
}

// tx is a write transaction.
type tx struct {
	reader
	engine *Engine
	over   bool
}

// Begin begins a write transaction. Only one runs at a time. A file has no leases, so all fences are valid.
func (e *Engine) Begin(_ context.Context, _ []kv.Lock, fences []kv.Fence, _ []kv.Want) (kv.Tx, []bool, error) {
	t, err := e.beginTx()
	if err != nil {
		return nil, nil, err
	}
	held := make([]bool, len(fences))
	for i := range held {
		held[i] = true
	}
	return t, held, nil
}

func (e *Engine) beginTx() (*tx, error) {
	if err := e.broken.Load(); err != nil {
		return nil, *err
	}
	t := &tx{engine: e}
	if err := guard(func() (err error) { t.tx, err = e.db.Begin(true); return err }); err != nil {
		e.broke(err)
		return nil, fmt.Errorf("beginning to write: %w", err)
	}
	return t, nil
}

// broke records that damage prevented a transaction from beginning or from being rolled back. bbolt then keeps its lock
// forever.
func (e *Engine) broke(err error) {
	if errors.Is(err, kv.ErrDamaged) {
		err = fmt.Errorf("writing was given up until the next start: %w", err)
		e.broken.Store(&err)
	}
}

// Reads of a transaction return copies of pairs, because a Work uses them outside of guard, which handles faults in the
// mapped file.

func (t *tx) Get(keys ...kv.Key) (values [][]byte, err error) {
	err = guard(func() error {
		values, _ = t.reader.Get(keys...)
		for i, v := range values {
			values[i] = bytes.Clone(v)
		}
		return nil
	})
	return values, err
}

func (t *tx) Scan(rg kv.Range, order kv.Order, limit int) (list []kv.Pair, err error) {
	err = guard(func() error {
		list, _ = t.reader.Scan(rg, order, limit)
		for i, p := range list {
			list[i] = kv.Pair{Key: bytes.Clone(p.Key), Value: bytes.Clone(p.Value)}
		}
		return nil
	})
	return list, err
}

func (t *tx) Count(rg kv.Range) (n int, err error) {
	err = guard(func() error { n, err = t.reader.Count(rg); return err })
	return n, err
}

// Commit writes changes and syncs the file.
func (t *tx) Commit(_ context.Context, changes []kv.Change) error {
	if err := guard(func() error { return t.apply(changes) }); err != nil {
		t.Rollback()
		return err
	}
	return t.commit()
}

func (t *tx) apply(changes []kv.Change) error {
	t.buckets = nil
	for _, c := range changes {
		if c.Delete != nil {
			if err := t.deleteRange(*c.Delete); err != nil {
				return err
			}
			continue
		}
		b := t.bucket(c.Key.Space)
		var err error
		switch {
		case string(metaBucket) == string(c.Key.Space):
			err = fmt.Errorf("%w: %q is no space", kv.ErrLimits, c.Key.Space)
		case c.Value != nil && b == nil:
			if b, err = t.tx.CreateBucket([]byte(c.Key.Space)); err != nil {
				return err
			}
			t.buckets[c.Key.Space] = b
			err = b.Put(c.Key.Key, c.Value)
		case c.Value != nil:
			err = b.Put(c.Key.Key, c.Value)
		case b != nil:
			err = b.Delete(c.Key.Key)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// rangePage is the number of keys that deleteRange reads before it deletes them, because a cursor is not valid after a
// deletion.
const rangePage = 1000

func (t *tx) deleteRange(rg kv.Range) error {
	for {
		list, err := t.reader.Scan(rg, kv.Ascending, rangePage)
		if err != nil {
			return err
		}
		for i, p := range list {
			list[i].Key = bytes.Clone(p.Key)
		}
		for _, p := range list {
			if err := t.bucket(rg.Space).Delete(p.Key); err != nil {
				return err
			}
		}
		if len(list) < rangePage {
			return nil
		}
	}
}

func (t *tx) commit() error {
	number := t.tx.ID()
	err := guard(t.tx.Commit)
	if err == nil {
		t.over = true
		return nil
	}
	t.Rollback()
	return t.engine.diskError(number, fmt.Errorf("writing to the disk: %w", err))
}

// Rollback ends the transaction without changes.
func (t *tx) Rollback() {
	if t.over {
		return
	}
	t.over = true
	t.engine.broke(guard(t.tx.Rollback))
}

// diskError turns the error of a commit into a *kv.DiskError if the disk caused it. number is the number of the
// transaction.
func (e *Engine) diskError(number int, err error) error {
	problem := kv.DiskFailed
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		problem = kv.DiskFull
	case errors.Is(err, syscall.EROFS):
		problem = kv.DiskReadOnly
	case !errors.Is(err, syscall.EIO):
		return err
	}
	// The last page that a commit writes makes the commit valid. If the failure came after that page, the commit may be
	// on the disk.
	latest := number
	if guard(func() error {
		return e.db.View(func(tx *bbolt.Tx) error { latest = tx.ID(); return nil })
	}) != nil || latest >= number {
		problem = kv.DiskFailed
	}
	return &kv.DiskError{Problem: problem, Err: err}
}
