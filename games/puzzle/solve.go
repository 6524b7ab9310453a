package puzzle

import (
	"slices"

	"marque/games"
)

// Goal is a goal for the side to move in a game without luck. A Solver finds out whether the side can force it.
type Goal struct {
	// Gain is the number of captures minus losses (games.Counter), or 0 for winning the game. A gain must survive the
	// opponent's next move. Winning the game reaches any gain.
	Gain int
	// Moves is the maximum number of the solving side's moves to the goal.
	Moves int
}

// adversary is a Sim that the solver can search.
type adversary interface {
	games.Sim
	games.Adversary
	games.Counter
}

// Solver proves whether the side to move can force a goal within a number of moves, by searching all of the side's
// moves and all replies. It is a plain AND/OR search with a table of positions, which first tries the reply that last
// refuted a move. It uses no estimates.
//
// Some games are drawn on the third occurrence of a position (MD-8). The result then depends on the earlier positions,
// which the table does not contain. A side that forces a goal in the fewest moves never repeats a position, so "forced"
// is correct if no position has occurred twice in the game before. "Not forced" is stored only if the search has not
// reached a draw of this kind.
type Solver struct {
	seat    games.Seat
	base    int
	goal    Goal
	sims    []adversary
	buffers [][]games.Move
	refute  []games.Move // the latest refuting reply at each ply
	table   []known
	salt    uint64
	draws   int
}

// known holds the search results for a position in which the solver's side is to move.
type known struct {
	key       uint64
	forced    int8 // number of moves in which the goal is forced; 0 if unknown
	notForced int8 // largest number of moves in which the goal is not forced
}

const (
	tableBits = 15
	mostPlies = 24
)

// NewSolver returns a solver for the seat to move. The result is false if no seat is to move, for a Sim that is not
// both a games.Adversary and a games.Counter, and for a Sim whose Tuning does not choose alpha-beta, as in a game
// of three.
func NewSolver(s games.State) (*Solver, bool) {
	seat := s.ToMove()
	if seat < 0 {
		return nil, false
	}
	root, ok := s.Sim().(adversary)
	if tuner, tuned := root.(games.Tuner); !ok || !tuned || !tuner.Tuning().AlphaBeta {
		return nil, false
	}
	v := &Solver{seat: seat, base: root.Material(seat), sims: []adversary{root}, table: make([]known, 1<<tableBits)}
	for range mostPlies {
		v.sims = append(v.sims, s.Sim().(adversary))
	}
	v.buffers, v.refute = make([][]games.Move, mostPlies+1), make([]games.Move, mostPlies+1)
	return v, true
}

// Forcing returns the moves that force the goal, in the game's order.
func (v *Solver) Forcing(goal Goal) (moves []games.Move) {
	v.set(goal)
	for _, m := range v.sims[0].AppendMoves(nil) {
		if v.try(0, m, goal.Moves) {
			moves = append(moves, m)
		}
	}
	return moves
}

// Forces reports whether the move m forces the goal.
func (v *Solver) Forces(m games.Move, goal Goal) bool {
	v.set(goal)
	return v.try(0, m, goal.Moves)
}

// set changes the goal. For another gain, it also changes the keys of the table, because an entry is only valid for one
// gain.
func (v *Solver) set(goal Goal) {
	if goal.Gain != v.goal.Gain || v.salt == 0 {
		v.salt += 0x9e3779b97f4a7c15
	}
	v.goal = goal
}

// won reports whether the solver's side has won a finished game. It also counts the draws that the search reaches.
func (v *Solver) won(over games.Sim) bool {
	p := over.Payoff(v.seat)
	if p > 0 && p < 1 {
		v.draws++
	}
	return p == 1
}

// try reports whether move m of the solver's side at ply forces the goal within left moves, including m.
func (v *Solver) try(ply int, m games.Move, left int) bool {
	next := v.sims[ply+1]
	next.CopyFrom(v.sims[ply])
	next.Play(m)
	switch next.ToMove() {
	case games.Nobody:
		return v.won(next)
	case v.seat:
		return left > 1 && v.attack(ply+1, left-1)
	}
	if v.goal.Gain > 0 && next.Material(v.seat)-v.base >= v.goal.Gain && v.lasts(ply+1) {
		return true
	}
	return left > 1 && v.defend(ply+1, left-1)
}

// lasts reports whether the gain survives every reply of the opponent. At the maximum depth it returns false.
func (v *Solver) lasts(ply int) bool {
	if ply+1 >= mostPlies {
		return false
	}
	sim, next := v.sims[ply], v.sims[ply+1]
	moves := sim.AppendMoves(v.buffers[ply][:0])
	v.buffers[ply] = moves
	for _, m := range moves {
		next.CopyFrom(sim)
		next.Play(m)
		if next.ToMove() == games.Nobody && next.Payoff(v.seat) < 1 || next.Material(v.seat)-v.base < v.goal.Gain {
			return false
		}
	}
	return true
}

// attack reports whether any move of the solver's side, which is to move, forces the goal within left moves.
func (v *Solver) attack(ply, left int) bool {
	if ply+1 >= mostPlies {
		return false
	}
	sim := v.sims[ply]
	key := games.Mix(sim.Hash() ^ v.salt)
	at := &v.table[key>>(64-tableBits)]
	if at.key == key {
		if at.forced > 0 && int(at.forced) <= left {
			return true
		}
		if int(at.notForced) >= left {
			return false
		}
	}
	draws := v.draws
	moves := sim.AppendMoves(v.buffers[ply][:0])
	v.buffers[ply] = moves
	forced := slices.ContainsFunc(moves, func(m games.Move) bool { return v.try(ply, m, left) })
	if at.key != key {
		*at = known{key: key}
	}
	switch {
	case forced:
		at.forced = int8(left)
	case draws == v.draws:
		at.notForced = max(at.notForced, int8(left))
	}
	return forced
}

