package computer

import (
	"context"
	"math"
	"math/rand/v2"

	"marque/games"
	"marque/games/learned"
)

const (
	root = 0 // the index of a tree's root
	none = 0 // none is no node, because the root is never a child

	// maxNodes is the maximum number of nodes in a tree (40 bytes per node). A full tree gets no new nodes, but its
	// counts still change.
	maxNodes = 1 << 20
	maxSeats = 8
	unproved = int8(games.Nobody)
)

// node is a position as the viewer knows it, after the decisions and the visible outcomes since the root.
type node struct {
	move   games.Move // the move from the parent to this node; an outcome is folded if cards are hidden
	sum    float64    // sum of the iterations' values through this node, for the seat that made move
	visits int32
	avail  int32 // number of iterations in which move was available; used in games with hidden hands
	first  int32 // index of the first child, or none
	next   int32 // index of the next sibling, or none
	prior  float32
	width  int16 // number of children at the node's expansion; 0 before
	proof  int8  // seat that certainly wins, or unproved
}

// value returns the value of a node for the seat that made its move. The evaluation counts as priorWeight visits.
func (n *node) value(priorWeight float64) float64 {
	return (n.sum + priorWeight*float64(n.prior)) / (float64(n.visits) + priorWeight)
}

// tree is the search tree of one worker. Its buffers are reused for the next position.
type tree struct {
	viewer     games.Seat
	model      *learned.Model // Player.model
	tuning     games.Tuning
	rng        games.Rand
	origin     games.Sim // the position at the root, with randomly dealt hidden cards
	sim, probe games.Sim
	redealer   games.Redealer // sim as a Redealer; nil if the game hides nothing
	folder     games.Folder   // sim as a Folder; nil if it is none
	nodes      []node
	path       []step
	places     []int32 // new indices of nodes while replant removes other nodes
	moves      []games.Move
	outcomes   []games.Outcome
	iterations int
	total      float64 // sum of all iterations' values for the viewer
	explore    float64 // Tuning.Exploration, scaled to the values
	dealt      luck
	full       int   // maximum number of nodes
	race       *race // shared by the trees of a search; nil if the search must not end early
	lane       int   // index of this tree in race.leaders
}

// step is a node on the path of an iteration, with the seat that chose the node.
type step struct {
	node int32
	by   games.Seat
}

// defaultTuning is the tuning of a Sim that is not a Tuner.
var defaultTuning = games.Tuning{Playout: 40, Exploration: 0.5, PriorWeight: 4}

// clear removes the tree's nodes and keeps their memory.
func (t *tree) clear() { t.nodes = t.nodes[:0] }

// start makes v the position at the root and keeps the results below the root. room is the expected number of nodes.
func (t *tree) start(v games.View, seed uint64, room int) {
	t.viewer = v.Viewer
	t.rng = *games.NewRand(seed)
	t.origin = t.deal(v)
	t.sim, t.probe = t.deal(v), t.deal(v) // overwritten during the search
	t.redealer, _ = t.sim.(games.Redealer)
	t.folder, _ = t.sim.(games.Folder)
	t.tuning = defaultTuning
	if tuner, ok := t.sim.(games.Tuner); ok {
		t.tuning = tuner.Tuning()
	}
	if t.nodes == nil {
		t.nodes = make([]node, 0, room)
	}
	if len(t.nodes) == 0 {
		t.nodes = append(t.nodes, node{proof: unproved})
	}
	t.iterations, t.total, t.full = 0, 0, maxNodes
	t.explore, t.dealt = t.tuning.Exploration, luck{}
	if t.tuning.Relative {
		t.explore *= firstDeviation
	}
}

// deal returns the position of v, with a random deal of its hidden cards.
func (t *tree) deal(v games.View) games.Sim {
	sim := games.Sample(v.State, v.Viewer, rand.New(&t.rng)).Sim()
	useModel(sim, t.model)
	return sim
}

// clockInterval is the number of iterations between checks of the clock.
const clockInterval = 16

// run searches until ctx is done, the result is known, the choice is certain (race), or the number of iterations is
// most. It does at least one iteration. A negative most means no limit, and so does 0.
func (t *tree) run(ctx context.Context, most int) {
	done := ctx.Done()
	for {
		t.iterate()
		t.iterations++
		if t.iterations == most || t.proved() || t.race != nil && t.iterations%raceInterval == 0 && t.race.won(t,
			most) {
			return
		}
		if t.iterations%clockInterval == 0 {
			select {
			case <-done:
				return
			default:
			}
		}
	}
}

