package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"marque/storage"
)

const (
	// patience is how long one transaction may take. A server that vanished without a word is given up then.
	patience = 30 * time.Second
	// unsurePatience is how long it is tried to find out whether a change is there after the connection broke.
	unsurePatience = 8 * time.Second
	unsurePause    = 50 * time.Millisecond // between two tries
	// mostRuns bounds how often a transaction is run that others were in the way of.
	mostRuns       = 10
	collisionPause = 10 * time.Millisecond // at most before the second run, twice as long before the third, and so on
)

// querier is a connection, or a transaction on one.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// enter is called by what begins to work with the store, and what it returns when that has ended. It returns storage.ErrClosed.
func (d *database) enter(ctx context.Context) (leave func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, storage.ErrClosed
	}
	d.under.Add(1)
	return d.under.Done, nil
}

// read runs f, which changes nothing, on a connection. It is run again when the connection turns out to be broken.
func (d *database) read(ctx context.Context, f func(ctx context.Context, q querier) error) error {
	return d.reading(ctx, func(ctx context.Context, c *pgxpool.Conn) error { return f(ctx, c) })
}

func (d *database) reading(ctx context.Context, f func(ctx context.Context, c *pgxpool.Conn) error) error {
	leave, err := d.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	for again := false; ; again = true {
		c, err := d.pool.Acquire(ctx)
		if err == nil {
			err = f(ctx, c)
			c.Release()
		}
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case !isLost(err):
			return translate(err)
		case again:
			return &storage.UnreachableError{Err: cause(err)}
		}
		d.pool.Reset() // the others are likely broken, too
	}
}

// snapshot is read of one moment for what asks more than once.
func (d *database) snapshot(ctx context.Context, f func(ctx context.Context, q querier) error) error {
	return d.reading(ctx, func(ctx context.Context, c *pgxpool.Conn) error {
		return pgx.BeginTxFunc(ctx, c, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly},
			func(tx pgx.Tx) error { return f(ctx, tx) })
	})
}

// unsureError is for a change of which the connection's end leaves open whether it is there.
type unsureError struct{ error }

func (e unsureError) Unwrap() error { return e.error }

// write runs f in a transaction. It may be run more than once: when others were in its way, and when the connection broke. again says
// that an earlier run may have been committed: f then finds out, and returns nil without changing anything where it was.
// Once it has begun it is carried out, whatever becomes of ctx.
func (d *database) write(ctx context.Context, f func(ctx context.Context, tx pgx.Tx, again bool) error) error {
	return d.change(ctx, func(ctx context.Context, c *pgxpool.Conn, again bool) error {
		return onTx(ctx, c, func(tx pgx.Tx) error { return f(ctx, tx, again) })
	})
}

func onTx(ctx context.Context, c *pgxpool.Conn, f func(tx pgx.Tx) error) error {
	tx, err := c.Begin(ctx)
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		// It takes the connection out of the pool when that is broken.
		_ = tx.Rollback(ctx)
		return err
	}
	if err := tx.Commit(ctx); err != nil {
		if isLost(err) && !pgconn.SafeToRetry(err) {
			return unsureError{err}
		}
		return err
	}
	return nil
}

// change is write for an f that makes its own transaction, and returns an unsureError where the connection's end leaves it open.
func (d *database) change(ctx context.Context, f func(ctx context.Context, c *pgxpool.Conn, again bool) error) error {
	leave, err := d.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	work := context.WithoutCancel(ctx)
	var unsure bool
	var until time.Time // for finding out
	for runs := 1; ; runs++ {
		wait := ctx
		if unsure {
			wait = work
		}
		c, err := d.pool.Acquire(wait)
		if err == nil {
			err = d.observed(func() error {
				return giveUpAfter(patience, c, func() error { return f(work, c, unsure) })
			})
			c.Release()
		} else if wait.Err() != nil {
			return wait.Err()
		}
		switch {
		case err == nil:
			return nil
		case isCollision(err) && runs < mostRuns:
			pause(work, rand.N(time.Duration(runs)*collisionPause))
			continue
		case isRefusal(err):
			return err
		case !isLost(err) && !unsure:
			return translate(err)
		}
		d.pool.Reset()
		if errors.As(err, new(unsureError)) && !unsure {
			unsure, until = true, time.Now().Add(unsurePatience)
		}
		switch {
		case unsure && time.Now().After(until):
			return &storage.UnreachableError{Unsure: true, Err: cause(err)}
		case unsure:
			pause(work, unsurePause)
		case runs > 1:
			return &storage.UnreachableError{Err: cause(err)}
		}
	}
}

