package bolt

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"marque/games"
	"marque/storage"
)

// Repair says how a damaged file is to be repaired.
type Repair struct {
	Path    string
	Backups []string // copies of the file to take from what is lost, the latest first
	// Replays returns an error for a table whose events do not lead to its position by the rules.
	Replays func(context.Context, storage.Table) error
	// Without goes on without what is in none of the backups.
	Without bool
	Now     time.Time // for the name of the damaged file
}

// Repaired says what Repair.Run did.
type Repaired struct {
	Kept string   // where the damaged file is; "" when the file was sound and nothing was done
	Done []string // what was lost and where it was taken from, a sentence each
}

// LostError says what no backup has. Nothing was changed.
type LostError struct{ Lost []string }

func (e *LostError) Error() string {
	return fmt.Sprintf("%d things are in no sound copy (%s)", len(e.Lost), e.Lost[0])
}

// derivedBuckets follow from the others and are made anew.
var derivedBuckets = [][]byte{
	metaBucket, outboxBucket, dueBucket, channelBucket, guildBucket, userBucket,
	turnBucket, rematchBucket, guildResults, gameResults, userResults, orderResults, longResults,
	standingBucket, ranksBucket, ratingBucket, standingBucketB, ranksBucketB, ratingBucketB, generationBucket, scoreBucket,
}

// repairRows bounds how many rows are gone through in one transaction.
const repairRows = 2000

// Run writes a new file of everything that can be read, puts in from the backups what cannot, makes the indexes and leaderboards anew, and checks the whole.
// Only then does it take the damaged file's place, which is kept beside it. A value is taken alone where the table can be replayed with it; otherwise
// the whole table as it is in a backup. It returns a *LostError for what is in no backup, unless it is to go on without, and *FileErrors as of Open.
func (r Repair) Run(ctx context.Context) (Repaired, error) {
	if _, err := os.Stat(r.Path); err != nil {
		return Repaired{}, explain(r.Path, err)
	}
	err := Check(ctx, r.Path)
	switch {
	case err == nil:
		return Repaired{}, nil
	case !errors.Is(err, storage.ErrDamaged):
		return Repaired{}, err
	}
	// While it is locked no bot starts. One whose beginning cannot be read is opened by none.
	if lock, err := openToRead(r.Path); err == nil {
		defer lock.Close()
	} else if e := explain(r.Path, err); errors.Is(e, storage.ErrLocked) {
		return Repaired{}, e
	}
	w := &repairer{Repair: r, ctx: ctx, path: r.Path + repairSuffix, broken: map[storage.ID]bool{}}
	defer w.remove()
	if err := w.run(); err != nil {
		return Repaired{}, err
	}
	if len(w.lost) > 0 && !r.Without {
		return Repaired{}, &LostError{Lost: w.lost}
	}
	for _, l := range w.lost {
		w.done = append(w.done, l+": it is gone")
	}
	kept := r.Path + r.Now.UTC().Format(".damaged-20060102-150405")
	err = keepAside(r.Path, kept)
	for n := 2; errors.Is(err, fs.ErrExist) && n < 100; n++ {
		name := fmt.Sprint(kept, "-", n)
		if err = keepAside(r.Path, name); err == nil {
			kept = name
		}
	}
	if err != nil {
		return Repaired{}, explain(kept, err)
	}
	if err := os.Rename(w.path, r.Path); err != nil {
		return Repaired{}, explain(r.Path, err)
	}
	return Repaired{Kept: kept, Done: w.done}, syncFolder(r.Path)
}

// keepAside gives a file a second name, or copies it where that cannot be.
func keepAside(path, to string) error {
	if err := os.Link(path, to); err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	src, err := os.Open(path)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	if err == nil {
		err = dst.Sync()
	}
	return errors.Join(err, dst.Close())
}

// storedRow is a row of a file.
type storedRow struct{ bucket, key, value []byte }

// repairer writes the new file.
type repairer struct {
	Repair
	ctx  context.Context
	path string
	db   *bbolt.DB

	rows  []storedRow // to be written
	bytes int

	version  int                 // the schema of the damaged file
	sequence map[string]uint64   // the last numbers that its buckets gave
	values   []storedRow         // whose values cannot be read, without them
	pages    []pageFault         // with which rows are lost
	indexed  map[storage.ID]bool // tables of which an index tells
	broken   map[storage.ID]bool // tables that cannot be read
	backups  []backupFile
	done     []string
	lost     []string
}

