package computer

import (
	"math"
	"sync/atomic"
	"time"

	"marque/games"
)

// race ends a search before its limit when its choice is certain: when no other move can be tried more often in the
// rest of the search. It does not wait for proofs that the rest of the search might have found.
//
// Trees that are searched in parallel end together, once all of them have the same leader. Because that depends on the
// clock, they do so only where the clock is the limit.
type race struct {
	begun   time.Time
	ends    time.Time       // zero when only iterations limit the search
	leaders []atomic.Uint64 // by tree: its leader plus 1, or 0 while the leader may be overtaken
}

const (
	// raceInterval is the number of iterations between looks at the leader.
	raceInterval = 64
	// faster is how much faster the rest of a search can be, at most, than the search so far.
	faster = 1.5
)

// won reports whether no tree's leader can be overtaken, and all have the same; most is the
// iterations of t, or negative when the clock alone ends them.
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

// leader is the root's move that was tried most and is not known to lose, and by how many tries it
// leads.
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
