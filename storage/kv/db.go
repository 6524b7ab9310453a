package kv

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// groupWorks bounds how many works share a transaction.
	groupWorks = 256
	// groupLocks bounds how many locks a group takes: a database server has room for some thousand of all its clients.
	groupLocks = 128
	// mostRuns bounds how often a group is run where others get in its way.
	mostRuns = 10
	// againPause is how long at most a group waits before its second run; twice as long before the third, and so on.
	againPause = 10 * time.Millisecond
)

// DB is an engine with a queue: works that wait at the same time share a transaction. Its methods may be called by many
// goroutines at once.
//
// There is no goroutine of its own: the first caller that finds a turn free takes it, and carries out the queued works,
// its own and all others. That saves a lone caller the way to another goroutine and back. Only a caller that may leave
// early, see WithPatience, has a goroutine lead in its place.
type DB struct {
	engine   Engine
	observer atomic.Pointer[Observer]

	mu      sync.Mutex
	waiting []*op         // in the order in which they came
	groups  int           // under way
	held    map[Lock]bool // by those groups
	failed  error         // of the disk, in the last commit; nil when it took that
	closing bool
	under   sync.WaitGroup // views, works and what else uses the engine; nothing begins once closing is set
	once    sync.Once
}

// op is a work in the queue.
type op struct {
	work  Work
	taken bool          // by a group, which answers it
	left  bool          // its caller has gone, and it is not to be run
	begun bool          // it was run, and may be committed
	lead  chan struct{} // receives when it may take the turn
	done  chan answer   // receives once
}

// answer is the outcome of a work.
type answer struct {
	err      error
	panicked any // unless nil, what its Run panicked with
}

// New is a DB on an engine, which Close closes.
func New(engine Engine) *DB { return &DB{engine: engine, held: map[Lock]bool{}} }

// enter is called before the engine is used, and leave afterwards. It returns ErrClosed, or ctx's error.
func (d *DB) enter(ctx context.Context) (leave func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closing {
		return nil, ErrClosed
	}
	d.under.Add(1)
	return d.under.Done, nil
}

// View runs read on one consistent state, which holds as long as read runs. It returns read's
// error, ctx's error when ctx ended before, ErrClosed, or why the store cannot be read.
func (d *DB) View(ctx context.Context, read func(r Reader) error) error {
	leave, err := d.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	ctx, stop := d.silence(ctx)
	defer stop()
	err = d.engine.View(ctx, read)
	if err != nil && isSilent(ctx) {
		return &UnreachableError{Err: ErrSilent}
	}
	return err
}

// Update does a work and returns when it is committed. When ctx ends before the work's group is
// made up, nothing has been done and ctx's error is returned; after that the outcome is waited for.
// It returns what Run refused the work with, ErrNotOwner, ErrClosed, or the error of the engine, see
// Engine: nothing was changed then, but for the two errors named there.
func (d *DB) Update(ctx context.Context, work Work) error {
	leave, err := d.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	silent, stop := d.silence(ctx)
	defer stop()
	o := &op{work: work, lead: make(chan struct{}, 1), done: make(chan answer, 1)}
	d.mu.Lock()
	d.waiting = append(d.waiting, o)
	d.mu.Unlock()
	lead := d.lead
	if silent != ctx { // whoever leads a group cannot leave it
		lead = func(o *op) { d.under.Go(func() { d.lead(o) }) }
	}
	lead(o)
	for {
		select {
		case a := <-o.done:
			if a.panicked != nil {
				panic(a.panicked)
			}
			return a.err
		case <-o.lead:
			lead(o)
		case <-silent.Done():
			if isSilent(silent) {
				return &UnreachableError{Unsure: !d.forsake(o), Err: ErrSilent}
			}
			if d.withdraw(o) {
				return ctx.Err()
			}
			silent = context.WithoutCancel(ctx)
		}
	}
}

