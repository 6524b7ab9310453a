package table

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"marque/bot/timesource"
	"marque/storage"
)

const (
	// firstPause is the shortest and longestPause the longest pause of a table after a failure. The pause doubles each
	// time.
	firstPause   = time.Second
	longestPause = 5 * time.Minute
	// scoutPause is how often, while jobs are failing, the one that was tried longest ago is tried before its own
	// pause is over. If its work succeeds, all failing jobs are tried, because the cause of the failures has
	// probably gone.
	scoutPause = 10 * time.Second
	// maxJobs is the maximum number of tables in the queue's memory. Further tables stay in the store, and are fetched
	// when there is room.
	maxJobs = 4096
	// pendingPage is the number of tables in each read from the store.
	pendingPage = 256
)

// queue does the work that follows a commit, for each table, at least once, even after a crash. The store lists all
// waiting tables, and memory holds the next ones. Failed work is tried again, except after a *PermanentError or a
// *FrozenError.
type queue struct {
	work     func(ctx context.Context, j *job) error // the work for a table; set by start
	pending  func(ctx context.Context, after ID, limit int) ([]ID, error)
	log      *slog.Logger
	clock    timesource.Clock
	workers  int
	patience time.Duration // time limit for one table's work

	mu       sync.Mutex
	jobs     map[ID]*job
	ready    []*job // jobs that a worker can take, in order
	left     bool   // the store may list waiting tables that are not in jobs, so it must be read
	fetched  ID     // tables up to this id have been fetched
	missed   bool   // tables may have been left out of this round of reading, so another follows
	polling  bool   // tables read in this round are polled; see fetch
	closing  bool
	idle     chan struct{} // closed when the queue is closing and no job is ready or running
	running  int
	fetching bool          // a worker is reading the store, or will do so after a pause
	scouting bool          // a call of scout is scheduled
	wake     chan struct{} // receives a value when ready may have grown
	ctx      context.Context
	cancel   context.CancelFunc
	wg       sync.WaitGroup
	started  bool
}

// job is a table that may need work after a commit.
type job struct {
	id        ID
	state     jobState
	again     bool // poke was called while the job was running
	fetched   bool // read from the store; false after poke
	pause     time.Duration
	tried     time.Time           // time of the last failure
	stop      func()              // stops the timer of the pause
	held      bool                // the pause is intended, see heldError
	polled    bool                // read from the store in a round of polling; false after poke
	since     time.Time           // time of the oldest unpublished event; if unknown, of the job's beginning
	published storage.Publication // last publication, which may not be marked in the store
}

type jobState uint8

const (
	jobReady jobState = iota
	jobRunning
	jobPausing
)

func newQueue(c Config) *queue {
	q := &queue{
		pending: c.Store.Pending, log: c.Log, clock: c.Clock, workers: c.Workers, patience: c.Patience,
		jobs: map[ID]*job{},
		idle: make(chan struct{}),
		wake: make(chan struct{}, c.Workers),
	}
	q.ctx, q.cancel = context.WithCancel(context.Background())
	return q
}

// start sets the function that does a table's work, and starts the workers.
func (q *queue) start(work func(context.Context, *job) error) {
	q.mu.Lock()
	q.work, q.started, q.left = work, true, true
	q.mu.Unlock()
	for range q.workers {
		q.wg.Go(q.run)
	}
	q.signal()
}

// poke makes a table's job ready. A pausing job becomes ready immediately, and a running job runs once more. While a
// job is running, poke changes only its field again.
func (q *queue) poke(id ID) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.add(id)
}

func (q *queue) add(id ID) {
	j := q.jobs[id]
	switch {
	case j == nil && len(q.jobs) >= maxJobs:
		q.left, q.missed = true, true
		return
	case j == nil:
		j = &job{id: id, since: q.clock.Now()}
		q.jobs[id] = j
	case j.state == jobRunning:
		j.again = true
		return
	case j.state == jobReady:
		j.fetched, j.polled = false, false
		return
	default:
		j.stop()
	}
	j.fetched, j.polled = false, false
	q.enqueue(j)
}

