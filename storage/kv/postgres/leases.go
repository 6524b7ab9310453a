package postgres

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	mathrand "math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"marque/storage/kv"
)

// The rows of marque_leases, by kind:
//
//	shard   a shard -> its lease; shards that are no longer in force keep their terms
//	shards  ""      -> the number of shards, as the term
//	member  process -> when it expires, as until; the term is when it joined
//	turn    group   -> when it took its last turn, as until
//	seen    key     -> when First last returned true for it, as until; the owner identifies the call
//
// Moments are microseconds since 1970 by the server's clock. A process sends a step as a whole, and the server
// carries it out as one transaction, so that a frozen process does not block others. If only a part of a step
// arrives, it blocks others until another process ends it (stuckSQL). A step locks rows. If it changes the owner of
// a lease, it also takes the lease's lock. Processes join one after another.

const (
	// clock is an SQL expression for the server's time in microseconds since 1970. Unlike now(), it also moves on
	// within a transaction.
	clock = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
	// inForce is an SQL expression for the current number of shards.
	inForce = "coalesce((SELECT n.term FROM marque_leases n WHERE n.kind = 'shards' AND n.name = ''), 0)"
	// leaseLocks is the first number of the advisory lock of every lease. The second number is the shard.
	leaseLocks = 0x6d617271
	// seenPruned is the maximum number of old keys that are removed with each call of First.
	seenPruned = 2
	// mostTries is the maximum number of attempts of a step that conflicts with others.
	mostTries = 10
)

// lives returns the SQL condition that a process is a member. process is an SQL expression for its name.
func lives(process string) string {
	return "EXISTS (SELECT FROM marque_leases m WHERE m.kind = 'member' AND m.name = " + process + " AND m.until > " +
		clock + ")"
}

// step runs the statements that ask adds as one transaction, in one round trip. again says that an earlier attempt may
// have succeeded.
func (e *Engine) step(ctx context.Context, ask func(r *reads, again bool)) error {
	again := false
	for tries := 1; ; tries++ {
		r := &reads{}
		ask(r, again)
		c, err := e.pool.Acquire(ctx)
		if err == nil {
			err = e.send(ctx, c, r)
			c.Release()
		}
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			if isLost(err) {
				e.pool.Reset() // the other connections in the pool are probably broken, too
			}
			return ctx.Err()
		case isCollision(err) && tries < mostTries:
			time.Sleep(mathrand.N(time.Duration(tries) * 10 * time.Millisecond))
			continue
		case !isLost(err):
			return translate(err)
		}
		e.pool.Reset()
		if again || !isStale(err) {
			return &kv.UnreachableError{Unsure: true, Err: cause(err)}
		}
		again = true
	}
}

// affected adds a statement and stores the number of rows that it changes in *n.
func (r *reads) affected(n *int64, sql string, args ...any) {
	r.batch.Queue(sql, args...)
	r.then = append(r.then, func(b pgx.BatchResults) error {
		tag, err := b.Exec()
		*n = tag.RowsAffected()
		return err
	})
}

// lockLease adds a statement that locks a lease. It waits for Works under the lease, and blocks later ones until the
// transaction ends.
func (r *reads) lockLease(shard int) {
	r.exec("SELECT pg_advisory_xact_lock($1, $2)", leaseLocks, shard)
}

