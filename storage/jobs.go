package storage

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"marque/storage/kv"
)

// A job is work that takes time in proportion to the store: recounting a server's leaderboards, forgetting a user,
// deleting a server. The commit that requests a job also records the job. A job runs in the background in steps. Each
// step is a commit of limited size that also records the progress. Other commits can happen between steps, and an
// interrupted job continues later.
//
// If several processes share the store, one of them does a job. Another process takes over when it has seen no step for
// a while by its own clock, or immediately after the first has released the job. From then on the first process's steps
// are refused. A process that has the store alone does not wait.

// job is the stored form of a job.
type job struct {
	kind WorkKind
	of   string
	done bool // set by the running step

	ID     uint64 `json:"i"`           // number of the latest request; a change restarts a running job
	Phase  int    `json:"p,omitempty"` // the job's phase
	After  []byte `json:"a,omitempty"` // the key that this phase has reached
	As     string `json:"n,omitempty"` // the name that replaces a forgotten user
	Upto   ID     `json:"t,omitempty"` // the last table to delete
	Worker uint64 `json:"w,omitempty"` // the process that does the job
	Beat   uint64 `json:"b,omitempty"` // increases with every step
}

var jobs = declare(kind[job]{
	layout: layout{"jobs", []*part{byName, byOf}},
	what:   "how far the work {name} of {of} is",
	of:     unowned,
	locks:  []lock{workLock},
	fill:   func(k key, j *job) { j.kind, j.of = WorkKind(k.name), k.of },
	forget: nobodyIn[job], // a forgotten user's id is part of the key while the job is unfinished
})

func jobKey(kind WorkKind, of string) key { return key{name: string(kind), of: of} }

func (j job) key() key { return jobKey(j.kind, j.of) }

// Errors of a step.
var (
	errAgain = errors.New("the job was asked for again")
	errGone  = errors.New("the job was taken back, or another process does it")
)

// request records a job, or requests it again if it is already recorded. The transaction holds the job's lock,
// workLockOf.
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
	me     uint64 // identifies this process among those that have the store open
	alone  bool   // no other process can have the store open
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
	pause  func(ctx context.Context, took time.Duration) // waits between two steps

	mu     sync.Mutex
	news   chan struct{}  // closed when a job was requested, has ended or has failed
	failed map[key]error  // failed jobs, until they are retried
	seen   map[key]others // jobs of other processes
}

// others is the latest sign of life of another process's job.
type others struct {
	worker, beat uint64
	since        time.Time
}

const (
	// retryAfter is the time until a failed job is retried.
	retryAfter = time.Minute
	// silentFor is the time without a step after which another process takes over a job.
	silentFor = time.Minute
	// lookAgain is the interval between two checks of other processes' jobs.
	lookAgain = time.Second
	// releaseWithin limits how long a stopping process takes to release its jobs.
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

// giveWay pauses three times as long as the step took. So three of four other transactions do not have to wait for a
// step.
func giveWay(ctx context.Context, took time.Duration) {
	if took <= 0 { // in a test with a stopped clock
		return
	}
	select {
	case <-time.After(3 * took):
	case <-ctx.Done():
	}
}

// start runs the jobs, including those left by an earlier process: one job of each kind at a time.
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

// runNext runs the first waiting job of a kind, or waits for one.
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
			l.tell(j.key(), err)
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

// nextJob returns the first job of a kind that this process may do and that has not just failed. If there is none, it
// reports whether some job has failed.
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
					continue // the recount starts when the deletion is done
				}
			}
			next, found = j, true
			return nil
		}
		return nil
	})
	return next, found, failed || err != nil
}

// mine reports whether this process may do a job: no other process does it, or the other process has been silent for
// too long.
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

// watch returns a channel that is closed at the next news.
func (l *jobRunner) watch() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.news
}

// tell announces that a job was requested or has ended, or, with an error, that it has failed.
func (l *jobRunner) tell(k key, err error) {
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

// retryFailed allows failed jobs of a kind to be retried.
func (l *jobRunner) retryFailed(kind WorkKind) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for k := range l.failed {
		if k.name == string(kind) {
			delete(l.failed, k)
		}
	}
}

// release gives up this process's jobs of a kind, so that another process takes them over immediately. If release
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

// step commits one step of a job: the changes of f and the job's progress. locks are further locks for f. step returns
// errAgain if the job was requested again, and errGone if the job no longer exists. f may be called more than once.
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

// ask requests a job. first runs in the same transaction, which holds locks; before is the same job if it is already
// recorded, else nil.
func (s *Store) ask(ctx context.Context, j job, first func(t *txn, j, before *job) error, locks ...kv.Lock) error {
	err := s.update(ctx, work{locks: append(locks, workLockOf(j.kind)), run: func(t *txn) error {
		j := j // the function may run more than once
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
		s.runner.tell(j.key(), nil)
	}
	return err
}

// Works lists the unfinished jobs, in no particular order.
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

// UnderWay reports whether a job is unfinished.
func (s *Store) UnderWay(ctx context.Context, w Work) (found bool, err error) {
	err = s.view(ctx, func(r kv.Reader) error {
		raw, err := r.Get(jobs.key(jobKey(w.Kind, w.Of)))
		found = err == nil && raw[0] != nil
		return err
	})
	return found, err
}

// Finished waits until a job is done. It returns immediately if there is no such job. It returns ctx's error,
// ErrClosed, or the job's latest error; the job is retried all the same.
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
