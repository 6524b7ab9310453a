package storage

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"

	"marque/storage/kv"
)

const (
	// keySlot is the length of the time slots by which keys of commands are grouped.
	keySlot = 15 * time.Minute
	// keySlots is the number of past slots whose keys are remembered.
	keySlots = uint32(KeyKept / keySlot)
	// pruneEvery is the number of commits of a table, or of new tables, after which old keys of commands are deleted.
	pruneEvery = 64
	// scanPage is the number of keys or values that are read together when a long list is read in pages.
	scanPage = 1000
)

// Create stores a new table and returns its id, which is higher than any id assigned before, even to tables that were
// deleted. change.Head.ID is ignored. Create returns the first of these errors that applies:
//
//   - ErrInvalid for a change that contradicts itself, has no detail, or does not have version 1;
//   - ErrNotOwner if the term of change.Fence is over; an engine without leases does not check this;
//   - a *DoneError if the command has already opened a table, or if the competition's game already has a table;
//   - a *BusyError with the oldest unfinished table of the channel, for a change with Alone;
//   - a *LimitError for the first limit that the change exceeds;
//   - ErrNoPairing if the pairing of the change does not exist;
//   - ErrInvalid if the head's Events is not the number of events.
func (s *Store) Create(ctx context.Context, change Change) (ID, error) {
	if err := change.Check(); err != nil {
		return 0, err
	}
	if change.Head.Version != 1 || change.Detail == nil {
		return 0, fmt.Errorf("%w: a new table has version 1 and a detail", ErrInvalid)
	}
	inChannel := kv.WantRange{Range: activeInChannel.under(key{channel: change.Head.Channel}, 1), Limit: 1}
	w := change.work()
	w.locks = append(w.locks, newTables.of(key{}))
	for _, e := range headEntries(key{}, tableRow{Head: change.Head}) {
		if e.in.lock != nil {
			w.locks = append(w.locks, e.in.lock.of(e.key))
		}
	}
	w.want.Keys = append(w.want.Keys, sequences.key(key{name: tableSequence}))
	change.expectPairing(&w)
	if change.Alone {
		w.locks = append(w.locks, channelLock.of(key{channel: change.Head.Channel}))
		w.want.Ranges = append(w.want.Ranges, inChannel)
	}
	var id ID
	w.run = func(t *txn) error {
		if err := change.duplicate(t); err != nil {
			return err
		}
		if err := change.untabled(t); err != nil {
			return err
		}
		if change.Alone {
			there, err := activeInChannel.entries(t, inChannel.Range, inChannel.Order, inChannel.Limit)
			if err != nil {
				return err
			}
			if len(there) > 0 {
				return &BusyError{Channel: change.Head.Channel, Table: there[0].table}
			}
		}
		if err := change.checkLimits(t); err != nil {
			return err
		}
		if err := t.pair(change); err != nil {
			return err
		}
		n, err := t.next(tableSequence)
		if err != nil {
			return err
		}
		id = ID(n)
		change := change
		change.Head.ID = id
		return change.store(t, nil)
	}
	return id, s.update(ctx, w)
}

// Commit stores the changes that a command made to an existing table: head, detail unless nil, further events,
// result, and that the table has a version to publish. A result gets the next Order of its server and the running
// season; if it counts, it is on the leaderboards when Commit returns. Commit returns the first of these errors
// that applies:
//
//   - ErrInvalid for a change that contradicts itself;
//   - ErrNotOwner if the term of change.Fence is over; an engine without leases does not check this;
//   - a *DoneError if the command has already been carried out at the table;
//   - ErrNoTable for an unknown table;
//   - ErrStale if the stored version is not the one before change.Head.Version, or if change.Head.Forgotten is not the
//     stored one;
//   - a *LimitError for the first limit that the change exceeds;
//   - ErrInvalid if the head's Events is not the number of events, and for a second result.
func (s *Store) Commit(ctx context.Context, change Change) error {
	if err := change.Check(); err != nil {
		return err
	}
	at := key{table: change.Head.ID}
	w := change.work()
	w.locks = append(w.locks, tableLock.of(at))
	w.want.Keys = append(w.want.Keys, heads.key(at))
	w.run = func(t *txn) error {
		if err := change.duplicate(t); err != nil {
			return err
		}
		old, err := knownHead(t, at)
		switch {
		case err != nil:
			return err
		case old.Version+1 != change.Head.Version, old.Forgotten != change.Head.Forgotten:
			return ErrStale
		}
		if err := change.checkLimits(t); err != nil {
			return err
		}
		return change.store(t, &old)
	}
	return s.update(ctx, w)
}