// backupFile is a copy to take from.
type backupFile struct {
	path string
	db   *bbolt.DB
}

func (w *repairer) remove() {
	if w.db != nil {
		_ = w.db.Close()
	}
	for _, b := range w.backups {
		_ = b.db.Close()
	}
	_ = os.Remove(w.path)
	for version := range schema { // as migrate names them
		_ = os.Remove(asideOf(w.path, version))
	}
}

func (w *repairer) run() error {
	for _, step := range []func() error{w.salvage, w.openBackups, w.findBroken, w.mendTables, w.mendOthers, w.index, w.finish} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// update changes the new file.
func (w *repairer) update(f func(tx *bbolt.Tx) error) error {
	return guard(func() error { return w.db.Update(f) })
}

// read reads a file; what is damaged there is an error.
func read(db *bbolt.DB, f func(tx *bbolt.Tx) error) error {
	return guard(func() error { return db.View(f) })
}

// put writes a row, with others.
func (w *repairer) put(r storedRow) error {
	w.rows = append(w.rows, storedRow{r.bucket, bytes.Clone(r.key), bytes.Clone(r.value)})
	if w.bytes += len(r.key) + len(r.value) + compactRow; w.bytes < compactBatch {
		return nil
	}
	return w.flush()
}

func (w *repairer) flush() error {
	err := w.update(func(tx *bbolt.Tx) error {
		for _, r := range w.rows {
			b, err := tx.CreateBucketIfNotExists(r.bucket)
			if err != nil {
				return err
			}
			if err := b.Put(r.key, r.value); err != nil {
				return err
			}
		}
		return nil
	})
	w.rows, w.bytes = nil, 0
	return err
}

// salvage copies what can be read of the damaged file to a new one of the same schema, and notes what cannot.
func (w *repairer) salvage() error {
	if err := os.Remove(w.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return explain(w.path, err)
	}
	file, err := os.Open(w.Path)
	if err != nil {
		return explain(w.Path, err)
	}
	defer file.Close()
	w.version, w.sequence, w.indexed = len(schema), map[string]uint64{}, map[storage.ID]bool{}
	begin := func() error { // once the schema is known
		if w.db != nil {
			return nil
		}
		s, err := open(w.path, schema[:w.version])
		if err != nil {
			return err
		}
		if err := s.Close(); err != nil {
			return err
		}
		w.db, err = bbolt.Open(w.path, 0o600, &bbolt.Options{Timeout: lockPatience, NoStatistics: true})
		if err == nil {
			w.db.NoSync = true // until the end
		}
		return err
	}
	pages, err := readPages(file)
	if err == nil {
		// The schema first: its bucket is not the first one.
		pages.outlineMeta(func(version int) { w.version = min(max(version, 1), len(schema)) })
		if pages, err = readPages(file); err == nil {
			err = w.walk(pages, begin)
		}
	}
	if errors.Is(err, errUnreadable) {
		w.pages = append(w.pages, pageFault{why: "cannot be read", rows: true}) // nothing can be read
		err = nil
	}
	if err == nil {
		err = begin()
	}
	if err == nil {
		err = w.flush()
	}
	return err
}

func (w *repairer) walk(pages *pageReader, begin func() error) error {
	pages.bucket = func(name []byte, sequence uint64) { w.sequence[string(name)] = sequence }
	pages.fault = func(f pageFault) {
		if f.rows {
			f.bucket, f.from, f.to = bytes.Clone(f.bucket), bytes.Clone(f.from), bytes.Clone(f.to)
			w.pages = append(w.pages, f)
		}
	}
	pages.row = func(bucket, key, value []byte) error {
		if err := cmp.Or(w.ctx.Err(), begin()); err != nil {
			return err
		}
		if string(bucket) == string(guildBucket) && len(key) > 9 {
			id := tableOf(key)
			if key[len(key)-9] != 0 {
				id = ^id
			}
			w.indexed[id] = true
		}
		if has(derivedBuckets, bucket) {
			return nil
		}
		if isSealed(bucket) {
			sealed, err := resealed(bucket, key, value)
			if err != nil {
				w.values = append(w.values, storedRow{bucket: bytes.Clone(bucket), key: bytes.Clone(key)})
				return nil
			}
			value = sealed
		}
		return w.put(storedRow{bytes.Clone(bucket), key, value})
	}
	return pages.walk()
}

// openBackups opens the backups that can be read.
func (w *repairer) openBackups() error {
	for _, path := range w.Backups {
		err := CheckValues(w.ctx, path)
		if err := w.ctx.Err(); err != nil {
			return err
		}
		page := pageFault{}
		if err != nil && (!errors.As(err, new(*storage.DamagedError)) || errors.As(err, &page)) {
			w.done = append(w.done, fmt.Sprintf("the copy %s is of no use: %v", path, err))
			continue
		}
		db, err := openToRead(path)
		if err != nil {
			return explain(path, err)
		}
		w.backups = append(w.backups, backupFile{path, db})
	}
	return nil
}

// findBroken finds the tables that cannot be read in the new file, or are not in it any more.
func (w *repairer) findBroken() error {
	ids := map[storage.ID]bool{}
	for _, v := range w.values {
		id, _ := whose(v.bucket, v.key)
		if ofTable(v.bucket) && id != 0 && (string(v.bucket) == string(detailBucket) || v.key[8] == headRow || v.key[8] == eventRow || v.key[8] == postRow) {
			w.broken[id] = true
		}
	}
	for id := range w.indexed {
		if w.gone(id) {
			ids[id] = true
		}
	}
	for _, b := range w.backups {
		err := read(b.db, func(tx *bbolt.Tx) error {
			return eachTable(tx, func(id storage.ID) {
				if w.gone(id) {
					ids[id] = true
				}
			})
		})
		if err != nil {
			return err
		}
	}
	return read(w.db, func(tx *bbolt.Tx) error {
		if err := eachTable(tx, func(id storage.ID) { ids[id] = true }); err != nil {
			return err
		}
		for id := range ids {
			if _, err := loadTable(tx, id); err != nil {
				w.broken[id] = true
			}
		}
		return w.ctx.Err()
	})
}

// ofTable reports whether a bucket holds what makes up a table.
func ofTable(bucket []byte) bool {
	return string(bucket) == string(tableBucket) || string(bucket) == string(detailBucket)
}

// gone reports whether rows of a table may have been lost with a page.
func (w *repairer) gone(id storage.ID) bool {
	return slices.ContainsFunc(w.pages, func(f pageFault) bool {
		return f.lost(tableBucket, headKey(id)) || f.lost(detailBucket, tableKey(id))
	})
}

// eachTable calls f for every table of which there is a row or a detail.
func eachTable(tx *bbolt.Tx, f func(storage.ID)) error {
	rows := tx.Bucket(tableBucket).Cursor()
	for k, _ := rows.First(); k != nil; {
		if len(k) < 9 {
			return damaged(tableBucket, k, "its key is too short")
		}
		id := tableOf(k[:8])
		if id != 0 { // there the keys of commands that opened a table are
			f(id)
		}
		k, _ = rows.Seek(tableKey(id + 1))
	}
	return tx.Bucket(detailBucket).ForEach(func(k, _ []byte) error {
		f(tableOf(k))
		return nil
	})
}

// loadTable reads a table; also that all of its rows are those of one table, and what is published no more than there is.
func loadTable(tx *bbolt.Tx, id storage.ID) (t storage.Table, err error) {
	if t.Head, err = loadHead(tx, id); err != nil {
		return t, err
	}
	if t.Detail, err = decodeDetail(id, tx.Bucket(detailBucket).Get(tableKey(id))); err != nil {
		return t, err
	}
	if t.Events, err = loadEvents(tx, t.Head, 0); err != nil {
		return t, err
	}
	if k, _ := tx.Bucket(tableBucket).Cursor().Seek(eventKey(id, t.Head.Events)); bytes.HasPrefix(k, rowKey(id, eventRow)) {
		return t, damaged(tableBucket, k, "the table has fewer events")
	}
	if n := len(t.Events); n > 0 && t.Events[n-1].Version > t.Head.Version {
		return t, damaged(tableBucket, headKey(id), "it is older than the events")
	}
	if t.Published, t.Note, err = loadPost(tx, id); err == nil && t.Published > t.Head.Version {
		err = damaged(tableBucket, rowKey(id, postRow), "it is newer than the table")
	}
	return t, err
}

// rowsOf are all rows of a table, its detail included, that can be read.
func rowsOf(tx *bbolt.Tx, id storage.ID) (rows []storedRow) {
	add := func(bucket, k, v []byte) {
		if v, err := resealed(bucket, k, v); err == nil {
			rows = append(rows, storedRow{bucket, bytes.Clone(k), bytes.Clone(v)})
		}
	}
	prefix := tableKey(id)
	c := tx.Bucket(tableBucket).Cursor()
	for k, v := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, v = c.Next() {
		add(tableBucket, k, v)
	}
	if v := tx.Bucket(detailBucket).Get(prefix); v != nil {
		add(detailBucket, prefix, v)
	}
	return rows
}

// mendTables takes from the backups what is lost of each broken table.
func (w *repairer) mendTables() error {
	for _, id := range slices.Sorted(maps.Keys(w.broken)) {
		was := "" // what was there of it
		err := read(w.db, func(tx *bbolt.Tx) error {
			if h, err := loadHead(tx, id); err == nil {
				was = fmt.Sprintf(" (it was of version %d)", h.Version)
			}
			return nil
		})
		if err != nil {
			return err
		}
		mended := false
		for _, whole := range []bool{false, true} {
			for _, b := range w.backups {
				if mended {
					break
				}
				if mended, err = w.mendTable(id, b, whole, was); err != nil {
					return err
				}
			}
		}
		if mended {
			continue
		}
		w.lost = append(w.lost, fmt.Sprintf("table %d%s", id, was))
		if err := w.update(func(tx *bbolt.Tx) error { return dropTable(tx, id, true) }); err != nil {
			return err
		}
	}
	return nil
}

// errUnfit says that a table cannot be mended from a backup.
var errUnfit = errors.New("not with this copy")

// mendTable tries to mend a table from a backup: by the rows that are lost, or as a whole.
func (w *repairer) mendTable(id storage.ID, b backupFile, whole bool, was string) (bool, error) {
	var rows []storedRow
	var theirs storage.Table
	var result []byte
	err := read(b.db, func(tx *bbolt.Tx) (err error) {
		rows = rowsOf(tx, id)
		if theirs, err = loadTable(tx, id); err != nil {
			return err // what is damaged there, too, mends nothing
		}
		if result, _ = resealed(resultBucket, tableKey(id), bytes.Clone(tx.Bucket(resultBucket).Get(tableKey(id)))); result != nil {
			result = bytes.Clone(result)
		}
		return nil
	})
	if err != nil || len(rows) == 0 {
		return false, w.ctx.Err()
	}
	err = w.update(func(tx *bbolt.Tx) error {
		t := &txn{tx: tx}
		if whole {
			if err := dropTable(tx, id, false); err != nil {
				return err
			}
		}
		ours, err := loadHead(tx, id)
		if err != nil && !whole {
			return errUnfit
		}
		for _, r := range rows {
			if !whole {
				// Events and the like are never changed; a head that is older than they are is of no use.
				switch old := string(r.bucket) == string(detailBucket); {
				case tx.Bucket(r.bucket).Get(r.key) != nil:
					continue
				case old && theirs.Head.Version != ours.Version && (theirs.Head.Status == storage.Lobby || ours.Status == storage.Lobby):
					return errUnfit
				case old:
					d, err := decodeDetail(id, r.value)
					if err != nil {
						return errUnfit
					}
					d.Plans = nil // they may have been withdrawn since
					value, err := encodeDetail(d)
					if err != nil {
						return err
					}
					if err := t.put(detailBucket, r.key, value); err != nil {
						return err
					}
					continue
				case r.key[8] == commandRow, r.key[8] == headRow, r.key[8] == eventRow && eventIndex(r.key) >= ours.Events:
					continue
				}
			}
			if err := tx.Bucket(r.bucket).Put(r.key, r.value); err != nil {
				return err
			}
		}
		table, err := loadTable(tx, id)
		if err != nil {
			return errUnfit
		}
		if err := w.Replays(w.ctx, table); err != nil {
			return errors.Join(errUnfit, err)
		}
		if !whole {
			return nil
		}
		results := tx.Bucket(resultBucket)
		switch {
		case table.Head.Status != storage.Over:
			return results.Delete(tableKey(id))
		case result != nil && results.Get(tableKey(id)) == nil:
			return results.Put(tableKey(id), result)
		}
		return nil
	})
	if errors.Is(err, errUnfit) {
		return false, w.ctx.Err()
	}
	if err != nil {
		return false, err
	}
	if whole {
		w.done = append(w.done, fmt.Sprintf("table %d%s is as it was in %s, of version %d: what happened since then is lost", id, was, b.path, theirs.Head.Version))
	} else {
		w.done = append(w.done, fmt.Sprintf("table %d is whole: what was damaged of it is taken from %s", id, b.path))
	}
	return true, nil
}

// dropTable removes a table's rows, and its result.
func dropTable(tx *bbolt.Tx, id storage.ID, result bool) error {
	t := &txn{tx: tx}
	if result {
		if err := t.del(resultBucket, tableKey(id)); err != nil {
			return err
		}
	}
	if err := t.del(detailBucket, tableKey(id)); err != nil {
		return err
	}
	prefix := tableKey(id)
	var keys [][]byte
	c := tx.Bucket(tableBucket).Cursor()
	for k, _ := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, _ = c.Next() {
		keys = append(keys, bytes.Clone(k))
	}
	for _, k := range keys {
		if err := t.del(tableBucket, k); err != nil {
			return err
		}
	}
	return nil
}

// mendOthers takes from the backups what is lost of results, settings and the like.
func (w *repairer) mendOthers() error {
	mended := map[string]bool{}
	for _, b := range w.backups {
		var found []storedRow
		err := read(b.db, func(tx *bbolt.Tx) error {
			take := func(bucket, k []byte) {
				to := string(bucket) + string(k)
				if mended[to] {
					return
				}
				if from := tx.Bucket(bucket); from != nil {
					if v := from.Get(k); v != nil {
						if v, err := resealed(bucket, k, v); err == nil {
							mended[to] = true
							found = append(found, storedRow{bytes.Clone(bucket), bytes.Clone(k), bytes.Clone(v)})
						}
					}
				}
			}
			for _, v := range w.values {
				if !ofTable(v.bucket) {
					take(v.bucket, v.key)
				}
			}
			return tx.ForEach(func(bucket []byte, rows *bbolt.Bucket) error {
				if has(derivedBuckets, bucket) || ofTable(bucket) || !isSealed(bucket) {
					return nil
				}
				for _, f := range w.pages {
					if f.bucket != nil && !bytes.Equal(f.bucket, bucket) {
						continue
					}
					c := rows.Cursor()
					for k, _ := c.Seek(f.from); k != nil && f.lost(bucket, k); k, _ = c.Next() {
						take(bucket, k)
					}
				}
				return nil
			})
		})
		if err != nil {
			return err
		}
		err = w.update(func(tx *bbolt.Tx) error {
			for _, r := range found {
				to, err := tx.CreateBucketIfNotExists(r.bucket)
				if err != nil {
					return err
				}
				if to.Get(r.key) != nil {
					continue
				}
				if string(r.bucket) == string(resultBucket) {
					if h, err := loadHead(tx, tableOf(r.key)); err != nil || h.Status != storage.Over {
						continue // the table is not where it ended
					}
				}
				if err := to.Put(r.key, r.value); err != nil {
					return err
				}
				_, what := whose(r.bucket, r.key)
				w.done = append(w.done, fmt.Sprintf("%s: taken from %s", what, b.path))
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, v := range w.values {
		if _, what := whose(v.bucket, v.key); !ofTable(v.bucket) && !mended[string(v.bucket)+string(v.key)] {
			w.lost = append(w.lost, what)
		}
	}
	for _, f := range w.pages {
		// Of what was written since the latest copy nothing is known.
		if f.bucket == nil || !has(derivedBuckets, f.bucket) && !ofTable(f.bucket) {
			if len(w.backups) == 0 {
				w.lost = append(w.lost, f.Error())
			} else {
				w.done = append(w.done, fmt.Sprintf("%v: what was there is as it was in %s", f, w.backups[0].path))
			}
		}
	}
	return nil
}

// index makes the indexes of tables, results and scores anew.
func (w *repairer) index() error {
	last := map[string]uint64{}
	put := func(tx *bbolt.Tx, e entry, value []byte) error {
		if b := tx.Bucket(e.bucket); b != nil { // not in a file of an older schema
			return b.Put(e.key, value)
		}
		return nil
	}
	err := w.each(tableBucket, func(tx *bbolt.Tx, k, v []byte) error {
		if len(k) != 9 || k[8] != headRow {
			return nil
		}
		id := tableOf(k[:8])
		last[string(tableBucket)] = max(last[string(tableBucket)], uint64(id))
		h, err := decodeHead(id, v)
		if err != nil {
			return err
		}
		list := entries(h)
		if published, _, err := loadPost(tx, id); err != nil {
			return err
		} else if published < h.Version {
			list = append(list, entry{outboxBucket, tableKey(id)})
		}
		for _, e := range list {
			if err := put(tx, e, []byte{}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = w.each(resultBucket, func(tx *bbolt.Tx, k, v []byte) error {
		r, err := decodeResult(k, v)
		if err != nil {
			return err
		}
		last[string(resultBucket)] = max(last[string(resultBucket)], r.Order)
		list, mark := resultEntries(r)
		for _, e := range list {
			if err := put(tx, e, mark); err != nil {
				return err
			}
		}
		if r.Ending != games.Abandoned {
			if err := put(tx, entry{longResults, longKey(r)}, []byte{}); err != nil {
				return err
			}
		}
		return put(tx, entry{orderResults, orderKey(r.Guild, r.Order)}, bytes.Clone(k))
	})
	if err != nil {
		return err
	}
	err = w.each(userPreference, func(tx *bbolt.Tx, k, v []byte) error {
		list, err := scoreKeys(k, v)
		if err != nil {
			return err
		}
		for _, key := range list {
			if err := put(tx, entry{scoreBucket, key}, []byte{}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return w.update(func(tx *bbolt.Tx) error {
		for _, bucket := range [][]byte{tableBucket, resultBucket} {
			n := max(w.sequence[string(bucket)], last[string(bucket)])
			for _, b := range w.backups {
				err := read(b.db, func(tx *bbolt.Tx) error { n = max(n, tx.Bucket(bucket).Sequence()); return nil })
				if err != nil {
					return err
				}
			}
			if err := tx.Bucket(bucket).SetSequence(n); err != nil {
				return err
			}
		}
		return nil
	})
}

// each calls f for every row of a bucket of the new file, in transactions in which f may write to others.
func (w *repairer) each(bucket []byte, f func(tx *bbolt.Tx, k, v []byte) error) error {
	var after []byte
	for done := false; !done; {
		err := w.update(func(tx *bbolt.Tx) error {
			c := tx.Bucket(bucket).Cursor()
			k, v := following(c, after)
			for n := 0; k != nil && n < repairRows; n++ {
				if err := f(tx, k, v); err != nil {
					return err
				}
				after = bytes.Clone(k)
				k, v = c.Next()
			}
			done = k == nil
			return w.ctx.Err()
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// finish brings the new file to the newest schema, counts the leaderboards anew, and checks it.
func (w *repairer) finish() error {
	err := errors.Join(w.db.Sync(), w.db.Close())
	w.db = nil
	if err != nil {
		return err
	}
	s, err := Open(w.path)
	if err != nil {
		return err
	}
	_, err = s.Rebuild(w.ctx)
	if err = errors.Join(err, s.Close()); err != nil {
		return err
	}
	if err := Check(w.ctx, w.path); err != nil {
		return fmt.Errorf("what was repaired is not sound: %w", err)
	}
	return nil
}

// outlineMeta reads the schema's version, if it can be read.
func (p *pageReader) outlineMeta(version func(int)) {
	p.bucket, p.fault = func([]byte, uint64) {}, func(pageFault) {}
	p.only = metaBucket
	p.row = func(bucket, key, value []byte) error {
		if string(bucket) == string(metaBucket) && string(key) == string(schemaKey) && len(value) == 4 {
			version(int(binary.BigEndian.Uint32(value)))
		}
		return nil
	}
	p.used = newPageSet(p.end)
	_ = p.tree(p.root, nil, nil, nil, 0)
}
