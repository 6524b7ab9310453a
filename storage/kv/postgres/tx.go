package postgres

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"marque/storage/kv"
)

const (
	// parallel is the maximum number of concurrent groups of a process.
	parallel = 2
	// unsurePatience limits the time for finding out whether a group was committed when its connection broke. It is
	// longer than idleLimit, after which stuckSQL ends the transaction.
	unsurePatience = lockLimit + idleLimit
	unsurePause    = 50 * time.Millisecond // pause between two attempts
)

const (
	beginSQL = "BEGIN ISOLATION LEVEL READ COMMITTED"
	viewSQL  = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"
	lockSQL  = "SELECT pg_advisory_xact_lock(h) FROM unnest($1::bigint[]) h"
	getSQL   = "SELECT (SELECT p.value FROM marque_pairs p WHERE p.space = k.space AND p.key = k.key) " +
		"FROM unnest($1::text[], $2::bytea[]) AS k (space, key)"
	scanSQL = "SELECT k.n, p.key, p.value FROM unnest($1::text[], $2::bytea[], $3::bytea[], $4::integer[]) WITH ORDINALITY AS k (space, a, b, most, n), " +
		"LATERAL (SELECT q.key, q.value FROM marque_pairs q WHERE q.space = k.space AND q.key >= k.a AND q.key < k.b ORDER BY q.space, q.key LIMIT k.most) p"
	scanBackSQL = "SELECT k.n, p.key, p.value FROM unnest($1::text[], $2::bytea[], $3::bytea[], $4::integer[]) WITH ORDINALITY AS k (space, a, b, most, n), " +
		"LATERAL (SELECT q.key, q.value FROM marque_pairs q WHERE q.space = k.space AND q.key >= k.a AND q.key < k.b " +
		"ORDER BY q.space DESC, q.key DESC LIMIT k.most) p"
	countSQL  = "SELECT count(*) FROM marque_pairs WHERE space = $1 AND key >= $2 AND key < $3"
	clearSQL  = "DELETE FROM marque_pairs WHERE space = $1 AND key >= $2 AND key < $3"
	deleteSQL = "DELETE FROM marque_pairs WHERE ctid = ANY (ARRAY(SELECT (SELECT p.ctid FROM marque_pairs p WHERE p.space = k.space AND p.key = k.key) " +
		"FROM unnest($1::text[], $2::bytea[]) AS k (space, key)))"
	putSQL = "INSERT INTO marque_pairs AS p SELECT k.space, k.key, k.value FROM unnest($1::text[], $2::bytea[], $3::bytea[]) AS k (space, key, value) " +
		"ON CONFLICT (space, key) DO UPDATE SET value = excluded.value"
	// Works take the lock of their lease in shared mode. A step that changes the owner of the lease takes it
	// exclusively.
	fenceLockSQL = "SELECT pg_advisory_xact_lock_shared($1, s) FROM unnest($2::integer[]) s"
	fenceSQL     = "SELECT EXISTS (SELECT FROM marque_leases l WHERE l.kind = 'shard' AND l.name = f.shard::text AND l.owner = f.process AND l.term = f.term " +
		"AND f.shard < " + inForce +
		") FROM unnest($1::text[], $2::integer[], $3::bigint[]) AS f (process, shard, term)"
)

// end is greater than every key of a space.
var end = bytes.Repeat([]byte{0xff}, kv.MaxKey+1)

// hash returns the number of the advisory lock for a name, a shortened SHA-256. If two names have the same number,
// their Works exclude each other, which does no harm.
func hash(name string) int64 {
	sum := sha256.Sum256([]byte(name))
	return int64(binary.BigEndian.Uint64(sum[:]))
}

// bounds returns the ends of a range as arguments for statements.
func bounds(r kv.Range) (from, to []byte) {
	from, to = r.From, r.To
	if from == nil {
		from = []byte{}
	}
	if to == nil {
		to = end
	}
	return from, to
}

// reads collects the statements of one round trip.
type reads struct {
	batch pgx.Batch
	then  []func(pgx.BatchResults) error // functions that read the results of the batch, in order
}

func (r *reads) exec(sql string, args ...any) {
	r.batch.Queue(sql, args...)
	r.then = append(r.then, func(b pgx.BatchResults) error { _, err := b.Exec(); return err })
}

