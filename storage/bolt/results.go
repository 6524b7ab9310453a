package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"marque/games"
	"marque/storage"
)

// played and abandoned are the values of a result's index entries.
var (
	playedMark    = []byte{0}
	abandonedMark = []byte{1}
)

// storeResult writes a result with its indexes, in the season that runs, and counts it on its leaderboards.
func storeResult(t *txn, r storage.Result) error {
	league, err := loadLeague(t.tx, r.Guild)
	if err != nil {
		return err
	}
	if season, ok := league.Running(); ok {
		r.Season = season.Number
	}
	if err := indexResult(t, &r); err != nil {
		return err
	}
	if err := count(t, live(t.tx, r.Guild), &r); err != nil {
		return err
	}
	r.Ratings = nil // they are kept apart
	return putResult(t, r)
}

func putResult(t *txn, r storage.Result) error {
	b, err := encodeResult(r)
	if err != nil {
		return err
	}
	return t.put(resultBucket, tableKey(r.Table), b)
}

// indexResult gives a result its place in the order of rating and enters it into the lists of results.
func indexResult(t *txn, r *storage.Result) error {
	var err error
	if r.Order, err = t.tx.Bucket(resultBucket).NextSequence(); err != nil {
		return err
	}
	return enterResult(t, *r)
}

// enterResult enters a result into the lists of results.
func enterResult(t *txn, r storage.Result) error {
	keys, mark := resultEntries(r)
	for _, k := range keys {
		if err := t.put(k.bucket, k.key, mark); err != nil {
			return err
		}
	}
	if err := t.put(orderResults, orderKey(r.Guild, r.Order), tableKey(r.Table)); err != nil {
		return err
	}
	if r.Ending == games.Abandoned {
		return nil
	}
	return t.put(longResults, longKey(r), []byte{})
}

// resultEntries are the entries of a result in the lists of results, but for its order and its length, and their value. A user who held several seats
// is in the list once.
func resultEntries(r storage.Result) (list []entry, mark []byte) {
	mark = playedMark
	if r.Ending == games.Abandoned {
		mark = abandonedMark
	}
	moment := append(latest(nil, r.Ended), tableKey(r.Table)...)
	list = []entry{
		{guildResults, append(name(nil, r.Guild), moment...)},
		{gameResults, append(name(name(nil, r.Guild), r.Game), moment...)},
	}
	var users []string
	for _, o := range r.Seats {
		if o.User != "" && !slices.Contains(users, o.User) {
			users = append(users, o.User)
			list = append(list, entry{userResults, append(name(nil, o.User), moment...)})
		}
	}
	return list, mark
}

func orderKey(guild string, order uint64) []byte {
	return binary.BigEndian.AppendUint64(name(nil, guild), order)
}

func longKey(r storage.Result) []byte {
	return append(binary.BigEndian.AppendUint32(name(nil, r.Guild), ^uint32(r.Plays)), tableKey(r.Table)...)
}

// storedResult is a result as it was written: the ratings after it are not in it.
func storedResult(tx *bbolt.Tx, id storage.ID) (storage.Result, error) {
	key := tableKey(id)
	b := tx.Bucket(resultBucket).Get(key)
	if b == nil {
		return storage.Result{Table: id}, storage.ErrNoResult
	}
	return decodeResult(key, b)
}

func loadResult(tx *bbolt.Tx, id storage.ID) (storage.Result, error) {
	r, err := storedResult(tx, id)
	if err != nil {
		return r, err
	}
	return r, loadRatings(tx, &r)
}

// Result returns how a table ended, or storage.ErrNoResult.
func (s *leagues) Result(ctx context.Context, id storage.ID) (storage.Result, error) {
	var r storage.Result
	err := s.view(ctx, func(tx *bbolt.Tx) (err error) {
		r, err = loadResult(tx, id)
		return err
	})
	return r, err
}

// Results lists results, the latest first.
func (s *leagues) Results(ctx context.Context, q storage.ResultQuery) ([]storage.Result, error) {
	bucket, prefix := guildResults, name(nil, q.Guild)
	switch {
	case q.User != "":
		bucket, prefix = userResults, name(nil, q.User)
	case q.Game != "":
		bucket, prefix = gameResults, name(name(nil, q.Guild), q.Game)
	}
	var list []storage.Result
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		results := tx.Bucket(resultBucket).Cursor()
		var facts storage.Result
		c := tx.Bucket(bucket).Cursor()
		start := prefix
		if q.Before.Table != 0 {
			start = append(append(bytes.Clone(prefix), latest(nil, q.Before.Ended)...), tableKey(q.Before.Table)...)
		}
		k, _ := c.Seek(start)
		if q.Before.Table != 0 && bytes.Equal(k, start) {
			k, _ = c.Next()
		}
		for n := 0; bytes.HasPrefix(k, prefix) && len(list) < q.Limit && (q.Scan == 0 || n < q.Scan); k, _ = c.Next() {
			n++
			key := k[len(k)-8:]
			found, v := results.Seek(key)
			if !bytes.Equal(found, key) {
				return damaged(resultBucket, key, "it is missing")
			}
			var err error
			if facts, err = decodeFacts(key, v, facts); err != nil {
				return err
			}
			r := facts
			if q.User != "" && (q.Guild != "" && r.Guild != q.Guild || q.Game != "" && r.Game != q.Game) || q.Keep != nil && !q.Keep(r) {
				continue
			}
			if r, err = decodeResult(key, v); err == nil {
				err = loadRatings(tx, &r)
			}
			if err != nil {
				return err
			}
			list = append(list, r)
		}
		return nil
	})
	return list, err
}

// Stats counts what a server has played to an end among these games. It reads the keys of all of the server's results, so its cost grows with their number.
func (s *leagues) Stats(ctx context.Context, guild string, keys []string, now storage.Stamp) (storage.Stats, error) {
	stats := storage.Stats{Weeks: make([]int, storage.StatWeeks)}
	const week = storage.Stamp(7 * 24 * time.Hour / time.Millisecond)
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		for _, game := range keys {
			g := storage.GameStats{Game: game}
			prefix := name(name(nil, guild), game)
			c := tx.Bucket(gameResults).Cursor()
			for k, v := c.Seek(prefix); bytes.HasPrefix(k, prefix) && len(k) == len(prefix)+16; k, v = c.Next() {
				if bytes.Equal(v, abandonedMark) {
					continue
				}
				ended := storage.Stamp(^binary.BigEndian.Uint64(k[len(prefix):]))
				g.Count++
				g.Last = max(g.Last, ended)
				if back := (now - ended) / week; back >= 0 && back < storage.StatWeeks {
					stats.Weeks[storage.StatWeeks-1-back]++
				}
			}
			if g.Count > 0 {
				stats.Games = append(stats.Games, g)
			}
		}
		prefix := name(nil, guild)
		c := tx.Bucket(longResults).Cursor()
		for k, _ := c.Seek(prefix); bytes.HasPrefix(k, prefix) && len(stats.Longest) < storage.StatLongest; k, _ = c.Next() {
			r, err := loadResult(tx, tableOf(k))
			if err != nil {
				return err
			}
			stats.Longest = append(stats.Longest, r)
		}
		return nil
	})
	return stats, err
}
