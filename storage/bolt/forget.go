package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"go.etcd.io/bbolt"

	"marque/storage"
)

const (
	// forgetRows and deletedTables bound what one commit of Forget and of DeleteGuild goes through.
	forgetRows    = 20_000
	deletedTables = 100
)

// Forget replaces a user by another name, which should begin with storage.Departed, in tables, their events, results and leaderboards, and in what
// moderators noted down. The names under which they played are removed, and so are their settings. Take the user out of tables that go on before: here
// their seats there get the other name alone. It takes time in proportion to the file, in commits of bounded size; when it is interrupted, it can be done again. It
// returns storage.ErrInvalid for names that are no ids.
func (s *Store) Forget(ctx context.Context, user, as string) error {
	if err := checkName(as); err != nil {
		return err
	}
	if user == "" {
		return fmt.Errorf("%w: nobody is to be forgotten", storage.ErrInvalid)
	}
	s.voiding.Lock()
	err := s.do(ctx, func(t *txn) error { return forgetResults(t, user, as) })
	if err == nil {
		err = s.pages(ctx, func(t *txn, after []byte) ([]byte, error) { return forgetVoidings(t, user, as, after) })
	}
	s.voiding.Unlock()
	if err != nil {
		return err
	}
	if err := s.pages(ctx, func(t *txn, after []byte) ([]byte, error) { return forgetTables(t, user, as, after) }); err != nil {
		return err
	}
	return s.do(ctx, func(t *txn) error {
		if err := forgetSeasons(t, user); err != nil {
			return err
		}
		return t.del(userPreference, name(nil, user))
	})
}

