package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"marque/storage"
)

var _ storage.Leases = (*Store)(nil)

// leases say which process serves which shard, as storage.Leases has it.
type leases struct{ *database }

// lockShards is of all leases together: there are few, and they are small.
const lockShards = "shards"

// clock is the server's in microseconds since 1970, as it is when a lock was waited for.
const clock = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"

// lease is a row of shards.
type lease struct {
	storage.Lease
	until int64
}

// leaseTable is what is stored of leases at one moment.
type leaseTable struct {
	now     int64
	members []string // who live
	leases  []lease  // in force
}

func (t *leaseTable) lives(process string) bool { return slices.Contains(t.members, process) }

// at is a lease; nil for one that is not there.
func (t *leaseTable) at(shard int) *lease {
	if shard < 0 || shard >= len(t.leases) {
		return nil
	}
	return &t.leases[shard]
}

// owned is a lease in the term of its owner; nil when it is not that.
func (t *leaseTable) owned(process string, shard int, term uint64) *lease {
	if l := t.at(shard); l != nil && l.Owner == process && l.Term == term {
		return l
	}
	return nil
}

// agree runs f on all leases while nobody else changes any. f may be run more than once; again is as of write.
func (s *leases) agree(ctx context.Context, f func(ctx context.Context, tx pgx.Tx, t *leaseTable, again bool) error) error {
	return s.write(ctx, func(ctx context.Context, tx pgx.Tx, again bool) error {
		if err := lock(ctx, tx, lockShards, ""); err != nil {
			return err
		}
		t := &leaseTable{}
		if err := t.read(ctx, tx); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "DELETE FROM members WHERE until <= $1", t.now); err != nil {
			return err
		}
		return f(ctx, tx, t, again)
	})
}

// read reads what is stored.
func (t *leaseTable) read(ctx context.Context, q querier) error {
	if err := q.QueryRow(ctx, "SELECT "+clock).Scan(&t.now); err != nil {
		return err
	}
	rows, err := q.Query(ctx, "SELECT process FROM members WHERE until > $1 ORDER BY joined", t.now)
	if err != nil {
		return err
	}
	if t.members, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
		return err
	}
	if rows, err = q.Query(ctx, "SELECT shard, term, owner, until, heir, ready FROM shards WHERE in_force ORDER BY shard"); err != nil {
		return err
	}
	t.leases, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (l lease, err error) {
		err = row.Scan(&l.Shard, &l.Term, &l.Owner, &l.until, &l.Heir, &l.Ready)
		return l, err
	})
	return err
}

func putLease(ctx context.Context, tx pgx.Tx, l lease) error {
	_, err := tx.Exec(ctx, "UPDATE shards SET term = $2, owner = $3, until = $4, heir = $5, ready = $6 WHERE shard = $1",
		l.Shard, l.Term, l.Owner, l.until, l.Heir, l.Ready)
	return err
}

// Renew says that a process lives, as storage.Leases says.
func (s *leases) Renew(ctx context.Context, process string, shards int, life time.Duration) (storage.Roster, error) {
	var r storage.Roster
	if err := checkWords(process); err != nil {
		return r, err
	}
	err := s.agree(ctx, func(ctx context.Context, tx pgx.Tx, t *leaseTable, _ bool) error {
		others := slices.ContainsFunc(t.members, func(m string) bool { return m != process })
		if !others && len(t.leases) != shards {
			if err := divide(ctx, tx, t, shards); err != nil {
				return err
			}
		}
		until := t.now + life.Microseconds()
		if _, err := tx.Exec(ctx, "INSERT INTO members (process, until) VALUES ($1, $2) ON CONFLICT (process) DO UPDATE SET until = excluded.until", process, until); err != nil {
			return err
		}
		if !t.lives(process) {
			t.members = append(t.members, process)
		}
		if _, err := tx.Exec(ctx, "UPDATE shards SET until = $2 WHERE owner = $1 AND until < $2 AND in_force", process, until); err != nil {
			return err
		}
		for i, l := range t.leases {
			if l.Owner == process {
				t.leases[i].until = max(l.until, until)
			}
		}
		r = t.roster()
		return nil
	})
	return r, err
}

// roster is who serves what.
func (t *leaseTable) roster() storage.Roster {
	r := storage.Roster{Shards: len(t.leases), Members: t.members}
	for _, l := range t.leases {
		shown := storage.Lease{Shard: l.Shard, Term: l.Term}
		if l.Owner != "" && t.now < l.until {
			shown = l.Lease
			shown.Left = time.Duration(l.until-t.now) * time.Microsecond
		}
		r.Leases = append(r.Leases, shown)
	}
	return r
}

// Roster is who serves what now, for who only looks; there are no shards before a process has joined.
func (s *leases) Roster(ctx context.Context) (r storage.Roster, err error) {
	err = s.snapshot(ctx, func(ctx context.Context, q querier) error {
		t := &leaseTable{}
		if err := t.read(ctx, q); err != nil {
			return err
		}
		r = t.roster()
		return nil
	})
	return r, err
}

// divide divides the servers into another number of shards. Terms stay as they are, of shards that go, too.
func divide(ctx context.Context, tx pgx.Tx, t *leaseTable, shards int) error {
	if _, err := tx.Exec(ctx, `INSERT INTO shards (shard, in_force, term, owner, until, heir, ready) SELECT g, true, 0, '', 0, '', false
		FROM generate_series(0, $1::integer - 1) g ON CONFLICT DO NOTHING`, shards); err != nil {
		return err
	}
	rows, err := tx.Query(ctx, "UPDATE shards SET in_force = shard < $1, owner = '', until = 0, heir = '', ready = false RETURNING shard, term", shards)
	if err != nil {
		return err
	}
	t.leases = make([]lease, shards)
	var shard int
	var term uint64
	_, err = pgx.ForEachRow(rows, []any{&shard, &term}, func() error {
		if shard < shards {
			t.leases[shard].Shard, t.leases[shard].Term = shard, term
		}
		return nil
	})
	return err
}

