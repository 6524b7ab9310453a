package storage

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"marque/games/text"
	"marque/storage/kv"
)

// Forget replaces a user by another name, which should begin with Departed. It does so in seats, as host, in
// invitations and orders of seats, in events, results and leaderboards, and as a moderator who voided results.
// Forget also removes the user's names from events that are Named, and from Removed events at the same table. It
// takes the user out of competitions and seeks. Of the notes about published messages it keeps only the first line;
// at tables in direct messages it removes the channel and the whole note. In reasons for voiding and in the titles
// of seasons and competitions it replaces the user's id by ….
//
// The user's own data, such as settings and scores, is deleted when Forget returns. A background job does the rest. If
// an earlier request is unfinished, its name is used. Callers should first take the user out of unfinished tables,
// because Forget only renames the user in their seats. Forget returns ErrInvalid for invalid ids.
func (s *Store) Forget(ctx context.Context, user, as string) error {
	if err := errors.Join(CheckName(user), CheckName(as)); err != nil {
		return err
	}
	if user == "" {
		return fmt.Errorf("%w: nobody is to be forgotten", ErrInvalid)
	}
	at := key{user: user}
	return s.ask(ctx, job{kind: Forgetting, of: user, As: as}, func(t *txn, j, before *job) error {
		if before != nil {
			j.As = before.As // an earlier step may already have used this name
		}
		for _, x := range ofUsers() {
			if err := t.discardAll(x, x.at().under(at, 1)); err != nil {
				return err
			}
		}
		return nil
	}, userLock.of(at))
}

// ofUsers returns the kinds of values that belong to one user alone. They are deleted with the user, and are in the
// user's export.
func ofUsers() (list []anyKind) {
	for _, x := range kinds {
		if slices.Contains(x.owners(), byUser) {
			list = append(list, x)
		}
	}
	return list
}

// Owned is a stored value that belongs to one user alone.
type Owned struct {
	What  string          `json:"what"` // name of the value, such as "what user 11 solved on server 22 in 2026-11"
	Value json.RawMessage `json:"value"`
}

