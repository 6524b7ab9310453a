package freebooter

import (
	"marque/games"
	"marque/games/text"
)

var _ games.Striker = state{}

// Strike returns the sentence about a play, by any seat, that brings seat a ship, its share of a ship, or plunder
// (FB-6, FB-7).
func (s state) Strike(m games.Move, seat games.Seat) (text.Message, bool) {
	switch op(m) {
	case opSail, opDutchman, opResolve:
	default:
		return text.Message{}, false
	}
	var gains text.Message
	_, events := after(&s.p, m)
	for _, e := range events {
		if e.owner != seat && e.paid[seat] == 0 {
			continue
		}
		if told := e.describe(s.p.seats); gains.IsZero() {
			gains = told
		} else {
			gains = then(gains, told)
		}
	}
	if !gains.IsZero() && s.ToMove() == seat {
		gains = s.Describe(m)
	}
	return gains, !gains.IsZero()
}
