// Package computer implements the computer players of all games. Their search uses only a View.
//
// Alpha-beta searches games of two players without chance and hidden information, if it finds better moves there
// (games.Tuning). All other games use SO-ISMCTS (Cowling, Powley and Whitehouse 2012). Every iteration deals the hidden
// cards again, and the search counts how often a move was available. The search can subtract the luck of the dealt
// cards from the values of moves (luck). Outcomes of chance are sampled or, if nothing is hidden, tried in proportion
// to their weights. Sim.Evaluate orders the moves of a new node, and its value counts as a number of playouts (Gelly
// and Silver 2007). If nothing is hidden, forced wins and losses are proved (Winands, Björnsson and Saito 2008). Each
// worker searches a separate tree, and the counts are added up. The workers of alpha-beta share a transposition table.
package computer

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"marque/games"
	"marque/games/learned"
)

// Player is a computer player. It can reuse the results of its last search for the next move. A Player is not safe
// for concurrent use.
type Player struct {
	level   Level
	limit   Limit
	seed    uint64
	choices uint64
	trees   []*tree
	at      games.State    // the position at the roots of the trees, or nil
	model   *learned.Model // replaces the game's evaluation, unless it is nil
}

// New returns a player of the given level, usually with the limit Level.Limit. The same seed, views and iterations give
// the same moves, unless several workers share a transposition table.
func New(level Level, limit Limit, seed uint64) *Player {
	limit.Workers = max(1, limit.Workers)
	return &Player{level: level, limit: limit, seed: seed}
}

// SetModel replaces the game's evaluation by a model. The game's Sim must be a learned.Trainable. SetModel must be
// called before the player's first choice.
func (p *Player) SetModel(m *learned.Model) { p.model = m }

// Thought is the result of the search for a move.
type Thought struct {
	Chance     float64     // estimated chance of winning with the chosen move
	Candidates []Candidate // the searched moves: the chosen one, then the others, the best first
	Before     float64     // mean chance over all tries, at most Chance; under alpha-beta, the best move's
	// the best reply to the chosen move, if HasAnswer is set; only known if another seat moves next and nothing is
	// hidden
	Answer     games.Move
	HasAnswer  bool
	Iterations int
	Proved     bool // Chance is proved, not estimated
}

// Candidate is a searched move.
type Candidate struct {
	Move   games.Move
	Chance float64 // chance of winning with the move, from 0 to 1
	Visits int     // number of tries (positions under alpha-beta); more tries make Chance more reliable
	Proved bool    // Chance is proved, not estimated
}

// ErrNotToMove is returned for a view whose viewer is not to move.
var ErrNotToMove = errors.New("computer: the viewer of this view is not to move")

// Choose picks a move for the viewer, who must be to move. When ctx ends, it returns the best move found so far. The
// only error is ErrNotToMove.
func (p *Player) Choose(ctx context.Context, v games.View) (games.Move, Thought, error) {
	if !v.Mine() {
		return 0, Thought{}, ErrNotToMove
	}
	p.choices++
	rng := games.NewRand(p.seed ^ p.choices*0x9e3779b97f4a7c15)
	if moves := v.State.Moves(); len(moves) == 1 {
		// A single move needs no search: its chance is the evaluation of the position.
		chance := games.Sample(v.State, v.Viewer, rand.New(rng)).Sim().Evaluate(v.Viewer)
		chance = truthOf(v.State).of(chance)
		return moves[0], Thought{Chance: chance, Before: chance,
			Candidates: []Candidate{{Move: moves[0], Chance: chance}}}, nil
	}
	if p.adversarial(v) {
		ctx, cancel := p.limited(ctx)
		defer cancel()
		a := newAlphaBeta(v, p.limit, rng)
		a.useModel(p.model)
		t := a.thought(a.think(ctx, v, p.limit))
		if p.limit.Noise > 0 {
			t.err(rng, p.limit.Noise)
			t.Answer, t.HasAnswer = a.answer(t.Candidates[0].Move)
		}
		t.correct(truthOf(v.State))
		return t.Candidates[0].Move, t, nil
	}
	p.search(ctx, v, rng, p.limit.Noise > 0) // noise needs the value of every move
	t := p.merge()
	if p.limit.Noise > 0 {
		t.err(rng, p.limit.Noise)
	}
	t.Before = min(p.before(), t.Chance)
	t.Answer, t.HasAnswer = p.answer(v, t.Candidates[0].Move)
	t.correct(truthOf(v.State))
	return t.Candidates[0].Move, t, nil
}

// Estimate returns the viewer's chance of winning, from 0 to 1. It may be anyone's turn. The viewer must be a seat, and
// the game must not be over.
func (p *Player) Estimate(ctx context.Context, v games.View) float64 {
	return truthOf(v.State).of(p.Uncorrected(ctx, v))
}

// Uncorrected is like Estimate, without the correction by the measured frequency of wins (learned.Curve).
func (p *Player) Uncorrected(ctx context.Context, v games.View) float64 {
	p.choices++
	rng := games.NewRand(p.seed ^ p.choices*0x9e3779b97f4a7c15)
	if p.adversarial(v) {
		ctx, cancel := p.limited(ctx)
		defer cancel()
		a := newAlphaBeta(v, p.limit, rng)
		a.useModel(p.model)
		a.whole = true
		chance := chanceOf(a.think(ctx, v, p.limit)[0].value)
		if a.sims[0].ToMove() != v.Viewer {
			chance = 1 - chance
		}
		return chance
	}
	p.search(ctx, v, rng, true)
	for _, t := range p.trees {
		switch t.nodes[root].proof {
		case unproved:
		case int8(v.Viewer):
			return 1
		default:
			return 0
		}
	}
	return p.before()
}