// defend reports whether the goal remains forced within left moves after every reply of the opponent, who is to move.
func (v *Solver) defend(ply, left int) bool {
	if ply+1 >= mostPlies {
		return false
	}
	sim := v.sims[ply]
	moves := sim.AppendMoves(v.buffers[ply][:0])
	v.buffers[ply] = moves
	if i := slices.Index(moves, v.refute[ply]); i > 0 {
		moves[0], moves[i] = moves[i], moves[0]
	}
	for _, m := range moves {
		if !v.reply(ply, m, left) {
			v.refute[ply] = m
			return false
		}
	}
	return true
}

// reply reports whether the goal is forced within left moves after the opponent's reply m.
func (v *Solver) reply(ply int, m games.Move, left int) bool {
	next := v.sims[ply+1]
	next.CopyFrom(v.sims[ply])
	next.Play(m)
	switch next.ToMove() {
	case games.Nobody:
		return v.won(next)
	case v.seat:
		return v.attack(ply+1, left)
	default:
		return v.defend(ply+1, left)
	}
}

// Reached reports whether move m reaches the goal immediately.
func (v *Solver) Reached(m games.Move, goal Goal) bool {
	goal.Moves = 1
	return v.Forces(m, goal)
}

// Play is a user's attempt at a puzzle. The solver finds the moves that still force the goal, and replies with the best
// defence.
type Play struct {
	State games.State // a position with the solving side to move, or the last position if Done is set
	Left  int         // number of moves left to reach the goal
	Done  bool
	seat  games.Seat
	want  int // material that reaches the goal, unless Gain is 0
	goal  Goal
}

// NewPlay returns a play from a position in which the side to move must reach the goal. The result is false for a
// position that the solver cannot search (NewSolver).
func NewPlay(s games.State, goal Goal) (Play, bool) {
	v, ok := NewSolver(s)
	if !ok {
		return Play{}, false
	}
	return Play{State: s, Left: goal.Moves, seat: s.ToMove(), want: v.base + goal.Gain, goal: goal}, true
}

// solver returns a solver at a position with the solving side to move, and the remaining goal.
func (p Play) solver(s games.State) (*Solver, Goal) {
	v, _ := NewSolver(s)
	v.base = p.want - p.goal.Gain
	return v, Goal{Gain: p.goal.Gain, Moves: p.Left}
}

// at moves the solver to another position in which its side is to move. The table stays valid.
func (v *Solver) at(s games.State) { v.sims[0] = s.Sim().(adversary) }

// shortest returns the number of moves in which the goal is forced, or 0 if it is not forced.
func (v *Solver) shortest(goal Goal) int {
	most := goal.Moves
	for goal.Moves = 1; goal.Moves <= most; goal.Moves++ {
		v.set(goal)
		if v.attack(0, goal.Moves) {
			return goal.Moves
		}
	}
	return 0
}

// Solving returns the moves that still force the goal within the remaining moves.
func (p Play) Solving() []games.Move {
	v, goal := p.solver(p.State)
	return v.Forcing(goal)
}

// Shortest returns the moves of Solving that reach the goal fastest.
func (p Play) Shortest() (moves []games.Move) {
	v, goal := p.solver(p.State)
	for goal.Moves = 1; goal.Moves <= p.Left && len(moves) == 0; goal.Moves++ {
		moves = v.Forcing(goal)
	}
	return moves
}

// After returns the play after a move of Solving and the best defence, which is the reply that delays the goal longest.
// Of equal replies it chooses the one that leaves the solving side the least material, and then the first in the game's
// order. replies holds the opponent's plays after m.
func (p Play) After(m games.Move) (next Play, replies []games.Move) {
	v, goal := p.solver(p.State)
	next = p
	reached := v.Reached(m, goal)
	next.State, next.Left = p.State.Apply(m), p.Left-1
	if reached {
		next.Done = true
		return next, nil
	}
	for next.State.ToMove() != p.seat {
		r, over := next.defence()
		replies = append(replies, r)
		next.State = next.State.Apply(r)
		if over {
			next.Done = true
			break
		}
	}
	return next, replies
}

// defence returns the reply that delays the goal longest, and whether it ends the game.
func (p Play) defence() (best games.Move, over bool) {
	var v *Solver
	var goal Goal
	most, least := -1, 0
	for _, r := range p.State.Moves() {
		after := p.State.Apply(r)
		lasts, material := 0, 0
		switch after.ToMove() {
		case games.Nobody:
		case p.seat:
			if v == nil {
				v, goal = p.solver(after)
			}
			v.at(after)
			material = v.sims[0].Material(p.seat)
			if lasts = v.shortest(goal); lasts == 0 {
				lasts = p.Left + 1
			}
		default:
			lasts = p.Left
		}
		if lasts > most || lasts == most && material < least {
			best, most, least, over = r, lasts, material, after.ToMove() == games.Nobody
		}
	}
	return best, over
}

// Refutation returns a reply to a move that is not among Solving. After the reply the goal is no longer forced. The
// result is false if the move ends the game, or leaves the same side to move.
func (p Play) Refutation(m games.Move) (games.Move, bool) {
	next := p
	next.State, next.Left = p.State.Apply(m), max(p.Left-1, 1)
	if s := next.State.ToMove(); s < 0 || s == p.seat {
		return 0, false
	}
	r, _ := next.defence()
	return r, true
}
