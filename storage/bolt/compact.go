package bolt

import (
	"bytes"
	"errors"
	"io/fs"
	"os"

	"go.etcd.io/bbolt"

	"marque/storage/encode"
)

const (
	// compactBatch is how much one transaction of Compact copies, in bytes.
	compactBatch = 4 << 20
	// compactRow is what a row costs in memory beyond its bytes, about.
	compactRow = 128
	// compactMapped is how much Compact reads or writes before it opens the files anew: what a mapped file has been read of stays in memory until then.
	compactMapped = 64 << 20
)

// compactSuffix is added to a file's name for the copy that Compact makes.
const compactSuffix = ".compact"

// repairSuffix is added to a file's name for the one that Repair makes.
const repairSuffix = ".repair"

// Compact rewrites a file that no store has open without its free pages, every value with a checksum, and returns its size before and after, in bytes.
// The file is replaced only when its copy is complete and on the disk; a file with a damaged value is not. It takes memory of bounded size. Errors are
// *FileErrors as of Open.
func Compact(path string) (before, after int64, err error) {
	if _, err := os.Stat(path); err != nil {
		return 0, 0, explain(path, err)
	}
	// Opened to write once, so that the file is brought up to date; then to read, which keeps others from writing as well.
	// Its jobs are left to the bot: they would be cut short.
	store, err := load(path, schema)
	if err != nil {
		return 0, 0, err
	}
	if err := store.Close(); err != nil {
		return 0, 0, explain(path, err)
	}
	lock, err := openToRead(path)
	if err != nil {
		return 0, 0, explain(path, err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	copied := path + compactSuffix
	if err := os.Remove(copied); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, 0, explain(copied, err)
	}
	if err := rewrite(copied, path); err != nil {
		return 0, 0, errors.Join(explain(path, err), os.Remove(copied))
	}
	if before, err = size(path); err == nil {
		if after, err = size(copied); err == nil {
			err = os.Rename(copied, path)
		}
	}
	if err != nil {
		return 0, 0, explain(path, err)
	}
	return before, after, syncFolder(path)
}

func size(path string) (int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func openToRead(path string) (db *bbolt.DB, err error) {
	err = guard(func() (err error) {
		db, err = bbolt.Open(path, 0o600, &bbolt.Options{Timeout: lockPatience, ReadOnly: true, NoStatistics: true})
		return err
	})
	return db, err
}

// bucketOf is a bucket with the last number that it gave.
type bucketOf struct {
	name     []byte
	sequence uint64
}

// rewrite copies every row of one file to another, in their order and with full pages.
func rewrite(to, from string) error {
	var buckets []bucketOf
	src, err := openToRead(from)
	if err != nil {
		return err
	}
	err = guard(func() error {
		return src.View(func(tx *bbolt.Tx) error {
			return tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
				buckets = append(buckets, bucketOf{bytes.Clone(name), b.Sequence()})
				return nil
			})
		})
	})
	if err := errors.Join(err, src.Close()); err != nil {
		return err
	}
	w := &rewriter{path: to}
	defer w.close()
	for _, b := range buckets {
		if err := w.begin(b); err != nil {
			return err
		}
		var after []byte
		for done := false; !done; {
			src, err := openToRead(from)
			if err != nil {
				return err
			}
			for read := 0; !done && read < compactMapped; read += compactBatch {
				err = guard(func() error {
					return src.View(func(tx *bbolt.Tx) (err error) {
						after, done, err = w.copy(b.name, tx.Bucket(b.name), after)
						return err
					})
				})
				if err != nil {
					break
				}
			}
			if err := errors.Join(err, src.Close()); err != nil {
				return err
			}
		}
	}
	return w.finish()
}

// rewriter writes a new file, bucket after bucket and row after row in the order of their keys.
type rewriter struct {
	path  string
	db    *bbolt.DB
	wrote int // since the file was opened
}

// update runs f in a transaction on the new file, which is opened anew now and then.
func (w *rewriter) update(f func(tx *bbolt.Tx) error) error {
	if w.db != nil && w.wrote > compactMapped {
		if err := w.close(); err != nil {
			return err
		}
	}
	if w.db == nil {
		db, err := bbolt.Open(w.path, 0o600, &bbolt.Options{Timeout: lockPatience, NoStatistics: true})
		if err != nil {
			return err
		}
		db.NoSync = true // until the end
		w.db, w.wrote = db, 0
	}
	return guard(func() error { return w.db.Update(f) })
}

// close closes the new file for now.
func (w *rewriter) close() error {
	if w.db == nil {
		return nil
	}
	err := errors.Join(w.db.Sync(), w.db.Close())
	w.db = nil
	return err
}

func (w *rewriter) begin(b bucketOf) error {
	return w.update(func(tx *bbolt.Tx) error {
		to, err := tx.CreateBucket(b.name)
		if err != nil {
			return err
		}
		return to.SetSequence(b.sequence)
	})
}

// copy copies the rows of a bucket behind a key, as many as one transaction may. It returns the last key it copied, and whether that was the last of all.
func (w *rewriter) copy(bucket []byte, from *bbolt.Bucket, after []byte) (last []byte, done bool, err error) {
	err = w.update(func(tx *bbolt.Tx) error {
		to := tx.Bucket(bucket)
		to.FillPercent = 1
		c := from.Cursor()
		bytesRead := 0
		k, v := following(c, after)
		for ; k != nil && bytesRead < compactBatch; k, v = c.Next() {
			value := v
			if isSealed(bucket) {
				var err error
				if value, err = resealed(bucket, k, v); err != nil {
					return err
				}
			}
			if err := to.Put(k, value); err != nil {
				return err
			}
			bytesRead += len(k) + len(v) + compactRow
			last = k
		}
		last, done = bytes.Clone(last), k == nil
		w.wrote += bytesRead
		return nil
	})
	return last, done, err
}

// finish notes that all values have checksums, and brings the file to the disk.
func (w *rewriter) finish() error {
	err := w.update(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists(metaBucket)
		if err != nil {
			return err
		}
		return b.Put(sealedKey, []byte{})
	})
	if err != nil {
		return err
	}
	return w.close()
}

// resealed is a value with its checksum, the one that it has or a new one. It returns a *storage.DamagedError for a value that cannot be read.
func resealed(bucket, key, value []byte) ([]byte, error) {
	if err := readable(bucket, key, value); err != nil {
		return nil, err
	}
	if encode.Sealed(value) {
		return value, nil
	}
	return seal(bucket, key, value), nil
}

// readable returns a *storage.DamagedError for a value that is not what was written, or, when it has no checksum, cannot be read.
func readable(bucket, key, value []byte) error {
	v, err := unseal(bucket, key, value)
	if err != nil || len(v) < len(value) {
		return err
	}
	row := byte(0)
	if string(bucket) == string(tableBucket) {
		if len(key) < 9 {
			return damaged(bucket, key, "its key is too short")
		}
		row = key[8]
	}
	id, _ := whose(bucket, key)
	switch {
	case string(bucket) == string(detailBucket):
		_, err = decodeDetail(id, v)
	case string(bucket) == string(resultBucket):
		_, err = decodeResult(key, v)
	case string(bucket) != string(tableBucket):
		err = decodeJSON(bucket, key, v, new(any))
	case row == headRow:
		_, err = decodeHead(id, v)
	case row == eventRow:
		_, err = decodeEvent(key, v)
	case row == reviewRow:
		err = decodeJSON(bucket, key, v, new(any))
	case row == postRow && len(v) < 8, row == commandRow && len(v) != 16:
		err = damaged(bucket, key, unknownFormat)
	}
	return err
}
