package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"marque/storage"
)

const (
	// slot is how command keys are grouped, by time; slots is how many before the present one are remembered.
	slot  = 15 * time.Minute
	slots = int32(storage.KeyKept / slot)
	// pruned bounds how many old keys of commands that opened tables one commit removes.
	pruned = 64
)

func slotOf(at storage.Stamp) int32 { return int32(int64(at) / slot.Milliseconds()) }

// Create stores a new table and returns its id, as storage.Engine says.
func (s *Store) Create(ctx context.Context, change storage.Change) (storage.ID, error) {
	if err := check(change); err != nil {
		return 0, err
	}
	if change.Head.Version != 1 || change.Detail == nil {
		return 0, fmt.Errorf("%w: a new table has version 1 and a detail", storage.ErrInvalid)
	}
	var id storage.ID // 0 until it is taken
	err := s.write(ctx, func(ctx context.Context, tx pgx.Tx, again bool) error {
		if again && id != 0 {
			// The number is nobody else's, so the table is there only if it is this one. One that a lost connection still
			// commits is waited for.
			var there bool
			if err := tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM tables WHERE id = $1)", id).Scan(&there); err != nil || there {
				return err
			}
		}
		if err := lockForOpening(ctx, tx, change); err != nil {
			return err
		}
		if change.Key != "" {
			done, err := findCommand(ctx, tx, 0, change.Key, slotOf(change.Head.Changed))
			if done != nil && done.Table == id {
				return nil // by an earlier run
			}
			if done != nil {
				return done
			}
			if err != nil {
				return err
			}
		}
		if change.Alone {
			var there *int64
			if err := tx.QueryRow(ctx, "SELECT min(id) FROM listings WHERE channel = $1 AND NOT over", change.Head.Channel).Scan(&there); err != nil {
				return err
			}
			if there != nil {
				return &storage.BusyError{Channel: change.Head.Channel, Table: storage.ID(*there)}
			}
		}
		if err := within(ctx, tx, change); err != nil {
			return err
		}
		if change.Head.Events != uint64(len(change.Events)) {
			return wrongEvents(change)
		}
		if id == 0 {
			var n int64
			if err := tx.QueryRow(ctx, "SELECT nextval('table_ids')").Scan(&n); err != nil {
				return err
			}
			id = storage.ID(n)
		}
		return insert(ctx, tx, id, change)
	})
	if err != nil {
		return 0, err
	}
	return id, nil
}

func wrongEvents(c storage.Change) error {
	return fmt.Errorf("%w: with %d more events there are not %d", storage.ErrInvalid, len(c.Events), c.Head.Events)
}

func check(c storage.Change) error {
	if err := c.Check(); err != nil {
		return err
	}
	names := []string{c.Head.Game, c.Head.Guild, c.Head.Channel, c.Head.Host}
	for _, o := range c.Head.Seats {
		names = append(names, o.User, o.Computer)
	}
	if c.Result != nil {
		names = append(names, c.Result.Guild, c.Result.Game)
	}
	return checkWords(names...)
}

// Locks that transactions hold until they end, by what they are of.
const (
	lockKey     = "key"     // a command that opens a table
	lockChannel = "channel" // which tables go on there
	lockGuild   = "guild"   // how many tables go on there
	lockLeague  = "league"  // a server's leaderboards
)

const lockSQL = "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))"

// lock waits until no other transaction has the lock.
func lock(ctx context.Context, tx pgx.Tx, what, of string) error {
	_, err := tx.Exec(ctx, lockSQL, what+" "+of)
	return err
}

// lockForOpening takes the locks under which it is looked whether a table may be opened, and those of its result, in the one order in
// which all do.
func lockForOpening(ctx context.Context, tx pgx.Tx, c storage.Change) error {
	b := &pgx.Batch{}
	if c.Key != "" {
		b.Queue(lockSQL, lockKey+" "+fmt.Sprintf("%x", c.Key))
	}
	if c.Alone {
		b.Queue(lockSQL, lockChannel+" "+c.Head.Channel)
	} else {
		b.Queue("SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 0))", lockChannel+" "+c.Head.Channel)
	}
	queueLocks(b, c)
	return tx.SendBatch(ctx, b).Close()
}

