package lab

import (
	"context"
	"math"
	"slices"
	"sync"

	"marque/games"
	"marque/games/computer"
	"marque/games/puzzle"
)

// The maximum number of iterations that a computer player needs to solve a puzzle of each grade, from grade 1. Harder
// puzzles have the last grade. An iteration is a position under alpha-beta, and a playout in the tree search, so proved
// puzzles take more iterations.
var (
	provedGrades  = [puzzle.Grades - 1]int{100, 600, 3_600, 21_600}
	weighedGrades = [puzzle.Grades - 1]int{20, 80, 320, 1_280}
)

// Limits for mining puzzles. mostMoves is for proved puzzles only.
const (
	mostMoves  = 4 // maximum number of the solving side's moves to search; one more than in a puzzle
	leastMoves = 5 // minimum number of legal moves
	perGame    = 3 // maximum number of puzzles from one game
	between    = 6 // minimum number of plays between two puzzles of a game
)

// Mining describes a search for puzzles.
type Mining struct {
	Game    games.Game
	Setup   games.Setup
	N       int // maximum number of puzzles
	From    int // number of the first game, from 0
	Games   int // maximum number of games to play
	Seed    uint64
	Workers int
	// Found, if set, is called for each puzzle in the order of Mine's result, with the number of games played so far.
	Found func(p puzzle.Puzzle, played int)
}

// Mine finds puzzles in games between computer players, at most N/2 of them (rounded up) of the same grade. The
// same mining gives the same puzzles, for any number of workers. It returns fewer than N puzzles if it finds no
// more. It returns ctx's error if ctx ends early.
func (w Mining) Mine(ctx context.Context) (found []puzzle.Puzzle, played int, err error) {
	seen := map[string]bool{}
	var room [puzzle.Grades + 1]int
	for g := range room {
		room[g] = (w.N + 1) / 2
	}
	for played < w.Games && len(found) < w.N {
		batch := min(max(w.Workers, 1)*4, w.Games-played)
		results := make([][]candidate, batch)
		var wait sync.WaitGroup
		next := make(chan int)
		for range max(w.Workers, 1) {
			wait.Go(func() {
				for i := range next {
					results[i] = w.game(ctx, uint64(w.From+played+i))
				}
			})
		}
		for i := range batch {
			next <- i
		}
		close(next)
		wait.Wait()
		if err := ctx.Err(); err != nil {
			return found, played, err
		}
		for _, r := range results {
			played++
			for _, c := range r {
				if len(found) == w.N || seen[c.position] || room[c.Grade] == 0 {
					continue
				}
				seen[c.position] = true
				room[c.Grade]--
				found = append(found, c.Puzzle)
				if w.Found != nil {
					w.Found(c.Puzzle, played)
				}
			}
			if len(found) == w.N {
				break
			}
		}
	}
	return found, played, nil
}

type candidate struct {
	puzzle.Puzzle
	position string
}

// game plays a game and returns the puzzles among its decisions.
func (w Mining) game(ctx context.Context, number uint64) (found []candidate) {
	seed := games.Mix(games.Mix(w.Seed) + number)
	rng := games.NewRand(seed)
	m, err := games.NewMatch(w.Game, games.Header{Setup: w.Setup})
	if err != nil {
		return nil
	}
	_, proves := puzzle.NewSolver(m.State())
	players := w.players(rng, proves)
	random := rng.IntN(7) // number of random plays in the opening, so that games differ
	longest := w.Game.Traits().Longest
	last := -between
	for n := 0; !m.Over() && n < longest && len(found) < perGame && ctx.Err() == nil; n++ {
		s := m.State()
		var play games.Move
		switch seat := s.ToMove(); {
		case seat == games.Chance:
			play = rng.Outcome(s.Outcomes())
		default:
			v := m.View(seat)
			moves := v.State.Moves()
			var thought computer.Thought
			if random > 0 {
				random--
				play = moves[rng.IntN(len(moves))]
			} else if play, thought, err = players[seat].Choose(ctx, v); err != nil {
				return nil
			}
			if n-last < between || len(moves) < leastMoves {
				break
			}
			var p puzzle.Puzzle
			var ok bool
			if proves {
				p, ok = prove(ctx, s, seed+uint64(n))
			} else if len(thought.Candidates) > 1 {
				p, ok = weigh(ctx, v, thought, seed+uint64(n))
			}
			if ok && !(proves && Repeated(m)) {
				for _, e := range m.Log() {
					p.Plays = append(p.Plays, e.Text)
				}
				j, err := v.State.MarshalJSON()
				if err != nil {
					return nil
				}
				found, last = append(found, candidate{p, string(j)}), n
			}
		}
		if err := m.PlayExact(games.Spell(s, play)); err != nil {
			return nil
		}
	}
	return found
}