// roster adds statements that read the roster into *to.
func (r *reads) roster(to *kv.Roster) {
	var list []kv.Lease
	joined := map[string]int64{}
	*to = kv.Roster{}
	r.query(func(row pgx.Rows) error {
		var kind, name string
		var left int64
		var l kv.Lease
		if err := row.Scan(&kind, &name, &l.Term, &left, &l.Owner, &l.Heir, &l.Ready); err != nil {
			return err
		}
		switch {
		case kind == "shards":
			to.Shards = int(l.Term)
		case kind == "member" && left > 0:
			to.Members = append(to.Members, name)
			joined[name] = int64(l.Term)
		case kind == "shard":
			shard, err := strconv.Atoi(name)
			if err != nil {
				return fmt.Errorf("%w (a lease of shard %q)", kv.ErrDamaged, name)
			}
			if l.Shard = shard; l.Owner == "" || left <= 0 {
				l = kv.Lease{Shard: shard, Term: l.Term}
			} else {
				l.Left = time.Duration(left) * time.Microsecond
			}
			list = append(list, l)
		}
		return nil
	}, "SELECT kind, name, term, until - "+clock+
		", owner, heir, ready FROM marque_leases WHERE kind IN ('member', 'shard', 'shards')")
	r.then = append(r.then, func(pgx.BatchResults) error {
		slices.SortFunc(to.Members, func(a, b string) int {
			return cmp.Or(cmp.Compare(joined[a], joined[b]), strings.Compare(a, b))
		})
		slices.SortFunc(list, func(a, b kv.Lease) int { return cmp.Compare(a.Shard, b.Shard) })
		to.Leases = list[:min(to.Shards, len(list))]
		return nil
	})
}

// Roster returns the current state of all leases and processes. It changes nothing. Before a process has joined, there
// are no shards.
func (e *Engine) Roster(ctx context.Context) (roster kv.Roster, err error) {
	err = e.step(ctx, func(r *reads, _ bool) { r.roster(&roster) })
	return roster, err
}

func checkProcess(name string) error {
	if len(name) > kv.MaxProcess || strings.IndexByte(name, 0) >= 0 || !utf8.ValidString(name) {
		return fmt.Errorf("%w: %q names no process", kv.ErrLimits, name)
	}
	return nil
}

// Renew implements kv.Leases: it records that a process is alive.
func (e *Engine) Renew(ctx context.Context, process string, shards int,
	life time.Duration) (roster kv.Roster, err error) {
	if err := checkProcess(process); err != nil {
		return roster, err
	}
	extend := func(r *reads) {
		r.exec("UPDATE marque_leases SET until = greatest(until, "+clock+" + $2) WHERE kind = 'shard' AND owner = $1",
			process, life.Microseconds())
		r.roster(&roster)
	}
	var member int64
	err = e.step(ctx, func(r *reads, _ bool) {
		r.exec(stuckSQL)
		r.affected(&member, "UPDATE marque_leases SET until = "+clock+
			" + $2 WHERE kind = 'member' AND name = $1 AND until > "+clock, process, life.Microseconds())
		extend(r)
	})
	if err != nil || member == 1 && (roster.Shards == shards || len(roster.Members) > 1) {
		return roster, err
	}
	// The lock "join" makes processes join, and change the number of shards, one after another. divides is the SQL
	// condition for changing the number of shards.
	const divides = "NOT EXISTS (SELECT FROM marque_leases m WHERE m.kind = 'member' AND m.name <> $1) AND " + inForce +
		" <> $2"
	err = e.step(ctx, func(r *reads, _ bool) {
		r.exec("SELECT pg_advisory_xact_lock($1)", hash("join"))
		r.exec("DELETE FROM marque_leases WHERE kind = 'member' AND until <= " + clock)
		r.exec("INSERT INTO marque_leases AS m (kind, name, term, until) VALUES ('member', $1, "+clock+", "+clock+
			" + $2) "+
			"ON CONFLICT (kind, name) DO UPDATE SET until = excluded.until", process, life.Microseconds())
		r.exec("SELECT pg_advisory_xact_lock($3, s.n) FROM (SELECT l.name::integer AS n FROM marque_leases l WHERE l.kind = 'shard' AND "+divides+
			" ORDER BY n) s", process, shards, leaseLocks)
		r.exec("UPDATE marque_leases SET owner = '', until = 0, heir = '', ready = false WHERE kind = 'shard' AND "+
			divides, process, shards)
		r.exec("INSERT INTO marque_leases (kind, name) SELECT 'shard', g::text FROM generate_series(0, $2::integer - 1) g WHERE "+divides+
			" ON CONFLICT DO NOTHING", process, shards)
		r.exec("INSERT INTO marque_leases (kind, name, term) SELECT 'shards', '', $2::integer WHERE "+divides+
			" ON CONFLICT (kind, name) DO UPDATE SET term = excluded.term", process, shards)
		extend(r)
	})
	return roster, err
}

