// Package reviews finds the turning points of finished games.
package reviews

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"marque/bot/table"
	"marque/games"
	"marque/games/computer"
	"marque/games/ledger"
	"marque/games/review"
	"marque/games/text"
	"marque/storage"
)

// Review is a computer player's review of a finished game.
type Review struct {
	*table.Snapshot
	Points []review.TurningPoint // at most review.MaxPoints, in the order of the plays
	Looked int                   // number of assessed plays
	Course review.Course         // course of the assessed plays
	Luck   *ledger.Ledger        // luck of the whole game if Done; nil without dice or cards
	Done   bool                  // whether all plays have been assessed, so that Points are final
}

// Players returns the accuracy of each player in the plays assessed so far, in seat order.
func (r Review) Players() []review.Player { return r.Course.Players(r.Match()) }

// Notation returns a play of the game in the notation of the rules.
func (r Review) Notation(play int) string { return r.Match().Log()[play].Text }

const (
	maxReviews  = 64 // maximum number of reviews in memory
	maxReviewed = 16 // maximum number of waiting reviews that come before a new one
)

// storing is the time limit for storing a review or its comebacks.
const storing = 2 * time.Minute

// Store stores reviews and comebacks. Its methods return the errors of package storage.
type Store interface {
	Review(ctx context.Context, id storage.ID) (storage.Review, error)
	SetReview(ctx context.Context, id storage.ID, r storage.Review) error
	AddComeback(ctx context.Context, user string, table storage.ID) error
}

// Service reviews one game after the other, first those whose review was requested. Other reviews pause while users
// need the processor. Findings are stored, also partial ones when the bot stops.
type Service struct {
	tables   *table.Service
	assessor review.Assessor // nil if there are no computer players
	store    Store
	log      *slog.Logger

	mu     sync.Mutex
	known  *simplelru.LRU[storage.ID, *reviewJob]
	queue  []*reviewJob
	asked  chan struct{} // closed and replaced at the first request for each review
	active bool
	wg     sync.WaitGroup
	ctx    context.Context
	cancel context.CancelFunc
}

// reviewJob is a pending or finished review of a game.
type reviewJob struct {
	mu    sync.Mutex
	found Review
	err   error
	done  chan struct{}
	asked bool // whether the review was requested; guarded by Service.mu
}

// New returns a Service that reviews the games of tables with assessor, which can be nil.
func New(tables *table.Service, store Store, assessor review.Assessor, log *slog.Logger) *Service {
	rs := &Service{
		tables: tables, assessor: assessor, store: store, log: log, asked: make(chan struct{}),
	}
	rs.known, _ = simplelru.NewLRU[storage.ID, *reviewJob](maxReviews, nil) // fails only for sizes below 1
	rs.ctx, rs.cancel = context.WithCancel(context.Background())
	tables.Attach(table.Hooks{Cleared: rs.clear, Close: rs.close})
	return rs
}

// Review finds the turning points of a finished game. It waits until the search or ctx ends, and returns the
// findings so far. The end of ctx does not stop the search. The errors include storage.ErrNoTable, table.ErrNotOver
// (also if the table closed without a game, or if there are no computer players), and table.ErrBusy if too many
// games are waiting for a review.
func (rs *Service) Review(ctx context.Context, id storage.ID) (Review, error) {
	return rs.review(ctx, id, true)
}

// Begin starts the review of a finished game in the background, so that its report is soon available. If too many
// reviews are waiting, Begin does nothing, and the game is reviewed on request.
func (rs *Service) Begin(ctx context.Context, snap *table.Snapshot) {
	if rs.canReview(snap) {
		_, _ = rs.get(ctx, snap, false)
	}
}

// review implements Review. asked reports whether the review was requested, so that a user is waiting for it.
func (rs *Service) review(ctx context.Context, id storage.ID, asked bool) (Review, error) {
	snap, err := rs.tables.Lookup.Snapshot(ctx, id)
	if err != nil {
		return Review{}, err
	}
	if !rs.canReview(snap) {
		return Review{}, table.Refuse(table.ErrNotOver, text.M("table.error.not-over"))
	}
	r, err := rs.get(ctx, snap, asked)
	if err != nil {
		return Review{}, err
	}
	select {
	case <-r.done:
	case <-ctx.Done():
	}
	found, err := r.state()
	found.Snapshot = snap // with the current names
	return found, err
}

// canReview reports whether there is a game to review, and an assessor.
func (rs *Service) canReview(snap *table.Snapshot) bool {
	return snap.Status == table.Over && snap.HasStarted() && rs.assessor != nil
}

// state returns the findings so far.
func (r *reviewJob) state() (Review, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	found := r.found
	found.Points = review.Costliest(found.Points)
	return found, r.err
}

