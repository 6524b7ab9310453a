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
	// groupWorks is the maximum number of Works in a group, which share a transaction.
	groupWorks = 256
	// groupLocks is the number of locks at which a group takes no further Works. A database server has room for a few
	// thousand locks of all its clients.
	groupLocks = 128
	// mostRuns is the maximum number of times that a group is run if other transactions interfere.
	mostRuns = 10
	// againPause limits the pause before a group is run for the second time. The limit grows with each further run.
	againPause = 10 * time.Millisecond
)

// DB is an engine with a queue of Works. Works that wait at the same time share a transaction. The methods of a DB are
// safe for concurrent use.
//
// DB has no goroutine that runs all the time. A caller that finds fewer groups running than the engine allows runs the
// queued Works itself: it leads. This saves a lone caller two switches between goroutines. For a caller that may give
// up early (WithPatience), another goroutine leads.
type DB struct {
	engine   Engine
	observer atomic.Pointer[Observer]

	mu      sync.Mutex
	waiting []*op         // queued Works, in order of arrival
	groups  int           // number of running groups
	held    map[Lock]bool // locks of all running groups
	failed  error         // latest disk error; nil if a later commit or trial has cleared it
	closing bool
	under   sync.WaitGroup // calls that use the engine; no new one begins once closing is set
	once    sync.Once
}

// op is a Work in the queue or in a group.
type op struct {
	work  Work
	taken bool          // whether a group has the Work, and will answer its caller
	left  bool          // whether the caller has given up, so that the Work must not run
	begun bool          // whether the Work has begun to run, and may be committed
	lead  chan struct{} // receives when the caller should try to lead
	done  chan answer   // receives the outcome
}

// answer is the outcome of a Work.
type answer struct {
	err      error
	panicked any // panic of the Work's Run; nil if there was none
}

// New returns a DB that uses an engine. Close of the DB closes the engine.
func New(engine Engine) *DB { return &DB{engine: engine, held: map[Lock]bool{}} }

// enter is called before each use of the engine, and returns a function to call after it. It returns ErrClosed, or
// ctx's error.
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

// View calls read with a consistent snapshot, which is valid until read returns. It returns read's error, ctx's error
// if ctx ended first, ErrClosed, or an error that says why the store cannot be read.
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

// Update runs a Work and returns when it is committed. If ctx ends before a group takes the Work, nothing is done and
// ctx's error is returned. If ctx ends later, Update waits for the outcome. It returns the error of Run, ErrNotOwner,
// ErrClosed, an *UnreachableError if WithPatience makes it give up, or the engine's error. An error means that nothing
// was changed, except for the two errors that leave this open (see Engine).
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
	if silent != ctx { // the caller may lose patience and return while its group runs
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

// withdraw removes a Work from the queue. It returns false if a group already has the Work.
func (d *DB) withdraw(o *op) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if o.taken {
		return false
	}
	d.waiting = slices.DeleteFunc(d.waiting, func(other *op) bool { return other == o })
	d.call() // the caller of the withdrawn Work may have been asked to lead
	return true
}

// forsake removes a Work from the queue, or from a group that has not run it yet. It reports whether the Work will
// certainly not be done.
func (d *DB) forsake(o *op) bool {
	if d.withdraw(o) {
		return true
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	o.left = !o.begun
	return o.left
}

// start records that a Work runs. It returns false if the Work must not run, because its caller has given up.
func (d *DB) start(o *op) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	o.begun = !o.left
	return o.begun
}

// lead takes the next group of Works from the queue and commits it. It takes none if no group can begin, or if a group
// already has the Work o. While another group can begin, lead asks the caller of a queued Work to lead it.
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

// gather takes the Works of the next group from the queue. It returns nil if no Work can begin. A Work waits while
// a running group, or an earlier Work that waits, has one of its locks, because waiting here is cheaper than
// waiting on a connection. The caller holds d.mu.
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

// call asks the caller of a queued Work to lead, if another group can run. It chooses the first Work whose locks are
// free. The caller of call holds d.mu.
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
		default: // already asked
		}
		return
	}
}

// commit runs a group and answers its Works only at the end. An earlier answer could be wrong: a Work may be refused
// because of a change by another Work that is never committed.
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
		// Each half needs fewer locks, and damage fails only the half that touches it.
		half := len(group) / 2
		d.commit(group[:half])
		d.commit(group[half:])
		return
	}
	for i, o := range group {
		switch {
		case answers != nil && answers[i].panicked != nil:
			o.done <- answers[i]
		case err != nil: // also for refused Works: the refusal may depend on changes that were not committed
			o.done <- answer{err: err}
		default:
			o.done <- answers[i]
		}
	}
}

// attempt runs a group once. It returns the engine's error. If there is none, the answers are final.
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
			answers[i].err = ErrSilent // its caller has given up
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

// note records whether the disk accepted a commit. Another error changes nothing. After the disk was full, a
// successful commit does not clear the record, because it may have used free pages. Only the trial in Alive clears
// it.
func (d *DB) note(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	before := (*DiskError)(nil)
	switch {
	case errors.As(err, new(*DiskError)):
		d.failed = err
	case err == nil && (!errors.As(d.failed, &before) || before.Problem != DiskFull):
		d.failed = nil
	}
}

// run runs a Work on a state from fresh. It records a panic of the Work, because the panic belongs to the Work's
// caller, and the leader can be another caller.
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

// Observe sets the observer of later groups, including those whose commit fails.
func (d *DB) Observe(f Observer) { d.observer.Store(&f) }

// Alive runs an empty Work like any other. If the disk has refused a commit and accepted none since, or was full and
// has not passed a trial since, Alive also tries the engine. It returns nil if this succeeds, and otherwise ErrClosed,
// ctx's error, or an error that says why nothing can be written.
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

// Spaces lists the spaces that have keys, sorted by name.
func (d *DB) Spaces(ctx context.Context) ([]Space, error) {
	leave, err := d.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	return d.engine.Spaces(ctx)
}

// Size returns the size of the store.
func (d *DB) Size(ctx context.Context) (Size, error) {
	leave, err := d.enter(ctx)
	if err != nil {
		return Size{}, err
	}
	defer leave()
	return d.engine.Size(ctx)
}

// Close finishes pending calls, refuses later ones with ErrClosed, and closes the engine. It returns when the store is
// closed, and may be called more than once.
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
