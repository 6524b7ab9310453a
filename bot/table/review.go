package table

import (
	"cmp"
	"container/list"
	"context"
	"slices"
	"sync"

	"marque/games"
	"marque/games/text"
)

// TurningPoint is a decision that cost its player a good part of the chance of winning.
type TurningPoint struct {
	Play   int // number of the play, from 0
	Seat   games.Seat
	Played string  // in the notation of the rules
	Better string  // what a computer player would have played
	Had    float64 // the chance of winning with Better
	Left   float64 // the chance of winning with Played
}

// Review is what a computer player found in a game that is over.
type Review struct {
	*Snapshot
	Points []TurningPoint // at most maxPoints, in the order of the game
	Looked int            // how many plays have been looked at
	Done   bool           // all have; Points are final
}

const (
	maxPoints   = 5
	turning     = 0.10 // what a decision must cost at least
	maxReviews  = 64   // reviews kept in memory
	maxReviewed = 16   // reviews that wait or are being made
)

// reviews makes reviews one after the other in the background, and keeps the latest.
type reviews struct {
	svc    *Service
	mu     sync.Mutex
	order  *list.List // of *review, the latest used first
	byID   map[ID]*list.Element
	queue  []*review
	active bool
	wg     sync.WaitGroup
	ctx    context.Context
	cancel context.CancelFunc
}

type review struct {
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
	r, err := s.crew.reviews.get(snap)
	if err != nil {
		return Review{}, err
	}
	select {
	case <-r.done:
	case <-ctx.Done():
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	found := r.found
	found.Points = best(found.Points)
	return found, r.err
}

// get finds a table's review, or has it made.
func (rs *reviews) get(snap *Snapshot) (*review, error) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if e := rs.byID[snap.ID]; e != nil {
		rs.order.MoveToFront(e)
		return e.Value.(*review), nil
	}
	if len(rs.queue) >= maxReviewed {
		return nil, refuse(ErrBusy, text.M("table.error.reviews-busy"))
	}
	r := &review{found: Review{Snapshot: snap}, done: make(chan struct{})}
	rs.byID[snap.ID] = rs.order.PushFront(r)
	if rs.order.Len() > maxReviews {
		rs.forget(rs.order.Back())
	}
	rs.queue = append(rs.queue, r)
	if !rs.active {
		rs.active = true
		rs.wg.Go(rs.work)
	}
	return r, nil
}

func (rs *reviews) forget(e *list.Element) {
	rs.order.Remove(e)
	delete(rs.byID, e.Value.(*review).found.ID)
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
		r.mu.Lock()
		r.err, r.found.Done = err, err == nil
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

// search looks at every decision of a game as its player saw it.
func (rs *reviews) search(r *review) error {
	m := r.found.match
	for i, e := range m.Log() {
		if err := rs.ctx.Err(); err != nil {
			return err
		}
		var point *TurningPoint
		if e.Seat >= 0 && e.Text != games.Resigns {
			p, err := rs.judge(r.found.Snapshot, i, e)
			if err != nil {
				return err
			}
			point = p
		}
		r.mu.Lock()
		r.found.Looked = i + 1
		if point != nil {
			r.found.Points = append(r.found.Points, *point)
		}
		r.mu.Unlock()
	}
	return nil
}

// judge compares what was played with what a computer would have played. It returns nil when that cost little.
func (rs *reviews) judge(snap *Snapshot, play int, e games.Entry) (*TurningPoint, error) {
	v := snap.ViewAt(play, e.Seat)
	played, err := games.FindMove(v.State, e.Text)
	if err != nil {
		return nil, err
	}
	if len(v.State.Moves()) == 1 {
		return nil, nil
	}
	better, had, left, err := rs.svc.crew.mind.Judge(rs.ctx, v, played, uint64(snap.ID)<<32^uint64(play))
	if err != nil || had-left < turning {
		return nil, err
	}
	return &TurningPoint{Play: play, Seat: e.Seat, Played: e.Text, Better: games.Spell(v.State, better), Had: had, Left: left}, nil
}

// best are the points that cost most, in the order of the game.
func best(points []TurningPoint) []TurningPoint {
	sorted := slices.Clone(points)
	slices.SortStableFunc(sorted, func(a, b TurningPoint) int { return cmp.Compare(b.Had-b.Left, a.Had-a.Left) })
	sorted = sorted[:min(len(sorted), maxPoints)]
	slices.SortFunc(sorted, func(a, b TurningPoint) int { return a.Play - b.Play })
	return sorted
}

func (rs *reviews) close() {
	rs.cancel()
	rs.wg.Wait()
}
