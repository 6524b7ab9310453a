package computer

import (
	"fmt"
	"slices"
	"time"
)

// Level is the strength of a computer player.
type Level string

// Version is the version of the computer players and of the chances that they estimate. It increases with every change
// of a level's strength or of the estimated chances. Then the ratings of levels start over, and games are reviewed
// again.
const Version = 7

// The levels. Levels up to Hard search a number of iterations, so they have the same strength on every machine. Expert
// is limited by time.
const (
	Easy   Level = "easy"
	Casual Level = "casual"
	Normal Level = "normal"
	Hard   Level = "hard"
	Expert Level = "expert"
)

// Levels lists the levels, the weakest first.
var Levels = []Level{Easy, Casual, Normal, Hard, Expert}

func parseLevel(name string) (Level, error) {
	if l := Level(name); slices.Contains(Levels, l) {
		return l, nil
	}
	return "", fmt.Errorf("there is no level %q: the levels are %v", name, Levels)
}

// Limit limits the search for a move. A zero Time or Iterations means no limit, but one of the two must be set.
type Limit struct {
	Time       time.Duration
	Iterations int // of all workers together; positions under alpha-beta
	// Workers is the number of parallel searches, each with a separate tree, or with a shared transposition table under
	// alpha-beta. 0 means 1. Several workers that share a transposition table can find different moves each time.
	Workers int
	// Noise is the maximum random error of each move's estimated chance, in either direction. With 0 the best move is
	// chosen.
	Noise float64
}

// strength holds a number of iterations and a noise, as in Limit.
type strength struct {
	iterations int
	noise      float64
}

// strengths holds the strengths of the levels below Expert for each game, the weakest first. They were found by matches
// (STRENGTH.md). Easy is about as strong as a beginner who sees captures one play ahead in half of the decisions, and
// plays at random in the other half. Each level scores at least two thirds of the points against the level below. Where
// ten times the iterations gain little, the levels differ by noise.
var strengths = map[string][4]strength{
	"loyal-captain":        {{3, 1.5}, {60, 0.38}, {60, 0.13}, {70, 0}},
	"quedah-merchant":      {{6, 1}, {60, 0.3}, {60, 0.07}, {700, 0}},
	"madagascar":           {{60, 0.85}, {60, 0.25}, {60, 0.11}, {60, 0}},
	"freebooter":           {{60, 1.25}, {60, 0.06}, {200, 0.01}, {1_500, 0}},
	"pirate-versus-pirate": {{60, 0.38}, {60, 0.24}, {70, 0.13}, {80, 0}},
	"pirat":                {{6, 1}, {60, 0.15}, {100, 0.05}, {1_500, 0}},
}

// usual holds the strengths for games that are not in strengths.
var usual = [4]strength{{60, 0.10}, {100, 0.05}, {400, 0}, {5_000, 0}}

// Limit returns the default limit of a level for a move in the game with this key.
func (l Level) Limit(game string) Limit {
	of, ok := strengths[game]
	if !ok {
		of = usual
	}
	if i := slices.Index(Levels, l); i >= 0 && i < len(of) {
		return Limit{Iterations: of[i].iterations, Noise: of[i].noise}
	}
	return Limit{Time: 2 * time.Second, Workers: 2}
}
