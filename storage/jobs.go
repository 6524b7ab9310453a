package storage

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"marque/storage/kv"
)

// A job is background work whose duration grows with the store: recounting a server's leaderboards, forgetting a user,
// or deleting a server. The commit that requests a job also records it. A job runs in steps. Each step is a commit of
// limited size that also records the progress. Other commits can happen between steps, and an interrupted job continues
// later.
//
// If several processes share a store, one of them does a job. Another process takes the job over when it has seen no
// step for a while by its own clock, or as soon as the first process releases the job. After that, steps of the first
// process are refused. If one process uses the store alone, it does not wait.

// job is the stored state of a background job.
type job struct {
	kind WorkKind
	of   string
	done bool // set by the last step

	ID     uint64 `json:"i"` // random number of the latest request; a new request restarts the job
	Phase  int    `json:"p,omitempty"`
	After  []byte `json:"a,omitempty"` // position that this phase has reached
	As     string `json:"n,omitempty"` // name that replaces the id of a forgotten user
	Upto   ID     `json:"t,omitempty"` // the last table to delete
	Worker uint64 `json:"w,omitempty"` // process that does the job; 0 for none
	Beat   uint64 `json:"b,omitempty"` // increases with every step
}

var jobs = declare(kind[job]{
	layout: layout{"jobs", []*part{byName, byOf}},
	what:   "how far the work {name} of {of} is",
	of:     unowned,
	locks:  []lock{workLock},
	fill:   func(k key, j *job) { j.kind, j.of = WorkKind(k.name), k.of },
	forget: nobodyIn[job], // a forgotten user's id is in the key until the job is finished
})

func jobKey(kind WorkKind, of string) key { return key{name: string(kind), of: of} }

func (j job) key() key { return jobKey(j.kind, j.of) }

// Errors of a step.
var (
	errAgain = errors.New("the job was asked for again")
	errGone  = errors.New("the job was taken back, or another process does it")
)

// request records a job, or requests it again if it is already recorded. The transaction must hold the lock workLockOf.
func (t *txn) request(j job) error {
	if err := t.need(workLockOf(j.kind)); err != nil {
		return err
	}
	j.ID = rand.Uint64()
	return jobs.put(t, j.key(), j)
}

func workLockOf(kind WorkKind) kv.Lock { return workLock.of(key{name: string(kind)}) }

// jobRunner runs the jobs of a store.
type jobRunner struct {
	run    map[WorkKind]func(context.Context, job) error
	me     uint64 // identifies this process among all processes that have the store open
	alone  bool   // whether no other process can have the store open
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
	pause  func(ctx context.Context, took time.Duration) // waits between two steps

	mu     sync.Mutex
	news   chan struct{}  // closed when a job is requested, ends or fails
	failed map[key]error  // errors of failed jobs, until the jobs are retried
	seen   map[key]others // latest state of jobs that other processes do
}

// others is the last state of another process's job that this process has seen.
type others struct {
	worker, beat uint64
	since        time.Time
}

const (
	// retryAfter is the time until failed jobs are retried.
	retryAfter = time.Minute
	// silentFor is the time without a step after which another process takes a job over.
	silentFor = time.Minute
	// lookAgain is the interval between two checks of other processes' jobs.
	lookAgain = time.Second
	// releaseWithin limits the time that a stopping process spends on releasing its jobs.
	releaseWithin = 2 * time.Second
)

func newJobRunner(s *Store) *jobRunner {
	l := &jobRunner{
		me: rand.Uint64() | 1, alone: s.engine.Parallel() == 1, news: make(chan struct{}), failed: map[key]error{},
		seen:  map[key]others{},
		pause: giveWay,
	}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	l.run = map[WorkKind]func(context.Context, job) error{
		Recounting: s.recount, Forgetting: s.forget, Deleting: s.deleteGuild,
	}
	return l
}