// knownHead returns a table's head, or ErrNoTable.
func knownHead(t *txn, at key) (tableRow, error) {
	head, there, err := heads.get(t, at)
	if err == nil && !there {
		err = ErrNoTable
	}
	return head, err
}

// work returns the locks and keys that the transactions of both Create and Commit need.
func (c Change) work() work {
	w := work{fence: c.Fence}
	for _, l := range c.Limits {
		if l.Weight(c.Head, c.Detail) == 0 {
			continue
		}
		others := l.others(c.Head)
		w.locks = append(w.locks, others.lock)
		w.want.Ranges = append(w.want.Ranges, others.WantRange)
	}
	w.want.Keys = c.commandKeys()
	if c.Result != nil {
		c.Result.expect(&w, c.Head.ID)
	}
	c.expectConduct(&w)
	for _, user := range c.takers() {
		w.locks = append(w.locks, userLock.of(key{user: user}))
	}
	return w
}

// takers returns the users who take over a seat in a game in play.
func (c Change) takers() (users []string) {
	for _, e := range c.Events {
		if e.Kind == Taken && e.User != "" && !slices.Contains(users, e.User) {
			users = append(users, e.User)
		}
	}
	return users
}

// store writes a change of a table. old is nil for a new table.
func (c Change) store(t *txn, old *tableRow) error {
	row := tableRow{Head: c.Head}
	if old != nil {
		row.Published, row.Waiting = old.Published, old.Waiting
	}
	had := row.Head.Events - uint64(len(c.Events))
	if old == nil && had != 0 || old != nil && had != old.Head.Events {
		return fmt.Errorf("%w: %d events after %d more", ErrInvalid, row.Head.Events, len(c.Events))
	}
	at := key{table: c.Head.ID}
	for _, user := range c.takers() {
		if err := dropPrediction(t, key{table: c.Head.ID, user: user}); err != nil {
			return err
		}
	}
	if c.Detail != nil {
		row.Waiting = len(c.Detail.Invited)
		if err := details.put(t, at, *c.Detail); err != nil {
			return err
		}
	}
	if err := heads.replace(t, at, old, &row); err != nil {
		return err
	}
	for i, e := range c.Events {
		if err := events.put(t, key{table: c.Head.ID, number: had + uint64(i)}, e); err != nil {
			return err
		}
	}
	if c.Result != nil {
		result := *c.Result
		result.Table = c.Head.ID
		if err := t.count(result); err != nil {
			return err
		}
	}
	if err := t.conduct(c); err != nil {
		return err
	}
	return c.remember(t)
}

// next returns the next number of a sequence. The first number is 1.
func (t *txn) next(sequence string) (uint64, error) {
	at := key{name: sequence}
	n, _, err := sequences.get(t, at)
	if err != nil {
		return 0, err
	}
	return n + 1, sequences.put(t, at, n+1)
}

// The following functions store the keys of commands.

func slotOf(at Stamp) uint32 { return uint32(int64(at) / keySlot.Milliseconds()) }

// commandsAt returns the keys at which the outcome of a command may be stored, and their kind. Table 0 stands for
// commands that open a table.
func commandsAt(table ID, name string, now Stamp) (*kind[DoneError], []key) {
	x := commands
	if table == 0 {
		x = openings
	}
	var list []key
	for slot, back := slotOf(now), uint32(0); back <= keySlots && back <= slot; back++ {
		list = append(list, key{table: table, slot: slot - back, name: name})
	}
	return x, list
}