// queueLocks takes the locks that a change of any table needs.
func queueLocks(b *pgx.Batch, c storage.Change) {
	if len(c.Limits) > 0 {
		b.Queue(lockSQL, lockGuild+" "+c.Head.Guild)
	}
	if c.Result != nil {
		b.Queue(lockSQL, lockLeague+" "+c.Result.Guild)
	}
}

// insert stores a new table.
func insert(ctx context.Context, tx pgx.Tx, id storage.ID, c storage.Change) error {
	h := c.Head
	h.ID = id
	head, err := sealHead(h)
	if err != nil {
		return err
	}
	detail, err := sealDetail(id, *c.Detail)
	if err != nil {
		return err
	}
	l := listingOf(h)
	user, since := turnOf(h)
	b := &pgx.Batch{}
	b.Queue(`INSERT INTO tables (id, version, events, head, listing, slot, turn_user, turn_since, due_next, pending)
		VALUES ($1, $2, $3, $4, $5, 0, $6, $7, $8, true)`, id, h.Version, h.Events, head, l.digest(), user, since, nextDue(h))
	b.Queue("SELECT list_table($1, $2, $3, $4, $5, $6, $7, $8, $9)", id, l.guild, l.channel, l.game, l.status, l.over, l.paused, l.rematch, l.users)
	b.Queue("INSERT INTO details (table_id, value) VALUES ($1, $2)", id, detail)
	for i, e := range c.Events {
		b.Queue("INSERT INTO events (table_id, version, number, value) VALUES ($1, $2, $3, $4)", id, e.Version, i, sealEvent(id, uint64(i), e))
	}
	if c.Key != "" {
		now := slotOf(h.Changed)
		b.Queue("INSERT INTO commands (table_id, key, slot, led_to, version) VALUES (0, $1, $2, $3, $4)", []byte(c.Key), now, id, h.Version)
		b.Queue(`DELETE FROM commands WHERE table_id = 0 AND (key, slot) IN (
			SELECT key, slot FROM commands WHERE table_id = 0 AND slot < $1 LIMIT $2 FOR UPDATE SKIP LOCKED)`, now-slots, pruned)
	}
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	return storeResult(ctx, tx, id, c.Result)
}

// commitArgs are the arguments of commit_change.
func commitArgs(c storage.Change) ([]any, error) {
	h := c.Head
	head, err := sealHead(h)
	if err != nil {
		return nil, err
	}
	var detail, key []byte
	if c.Detail != nil {
		if detail, err = sealDetail(h.ID, *c.Detail); err != nil {
			return nil, err
		}
	}
	if c.Key != "" {
		key = []byte(c.Key)
	}
	added := make([][]byte, len(c.Events))
	for i, e := range c.Events {
		added[i] = sealEvent(h.ID, h.Events-uint64(len(c.Events))+uint64(i), e)
	}
	user, since := turnOf(h)
	now := slotOf(h.Changed)
	l := listingOf(h)
	return []any{
		h.ID, h.Version, h.Events, head, user, since, nextDue(h), added, detail, key, now, now - slots,
		l.digest(), l.guild, l.channel, l.game, l.status, l.over, l.paused, l.rematch, l.users,
		c.Under.Process, c.Under.Shard, c.Under.Term,
	}, nil
}

const commitSQL = "SELECT commit_change($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24)"

// What commit_change answers.
const (
	committed = iota
	doneBefore
	noTable
	otherVersion
	otherEvents
	otherTenure
)

// refused is the error for an answer of commit_change; nil for committed.
func refused(answer int, c storage.Change) error {
	switch answer {
	case doneBefore:
		return errDoneBefore
	case noTable:
		return storage.ErrNoTable
	case otherVersion:
		return storage.ErrStale
	case otherEvents:
		return wrongEvents(c)
	case otherTenure:
		return storage.ErrHeld
	}
	return nil
}

