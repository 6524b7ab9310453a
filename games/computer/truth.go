package computer

import (
	"marque/games"
	"marque/games/learned"
)

// A search tries worse moves, too, and cannot look to the end, so the chances that it finds are not how often they come
// true. How often they do is measured for each game and phase (learned.Curve). Moves are chosen by what the search
// finds; then its chances are set right by the curve, for people and for computers that resign or offer a draw.

// truth corrects chances that a search has found from a position. The zero truth leaves them unchanged.
type truth struct {
	curve *learned.Curve
	phase float64
}

// truthOf returns the correction of chances from a position. Games without measurements have none.
func truthOf(s games.State) truth {
	if c, ok := s.Sim().(learned.Calibrated); ok {
		phase, curve := c.Calibration()
		return truth{curve, phase}
	}
	return truth{}
}

// of is a chance set right. What is certain stays so, and nothing else becomes it.
func (t truth) of(p float64) float64 {
	if t.curve == nil {
		return p
	}
	return t.curve.At(t.phase, p)
}

// correct corrects the chances that a search has found from a position.
func (t *Thought) correct(by truth) {
	t.Chance, t.Before = by.of(t.Chance), by.of(t.Before)
	for i := range t.Candidates {
		t.Candidates[i].Chance = by.of(t.Candidates[i].Chance)
	}
}
