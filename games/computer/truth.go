package computer

import (
	"marque/games"
	"marque/games/learned"
)

// The chances that a search finds differ from the frequency of wins, because the search also tries worse moves and does
// not reach the end of the game. That frequency is measured for each game and phase (learned.Curve). Moves are chosen
// by the uncorrected chances. The curve corrects the chances that people see, and those by which computers resign or
// offer a draw.

// truth corrects the chances of a search from a position. The zero truth leaves them unchanged.
type truth struct {
	curve *learned.Curve
	phase float64
}

// truthOf returns the correction of chances from a position. It is zero for games without measurements.
func truthOf(s games.State) truth {
	if c, ok := s.Sim().(learned.Calibrated); ok {
		phase, curve := c.Calibration()
		return truth{curve, phase}
	}
	return truth{}
}

// of corrects a chance. A certain result stays certain, and no other chance becomes certain.
func (t truth) of(p float64) float64 {
	if t.curve == nil {
		return p
	}
	return t.curve.At(t.phase, p)
}

func (t *Thought) correct(by truth) {
	t.Chance, t.Before = by.of(t.Chance), by.of(t.Before)
	for i := range t.Candidates {
		t.Candidates[i].Chance = by.of(t.Candidates[i].Chance)
	}
}
