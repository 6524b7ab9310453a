package table

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"
)

// News is what happened at a table since the last version that was published.
type News struct {
	*Snapshot
	Since uint64 // the last version that was published; 0 when nothing was
	// Events of the versions Since+1 to Version, in order; never empty. The plays among them are without Text, which
	// others may not know: Trail(viewer, From, Plays) tells them as a viewer may know them.
	Events []Event
	From   int    // the number of plays before the first event
	Note   string // what Publish returned for Since
}

// Publisher tells a table's channel what happened. Publish is called by several goroutines, but by one at a time for each table.
//
// It returns a note, at most 1,024 bytes, that it gets back with the table's next news. When it returns an error the same news, and what has come since, are
// published again: at once after Poke, when the table changes again and at the next start, or after a while, which after a *PermanentError is long.
type Publisher interface {
	Publish(ctx context.Context, n News) (note string, err error)
}

// PermanentError says that publishing again will not help until somebody does something: the channel is gone, a permission is missing.
type PermanentError struct{ Err error }

func (e *PermanentError) Error() string { return "cannot be published: " + e.Err.Error() }

func (e *PermanentError) Unwrap() error { return e.Err }

// Poke publishes a table's news now, if there are any: a permission was given, a channel is back.
func (s *Service) Poke(id ID) { s.outbox.poke(id) }

const (
	// firstPause and longestPause bound how long a table waits after a failure; the pause doubles in between.
	firstPause   = time.Second
	longestPause = 5 * time.Minute
	// maxJobs bounds how many tables the outbox has in memory; the others are in the store, and come in when there is room.
	maxJobs = 4096
	// pendingPage is how many tables are read from the store at once.
	pendingPage = 256
)

// outbox publishes what is committed. The store knows what is pending; in memory are the tables that are about to be published.
type outbox struct {
	svc      *Service
	workers  int
	patience time.Duration

	mu       sync.Mutex
	jobs     map[ID]*job
	ready    []*job // to be published, in order
	left     bool   // some pending tables are not in jobs: they are being fetched, by rising id
	fetched  ID     // those up to here are
	missed   bool   // a table behind that was left out since
	closing  bool
	idle     chan struct{} // closed when closing and no job is ready or running
	running  int
	fetching bool          // a worker reads the store, or will after a pause
	wake     chan struct{} // holds a token when ready may have grown
	ctx      context.Context
	cancel   context.CancelFunc
	wg       sync.WaitGroup
	pub      Publisher
}

// job is a table that has news, or may have.
type job struct {
	id       ID
	state    jobState
	again    bool // poked while running
	pause    time.Duration
	timer    *time.Timer
	told     uint64 // published, but perhaps not marked as such
	toldNote string
}

type jobState uint8

const (
	jobReady jobState = iota
	jobRunning
	jobPausing
)

func newOutbox(s *Service, workers int, patience time.Duration) *outbox {
	o := &outbox{
		svc: s, workers: workers, patience: patience,
		jobs: map[ID]*job{},
		idle: make(chan struct{}),
		wake: make(chan struct{}, workers),
	}
	o.ctx, o.cancel = context.WithCancel(context.Background())
	return o
}

func (o *outbox) start(p Publisher) {
	o.mu.Lock()
	o.pub, o.left = p, true
	o.mu.Unlock()
	for range o.workers {
		o.wg.Add(1)
		go o.work()
	}
	o.signal()
}

// poke makes a table's job ready, unless it is; one that pauses is tried now.
func (o *outbox) poke(id ID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.add(id)
}

func (o *outbox) add(id ID) {
	j := o.jobs[id]
	switch {
	case j == nil && len(o.jobs) >= maxJobs:
		o.left, o.missed = true, true
		return
	case j == nil:
		j = &job{id: id}
		o.jobs[id] = j
	case j.state == jobRunning:
		j.again = true
		return
	case j.state == jobReady:
		return
	default:
		j.timer.Stop()
	}
	o.enqueue(j)
}

// enqueue is called with the lock held.
func (o *outbox) enqueue(j *job) {
	j.state = jobReady
	o.ready = append(o.ready, j)
	o.signal()
}