// giveWay pauses three times as long as the last step took, so that a job uses a quarter of the time at most.
func giveWay(ctx context.Context, took time.Duration) {
	if took <= 0 { // in a test whose clock stands still
		return
	}
	select {
	case <-time.After(3 * took):
	case <-ctx.Done():
	}
}

// start starts a goroutine for each kind of job. The goroutine runs the jobs of its kind one after another, including
// those of earlier processes.
func (l *jobRunner) start(s *Store) {
	for kind, run := range l.run {
		l.wg.Go(func() {
			for l.ctx.Err() == nil {
				s.runNext(kind, run)
			}
			if !l.alone {
				s.release(kind)
			}
		})
	}
}

// runNext runs the first waiting job of a kind. If there is none, it waits until a job changes or it is time to look
// again.
func (s *Store) runNext(kind WorkKind, run func(context.Context, job) error) {
	l := s.runner
	news := l.watch()
	j, found, failed := s.nextJob(kind)
	if found {
		err := s.step(l.ctx, &j, func(_ *txn, j *job) error { j.Worker = l.me; return nil })
		if err == nil {
			err = run(l.ctx, j)
		}
		if errors.Is(err, errAgain) || errors.Is(err, errGone) {
			err = nil
		}
		if l.ctx.Err() == nil {
			l.report(j.key(), err)
		}
		return
	}
	var again <-chan time.Time
	switch {
	case failed:
		again = time.After(retryAfter)
	case !l.alone:
		again = time.After(lookAgain)
	}
	select {
	case <-news:
	case <-again:
		if failed {
			l.retryFailed(kind)
		}
	case <-l.ctx.Done():
	}
}

// nextJob returns the first job of a kind that this process may do and that is not waiting for a retry. If there is
// none, failed reports whether a job waits for a retry or could not be read.
func (s *Store) nextJob(kind WorkKind) (next job, found, failed bool) {
	err := s.view(s.runner.ctx, func(r kv.Reader) error {
		pairs, err := r.Scan(jobs.under(jobKey(kind, ""), 1), kv.Ascending, scanPage)
		if err != nil {
			return err
		}
		for _, p := range pairs {
			k, _ := jobs.parse(p.Key)
			j, err := jobs.open(k, p.Value)
			if err != nil || s.runner.failure(k) != nil {
				failed = true
				continue
			}
			if !s.runner.mine(j) {
				continue
			}
			if kind == Recounting {
				if _, there, err := jobs.get(r, jobKey(Deleting, j.of)); err != nil || there {
					continue // the recount begins when the deletion has ended
				}
			}
			next, found = j, true
			return nil
		}
		return nil
	})
	return next, found, failed || err != nil
}

// mine reports whether this process may do a job: no other process does it, or the process that does it has made no
// step for silentFor.
func (l *jobRunner) mine(j job) bool {
	if l.alone || j.Worker == 0 || j.Worker == l.me {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if was := l.seen[j.key()]; was.worker != j.Worker || was.beat != j.Beat {
		l.seen[j.key()] = others{j.Worker, j.Beat, time.Now()}
		return false
	}
	return time.Since(l.seen[j.key()].since) > silentFor
}

// watch returns a channel that is closed when a job is next requested, ends or fails.
func (l *jobRunner) watch() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.news
}

// report notifies waiting goroutines that a job was requested or has ended. A non-nil err says that it has failed.
func (l *jobRunner) report(k key, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.seen, k)
	if delete(l.failed, k); err != nil {
		l.failed[k] = err
	}
	close(l.news)
	l.news = make(chan struct{})
}

func (l *jobRunner) failure(k key) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failed[k]
}

// retryFailed lets failed jobs of a kind be retried.
func (l *jobRunner) retryFailed(kind WorkKind) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for k := range l.failed {
		if k.name == string(kind) {
			delete(l.failed, k)
		}
	}
}

