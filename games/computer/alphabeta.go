package computer

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"marque/games"
	"marque/games/learned"
)

// alphaBeta searches games of two seats without chance and hidden information. It is a principal variation search with
// iterative deepening (Marsland and Campbell 1982), a transposition table, killer moves and the history heuristic
// (Schaeffer 1989). It reduces the depth of late moves, and extends captures beyond the depth. Values are for the seat
// to move, in hundredths of the natural logarithm of its odds of winning. Only proved wins and losses have values near
// winning and -winning.
type alphaBeta struct {
	viewer games.Seat
	rng    *games.Rand
	nodes  int
	most   int     // maximum number of nodes; 0 if only time limits the search
	noise  float64 // Limit.Noise
	whole  bool    // if set, the search continues even if all moves but one are proved to lose
	done   <-chan struct{}
	stop   bool

	sims    []games.Sim // one per ply, from the root
	keys    []uint64
	buffers [][]games.Move
	killers [][2]games.Move
	history [2][historySize]int32
	table   []cell
	model   *learned.Model // Player.model
	skip    int            // plies by which the first depth of the search exceeds 1
}

// adversary is a Sim that alpha-beta can search.
type adversary interface {
	games.Sim
	games.Adversary
}

const (
	deepest     = 48 // maximum depth in plies
	beyond      = 12 // maximum extension by captures, in plies
	winning     = 30_000
	certainly   = winning - 1000 // values at least this far from 0 are proved
	largest     = 2000           // maximum absolute value of an evaluation
	historySize = 4096
	clockNodes  = 16 // nodes between checks of the clock
	// contempt is the value that a draw costs the viewer, so that a player in an even position avoids repetitions.
	contempt = 60
	// alike is the maximum difference from the best value at which a move can be chosen at random.
	alike = 2
	// margin is the distance from the best value within which a move gets an exact value. With noise the distance can
	// be greater.
	margin = 12
)

// entry is the search result for a position.
type entry struct {
	move  games.Move
	value int16
	depth int8
	bound bound
}

// cell holds an entry. Several workers can use a cell at the same time without a lock: check is the position's key
// combined with the other words, so that a mix of words from two workers is not taken for an entry (Hyatt and Mann
// 2002).
type cell struct{ check, move, rest atomic.Uint64 }

// load returns the entry of the position with the given key, or an entry with an unknown bound if the cell holds none.
func (c *cell) load(key uint64) (e entry) {
	move, rest := c.move.Load(), c.rest.Load()
	if c.check.Load()^move^rest != key {
		return entry{}
	}
	return entry{move: games.Move(move), value: int16(rest), depth: int8(rest >> 16), bound: bound(rest >> 24)}
}

func (c *cell) store(key uint64, e entry) {
	move := uint64(e.move)
	rest := uint64(uint16(e.value)) | uint64(uint8(e.depth))<<16 | uint64(e.bound)<<24
	c.check.Store(key ^ move ^ rest)
	c.move.Store(move)
	c.rest.Store(rest)
}

type bound uint8

const (
	unknown bound = iota
	exact
	lowerBound
	upperBound
)

// rootMove is a move at the root, with its latest value and the number of its nodes at all depths.
type rootMove struct {
	move  games.Move
	value int
	nodes int
	exact bool
}

// newAlphaBeta returns a search of a view's position, with a new table.
func newAlphaBeta(v games.View, limit Limit, rng *games.Rand) *alphaBeta {
	size := 1 << 19
	if limit.Iterations > 0 {
		size = min(size, 1<<bits.Len(uint(limit.Iterations)))
	}
	return newWorker(v, limit, rng, make([]cell, size))
}

// newWorker returns a search of a view's position that uses an existing table.
func newWorker(v games.View, limit Limit, rng *games.Rand, table []cell) *alphaBeta {
	a := &alphaBeta{viewer: v.Viewer, rng: rng, most: limit.Iterations, noise: limit.Noise, table: table}
	const plies = deepest + beyond + 2
	source := rand.New(rng)
	for range plies {
		a.sims = append(a.sims, games.Sample(v.State, v.Viewer, source).Sim())
		a.buffers = append(a.buffers, make([]games.Move, 0, 64))
	}
	a.keys, a.killers = make([]uint64, plies), make([][2]games.Move, plies)
	return a
}

// useModel replaces the game's evaluation by a model. It does nothing if m is nil.
func (a *alphaBeta) useModel(m *learned.Model) {
	a.model = m
	for _, sim := range a.sims {
		useModel(sim, m)
	}
}