// query adds a statement. f is called for each row of its result.
func (r *reads) query(f func(row pgx.Rows) error, sql string, args ...any) {
	r.batch.Queue(sql, args...)
	r.then = append(r.then, func(b pgx.BatchResults) error {
		rows, err := b.Query()
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			if err := f(rows); err != nil {
				return err
			}
		}
		return rows.Err()
	})
}

func (r *reads) get(keys []kv.Key) [][]byte {
	values := make([][]byte, len(keys))
	if len(keys) == 0 {
		return values
	}
	spaces, names := make([]string, len(keys)), make([][]byte, len(keys))
	for i, k := range keys {
		spaces[i], names[i] = string(k.Space), append([]byte{}, k.Key...)
	}
	i := 0
	r.query(func(row pgx.Rows) error {
		i++
		return row.Scan(&values[i-1])
	}, getSQL, spaces, names)
	return values
}

// scan adds a statement that fetches ranges in the given order. The pairs of each range are set once the statement has
// been sent.
func (r *reads) scan(list []kv.WantRange, order kv.Order) [][]kv.Pair {
	pairs := make([][]kv.Pair, len(list))
	if len(list) == 0 {
		return pairs
	}
	spaces, from, to, most := make([]string, len(list)), make([][]byte, len(list)), make([][]byte, len(list)),
		make([]int32, len(list))
	for i, w := range list {
		spaces[i], most[i] = string(w.Space), int32(min(w.Limit, 1<<30))
		from[i], to[i] = bounds(w.Range)
	}
	sql := scanSQL
	if order == kv.Descending {
		sql = scanBackSQL
	}
	r.query(func(row pgx.Rows) error {
		var n int
		var p kv.Pair
		err := row.Scan(&n, &p.Key, &p.Value)
		if err == nil {
			pairs[n-1] = append(pairs[n-1], p)
		}
		return err
	}, sql, spaces, from, to, most)
	return pairs
}

// send runs all collected statements in one round trip. If this takes longer than patience, it breaks the connection.
func (e *Engine) send(ctx context.Context, c *pgxpool.Conn, r *reads) error {
	err := giveUp(c, func() error {
		b := c.SendBatch(ctx, &r.batch)
		for _, f := range r.then {
			if err := f(b); err != nil {
				_ = b.Close()
				return err
			}
		}
		return b.Close()
	})
	if err == nil {
		e.heard.Store(time.Now().UnixNano())
	}
	return err
}

// quiet is how long the last answer, or the lack of one, counts as the state of the server.
const quiet = time.Second

// Answers reports whether the server has answered less than quiet ago, or answers a ping before ctx ends. If a ping was
// unanswered less than quiet ago, Answers returns false without sending another.
func (e *Engine) Answers(ctx context.Context) bool {
	now, heard, unheard := time.Now(), time.Unix(0, e.heard.Load()), time.Unix(0, e.unheard.Load())
	switch {
	case now.Sub(heard) < quiet:
		return true
	case unheard.After(heard) && now.Sub(unheard) < quiet:
		return false
	}
	err := e.pool.Ping(ctx)
	if err != nil {
		e.unheard.Store(time.Now().UnixNano())
	}
	return err == nil
}

// giveUp runs f, which uses a connection, and breaks the connection if f takes longer than patience. It sets the
// connection's deadline directly, which costs less than a context that pgx watches for every statement.
func giveUp(c *pgxpool.Conn, f func() error) error {
	pg := c.Conn().PgConn()
	conn := pg.Conn()
	_ = conn.SetDeadline(time.Now().Add(patience)) // past the deadline, f returns an error
	defer func() {
		if !pg.IsClosed() { // pgx uses deadlines of its own to close a broken connection
			_ = conn.SetDeadline(time.Time{})
		}
	}()
	return f()
}

// viewer reads a consistent snapshot.
type viewer struct {
	ctx  context.Context
	e    *Engine
	conn *pgxpool.Conn // nil before the first read
}

// View calls read with a consistent snapshot, which is the state at the first read.
func (e *Engine) View(ctx context.Context, read func(r kv.Reader) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	v := &viewer{ctx: ctx, e: e}
	defer v.end()
	return read(v)
}