// proved reports whether the result is proved, so that more search cannot change the choice.
func (t *tree) proved() bool { return t.nodes[root].proof != unproved }

// iterate follows the tree down to a leaf, adds nodes there, and adds the resulting value to the nodes of the path.
func (t *tree) iterate() {
	t.sim.CopyFrom(t.origin)
	if t.redealer != nil {
		t.redealer.Redeal(t.viewer, &t.rng)
	}
	if t.tuning.Relative {
		t.dealt.known = 0
		t.assess(t.viewer)
	}
	t.path = append(t.path[:0], step{root, games.Nobody})
	at := int32(root)
	for {
		seat := t.sim.ToMove()
		if seat == games.Nobody || t.nodes[at].proof != unproved {
			break
		}
		if t.tuning.Relative && seat >= 0 {
			t.assess(seat)
		}
		var next int32
		if seat == games.Chance {
			next = t.chance(at)
		} else if t.nodes[at].width == 0 {
			if t.tuning.FirstTry > 0 && t.nodes[at].visits == 0 && at != root {
				t.sim.Play(t.firstTry(seat))
				break
			}
			if !t.expandable(at) || !t.expand(at, seat) {
				break
			}
			t.prove()
			if t.tuning.Playout == 0 && t.nodes[at].proof == unproved {
				// Evaluate is more accurate after a decision than before it. So the move with the best evaluation is
				// played first.
				t.sim.Play(t.promising(at))
			}
			break
		} else {
			next = t.choose(at, seat)
		}
		if next == none {
			break
		}
		t.path = append(t.path, step{next, seat})
		at = next
	}
	t.count(at)
}

// expansionThreshold is the number of visits that a node needs to be expanded when the tree is nearly full.
const expansionThreshold = 8

// expandable reports whether a node has enough visits to be expanded. In an empty tree a node needs none, unless Tuning
// requires some. This finds forced wins early. The fuller the tree, the more visits a node needs, so that the
// remaining space is used for important nodes.
func (t *tree) expandable(at int32) bool {
	return int(t.nodes[at].visits) >= max(t.tuning.Expansion, expansionThreshold*len(t.nodes)/t.full) || at == root
}

// chance plays an outcome and returns its node, or none if the tree is full. If nothing is hidden, the outcomes are not
// random but alternate in proportion to their weights. This reduces the influence of luck on the comparison of moves.
func (t *tree) chance(at int32) int32 {
	if t.redealer == nil {
		if t.nodes[at].width == 0 && !t.outspread(at) {
			t.sim.PlayRandom(&t.rng)
			return none
		}
		next, most := int32(none), math.Inf(-1)
		for i := t.nodes[at].first; i != none; i = t.nodes[i].next {
			n := &t.nodes[i]
			if due := float64(n.prior)*float64(t.nodes[at].visits+1) - float64(n.visits); due > most {
				next, most = i, due
			}
		}
		t.sim.Play(t.nodes[next].move)
		return next
	}
	m := t.sim.PlayRandom(&t.rng)
	m = t.fold(m)
	for i := t.nodes[at].first; i != none; i = t.nodes[i].next {
		if t.nodes[i].move == m {
			return i
		}
	}
	return t.add(at, m)
}

// outspread adds children to a chance node, one for each group of outcomes that fold alike, with the group's
// probability as its prior. It reports whether the tree had space for them.
func (t *tree) outspread(at int32) bool {
	t.outcomes = t.sim.AppendOutcomes(t.outcomes[:0])
	if len(t.nodes)+len(t.outcomes) > t.full {
		return false
	}
	total := 0
	for _, o := range t.outcomes {
		total += o.Weight
	}
	width := int16(0)
	for _, o := range t.outcomes {
		i := t.nodes[at].first
		for i != none && t.fold(t.nodes[i].move) != t.fold(o.Move) {
			i = t.nodes[i].next
		}
		if i == none {
			i = t.add(at, o.Move)
			width++
		}
		t.nodes[i].prior += float32(o.Weight) / float32(total)
	}
	t.nodes[at].width = width
	return true
}