// commandTable returns the table under which the key of the change's command is stored: 0 if the change opens a table.
func (c Change) commandTable() ID {
	if c.Head.Version == 1 {
		return 0
	}
	return c.Head.ID
}

func (c Change) commandKeys() (list []kv.Key) {
	if c.Key == "" {
		return nil
	}
	x, keys := commandsAt(c.commandTable(), c.Key, c.Head.Changed)
	for _, k := range keys {
		list = append(list, x.key(k))
	}
	return list
}

// duplicate returns a *DoneError if the key of the change's command is stored.
func (c Change) duplicate(r kv.Reader) error {
	if c.Key == "" {
		return nil
	}
	done, err := findCommand(r, c.commandTable(), c.Key, c.Head.Changed)
	if done != nil {
		return done
	}
	return err
}

func findCommand(r kv.Reader, table ID, name string, now Stamp) (*DoneError, error) {
	x, keys := commandsAt(table, name, now)
	list, err := x.all(r, keys)
	if err != nil {
		return nil, err
	}
	for _, f := range list {
		if f.err != nil {
			return nil, f.err
		}
		if f.there {
			return &f.value, nil
		}
	}
	return nil, nil
}

// remember stores the key of the change's command, and from time to time deletes old keys.
func (c Change) remember(t *txn) error {
	if c.Key == "" {
		return nil
	}
	x, keys := commandsAt(c.commandTable(), c.Key, c.Head.Changed)
	if err := x.put(t, keys[0], DoneError{Table: c.Head.ID, Version: c.Head.Version}); err != nil {
		return err
	}
	n, parts := c.Head.Version, x.has(bySlot)
	if x == openings {
		n = uint64(c.Head.ID)
	}
	if n%pruneEvery != 0 || keys[0].slot <= keySlots {
		return nil
	}
	oldest := keys[0]
	oldest.slot -= keySlots
	return t.DeleteRange(kv.Range{Space: x.space, From: x.begin(oldest, parts-1), To: x.begin(oldest, parts)})
}

// Done returns the outcome of the command with this key at a table. It returns nil if no such command was carried
// out, or if that was so long before now that its key is forgotten (KeyKept, KeyGone). table is 0 for a command
// that opens a table.
func (s *Store) Done(ctx context.Context, table ID, key string, now Stamp) (*DoneError, error) {
	var done *DoneError
	err := s.view(ctx, func(r kv.Reader) (err error) {
		done, err = findCommand(r, table, key, now)
		return err
	})
	return done, err
}

// The following functions check limits.

// mostOfUser is the maximum number of a user's tables that are read to check a limit.
const mostOfUser = 10_000

// counted is a range of an index that lists the tables to which a limit applies, with the lock that covers the range.
type counted struct {
	kv.WantRange
	in   *index
	lock kv.Lock
}

// others returns the range of an index that lists the tables to which the limit applies. Other tables may be among
// them: the head's own, and those of other servers.
func (l Limit) others(h Head) counted {
	k := key{server: h.Guild, user: l.User}
	c := counted{in: activeOfUser, lock: userLock.of(k)}
	c.Range, c.Limit = activeOfUser.under(k, 1), mostOfUser
	switch l.Kind {
	case ServerTables:
		c.in, c.lock = activeInServer, serverLock.of(k)
		c.Range, c.Limit = activeInServer.under(k, 1), max(l.Most, 0)+2
	case UserLobbies, UserInvitations:
		c.in, c.Range = lobbiesOfUser, lobbiesOfUser.under(k, 2)
	}
	return c
}

// checkLimits returns a *LimitError if a change exceeds one of its limits.
func (c Change) checkLimits(r kv.Reader) error {
	for _, l := range c.Limits {
		sum := l.Weight(c.Head, c.Detail)
		if sum == 0 {
			continue
		}
		others := l.others(c.Head)
		pairs, err := r.Scan(others.Range, others.Order, others.Limit)
		if err != nil {
			return err
		}
		for _, p := range pairs {
			k, ok := others.in.parse(p.Key)
			if !ok || k.table == c.Head.ID || k.server != c.Head.Guild {
				continue
			}
			if l.Kind == UserInvitations {
				n, _ := binary.Uvarint(p.Value)
				sum += int(n)
				continue
			}
			sum++
		}
		if sum > l.Most {
			return &LimitError{Limit: l}
		}
	}
	return nil
}