// end returns the connection to the pool, without waiting.
func (v *viewer) end() {
	if c := v.conn; c != nil {
		v.conn = nil
		go func() { rollback(c) }()
	}
}

func rollback(c *pgxpool.Conn) {
	if !c.Conn().IsClosed() {
		_ = giveUp(c, func() error {
			_, err := c.Exec(context.Background(), "ROLLBACK")
			return err
		})
	}
	c.Release() // closes a connection that is still in a transaction
}

// read sends the statements that ask adds. The first read begins the transaction. If the connection that it gets from
// the pool is broken, it tries another one.
func (v *viewer) read(ask func(r *reads)) error {
	for again := false; ; again = true {
		r := &reads{}
		first := v.conn == nil
		var err error
		if first {
			r.exec(viewSQL)
			r.exec("SELECT set_config('idle_in_transaction_session_timeout', $1, true)",
				fmt.Sprint(viewIdleLimit.Milliseconds()))
			v.conn, err = v.e.pool.Acquire(v.ctx)
		}
		ask(r)
		if err == nil {
			err = v.e.send(v.ctx, v.conn, r)
		}
		switch {
		case err == nil:
			return nil
		case v.ctx.Err() != nil:
			return v.ctx.Err()
		case !isLost(err):
			return translate(err)
		}
		v.e.pool.Reset() // the other connections in the pool are probably broken, too
		if again || !first || !isStale(err) {
			return &kv.UnreachableError{Err: cause(err)}
		}
		v.end()
	}
}

func (v *viewer) Get(keys ...kv.Key) (values [][]byte, err error) {
	if len(keys) == 0 {
		return nil, nil
	}
	err = v.read(func(r *reads) { values = r.get(keys) })
	return values, err
}

func (v *viewer) Scan(rg kv.Range, order kv.Order, limit int) ([]kv.Pair, error) {
	var pairs [][]kv.Pair
	err := v.read(func(r *reads) { pairs = r.scan([]kv.WantRange{{Range: rg, Limit: limit}}, order) })
	if err != nil {
		return nil, err
	}
	return pairs[0], nil
}

func (v *viewer) Count(rg kv.Range) (n int, err error) {
	err = v.read(func(r *reads) { r.count(rg, &n) })
	return n, err
}

func (r *reads) count(rg kv.Range, n *int) {
	from, to := bounds(rg)
	r.query(func(row pgx.Rows) error { return row.Scan(n) }, countSQL, string(rg.Space), from, to)
}

// Parallel returns the maximum number of concurrent groups.
func (e *Engine) Parallel() int { return parallel }

// scanned is the part of a range that has been fetched.
type scanned struct {
	pairs []kv.Pair
	limit int // limit of the scan
}

// tx is a write transaction. Its Get fetches each key at most once.
type tx struct {
	e      *Engine
	conn   *pgxpool.Conn
	slot   []byte
	values map[string][]byte // fetched values by space and key; nil for missing keys
	ranges map[string]scanned
}

func nameOf(k kv.Key) string { return string(k.Space) + "\x00" + string(k.Key) }

func nameOfRange(r kv.Range, order kv.Order) string {
	return fmt.Sprintf("%s %v %x %x %v", r.Space, order, r.From, r.To, r.To == nil)
}

