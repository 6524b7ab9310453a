package compete

import (
	"context"
	"errors"
	"sync"
	"time"

	"marque/bot/table"
	"marque/bot/timesource"
)

const (
	// atOnce is the maximum number of competitions that run in parallel.
	atOnce = 4
	// mostJobs is the maximum number of competitions that run or wait in memory. The sweep finds the rest again.
	mostJobs = 1024
	// firstPause and longestPause limit the delay before a competition is retried after a failure. It doubles with each
	// failure.
	firstPause   = time.Second
	longestPause = 5 * time.Minute
	// longestRefusal is the maximum delay before a retry after a *table.PermanentError.
	longestRefusal = time.Hour
	// scoutPause is the time after a failure until one failing competition is retried early. If the retry succeeds,
	// all failing competitions are retried, because the outage is probably over.
	scoutPause = 10 * time.Second
)

// workers run competitions: each on one worker at a time, and again after a delay if the run fails. Jobs need not be
// stored, because the stored competitions contain the remaining work.
type workers struct {
	work  func(ctx context.Context, id ID) error // set by start
	clock timesource.Clock

	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
	slots  chan struct{}

	mu       sync.Mutex
	started  bool
	scouting bool // set while a timer waits to call scout
	jobs     map[ID]*job
}

// job is a competition that runs, or waits for its next run.
type job struct {
	running bool
	again   bool // another run was requested during the current one
	failing bool // waits after a failure that can affect other competitions, such as an outage of Discord
	tried   time.Time
	pause   time.Duration
	stop    func() // stops the timer for the next run
}

func newWorkers(clock timesource.Clock) *workers {
	d := &workers{clock: clock, slots: make(chan struct{}, atOnce), jobs: map[ID]*job{}}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	return d
}

// start makes the workers run competitions with the given function.
func (d *workers) start(work func(context.Context, ID) error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.work, d.started = work, true
}

func (d *workers) close() {
	d.mu.Lock()
	d.started = false
	d.mu.Unlock()
	d.cancel()
	d.wg.Wait()
}

// poke requests a run of a competition. If the competition waits after a failure and something has changed, it runs
// immediately. A request that comes before start or after close, or when there are mostJobs others, is dropped.
func (d *workers) poke(id ID, changed bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	j := d.jobs[id]
	switch {
	case !d.started || j == nil && len(d.jobs) >= mostJobs:
		return
	case j == nil:
		j = &job{}
		d.jobs[id] = j
	case j.running:
		j.again = j.again || changed
		return
	case !changed:
		return
	default:
		j.stop()
	}
	d.begin(id, j)
}

// begin starts a job's run. The caller must hold the lock.
func (d *workers) begin(id ID, j *job) {
	j.running, j.failing = true, false
	d.wg.Go(func() {
		select {
		case d.slots <- struct{}{}:
			defer func() { <-d.slots }()
		case <-d.ctx.Done():
			return
		}
		for {
			err := d.work(d.ctx, id)
			if !d.done(id, j, err) {
				return
			}
		}
	})
}

// done schedules the next run of a competition after a run, and reports whether to run it again immediately.
func (d *workers) done(id ID, j *job, err error) (again bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	again, j.again = j.again, false
	if d.ctx.Err() != nil || !d.started {
		delete(d.jobs, id)
		return false
	}
	if err == nil && j.pause > 0 {
		j.pause = 0
		for other, o := range d.jobs {
			if o.failing {
				o.stop()
				o.pause = 0
				d.begin(other, o)
			}
		}
	}
	switch {
	case again:
		return true
	case err == nil:
		delete(d.jobs, id)
		return false
	}
	longest, refused := longestPause, errors.As(err, new(*table.PermanentError))
	if refused {
		longest = longestRefusal
	}
	j.pause, j.tried = min(max(2*j.pause, firstPause), longest), d.clock.Now()
	j.running, j.failing = false, !refused && !errors.Is(err, table.ErrLimit)
	j.stop = d.clock.AfterFunc(j.pause, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.jobs[id] == j && !j.running && d.started {
			d.begin(id, j)
		}
	})
	if j.failing && !d.scouting {
		d.scouting = true
		d.clock.AfterFunc(scoutPause, d.scout)
	}
	return false
}

// scout retries the failing competition whose last attempt is the oldest.
func (d *workers) scout() {
	d.mu.Lock()
	defer d.mu.Unlock()
	var id ID
	var next *job
	for of, j := range d.jobs {
		if j.failing && (next == nil || j.tried.Before(next.tried)) {
			id, next = of, j
		}
	}
	if d.scouting = next != nil && d.started; d.scouting {
		next.stop()
		d.begin(id, next)
		d.clock.AfterFunc(scoutPause, d.scout)
	}
}
