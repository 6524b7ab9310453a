package bolt

import (
	"context"
	"fmt"
	"sync/atomic"

	"go.etcd.io/bbolt"

	"marque/storage"
)

const (
	// queueLength bounds how many operations wait for the writer; more wait in their callers.
	queueLength = 256
	// groupLength bounds how many operations share a commit.
	groupLength = 256
)

// op is one operation of the writer: a function that runs inside the group's transaction, perhaps more than once
// (when a companion fails), and whose error is its caller's alone.
type op struct {
	run   func(*txn) error
	state atomic.Int32 // waiting, taken or withdrawn
	done  chan error   // receives once
}

const (
	waiting int32 = iota
	taken
	withdrawn
)

// txn is the group's transaction as one operation sees it.
type txn struct {
	tx     *bbolt.Tx
	writes int // by the operation that is running
}

func (t *txn) get(bucket, key []byte) []byte { return t.tx.Bucket(bucket).Get(key) }

func (t *txn) put(bucket, key, value []byte) error {
	t.writes++
	return t.tx.Bucket(bucket).Put(key, value)
}

func (t *txn) del(bucket, key []byte) error {
	t.writes++
	return t.tx.Bucket(bucket).Delete(key)
}

// do runs f in the writer's next group and returns when it is committed. When ctx ends before the writer took it up, nothing
// has been done and the context's error is returned; after that the outcome is waited for.
func (s *Store) do(ctx context.Context, f func(*txn) error) error {
	o := &op{run: f, done: make(chan error, 1)}
	select {
	case <-s.stop:
		return storage.ErrClosed
	default:
	}
	select {
	case s.queue <- o:
	case <-ctx.Done():
		return ctx.Err()
	case <-s.stop:
		return storage.ErrClosed
	}
	select {
	case err := <-o.done:
		return err
	case <-ctx.Done():
		if o.state.CompareAndSwap(waiting, withdrawn) {
			return ctx.Err()
		}
		return <-o.done
	case <-s.done:
		// The writer is gone. It may have answered just before, or never seen the operation.
		select {
		case err := <-o.done:
			return err
		default:
			return storage.ErrClosed
		}
	}
}

// write is the writer goroutine.
func (s *Store) write() {
	defer close(s.done)
	for {
		select {
		case o := <-s.queue:
			s.commit(s.gather(o))
		case <-s.stop:
			for {
				select {
				case o := <-s.queue:
					s.commit(s.gather(o))
				default:
					return
				}
			}
		}
	}
}

// gather takes what has queued up behind the first operation.
func (s *Store) gather(first *op) []*op {
	var group []*op
	add := func(o *op) {
		if o.state.CompareAndSwap(waiting, taken) {
			group = append(group, o)
		}
	}
	add(first)
	for len(group) < groupLength {
		select {
		case o := <-s.queue:
			add(o)
		default:
			return group
		}
	}
	return group
}

// commit runs a group in one transaction. An operation that failed after it had written something is left out and the others run anew.
func (s *Store) commit(group []*op) {
	for len(group) > 0 {
		rest, again, err := s.attempt(group)
		if again {
			group = rest
			continue
		}
		for _, o := range rest {
			o.done <- err
		}
		return
	}
}

// attempt runs the group once. Operations that fail are answered and are not in rest. again says that nothing is committed and
// that rest must be tried anew; otherwise err is the commit's.
func (s *Store) attempt(group []*op) (rest []*op, again bool, err error) {
	var tx *bbolt.Tx
	if err := guard(func() (err error) { tx, err = s.db.Begin(true); return err }); err != nil {
		return group, false, fmt.Errorf("beginning to write: %w", err)
	}
	wrote := 0
	for i, o := range group {
		t := &txn{tx: tx}
		err := guard(func() error { return o.run(t) })
		if err == nil {
			rest = append(rest, o)
			wrote += t.writes
			continue
		}
		o.done <- err
		if t.writes > 0 {
			rest = append(rest, group[i+1:]...)
			return rest, true, guard(tx.Rollback)
		}
	}
	if wrote == 0 {
		return rest, false, guard(tx.Rollback)
	}
	if err := guard(tx.Commit); err != nil {
		_ = guard(tx.Rollback)
		return rest, false, fmt.Errorf("writing to the disk: %w", err)
	}
	return rest, false, nil
}

// view runs f on a consistent snapshot of the file.
func (s *Store) view(ctx context.Context, f func(*bbolt.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case <-s.stop:
		return storage.ErrClosed
	default:
	}
	return guard(func() error { return s.db.View(f) })
}

// Close finishes what has been queued, refuses what comes later with storage.ErrClosed, and closes the file. It may be called more than once.
func (s *Store) Close() error {
	var err error
	s.once.Do(func() {
		close(s.stop)
		<-s.done
		err = s.db.Close()
	})
	return err
}
