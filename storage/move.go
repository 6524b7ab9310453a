package storage

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"marque/storage/kv"
)

// ErrNotEmpty says that the target store is not empty.
var ErrNotEmpty = errors.New("something is stored there already")

// Digest is a checksum of all values in a store, independent of their order. Stores with the same contents have the
// same digest.
type Digest struct {
	Tables int
	Values int
	sum    [4]uint64
}

// add adds a value, and its key, to the checksum.
func (d *Digest) add(at kv.Key, value []byte) {
	h := sha256.New()
	for _, b := range [][]byte{[]byte(at.Space), at.Key, value} {
		h.Write(binary.AppendUvarint(nil, uint64(len(b))))
		h.Write(b)
	}
	for i, part := range slices.Collect(slices.Chunk(h.Sum(nil), 8)) {
		d.sum[i] += binary.BigEndian.Uint64(part)
	}
	d.Values++
	if x, _ := find(at.Space, at.Key); x == anyKind(heads) {
		d.Tables++
	}
}

// DigestOf returns the digest of an engine's contents.
func DigestOf(ctx context.Context, engine kv.Engine) (d Digest, err error) {
	err = eachPair(ctx, engine, func(at kv.Key, value []byte) error { d.add(at, value); return nil })
	return d, err
}

// eachPair calls f with all pairs of a source in one snapshot, including index entries. It also reads all spaces that
// this program knows, because a space may get its first key after the spaces were listed.
func eachPair(ctx context.Context, from Source, f func(at kv.Key, value []byte) error) error {
	spaces, err := from.Spaces(ctx)
	if err != nil {
		return err
	}
	spaces = append(spaces, Spaces()...)
	slices.Sort(spaces)
	spaces = slices.Compact(spaces)
	return from.View(ctx, func(r kv.Reader) error {
		for _, space := range spaces {
			err := each(r, kv.Range{Space: space}, func(p kv.Pair) error {
				return errors.Join(f(kv.Key{Space: space, Key: p.Key}, p.Value), ctx.Err())
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// moveBytes is the approximate number of bytes after which Move commits a transaction.
const moveBytes = 4 << 20

// Move copies a snapshot of the whole store into an empty engine, and returns the digest of the copy. Unfinished jobs
// continue in the copy. The schema version is written last, so that an interrupted copy does not count as a store. Move
// returns ErrNotEmpty if the engine is not empty, and ErrDamaged if the copy differs from the original.
func (s *Store) Move(ctx context.Context, to kv.Engine) (Digest, error) {
	var d Digest
	there, err := to.Spaces(ctx)
	if err != nil {
		return d, err
	}
	if len(there) > 0 {
		return d, ErrNotEmpty
	}
	m := mover{to: to}
	schema := sequences.key(key{name: schemaName})
	var version []byte
	err = eachPair(ctx, s.db, func(at kv.Key, value []byte) error {
		d.add(at, value)
		if at.Space == schema.Space && bytes.Equal(at.Key, schema.Key) {
			version = slices.Clone(value)
			return nil
		}
		return m.put(ctx, kv.Key{Space: at.Space, Key: slices.Clone(at.Key)}, slices.Clone(value))
	})
	if err == nil {
		err = m.flush(ctx)
	}
	if err == nil {
		err = m.commit(ctx, []kv.Change{{Key: schema, Value: version}})
	}
	if err != nil {
		return d, err
	}
	arrived, err := DigestOf(ctx, to)
	if err == nil && arrived != d {
		err = fmt.Errorf("%w: what arrived is not what was sent", ErrDamaged)
	}
	return d, err
}

// mover writes many values, in transactions of limited size.
type mover struct {
	to      kv.Engine
	changes []kv.Change
	bytes   int
}

func (m *mover) put(ctx context.Context, k kv.Key, value []byte) error {
	if value == nil {
		value = []byte{}
	}
	m.changes = append(m.changes, kv.Change{Key: k, Value: value})
	if m.bytes += len(k.Key) + len(value); m.bytes < moveBytes && len(m.changes) < moveBytes>>8 {
		return nil
	}
	return m.flush(ctx)
}

func (m *mover) flush(ctx context.Context) error {
	slices.SortFunc(m.changes, func(a, b kv.Change) int {
		return cmp.Or(cmp.Compare(a.Key.Space, b.Key.Space), bytes.Compare(a.Key.Key, b.Key.Key))
	})
	err := m.commit(ctx, m.changes)
	m.changes, m.bytes = nil, 0
	return err
}

func (m *mover) commit(ctx context.Context, changes []kv.Change) error {
	if len(changes) == 0 {
		return nil
	}
	tx, _, err := m.to.Begin(ctx, nil, nil, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	return tx.Commit(ctx, changes)
}