// players returns a player for each seat. In games without luck, the players differ in strength at random, so that they
// make mistakes that can be punished.
func (w Mining) players(rng *games.Rand, proves bool) []Chooser {
	var list []Chooser
	for range w.Setup.Seats {
		limit := computer.Limit{Iterations: 100 << rng.IntN(4)}
		if !proves {
			limit.Iterations = 600
		} else if rng.IntN(4) == 0 {
			limit = computer.Limit{Iterations: 60, Noise: 0.10}
		}
		list = append(list, computer.New(computer.Hard, limit, rng.Uint64()))
	}
	return list
}

// prove returns a puzzle of a position without luck, if a single move forces a goal and no other move forces it even
// with one more move. The result is false if a player who looks one play ahead finds the move, or if a long search
// prefers another move.
func prove(ctx context.Context, s games.State, seed uint64) (puzzle.Puzzle, bool) {
	v, ok := puzzle.NewSolver(s)
	if !ok {
		return puzzle.Puzzle{}, false
	}
	only, goal, ok := only(v)
	if !ok {
		return puzzle.Puzzle{}, false
	}
	view := games.Look(s, s.ToMove())
	if Greedy(view, seed) == only {
		return puzzle.Puzzle{}, false
	}
	const long = 40_000
	best, _, err := computer.New(computer.Hard, computer.Limit{Iterations: long, Workers: 1}, seed).Choose(ctx, view)
	if err != nil || best != only {
		return puzzle.Puzzle{}, false
	}
	p := puzzle.Puzzle{Claim: puzzle.Claim{Goal: goal}, Solution: Line(s, goal)}
	p.Grade = grade(ctx, view, only, provedGrades, seed)
	return p, true
}

// only returns the single move that forces the greatest possible goal, in at least two moves, if there is a move with
// this property. No other move forces the goal even with one more move.
func only(v *puzzle.Solver) (games.Move, puzzle.Goal, bool) {
	if len(v.Forcing(puzzle.Goal{Gain: 1, Moves: mostMoves - 1})) == 0 { // without the smallest goal, none is forced
		return 0, puzzle.Goal{}, false
	}
	for _, gain := range [...]int{0, 5, 4, 3, 2, 1} { // 0 is a win, the greatest gain
		for moves := 1; moves < mostMoves; moves++ {
			goal := puzzle.Goal{Gain: gain, Moves: moves}
			forcing := v.Forcing(goal)
			if len(forcing) == 0 {
				continue
			}
			if len(forcing) > 1 || moves == 1 || len(v.Forcing(puzzle.Goal{Gain: gain, Moves: moves + 1})) > 1 {
				return 0, puzzle.Goal{}, false
			}
			return forcing[0], goal, true
		}
	}
	return 0, puzzle.Goal{}, false
}

// Repeated reports whether a match without luck has repeated a position, in which case the solver's rule for
// repetitions does not apply.
func Repeated(m *games.Match) bool {
	times := map[uint64]int{}
	for n := range m.Len() + 1 {
		sim, ok := m.At(n).Sim().(games.Adversary)
		if !ok {
			return false
		}
		h := sim.Hash()
		if times[h]++; times[h] > 1 {
			return true
		}
	}
	return false
}

// Line returns the solution of a puzzle: the first of the shortest lines, with the best defence.
func Line(s games.State, goal puzzle.Goal) (line []string) {
	p, _ := puzzle.NewPlay(s, goal)
	for !p.Done {
		m := p.Shortest()[0]
		next, replies := p.After(m)
		line = append(line, games.Spell(p.State, m))
		at := p.State.Apply(m)
		for _, r := range replies {
			line = append(line, games.Spell(at, r))
			at = at.Apply(r)
		}
		p = next
	}
	return line
}

