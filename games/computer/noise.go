package computer

import (
	"marque/games"
)

// blunder is the maximum error of a played move, as a multiple of the noise. Worse moves are not played, because even a
// beginner sees that they are worse.
const blunder = 1.2

// err compares the moves by estimates that are changed at random by up to noise, and moves the best of them to the
// front. The candidates' own estimates stay unchanged. A proved win stays at the front.
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
