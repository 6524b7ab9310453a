package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.etcd.io/bbolt"

	"marque/games/text"
	"marque/storage"
)

// scanRows bounds how many rows a job looks through in one read of the file.
const scanRows = 5000

// Forget replaces a user by another name, which should begin with storage.Departed, in tables, their
// events, results and leaderboards, and in what moderators noted down. The names under which they
// played are removed, and so are their settings. Take the user out of tables that go on before: here
// their seats there get the other name alone. It returns storage.ErrInvalid for names that are no ids.
//
// Their settings are gone when it returns. The rest takes time in proportion to the file and is done in
// the background: that is the Work Forgetting.
func (s *Store) Forget(ctx context.Context, user, as string) error {
	if err := errors.Join(storage.CheckName(user), storage.CheckName(as)); err != nil {
		return err
	}
	if user == "" {
		return fmt.Errorf("%w: nobody is to be forgotten", storage.ErrInvalid)
	}
	return s.ask(ctx, job{kind: forgetting, of: user, As: as}, func(t *txn, j, before *job) error {
		if before != nil {
			j.As = before.As // what was renamed already has it
		}
		return t.del(userPreference, name(nil, user))
	})
}

// ask asks for a job. first is run in the same commit; before is the job as it was asked for earlier,
// nil when it was not.
func (s *Store) ask(ctx context.Context, j job, first func(t *txn, j, before *job) error) error {
	err := s.do(ctx, func(t *txn) error {
		j := j // it may be run more than once
		var before *job
		if b, there, err := loadJob(t.tx, j.kind, j.of); err != nil {
			return err
		} else if there {
			before = &b
		}
		if err := first(t, &j, before); err != nil {
			return err
		}
		return request(t, j)
	})
	if err == nil {
		s.labour.tell(jobKey(j.kind, j.of), nil)
	}
	return err
}

// The phases of forgetting.
const (
	inResults = iota
	inVoidings
	inTables
	inDetails
	inSeasons
)

// forget does the job of Forget.
func (s *Store) forget(ctx context.Context, j job) error {
	user, as := j.of, j.As
	if j.Phase == inResults {
		for j.Phase == inResults {
			err := s.step(ctx, &j, func(t *txn, j *job) error {
				more, err := forgetResults(t, user, as)
				if err == nil && !more {
					j.Phase = inVoidings
				}
				return err
			})
			if err != nil {
				return err
			}
		}
		// Leaderboards that are being counted may have the old name until they are cleared.
		s.labour.tell(jobKey(recounting, ""), nil)
	}
	each := func(key []byte) []byte { return key }
	for _, phase := range []struct {
		bucket []byte
		group  func(key []byte) []byte // the key of what is changed together
		forget func(t *txn, key []byte, user, as string) error
	}{
		inVoidings: {resultBucket, each, forgetVoiding},
		inTables:   {tableBucket, func(k []byte) []byte { return k[:min(8, len(k))] }, forgetTable},
		inDetails:  {detailBucket, each, forgetDetail},
		inSeasons:  {leagueBucket, each, forgetSeasons},
	}[j.Phase:] {
		if err := s.forgetIn(ctx, &j, phase.bucket, phase.group, phase.forget); err != nil {
			return err
		}
	}
	return s.steps(ctx, j, func(_ *txn, j *job) error {
		j.done = true
		return nil
	})
}

// forgetIn goes through a phase: it looks beside the writer for values of a bucket in which the user
// stands, and has those changed in steps.
func (s *Store) forgetIn(
	ctx context.Context, j *job, bucket []byte, group func([]byte) []byte, forget func(t *txn, key []byte, user, as string) error,
) error {
	for scanned := bytes.Clone(j.After); ; {
		var found [][]byte
		last := true
		err := s.view(ctx, func(tx *bbolt.Tx) error {
			c := tx.Bucket(bucket).Cursor()
			k, v := following(c, scanned)
			for n := 0; k != nil && n < scanRows && len(found) < stepResults; n++ {
				scanned = bytes.Clone(k)
				if !bytes.Contains(v, []byte(j.of)) {
					k, v = c.Next()
					continue
				}
				key := group(scanned)
				found = append(found, key)
				if len(key) == len(scanned) {
					k, v = c.Next()
					continue
				}
				// The table is changed as a whole; its other rows need not be looked at.
				scanned = append(bytes.Clone(key), 0xff)
				k, v = c.Seek(scanned)
			}
			last = k == nil
			return nil
		})
		if err != nil {
			return err
		}
		if len(found) == 0 && !last {
			continue
		}
		err = s.step(ctx, j, func(t *txn, j *job) error {
			for _, k := range found {
				if err := forget(t, k, j.of, j.As); err != nil {
					return err
				}
			}
			if j.After = scanned; last {
				j.Phase, j.After = j.Phase+1, nil
			}
			return nil
		})
		if err != nil || last {
			return err
		}
	}
}