// get returns a table's review, and starts it if necessary. asked reports whether the review was requested.
func (rs *Service) get(ctx context.Context, snap *table.Snapshot, asked bool) (*reviewJob, error) {
	if r := rs.recall(snap.ID, asked); r != nil {
		return r, nil
	}
	stored, err := rs.store.Review(ctx, snap.ID)
	if err != nil {
		return nil, err
	}
	if stored.ComputerVersion != computer.Version { // another version of the computer player made the stored review
		stored = storage.Review{}
	}
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if r, ok := rs.known.Get(snap.ID); ok { // another goroutine was faster
		rs.hurry(r, asked)
		return r, nil
	}
	r := &reviewJob{done: make(chan struct{}), found: Review{
		Snapshot: snap, Points: stored.Points, Looked: stored.Looked, Course: stored.Course, Luck: stored.Luck,
		Done: stored.Looked >= snap.Plays,
	}}
	ahead := 0 // number of waiting reviews that come first
	for _, other := range rs.queue {
		if other.asked || !asked {
			ahead++
		}
	}
	if !r.found.Done && ahead >= maxReviewed {
		return nil, table.Refuse(table.ErrBusy, text.M("table.error.reviews-busy"))
	}
	rs.known.Add(snap.ID, r)
	if r.found.Done {
		close(r.done)
		return r, nil
	}
	rs.queue = append(rs.queue, r)
	rs.hurry(r, asked)
	if !rs.active && rs.ctx.Err() == nil {
		rs.active = true
		rs.wg.Go(rs.work)
	}
	return r, nil
}

// recall returns a review from memory, or nil. If asked is true, it also records that the review was requested, so
// that it comes first.
func (rs *Service) recall(id storage.ID, asked bool) *reviewJob {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	r, ok := rs.known.Get(id)
	if ok {
		rs.hurry(r, asked)
	}
	return r
}

// hurry records that a review was requested, if asked is true. The caller must hold the lock.
func (rs *Service) hurry(r *reviewJob, asked bool) {
	if asked && !r.asked {
		r.asked = true
		close(rs.asked)
		rs.asked = make(chan struct{})
	}
}

// next removes the next review from the queue. The caller must hold the lock.
func (rs *Service) next() *reviewJob {
	i := max(0, slices.IndexFunc(rs.queue, hasAsker))
	r := rs.queue[i]
	rs.queue = slices.Delete(rs.queue, i, i+1)
	return r
}

func hasAsker(r *reviewJob) bool { return r.asked }

// errAside means that a review pauses in favour of a requested one.
var errAside = errors.New("somebody waits for another review")

// giveWay pauses a review while users need the processor. It returns errAside if a requested review is waiting. A
// requested review neither pauses nor steps aside. If the bot stops, giveWay returns an error.
func (rs *Service) giveWay(r *reviewJob) error {
	for first := true; ; first = false {
		rs.mu.Lock()
		asked, others, more := r.asked, slices.ContainsFunc(rs.queue, hasAsker), rs.asked
		rs.mu.Unlock()
		switch {
		case rs.ctx.Err() != nil:
			return rs.ctx.Err()
		case asked:
			return nil
		case others:
			return errAside
		case !first:
			return nil
		}
		if err := rs.tables.Background.GiveWay(rs.ctx, more); err != nil {
			return err
		}
	}
}

// yieldingAssessor calls giveWay before each assessment of a review.
type yieldingAssessor struct {
	*Service
	of *reviewJob
}

func (j yieldingAssessor) Assess(ctx context.Context, v games.View, played games.Move, effort computer.Effort,
	seed uint64) (computer.Assessment, error) {
	if err := j.giveWay(j.of); err != nil {
		return computer.Assessment{}, err
	}
	return j.assessor.Assess(ctx, v, played, effort, seed)
}

// clear removes the finished reviews from memory, because the stored data of their tables have changed or are gone.
func (rs *Service) clear() {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for _, id := range rs.known.Keys() {
		r, _ := rs.known.Peek(id)
		select {
		case <-r.done:
			rs.known.Remove(id)
		default:
		}
	}
}

// work processes reviews until the queue is empty or the bot stops.
func (rs *Service) work() {
	for {
		rs.mu.Lock()
		if len(rs.queue) == 0 || rs.ctx.Err() != nil {
			rs.active = false
			rs.mu.Unlock()
			return
		}
		r := rs.next()
		rs.mu.Unlock()
		err := rs.search(r)
		if errors.Is(err, errAside) { // the review stays in the queue
			rs.mu.Lock()
			rs.queue = slices.Insert(rs.queue, 0, r)
			rs.mu.Unlock()
			continue
		}
		if err == nil {
			err = rs.keepComeback(r.found) // first, so that a crash before keep repeats the review
		}
		rs.keep(r)
		r.mu.Lock()
		r.found.Done = err == nil
		if rs.ctx.Err() == nil {
			r.err = err // if the bot stops, the findings so far are the result
		}
		r.mu.Unlock()
		close(r.done)
		if err != nil { // so that another request starts a new attempt
			rs.mu.Lock()
			if k, _ := rs.known.Peek(r.found.ID); k == r {
				rs.known.Remove(r.found.ID)
			}
			rs.mu.Unlock()
		}
	}
}

