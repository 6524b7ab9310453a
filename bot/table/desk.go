package table

import (
	"context"
	"sync"
	"time"

	"marque/bot/timesource"
)

const (
	// deskWorkers is how many competitions are seen to at once.
	deskWorkers = 4
	// mostDesk bounds the competitions that are in memory; the others are found again when what is due is looked at.
	mostDesk = 1024
)

// desk sees to competitions: one at a time for each, and again after a while where that fails. What
// waits is in the store, so what is in memory may be lost.
type desk struct {
	work  func(ctx context.Context, id CompetitionID) error // from start on
	clock timesource.Clock

	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
	slots  chan struct{}

	mu      sync.Mutex
	started bool
	jobs    map[CompetitionID]*seeing
}

// seeing is a competition that is being seen to, or will be after a pause.
type seeing struct {
	running bool
	again   bool // asked for while running
	pause   time.Duration
	stop    func() // the pause
}

func newDesk(ctx context.Context, clock timesource.Clock) *desk {
	d := &desk{clock: clock, slots: make(chan struct{}, deskWorkers), jobs: map[CompetitionID]*seeing{}}
	d.ctx, d.cancel = context.WithCancel(ctx)
	return d
}

// start has work done for competitions.
func (d *desk) start(work func(context.Context, CompetitionID) error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.work, d.started = work, true
}

func (d *desk) close() {
	d.mu.Lock()
	d.started = false
	d.mu.Unlock()
	d.cancel()
	d.wg.Wait()
}

// poke has a competition seen to. One that pauses after a failure is seen to at once when something has changed.
func (d *desk) poke(id CompetitionID, changed bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	j := d.jobs[id]
	switch {
	case !d.started || j == nil && len(d.jobs) >= mostDesk:
		return
	case j == nil:
		j = &seeing{}
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
func (d *desk) begin(id CompetitionID, j *seeing) {
	j.running = true
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

// done decides what becomes of a competition that was seen to, and reports whether it is to be again at once.
func (d *desk) done(id CompetitionID, j *seeing, err error) (again bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	again, j.again = j.again, false
	switch {
	case d.ctx.Err() != nil || !d.started:
		delete(d.jobs, id)
		return false
	case again:
		return true
	case err == nil:
		delete(d.jobs, id)
		return false
	}
	j.pause = min(max(2*j.pause, firstPause), longestPause)
	j.running = false
	j.stop = d.clock.AfterFunc(j.pause, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.jobs[id] == j && !j.running && d.started {
			d.begin(id, j)
		}
	})
	return false
}