// giveUpAfter runs f, which works with a connection that breaks when f has not ended after that time. A deadline of the connection
// itself costs a move next to nothing; a context's, which pgx watches for every statement, costs it as much as an index.
func giveUpAfter(patience time.Duration, c *pgxpool.Conn, f func() error) error {
	pg := c.Conn().PgConn()
	conn := pg.Conn()
	_ = conn.SetDeadline(time.Now().Add(patience)) // of a broken one f hears
	defer func() {
		if !pg.IsClosed() { // pgx takes leave of a broken one under a deadline of its own
			_ = conn.SetDeadline(time.Time{})
		}
	}()
	return f()
}

// observed tells the observer of f.
func (d *database) observed(f func() error) error {
	tell := d.observer.Load()
	if tell == nil {
		return f()
	}
	begun := time.Now()
	err := f()
	if !isRefusal(err) {
		(*tell)(time.Since(begun), err)
	}
	return err
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// isRefusal reports whether an error is one that a change itself is refused with, and not the database's.
func isRefusal(err error) bool {
	if err == nil {
		return false
	}
	return !errors.As(err, new(*pgconn.PgError)) && !isLost(err) && !errors.Is(err, context.Canceled)
}

// isCollision reports whether a transaction was taken back because of others, and can be run again.
// Source: PostgreSQL's documentation, appendix A (40001 serialization_failure, 40P01 deadlock_detected).
func isCollision(err error) bool {
	said := (*pgconn.PgError)(nil)
	return errors.As(err, &said) && (said.Code == "40001" || said.Code == "40P01")
}

// isLost reports whether the server is not there, or the connection broke. Source: PostgreSQL's documentation, appendix A (class 08, class
// 57P for a server that stops or starts, 53300 too_many_connections); what is no error of the server's is the network's.
func isLost(err error) bool {
	if err == nil {
		return false
	}
	if said := (*pgconn.PgError)(nil); errors.As(err, &said) {
		switch said.Code {
		case "57P01", "57P02", "57P03", "53300":
			return true
		}
		return said.Code[:min(2, len(said.Code))] == "08"
	}
	return errors.As(err, new(*pgconn.ConnectError)) || errors.As(err, new(unsureError)) || pgconn.SafeToRetry(err) || pgconn.Timeout(err) ||
		errors.As(err, new(net.Error)) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed)
}

// translate makes one of the store's errors of the server's.
func translate(err error) error {
	said := (*pgconn.PgError)(nil)
	if !errors.As(err, &said) {
		return err
	}
	switch said.Code {
	case "53100", "53200":
		return &storage.DiskError{Problem: storage.DiskFull, Err: errors.New(said.Message)}
	case "25006":
		return &storage.DiskError{Problem: storage.DiskReadOnly, Err: errors.New(said.Message)}
	case "58030":
		return &storage.DiskError{Problem: storage.DiskFailed, Err: errors.New(said.Message)}
	case "22021", "22P05": // what is no text
		return fmt.Errorf("%w: %s", storage.ErrInvalid, said.Message)
	case "XX001", "XX002":
		return fmt.Errorf("%w (%s)", storage.ErrDamaged, said.Message)
	}
	return err
}

// ObserveCommits has f told of every transaction that writes from now on: how long it took until it was durable, and its error. f is
// called by who commits, so it must be quick.
func (d *database) ObserveCommits(f func(took time.Duration, err error)) { d.observer.Store(&f) }

// Alive returns nil once the server has answered on a connection, as a commit would have it.
func (d *database) Alive(ctx context.Context) error {
	return d.read(ctx, func(ctx context.Context, q querier) error {
		_, err := q.Exec(ctx, "SELECT 1")
		return err
	})
}

// Close ends the work in the background, carries out what was begun, and refuses what comes later with storage.ErrClosed. It may be
// called more than once.
func (d *database) Close() error {
	d.once.Do(func() {
		close(d.stop)
		d.leave()
		d.mu.Lock()
		d.closed = true
		d.mu.Unlock()
		d.under.Wait()
		d.pool.Close()
	})
	return nil
}
