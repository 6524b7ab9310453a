package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"syscall"
	"time"

	"go.etcd.io/bbolt"

	"marque/storage"
)

const (
	// queueLength bounds how many operations wait for the next group; more wait in their callers.
	queueLength = 256
	// groupLength bounds how many operations share a commit.
	groupLength = 256
)

// op is one operation that writes: a function that runs inside the group's transaction, perhaps more than once
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
	if bytes.Equal(bucket, userPreference) {
		if err := t.rescore(key, value); err != nil {
			return err
		}
	}
	if isSealed(bucket) {
		value = seal(bucket, key, value)
	}
	return t.tx.Bucket(bucket).Put(key, value)
}

func (t *txn) del(bucket, key []byte) error {
	t.writes++
	if bytes.Equal(bucket, userPreference) {
		if err := t.rescore(key, nil); err != nil {
			return err
		}
	}
	return t.tx.Bucket(bucket).Delete(key)
}

// do runs f in the next group and returns when it is committed. When ctx ends before the group is made up, nothing
// has been done and the context's error is returned; after that the outcome is waited for.
//
// There is one writer at a time and no goroutine for it: whoever finds the turn free takes it and commits what has queued up, their
// own operation and all others. That saves a lone caller the way to another goroutine and back.
func (s *database) do(ctx context.Context, f func(*txn) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	o := &op{run: f, done: make(chan error, 1)}
	if err := s.enqueue(ctx, o); err != nil {
		return err
	}
	for {
		select {
		case err := <-o.done:
			return err
		case <-s.turn:
			s.lead()
		case <-ctx.Done():
			if o.state.CompareAndSwap(waiting, withdrawn) {
				return ctx.Err()
			}
			return <-o.done
		case <-s.done:
			// Closed. The operation was answered before, or came too late.
			select {
			case err := <-o.done:
				return err
			default:
				return storage.ErrClosed
			}
		}
	}
}

func (s *database) enqueue(ctx context.Context, o *op) error {
	select {
	case <-s.stop:
		return storage.ErrClosed
	default:
	}
	for {
		select {
		case s.queue <- o:
			return nil
		default:
		}
		select {
		case s.queue <- o:
			return nil
		case <-s.turn:
			// The queue is full and nobody writes: those in it may all have withdrawn.
			s.lead()
		case <-ctx.Done():
			return ctx.Err()
		case <-s.stop:
			return storage.ErrClosed
		}
	}
}

// lead commits what has queued up and gives the turn, which the caller holds, back.
func (s *database) lead() {
	s.commit(s.gather())
	s.turn <- struct{}{}
}

// gather takes what has queued up.
func (s *database) gather() []*op {
	var group []*op
	for len(group) < groupLength {
		select {
		case o := <-s.queue:
			if o.state.CompareAndSwap(waiting, taken) {
				group = append(group, o)
			}
		default:
			return group
		}
	}
	return group
}

// refusal is an operation that failed by itself.
type refusal struct {
	*op
	err error
}

// commit runs a group in one transaction. An operation that failed after it had written something is left out and the others run anew. Nobody is
// answered before the end: what an operation was refused for, another of the group may just have written.
func (s *database) commit(group []*op) {
	var refused []refusal
	var err error
	for again := true; again && len(group) > 0; {
		var failed []refusal
		group, failed, again, err = s.attempt(group)
		refused = append(refused, failed...)
	}
	for _, o := range group {
		o.done <- err
	}
	for _, r := range refused {
		if err != nil { // what it was refused for may not be there
			r.err = err
		}
		r.done <- r.err
	}
}

// attempt runs the group once. Operations that fail are in refused and not in rest. again says that nothing is committed and
// that rest must be tried anew; otherwise err is the commit's.
func (s *database) attempt(group []*op) (rest []*op, refused []refusal, again bool, err error) {
	if s.broken != nil {
		return group, nil, false, s.broken
	}
	observe := func(error) {}
	if f := s.observer.Load(); f != nil {
		began := time.Now()
		observe = func(err error) { (*f)(time.Since(began), err) }
	}
	var tx *bbolt.Tx
	if err := guard(func() (err error) { tx, err = s.db.Begin(true); return err }); err != nil {
		s.broke(err)
		return group, nil, false, fmt.Errorf("beginning to write: %w", err)
	}
	undo := func() error {
		err := guard(tx.Rollback)
		s.broke(err)
		return err
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
		refused = append(refused, refusal{o, err})
		if t.writes > 0 {
			rest = append(rest, group[i+1:]...)
			return rest, refused, true, undo()
		}
	}
	if wrote == 0 {
		return rest, refused, false, undo()
	}
	number := tx.ID()
	err = guard(tx.Commit)
	observe(err)
	if err != nil {
		_ = undo()
		return rest, refused, false, s.diskError(number, fmt.Errorf("writing to the disk: %w", err))
	}
	return rest, refused, false, nil
}

// diskError makes a *storage.DiskError of the error of a commit, the transaction's number given, if
// it is the disk's.
func (s *database) diskError(number int, err error) error {
	problem := storage.DiskFailed
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		problem = storage.DiskFull
	case errors.Is(err, syscall.EROFS):
		problem = storage.DiskReadOnly
	case !errors.Is(err, syscall.EIO):
		return err
	}
	// The last page that a commit writes makes it valid; what fails after that may have been written.
	latest := number
	if guard(func() error {
		return s.db.View(func(tx *bbolt.Tx) error { latest = tx.ID(); return nil })
	}) != nil || latest >= number {
		problem = storage.DiskFailed
	}
	return &storage.DiskError{Problem: problem, Err: err}
}

// broke notes that a transaction could not be begun or undone because of what is damaged: the library holds its lock for ever then.
func (s *database) broke(err error) {
	if errors.Is(err, storage.ErrDamaged) {
		s.broken = fmt.Errorf("writing was given up until the next start: %w", err)
	}
}

// view runs f on a consistent snapshot of the file.
func (s *database) view(ctx context.Context, f func(*bbolt.Tx) error) error {
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
func (s *database) Close() error {
	var err error
	s.once.Do(func() {
		close(s.stop)
		s.leave()
		<-s.turn // never given back
		for group := s.gather(); len(group) > 0; group = s.gather() {
			s.commit(group)
		}
		close(s.done)
		if s.broken != nil { // closing would wait for ever; the file is as the last commit left it
			err = errors.Join(s.broken, s.file.Close())
			return
		}
		err = s.db.Close()
	})
	return err
}

// errNothing takes back an operation that is only to have its turn.
var errNothing = errors.New("nothing is to be written")

// Alive returns nil once an operation that writes nothing has had its turn, as a commit would have it. It returns storage.ErrClosed, ctx's
// error, or why nothing can be written any more.
func (s *database) Alive(ctx context.Context) error {
	err := s.do(ctx, func(*txn) error { return errNothing })
	if errors.Is(err, errNothing) {
		return nil
	}
	return err
}
