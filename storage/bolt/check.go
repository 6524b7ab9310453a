package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"go.etcd.io/bbolt"

	"marque/games"
	"marque/storage"
	"marque/storage/encode"
)

// UnsoundError says what Check found: pages, values and indexes.
type UnsoundError = storage.UnsoundError

// Check reads the whole of a file that no store has open, and changes nothing. It returns an *UnsoundError with what is wrong: pages, values that
// are not what was written, indexes and counters that disagree with the tables. Other errors are *FileErrors as of Open. Whatever is damaged, it comes to an
// end. It takes time in proportion to the file, and memory that does not grow with it.
func Check(ctx context.Context, path string) error { return checkFile(ctx, path, true) }

// CheckValues is Check for pages and values alone: it does not compare indexes and counters with the tables, which takes longer.
func CheckValues(ctx context.Context, path string) error { return checkFile(ctx, path, false) }

func checkFile(ctx context.Context, path string, indexes bool) error {
	if _, err := os.Stat(path); err != nil {
		return explain(path, err)
	}
	db, err := openToRead(path)
	if err != nil {
		return explain(path, err)
	}
	file, err := os.Open(path)
	if err != nil {
		return errors.Join(explain(path, err), db.Close())
	}
	defer file.Close()
	var e *FileError
	err = guard(func() error {
		again := &reopened{path: path}
		defer again.close()
		return db.View(func(tx *bbolt.Tx) error { return check(ctx, tx, file, indexes, again.view) })
	})
	if err = errors.Join(err, db.Close()); errors.As(err, &e) {
		return e
	}
	return err
}

// Check is the function of this name for a file that is open.
func (s *Store) Check(ctx context.Context) error {
	return s.view(ctx, func(tx *bbolt.Tx) error { return check(ctx, tx, s.file, true, viewIn(tx)) })
}

// viewer reads a file by the library.
type viewer func(func(*bbolt.Tx) error) error

// viewIn reads in a transaction that there is.
func viewIn(tx *bbolt.Tx) viewer {
	return func(f func(*bbolt.Tx) error) error { return f(tx) }
}

// reopened reads a file that nobody writes, and opens it anew now and then: what the library has read stays in memory, mapped,
// until the file is closed.
type reopened struct {
	path string
	db   *bbolt.DB
	used int
}

// reopenAfter is how often reopened reads before it opens the file anew. What is read each time is bounded by countStep.
const reopenAfter = 64

func (r *reopened) view(f func(*bbolt.Tx) error) (err error) {
	if r.used++; r.used > reopenAfter {
		if err := r.close(); err != nil {
			return err
		}
		r.used = 1
	}
	if r.db == nil {
		if r.db, err = openToRead(r.path); err != nil {
			return explain(r.path, err)
		}
	}
	return guard(func() error { return r.db.View(f) })
}

func (r *reopened) close() error {
	if r.db == nil {
		return nil
	}
	db := r.db
	r.db = nil
	return db.Close()
}

// check reads pages and values by itself, and compares what is in them by the library only when all of them can be read.
func check(ctx context.Context, tx *bbolt.Tx, file io.ReaderAt, indexes bool, view viewer) error {
	found := &UnsoundError{}
	pages, err := readPages(file)
	if err != nil {
		return err
	}
	// While tx is open the pages that are read here stay as they are.
	sealed := false
	// The library is asked only what it survives to be asked; the pages say what is wrong otherwise.
	whole := pages.outline(false) == nil
	if pages, err = readPages(file); err != nil {
		return err
	}
	pages.fault = func(f pageFault) { found.Add(f) }
	agree := newAgreement(whole && isFilled(tx), whole && tx.Bucket(scoreBucket) != nil)
	pages.bucket = func(name []byte, sequence uint64) { agree.sequences[string(name)] = sequence }
	var unsealed []error
	pages.row = func(bucket, key, value []byte) error {
		if !isSealed(bucket) {
			if isBare(bucket) && len(value) > 0 {
				found.Add(fmt.Errorf("the index %s has an entry with a value: %x", bucket, key))
			}
			sealed = sealed || string(bucket) == string(metaBucket) && string(key) == string(sealedKey)
		} else if err := readable(bucket, key, value); err != nil {
			found.Add(err)
		} else if !encode.Sealed(value) && len(unsealed) < storage.MostFaults {
			unsealed = append(unsealed, damaged(bucket, key, "it has no checksum any more"))
		}
		if indexes && len(found.Faults) == 0 {
			agree.row(bucket, key, value)
		}
		return ctx.Err()
	}
	if err := pages.walk(); err != nil {
		return err
	}
	if sealed {
		for _, err := range unsealed {
			found.Add(err)
		}
	}
	if len(found.Faults) == 0 && indexes {
		fault := func(format string, args ...any) { found.Add(fmt.Errorf(format, args...)) }
		if !agree.holds() {
			checkTables(tx, fault)
			checkResults(tx, fault)
			checkScores(tx, fault)
			if len(found.Faults) == 0 {
				fault("the indexes do not agree with the tables")
			}
		}
		if err := checkStandings(ctx, view, agree.standings, fault); err != nil {
			return err
		}
	}
	if len(found.Faults) == 0 {
		return nil
	}
	return found
}