// Claim makes a process the owner of a lease, as storage.Leases says.
func (s *leases) Claim(ctx context.Context, process string, shard int, life time.Duration) (term uint64, err error) {
	err = s.agree(ctx, func(ctx context.Context, tx pgx.Tx, t *leaseTable, _ bool) error {
		l := t.at(shard)
		if l == nil || !t.lives(process) || l.Owner != "" && l.Owner != process && t.now < l.until {
			return storage.ErrHeld
		}
		term = l.Term + 1
		return putLease(ctx, tx, lease{storage.Lease{Shard: shard, Term: term, Owner: process}, t.now + life.Microseconds()})
	})
	if err != nil {
		return 0, err
	}
	return term, nil
}

// Offer names the heir of a lease, as storage.Leases says.
func (s *leases) Offer(ctx context.Context, process string, shard int, term uint64, heir string) error {
	if err := checkWords(heir); err != nil {
		return err
	}
	return s.agree(ctx, func(ctx context.Context, tx pgx.Tx, t *leaseTable, _ bool) error {
		l := t.owned(process, shard, term)
		if l == nil {
			return storage.ErrHeld
		}
		l.Heir, l.Ready = heir, false
		return putLease(ctx, tx, *l)
	})
}

// Accept says that the heir is ready, as storage.Leases says.
func (s *leases) Accept(ctx context.Context, heir string, shard int, term uint64) error {
	return s.agree(ctx, func(ctx context.Context, tx pgx.Tx, t *leaseTable, _ bool) error {
		l := t.at(shard)
		if l == nil || heir == "" || l.Heir != heir || l.Term != term {
			return storage.ErrHeld
		}
		l.Ready = true
		return putLease(ctx, tx, *l)
	})
}

// Hand makes the heir the owner of a lease, as storage.Leases says.
func (s *leases) Hand(ctx context.Context, process string, shard int, term uint64, life time.Duration) error {
	return s.agree(ctx, func(ctx context.Context, tx pgx.Tx, t *leaseTable, again bool) error {
		if l := t.at(shard); again && l != nil && l.Term == term+1 && l.Owner != "" && l.Owner != process {
			return nil // by an earlier run
		}
		l := t.owned(process, shard, term)
		if l == nil || !l.Ready || !t.lives(l.Heir) {
			return storage.ErrHeld
		}
		return putLease(ctx, tx, lease{storage.Lease{Shard: shard, Term: term + 1, Owner: l.Heir}, t.now + life.Microseconds()})
	})
}

// Leave says that a process lives no more, as storage.Leases says.
func (s *leases) Leave(ctx context.Context, process string) error {
	return s.agree(ctx, func(ctx context.Context, tx pgx.Tx, _ *leaseTable, _ bool) error {
		b := &pgx.Batch{}
		b.Queue("DELETE FROM members WHERE process = $1", process)
		b.Queue("UPDATE shards SET owner = '', until = 0, heir = '', ready = false WHERE owner = $1 AND owner <> ''", process)
		b.Queue("UPDATE shards SET heir = '', ready = false WHERE heir = $1 AND heir <> ''", process)
		return tx.SendBatch(ctx, b).Close()
	})
}

// Turn takes the next turn of a group of shards, as storage.Leases says.
func (s *leases) Turn(ctx context.Context, group int, pause time.Duration) (wait time.Duration, err error) {
	err = s.agree(ctx, func(ctx context.Context, tx pgx.Tx, t *leaseTable, _ bool) error {
		var taken int64
		err := tx.QueryRow(ctx, "SELECT taken FROM turns WHERE shard_group = $1", group).Scan(&taken)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		if wait = time.Duration(taken-t.now)*time.Microsecond + pause; err == nil && wait > 0 {
			return nil
		}
		wait = 0
		_, err = tx.Exec(ctx, "INSERT INTO turns (shard_group, taken) VALUES ($1, $2) ON CONFLICT (shard_group) DO UPDATE SET taken = excluded.taken", group, t.now)
		return err
	})
	return wait, err
}

// First reports whether nobody has asked for the same key lately, as storage.Leases says.
func (s *leases) First(ctx context.Context, key string) (first bool, err error) {
	if len(key) > storage.MaxKey {
		return false, fmt.Errorf("%w: a key of %d bytes", storage.ErrInvalid, len(key))
	}
	mark := rand.Text()
	err = s.write(ctx, func(ctx context.Context, tx pgx.Tx, again bool) error {
		kept := storage.KeyKept.Microseconds()
		tag, err := tx.Exec(ctx, `INSERT INTO seen (key, at, mark) VALUES ($1, `+clock+`, $2)
			ON CONFLICT (key) DO UPDATE SET at = excluded.at, mark = excluded.mark WHERE seen.at <= excluded.at - $3`, []byte(key), mark, kept)
		if err != nil {
			return err
		}
		if first = tag.RowsAffected() > 0; first {
			_, err := tx.Exec(ctx, `DELETE FROM seen WHERE key IN (SELECT key FROM seen WHERE at < `+clock+` - $1 LIMIT $2 FOR UPDATE SKIP LOCKED)`, kept, pruned)
			return err
		}
		if again {
			return tx.QueryRow(ctx, "SELECT mark = $2 FROM seen WHERE key = $1", []byte(key), mark).Scan(&first)
		}
		return nil
	})
	return first, err
}
