package computer

import (
	"marque/games"
)

// blunder limits errors: a move is never played if it is worse than the best by more than this many times the noise,
// because even a beginner sees that it is worse.
const blunder = 1.2

// err changes the estimate of every move at random by up to noise, and moves the apparently best move to the front.
func (t *Thought) err(rng *games.Rand, noise float64) {
	if t.Proved && t.Chance == 1 {
		return
	}
	best := 0.0
	for _, c := range t.Candidates {
		best = max(best, c.Chance)
	}
	choice, liking := 0, -1.0
	for i, c := range t.Candidates {
		if c.Chance < best-blunder*noise {
			continue
		}
		if l := c.Chance + noise*(2*float64(rng.Uint64()>>11)/(1<<53)-1); l > liking {
			choice, liking = i, l
		}
	}
	c := t.Candidates[choice]
	copy(t.Candidates[1:choice+1], t.Candidates[:choice])
	t.Candidates[0] = c
	t.Chance, t.Proved = c.Chance, c.Proved
}
