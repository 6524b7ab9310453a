package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"

	"go.etcd.io/bbolt"

	"marque/storage"
)

// Turns lists at most limit tables that wait for a user's move, of all servers, those first that have
// waited longest. A table that is paused waits for nobody.
func (s *lists) Turns(ctx context.Context, user string, limit int) ([]storage.Turn, error) {
	var list []storage.Turn
	prefix := name(nil, user)
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		c := tx.Bucket(turnBucket).Cursor()
		for k, _ := c.Seek(prefix); bytes.HasPrefix(k, prefix) && len(list) < limit; k, _ = c.Next() {
			k = k[len(prefix):]
			if len(k) < 16 {
				return damaged(turnBucket, k, unknownFormat)
			}
			list = append(list, storage.Turn{
				Since: storage.Stamp(binary.BigEndian.Uint64(k)), Table: tableOf(k[:16]), Guild: string(k[16:]),
			})
		}
		return nil
	})
	return list, err
}

// RematchOf returns the table that goes on as the rematch of another, the oldest when there are
// several; 0 when there is none.
func (s *lists) RematchOf(ctx context.Context, id storage.ID) (storage.ID, error) {
	var rematch storage.ID
	prefix := tableKey(id)
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		if k, _ := tx.Bucket(rematchBucket).Cursor().Seek(prefix); bytes.HasPrefix(k, prefix) {
			rematch = tableOf(k)
		}
		return nil
	})
	return rematch, err
}

// oldestIn is the oldest table of a channel that goes on; 0 when there is none.
func oldestIn(tx *bbolt.Tx, channel string) storage.ID {
	prefix := append(name(nil, channel), 0)
	if k, _ := tx.Bucket(channelBucket).Cursor().Seek(prefix); bytes.HasPrefix(k, prefix) {
		return tableOf(k)
	}
	return 0
}

// eachActive calls f with the guildBucket's keys of tables that go on, from a key on, nil for the
// first. It passes over tables that are over without reading their keys. It ends with f's error.
func eachActive(tx *bbolt.Tx, from []byte, f func(k []byte) error) error {
	c := tx.Bucket(guildBucket).Cursor()
	for k, _ := c.Seek(from); k != nil; {
		if k[len(k)-9] != 0 { // it is over, and so are all the others of its server that follow
			k, _ = c.Seek(append(bytes.Clone(k[:len(k)-9]), 2))
			continue
		}
		if err := f(k); err != nil {
			return err
		}
		k, _ = c.Next()
	}
	return nil
}

// errEnough ends a walk.
var errEnough = errors.New("enough")

// isFilledIn reports whether an index is one of those that fillIndexes fills in.
func isFilledIn(bucket []byte) bool {
	return bytes.Equal(bucket, turnBucket) || bytes.Equal(bucket, rematchBucket)
}

// isFilled reports whether they are filled in: not in a file of schema 1.
func isFilled(tx *bbolt.Tx) bool {
	return tx.Bucket(jobBucket) != nil && tx.Bucket(jobBucket).Get(jobKey(fillTurns, "")) == nil
}

// fillRows bounds how many tables one commit of fillIndexes enters.
const fillRows = 200

// fillIndexes enters the tables of a file of schema 1 that go on into the indexes of turns and
// rematches. It goes on where an earlier process was cut off.
func (s *Store) fillIndexes(ctx context.Context) error {
	var j job
	var found bool
	err := s.view(ctx, func(tx *bbolt.Tx) (err error) {
		if tx.Bucket(jobBucket) != nil {
			j, found, err = loadJob(tx, fillTurns, "")
		}
		return err
	})
	if err != nil || !found {
		return err
	}
	return s.steps(ctx, j, func(t *txn, j *job) error {
		var heads []storage.Head
		var next []byte
		err := eachActive(t.tx, j.After, func(k []byte) error {
			if len(heads) == fillRows {
				next = bytes.Clone(k)
				return errEnough
			}
			h, err := loadHead(t.tx, tableOf(k))
			if errors.As(err, new(*storage.DamagedError)) {
				return nil // Check names it; the others are entered all the same
			}
			heads = append(heads, h)
			return err
		})
		if err != nil && !errors.Is(err, errEnough) {
			return err
		}
		for _, h := range heads {
			for _, e := range entries(h) {
				if !isFilledIn(e.bucket) {
					continue
				}
				if err := t.put(e.bucket, e.key, []byte{}); err != nil {
					return err
				}
			}
		}
		j.After, j.done = next, next == nil
		return nil
	})
}