// withdraw takes a work out of the queue, unless a group has it.
func (d *DB) withdraw(o *op) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if o.taken {
		return false
	}
	d.waiting = slices.DeleteFunc(d.waiting, func(other *op) bool { return other == o })
	d.call() // it may have been the one that was called
	return true
}

// forsake takes a work out of the queue, or out of a group that has not run it yet. It reports whether the work is
// certainly not done.
func (d *DB) forsake(o *op) bool {
	if d.withdraw(o) {
		return true
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	o.left = !o.begun
	return o.left
}

// start reports whether to run a work.
func (d *DB) start(o *op) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	o.begun = !o.left
	return o.begun
}

// lead has the caller of a work that is still in the queue carry out what has queued up, if a turn is free.
func (d *DB) lead(o *op) {
	d.mu.Lock()
	var group []*op
	if !o.taken {
		group = d.gather()
	}
	d.call()
	d.mu.Unlock()
	if group == nil {
		return
	}
	d.commit(group)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.groups--
	for _, o := range group {
		for _, l := range o.work.Locks {
			delete(d.held, l)
		}
	}
	d.call()
}

// gather takes the works of the next group out of the queue; nil when none may begin. A work waits
// for those before it and for groups under way that have a lock in common with it: waiting here is
// cheaper than on a connection. d.mu is held.
func (d *DB) gather() (group []*op) {
	if d.groups == d.engine.Parallel() {
		return nil
	}
	locks, blocked := map[Lock]bool{}, map[Lock]bool{}
	rest := d.waiting[:0]
	for i, o := range d.waiting {
		if len(group) == groupWorks || len(locks) >= groupLocks {
			rest = append(rest, d.waiting[i:]...)
			break
		}
		if d.isHeld(o.work.Locks, blocked) {
			for _, l := range o.work.Locks {
				blocked[l] = true
			}
			rest = append(rest, o)
			continue
		}
		for _, l := range o.work.Locks {
			locks[l] = true
		}
		o.taken = true
		group = append(group, o)
	}
	clear(d.waiting[len(rest):])
	d.waiting = rest
	if group != nil {
		d.groups++
		for l := range locks {
			d.held[l] = true
		}
	}
	return group
}

func (d *DB) isHeld(locks []Lock, blocked map[Lock]bool) bool {
	for _, l := range locks {
		if d.held[l] || blocked[l] {
			return true
		}
	}
	return false
}

// call has the first work that may begin take a turn that is free. d.mu is held.
func (d *DB) call() {
	if d.groups == d.engine.Parallel() {
		return
	}
	for _, o := range d.waiting {
		if d.isHeld(o.work.Locks, nil) {
			continue
		}
		select {
		case o.lead <- struct{}{}:
		default: // it was called already
		}
		return
	}
}

// commit carries out a group and answers its works, all at the end: a work may have been refused for
// what another one of the group has just written.
func (d *DB) commit(group []*op) {
	var answers []answer
	var err error
	for runs := 1; ; runs++ {
		answers, err = d.attempt(group)
		again := (*AgainError)(nil)
		if !errors.As(err, &again) {
			break
		}
		if err = again.Err; runs == mostRuns {
			break
		}
		time.Sleep(rand.N(time.Duration(runs) * againPause))
	}
	if len(group) > 1 && (errors.Is(err, ErrCrowded) || errors.Is(err, ErrDamaged)) {
		// Each half has room for its locks, and works that have nothing to do with the damage get through.
		half := len(group) / 2
		d.commit(group[:half])
		d.commit(group[half:])
		return
	}
	for i, o := range group {
		switch {
		case answers != nil && answers[i].panicked != nil:
			o.done <- answers[i]
		case err != nil: // the things that a work was refused for may not be there
			o.done <- answer{err: err}
		default:
			o.done <- answers[i]
		}
	}
}