// keep stores the findings of a review, if there are any.
func (rs *Service) keep(r *reviewJob) {
	found, _ := r.state()
	if found.Looked == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(rs.ctx), storing)
	defer cancel()
	err := rs.store.SetReview(ctx, found.ID, storage.Review{ComputerVersion: computer.Version, Looked: found.Looked,
		Points: found.Points, Course: found.Course, Luck: found.Luck})
	if err != nil && !errors.Is(err, storage.ErrNoTable) && !errors.Is(err, storage.ErrClosed) {
		rs.logged(rs.ctx, "a review could not be stored; it is made again when it is asked for", found.ID, err)
	}
}

func (rs *Service) logged(ctx context.Context, msg string, id storage.ID, err error) {
	rs.log.ErrorContext(ctx, msg, slog.String("table", id.String()), slog.Any("error", err))
}

// lostChance is the winning chance below which a position counts as nearly lost.
const lostChance = 0.05

// keepComeback records the comebacks of users who have won a server's game that was nearly lost for them.
func (rs *Service) keepComeback(found Review) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(rs.ctx), storing)
	defer cancel()
	won := found.Outcome()
	for seat, p := range found.Players() {
		user := found.Seats[seat].User
		if won.Drawn || !slices.Contains(won.Winners, games.Seat(seat)) || user == "" || found.Guild == "" ||
			!slices.ContainsFunc(p.Chances, func(c review.Chance) bool { return c.Of < lostChance }) {
			continue
		}
		if err := rs.store.AddComeback(ctx, user, found.ID); err != nil && !errors.Is(err, storage.ErrNoTable) {
			return err
		}
	}
	return nil
}

// search assesses every decision of a game from the view of its player. It continues where the last search stopped.
func (rs *Service) search(r *reviewJob) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("a review panicked: %v\n%s", p, debug.Stack())
			rs.logged(rs.ctx, "a game could not be reviewed", r.found.ID, err)
		}
	}()
	m, assessor, seed := r.found.Match(), yieldingAssessor{rs, r}, reviewSeed(r.found.ID)
	points, course := slices.Clone(r.found.Points), r.found.Course.Clone()
	for i := r.found.Looked; i < m.Len(); i++ {
		if err := rs.ctx.Err(); err != nil {
			return err
		}
		decision, err := review.Assess(rs.ctx, assessor, m, i, seed)
		if err != nil {
			return err
		}
		if decision != nil && decision.Mistake() {
			points = append(points, decision.TurningPoint)
		}
		course = course.Add(decision)
		if i+1 == m.Len() {
			break // the last decision is not recorded yet, so a later search repeats it
		}
		r.mu.Lock()
		r.found.Looked, r.found.Points, r.found.Course = i+1, points, course
		r.mu.Unlock()
	}
	points, err = review.Confirm(rs.ctx, assessor, m, points, seed)
	if err != nil {
		return err
	}
	var luck *ledger.Ledger
	if m.Game().Traits().Chance {
		if luck, err = ledger.Of(rs.ctx, m); err != nil {
			return err
		}
	}
	r.mu.Lock()
	r.found.Looked, r.found.Points, r.found.Course, r.found.Luck = m.Len(), points, course, luck
	r.mu.Unlock()
	return nil
}

// TurningPoints returns the known turning points of a finished game without waiting. done reports whether the
// review is done. If there is no review, TurningPoints tries to start one in the background.
func (rs *Service) TurningPoints(ctx context.Context, snap *table.Snapshot) (points []review.TurningPoint, done bool) {
	if !rs.canReview(snap) {
		return nil, false
	}
	r, err := rs.get(ctx, snap, false)
	if err != nil {
		// Too many reviews are waiting, or the store has failed. A replay is possible without turning points.
		return nil, false
	}
	found, _ := r.state()
	return found.Points, found.Done
}

// Choice returns the computer player's choice for a play of a reviewed game. It assesses the play again, with the seed
// of the review. play is counted from 0. Choice returns nil if the play was not a decision, if the review is not done,
// or if the assessment fails.
func (rs *Service) Choice(ctx context.Context, snap *table.Snapshot, play int) *review.Decision {
	if _, done := rs.TurningPoints(ctx, snap); !done || play < 0 || play >= snap.Plays {
		return nil
	}
	d, err := review.Assess(ctx, rs.assessor, snap.Match(), play, reviewSeed(snap.ID))
	if err != nil && ctx.Err() == nil {
		rs.logged(ctx, "a decision could not be judged", snap.ID, err)
	}
	return d
}

// reviewSeed returns a seed that makes the reviews of a game reproducible.
func reviewSeed(id storage.ID) uint64 { return uint64(id) << 32 }

func (rs *Service) close() {
	rs.mu.Lock() // so that no work starts after the context has ended
	rs.cancel()
	rs.mu.Unlock()
	rs.wg.Wait()
}