// before returns the mean result for the viewer in the last search, from 0 to 1.
func (p *Player) before() float64 {
	total, n := 0.0, 0
	for _, t := range p.trees {
		total += t.total
		n += t.iterations
	}
	return total / float64(n)
}

// limited returns ctx with the limit's time, if there is one, as a timeout.
func (p *Player) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if p.limit.Time == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, p.limit.Time)
}

// adversarial reports whether the player uses alpha-beta for a view's position.
func (p *Player) adversarial(v games.View) bool {
	sim, ok := v.State.Sim().(adversary)
	if !ok {
		return false
	}
	tuner, ok := sim.(games.Tuner)
	return ok && tuner.Tuning().AlphaBeta
}

// search runs all workers, each with its tree, until the limit or ctx ends or the result is proved. Unless whole is
// set, it can also end as soon as the choice is certain (race).
func (p *Player) search(ctx context.Context, v games.View, rng *games.Rand, whole bool) {
	ctx, cancel := p.limited(ctx)
	defer cancel()
	for len(p.trees) < p.limit.Workers {
		p.trees = append(p.trees, &tree{model: p.model})
	}
	if p.level == Easy { // a beginner does not reuse earlier searches
		p.at = nil
	}
	if moves, ok := locate(p.trees, p.at, v); ok {
		advance(p.trees, moves)
	} else {
		for _, t := range p.trees {
			t.clear()
		}
	}
	p.at = v.State
	var shared *race
	if !whole && (p.limit.Workers == 1 || p.limit.Iterations == 0) {
		shared = &race{begun: time.Now(), leaders: make([]atomic.Uint64, p.limit.Workers)}
		shared.ends, _ = ctx.Deadline()
	}
	var wait sync.WaitGroup
	for i, t := range p.trees {
		t.race, t.lane = shared, i
		share := p.limit.Iterations / p.limit.Workers
		if i < p.limit.Iterations%p.limit.Workers {
			share++
		}
		if p.limit.Iterations == 0 {
			share = -1
		}
		seed := rng.Uint64()
		// Every worker allocates its buffers, so that no two workers share a cache line.
		work := func() {
			room := maxNodes / 4
			if share > 0 {
				room = min(room, 8*share)
			}
			t.start(v, seed, room)
			t.run(ctx, share)
		}
		if i == len(p.trees)-1 {
			work()
			break
		}
		wait.Go(work)
	}
	wait.Wait()
}

// merge adds up all trees' counts of the root's moves, and sorts the moves, the best first.
func (p *Player) merge() Thought {
	var t Thought
	index := map[games.Move]int{}
	for _, tree := range p.trees {
		t.Iterations += tree.iterations
		for i := tree.nodes[root].first; i != none; i = tree.nodes[i].next {
			n := &tree.nodes[i]
			at, ok := index[n.move]
			if !ok {
				at = len(t.Candidates)
				index[n.move] = at
				t.Candidates = append(t.Candidates, Candidate{Move: n.move})
			}
			c := &t.Candidates[at]
			if c.Proved {
				continue
			}
			if n.proof != unproved {
				*c = Candidate{Move: n.move, Visits: c.Visits + int(n.visits), Proved: true}
				if games.Seat(n.proof) == tree.viewer {
					c.Chance = 1
				}
				continue
			}
			// The value of a move is the weighted mean of its visits and of Evaluate, which counts as several visits.
			weight := float64(c.Visits)
			more := float64(n.visits) + tree.tuning.PriorWeight/float64(len(p.trees))
			c.Chance = (c.Chance*weight + tree.worth(n)*more) / (weight + more)
			c.Visits += int(n.visits)
		}
	}
	slices.SortStableFunc(t.Candidates, func(a, b Candidate) int {
		if ra, rb := a.rank(), b.rank(); ra != rb {
			return rb - ra
		}
		if a.Visits != b.Visits {
			return b.Visits - a.Visits
		}
		return int(1e6*b.Chance) - int(1e6*a.Chance)
	})
	t.Chance, t.Proved = t.Candidates[0].Chance, t.Candidates[0].Proved
	return t
}

// answer returns the reply that the first tree expects to the viewer's move, if the reply can be known.
func (p *Player) answer(v games.View, m games.Move) (games.Move, bool) {
	t := p.trees[0]
	if next := v.State.Apply(m).ToMove(); t.redealer != nil || next < 0 || next == v.Viewer {
		return 0, false
	}
	for i := t.nodes[root].first; i != none; i = t.nodes[i].next {
		if t.nodes[i].move != m {
			continue
		}
		best := int32(none)
		for j := t.nodes[i].first; j != none; j = t.nodes[j].next {
			if best == none || t.nodes[j].visits > t.nodes[best].visits {
				best = j
			}
		}
		if best != none {
			return t.nodes[best].move, true
		}
	}
	return 0, false
}

// rank returns a sort key that puts proved wins first and proved losses last.
func (c Candidate) rank() int {
	switch {
	case !c.Proved:
		return 1
	case c.Chance == 1:
		return 2
	default:
		return 0
	}
}
