package table

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"marque/games/review"
	"marque/games/text"
	"marque/storage"
)

// Review is what a computer player found in a game that is over.
type Review struct {
	*Snapshot
	Points []review.TurningPoint // at most review.MaxPoints, in the order of the game
	Looked int                   // how many plays have been looked at
	Done   bool                  // all have; Points are final
}

const (
	maxReviews  = 64 // reviews kept in memory; all that were made are in the store
	maxReviewed = 16 // reviews that wait or are being made
	// yielding is how long a review that is being made waits for tables whose players wait, before it looks at the next play all the same.
	yielding = time.Second
	yieldFor = 50 * time.Millisecond
)

// reviews makes reviews one after the other in the background, and stores them. What was found until the bot stops is stored, too; whoever asks next has the rest looked at.
type reviews struct {
	svc    *Service
	mu     sync.Mutex
	order  *list.List // of *reviewJob, the latest used first
	byID   map[ID]*list.Element
	queue  []*reviewJob
	active bool
	wg     sync.WaitGroup
	ctx    context.Context
	cancel context.CancelFunc
}

// reviewJob is the review of one game, being made or made.
type reviewJob struct {
	mu    sync.Mutex
	found Review
	err   error
	done  chan struct{}
}

func newReviews(s *Service) *reviews {
	r := &reviews{svc: s, order: list.New(), byID: map[ID]*list.Element{}}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	return r
}

// Review looks for the turning points of a game that is over. It waits until they are found or ctx ends; then it returns what has been
// found, and the search goes on in the background. It returns ErrNoTable, ErrNotOver, or ErrBusy when too many games wait to be reviewed.
func (s *Service) Review(ctx context.Context, id ID) (Review, error) {
	snap, err := s.Snapshot(ctx, id)
	if err != nil {
		return Review{}, err
	}
	if snap.Status != Over || !snap.Started() || s.crew == nil {
		return Review{}, refuse(ErrNotOver, text.M("table.error.not-over"))
	}
	r, err := s.crew.reviews.get(ctx, snap)
	if err != nil {
		return Review{}, err
	}
	select {
	case <-r.done:
	case <-ctx.Done():
	}
	found, err := r.state()
	found.Snapshot = snap // with the names of today
	return found, err
}

// state is what has been found so far.
func (r *reviewJob) state() (Review, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	found := r.found
	found.Points = review.Costliest(found.Points)
	return found, r.err
}

// get finds a table's review, or has it made.
func (rs *reviews) get(ctx context.Context, snap *Snapshot) (*reviewJob, error) {
	if r := rs.recall(snap.ID); r != nil {
		return r, nil
	}
	stored, err := rs.svc.store.Review(ctx, snap.ID)
	if err != nil {
		return nil, err
	}
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if e := rs.byID[snap.ID]; e != nil { // somebody else was quicker
		return e.Value.(*reviewJob), nil
	}
	r := &reviewJob{found: Review{Snapshot: snap, Points: stored.Points, Looked: stored.Looked, Done: stored.Looked >= snap.Plays}, done: make(chan struct{})}
	if !r.found.Done && len(rs.queue) >= maxReviewed {
		return nil, refuse(ErrBusy, text.M("table.error.reviews-busy"))
	}
	rs.byID[snap.ID] = rs.order.PushFront(r)
	if rs.order.Len() > maxReviews {
		rs.forget(rs.order.Back())
	}
	if r.found.Done {
		close(r.done)
		return r, nil
	}
	rs.queue = append(rs.queue, r)
	if !rs.active && rs.ctx.Err() == nil {
		rs.active = true
		rs.wg.Go(rs.work)
	}
	return r, nil
}

// recall is a review that is in memory; nil when it is not.
func (rs *reviews) recall(id ID) *reviewJob {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	e := rs.byID[id]
	if e == nil {
		return nil
	}
	rs.order.MoveToFront(e)
	return e.Value.(*reviewJob)
}

func (rs *reviews) forget(e *list.Element) {
	rs.order.Remove(e)
	delete(rs.byID, e.Value.(*reviewJob).found.ID)
}

