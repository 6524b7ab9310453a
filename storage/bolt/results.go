package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"go.etcd.io/bbolt"

	"marque/games"
	"marque/storage"
)

// AllGames is the board on which the results of all games count.
const AllGames = ""

// storeResult writes a result with its indexes and counts it in the standings of its game and of all games.
func storeResult(t *txn, r storage.Result, encoded []byte) error {
	if err := t.put(resultBucket, tableKey(r.Table), encoded); err != nil {
		return err
	}
	moment := append(latest(nil, r.Ended), tableKey(r.Table)...)
	keys := []entry{
		{guildResults, append(name(nil, r.Guild), moment...)},
		{gameResults, append(name(name(nil, r.Guild), r.Game), moment...)},
	}
	for _, o := range r.Seats {
		if o.User != "" {
			keys = append(keys, entry{userResults, append(name(nil, o.User), moment...)})
		}
	}
	for _, k := range keys {
		if err := t.put(k.bucket, k.key, []byte{}); err != nil {
			return err
		}
	}
	if !r.Counts() {
		return nil
	}
	for i, o := range r.Seats {
		if o.User == "" {
			continue
		}
		for _, board := range []string{r.Game, AllGames} {
			if err := count(t, r, i, board); err != nil {
				return err
			}
		}
	}
	return nil
}

// count adds a result to the standing of who held a seat, and moves them to their new rank.
func count(t *txn, r storage.Result, seat int, board string) error {
	user := r.Seats[seat].User
	key := standingKey(r.Guild, board, user)
	prefix := key[:len(key)-len(user)]
	s := storage.Standing{User: user}
	if b := t.get(standingBucket, key); b != nil {
		if err := decodeJSON("a standing", b, &s); err != nil {
			return err
		}
		if err := t.del(ranksBucket, rankKey(prefix, s)); err != nil {
			return err
		}
	}
	add(&s, r, seat)
	b, err := encodeJSON(s)
	if err != nil {
		return err
	}
	if err := t.put(standingBucket, key, b); err != nil {
		return err
	}
	return t.put(ranksBucket, rankKey(prefix, s), []byte{})
}

// add counts a result for who held a seat.
func add(s *storage.Standing, r storage.Result, seat int) {
	s.Games++
	s.Last = max(s.Last, r.Ended)
	switch {
	case r.Drew(games.Seat(seat)):
		s.Draws++
	case r.Won(games.Seat(seat)):
		s.Wins++
		if len(r.Winners) > 1 {
			s.Shared++
		}
	}
}

func standingKey(guild, board, user string) []byte {
	return append(name(name(nil, guild), board), user...)
}

// rankKey sorts by wins, then draws, the most first; then by games, the fewest first; then by user.
func rankKey(prefix []byte, s storage.Standing) []byte {
	key := bytes.Clone(prefix)
	key = binary.BigEndian.AppendUint32(key, math.MaxUint32-uint32(s.Wins))
	key = binary.BigEndian.AppendUint32(key, math.MaxUint32-uint32(s.Draws))
	key = binary.BigEndian.AppendUint32(key, uint32(s.Games))
	return append(key, s.User...)
}

// Standings is a page of a server's leaderboard in a game, or in AllGames: at most limit lines after the first offset.
// More wins come first, then more draws, then fewer games.
func (s *Store) Standings(ctx context.Context, guild, board string, offset, limit int) ([]storage.Standing, error) {
	prefix := name(name(nil, guild), board)
	var page []storage.Standing
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		standings := tx.Bucket(standingBucket)
		c := tx.Bucket(ranksBucket).Cursor()
		for k, _ := c.Seek(prefix); bytes.HasPrefix(k, prefix) && len(page) < limit; k, _ = c.Next() {
			if offset > 0 {
				offset--
				continue
			}
			if len(k) < len(prefix)+12 {
				return fmt.Errorf("%w (a rank cannot be read)", storage.ErrDamaged)
			}
			line := storage.Standing{User: string(k[len(prefix)+12:])}
			if err := decodeJSON("a standing", standings.Get(append(bytes.Clone(prefix), line.User...)), &line); err != nil {
				return err
			}
			page = append(page, line)
		}
		return nil
	})
	return page, err
}

// Standing is a user's own line in a server's leaderboard of a game, or of AllGames. It is zero but for the user when they have not played.
func (s *Store) Standing(ctx context.Context, guild, board, user string) (storage.Standing, error) {
	line := storage.Standing{User: user}
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		b := tx.Bucket(standingBucket).Get(standingKey(guild, board, user))
		if b == nil {
			return nil
		}
		return decodeJSON("a standing", b, &line)
	})
	return line, err
}

// Results lists results, the latest first.
func (s *Store) Results(ctx context.Context, q storage.ResultQuery) ([]storage.Result, error) {
	bucket, prefix := guildResults, name(nil, q.Guild)
	switch {
	case q.User != "":
		bucket, prefix = userResults, name(nil, q.User)
	case q.Game != "":
		bucket, prefix = gameResults, name(name(nil, q.Guild), q.Game)
	}
	var list []storage.Result
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		results := tx.Bucket(resultBucket)
		c := tx.Bucket(bucket).Cursor()
		start := prefix
		if q.Before.Table != 0 {
			start = append(append(bytes.Clone(prefix), latest(nil, q.Before.Ended)...), tableKey(q.Before.Table)...)
		}
		k, _ := c.Seek(start)
		if q.Before.Table != 0 && bytes.Equal(k, start) {
			k, _ = c.Next()
		}
		for ; bytes.HasPrefix(k, prefix) && len(list) < q.Limit; k, _ = c.Next() {
			r := storage.Result{Table: tableOf(k)}
			if err := decodeJSON("a result", results.Get(tableKey(r.Table)), &r); err != nil {
				return err
			}
			if q.User != "" && (q.Guild != "" && r.Guild != q.Guild || q.Game != "" && r.Game != q.Game) {
				continue
			}
			list = append(list, r)
		}
		return nil
	})
	return list, err
}