// CheckLimits returns the *LimitError with which Create or Commit would now refuse a change, or nil.
func (s *Store) CheckLimits(ctx context.Context, change Change) error {
	return s.view(ctx, func(r kv.Reader) error { return change.checkLimits(r) })
}

// The following functions read or change one table.

// Load returns a table with its Detail and all its events. It returns ErrNoTable for an unknown table.
func (s *Store) Load(ctx context.Context, id ID) (Table, error) {
	return s.table(ctx, id, true)
}

// News returns what is needed to publish a table: its head, the events after the last published version, that version,
// and the note about its messages. The Detail is empty. News returns ErrNoTable for an unknown table.
func (s *Store) News(ctx context.Context, id ID) (Table, error) {
	return s.table(ctx, id, false)
}

func (s *Store) table(ctx context.Context, id ID, whole bool) (table Table, err error) {
	at := key{table: id}
	err = s.view(ctx, func(r kv.Reader) error {
		want := []kv.Key{heads.key(at), notes.key(at)}
		if whole {
			want = append(want, details.key(at))
		}
		raw, err := r.Get(want...)
		if err != nil {
			return err
		}
		if raw[0] == nil {
			return ErrNoTable
		}
		row, err := heads.open(at, raw[0])
		if err != nil {
			return err
		}
		table = Table{Head: row.Head, Published: row.Published}
		if raw[1] != nil {
			if table.Note, err = notes.open(at, raw[1]); err != nil {
				return err
			}
		}
		since := row.Published
		if whole {
			if raw[2] == nil {
				return damaged(details, at, errMissing.Error())
			}
			if table.Detail, err = details.open(at, raw[2]); err != nil {
				return err
			}
			since = 0
		}
		table.Events, err = eventsAfter(r, row.Head, since)
		return err
	})
	return table, err
}

// newsPage is the number of events that are read together, from the last, when only the latest events are needed.
const newsPage = 32

// eventsAfter reads the events of a table that were committed after the version since.
func eventsAfter(r kv.Reader, h Head, since uint64) ([]Event, error) {
	if since >= h.Version || h.Events == 0 {
		return nil, nil
	}
	in := events.under(key{table: h.ID}, 2)
	if since == 0 {
		list, err := events.scan(r, in, kv.Ascending, int(h.Events)+1)
		if err != nil {
			return nil, err
		}
		return inRow(h, list, 0)
	}
	var list []found[Event]
	for {
		page, err := events.scan(r, in, kv.Descending, newsPage)
		if err != nil {
			return nil, err
		}
		for _, e := range page {
			if e.value.Version <= since {
				slices.Reverse(list)
				return inRow(h, list, e.key.number+1)
			}
			list = append(list, e)
		}
		if len(page) < newsPage {
			slices.Reverse(list)
			return inRow(h, list, 0)
		}
		in.To = events.begin(page[len(page)-1].key, len(events.parts))
	}
}

// inRow returns the events from the number first to the last one of the head. It returns an error if one is missing.
func inRow(h Head, list []found[Event], first uint64) ([]Event, error) {
	row := make([]Event, 0, len(list))
	for _, e := range list {
		if e.key.number != first+uint64(len(row)) {
			break
		}
		row = append(row, e.value)
	}
	if first+uint64(len(row)) != h.Events || len(row) != len(list) {
		return nil, damaged(events, key{table: h.ID, number: first + uint64(len(row))}, errMissing.Error())
	}
	return row, nil
}

// Head returns a table's head, or ErrNoTable.
func (s *Store) Head(ctx context.Context, id ID) (Head, error) {
	row, there, err := heads.get1(ctx, s, key{table: id})
	if err == nil && !there {
		err = ErrNoTable
	}
	return row.Head, err
}