func (t *tree) fold(m games.Move) games.Move {
	if t.folder == nil {
		return m
	}
	return t.folder.Fold(m)
}

// add adds a child in front of a node's other children. It returns none if the tree is full.
func (t *tree) add(parent int32, m games.Move) int32 {
	if len(t.nodes) >= t.full {
		return none
	}
	i := int32(len(t.nodes))
	t.nodes = append(t.nodes, node{move: m, proof: unproved, next: t.nodes[parent].first})
	t.nodes[parent].first = i
	return i
}

// expand adds all moves to a node, each with its evaluation. It reports whether the tree had space for them.
func (t *tree) expand(at int32, seat games.Seat) bool {
	t.moves = t.sim.AppendMoves(t.moves[:0])
	if len(t.nodes)+len(t.moves) > t.full {
		return false
	}
	for i := len(t.moves) - 1; i >= 0; i-- { // add prepends each child
		t.child(at, t.moves[i], seat)
	}
	t.nodes[at].width = int16(min(len(t.moves), math.MaxInt16))
	return true
}

// firstTry returns the move with the best evaluation among those that are evaluated at the first try (Tuning.FirstTry).
func (t *tree) firstTry(seat games.Seat) games.Move {
	t.moves = t.sim.AppendMoves(t.moves[:0])
	urgency := t.sim.(games.Urgency)
	best, most := t.moves[0], math.Inf(-1)
	for i, m := range t.moves {
		if i%t.tuning.FirstTry > 0 && urgency.Urgency(m) == 0 {
			continue
		}
		if worth := t.foresee(m, seat); worth > most {
			best, most = m, worth
		}
	}
	return best
}

// foresee plays a move with the probe and returns the evaluation of the position after it, for the seat that makes the
// move.
func (t *tree) foresee(m games.Move, seat games.Seat) float64 {
	return games.WorthAfter(t.sim, t.probe, m, seat)
}

// promising returns the move of the child with the best evaluation.
func (t *tree) promising(at int32) games.Move {
	first := t.nodes[at].first
	best := first
	for i := t.nodes[first].next; i != none; i = t.nodes[i].next {
		if t.nodes[i].prior > t.nodes[best].prior {
			best = i
		}
	}
	return t.nodes[best].move
}

// child adds a node for a seat's move to a parent node.
func (t *tree) child(at int32, m games.Move, seat games.Seat) int32 {
	i := t.add(at, m)
	if i == none {
		return none
	}
	n := &t.nodes[i]
	n.prior = float32(t.foresee(m, seat) - t.dealt.worth[seat])
	if t.redealer == nil && t.probe.ToMove() == games.Nobody {
		n.proof = t.winner()
	}
	return i
}

// winner returns the single winner of the probe's game, or unproved if there is none.
func (t *tree) winner() int8 {
	for seat := range games.Seat(maxSeats) {
		switch t.probe.Payoff(seat) {
		case 0:
		case 1:
			return int8(seat)
		default:
			return unproved
		}
	}
	return unproved
}

// choose picks and plays seat's most promising move, by UCB1 over the available moves (ISUCT), and returns its node.
// It returns none, and plays nothing, if no available move has a node and the tree is full.
func (t *tree) choose(at int32, seat games.Seat) int32 {
	if t.redealer == nil {
		best := t.best(at)
		t.sim.Play(t.nodes[best].move)
		return best
	}
	// The cards are different in each iteration, so other moves can be legal.
	t.moves = t.sim.AppendMoves(t.moves[:0])
	best, most := int32(none), math.Inf(-1)
	i := t.nodes[at].first
	for _, m := range t.moves {
		from := i
		for i != none && t.nodes[i].move != m {
			i = t.nodes[i].next
		}
		if i == none { // continue at the start of the list
			for i = t.nodes[at].first; i != from && t.nodes[i].move != m; {
				i = t.nodes[i].next
			}
			if i == from {
				if i = t.child(at, m, seat); i == none {
					continue
				}
			}
		}
		n := &t.nodes[i]
		n.avail++
		if u := t.upperBound(n, sqrtLog(n.avail)); u > most {
			best, most = i, u
		}
	}
	if best != none {
		t.sim.Play(t.nodes[best].move)
	}
	return best
}

