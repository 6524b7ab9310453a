package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"go.etcd.io/bbolt"

	"marque/storage"
)

// Backup writes a consistent copy of the file to w while the store goes on. It returns the number of bytes.
func (s *Store) Backup(ctx context.Context, w io.Writer) (int64, error) {
	var n int64
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		var err error
		n, err = tx.WriteTo(w)
		return err
	})
	return n, err
}

// compactTx is how much one transaction of Compact copies, in bytes.
const compactTx = 16 << 20

// Compact rewrites a file that no store has open without its free pages, and returns its size before and after, in bytes. The file is replaced only
// when its copy is complete and on the disk. Errors are *FileErrors as of Open.
func Compact(path string) (before, after int64, err error) {
	if _, err := os.Stat(path); err != nil {
		return 0, 0, explain(path, err)
	}
	src, err := openFile(path)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	copied := path + ".compact"
	if err := os.Remove(copied); err != nil && !errors.Is(err, os.ErrNotExist) {
		return 0, 0, explain(copied, err)
	}
	dst, err := bbolt.Open(copied, 0o600, &bbolt.Options{Timeout: lockPatience, NoStatistics: true})
	if err != nil {
		return 0, 0, explain(copied, err)
	}
	err = guard(func() error { return bbolt.Compact(dst, src, compactTx) })
	if err = errors.Join(err, dst.Close()); err != nil {
		return 0, 0, errors.Join(explain(path, err), os.Remove(copied))
	}
	size := func(path string) int64 {
		info, serr := os.Stat(path)
		if serr != nil {
			err = serr
			return 0
		}
		return info.Size()
	}
	if before, after = size(path), size(copied); err != nil {
		return 0, 0, explain(path, err)
	}
	if err := os.Rename(copied, path); err != nil {
		return 0, 0, explain(path, err)
	}
	return before, after, syncFolder(path)
}

// Check reads the whole file and returns storage.ErrDamaged with the first things that are wrong: pages, values that cannot be read, indexes
// and counters that disagree with the tables. It takes time in proportion to the file.
func (s *Store) Check(ctx context.Context) error {
	return s.view(ctx, func(tx *bbolt.Tx) error {
		var faults []error
		fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
		for err := range tx.Check() {
			fault("page: %v", err)
		}
		if len(faults) == 0 {
			checkTables(tx, fault)
			checkStandings(tx, fault)
		}
		if len(faults) == 0 {
			return nil
		}
		if len(faults) > 20 {
			faults = append(faults[:20], fmt.Errorf("and %d more", len(faults)-20))
		}
		return fmt.Errorf("%w: %w", storage.ErrDamaged, errors.Join(faults...))
	})
}

// checkTables reads every table and compares the indexes with what the heads say.
func checkTables(tx *bbolt.Tx, fault func(string, ...any)) {
	tables, events, found := 0, uint64(0), uint64(0)
	indexed := map[string]int{}
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
		if _, err := decodeDetail(tx.Bucket(detailBucket).Get(tableKey(id))); err != nil {
			fault("table %d: %v", id, err)
		}
		for _, e := range entries(h) {
			indexed[string(e.bucket)]++
			if tx.Bucket(e.bucket).Get(e.key) == nil {
				fault("table %d is not in the index %s", id, e.bucket)
			}
		}
		published, _ := loadPost(tx, id)
		pending := tx.Bucket(outboxBucket).Get(tableKey(id)) != nil
		if published > h.Version || pending != (published < h.Version) {
			fault("table %d has version %d, published %d, marked %v", id, h.Version, published, pending)
		}
		if r := tx.Bucket(resultBucket).Get(tableKey(id)); r != nil && h.Status != storage.Over {
			fault("table %d has a result but is not over", id)
		}
		return nil
	})
	for _, b := range [][]byte{channelBucket, guildBucket, userBucket, dueBucket} {
		if n := keys(tx, b); n != indexed[string(b)] {
			fault("the index %s has %d entries, the tables %d", b, n, indexed[string(b)])
		}
	}
	if found != events {
		fault("there are %d events, the tables have %d", found, events)
	}
	if n := keys(tx, detailBucket); n != tables {
		fault("there are %d details for %d tables", n, tables)
	}
}

// checkStandings counts all results anew and compares.
func checkStandings(tx *bbolt.Tx, fault func(string, ...any)) {
	counted := map[string]storage.Standing{}
	_ = tx.Bucket(resultBucket).ForEach(func(k, v []byte) error {
		r := storage.Result{Table: tableOf(k)}
		if err := decodeJSON("a result", v, &r); err != nil {
			fault("table %d: %v", r.Table, err)
			return nil
		}
		if !r.Counts() {
			return nil
		}
		for seat, o := range r.Seats {
			if o.User == "" {
				continue
			}
			for _, board := range []string{r.Game, AllGames} {
				key := string(standingKey(r.Guild, board, o.User))
				s := counted[key]
				add(&s, r, seat)
				counted[key] = s
			}
		}
		return nil
	})
	_ = tx.Bucket(standingBucket).ForEach(func(k, v []byte) error {
		var s storage.Standing
		if err := decodeJSON("a standing", v, &s); err != nil {
			fault("%v", err)
			return nil
		}
		if s != counted[string(k)] {
			fault("standing %q is %+v, the results make %+v", k, s, counted[string(k)])
		}
		user := k[bytes.LastIndexByte(k, 0)+1:]
		s.User = string(user)
		if tx.Bucket(ranksBucket).Get(rankKey(k[:len(k)-len(user)], s)) == nil {
			fault("standing %q has no rank", k)
		}
		return nil
	})
	if a, b := keys(tx, standingBucket), keys(tx, ranksBucket); a != len(counted) || b != len(counted) {
		fault("%d standings and %d ranks, the results make %d", a, b, len(counted))
	}
}

func keys(tx *bbolt.Tx, bucket []byte) int {
	n := 0
	_ = tx.Bucket(bucket).ForEach(func(_, _ []byte) error { n++; return nil })
	return n
}