// clear forgets the reviews that are made: what is stored of their tables has changed, or is gone.
func (c *crew) clear() {
	if c == nil {
		return
	}
	rs := c.reviews
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for e := rs.order.Front(); e != nil; {
		next := e.Next()
		select {
		case <-e.Value.(*reviewJob).done:
			rs.forget(e)
		default:
		}
		e = next
	}
}

// work makes reviews until none waits.
func (rs *reviews) work() {
	for {
		rs.mu.Lock()
		if len(rs.queue) == 0 || rs.ctx.Err() != nil {
			rs.active = false
			rs.mu.Unlock()
			return
		}
		r := rs.queue[0]
		rs.queue = rs.queue[1:]
		rs.mu.Unlock()
		err := rs.search(r)
		rs.keep(r)
		r.mu.Lock()
		r.found.Done = err == nil
		if rs.ctx.Err() == nil {
			r.err = err // when the bot stops, what was found is the answer
		}
		r.mu.Unlock()
		close(r.done)
		if err != nil { // another request tries again
			rs.mu.Lock()
			if e := rs.byID[r.found.ID]; e != nil && e.Value == r {
				rs.forget(e)
			}
			rs.mu.Unlock()
		}
	}
}

// keep stores what a review has found. The table may be gone meanwhile; then so is its review.
func (rs *reviews) keep(r *reviewJob) {
	found, _ := r.state()
	if found.Looked == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(rs.ctx), rs.svc.outbox.patience)
	defer cancel()
	err := rs.svc.store.SetReview(ctx, found.ID, storage.Review{Looked: found.Looked, Points: found.Points})
	if err != nil && !errors.Is(err, ErrNoTable) && !errors.Is(err, storage.ErrNoTable) && !errors.Is(err, storage.ErrClosed) {
		rs.svc.logged("a review could not be stored; it is made again when it is asked for", found.ID, err)
	}
}

// search looks at every decision of a game, from where it was looked at last, as its player saw it.
func (rs *reviews) search(r *reviewJob) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("a review panicked: %v\n%s", p, debug.Stack())
			rs.svc.logged("a game could not be reviewed", r.found.ID, err)
		}
	}()
	m, mind, seed := r.found.match, rs.svc.crew.mind, uint64(r.found.ID)<<32
	points := slices.Clone(r.found.Points)
	for i := r.found.Looked; i < m.Len(); i++ {
		rs.yield()
		if err := rs.ctx.Err(); err != nil {
			return err
		}
		point, err := review.Glance(rs.ctx, mind, m, i, seed)
		if err != nil {
			return err
		}
		if point != nil {
			points = append(points, *point)
		}
		if i+1 == m.Len() {
			break // the last is looked at again if what follows is interrupted
		}
		r.mu.Lock()
		r.found.Looked, r.found.Points = i+1, points
		r.mu.Unlock()
	}
	points, err = review.Confirm(rs.ctx, mind, m, points, seed)
	if err != nil {
		return err
	}
	r.mu.Lock()
	r.found.Looked, r.found.Points = m.Len(), points
	r.mu.Unlock()
	return nil
}

// yield lets the tables go first that wait for a computer player, but not for ever.
func (rs *reviews) yield() {
	for waited := time.Duration(0); waited < yielding && rs.svc.crew.queued(); waited += yieldFor {
		select {
		case <-time.After(yieldFor):
		case <-rs.ctx.Done():
			return
		}
	}
}

// TurningPoints are those found so far in a game that is over, without waiting; whether all have been. The first time somebody asks, the game begins to be reviewed in the background.
func (s *Service) TurningPoints(ctx context.Context, snap *Snapshot) (points []review.TurningPoint, done bool) {
	if snap.Status != Over || !snap.Started() || s.crew == nil {
		return nil, false
	}
	r, err := s.crew.reviews.get(ctx, snap)
	if err != nil {
		return nil, false // too many games are being reviewed, or the store is ill: a replay does without
	}
	found, _ := r.state()
	return found.Points, found.Done
}

func (rs *reviews) close() {
	rs.cancel()
	rs.wg.Wait()
}
