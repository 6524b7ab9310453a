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
	// atOnce is how many competitions are carried on at once.
	atOnce = 4
	// mostJobs bounds the competitions in memory. The sweep finds the others again.
	mostJobs = 1024
	// firstPause and longestPause bound how long a competition waits after a failure; the pause doubles.
	firstPause   = time.Second
	longestPause = 5 * time.Minute
	// longestRefusal bounds it where Discord refuses what is sent unchanged.
	longestRefusal = time.Hour
	// scoutPause is how long after a failure the competition that was tried longest ago is tried again, however long it
	// would wait: when that succeeds, what failed is over, and all are tried.
	scoutPause = 10 * time.Second
)

// workers carry competitions on: one worker at a time for each, and again after a pause where that fails. What waits
// is in the store, so what is in memory may be lost.
type workers struct {
	work  func(ctx context.Context, id ID) error // from start on
	clock timesource.Clock

	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
	slots  chan struct{}

	mu       sync.Mutex
	started  bool
	scouting bool // scout is called after scoutPause
	jobs     map[ID]*job
}

// job is a competition that is carried on now, or after a pause.
type job struct {
	running bool
	again   bool // asked for while running
	failing bool // it waits after a failure that may be everybody's, such as an outage of Discord's
	tried   time.Time
	pause   time.Duration
	stop    func() // the pause
}

func newWorkers(clock timesource.Clock) *workers {
	d := &workers{clock: clock, slots: make(chan struct{}, atOnce), jobs: map[ID]*job{}}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	return d
}

// start has work done for competitions.
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

// poke wakes a competition. One that pauses after a failure continues at once when something has changed.
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

// begin is called with the lock held.
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

// done decides what becomes of a competition after a run, and reports whether to run it again at once.
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

// scout tries the competition that was tried longest ago of those that fail.
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
