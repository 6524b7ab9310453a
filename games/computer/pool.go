package computer

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"marque/games"
)

// Pool runs the computer players of many tables. It is safe for concurrent use.
type Pool struct {
	lock   sync.Mutex
	memory []memory // in the order of use, the latest last
}

// memory holds the search results for the positions after the chosen move.
type memory struct {
	at    games.State
	trees []*tree
}

const (
	// memories is the maximum number of stored searches. With rememberedNodes nodes in each of two trees, they take at
	// most 85 MB.
	memories        = 16
	rememberedNodes = 1 << 16
)

// recall removes and returns the memory that contains a position, if there is one, with that position as its root.
// Tables share memories, because a position has the same value at every table.
func (c *Pool) recall(v games.View) memory {
	c.lock.Lock()
	defer c.lock.Unlock()
	for i, m := range slices.Backward(c.memory) {
		if moves, ok := locate(m.trees, m.at, v); ok {
			c.memory = slices.Delete(c.memory, i, i+1)
			advance(m.trees, moves)
			return memory{at: v.State, trees: m.trees}
		}
	}
	return memory{}
}

// remember stores the results of a player's search for the position after its move m, if a later search can use
// them.
func (c *Pool) remember(p *Player, m games.Move) {
	if p.at == nil || len(p.trees) == 0 || p.trees[0].redealer != nil {
		return
	}
	kept := memory{at: p.at.Apply(m)}
	for _, t := range p.trees {
		if at, ok := t.follow([]games.Move{m}); ok {
			t.replant(at, rememberedNodes)
			t.shrink()
			kept.trees = append(kept.trees, t)
		}
	}
	if len(kept.trees) == 0 || kept.at.ToMove() < 0 {
		return
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	c.memory = append(c.memory, kept)
	if len(c.memory) > memories {
		c.memory = slices.Delete(c.memory, 0, 1)
	}
}

// Levels returns the names of the levels, the weakest first.
func (*Pool) Levels() []string {
	names := make([]string, len(Levels))
	for i, l := range Levels {
		names[i] = string(l)
	}
	return names
}

// leastTime is the minimum time for a move at a level with a time limit, however many tables wait.
const leastTime = 50 * time.Millisecond

// Amid returns the limit to use while the given number of other tables wait.
func (l Limit) Amid(waiting int) Limit {
	if waiting > 0 {
		l.Workers = 1
		if l.Time > 0 {
			l.Time = max(leastTime, l.Time/time.Duration(1+waiting))
		}
	}
	return l
}

// Choose picks a move for the viewer, who must be to move, as a player of the level would. game is the game's key.
// waiting is the number of other tables that wait for computers. The more tables wait, the less time a level with a
// time limit uses. Only a table that waits alone gets a second core. Choose returns ErrNotToMove, or the error of an
// unknown level.
func (c *Pool) Choose(ctx context.Context, game, level string, v games.View, seed uint64,
	waiting int) (games.Move, Thought, error) {
	l, err := parseLevel(level)
	if err != nil {
		return 0, Thought{}, err
	}
	return c.choose(ctx, l, l.Limit(game).Amid(waiting), v, seed)
}

// Advise picks a good move for the viewer, who must be to move, quickly enough for a waiting user. waiting is the
// number of other tables that wait for computers. The only error is ErrNotToMove.
func (c *Pool) Advise(ctx context.Context, v games.View, seed uint64, waiting int) (games.Move, Thought, error) {
	return c.choose(ctx, Expert, adviceLimit.Amid(waiting), v, seed)
}

// adviceLimit is the limit of a search for advice.
var adviceLimit = Limit{Time: 300 * time.Millisecond, Iterations: 100_000, Workers: 1}

func (c *Pool) choose(ctx context.Context, l Level, limit Limit, v games.View,
	seed uint64) (games.Move, Thought, error) {
	p := New(l, limit, seed)
	if l == Easy || p.adversarial(v) { // there is no tree to reuse
		return p.Choose(ctx, v)
	}
	recalled := c.recall(v)
	p.at, p.trees = recalled.at, recalled.trees[:min(len(recalled.trees), p.limit.Workers)]
	m, thought, err := p.Choose(ctx, v)
	if err == nil {
		c.remember(p, m)
	}
	return m, thought, err
}

// Estimate returns the viewer's chance of winning, from 0 to 1. It may be anyone's turn. waiting is the number of other
// tables that wait for computers.
func (*Pool) Estimate(ctx context.Context, v games.View, seed uint64, waiting int) float64 {
	return New(Expert, estimateLimit.Amid(waiting), seed).Estimate(ctx, v)
}

// estimateLimit is the limit of a search for an estimate.
var estimateLimit = Limit{Time: 150 * time.Millisecond, Workers: 1}

// Assess is limited by iterations alone, so that a game always gets the same assessment.
var (
	quickLimit    = Limit{Iterations: 800}
	thoroughLimit = Limit{Iterations: 20_000}
	// proofLimit is used before a user is told of a missed win. Several moves can win, and proving this takes more
	// search.
	proofLimit = Limit{Iterations: 50_000}
)

// Effort controls how thoroughly Assess searches a decision.
type Effort int

// The efforts. Thorough takes much longer than Quick.
const (
	Quick Effort = iota
	Thorough
)

// Assessment compares a played move with the move that a computer player would choose.
type Assessment struct {
	Better games.Move // the computer player's move
	Had    float64    // the chance of winning with Better, from 0 to 1
	Left   float64    // the chance of winning with the played move; Had if the played move is Better
	// Ahead is the chance with Better minus the chance with the move that looks best one play ahead. It is 0 unless
	// Better was played.
	Ahead float64
}

// Assess returns the move that a computer player would choose for the viewer, who is to move, and the chances of
// winning with this move and with the played move. It returns ErrNotToMove, or ctx's error.
func (*Pool) Assess(ctx context.Context, v games.View, played games.Move, effort Effort,
	seed uint64) (Assessment, error) {
	if effort == Quick {
		return assess(ctx, v, played, seed, quickLimit)
	}
	j, err := assess(ctx, v, played, seed, thoroughLimit)
	// Another search can find a proof that the first search missed.
	for again := uint64(1); again <= 3 && err == nil && j.Had == 1 && j.Left > 0 && j.Left < 1; again++ {
		j.Left, err = worth(ctx, v, played, seed+again, proofLimit), ctx.Err()
	}
	return j, err
}

func assess(ctx context.Context, v games.View, played games.Move, seed uint64, limit Limit) (Assessment, error) {
	p := New(Expert, limit, seed)
	better, thought, err := p.Choose(ctx, v)
	if err != nil {
		return Assessment{}, err
	}
	chance := func(m games.Move) float64 {
		for _, c := range thought.Candidates {
			if c.Move == m && c.Proved {
				return c.Chance
			}
		}
		return worth(ctx, v, m, seed, limit)
	}
	had := chance(better)
	j := Assessment{Better: better, Had: had, Left: had}
	if better != played {
		j.Left = chance(played)
	} else if plain := oneAhead(v); plain != played {
		j.Ahead = max(0, had-chance(plain))
	}
	return j, ctx.Err()
}

// oneAhead returns the best move by an evaluation one play ahead.
func oneAhead(v games.View) games.Move {
	sim := games.Sample(v.State, v.Viewer, rand.New(games.NewRand(1))).Sim()
	return games.BestAhead(sim, v.State.Sim(), v.State.Moves())
}

// Percent rounds an uncertain chance to a whole percentage from 1 to 99.
func Percent(chance float64) int {
	return max(1, min(99, int(math.Round(100*chance))))
}

// worth returns the viewer's chance of winning after a move.
func worth(ctx context.Context, v games.View, m games.Move, seed uint64, limit Limit) float64 {
	after := v.State.Apply(m)
	if after.ToMove() == games.Nobody {
		return after.Result().Payoff(v.Viewer)
	}
	return New(Expert, limit, seed).Estimate(ctx, games.Look(after, v.Viewer))
}