// Begin begins a write transaction, in one round trip.
func (e *Engine) Begin(ctx context.Context, locks []kv.Lock, fences []kv.Fence,
	wants []kv.Want) (kv.Tx, []bool, error) {
	select {
	case slot := <-e.slots:
		t := &tx{e: e, slot: slot}
		held, err := t.begin(ctx, locks, fences, wants)
		if err != nil {
			t.Rollback()
			return nil, nil, err
		}
		return t, held, nil
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
}

func (t *tx) begin(ctx context.Context, locks []kv.Lock, fences []kv.Fence, wants []kv.Want) ([]bool, error) {
	hashes := make([]int64, len(locks)+1)
	for i, l := range locks {
		hashes[i] = hash("lock " + string(l))
	}
	hashes[len(locks)] = hash(string(t.slot)) // lets resolve wait until this transaction has ended
	slices.Sort(hashes)
	var keys []kv.Key
	var ranges [2][]kv.WantRange
	for _, w := range wants {
		keys = append(keys, w.Keys...)
		for _, r := range w.Ranges {
			ranges[index(r.Order)] = append(ranges[index(r.Order)], r)
		}
	}
	for again := false; ; again = true {
		c, err := t.e.pool.Acquire(ctx)
		r := &reads{}
		r.exec(beginSQL)
		r.exec(lockSQL, slices.Compact(hashes))
		held := r.fences(fences)
		values := r.get(keys)
		up, down := r.scan(ranges[0], kv.Ascending), r.scan(ranges[1], kv.Descending)
		if err == nil {
			t.conn = c
			err = t.e.send(ctx, c, r)
		}
		if err == nil {
			t.values, t.ranges = map[string][]byte{}, map[string]scanned{}
			for i, k := range keys {
				t.values[nameOf(k)] = values[i]
			}
			for order, lists := range [][][]kv.Pair{up, down} {
				for i, w := range ranges[order] {
					t.know(w, lists[i])
				}
			}
			return held, nil
		}
		if !isLost(err) {
			if isWaiting(err) {
				t.e.endStuck(ctx)
			}
			return nil, translate(err)
		}
		t.e.pool.Reset()
		if again || !isStale(err) {
			return nil, &kv.UnreachableError{Err: cause(err)}
		}
		t.release()
		t.e.endStuck(ctx) // the locks may be held by a stuck attempt of this transaction
	}
}

func index(order kv.Order) int {
	if order == kv.Descending {
		return 1
	}
	return 0
}

// fences adds statements that lock the leases of fences and check which fences are in force. The result is set once the
// statements have been sent.
func (r *reads) fences(list []kv.Fence) []bool {
	held := make([]bool, len(list))
	if len(list) == 0 {
		return held
	}
	processes, shards, terms := make([]string, len(list)), make([]int32, len(list)), make([]int64, len(list))
	for i, f := range list {
		processes[i], shards[i], terms[i] = f.Process, int32(f.Shard), int64(f.Term)
	}
	locks := slices.Clone(shards)
	slices.Sort(locks)
	r.exec(fenceLockSQL, leaseLocks, slices.Compact(locks))
	i := 0
	r.query(func(row pgx.Rows) error {
		i++
		return row.Scan(&held[i-1])
	}, fenceSQL, processes, shards, terms)
	return held
}

func (t *tx) know(w kv.WantRange, pairs []kv.Pair) {
	if name := nameOfRange(w.Range, w.Order); t.ranges[name].limit < w.Limit {
		t.ranges[name] = scanned{pairs, w.Limit}
	}
	for _, p := range pairs {
		t.values[nameOf(kv.Key{Space: w.Space, Key: p.Key})] = p.Value
	}
}

// read sends the statements that ask adds. If the connection breaks, nothing has been changed.
func (t *tx) read(ask func(r *reads)) error {
	r := &reads{}
	ask(r)
	err := t.e.send(context.Background(), t.conn, r)
	if isLost(err) {
		t.e.pool.Reset()
		return &kv.AgainError{Err: &kv.UnreachableError{Err: cause(err)}}
	}
	return translate(err)
}

func (t *tx) Get(keys ...kv.Key) ([][]byte, error) {
	var missing []kv.Key
	for _, k := range keys {
		if _, ok := t.values[nameOf(k)]; !ok {
			missing = append(missing, k)
		}
	}
	if len(missing) > 0 {
		var got [][]byte
		if err := t.read(func(r *reads) { got = r.get(missing) }); err != nil {
			return nil, err
		}
		for i, k := range missing {
			t.values[nameOf(k)] = got[i]
		}
	}
	values := make([][]byte, len(keys))
	for i, k := range keys {
		values[i] = t.values[nameOf(k)]
	}
	return values, nil
}

func (t *tx) Scan(rg kv.Range, order kv.Order, limit int) ([]kv.Pair, error) {
	name := nameOfRange(rg, order)
	known := t.ranges[name]
	if known.limit < limit && (known.limit == 0 || len(known.pairs) == known.limit) {
		w := kv.WantRange{Range: rg, Order: order, Limit: limit}
		var lists [][]kv.Pair
		if err := t.read(func(r *reads) { lists = r.scan([]kv.WantRange{w}, order) }); err != nil {
			return nil, err
		}
		t.know(w, lists[0])
		known = t.ranges[name]
	}
	return slices.Clone(known.pairs[:min(limit, len(known.pairs))]), nil
}

func (t *tx) Count(rg kv.Range) (n int, err error) {
	err = t.read(func(r *reads) { r.count(rg, &n) })
	return n, err
}

// Commit writes the changes and commits, in one round trip.
func (t *tx) Commit(_ context.Context, changes []kv.Change) error {
	defer t.Rollback()
	token := binary.BigEndian.AppendUint64(nil, t.e.groups.Add(1))
	token = binary.BigEndian.AppendUint64(token, uint64(t.e.clock+time.Since(t.e.opened).Microseconds()))
	r := &reads{}
	puts := struct {
		spaces       []string
		keys, values [][]byte
	}{[]string{ownSpace}, [][]byte{t.slot}, [][]byte{token}}
	var goneSpaces []string
	var goneKeys [][]byte
	for _, c := range changes {
		switch {
		case c.Delete != nil:
			from, to := bounds(*c.Delete)
			r.exec(clearSQL, string(c.Delete.Space), from, to)
		case c.Value == nil:
			goneSpaces, goneKeys = append(goneSpaces, string(c.Key.Space)), append(goneKeys, c.Key.Key)
		default:
			puts.spaces, puts.keys = append(puts.spaces, string(c.Key.Space)), append(puts.keys, c.Key.Key)
			puts.values = append(puts.values, c.Value)
		}
	}
	if len(goneKeys) > 0 {
		r.exec(deleteSQL, goneSpaces, goneKeys)
	}
	r.exec(putSQL, puts.spaces, puts.keys, puts.values)
	r.exec("COMMIT")
	err := t.e.send(context.Background(), t.conn, r)
	if !isLost(err) {
		return translate(err)
	}
	t.e.pool.Reset()
	t.release()
	if pgconn.SafeToRetry(err) {
		return &kv.AgainError{Err: &kv.UnreachableError{Err: cause(err)}}
	}
	return t.resolve(token, err)
}

// resolve finds out whether the group of a token was committed when its connection broke with the error broke. It
// returns nil if it was, and a *kv.AgainError if not. It waits for the lock of the token's slot, which is free once the
// group's transaction has ended. If it cannot find out, it returns a *kv.UnreachableError that is Unsure.
func (t *tx) resolve(token []byte, broke error) error {
	ctx := context.Background()
	for until := time.Now().Add(unsurePatience); time.Now().Before(until); time.Sleep(unsurePause) {
		c, err := t.e.pool.Acquire(ctx)
		if err != nil {
			continue
		}
		r := &reads{}
		r.exec(stuckSQL)
		r.exec(lockSQL, []int64{hash(string(t.slot))})
		values := r.get([]kv.Key{{Space: ownSpace, Key: t.slot}})
		err = t.e.send(ctx, c, r)
		c.Release()
		switch {
		case err == nil && bytes.Equal(values[0], token):
			return nil
		case err == nil:
			return &kv.AgainError{Err: &kv.UnreachableError{Err: cause(broke)}}
		case isLost(err):
			t.e.pool.Reset()
		}
	}
	return &kv.UnreachableError{Unsure: true, Err: cause(broke)}
}

// release returns the connection to the pool. A transaction that is still open on it is ended.
func (t *tx) release() {
	if t.conn != nil {
		t.conn.Release()
		t.conn = nil
	}
}

// Rollback ends the transaction without changes.
func (t *tx) Rollback() {
	if c := t.conn; c != nil && c.Conn().PgConn().TxStatus() != 'I' {
		t.conn = nil
		rollback(c)
	}
	t.release()
	if t.slot != nil {
		t.e.slots <- t.slot
		t.slot = nil
	}
}

// Spaces lists the spaces that have keys. It finds each space with one look-up in the index, starting after the
// previous one.
func (e *Engine) Spaces(ctx context.Context) (list []kv.Space, err error) {
	v := &viewer{ctx: ctx, e: e}
	defer v.end()
	err = v.read(func(r *reads) {
		list = nil
		r.query(func(row pgx.Rows) error {
			var s string
			err := row.Scan(&s)
			list = append(list, kv.Space(s))
			return err
		}, `WITH RECURSIVE s (space) AS (
			(SELECT p.space FROM marque_pairs p WHERE p.space > $1 ORDER BY p.space, p.key LIMIT 1)
			UNION ALL
			SELECT (SELECT p.space FROM marque_pairs p WHERE p.space > s.space ORDER BY p.space, p.key LIMIT 1) FROM s WHERE s.space IS NOT NULL
		) SELECT space FROM s WHERE space IS NOT NULL`, ownSpace)
	})
	return list, err
}

// Size returns the size of the tables and their indexes.
func (e *Engine) Size(ctx context.Context) (size kv.Size, err error) {
	v := &viewer{ctx: ctx, e: e}
	defer v.end()
	err = v.read(func(r *reads) {
		r.query(func(row pgx.Rows) error { return row.Scan(&size.Bytes) },
			"SELECT pg_total_relation_size('marque_pairs') + pg_total_relation_size('marque_leases')")
	})
	return size, err
}

// Alive commits a write transaction. It returns nil if the commit succeeded.
func (e *Engine) Alive(ctx context.Context) error {
	t, _, err := e.Begin(ctx, nil, nil, nil)
	if err != nil {
		return err
	}
	defer t.Rollback()
	return t.Commit(ctx, []kv.Change{{Key: kv.Key{Space: ownSpace, Key: aliveKey}, Value: []byte{}}})
}

// isCollision reports whether the server rolled a transaction back because of other transactions, so that it can be run
// again. Source: PostgreSQL's documentation, appendix A (40001 serialization_failure, 40P01 deadlock_detected).
func isCollision(err error) bool {
	said := (*pgconn.PgError)(nil)
	return errors.As(err, &said) && (said.Code == "40001" || said.Code == "40P01")
}

// isLost reports whether the server cannot be reached or the connection broke. Source: PostgreSQL's documentation,
// appendix A (class 08; 57P01, 57P02 and 57P03 for a server that stops or starts; 57P05 idle_session_timeout; 25P03
// idle_in_transaction_session_timeout; 53300 too_many_connections). Of the errors that do not come from the server,
// those of the network count.
func isLost(err error) bool {
	if err == nil {
		return false
	}
	if said := (*pgconn.PgError)(nil); errors.As(err, &said) {
		switch said.Code {
		case "57P01", "57P02", "57P03", "57P05", "25P03", "53300":
			return true
		}
		return said.Code[:min(2, len(said.Code))] == "08"
	}
	return errors.As(err, new(*pgconn.ConnectError)) || pgconn.SafeToRetry(err) || pgconn.Timeout(err) ||
		errors.As(err, new(net.Error)) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed)
}