// Commit stores what a command changed at a table that exists, as storage.Engine says.
func (s *Store) Commit(ctx context.Context, change storage.Change) error {
	if err := check(change); err != nil {
		return err
	}
	args, err := commitArgs(change)
	if err != nil {
		return err
	}
	run := func(ctx context.Context, c *pgxpool.Conn) error {
		if change.Result == nil && len(change.Limits) == 0 {
			return commitQuick(ctx, c, change, args)
		}
		return onTx(ctx, c, func(tx pgx.Tx) error { return commitWhole(ctx, tx, change, args) })
	}
	return s.change(ctx, func(ctx context.Context, c *pgxpool.Conn, again bool) error {
		err := run(ctx, c)
		if again && isRefusal(err) { // it may be refused because an earlier run was committed
			mine, err := isThere(ctx, c, change, args)
			if err != nil || mine {
				return err
			}
		}
		if !errors.Is(err, errDoneBefore) {
			return err
		}
		done, err := findCommand(ctx, c, change.Head.ID, change.Key, slotOf(change.Head.Changed))
		if err != nil {
			return err
		}
		if done == nil {
			return storage.ErrNoTable // deleted just now
		}
		return done
	})
}

// commitQuick commits a change in one round trip, or in two where the first finds that it is no ordinary move, or that it is to be refused.
func commitQuick(ctx context.Context, c *pgxpool.Conn, change storage.Change, args []any) error {
	if sql, args := moveOf(change, args); sql != "" {
		tag, err := c.Exec(ctx, sql, args...)
		if err != nil || tag.RowsAffected() > 0 {
			return unsure(err)
		}
	}
	var answer int
	if err := c.QueryRow(ctx, commitSQL, args...).Scan(&answer); err != nil {
		return unsure(err)
	}
	return refused(answer, change)
}

// unsure is the error of what is a transaction of its own.
func unsure(err error) error {
	if isLost(err) && !pgconn.SafeToRetry(err) {
		return unsureError{err}
	}
	return err
}

const (
	// moveEvents is how many events an ordinary move brings at most.
	moveEvents = 4
	// tidied is after how many versions of a table commit_change looks whether there are old keys. It takes twice as long as a move.
	tidied = 64
)

// moveKind is what the statement of an ordinary move depends on.
type moveKind struct {
	events     int // 1 to moveEvents
	key, under bool
}

// moveSQL are the statements of ordinary moves. Each is one plain statement, which costs the server a good deal less than a call of
// commit_change. It changes nothing when commit_change would refuse the change, or would have to change what lists say of the table.
var moveSQL = func() map[moveKind]string {
	all := map[moveKind]string{}
	for _, key := range []bool{false, true} {
		for _, under := range []bool{false, true} {
			for events := 1; events <= moveEvents; events++ {
				all[moveKind{events, key, under}] = writeMove(events, key, under)
			}
		}
	}
	return all
}()

func writeMove(events int, key, under bool) string {
	args := 9
	next := func() string { args++; return fmt.Sprint("$", args) }
	when, with := "", ""
	if key {
		key, oldest, now := next(), next(), next()
		when += fmt.Sprintf(" AND NOT EXISTS (SELECT FROM commands c WHERE c.table_id = $1 AND c.key = %s AND c.slot BETWEEN %s AND %s)", key, oldest, now)
		with = fmt.Sprintf(", done AS (INSERT INTO commands (table_id, key, slot, led_to, version) SELECT $1, %s, %s, $1, $2 FROM moved)", key, now)
	}
	if under {
		when += fmt.Sprintf(" AND EXISTS (SELECT FROM shards s WHERE s.shard = %s AND s.in_force AND s.owner = %s AND s.term = %s)", next(), next(), next())
	}
	values := make([]string, events)
	for i := range values {
		values[i] = fmt.Sprintf("(%d, %s::bytea)", i, next())
	}
	return `WITH moved AS (
			UPDATE tables SET version = $2, events = $3, head = $4, pending = true, turn_user = $5, turn_since = $6, due_next = $7
			WHERE id = $1 AND version = $2 - 1 AND events = $8 AND listing = $9` + when + ` RETURNING id
		)` + with + `
		INSERT INTO events (table_id, version, number, value)
			SELECT $1, $2, $8 + e.n, e.value FROM moved, (VALUES ` + strings.Join(values, ", ") + `) AS e (n, value)`
}