// following is the first row behind a key; the first of all for nil.
func following(c *bbolt.Cursor, after []byte) (k, v []byte) {
	k, v = c.Seek(after)
	if after != nil && bytes.Equal(k, after) {
		return c.Next()
	}
	return k, v
}

// forgetResults renames the user in some of their results and on the leaderboards on which those count,
// and reports whether there are more.
func forgetResults(t *txn, user, as string) (more bool, err error) {
	prefix := name(nil, user)
	type found struct{ key, mark []byte }
	var list []found
	c := t.tx.Bucket(userResults).Cursor()
	k, v := c.Seek(prefix)
	for ; bytes.HasPrefix(k, prefix) && len(list) < stepResults; k, v = c.Next() {
		list = append(list, found{bytes.Clone(k), bytes.Clone(v)})
	}
	for _, f := range list {
		r, err := storedResult(t.tx, tableOf(f.key))
		if err != nil {
			return false, err
		}
		r.Seats = rename(r.Seats, user, as)
		if err := putResult(t, r); err != nil {
			return false, err
		}
		if err := t.put(userResults, append(name(nil, as), f.key[len(prefix):]...), f.mark); err != nil {
			return false, err
		}
		if err := t.del(userResults, f.key); err != nil {
			return false, err
		}
		if err := renameLines(t, r, user, as); err != nil {
			return false, err
		}
	}
	return bytes.HasPrefix(k, prefix), nil
}

// renameLines gives the user's lines of the leaderboards on which a result counts to the other name.
// Numbers stay as they are. Where both have a line, as when a game of theirs ended after the first was
// renamed, the leaderboards are counted anew; so they are where they are being counted.
func renameLines(t *txn, r storage.Result, user, as string) error {
	g := live(t.tx, r.Guild)
	_, anew, err := loadJob(t.tx, recounting, r.Guild)
	if err != nil {
		return err
	}
	for _, b := range r.Boards() {
		board := boardKey(b)
		from, to := append(bytes.Clone(board), user...), append(bytes.Clone(board), as...)
		v := t.get(g.standings(), from)
		if v == nil {
			continue
		}
		l := &line{board: board, Standing: storage.Standing{Player: user}}
		if err := decodeJSON(g.standings(), from, v, &l.Standing); err != nil {
			return err
		}
		if err := t.del(g.ranks(), rankKey(board, l.Standing)); err != nil {
			return err
		}
		if err := t.del(g.standings(), from); err != nil {
			return err
		}
		if t.get(g.standings(), to) != nil {
			anew = true
			continue
		}
		l.Player, l.Name = as, text.Name{}
		if err := putLine(t, g, l); err != nil {
			return err
		}
	}
	if !anew {
		return nil
	}
	return request(t, job{kind: recounting, of: r.Guild})
}

// forgetVoiding renames the user where they voided a result, or where the reason for that mentions them.
func forgetVoiding(t *txn, key []byte, user, as string) error {
	r, err := storedResult(t.tx, tableOf(key))
	if err != nil || r.Voided == nil {
		return err
	}
	voided := *r.Voided
	if voided.By == user {
		voided.By = as
	}
	voided.Why = unmention(voided.Why, user)
	r.Voided = &voided
	return putResult(t, r)
}

// forgetSeasons takes mentions of the user out of the names of a server's seasons.
func forgetSeasons(t *txn, key []byte, user, _ string) error {
	var l storage.League
	if err := decodeJSON(leagueBucket, key, t.get(leagueBucket, key), &l); err != nil {
		return err
	}
	for i := range l.Seasons {
		l.Seasons[i].Name = unmention(l.Seasons[i].Name, user)
	}
	b, err := encodeJSON(l)
	if err != nil {
		return err
	}
	return t.put(leagueBucket, key, b)
}

