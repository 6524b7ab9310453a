package quedah

import (
	"marque/games"
	"marque/games/text"
)

var _ games.Striker = state{}

// Strike returns the sentence about a move in which seat captures a pirate. The move can also free a friend (QM-4,
// QM-6).
func (s state) Strike(gm games.Move, seat games.Seat) (text.Message, bool) {
	m := move(gm)
	if m.kind() != stepKind || s.ToMove() != seat || !s.entered(m)[0].captures {
		return text.Message{}, false
	}
	return s.Describe(gm), true
}