// checkTables reads every table and compares the indexes with what the heads say, to say where they differ.
func checkTables(tx *bbolt.Tx, fault func(string, ...any)) {
	tables, events, found := 0, uint64(0), uint64(0)
	latest := storage.ID(0)
	indexed := map[string]int{}
	filled := isFilled(tx)
	_ = tx.Bucket(tableBucket).ForEach(func(k, v []byte) error {
		if len(k) < 9 {
			fault("a row without a table: %x", k)
			return nil
		}
		id := tableOf(k[:8])
		switch k[8] {
		case eventRow:
			found++
			return nil
		case headRow:
			tables++
			latest = max(latest, id)
		case reviewRow:
			if err := decodeJSON(tableBucket, k, v, new(storage.Review)); err != nil {
				fault("table %d: %v", id, err)
			}
			return nil
		default:
			return nil
		}
		h, err := decodeHead(id, v)
		if err != nil {
			fault("table %d: %v", id, err)
			return nil
		}
		if _, err := loadEvents(tx, h, 0); err != nil {
			fault("table %d: %v", id, err)
		}
		events += h.Events
		if _, err := decodeDetail(id, tx.Bucket(detailBucket).Get(tableKey(id))); err != nil {
			fault("table %d: %v", id, err)
		}
		for _, e := range entries(h) {
			if !filled && isFilledIn(e.bucket) {
				continue
			}
			indexed[string(e.bucket)]++
			if tx.Bucket(e.bucket).Get(e.key) == nil {
				fault("table %d is not in the index %s", id, e.bucket)
			}
		}
		published, _, err := loadPost(tx, id)
		if err != nil {
			fault("%v", err)
		}
		pending := tx.Bucket(outboxBucket).Get(tableKey(id)) != nil
		if published > h.Version || pending != (published < h.Version) {
			fault("table %d has version %d, published %d, marked %v", id, h.Version, published, pending)
		}
		if r := tx.Bucket(resultBucket).Get(tableKey(id)); r != nil && h.Status != storage.Over {
			fault("table %d has a result but is not over", id)
		}
		return nil
	})
	for _, b := range [][]byte{channelBucket, guildBucket, userBucket, dueBucket, turnBucket, rematchBucket} {
		if !filled && isFilledIn(b) {
			continue
		}
		if n := keys(tx, b); n != indexed[string(b)] {
			fault("the index %s has %d entries, the tables %d", b, n, indexed[string(b)])
		}
	}
	if last := tx.Bucket(tableBucket).Sequence(); last < uint64(latest) {
		fault("table %d is stored, but only %d were given numbers", latest, last)
	}
	if found != events {
		fault("there are %d events, the tables have %d", found, events)
	}
	if n := keys(tx, detailBucket); n != tables {
		fault("there are %d details for %d tables", n, tables)
	}
}

// checkResults reads every result and compares the indexes of results with them, to say where they differ.
func checkResults(tx *bbolt.Tx, fault func(string, ...any)) {
	results, long, order := 0, 0, uint64(0)
	listed := map[string]int{}
	_ = tx.Bucket(resultBucket).ForEach(func(k, v []byte) error {
		results++
		r, err := decodeResult(k, v)
		if err != nil {
			fault("table %d: %v", tableOf(k), err)
			return nil
		}
		order = max(order, r.Order)
		if !bytes.Equal(tx.Bucket(orderResults).Get(orderKey(r.Guild, r.Order)), k) {
			fault("the result of table %d has no place in the order of rating", r.Table)
		}
		list, mark := resultEntries(r)
		for _, e := range list {
			listed[string(e.bucket)]++
			if !bytes.Equal(tx.Bucket(e.bucket).Get(e.key), mark) {
				fault("the result of table %d is not as it should be in the index %s", r.Table, e.bucket)
			}
		}
		if r.Ending != games.Abandoned {
			long++
			if tx.Bucket(longResults).Get(longKey(r)) == nil {
				fault("the result of table %d is not among those by length", r.Table)
			}
		}
		return nil
	})
	if a, b := keys(tx, orderResults), keys(tx, longResults); a != results || b != long {
		fault("%d results are in order and %d by length; there are %d and %d", a, b, results, long)
	}
	if last := tx.Bucket(resultBucket).Sequence(); last < order {
		fault("result %d is stored, but only %d were given numbers", order, last)
	}
	for _, b := range [][]byte{guildResults, gameResults, userResults} {
		if n := keys(tx, b); n != listed[string(b)] {
			fault("the index %s has %d entries, the results %d", b, n, listed[string(b)])
		}
	}
}

func keys(tx *bbolt.Tx, bucket []byte) int {
	n := 0
	_ = tx.Bucket(bucket).ForEach(func(_, _ []byte) error { n++; return nil })
	return n
}