// attempt runs a group once. The answers are those of the works if err, the engine's error, is nil.
func (d *DB) attempt(group []*op) (answers []answer, err error) {
	ctx := context.Background()
	began := time.Now()
	var locks []Lock
	var fences []Fence
	wants := make([]Want, len(group))
	for i, o := range group {
		locks = append(locks, o.work.Locks...)
		if f := o.work.Fence; f != (Fence{}) && !slices.Contains(fences, f) {
			fences = append(fences, f)
		}
		wants[i] = o.work.Want
	}
	slices.Sort(locks)
	tx, held, err := d.engine.Begin(ctx, slices.Compact(locks), fences, wants)
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	answers = make([]answer, len(group))
	state := newOverlay()
	for i, o := range group {
		if f := o.work.Fence; f != (Fence{}) && !held[slices.Index(fences, f)] {
			answers[i].err = ErrNotOwner
			continue
		}
		if !d.start(o) {
			answers[i].err = ErrSilent // nobody hears it
			continue
		}
		var w *writer
		fresh := func() Writer {
			w = &writer{base: tx, overlay: state.copy()}
			return w
		}
		answers[i] = d.run(o.work, fresh)
		if w != nil && w.failed != nil {
			return nil, w.failed
		}
		if answers[i] == (answer{}) {
			state = w.overlay
		}
	}
	changes := state.changes()
	if len(changes) == 0 {
		return answers, nil
	}
	err = tx.Commit(ctx, changes)
	d.note(err)
	if observe := d.observer.Load(); observe != nil {
		(*observe)(time.Since(began), len(group), err)
	}
	return answers, err
}

// note notes whether the disk took a commit. A full disk that took another commit may still be full: the commit may
// have fitted into free room. Only a trial ends the note, see Alive.
func (d *DB) note(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	before := (*DiskError)(nil)
	if errors.As(err, new(*DiskError)) {
		d.failed = err
	} else if !errors.As(d.failed, &before) || before.Problem != DiskFull {
		d.failed = nil
	}
}

// run runs a work on what fresh makes. A panic of the work is passed on to its own caller, which may
// be another one than the caller that leads the group.
func (d *DB) run(work Work, fresh func() Writer) (a answer) {
	defer func() {
		if r := recover(); r != nil {
			a.panicked = r
		}
	}()
	if o, ok := d.engine.(Overseer); ok {
		return answer{err: o.Run(work, fresh)}
	}
	return answer{err: work.Run(fresh())}
}

// Observe has an observer told of every group from now on.
func (d *DB) Observe(f Observer) { d.observer.Store(&f) }

// Alive returns nil once a work that writes nothing has had its turn, as any other would have it. When the disk did not
// take the last commit, or was full and has not passed a trial since, it has the engine try. It returns ErrClosed,
// ctx's error, or why nothing can be written.
func (d *DB) Alive(ctx context.Context) error {
	leave, err := d.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if err := d.Update(ctx, Work{Run: func(Writer) error { return nil }}); err != nil {
		return err
	}
	d.mu.Lock()
	failed := d.failed
	d.mu.Unlock()
	if failed == nil {
		return nil
	}
	if err := d.engine.Alive(ctx); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if errors.Is(d.failed, failed) {
		d.failed = nil
	}
	return nil
}

// Spaces lists the spaces that have keys, in their order.
func (d *DB) Spaces(ctx context.Context) ([]Space, error) {
	leave, err := d.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	return d.engine.Spaces(ctx)
}

// Size says how large the store is.
func (d *DB) Size(ctx context.Context) (Size, error) {
	leave, err := d.enter(ctx)
	if err != nil {
		return Size{}, err
	}
	defer leave()
	return d.engine.Size(ctx)
}

// Close carries out what was begun, refuses what comes later with ErrClosed, and closes the engine.
// It may be called more than once; it returns when the store is closed.
func (d *DB) Close() error {
	var err error
	d.once.Do(func() {
		d.mu.Lock()
		d.closing = true
		d.mu.Unlock()
		d.under.Wait()
		err = d.engine.Close()
	})
	return err
}