// moveOf is the statement that commits a change if it is an ordinary move, and its arguments; "" for one that looks like none. args are
// those of commit_change.
func moveOf(c storage.Change, args []any) (string, []any) {
	added := args[7].([][]byte)
	if c.Detail != nil || len(added) > moveEvents || c.Head.Events < uint64(len(added)) || c.Key != "" && c.Head.Version%tidied == 0 {
		return "", nil
	}
	kind := moveKind{events: len(added), key: c.Key != "", under: c.Under.Process != ""}
	list := make([]any, 0, 15+moveEvents)
	list = append(append(list, args[:7]...), c.Head.Events-uint64(len(added)), args[12])
	if kind.key {
		list = append(list, args[9], args[11], args[10])
	}
	if kind.under {
		list = append(list, c.Under.Shard, c.Under.Process, c.Under.Term)
	}
	for _, e := range added {
		list = append(list, e)
	}
	return moveSQL[kind], list // none for no events
}

// errDoneBefore takes back a transaction in which a command turns out to have been done before.
var errDoneBefore = errors.New("done before")

// commitWhole commits a change that has limits or a result.
func commitWhole(ctx context.Context, tx pgx.Tx, change storage.Change, args []any) error {
	locks := &pgx.Batch{}
	queueLocks(locks, change)
	if err := tx.SendBatch(ctx, locks).Close(); err != nil {
		return err
	}
	id := change.Head.ID
	if len(change.Limits) > 0 {
		// What comes before the limits in the order of refusals. The row is locked, so it stays so.
		var version *uint64
		err := tx.QueryRow(ctx, "SELECT version FROM tables WHERE id = $1 FOR NO KEY UPDATE", id).Scan(&version)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		if change.Key != "" {
			if done, err := findCommand(ctx, tx, id, change.Key, slotOf(change.Head.Changed)); err != nil {
				return err
			} else if done != nil {
				return errDoneBefore
			}
		}
		if version == nil {
			return storage.ErrNoTable
		}
		if *version+1 != change.Head.Version {
			return storage.ErrStale
		}
		if err := within(ctx, tx, change); err != nil {
			return err
		}
	}
	var answer int
	if err := tx.QueryRow(ctx, commitSQL, args...).Scan(&answer); err != nil {
		return err
	}
	if err := refused(answer, change); err != nil {
		return err
	}
	return storeResult(ctx, tx, id, change.Result)
}

// isThere reports whether it is this change that brought the table to its version, after which others may have come.
func isThere(ctx context.Context, q querier, change storage.Change, args []any) (bool, error) {
	id, version := change.Head.ID, change.Head.Version
	var now uint64
	var head []byte
	err := q.QueryRow(ctx, "SELECT version, head FROM tables WHERE id = $1", id).Scan(&now, &head)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return false, nil
	case err != nil:
		return false, err
	case now < version:
		return false, nil
	case now == version:
		return slices.Equal(head, args[3].([]byte)), nil
	}
	if change.Key != "" {
		done, err := findCommand(ctx, q, id, change.Key, slotOf(change.Head.Changed))
		return done != nil && done.Version == version, err
	}
	var events [][]byte
	err = q.QueryRow(ctx, "SELECT array_agg(value ORDER BY number) FROM events WHERE table_id = $1 AND version = $2", id, version).Scan(&events)
	return len(events) > 0 && slices.EqualFunc(events, args[7].([][]byte), slices.Equal), err
}

func findCommand(ctx context.Context, q querier, table storage.ID, key string, now int32) (*storage.DoneError, error) {
	done := &storage.DoneError{Key: key}
	err := q.QueryRow(ctx, "SELECT led_to, version FROM commands WHERE table_id = $1 AND key = $2 AND slot BETWEEN $3 AND $4 ORDER BY slot DESC LIMIT 1",
		table, []byte(key), now-slots, now).Scan(&done.Table, &done.Version)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return done, nil
}

// Done is what the command with this key led to at a table, as storage.Engine says.
func (s *Store) Done(ctx context.Context, table storage.ID, key string, now storage.Stamp) (*storage.DoneError, error) {
	var done *storage.DoneError
	err := s.read(ctx, func(ctx context.Context, q querier) (err error) {
		done, err = findCommand(ctx, q, table, key, slotOf(now))
		return err
	})
	return done, err
}