// MarkPublished records which version was published, and stores a note. A note that was written before a user was
// forgotten at the table is shortened by NamelessNote. MarkPublished returns ErrNotOwner if the fence's term is
// over, ErrNoTable for an unknown table, and ErrInvalid for a version that does not exist yet or a note that is too
// long. If a later version is already recorded, nothing changes; the same version replaces the note.
func (s *Store) MarkPublished(ctx context.Context, id ID, p Publication, fence Fence) error {
	if len(p.Note) > MaxNote {
		return fmt.Errorf("%w: a note of %d bytes", ErrInvalid, len(p.Note))
	}
	at := key{table: id}
	return s.update(ctx, work{
		locks: []kv.Lock{tableLock.of(at)}, want: kv.Want{Keys: []kv.Key{heads.key(at)}}, fence: fence,
		run: func(t *txn) error {
			old, err := knownHead(t, at)
			switch {
			case err != nil:
				return err
			case p.Version > old.Version:
				return fmt.Errorf("%w: table %d has no version %d yet", ErrInvalid, id, p.Version)
			case p.Version < old.Published:
				return nil
			}
			row, note := old, p.Note
			row.Published = p.Version
			if p.Forgotten != old.Forgotten {
				note = NamelessNote(old.Head, note)
			}
			if err := heads.replace(t, at, &old, &row); err != nil {
				return err
			}
			return notes.put(t, at, note)
		},
	})
}

// The following functions list tables.

// listed reads the tables of a phase, in order. The parameter in is the index of unfinished tables, and over is that of
// finished ones. listed skips unreadable tables.
func (s *Store) listed(ctx context.Context, phase Phase, in, over *index, of key, after ID, limit int) ([]Head, error) {
	if limit <= 0 {
		return nil, nil
	}
	if phase == Finished {
		in = over
	}
	within := in.under(of, 1)
	if of.table = after; after != 0 {
		within = in.after(within, of, 2)
	}
	var list []Head
	err := s.view(ctx, func(r kv.Reader) error {
		keys, err := in.entries(r, within, kv.Ascending, limit)
		if err != nil {
			return err
		}
		rows, err := tablesOf(r, keys)
		for _, row := range rows {
			list = append(list, row.Head)
		}
		return err
	})
	return list, err
}

// tablesOf reads the heads of tables. It skips unreadable heads.
func tablesOf(r kv.Reader, keys []key) ([]tableRow, error) {
	found, err := heads.all(r, keys)
	rows := make([]tableRow, 0, len(found))
	for _, f := range found {
		if f.there && f.err == nil {
			rows = append(rows, f.value)
		}
	}
	return rows, err
}

// ByGuild lists tables of a server: unfinished ones by ascending id, or finished ones by descending id. after is the
// last table of the previous page, or 0 for the first page.
func (s *Store) ByGuild(ctx context.Context, guild string, phase Phase, after ID, limit int) ([]Head, error) {
	return s.listed(ctx, phase, activeInServer, overInServer, key{server: guild}, after, limit)
}

// ByChannel lists tables of a channel: unfinished ones by ascending id, or finished ones by descending id. after is the
// last table of the previous page, or 0 for the first page.
func (s *Store) ByChannel(ctx context.Context, channel string, phase Phase, after ID, limit int) ([]Head, error) {
	return s.listed(ctx, phase, activeInChannel, overInChannel, key{channel: channel}, after, limit)
}

// ByUser lists the tables at which a user has a seat: unfinished ones by ascending id, or finished ones by descending
// id. after is the last table of the previous page, or 0 for the first page.
func (s *Store) ByUser(ctx context.Context, user string, phase Phase, after ID, limit int) ([]Head, error) {
	return s.listed(ctx, phase, activeOfUser, overOfUser, key{user: user}, after, limit)
}

// keysIn reads at most limit keys of a range of an index.
func (s *Store) keysIn(ctx context.Context, in *index, within kv.Range, limit int) (keys []key, err error) {
	if limit <= 0 {
		return nil, nil
	}
	err = s.view(ctx, func(r kv.Reader) (err error) {
		keys, err = in.entries(r, within, kv.Ascending, limit)
		return err
	})
	return keys, err
}