// enqueue adds a job to the ready ones. The caller holds the lock.
func (q *queue) enqueue(j *job) {
	j.state = jobReady
	q.ready = append(q.ready, j)
	q.signal()
}

func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

func (q *queue) run() {
	for {
		j := q.next()
		if j == nil {
			select {
			case <-q.wake:
				continue
			case <-q.ctx.Done():
				return
			}
		}
		q.finish(j, q.do(j))
	}
}

// next takes the first ready job; nil if there is none. If no job is ready and memory has room, next first fetches
// tables from the store.
func (q *queue) next() *job {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ctx.Err() != nil {
		return nil
	}
	if q.left && !q.fetching && !q.closing && len(q.ready) == 0 && len(q.jobs) <= maxJobs/2 {
		q.fetching = true
		after := q.fetched
		q.mu.Unlock()
		ids, err := q.pending(q.ctx, after, pendingPage)
		q.mu.Lock()
		q.arrived(ids, err)
	}
	if len(q.ready) == 0 {
		q.settle()
		return nil
	}
	j := q.ready[0]
	q.ready = q.ready[1:]
	j.state = jobRunning
	q.running++
	if len(q.ready) > 0 {
		q.signal()
	}
	return j
}

// arrived adds a page of pending tables from the store. The caller holds the lock.
func (q *queue) arrived(ids []ID, err error) {
	if err != nil {
		if q.ctx.Err() == nil {
			q.log.Error("the outbox cannot be read; trying again", "error", err)
		}
		time.AfterFunc(firstPause, func() {
			q.mu.Lock()
			defer q.mu.Unlock()
			q.fetching = false
			q.signal()
		})
		return
	}
	q.fetching = false
	for _, id := range ids {
		q.fetched = id
		if q.jobs[id] == nil {
			q.add(id)
			if j := q.jobs[id]; j != nil {
				j.fetched, j.polled = true, q.polling
			}
		}
	}
	if len(ids) == pendingPage {
		q.signal()
		return
	}
	// This was the last page of the round. If tables were left out during it, another round follows.
	q.left, q.fetched, q.missed = q.missed, 0, false
	if q.left {
		q.signal()
	}
}

// settle closes idle if the queue is closing and no job is running. The caller holds the lock, and no job is ready.
func (q *queue) settle() {
	if q.closing && q.running == 0 {
		select {
		case <-q.idle:
		default:
			close(q.idle)
		}
	}
}

// finish ends a job, or schedules its next attempt.
func (q *queue) finish(j *job, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.running--
	again := j.again
	j.again = false
	if again {
		j.fetched, j.polled = false, false
	}
	permanent := (*PermanentError)(nil)
	frozen := (*FrozenError)(nil)
	held := (*heldError)(nil)
	j.held = errors.As(err, &held) && !again && !q.closing
	switch {
	case j.held:
		j.pause = 0
		q.wait(j, func(f func()) func() { return q.clock.AfterFunc(held.wait, f) })
	case held != nil:
		q.enqueue(j)
	case err == nil:
		if j.pause > 0 { // other jobs may have failed for the same reason, such as an outage of Discord
			q.resumeAll()
		}
		if j.pause, j.since = 0, q.clock.Now(); again {
			q.enqueue(j)
		} else {
			delete(q.jobs, j.id)
		}
	case q.closing, q.ctx.Err() != nil:
		// The table is still pending in the store, for the next start.
		delete(q.jobs, j.id)
	case errors.As(err, &permanent), errors.As(err, &frozen):
		q.log.Warn("news of a table are kept for later", "table", j.id.String(), "error", err)
		if again {
			q.enqueue(j)
			break
		}
		delete(q.jobs, j.id)
	default:
		j.pause, j.tried = min(max(2*j.pause, firstPause), longestPause), time.Now()
		q.lookOut()
		q.log.Warn("news of a table could not be published; trying again", "table", j.id.String(), "error", err,
			"pause", j.pause)
		q.wait(j, func(f func()) func() {
			t := time.AfterFunc(j.pause, f)
			return func() { t.Stop() }
		})
	}
	if q.left {
		q.signal()
	}
	if len(q.ready) == 0 {
		q.settle()
	}
}

