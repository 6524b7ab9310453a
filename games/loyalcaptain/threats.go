package loyalcaptain

import (
	"marque/games"
	"marque/games/text"
)

var _ games.Striker = state{}

// Strike returns the sentence about a turn in which seat captures pirates of the other side (LC-4).
func (s state) Strike(m games.Move, seat games.Seat) (text.Message, bool) {
	if m >= wayCount || s.p.toMove() != seat {
		return text.Message{}, false
	}
	after := s.p
	if after.play(m)[s.p.mover.other()] == 0 {
		return text.Message{}, false
	}
	return s.Describe(m), true
}