// MarkPublished notes that everything up to version was published, as storage.Engine says.
func (s *Store) MarkPublished(ctx context.Context, id storage.ID, version uint64, note string, under storage.Tenure) error {
	if len(note) > storage.MaxNote {
		return fmt.Errorf("%w: a note of %d bytes", storage.ErrInvalid, len(note))
	}
	return s.change(ctx, func(ctx context.Context, c *pgxpool.Conn, _ bool) error {
		tag, err := c.Exec(ctx, `UPDATE tables SET published = $2, note = $3, pending = $2 < version
			WHERE id = $1 AND version >= $2 AND published <= $2 AND holds_shard($4, $5, $6)`,
			id, version, sealNote(id, version, note), under.Process, under.Shard, under.Term)
		if isLost(err) && !pgconn.SafeToRetry(err) {
			return unsureError{err}
		}
		if err != nil || tag.RowsAffected() > 0 {
			return err
		}
		var latest uint64
		var holds bool
		err = c.QueryRow(ctx, "SELECT version, holds_shard($2, $3, $4) FROM tables WHERE id = $1", id, under.Process, under.Shard, under.Term).Scan(&latest, &holds)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return storage.ErrNoTable
		case err == nil && version > latest:
			return fmt.Errorf("%w: table %d has no version %d yet", storage.ErrInvalid, id, version)
		case err == nil && !holds:
			return storage.ErrHeld
		}
		return err
	})
}

// Within reports why Create or Commit would refuse a change for its Limits as things are.
func (s *Store) Within(ctx context.Context, change storage.Change) error {
	return s.snapshot(ctx, func(ctx context.Context, q querier) error { return within(ctx, q, change) })
}

// within returns a *storage.LimitError when a change would lead beyond one of its limits.
func within(ctx context.Context, q querier, change storage.Change) error {
	of := ""
	type table struct {
		head   storage.Head
		detail *storage.Detail
	}
	var others []table // of the user whose limits were looked at last
	for _, l := range change.Limits {
		adds := l.Weight(change.Head, change.Detail)
		if adds == 0 {
			continue
		}
		left := l.Most - adds
		if l.Kind == storage.ServerTables {
			var n int
			if err := q.QueryRow(ctx, "SELECT count(*) FROM (SELECT FROM listings WHERE guild = $1 AND NOT over AND id <> $2 LIMIT $3) AS l",
				change.Head.Guild, change.Head.ID, max(0, left+1)).Scan(&n); err != nil {
				return err
			}
			if n > left {
				return &storage.LimitError{Limit: l}
			}
			continue
		}
		if of != l.User || others == nil {
			others = []table{}
			rows, err := q.Query(ctx, `SELECT t.id, t.version, t.events, t.head, d.value FROM seats s JOIN listings l ON l.id = s.table_id JOIN tables t ON t.id = s.table_id
				LEFT JOIN details d ON d.table_id = t.id AND l.status = $4 WHERE s.user_id = $1 AND NOT s.over AND l.guild = $2 AND s.table_id <> $3 ORDER BY t.id`,
				l.User, change.Head.Guild, change.Head.ID, int16(storage.Lobby))
			if err != nil {
				return err
			}
			err = eachHead(rows, func(h storage.Head, detail []byte) error {
				t := table{head: h}
				// A damaged one counts nothing.
				if d, err := parseDetail(h.ID, detail); err == nil {
					t.detail = &d
				}
				others = append(others, t)
				return nil
			})
			if err != nil {
				return err
			}
			of = l.User
		}
		for _, t := range others {
			left -= l.Weight(t.head, t.detail)
		}
		if left < 0 {
			return &storage.LimitError{Limit: l}
		}
	}
	return nil
}

// eachHead calls f with the heads of rows of id, version, events, head and what else it scans into extra; damaged ones are left out.
func eachHead(rows pgx.Rows, f func(h storage.Head, extra []byte) error) error {
	defer rows.Close()
	for rows.Next() {
		var id storage.ID
		var version, events uint64
		var head, extra []byte
		into := []any{&id, &version, &events, &head}
		if len(rows.FieldDescriptions()) > len(into) {
			into = append(into, &extra)
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		h, err := parseHead(id, version, events, head)
		if errors.As(err, new(*storage.DamagedError)) {
			continue
		}
		if err != nil {
			return err
		}
		if err := f(h, extra); err != nil {
			return err
		}
	}
	return rows.Err()
}
