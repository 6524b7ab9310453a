package madagascar

import (
	"marque/games"
	"marque/games/text"
)

var _ games.Striker = state{}

// Strike returns the sentence about a move in which seat captures a tower (MD-4).
func (s state) Strike(gm games.Move, seat games.Seat) (text.Message, bool) {
	if s.ToMove() != seat || !s.captures(move(gm)) {
		return text.Message{}, false
	}
	return s.Describe(gm), true
}