// unmention takes a user's id, and with it mentions made of it, out of what somebody wrote.
func unmention(n text.Name, user string) text.Name {
	return text.NewName(strings.ReplaceAll(n.Plain(), user, "…"))
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

// forgetTable renames the user in a table's head and events. key is the table's.
func forgetTable(t *txn, key []byte, user, as string) error {
	id := tableOf(key)
	h, err := loadHead(t.tx, id)
	if errors.Is(err, storage.ErrNoTable) { // these rows are the keys of commands that opened a table
		return nil
	}
	if err != nil {
		return err
	}
	if err := forgetHead(t, h, user, as); err != nil {
		return err
	}
	if err := forgetNote(t, id, direct(h, user)); err != nil {
		return err
	}
	return forgetEvents(t, id, user, as)
}

// direct reports whether a table is in a user's direct messages, whose channel is as good as a name.
func direct(h storage.Head, user string) bool {
	return h.Guild == "" && (h.Host == user || h.Seat(user) >= 0)
}

// forgetNote drops what of a publisher's note may name people, or all of it.
func forgetNote(t *txn, id storage.ID, all bool) error {
	published, note, err := loadPost(t.tx, id)
	first, _, more := strings.Cut(note, "\n")
	if all {
		first, more = "", note != ""
	}
	if err != nil || !more {
		return err
	}
	return t.put(tableBucket, rowKey(id, postRow), encodePost(published, first))
}

func forgetHead(t *txn, h storage.Head, user, as string) error {
	if h.Host != user && h.Seat(user) < 0 {
		return nil
	}
	to := h
	to.Seats = rename(h.Seats, user, as)
	if h.Host == user {
		to.Host = as
	}
	if direct(h, user) {
		to.Channel = ""
	}
	b, _, err := encodeHead(to)
	if err != nil {
		return err
	}
	if err := t.put(tableBucket, headKey(h.ID), b); err != nil {
		return err
	}
	return reindex(t, h, to)
}

func forgetDetail(t *txn, key []byte, user, as string) error {
	id := tableOf(key)
	d, err := decodeDetail(id, t.get(detailBucket, key))
	if err != nil || !slices.Contains(d.Invited, user) && !slices.Contains(d.Order, user) {
		return err
	}
	d.Invited, d.Order = replaced(d.Invited, user, as), replaced(d.Order, user, as)
	b, err := encodeDetail(d)
	if err != nil {
		return err
	}
	return t.put(detailBucket, key, b)
}

func forgetEvents(t *txn, id storage.ID, user, as string) error {
	var known []text.Name // the names that the user had at the table
	var changed []row
	prefix := rowKey(id, eventRow)
	c := t.tx.Bucket(tableBucket).Cursor()
	for k, v := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, v = c.Next() {
		e, err := decodeEvent(k, v)
		if err != nil {
			return err
		}
		mine := e.User == user
		if mine {
			e.User = as
			if e.Kind.Named() {
				known = append(known, e.Name())
				e.Text = ""
			}
		}
		// Who was removed by a moderator stands there by name alone.
		removed := e.Kind == storage.Removed && e.Text != "" && slices.Contains(known, e.Name())
		if removed {
			e.Text = ""
		}
		if mine || removed {
			changed = append(changed, row{tableBucket, bytes.Clone(k), appendEvent(nil, e)})
		}
	}
	for _, r := range changed {
		if err := t.put(r.bucket, r.key, r.value); err != nil {
			return err
		}
	}
	return nil
}

// Naming lists the tables that go on in which a user sits, is invited, or is the host, by rising id. It takes time in proportion to the tables that go on.
func (s *Store) Naming(ctx context.Context, user string) ([]storage.ID, error) {
	var ids []storage.ID
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		return eachActive(tx, nil, func(k []byte) error {
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
			return nil
		})
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

func replaced(users []string, user, as string) []string {
	users = slices.Clone(users)
	for i, u := range users {
		if u == user {
			users[i] = as
		}
	}
	return users
}