// Owned lists all stored values that belong to one user alone, by kind and key, except the user's settings, which
// UserSettings returns. A secret is listed as set, without its value. Data shared with other users, such as tables,
// results and competitions, is in other lists.
func (s *Store) Owned(ctx context.Context, user string) (list []Owned, err error) {
	err = s.view(ctx, func(r kv.Reader) error {
		list = nil
		for _, x := range ofUsers() {
			if x == anyKind(userSettings) {
				continue
			}
			err := each(r, x.at().under(key{user: user}, 1), func(p kv.Pair) error {
				k, err := x.at().mustParse(p.Key)
				if err != nil {
					return err
				}
				value, err := x.export(k, p.Value)
				list = append(list, Owned{x.name(k), value})
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	return list, err
}

// discardAll deletes the values of a kind in a range, with their index entries.
func (t *txn) discardAll(x anyKind, in kv.Range) error {
	return each(t, in, func(p kv.Pair) error { return t.discard(x, p) })
}

// discard deletes a value with its index entries. If the value is unreadable, its entries stay, and Check reports them.
func (t *txn) discard(x anyKind, p kv.Pair) error {
	at := kv.Key{Space: x.at().space, Key: p.Key}
	k, ok := x.at().parse(p.Key)
	if !ok {
		return t.Delete(at)
	}
	err := x.remove(t, k, p.Value)
	if errors.As(err, new(*DamagedError)) {
		return t.Delete(at)
	}
	return err
}

// Phases of a job that forgets a user.
const (
	inResults = iota // renames the user in results and on leaderboards
	inValues         // renames the user in all other values
)

// forget runs the background job that Forget requests.
func (s *Store) forget(ctx context.Context, j job) error {
	for j.Phase == inResults {
		if err := s.forgetResults(ctx, &j); err != nil {
			return err
		}
	}
	// Wake the recounts that forgetResults has requested. Leaderboards that are being recounted may contain the old
	// name until they are cleared.
	s.runner.report(jobKey(Recounting, ""), nil)
	for !j.done {
		if err := s.forgetValues(ctx, &j); err != nil {
			return err
		}
	}
	return nil
}

// forgetResults renames the user in some results, and on the leaderboards on which these results count.
func (s *Store) forgetResults(ctx context.Context, j *job) error {
	var at []key
	err := s.view(ctx, func(r kv.Reader) error {
		pairs, err := r.Scan(resultsOfUser.under(key{user: j.of}, 1), kv.Ascending, stepResults)
		if err != nil {
			return err
		}
		for _, p := range pairs {
			k, err := resultsOfUser.mustParse(p.Key)
			if err != nil {
				return err
			}
			facts, err := decodeFacts(k.table, p.Value, Result{})
			if err != nil {
				return err
			}
			at = append(at, key{server: facts.Guild, table: k.table})
		}
		return nil
	})
	if err != nil {
		return err
	}
	locks := []kv.Lock{workLockOf(Recounting)}
	for _, k := range at {
		locks = append(locks, leagueLock.of(k))
	}
	return s.step(ctx, j, func(t *txn, j *job) error {
		if len(at) == 0 {
			j.Phase = inValues
		}
		f := &forgotten{user: j.of, as: j.As}
		for _, k := range at {
			if err := f.takeOutOf(t, k); err != nil {
				return err
			}
		}
		return nil
	}, locks...)
}

// takeOutOf renames the user in a result and on its leaderboards.
func (f *forgotten) takeOutOf(t *txn, k key) error {
	r, there, err := results.get(t, k)
	if err != nil || !there { // a result is missing while its server is being deleted
		return err
	}
	after, changed := forgetResult(f, k, r)
	if !changed {
		return nil
	}
	if err := results.replace(t, k, &r, &after); err != nil {
		return err
	}
	return t.renameLines(r, f.user, f.as)
}

// renameLines renames the user's lines on the leaderboards of a result. The Number of a line stays the same. If both
// names have a line, because a game ended after the first renaming, the leaderboards are recounted. Leaderboards that
// are already being recounted are recounted again.
func (t *txn) renameLines(r Result, user, as string) error {
	half, _, err := halves.get(t, r.key())
	if err != nil {
		return err
	}
	_, recount, err := jobs.get(t, jobKey(Recounting, r.Guild))
	if err != nil {
		return err
	}
	for _, b := range r.Boards() {
		from, to := b.key(half, user), b.key(half, as)
		lines, err := standings.all(t, []key{from, to})
		switch {
		case err != nil:
			return err
		case !lines[0].there:
			continue
		case lines[0].err != nil:
			return lines[0].err
		}
		if err := standings.replace(t, from, &lines[0].value, nil); err != nil {
			return err
		}
		if lines[1].there {
			recount = true
			continue
		}
		line := lines[0].value
		line.Player, line.Name = as, text.Name{}
		if err := standings.replace(t, to, nil, &line); err != nil {
			return err
		}
	}
	if !recount {
		return nil
	}
	return t.request(job{kind: Recounting, of: r.Guild})
}

// forgetValues searches for values that name the user, starting at the job's position, and renames the user in some of
// them.
func (s *Store) forgetValues(ctx context.Context, j *job) error {
	at, last, err := s.naming(ctx, j.of, placeOf(j.After))
	if err != nil {
		return err
	}
	return s.step(ctx, j, func(t *txn, j *job) error {
		for _, n := range at.named {
			f := &forgotten{user: j.of, as: j.As}
			if err := f.takeOut(t, n); err != nil {
				return err
			}
		}
		j.After, j.done = at.next.bytes(), last
		return nil
	}, append(at.locks, userLock.of(key{user: j.As}), workLockOf(Recounting))...)
}

// takeOut renames the user in the value at a key. In the space of the rows of tables, the key is a prefix: takeOut
// renames the user in all rows whose keys begin with it.
func (f *forgotten) takeOut(t *txn, at kv.Key) error {
	in := kv.Range{Space: at.Space, From: at.Key, To: append(slices.Clone(at.Key), 0)}
	if at.Space == rowsOfTables {
		in = kv.Prefix(at.Space, at.Key)
	}
	return each(t, in, func(p kv.Pair) error {
		switch x, k := find(at.Space, p.Key); x {
		case nil:
			return nil
		case anyKind(details):
			if err := f.takeOut(t, heads.key(key{table: k.table})); err != nil {
				return err
			}
			return x.forgetIn(t, f, k, p.Value)
		case anyKind(results): // a game may have ended in the meantime, or the user may have voided a result
			return f.takeOutOf(t, k)
		case anyKind(competitions), anyKind(participants), anyKind(entrants):
			return f.takeOutOfCompetition(t, k)
		default:
			return x.forgetIn(t, f, k, p.Value)
		}
	})
}

// place is the position of a search through all values. The spaces before Space have been searched, and in Space the
// keys before Key.
type place kv.Key

func placeOf(b []byte) place {
	space, k, _ := bytes.Cut(b, []byte{0})
	return place{Space: kv.Space(space), Key: k}
}

func (p place) bytes() []byte { return append(append([]byte(p.Space), 0), p.Key...) }

// walked is the outcome of a part of a search through all values.
type walked struct {
	named []kv.Key  // values that contain the text searched for; the id of a table stands for all its rows
	locks []kv.Lock // the locks that cover named
	next  place     // where the search continues
}

// namingPages is the maximum number of pages that are searched in one snapshot.
const namingPages = 50

// naming searches the stored values for id, starting at from. It stops when it has enough values for a step, or has
// read namingPages pages. last reports whether it reached the end.
func (s *Store) naming(ctx context.Context, id string, from place) (at walked, last bool, err error) {
	err = s.view(ctx, func(r kv.Reader) error {
		at = walked{next: from}
		for range namingPages {
			spaces := keptSpaces()
			i, _ := slices.BinarySearch(spaces, at.next.Space)
			if last = i == len(spaces); last || len(at.named) == stepResults {
				return nil
			}
			if spaces[i] != at.next.Space {
				at.next = place{Space: spaces[i]}
			}
			page, err := r.Scan(kv.Range{Space: spaces[i], From: at.next.Key}, kv.Ascending, scanPage)
			if err != nil {
				return err
			}
			if at.find(page, id) && len(page) < scanPage {
				at.next = place{Space: spaces[i] + "\x01"}
			}
		}
		return nil
	})
	return at, last, err
}

// find collects the values of a page that contain text. It reports whether it has searched the whole page.
func (at *walked) find(page []kv.Pair, text string) bool {
	space := at.next.Space
	for _, p := range page {
		if len(at.named) == stepResults {
			return false
		}
		if bytes.Compare(p.Key, at.next.Key) < 0 {
			continue // a row of the same table was already found
		}
		at.next.Key = append(slices.Clone(p.Key), 0)
		if !bytes.Contains(p.Value, []byte(text)) {
			continue
		}
		x, k := find(space, p.Key)
		if x == nil {
			continue // an unknown key is reported by Check
		}
		found := slices.Clone(p.Key)
		if space == rowsOfTables {
			found = heads.begin(k, 1)
			at.next.Key = kv.After(found)
		}
		at.named = append(at.named, kv.Key{Space: space, Key: found})
		at.locks = append(at.locks, x.coveredBy()[0].of(k))
	}
	return true
}

// keptSpaces returns the spaces of stored values in order. It leaves out the spaces of indexes.
func keptSpaces() []kv.Space {
	var list []kv.Space
	for _, x := range kinds {
		list = append(list, x.at().space)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Guilds lists the ids of the servers with tables or with stored values that do not belong to one user, in order. It
// leaves out the empty id, which stands for direct messages.
func (s *Store) Guilds(ctx context.Context) ([]string, error) {
	var guilds []string
	err := s.view(ctx, func(r kv.Reader) error {
		guilds = nil
		for _, l := range ofServers() {
			list, err := serversIn(r, l)
			if err != nil {
				return err
			}
			guilds = append(guilds, list...)
		}
		return nil
	})
	slices.Sort(guilds)
	guilds = slices.Compact(guilds)
	if len(guilds) > 0 && guilds[0] == "" {
		guilds = guilds[1:]
	}
	return guilds, err
}

// ofServers returns the layouts of two indexes that list all tables by server, and of all values whose keys begin with
// a server.
func ofServers() []*layout {
	list := []*layout{&activeInServer.layout, &overInServer.layout}
	for _, x := range kinds {
		if x.at().has(byServer) == 1 && x.at().space != list[len(list)-1].space {
			list = append(list, x.at())
		}
	}
	return list
}