// think searches with limit.Workers workers that share a transposition table (lazy SMP). The result comes from the
// first worker. The other workers only fill the table: each orders moves differently, and every second one begins one
// ply deeper.
func (a *alphaBeta) think(ctx context.Context, v games.View, limit Limit) []rootMove {
	if limit.Workers == 1 {
		return a.run(ctx)
	}
	if limit.Iterations > 0 {
		limit.Iterations = max(1, limit.Iterations/limit.Workers)
		a.most = limit.Iterations
	}
	within, cancel := context.WithCancel(ctx)
	var wait sync.WaitGroup
	others := make([]*alphaBeta, limit.Workers-1)
	for i := range others {
		o := newWorker(v, limit, games.NewRand(a.rng.Uint64()), a.table)
		o.useModel(a.model)
		o.whole, o.skip = true, 1-i%2
		others[i] = o
		wait.Go(func() { o.run(within) })
	}
	moves := a.run(ctx)
	cancel()
	wait.Wait()
	for _, o := range others {
		a.nodes += o.nodes
	}
	return moves
}

// run searches to increasing depths until ctx is done, the nodes are used up, or the result is known. It returns the
// moves at the root, with one of the best at the front.
func (a *alphaBeta) run(ctx context.Context) []rootMove {
	a.done = ctx.Done()
	root := a.sims[0]
	seat := root.ToMove()
	var moves []rootMove
	list := root.AppendMoves(nil)
	for i := range list { // a random order of moves with equal values
		j := i + a.rng.IntN(len(list)-i)
		list[i], list[j] = list[j], list[i]
	}
	for _, m := range list {
		moves = append(moves, rootMove{move: m, value: a.static(m, seat)})
	}
	a.sort(moves)
	a.keys[0] = root.(adversary).Hash()
	for depth := 1 + a.skip; depth <= deepest; depth++ {
		found := a.deepen(moves, depth)
		if found == nil {
			break
		}
		moves = found
		if best := moves[0].value; best >= certainly || best <= -certainly || a.stop {
			break
		}
		if !a.whole && len(moves) > 1 && moves[1].value <= -certainly { // all other moves lose
			break
		}
	}
	n := 1
	if best := moves[0].value; best < certainly && best > -certainly { // else: the earliest win or the latest loss
		for n < len(moves) && moves[n].exact && moves[n].value >= best-alike {
			n++
		}
	}
	i := a.rng.IntN(n)
	moves[0], moves[i] = moves[i], moves[0]
	return moves
}

// least returns the smallest value that must be exact at the root. best is the value of the best move.
func (a *alphaBeta) least(best int) int {
	low := max(best-margin, -winning)
	if a.noise == 0 {
		return low
	}
	p := chanceOf(best) - blunder*a.noise
	if p <= 0 {
		return -winning
	}
	return min(low, logit(p)-1) // rounded down, to include all moves with a chance of p
}

func (a *alphaBeta) sort(moves []rootMove) {
	slices.SortStableFunc(moves, func(x, y rootMove) int { return y.value - x.value })
}

// static returns the value of a move at the root without further search.
func (a *alphaBeta) static(m games.Move, seat games.Seat) int {
	next := a.sims[1]
	next.CopyFrom(a.sims[0])
	next.Play(m)
	a.nodes++
	if next.ToMove() == games.Nobody {
		return a.final(next, seat, 1)
	}
	return valueOf(next, seat)
}

// deepen searches all root moves to the given depth. The first move must be the best of the previous depth. deepen
// returns nil if the search stopped before the first move was finished.
func (a *alphaBeta) deepen(moves []rootMove, depth int) []rootMove {
	out := slices.Clone(moves)
	best := -winning
	for i := range out {
		r, before := &out[i], a.nodes
		next := a.sims[1]
		next.CopyFrom(a.sims[0])
		next.Play(r.move)
		var value int
		r.exact = i == 0
		if i == 0 {
			value = a.value(0, depth, -winning, winning)
		} else if low := a.least(best); low >= certainly {
			value = low // nothing is better than a win
		} else if value = a.value(0, depth, low, low+1); value > low && !a.stop {
			next.CopyFrom(a.sims[0])
			next.Play(r.move)
			value = a.value(0, depth, low, winning)
			r.exact = true
		}
		if a.stop {
			if i == 0 {
				return nil
			}
			// A move that was not searched to this depth must not come before the best move, unless the best move
			// loses.
			for j := i; j < len(out); j++ {
				out[j].value, out[j].exact = min(out[j].value, max(best, 2-certainly)-1), false
			}
			break
		}
		r.value = value
		r.nodes += a.nodes - before
		best = max(best, value)
	}
	a.sort(out)
	return out
}