// isWaiting reports whether a statement was cancelled because it waited or ran too long. Source: PostgreSQL's
// documentation, appendix A (55P03 lock_not_available, 57014 query_canceled).
func isWaiting(err error) bool {
	said := (*pgconn.PgError)(nil)
	return errors.As(err, &said) && (said.Code == "55P03" || said.Code == "57014")
}

// isStale reports whether the connection may have been broken for a long time, so that another one may work. The error
// must be one for which isLost is true.
func isStale(err error) bool {
	return !pgconn.Timeout(err) && !errors.As(err, new(*pgconn.ConnectError))
}

// translate converts an error of the server to one of package kv. It returns other errors unchanged.
func translate(err error) error {
	said := (*pgconn.PgError)(nil)
	if !errors.As(err, &said) {
		return err
	}
	message := errors.New(said.Message)
	switch said.Code {
	case "40001", "40P01":
		return &kv.AgainError{Err: err}
	case "53200":
		return fmt.Errorf("%w: %s", kv.ErrCrowded, said.Message)
	case "55P03", "57014": // lock_timeout, statement_timeout
		return &kv.UnreachableError{Err: message}
	case "53100":
		return &kv.DiskError{Problem: kv.DiskFull, Err: message}
	case "25006":
		return &kv.DiskError{Problem: kv.DiskReadOnly, Err: message}
	case "58030":
		return &kv.DiskError{Problem: kv.DiskFailed, Err: message}
	case "XX001", "XX002":
		return fmt.Errorf("%w (%s)", kv.ErrDamaged, said.Message)
	}
	return err
}