// Turns lists the tables of all servers that wait for a user's move and are not paused, ordered by Since, then by id.
// Since is Timing.Turn, or Started if Timing.Turn is 0.
func (s *Store) Turns(ctx context.Context, user string, limit int) ([]Turn, error) {
	keys, err := s.keysIn(ctx, turnsOf, turnsOf.under(key{user: user}, 1), limit)
	list := make([]Turn, len(keys))
	for i, k := range keys {
		list[i] = Turn{Table: k.table, Guild: k.server, Since: k.moment}
	}
	return list, err
}

// RematchOf returns the oldest unfinished rematch of a table, or 0 if there is none.
func (s *Store) RematchOf(ctx context.Context, id ID) (ID, error) {
	keys, err := s.keysIn(ctx, rematches, rematches.under(key{other: id}, 1), 1)
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	return keys[0].table, nil
}

// DueUntil lists the moments, no later than until, at which the bot must do something at a table. It orders them by
// moment, then by table, then by kind.
func (s *Store) DueUntil(ctx context.Context, until Stamp, limit int) ([]DueTable, error) {
	keys, err := s.keysIn(ctx, dueAt, kv.Range{Space: dueAt.space, To: kv.After(dueAt.begin(key{moment: until}, 1))},
		limit)
	list := make([]DueTable, len(keys))
	for i, k := range keys {
		list[i] = DueTable{Table: k.table, Due: Due{At: k.moment, Kind: k.name}}
	}
	return list, err
}

// Pending lists, by id, the tables that have versions to publish, beginning with the first id higher than after.
func (s *Store) Pending(ctx context.Context, after ID, limit int) ([]ID, error) {
	keys, err := s.keysIn(ctx, pending, pending.after(kv.Range{Space: pending.space}, key{table: after}, 1), limit)
	list := make([]ID, len(keys))
	for i, k := range keys {
		list[i] = k.table
	}
	return list, err
}

