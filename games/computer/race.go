package computer

import (
	"math"
	"sync/atomic"
	"time"

	"marque/games"
)

// race ends a search before its limit if its choice is certain, because no other move can be tried more often in the
// remaining iterations. Proofs that the remaining iterations might find are lost.
//
// Parallel trees end together, when all of them have the same leader. This depends on timing, so it is only done if
// time alone limits the search.
type race struct {
	begun   time.Time
	ends    time.Time       // zero if the search is limited by iterations alone
	leaders []atomic.Uint64 // each tree's leader plus 1, or 0 if another move can still overtake it
}

const (
	// raceInterval is the number of iterations between checks of the leader.
	raceInterval = 64
	// faster is the assumed maximum speed of the remaining search, relative to the speed so far.
	faster = 1.5
)

// won reports whether all trees have the same leader and no move can overtake it. most is the maximum number of t's
// iterations, or negative if the search is limited by time alone.
func (r *race) won(t *tree, most int) bool {
	left := float64(most - t.iterations)
	if most < 0 {
		left = math.Inf(1)
	}
	if !r.ends.IsZero() {
		now := time.Now()
		if past := now.Sub(r.begun); past > 0 {
			left = min(left, faster*float64(t.iterations)*float64(r.ends.Sub(now))/float64(past))
		}
	}
	move, ahead := t.leader()
	own := uint64(0)
	if float64(ahead) > left {
		own = uint64(move) + 1
	}
	r.leaders[t.lane].Store(own)
	for i := range r.leaders {
		if own == 0 || r.leaders[i].Load() != own {
			return false
		}
	}
	return true
}

// leader returns the root's most visited move that is not proved to lose, and its lead in visits.
func (t *tree) leader() (move games.Move, ahead int32) {
	first, second := int32(-1), int32(-1)
	for i := t.nodes[root].first; i != none; i = t.nodes[i].next {
		switch n := &t.nodes[i]; {
		case n.proof != unproved:
		case n.visits > first:
			first, second, move = n.visits, first, n.move
		default:
			second = max(second, n.visits)
		}
	}
	if second < 0 {
		if first < 0 {
			return 0, 0
		}
		return move, math.MaxInt32
	}
	return move, first - second
}
