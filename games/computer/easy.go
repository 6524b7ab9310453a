package computer

import (
	"marque/games"
)

// How a beginner errs: the judgement of every move is off by up to slip either way, and moves
// that even a beginner sees to be worse than the best by more than blunder are left alone.
const (
	slip    = 0.10
	blunder = 0.12
)

// err puts the move that a beginner prefers first.
func (t *Thought) err(rng *games.Rand) {
	if t.Proved && t.Chance == 1 {
		return
	}
	best := 0.0
	for _, c := range t.Candidates {
		best = max(best, c.Chance)
	}
	choice, liking := 0, -1.0
	for i, c := range t.Candidates {
		if c.Chance < best-blunder {
			continue
		}
		if l := c.Chance + slip*(2*float64(rng.Uint64()>>11)/(1<<53)-1); l > liking {
			choice, liking = i, l
		}
	}
	c := t.Candidates[choice]
	copy(t.Candidates[1:choice+1], t.Candidates[:choice])
	t.Candidates[0] = c
	t.Chance, t.Proved = c.Chance, c.Proved
}
