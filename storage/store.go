package storage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"marque/storage/kv"
)

// Schema is the version of the stored data that this program reads and writes.
const Schema = 1

// Store keeps the values of this package's types in an engine.
//
// For all methods:
//   - They are safe for concurrent use.
//   - When a method returns nil, its change is durable, and every later call of any goroutine or process sees it. When
//     it returns an error, nothing has changed, except for a *DiskError with DiskFailed and an *UnreachableError that
//     is Unsure. Restore, Rebuild, Void and Move take several steps, and may have done the first ones.
//   - They return the error of a ctx that ends before the work begins, ErrClosed after Close, ErrDamaged (a
//     *DamagedError) for a value that differs from the one written, ErrInvalid for a value that cannot be stored, and
//     the errors that their comments name. Errors can be wrapped. ByGuild, ByChannel, ByUser, Naming, Tally and
//     LastKnown return no error for a table whose head cannot be read, and leave the table out. EventsNaming leaves
//     out events that cannot be read.
//   - Reading a value that was never stored is not an error, unless the comment names one.
//   - Lists have the order that the comment names, and at most limit entries. nil and an empty list are equivalent.
//   - Text is UTF-8 without zero bytes, and compares byte by byte.
type Store struct {
	db     *kv.DB
	engine kv.Engine
	runner *jobRunner // runs the background jobs
}

// Open opens the store in an engine; Close closes both. Open writes the schema version into an empty engine, and
// returns ErrNewer if the engine has a later version. Engines refuse data from before the first release.
func Open(ctx context.Context, engine kv.Engine) (*Store, error) {
	s, version, err := peek(ctx, engine)
	if err != nil {
		return nil, err
	}
	at := key{name: schemaName}
	if version == 0 {
		err = s.update(ctx, work{locks: []kv.Lock{sequenceLock.of(at)}, run: func(t *txn) error {
			version, there, err := sequences.get(t, at)
			switch {
			case err != nil:
				return err
			case there: // another process has written the version meanwhile
				return suits(version)
			}
			return sequences.put(t, at, Schema)
		}})
	}
	if err != nil {
		return nil, errors.Join(err, s.db.Close())
	}
	s.runner.start(s)
	return s, nil
}

// Peek opens the store in an engine without writing anything. It runs no background jobs. Close closes both.
func Peek(ctx context.Context, engine kv.Engine) (*Store, error) {
	s, _, err := peek(ctx, engine)
	return s, err
}

func peek(ctx context.Context, engine kv.Engine) (s *Store, version uint64, err error) {
	s = &Store{db: kv.New(engine), engine: engine}
	s.runner = newJobRunner(s)
	if version, err = s.version(ctx); err != nil {
		return nil, 0, errors.Join(err, s.db.Close())
	}
	return s, version, nil
}

// version returns the schema version of the stored data; 0 for an empty store. It reads the version and the other
// spaces in one snapshot, because another process may be writing the first version.
func (s *Store) version(ctx context.Context) (version uint64, err error) {
	err = s.view(ctx, func(r kv.Reader) error {
		v, there, err := sequences.get(r, key{name: schemaName})
		if err != nil {
			return err
		}
		if version = v; there {
			return suits(version)
		}
		for _, space := range Spaces() {
			pairs, err := r.Scan(kv.Range{Space: space}, kv.Ascending, 1)
			if err != nil {
				return err
			}
			if len(pairs) > 0 {
				return fmt.Errorf("%w (its version is missing: it may be a copy that was cut short)", ErrDamaged)
			}
		}
		return nil
	})
	return version, err
}

// suits returns ErrNewer if this program does not know the schema version.
func suits(version uint64) error {
	if version > Schema {
		return fmt.Errorf("%w (schema %d, this program knows %d)", ErrNewer, version, Schema)
	}
	return nil
}

// get1 reads one value in a transaction of its own.
func (x *kind[V]) get1(ctx context.Context, s *Store, k key) (v V, there bool, err error) {
	err = s.view(ctx, func(r kv.Reader) (err error) {
		v, there, err = x.get(r, k)
		return err
	})
	return v, there, err
}

// work is a write transaction to run, like kv.Work. It is committed completely or not at all.
type work struct {
	locks []kv.Lock
	want  kv.Want
	fence Fence
	run   func(t *txn) error // may be called more than once
}

// update runs and commits w. If w needs another lock, it is run again with that lock.
func (s *Store) update(ctx context.Context, w work) error {
	for {
		slices.Sort(w.locks)
		locks := slices.Compact(w.locks)
		err := s.db.Update(ctx, kv.Work{
			Locks: locks, Want: w.want, Fence: kv.Fence(w.fence),
			Run: func(in kv.Writer) error { return w.run(&txn{in, locks}) },
		})
		var more *lockError
		if !errors.As(err, &more) || slices.Contains(locks, more.lock) {
			if done, noted := ctx.Value(changedKey{}).(*atomic.Bool); noted && (err == nil || errors.As(err,
				new(*DoneError))) {
				done.Store(true)
			}
			return err
		}
		w.locks = append(slices.Clone(locks), more.lock)
	}
}

// view calls read with a consistent snapshot.
func (s *Store) view(ctx context.Context, read func(r kv.Reader) error) error {
	return s.db.View(ctx, read)
}

// WithPatience returns a context that limits how long calls wait for a silent server. Once until has passed, methods
// return an *UnreachableError if the server does not answer.
func WithPatience(ctx context.Context, until time.Time) context.Context {
	return kv.WithPatience(ctx, until)
}

type changedKey struct{}

// NoteChanges returns a context that records changes. changed reports whether a write with this context has
// succeeded, or has returned a *DoneError. A caller can use it to tell a user whether anything may have changed
// when a later call fails.
func NoteChanges(ctx context.Context) (noted context.Context, changed func() bool) {
	var done atomic.Bool
	return context.WithValue(ctx, changedKey{}, &done), done.Load
}

// Alive returns nil if the store can accept a change, otherwise an error that says why it cannot.
func (s *Store) Alive(ctx context.Context) error { return s.db.Alive(ctx) }

// Size returns the size of the store.
func (s *Store) Size(ctx context.Context) (Size, error) { return s.db.Size(ctx) }

// ObserveCommits sets a function that is called after every commit and every failed attempt to commit, with the
// duration of the transaction and the error. The function must return quickly, because commits wait for it.
func (s *Store) ObserveCommits(f func(took time.Duration, err error)) {
	s.db.Observe(func(took time.Duration, _ int, err error) { f(took, err) })
}

// Close stops the background jobs, finishes pending calls, and refuses later ones with ErrClosed. It may be called
// again.
func (s *Store) Close() error {
	s.runner.close()
	return s.db.Close()
}

// Dump calls f with all pairs in one snapshot, including index entries.
func (s *Store) Dump(ctx context.Context, f func(at kv.Key, value []byte) error) error {
	return eachPair(ctx, s.db, f)
}