// release gives up this process's jobs of a kind, so that another process can take them over immediately. If release
// fails, another process takes them over after silentFor.
func (s *Store) release(kind WorkKind) {
	ctx, cancel := context.WithTimeout(context.Background(), releaseWithin)
	defer cancel()
	_ = s.update(ctx, work{locks: []kv.Lock{workLockOf(kind)}, run: func(t *txn) error {
		list, err := jobs.scan(t, jobs.under(jobKey(kind, ""), 1), kv.Ascending, scanPage)
		for _, f := range list {
			if err == nil && f.value.Worker == s.runner.me {
				f.value.Worker = 0
				err = jobs.put(t, f.key, f.value)
			}
		}
		return err
	}})
}

func (l *jobRunner) close() {
	l.cancel()
	l.wg.Wait()
}

// step commits one step of a job: the changes of f and the job's progress. locks are additional locks for f, which may
// be called more than once. step returns errAgain if the job was requested again, and errGone if it no longer exists or
// another process does it.
func (s *Store) step(ctx context.Context, j *job, f func(*txn, *job) error, locks ...kv.Lock) error {
	begun := time.Now()
	var now job
	err := s.update(ctx, work{locks: append(locks, workLockOf(j.kind)), run: func(t *txn) error {
		now = *j
		stored, there, err := jobs.get(t, j.key())
		switch {
		case err != nil:
			return err
		case !there, stored.Worker != j.Worker:
			return errGone
		case stored.ID != j.ID:
			return errAgain
		}
		if err := f(t, &now); err != nil {
			return err
		}
		if now.done {
			return jobs.delete(t, j.key())
		}
		now.Beat = stored.Beat + 1
		return jobs.put(t, j.key(), now)
	}})
	if err != nil {
		return err
	}
	if *j = now; !j.done {
		s.runner.pause(ctx, time.Since(begun))
	}
	return nil
}

// ask requests a job. first runs in the same transaction, which holds locks, and can change the requested job j.
// before is the job that is already recorded, or nil.
func (s *Store) ask(ctx context.Context, j job, first func(t *txn, j, before *job) error, locks ...kv.Lock) error {
	err := s.update(ctx, work{locks: append(locks, workLockOf(j.kind)), run: func(t *txn) error {
		j := j // first may run more than once
		var before *job
		if b, there, err := jobs.get(t, j.key()); err != nil {
			return err
		} else if there {
			before = &b
		}
		if err := first(t, &j, before); err != nil {
			return err
		}
		return t.request(j)
	}})
	if err == nil {
		s.runner.report(j.key(), nil)
	}
	return err
}

// Works lists unfinished jobs, at most scanPage of them, in no particular order.
func (s *Store) Works(ctx context.Context) ([]Work, error) {
	var list []Work
	err := s.view(ctx, func(r kv.Reader) error {
		pairs, err := r.Scan(kv.Range{Space: jobs.space}, kv.Ascending, scanPage)
		for _, p := range pairs {
			if k, ok := jobs.parse(p.Key); ok {
				list = append(list, Work{Kind: WorkKind(k.name), Of: k.of})
			}
		}
		return err
	})
	return list, err
}

// UnderWay reports whether a job is recorded and unfinished.
func (s *Store) UnderWay(ctx context.Context, w Work) (found bool, err error) {
	err = s.view(ctx, func(r kv.Reader) error {
		raw, err := r.Get(jobs.key(jobKey(w.Kind, w.Of)))
		found = err == nil && raw[0] != nil
		return err
	})
	return found, err
}

// Finished waits until a job is done. It returns immediately if there is no such job. It returns ctx's error,
// ErrClosed, or the job's latest error; a failed job is retried later.
func (s *Store) Finished(ctx context.Context, w Work) error {
	for {
		news := s.runner.watch()
		if found, err := s.UnderWay(ctx, w); !found || err != nil {
			return err
		}
		if err := s.runner.failure(jobKey(w.Kind, w.Of)); err != nil {
			return err
		}
		var again <-chan time.Time
		if !s.runner.alone {
			again = time.After(lookAgain)
		}
		select {
		case <-news:
		case <-again:
		case <-s.runner.ctx.Done():
			return ErrClosed
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