// wait makes a job pause until a timer fires. The caller holds the lock.
func (q *queue) wait(j *job, after func(f func()) (stop func())) {
	j.state = jobPausing
	j.stop = after(func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if q.jobs[j.id] == j && j.state == jobPausing {
			q.enqueue(j)
		}
	})
}

// heldError is returned when a table's events wait on purpose. It has the time for which they wait.
type heldError struct{ wait time.Duration }

func (e *heldError) Error() string { return "held back for " + e.wait.String() }

// stopping reports whether the queue is closing and only finishes the remaining work.
func (q *queue) stopping() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.closing
}

// lookOut schedules a call of scout. The caller holds the lock.
func (q *queue) lookOut() {
	if !q.scouting {
		q.scouting = true
		time.AfterFunc(scoutPause, q.scout)
	}
}

// failing reports whether a job pauses because its last run failed; false while the queue is closing.
func (q *queue) failing(j *job) bool { return j.state == jobPausing && !j.held && !q.closing }

// scout makes one failing job ready: the one that was tried longest ago.
func (q *queue) scout() {
	q.mu.Lock()
	defer q.mu.Unlock()
	var next *job
	for _, j := range q.jobs {
		if q.failing(j) && (next == nil || j.tried.Before(next.tried)) {
			next = j
		}
	}
	if q.scouting = false; next != nil {
		next.stop()
		q.enqueue(next)
		q.lookOut()
	}
}

// resume makes all jobs ready that pause because of a failure: the store, which may have been the cause, works again.
func (q *queue) resume() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.resumeAll()
}

// resumeAll makes all jobs ready that pause because of a failure. The caller holds the lock.
func (q *queue) resumeAll() {
	for _, j := range q.jobs {
		if q.failing(j) {
			j.stop()
			j.pause = 0
			q.enqueue(j)
		}
	}
}

// oldest returns the number of tables in memory, whose events may be unpublished, and how long the oldest has waited.
func (q *queue) oldest() (n int, age time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.clock.Now()
	for _, j := range q.jobs {
		age = max(age, now.Sub(j.since))
	}
	return len(q.jobs), age
}

// came records the time of a table's oldest unpublished event. An event that was left in the store is older than its
// job.
func (q *queue) came(j *job, at time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if at.Before(j.since) {
		j.since = at
	}
}

// do does the work that follows a commit at the table of a job. Later commits queue the table again.
func (q *queue) do(j *job) error {
	ctx, cancel := context.WithTimeout(q.ctx, q.patience)
	defer cancel()
	return q.work(ctx, j)
}

// close finishes the ready, running and held jobs until ctx ends, and stops the workers. It returns ctx's error if ctx
// ends first.
func (q *queue) close(ctx context.Context) error {
	q.mu.Lock()
	started := q.started
	if !q.closing {
		q.closing = true
		for id, j := range q.jobs {
			if j.state != jobPausing {
				continue
			}
			j.stop()
			if j.held {
				q.enqueue(j)
			} else { // the job has failed, and waits for the next start
				delete(q.jobs, id)
			}
		}
		if q.running == 0 && len(q.ready) == 0 {
			q.settle()
		}
	}
	q.mu.Unlock()
	var err error
	if started {
		select {
		case <-q.idle:
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	q.cancel()
	q.wg.Wait()
	return err
}

// fetch starts another reading of the waiting tables from the store. If polled is true, tables whose channel
// refused events are left out, because they are tried again later. It does nothing before start and after close.
func (q *queue) fetch(polled bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.started || q.closing {
		return
	}
	if !q.left {
		q.left, q.fetched, q.polling = true, 0, polled
	} else {
		q.missed, q.polling = true, q.polling && polled
	}
	q.signal()
}