// Claim implements kv.Leases: it makes a process the owner of a lease.
func (e *Engine) Claim(ctx context.Context, process string, shard int, life time.Duration) (term uint64, err error) {
	err = e.step(ctx, func(r *reads, _ bool) {
		r.exec(stuckSQL)
		r.lockLease(shard)
		r.query(func(row pgx.Rows) error { return row.Scan(&term) },
			"UPDATE marque_leases SET term = term + 1, owner = $1, until = "+clock+" + $3, heir = '', ready = false "+
				"WHERE kind = 'shard' AND name = $2::integer::text AND $2 < "+inForce+
				" AND (owner IN ('', $1) OR until <= "+clock+") AND "+lives("$1")+
				" RETURNING term", process, shard, life.Microseconds())
	})
	if err == nil && term == 0 {
		err = kv.ErrNotOwner
	}
	return term, err
}

// change runs a statement that changes one lease. It returns kv.ErrNotOwner if no lease meets the statement's
// condition.
func (e *Engine) change(ctx context.Context, sql string, args ...any) error {
	var n int64
	err := e.step(ctx, func(r *reads, _ bool) { r.affected(&n, sql, args...) })
	if err == nil && n == 0 {
		err = kv.ErrNotOwner
	}
	return err
}

// owned is the SQL condition that the process $1 owns the lease of shard $2 in term $3.
const owned = "kind = 'shard' AND owner = $1 AND name = $2::integer::text AND $2 < " + inForce + " AND term = $3"

// Offer implements kv.Leases: it sets the heir of a lease.
func (e *Engine) Offer(ctx context.Context, process string, shard int, term uint64, heir string) error {
	if err := checkProcess(heir); err != nil {
		return err
	}
	return e.change(ctx, "UPDATE marque_leases SET heir = $4, ready = false WHERE "+owned, process, shard, int64(term),
		heir)
}

// Accept implements kv.Leases: it records that the heir is ready.
func (e *Engine) Accept(ctx context.Context, heir string, shard int, term uint64) error {
	return e.change(ctx,
		"UPDATE marque_leases SET ready = true WHERE kind = 'shard' AND heir = $1 AND heir <> '' AND name = $2::integer::text AND $2 < "+inForce+
			" AND term = $3", heir, shard, int64(term))
}

// Hand implements kv.Leases: it makes the heir the owner of a lease.
func (e *Engine) Hand(ctx context.Context, process string, shard int, term uint64, life time.Duration) error {
	var n int64
	var done bool // whether an earlier attempt has succeeded
	err := e.step(ctx, func(r *reads, again bool) {
		r.lockLease(shard)
		if again {
			r.query(func(row pgx.Rows) error { return row.Scan(&done) },
				"SELECT EXISTS (SELECT FROM marque_leases WHERE kind = 'shard' AND name = $2::integer::text AND term = $3 AND owner NOT IN ('', $1))",
				process, shard, int64(term)+1)
		}
		r.affected(&n, "UPDATE marque_leases AS l SET term = term + 1, owner = heir, until = "+clock+
			" + $4, heir = '', ready = false WHERE "+owned+
			" AND ready AND "+lives("l.heir"), process, shard, int64(term), life.Microseconds())
	})
	if err == nil && n == 0 && !done {
		err = kv.ErrNotOwner
	}
	return err
}

// Leave implements kv.Leases: it records that a process has ended.
func (e *Engine) Leave(ctx context.Context, process string) error {
	return e.step(ctx, func(r *reads, _ bool) {
		r.exec("DELETE FROM marque_leases WHERE kind = 'member' AND name = $1", process)
		r.exec("SELECT pg_advisory_xact_lock($2, s.n) FROM (SELECT name::integer AS n FROM marque_leases WHERE kind = 'shard' AND owner = $1 ORDER BY n) s",
			process, leaseLocks)
		r.exec("UPDATE marque_leases SET owner = '', until = 0, heir = '', ready = false WHERE kind = 'shard' AND owner = $1 AND owner <> ''", process)
		r.exec("UPDATE marque_leases SET heir = '', ready = false WHERE kind = 'shard' AND heir = $1 AND heir <> ''",
			process)
	})
}