// pages commits page after page until one says that it was the last: each returns the key that it went up to, nil at the end.
func (s *Store) pages(ctx context.Context, page func(t *txn, after []byte) ([]byte, error)) error {
	var after []byte
	for done := false; !done; {
		err := s.do(ctx, func(t *txn) error {
			next, err := page(t, after)
			done = err == nil && next == nil
			if err == nil {
				after = next
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// following is the first row behind a key; the first of all for nil.
func following(c *bbolt.Cursor, after []byte) (k, v []byte) {
	k, v = c.Seek(after)
	if after != nil && bytes.Equal(k, after) {
		return c.Next()
	}
	return k, v
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

// forgetVoidings renames the user where they voided a result, or where the reason for that mentions them.
func forgetVoidings(t *txn, user, as string, after []byte) (next []byte, err error) {
	var changed []storage.Result
	c := t.tx.Bucket(resultBucket).Cursor()
	k, v := following(c, after)
	for n := 0; k != nil && n < forgetRows; n++ {
		next = bytes.Clone(k)
		if bytes.Contains(v, []byte(user)) {
			r, err := loadResult(t.tx, tableOf(k))
			if err != nil {
				return nil, err
			}
			if r.Voided != nil {
				voided := *r.Voided
				if voided.By == user {
					voided.By = as
				}
				voided.Why = unmention(voided.Why, user)
				r.Voided = &voided
				changed = append(changed, r)
			}
		}
		k, v = c.Next()
	}
	for _, r := range changed {
		if err := putResult(t, r); err != nil {
			return nil, err
		}
	}
	if k == nil {
		return nil, nil
	}
	return next, nil
}

// forgetSeasons takes mentions of the user out of the names of seasons.
func forgetSeasons(t *txn, user string) error {
	var keys [][]byte
	c := t.tx.Bucket(leagueBucket).Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		if bytes.Contains(v, []byte(user)) {
			keys = append(keys, bytes.Clone(k))
		}
	}
	for _, k := range keys {
		var l storage.League
		if err := decodeJSON(leagueBucket, k, t.get(leagueBucket, k), &l); err != nil {
			return err
		}
		for i := range l.Seasons {
			l.Seasons[i].Name = unmention(l.Seasons[i].Name, user)
		}
		b, err := encodeJSON(l)
		if err != nil {
			return err
		}
		if err := t.put(leagueBucket, k, b); err != nil {
			return err
		}
	}
	return nil
}

// unmention takes a user's id, and mentions made of it, out of what somebody wrote.
func unmention(s, user string) string {
	for _, m := range []string{"<@" + user + ">", "<@!" + user + ">", user} {
		s = strings.ReplaceAll(s, m, "…")
	}
	return s
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

// forgetTables renames the user in the tables after a row, as many as one commit may go through, and whole tables always; it returns the last row that it
// went through, nil when it has come to the end.
func forgetTables(t *txn, user, as string, after []byte) (next []byte, err error) {
	type row struct{ bucket, key, value []byte }
	var changed []row
	var heads [][2]storage.Head
	var known []string // the names that the user had at the table
	c := t.tx.Bucket(tableBucket).Cursor()
	k, v := following(c, after)
	for n := 0; k != nil; n++ {
		if len(k) < 9 {
			next = bytes.Clone(k)
			k, v = c.Next()
			continue
		}
		if n >= forgetRows && k[8] == headRow {
			break
		}
		next = bytes.Clone(k)
		id := storage.ID(binary.BigEndian.Uint64(k))
		switch k[8] {
		case headRow:
			known = nil
			h, err := decodeHead(id, v)
			if err != nil {
				return nil, err
			}
			d, err := decodeDetail(id, t.get(detailBucket, tableKey(id)))
			if err != nil {
				return nil, err
			}
			if h.Host == user || h.Seat(user) >= 0 {
				to := h
				to.Seats = rename(h.Seats, user, as)
				if h.Host == user {
					to.Host = as
				}
				heads = append(heads, [2]storage.Head{h, to})
			}
			if slices.Contains(d.Invited, user) || slices.Contains(d.Order, user) {
				d.Invited, d.Order = replaced(d.Invited, user, as), replaced(d.Order, user, as)
				b, err := encodeDetail(d)
				if err != nil {
					return nil, err
				}
				changed = append(changed, row{detailBucket, tableKey(id), b})
			}
		case eventRow:
			e, err := decodeEvent(k, v)
			if err != nil {
				return nil, err
			}
			mine := e.User == user
			if mine {
				e.User = as
				if e.Kind.Named() {
					known = append(known, oneSpaced(e.Text))
					e.Text = ""
				}
			}
			// Who was removed by a moderator stands there by name alone.
			if removed := e.Kind == storage.Removed && e.Text != "" && slices.Contains(known, oneSpaced(e.Text)); mine || removed {
				if removed {
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

// Naming lists the tables that go on in which a user sits, is invited, or is the host, by rising id. It takes time in proportion to the tables that go on.
func (s *Store) Naming(ctx context.Context, user string) ([]storage.ID, error) {
	var ids []storage.ID
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		c := tx.Bucket(guildBucket).Cursor()
		for k, _ := c.First(); k != nil; k, _ = c.Next() {
			if k[len(k)-9] != 0 {
				continue // it is over
			}
			h, err := loadHead(tx, tableOf(k))
			if err != nil {
				return err
			}
			named := h.Host == user || h.Seat(user) >= 0
			if !named {
				d, err := decodeDetail(h.ID, tx.Bucket(detailBucket).Get(tableKey(h.ID)))
				if err != nil {
					return err
				}
				named = slices.Contains(d.Invited, user) || slices.Contains(d.Order, user)
			}
			if named {
				ids = append(ids, h.ID)
			}
		}
		return nil
	})
	slices.Sort(ids)
	return ids, err
}

// Guilds lists the servers of which something is stored, in the order of their ids as text.
func (s *Store) Guilds(ctx context.Context) ([]string, error) {
	var guilds []string
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		for _, bucket := range [][]byte{guildBucket, guildPreference, leagueBucket} {
			c := tx.Bucket(bucket).Cursor()
			for k, _ := c.First(); k != nil; {
				guild := string(k[:bytes.IndexByte(k, 0)])
				if guild != "" { // under no name lie the bot's own notes
					guilds = append(guilds, guild)
				}
				k, _ = c.Seek(append([]byte(guild), 1)) // behind all keys that begin with the name and a zero
			}
		}
		return nil
	})
	slices.Sort(guilds)
	return slices.Compact(guilds), err
}

// oneSpaced is a name as it may have been noted down on one line.
func oneSpaced(name string) string { return strings.Join(strings.Fields(name), " ") }

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
	for ; bytes.HasPrefix(k, prefix) && len(ids) < deletedTables; k, _ = c.Next() {
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