// value searches the position at ply+1, after a move at ply, and returns its value for the seat that made the move.
func (a *alphaBeta) value(ply, depth, alpha, beta int) int {
	seat, next := a.sims[ply].ToMove(), a.sims[ply+1]
	switch next.ToMove() {
	case games.Nobody:
		return a.final(next, seat, ply+1)
	case seat:
		return a.search(ply+1, depth-1, alpha, beta)
	default:
		return -a.search(ply+1, depth-1, -beta, -alpha)
	}
}

// final returns the value of a finished game.
func (a *alphaBeta) final(sim games.Sim, seat games.Seat, ply int) int {
	switch p := sim.Payoff(seat); {
	case p == 1:
		return winning - ply
	case p == 0:
		return ply - winning
	default:
		return a.draw(seat)
	}
}

func (a *alphaBeta) draw(seat games.Seat) int {
	if seat == a.viewer {
		return -contempt
	}
	return contempt
}

// valueOf returns the game's evaluation of a position for seat, as a value.
func valueOf(sim games.Sim, seat games.Seat) int {
	return logit(sim.Evaluate(seat))
}

// logit converts a chance of winning, from 0 to 1, to a value.
func logit(p float64) int { return int(min(largest, max(-largest, 100*math.Log(p/(1-p))))) }

// chanceOf converts a value to a chance of winning, from 0 to 1.
func chanceOf(value int) float64 {
	switch {
	case value >= certainly:
		return 1
	case value <= -certainly:
		return 0
	}
	return 1 / (1 + math.Exp(-float64(value)/100))
}

// out counts a node. It reports whether the search must stop.
func (a *alphaBeta) out() bool {
	a.nodes++
	if a.most > 0 && a.nodes >= a.most {
		a.stop = true
	} else if a.nodes%clockNodes == 0 {
		select {
		case <-a.done:
			a.stop = true
		default:
		}
	}
	return a.stop
}

// search returns the value of the position at ply for the seat to move. The value has no meaning if the search
// stopped.
func (a *alphaBeta) search(ply, depth, alpha, beta int) int {
	if a.out() {
		return 0
	}
	sim := a.sims[ply].(adversary)
	seat := sim.ToMove()
	key := sim.Hash()
	a.keys[ply] = key
	// A repeated position counts as a draw at its second occurrence, not only at the third.
	for i := ply - 1; i >= 0; i-- {
		if a.keys[i] == key {
			return a.draw(seat)
		}
	}
	if depth <= 0 || ply >= deepest {
		return a.quiesce(ply, beyond, alpha, beta)
	}
	at := &a.table[key&uint64(len(a.table)-1)]
	var first games.Move
	before := at.load(key)
	known := before.bound != unknown
	if known {
		first = before.move
		if int(before.depth) >= depth {
			value := fromTable(int(before.value), ply)
			switch {
			case before.bound == exact, before.bound == lowerBound && value >= beta,
				before.bound == upperBound && value <= alpha:
				return value
			}
		}
	}
	moves := sim.AppendMoves(a.buffers[ply][:0])
	a.buffers[ply] = moves
	a.order(moves, sim, ply, seat, first, known)

	best, choice, lower := -winning, moves[0], alpha
	for i, m := range moves {
		value := a.after(sim, m, i, ply, depth, alpha, beta)
		if a.stop {
			return 0
		}
		if value > best {
			best, choice = value, m
		}
		alpha = max(alpha, value)
		if alpha >= beta {
			if sim.Urgency(m) == 0 {
				if k := &a.killers[ply]; k[0] != m {
					k[0], k[1] = m, k[0]
				}
				a.history[seat&1][slot(m)] += int32(depth * depth)
			}
			break
		}
	}
	kind := exact
	switch {
	case best <= lower:
		kind = upperBound
	case best >= beta:
		kind = lowerBound
	}
	at.store(key, entry{move: choice, value: int16(toTable(best, ply)), depth: int8(depth), bound: kind})
	return best
}

// after returns the value of a move whose index in the order at ply is i. It searches the first move with the full
// window. For each other move it first uses a null window to prove that the move is no better than the best so far, and
// a lower depth if the move is late and quiet. Only if the proof fails does it search the move again.
func (a *alphaBeta) after(sim adversary, m games.Move, i, ply, depth, alpha, beta int) int {
	try := func(depth, beta int) int {
		next := a.sims[ply+1]
		next.CopyFrom(sim)
		next.Play(m)
		return a.value(ply, depth, alpha, beta)
	}
	if i == 0 {
		return try(depth, beta)
	}
	reduced := depth
	if depth >= 3 && i >= 4 && sim.Urgency(m) == 0 {
		reduced = depth - 1 - i/12
	}
	value := try(reduced, alpha+1)
	if value > alpha && reduced < depth && !a.stop {
		value = try(depth, alpha+1)
	}
	if value > alpha && value < beta && !a.stop {
		value = try(depth, beta)
	}
	return value
}