func (o *outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

func (o *outbox) work() {
	defer o.wg.Done()
	for {
		j := o.next()
		if j == nil {
			select {
			case <-o.wake:
				continue
			case <-o.ctx.Done():
				return
			}
		}
		o.finish(j, o.publish(j))
	}
}

// next takes the first job that is ready; nil when there is none. When memory has room it first fetches what the store has.
func (o *outbox) next() *job {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ctx.Err() != nil {
		return nil
	}
	if o.left && !o.fetching && !o.closing && len(o.ready) == 0 && len(o.jobs) <= maxJobs/2 {
		o.fetching = true
		after := o.fetched
		o.mu.Unlock()
		ids, err := o.svc.store.Pending(o.ctx, after, pendingPage)
		o.mu.Lock()
		o.arrived(ids, err)
	}
	if len(o.ready) == 0 {
		o.settle()
		return nil
	}
	j := o.ready[0]
	o.ready = o.ready[1:]
	j.state = jobRunning
	o.running++
	if len(o.ready) > 0 {
		o.signal()
	}
	return j
}

// arrived takes in a page of what is pending in the store. It is called with the lock held.
func (o *outbox) arrived(ids []ID, err error) {
	if err != nil {
		if o.ctx.Err() == nil {
			o.svc.log.Error("the outbox cannot be read; trying again", "error", err)
		}
		time.AfterFunc(firstPause, func() {
			o.mu.Lock()
			defer o.mu.Unlock()
			o.fetching = false
			o.signal()
		})
		return
	}
	o.fetching = false
	for _, id := range ids {
		o.fetched = id
		if o.jobs[id] == nil {
			o.add(id)
		}
	}
	if len(ids) == pendingPage {
		o.signal()
		return
	}
	// That was the last page. What was left out meanwhile is in the next round.
	o.left, o.fetched, o.missed = o.missed, 0, false
}

// settle is called with the lock held, when nothing is ready.
func (o *outbox) settle() {
	if o.closing && o.running == 0 {
		select {
		case <-o.idle:
		default:
			close(o.idle)
		}
	}
}

// finish decides what becomes of a job that was published or not.
func (o *outbox) finish(j *job, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.running--
	again := j.again
	j.again = false
	permanent := (*PermanentError)(nil)
	frozen := (*FrozenError)(nil)
	switch {
	case err == nil && again:
		j.pause = 0
		o.enqueue(j)
	case err == nil:
		delete(o.jobs, j.id)
	case o.closing, o.ctx.Err() != nil:
		// It is still pending in the store, for the next start.
		delete(o.jobs, j.id)
	case errors.As(err, &permanent), errors.As(err, &frozen):
		o.svc.log.Warn("news of a table are kept for later", "table", j.id.String(), "error", err)
		if again {
			o.enqueue(j)
			break
		}
		delete(o.jobs, j.id)
	default:
		j.pause = min(max(2*j.pause, firstPause), longestPause)
		o.svc.log.Warn("news of a table could not be published; trying again", "table", j.id.String(), "error", err, "pause", j.pause)
		j.state = jobPausing
		j.timer = time.AfterFunc(j.pause, func() {
			o.mu.Lock()
			defer o.mu.Unlock()
			if o.jobs[j.id] == j && j.state == jobPausing {
				o.enqueue(j)
			}
		})
	}
	if o.left {
		o.signal()
	}
	if len(o.ready) == 0 {
		o.settle()
	}
}

// publish publishes a table's news, if there are any. What is committed meanwhile pokes the table again.
func (o *outbox) publish(j *job) error {
	ctx, cancel := context.WithTimeout(o.ctx, o.patience)
	defer cancel()
	snap, err := o.svc.Snapshot(ctx, j.id)
	if errors.Is(err, ErrNoTable) {
		return nil
	}
	if err != nil {
		return err
	}
	if taken, err := o.svc.crew.takes(snap); taken || err != nil {
		return err
	}
	// Read after the snapshot, so that no event of its versions can be missing.
	stored, err := o.svc.store.News(ctx, j.id)
	if err != nil {
		return o.svc.undamaged(j.id, err)
	}
	if j.told < stored.Published {
		j.told, j.toldNote = stored.Published, stored.Note
	}
	if j.told < snap.Version {
		note := j.toldNote
		if n := news(snap, stored.Events, j); len(n.Events) > 0 {
			if note, err = o.call(ctx, n); err != nil {
				if permanent := (*PermanentError)(nil); errors.As(err, &permanent) {
					o.svc.postpone(ctx, j.id)
				}
				return err
			}
			if snap.Retell.Tries > 0 {
				o.svc.retold(ctx, j.id)
			}
		}
		j.told, j.toldNote = snap.Version, note
	}
	if j.told == stored.Published {
		return nil
	}
	return o.svc.undamaged(j.id, o.svc.store.MarkPublished(ctx, j.id, j.told, j.toldNote))
}

// news are the events that the publisher was not told of yet, up to the snapshot's version. Plays that were taken back before they could be told are left out.
func news(snap *Snapshot, events []Event, j *job) News {
	n := News{Snapshot: snap, Since: j.told, Note: j.toldNote, From: snap.Plays}
	for _, e := range events {
		if e.Version <= j.told || e.Version > snap.Version {
			continue
		}
		for back := e.Back(); back > 0; back-- {
			last := len(n.Events) - 1
			for last >= 0 && !n.Events[last].Kind.Play() {
				last--
			}
			if last < 0 {
				break
			}
			n.Events = slices.Delete(n.Events, last, last+1)
		}
		if e.Kind.Play() {
			e.Text = ""
		}
		n.Events = append(n.Events, e)
	}
	for _, e := range n.Events {
		if e.Kind.Play() {
			n.From--
		}
	}
	return n
}

// call calls the publisher and turns its panic into an error.
func (o *outbox) call(ctx context.Context, n News) (note string, err error) {
	defer func() {
		if r := recover(); r != nil {
			o.svc.log.Error("the publisher panicked", "table", n.ID.String(), "panic", r, "stack", string(debug.Stack()))
			err = fmt.Errorf("the publisher panicked: %v", r)
		}
	}()
	return o.pub.Publish(ctx, n)
}

// close publishes what is ready until ctx ends and stops the workers.
func (o *outbox) close(ctx context.Context) error {
	o.mu.Lock()
	started := o.pub != nil
	if !o.closing {
		o.closing = true
		for id, j := range o.jobs {
			if j.state == jobPausing {
				j.timer.Stop()
				delete(o.jobs, id)
			}
		}
		if o.running == 0 && len(o.ready) == 0 {
			o.settle()
		}
	}
	o.mu.Unlock()
	var err error
	if started {
		select {
		case <-o.idle:
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	o.cancel()
	o.wg.Wait()
	return err
}
