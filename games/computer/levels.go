package computer

import (
	"fmt"
	"slices"
	"time"
)

// Level is how well a computer player plays.
type Level string

// Version is that of the computer players and of the chances that they tell. It rises by one with each change that
// makes a level play better or worse, or tells a chance otherwise. Then the ratings of levels begin again, and
// games are reviewed again.
const Version = 6

// The levels. Up to Hard they think by iterations, so that they play alike on every machine; Expert
// takes time.
const (
	Easy   Level = "easy"
	Casual Level = "casual"
	Normal Level = "normal"
	Hard   Level = "hard"
	Expert Level = "expert"
	// Hard1 is the search before the games had models, in a tree everywhere: what was better is
	// measured against it, and models are trained by it. It is not offered. Easy keeps the
	// evaluations made by hand, too: it is meant for beginners.
	Hard1 Level = "hard-1"
)

// Levels lists the levels, the weakest first.
var Levels = []Level{Easy, Casual, Normal, Hard, Expert}

// parseLevel finds a level by its name.
func parseLevel(name string) (Level, error) {
	if l := Level(name); slices.Contains(Levels, l) {
		return l, nil
	}
	return "", fmt.Errorf("there is no level %q: the levels are %v", name, Levels)
}

// Limit bounds the thinking about one move. What is zero does not limit, but one of Time and
// Iterations must be set.
type Limit struct {
	Time       time.Duration
	Iterations int // of all workers together; positions looked at, where alpha-beta searches
	// Workers search at the same time, each a tree of its own, or with a table in common where alpha-beta
	// searches; 1 when zero. Of several the moves are not the same every time where they share a table.
	Workers int
	// Slip is how far the judgement of each move, a chance of winning, may be off in either direction
	// when one is chosen. 0 chooses the best.
	Slip float64
}

// rungs are how the levels below Expert play a game.
type rungs struct{ easy, casual, normal, hard rung }

// rung is a number of iterations and a slip, as in Limit.
type rung struct {
	iterations int
	slip       float64
}

// ladder has the rungs of each game. They were found by matches (STRENGTH.md): Easy is as good as a
// beginner who takes what one play takes, in half of the decisions, and plays anything in the others; each
// level beats the one below in two thirds of the games and more. Where ten times the iterations gain
// little, slips make the difference.
var ladder = map[string]rungs{
	"loyal-captain":        {rung{3, 1}, rung{60, 0.38}, rung{60, 0.13}, rung{70, 0}},
	"quedah-merchant":      {rung{12, 0.8}, rung{60, 0.3}, rung{60, 0.07}, rung{700, 0}},
	"madagascar":           {rung{60, 0.7}, rung{60, 0.25}, rung{60, 0.11}, rung{60, 0}},
	"freebooter":           {rung{60, 0.8}, rung{60, 0.06}, rung{200, 0.01}, rung{1_500, 0}},
	"pirate-versus-pirate": {rung{60, 0.2}, rung{60, 0.24}, rung{70, 0.13}, rung{80, 0}},
	"pirat":                {rung{60, 0.75}, rung{60, 0.15}, rung{100, 0.05}, rung{1_500, 0}},
}

// usual are the rungs of other games.
var usual = rungs{rung{60, 0.10}, rung{100, 0.05}, rung{400, 0}, rung{5_000, 0}}

// Limit is what a level thinks about a move of the game with a key, unless it is told otherwise.
func (l Level) Limit(game string) Limit {
	r, ok := ladder[game]
	if !ok {
		r = usual
	}
	switch l {
	case Easy:
		return Limit{Iterations: r.easy.iterations, Slip: r.easy.slip}
	case Casual:
		return Limit{Iterations: r.casual.iterations, Slip: r.casual.slip}
	case Normal:
		return Limit{Iterations: r.normal.iterations, Slip: r.normal.slip}
	case Hard:
		return Limit{Iterations: r.hard.iterations, Slip: r.hard.slip}
	default:
		return Limit{Time: 2 * time.Second, Workers: 2}
	}
}