// Turn implements kv.Leases: it takes the next turn of a group of shards, or returns how long to wait for it.
func (e *Engine) Turn(ctx context.Context, group int, pause time.Duration) (wait time.Duration, err error) {
	var taken, left int64
	err = e.step(ctx, func(r *reads, _ bool) {
		r.affected(&taken, "INSERT INTO marque_leases AS t (kind, name, until) VALUES ('turn', $1::integer::text, "+
			clock+") "+
			"ON CONFLICT (kind, name) DO UPDATE SET until = excluded.until WHERE t.until + $2 <= excluded.until", group,
			pause.Microseconds())
		r.query(func(row pgx.Rows) error { return row.Scan(&left) },
			"SELECT until + $2 - "+clock+" FROM marque_leases WHERE kind = 'turn' AND name = $1::integer::text", group,
			pause.Microseconds())
	})
	if err != nil || taken > 0 {
		return 0, err
	}
	return max(time.Millisecond, time.Duration(left)*time.Microsecond), nil
}

// First implements kv.Leases: it reports whether this is the first call with key within kv.SeenFor.
func (e *Engine) First(ctx context.Context, key string) (first bool, err error) {
	if len(key) > kv.MaxSeen || strings.IndexByte(key, 0) >= 0 || !utf8.ValidString(key) {
		return false, fmt.Errorf("%w: a key of %d bytes", kv.ErrLimits, len(key))
	}
	mark, kept := rand.Text(), kv.SeenFor.Microseconds()
	err = e.step(ctx, func(r *reads, _ bool) {
		r.exec("INSERT INTO marque_leases AS s (kind, name, until, owner) VALUES ('seen', $1, "+clock+", $2) "+
			"ON CONFLICT (kind, name) DO UPDATE SET until = excluded.until, owner = excluded.owner WHERE s.until + $3 <= excluded.until", key, mark, kept)
		r.query(func(row pgx.Rows) error { return row.Scan(&first) }, // every attempt of one call gets the same result
			"SELECT owner = $2 FROM marque_leases WHERE kind = 'seen' AND name = $1", key, mark)
		r.exec("DELETE FROM marque_leases WHERE ctid = ANY (ARRAY(SELECT ctid FROM marque_leases WHERE kind = 'seen' AND until < "+clock+
			" - $1 LIMIT $2 FOR UPDATE SKIP LOCKED))", kept, seenPruned)
	})
	return first, err
}

// listenPause is how long a connection can be silent before Listen checks that the server is reachable.
const listenPause = 10 * time.Second

// Send implements kv.Leases: it sends a text to all listening processes.
func (e *Engine) Send(ctx context.Context, text string) error {
	if text == "" || len(text) > kv.MaxSent || strings.IndexByte(text, 0) >= 0 || !utf8.ValidString(text) {
		return fmt.Errorf("%w: a text of %d bytes", kv.ErrLimits, len(text))
	}
	return e.step(ctx, func(r *reads, _ bool) { r.exec("SELECT pg_notify('marque', $1)", text) })
}

// Listen implements kv.Leases: it calls heard with every text sent. It uses a separate connection.
func (e *Engine) Listen(ctx context.Context, heard func(text string)) error {
	c, err := pgx.ConnectConfig(ctx, e.pool.Config().ConnConfig)
	if err != nil {
		return err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = c.Close(closing)
	}()
	asked := func(within time.Duration, f func(context.Context) error) error {
		ctx, cancel := context.WithTimeout(ctx, within)
		defer cancel()
		return f(ctx)
	}
	if err := asked(patience, func(ctx context.Context) error {
		_, err := c.Exec(ctx, "LISTEN marque")
		return err
	}); err != nil {
		return err
	}
	heard("")
	for {
		err := asked(listenPause, func(ctx context.Context) error {
			n, err := c.WaitForNotification(ctx)
			if err == nil {
				heard(n.Payload)
			}
			return err
		})
		if err != nil && !c.IsClosed() && ctx.Err() == nil {
			err = asked(patience, c.Ping)
		}
		if err != nil {
			return err
		}
	}
}