// quiesce searches captures only. At each position the seat to move can also stop, which is worth the position's
// evaluation.
func (a *alphaBeta) quiesce(ply, left, alpha, beta int) int {
	sim := a.sims[ply].(adversary)
	seat := sim.ToMove()
	best := valueOf(sim, seat)
	if best >= beta || left == 0 {
		return best
	}
	alpha = max(alpha, best)
	moves := sim.AppendMoves(a.buffers[ply][:0])
	a.buffers[ply] = moves
	n := 0
	for _, m := range moves {
		if sim.Urgency(m) > 0 {
			moves[n] = m
			n++
		}
	}
	moves = moves[:n]
	a.order(moves, sim, ply, seat, 0, false)
	for _, m := range moves {
		next := a.sims[ply+1]
		next.CopyFrom(sim)
		next.Play(m)
		if a.out() {
			return 0
		}
		var value int
		switch next.ToMove() {
		case games.Nobody:
			value = a.final(next, seat, ply+1)
		case seat:
			value = a.quiesce(ply+1, left-1, alpha, beta)
		default:
			value = -a.quiesce(ply+1, left-1, -beta, -alpha)
		}
		if a.stop {
			return 0
		}
		best = max(best, value)
		alpha = max(alpha, value)
		if alpha >= beta {
			break
		}
	}
	return best
}

// order sorts moves, the most promising first: the best move that is known from the table, captures by value, killer
// moves, and then by history.
func (a *alphaBeta) order(moves []games.Move, sim adversary, ply int, seat games.Seat, first games.Move, known bool) {
	var room [96]int32
	ranks := room[:0]
	for _, m := range moves {
		r := a.history[seat&1][slot(m)]
		switch u := sim.Urgency(m); {
		case known && m == first:
			r = math.MaxInt32
		case u > 0:
			r = 1<<30 + int32(u)
		case m == a.killers[ply][0]:
			r = 1<<29 + 1
		case m == a.killers[ply][1]:
			r = 1 << 29
		}
		ranks = append(ranks, min(r, math.MaxInt32))
	}
	for i := 1; i < len(moves); i++ {
		for j := i; j > 0 && ranks[j] > ranks[j-1]; j-- {
			ranks[j], ranks[j-1] = ranks[j-1], ranks[j]
			moves[j], moves[j-1] = moves[j-1], moves[j]
		}
	}
}

// slot returns the index of a move in the history table.
func slot(m games.Move) int { return int((m ^ m>>12) % historySize) }

// toTable converts a value for the table, where values of wins and losses count plies from the stored position. In the
// search they count plies from the root.
func toTable(value, ply int) int {
	switch {
	case value >= certainly:
		return value + ply
	case value <= -certainly:
		return value - ply
	}
	return value
}

func fromTable(value, ply int) int {
	switch {
	case value >= certainly:
		return value - ply
	case value <= -certainly:
		return value + ply
	}
	return value
}

// answer returns the expected reply to a move at the root, if the table contains one.
func (a *alphaBeta) answer(m games.Move) (games.Move, bool) {
	next := a.sims[1]
	next.CopyFrom(a.sims[0])
	next.Play(m)
	if next.ToMove() < 0 || next.ToMove() == a.sims[0].ToMove() {
		return 0, false
	}
	key := next.(adversary).Hash()
	known := a.table[key&uint64(len(a.table)-1)].load(key)
	if known.bound == unknown || !slices.Contains(next.AppendMoves(nil), known.move) {
		return 0, false
	}
	return known.move, true
}

// thought returns the result of a search, for the seat to move.
func (a *alphaBeta) thought(moves []rootMove) (t Thought) {
	for _, r := range moves {
		t.Candidates = append(t.Candidates, Candidate{Move: r.move, Chance: chanceOf(r.value), Visits: r.nodes,
			Proved: r.value >= certainly || r.value <= -certainly})
	}
	t.Chance, t.Proved = t.Candidates[0].Chance, t.Candidates[0].Proved
	t.Before, t.Iterations = t.Chance, a.nodes
	t.Answer, t.HasAnswer = a.answer(t.Candidates[0].Move)
	return t
}