// best returns the child with the highest upper bound. It returns a proved loss only if all children are proved losses.
func (t *tree) best(at int32) int32 {
	best, most := int32(none), math.Inf(-1)
	explored := sqrtLog(t.nodes[at].visits)
	for i := t.nodes[at].first; i != none; i = t.nodes[i].next {
		n := &t.nodes[i]
		u := -1.0 // a proved loss, because with a proved win this node would be proved, too
		if n.proof == unproved {
			u = t.upperBound(n, explored)
		}
		if u > most {
			best, most = i, u
		}
	}
	return best
}

// upperBound returns the upper confidence bound of a node (UCB1). explored is sqrtLog of the number of iterations in
// which the node was available.
func (t *tree) upperBound(n *node, explored float64) float64 {
	return n.value(t.tuning.PriorWeight) + t.explore*explored*inverseRoot(n.visits)
}

// The two factors of the exploration term are read from tables for small counts, which most nodes have.

// sqrtLog returns the square root of ln(n+1), the exploration factor after n choices.
func sqrtLog(n int32) float64 {
	if n < tabled {
		return sqrtLogs[n]
	}
	return math.Sqrt(math.Log(float64(n) + 1))
}

// inverseRoot returns 1 over the square root of n+1, the uncertainty of a move that was tried n times.
func inverseRoot(n int32) float64 {
	if n < tabled {
		return inverseRoots[n]
	}
	return 1 / math.Sqrt(float64(n)+1)
}

const tabled = 1024

var sqrtLogs, inverseRoots = func() (z, r [tabled]float64) {
	for n := range z {
		z[n] = math.Sqrt(math.Log(float64(n) + 1))
		r[n] = 1 / math.Sqrt(float64(n)+1)
	}
	return z, r
}()

// prove propagates proofs up the path. A seat wins a position if one of its own moves, all moves of another seat,
// or all outcomes lead to positions that it wins. prove does nothing if cards are hidden.
func (t *tree) prove() {
	if t.redealer != nil {
		return
	}
	for i := len(t.path) - 1; i >= 0; i-- {
		at := t.path[i].node
		n := &t.nodes[at]
		if n.proof != unproved {
			continue
		}
		var seat games.Seat
		if i+1 < len(t.path) {
			seat = t.path[i+1].by
		} else {
			seat = t.sim.ToMove()
		}
		if n.proof = t.certain(n, seat); n.proof == unproved {
			return
		}
	}
}

// certain returns the seat that certainly wins a node with seat to move, or unproved.
func (t *tree) certain(n *node, seat games.Seat) int8 {
	all := t.nodes[n.first].proof
	for i := n.first; i != none; i = t.nodes[i].next {
		p := t.nodes[i].proof
		if p == int8(seat) {
			return p
		}
		if p != all {
			all = unproved
		}
	}
	return all
}

// count finishes an iteration at its last node: it plays random moves, unless the result is proved, and adds the
// result to the nodes of the path.
func (t *tree) count(at int32) {
	proof := t.nodes[at].proof
	if proof == unproved {
		for left := t.tuning.Playout; left > 0 && t.sim.ToMove() != games.Nobody; left-- {
			t.sim.PlayRandom(&t.rng)
		}
	}
	over := t.sim.ToMove() == games.Nobody
	worth := func(seat games.Seat) float64 {
		switch {
		case proof == int8(seat):
			return 1
		case proof != unproved:
			return 0
		case over:
			return t.sim.Payoff(seat)
		default:
			return t.sim.Evaluate(seat)
		}
	}
	var worths [maxSeats]float64
	known := uint(1) << uint(t.viewer)
	worths[t.viewer] = worth(t.viewer)
	t.total += worths[t.viewer]
	if t.tuning.Relative {
		t.note(worths[t.viewer])
	}
	for _, s := range t.path {
		n := &t.nodes[s.node]
		n.visits++
		if s.by < 0 {
			continue
		}
		if known>>uint(s.by)&1 == 0 {
			known |= 1 << uint(s.by)
			worths[s.by] = worth(s.by)
		}
		n.sum += worths[s.by] - t.dealt.worth[s.by]
	}
}

// useModel replaces the evaluation of a sim by a model. It does nothing if m is nil.
func useModel(sim games.Sim, m *learned.Model) {
	if m != nil {
		sim.(learned.Trainable).SetModel(m)
	}
}
