package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"

	"marque/storage"
)

const (
	// forgetRows and forgetTables bound what one commit of Forget and of DeleteGuild goes through.
	forgetRows   = 20_000
	forgetTables = 100
)

// Forget replaces a user by another name, which should begin with storage.Departed, in everything that is over: tables, their events, results and leaderboards. The names
// under which they played are removed, and so are their settings. Tables that go on are left as they are: take the user out of them before. It takes time in
// proportion to the file, in commits of bounded size; when it is interrupted, it can be done again. It returns storage.ErrInvalid for names that are no ids.
func (s *Store) Forget(ctx context.Context, user, as string) error {
	if err := checkName(as); err != nil {
		return err
	}
	s.voiding.Lock()
	err := s.do(ctx, func(t *txn) error { return forgetResults(t, user, as) })
	s.voiding.Unlock()
	if err != nil {
		return err
	}
	var after []byte
	for done := false; !done; {
		err := s.do(ctx, func(t *txn) error {
			next, err := forgetTable(t, user, as, after)
			done = next == nil
			if err == nil && !done {
				after = next
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return s.do(ctx, func(t *txn) error { return t.del(userPreference, name(nil, user)) })
}

// forgetResults renames the user in results, and makes the leaderboards of their servers anew.
func forgetResults(t *txn, user, as string) error {
	var ids []storage.ID
	var guilds []string
	prefix := name(nil, user)
	marks := map[string][]byte{}
	c := t.tx.Bucket(userResults).Cursor()
	for k, v := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, v = c.Next() {
		ids = append(ids, tableOf(k))
		marks[string(k)] = bytes.Clone(v)
	}
	for _, id := range ids {
		r, err := loadResult(t.tx, id)
		if err != nil {
			return err
		}
		r.Seats = rename(r.Seats, user, as)
		if err := putResult(t, r); err != nil {
			return err
		}
		moment := append(latest(nil, r.Ended), tableKey(id)...)
		old := append(name(nil, user), moment...)
		if err := t.put(userResults, append(name(nil, as), moment...), marks[string(old)]); err != nil {
			return err
		}
		if err := t.del(userResults, old); err != nil {
			return err
		}
		if !slices.Contains(guilds, r.Guild) {
			guilds = append(guilds, r.Guild)
		}
	}
	for _, g := range guilds {
		if _, err := rebuild(t, g, nil); err != nil {
			return err
		}
	}
	return nil
}

func rename(seats []storage.Occupant, user, as string) []storage.Occupant {
	seats = slices.Clone(seats)
	for i, o := range seats {
		if o.User == user {
			seats[i] = storage.Occupant{User: as}
		}
	}
	return seats
}

// forgetTable renames the user in the rows after one, as many as one commit may go through; it returns the last row that it
// went through, nil when it has come to the end.
func forgetTable(t *txn, user, as string, after []byte) (next []byte, err error) {
	type row struct{ bucket, key, value []byte }
	var changed []row
	var heads [][2]storage.Head
	c := t.tx.Bucket(tableBucket).Cursor()
	k, v := c.Seek(after)
	if after != nil && bytes.Equal(k, after) {
		k, v = c.Next()
	}
	over := false
	for n := 0; k != nil && n < forgetRows; n++ {
		next = bytes.Clone(k)
		if len(k) < 9 {
			k, v = c.Next()
			continue
		}
		id := storage.ID(binary.BigEndian.Uint64(k))
		switch k[8] {
		case headRow:
			h, err := decodeHead(id, v)
			if err != nil {
				return nil, err
			}
			over = h.Status == storage.Over
			d, err := decodeDetail(t.get(detailBucket, tableKey(id)))
			if err != nil {
				return nil, err
			}
			if over && h.Host == user || over && h.Seat(user) >= 0 {
				to := h
				to.Seats = rename(h.Seats, user, as)
				if h.Host == user {
					to.Host = as
				}
				heads = append(heads, [2]storage.Head{h, to})
			}
			if over && (slices.Contains(d.Invited, user) || slices.Contains(d.Order, user)) {
				d.Invited, d.Order = replaced(d.Invited, user, as), replaced(d.Order, user, as)
				b, err := encodeDetail(d)
				if err != nil {
					return nil, err
				}
				changed = append(changed, row{detailBucket, tableKey(id), b})
			}
		case eventRow:
			e, err := decodeEvent(v)
			if err != nil {
				return nil, err
			}
			if e.User == user {
				e.User = as
				switch e.Kind {
				case storage.Opened, storage.Joined, storage.Left, storage.Hosted, storage.Taken, storage.Refused:
					e.Text = ""
				}
				changed = append(changed, row{tableBucket, bytes.Clone(k), appendEvent(nil, e)})
			}
		}
		k, v = c.Next()
	}
	for _, r := range changed {
		if err := t.put(r.bucket, r.key, r.value); err != nil {
			return nil, err
		}
	}
	for _, h := range heads {
		b, _, err := encodeHead(h[1])
		if err != nil {
			return nil, err
		}
		if err := t.put(tableBucket, headKey(h[1].ID), b); err != nil {
			return nil, err
		}
		if err := reindex(t, h[0], h[1]); err != nil {
			return nil, err
		}
	}
	if k == nil {
		return nil, nil
	}
	return next, nil
}

func replaced(users []string, user, as string) []string {
	users = slices.Clone(users)
	for i, u := range users {
		if u == user {
			users[i] = as
		}
	}
	return users
}

// DeleteGuild deletes everything that is stored of a server: tables, results, leaderboards, seasons, settings. It is done in commits of bounded size;
// when it is interrupted, it can be done again.
func (s *Store) DeleteGuild(ctx context.Context, guild string) error {
	s.voiding.Lock()
	defer s.voiding.Unlock()
	for done := false; !done; {
		err := s.do(ctx, func(t *txn) (err error) {
			done, err = deleteTables(t, guild)
			return err
		})
		if err != nil {
			return err
		}
	}
	return s.do(ctx, func(t *txn) error {
		for _, bucket := range [][]byte{standingBucket, ranksBucket, leagueBucket, guildPreference, guildResults, gameResults, orderResults, longResults} {
			if err := deletePrefix(t, bucket, name(nil, guild)); err != nil {
				return err
			}
		}
		return nil
	})
}

// deleteTables deletes some tables of a server, and reports whether those were all.
func deleteTables(t *txn, guild string) (bool, error) {
	var ids []storage.ID
	prefix := name(nil, guild)
	c := t.tx.Bucket(guildBucket).Cursor()
	k, _ := c.Seek(prefix)
	for ; bytes.HasPrefix(k, prefix) && len(ids) < forgetTables; k, _ = c.Next() {
		id := tableOf(k)
		if k[len(prefix)] == 1 {
			id = ^id
		}
		ids = append(ids, id)
	}
	done := !bytes.HasPrefix(k, prefix)
	for _, id := range ids {
		if err := deleteTable(t, id); err != nil {
			return false, err
		}
	}
	return done, nil
}

func deleteTable(t *txn, id storage.ID) error {
	head, err := loadHead(t.tx, id)
	if err != nil {
		return err
	}
	for _, e := range entries(head) {
		if err := t.del(e.bucket, e.key); err != nil {
			return err
		}
	}
	if r, err := loadResult(t.tx, id); err == nil {
		moment := append(latest(nil, r.Ended), tableKey(id)...)
		for _, o := range r.Seats {
			if o.User != "" {
				if err := t.del(userResults, append(name(nil, o.User), moment...)); err != nil {
					return err
				}
			}
		}
		for _, e := range []entry{
			{guildResults, append(name(nil, r.Guild), moment...)}, {gameResults, append(name(name(nil, r.Guild), r.Game), moment...)},
			{orderResults, orderKey(r.Guild, r.Order)}, {longResults, longKey(r)}, {resultBucket, tableKey(id)},
		} {
			if err := t.del(e.bucket, e.key); err != nil {
				return err
			}
		}
	}
	if err := deletePrefix(t, tableBucket, tableKey(id)); err != nil {
		return err
	}
	for _, bucket := range [][]byte{detailBucket, outboxBucket} {
		if err := t.del(bucket, tableKey(id)); err != nil {
			return err
		}
	}
	return nil
}

func deletePrefix(t *txn, bucket, prefix []byte) error {
	var found [][]byte
	c := t.tx.Bucket(bucket).Cursor()
	for k, _ := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, _ = c.Next() {
		found = append(found, bytes.Clone(k))
	}
	for _, k := range found {
		if err := t.del(bucket, k); err != nil {
			return err
		}
	}
	return nil
}