// eachPage calls f with the keys of an index, a page at a time. It reads each page in a new transaction, because pages
// of a file that become free cannot be reused during a read transaction.
func (s *Store) eachPage(ctx context.Context, in *index, f func(r kv.Reader, keys []key) error) error {
	for within, more := (kv.Range{Space: in.space}), true; more; {
		err := s.view(ctx, func(r kv.Reader) error {
			keys, err := in.entries(r, within, kv.Ascending, scanPage)
			if err != nil {
				return err
			}
			if more = len(keys) == scanPage; more {
				within = in.after(within, keys[len(keys)-1], len(in.parts))
			}
			return f(r, keys)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Naming lists, by id, the unfinished tables at which a user has a seat, an invitation or a place in the order, or is
// the host. If a table's detail cannot be read, only its head counts, which does not tell who is invited. The running
// time grows with the number of unfinished tables.
func (s *Store) Naming(ctx context.Context, user string) ([]ID, error) {
	var ids []ID
	err := s.eachPage(ctx, activeInServer, func(r kv.Reader, keys []key) error {
		rows, err := heads.all(r, keys)
		if err != nil {
			return err
		}
		list, err := details.all(r, keys)
		if err != nil {
			return err
		}
		for i, h := range rows {
			if !h.there || h.err != nil {
				continue // nothing can be done at such a table
			}
			d := list[i]
			if h.value.Host == user || h.value.Seat(user) >= 0 || d.err == nil &&
				(slices.Contains(d.value.Invited, user) || slices.Contains(d.value.Order, user)) {
				ids = append(ids, h.value.ID)
			}
		}
		return nil
	})
	slices.Sort(ids)
	return ids, err
}

// EventsNaming lists, by id, the tables with an event whose User is the user, finished tables too. It reads everything
// about all tables, because no index has these users. With an error, it returns the tables found before.
func (s *Store) EventsNaming(ctx context.Context, user string) (ids []ID, err error) {
	for within, more := (kv.Range{Space: rowsOfTables}), true; more; {
		err := s.view(ctx, func(r kv.Reader) error {
			page, err := r.Scan(within, kv.Ascending, scanPage)
			if err != nil {
				return err
			}
			for _, p := range page {
				within.From = append(slices.Clone(p.Key), 0)
				if k, ok := events.parse(p.Key); ok && bytes.Contains(p.Value, []byte(user)) {
					e, err := events.open(k, p.Value)
					if err == nil && e.User == user && !slices.Contains(ids[max(0, len(ids)-1):], k.table) {
						ids = append(ids, k.table)
					}
				}
			}
			more = len(page) == scanPage
			return nil
		})
		if err != nil {
			return ids, err
		}
	}
	return ids, nil
}

// Tally counts all tables by group. It may miss a table that changes during the count, or count it twice. It skips
// unreadable tables.
func (s *Store) Tally(ctx context.Context) (map[Group]int, error) {
	counts := map[Group]int{}
	for _, in := range []*index{activeInServer, overInServer} {
		err := s.eachPage(ctx, in, func(r kv.Reader, keys []key) error {
			rows, err := tablesOf(r, keys)
			for _, h := range rows {
				counts[Group{Game: h.Game, Status: h.Status, Paused: h.Paused != ""}]++
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// LastKnown returns when the bot was last known to be reachable, or when an unfinished table last changed,
// whichever is later.
func (s *Store) LastKnown(ctx context.Context) (Stamp, error) {
	up, err := s.Uptime(ctx)
	if err != nil {
		return 0, err
	}
	latest := up.Alive
	for _, down := range up.Down {
		latest = max(latest, down.To)
	}
	err = s.eachPage(ctx, activeInServer, func(r kv.Reader, keys []key) error {
		rows, err := tablesOf(r, keys)
		for _, h := range rows {
			latest = max(latest, h.Changed)
		}
		return err
	})
	return latest, err
}

// forgetHead renames a user in the head of a table, and increases Head.Forgotten.
func forgetHead(f *forgotten, _ key, row tableRow) (tableRow, bool) {
	row.Forgotten++
	f.direct = row.Guild == "" && (row.Host == f.user || row.Seat(f.user) >= 0)
	if row.Host != f.user && row.Seat(f.user) < 0 {
		return row, true
	}
	row.Seats = f.reseat(row.Seats)
	if row.Host == f.user {
		row.Host = f.as
	}
	if f.direct { // the id of a channel of direct messages identifies the user
		row.Channel = ""
	}
	return row, true
}

// reseat renames the user in a list of seats, without the displayed name.
func (f *forgotten) reseat(seats []Occupant) []Occupant {
	seats = slices.Clone(seats)
	for i, o := range seats {
		if o.User == f.user {
			seats[i] = Occupant{User: f.as}
		}
	}
	return seats
}

// forgetNote removes all but the first line of a note about published messages, because the rest may name people. In
// direct messages it removes the whole note.
func forgetNote(f *forgotten, _ key, note string) (string, bool) {
	if f.direct {
		return "", note != ""
	}
	first := firstLine(note)
	return first, first != note
}

// NamelessNote returns the part of a note about published messages that names nobody: its first line, or "" in
// direct messages.
func NamelessNote(h Head, note string) string {
	if h.Guild == "" {
		return ""
	}
	return firstLine(note)
}

func firstLine(s string) string {
	first, _, _ := strings.Cut(s, "\n")
	return first
}

// forgetEvent renames the user in an event, and removes the user's names from it.
func forgetEvent(f *forgotten, _ key, e Event) (Event, bool) {
	mine := e.User == f.user
	if mine {
		if e.User = f.as; e.Kind.Named() {
			f.names = append(f.names, e.Name())
			e.Text = ""
		}
	}
	// The event has the name of the player that a moderator removed, but not the id.
	removed := e.Kind == Removed && e.Text != "" && slices.Contains(f.names, e.Name())
	if removed {
		e.Text = ""
	}
	return e, mine || removed
}
