package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"go.etcd.io/bbolt"

	"marque/games"
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
	guilds := map[string]bool{}
	results, long := 0, 0
	_ = tx.Bucket(resultBucket).ForEach(func(k, v []byte) error {
		results++
		r := storage.Result{Table: tableOf(k)}
		if err := decodeJSON(resultBucket, k, v, &r); err != nil {
			fault("table %d: %v", r.Table, err)
			return nil
		}
		guilds[r.Guild] = true
		if !bytes.Equal(tx.Bucket(orderResults).Get(orderKey(r.Guild, r.Order)), k) {
			fault("the result of table %d has no place in the order of rating", r.Table)
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
	total := 0
	for guild := range guilds {
		all, err := recount(tx, guild, nil)
		if err != nil {
			fault("%v", err)
			continue
		}
		for _, r := range all.wrong {
			fault("the ratings after table %d are not as the results make them", r.Table)
		}
		total += len(all.lines)
		for key, l := range all.lines {
			s := storage.Standing{Player: l.Player}
			if err := decodeJSON(standingBucket, []byte(key), tx.Bucket(standingBucket).Get([]byte(key)), &s); err != nil {
				fault("%v", err)
			} else if s != l.Standing {
				fault("standing %q is %+v, the results make %+v", key, s, l.Standing)
			}
			if tx.Bucket(ranksBucket).Get(rankKey(l.board, l.Standing)) == nil {
				fault("standing %q has no rank", key)
			}
		}
	}
	if a, b := keys(tx, standingBucket), keys(tx, ranksBucket); a != total || b != total {
		fault("%d standings and %d ranks, the results make %d", a, b, total)
	}
}

func keys(tx *bbolt.Tx, bucket []byte) int {
	n := 0
	_ = tx.Bucket(bucket).ForEach(func(_, _ []byte) error { n++; return nil })
	return n
}