// Limits for mining puzzles in games of luck.
const (
	leastMargin = 0.08 // minimum difference between the chances of the best moves
	leastGap    = 0.03 // minimum distance between the intervals of the best moves
	alternates  = 4    // number of other moves that are estimated again
	playouts    = 800  // number of playouts that check the searches
)

// The efforts of estimates: firstLook for every move, then LongLook for the best moves. The test of the stored
// puzzles uses QuickLook, or LongLook.
var (
	firstLook = Effort{Searches: 2, Iterations: 400}
	LongLook  = Effort{Searches: 8, Iterations: 2500}
	QuickLook = Effort{Searches: 4, Iterations: 700}
)

// weigh returns a puzzle of a view in a game of luck, if one move is clearly the best. It must lead the next best moves
// by leastMargin, with separate intervals, and win more playouts than the second best. The result is false if the move
// wins almost certainly, or if a player who looks one play ahead finds it.
func weigh(ctx context.Context, v games.View, t computer.Thought, seed uint64) (puzzle.Puzzle, bool) {
	best := t.Candidates[0].Move
	for _, c := range t.Candidates[1:] {
		if c.Chance > t.Candidates[0].Chance-leastMargin && c.Visits > 20 {
			return puzzle.Puzzle{}, false
		}
	}
	if Greedy(v, seed) == best {
		return puzzle.Puzzle{}, false
	}
	type guess struct {
		move games.Move
		mean float64
	}
	mine, _ := Estimate(ctx, v, best, firstLook, seed)
	if mine > 0.97 { // an almost certain win needs no choice
		return puzzle.Puzzle{}, false
	}
	var others []guess
	moves := v.State.Moves()
	looked := func(m games.Move) int { // the search's best moves first, which are most likely as good
		return slices.IndexFunc(t.Candidates, func(c computer.Candidate) bool { return c.Move == m })
	}
	slices.SortStableFunc(moves, func(a, b games.Move) int { return looked(a) - looked(b) })
	for _, m := range moves {
		if m == best {
			continue
		}
		mean, _ := Estimate(ctx, v, m, firstLook, seed)
		if mean > mine-leastMargin/2 {
			return puzzle.Puzzle{}, false
		}
		others = append(others, guess{m, mean})
	}
	slices.SortStableFunc(others, func(a, b guess) int {
		if a.mean > b.mean {
			return -1
		} else if a.mean < b.mean {
			return 1
		}
		return 0
	})
	claim := puzzle.Claim{}
	var next games.Move
	mean, half := Estimate(ctx, v, best, LongLook, seed)
	claim.Best = chanceOf(mean, half)
	for _, o := range others[:min(alternates, len(others))] {
		m, h := Estimate(ctx, v, o.move, LongLook, seed)
		if mean-m < leastMargin || mean-half-(m+h) < leastGap {
			return puzzle.Puzzle{}, false
		}
		if c := chanceOf(m, h); claim.Next == (puzzle.Chance{}) || c.Mean > claim.Next.Mean {
			claim.Next, next = c, o.move
		}
	}
	if !surely(Playouts(v, best, playouts, seed), Playouts(v, next, playouts, seed+1), playouts) {
		return puzzle.Puzzle{}, false
	}
	return puzzle.Puzzle{Claim: claim, Grade: grade(ctx, v, best, weighedGrades, seed),
		Solution: []string{games.Spell(v.State, best)}}, true
}

func chanceOf(mean, half float64) puzzle.Chance {
	round := func(x float64) int { return int(math.Round(100 * min(1, max(0, x)))) }
	return puzzle.Chance{Mean: round(mean), Low: round(mean - half), High: round(mean + half)}
}

// grade returns the lowest grade such that a computer player with the iterations of this or any higher grade finds the
// move in every attempt, or Grades if even the most iterations are too few.
func grade(ctx context.Context, v games.View, m games.Move, grades [puzzle.Grades - 1]int,
	seed uint64) int {
	const times = 3
	for g, iterations := range slices.Backward(grades[:]) {
		limit := computer.Limit{Iterations: iterations, Workers: 1}
		for i := range uint64(times) {
			found, _, err := computer.New(computer.Hard, limit, seed+i).Choose(ctx, v)
			if err != nil || found != m {
				return g + 2
			}
		}
	}
	return 1
}
