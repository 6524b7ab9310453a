package pirat

import (
	"marque/games"
	"marque/games/text"
)

var _ games.Striker = state{}

// Strike returns the sentence about the ships that seat scores after a play: at the start of its turn (PI-2), by its
// admiral (PI-7), or at the end of the game (PI-9). Ships that other seats score are left out.
func (s state) Strike(m games.Move, seat games.Seat) (text.Message, bool) {
	if s.pos.phase == dealing || s.pos.phase == over {
		return text.Message{}, false
	}
	played, prizes, _ := s.follow(m)
	gains := describePrizes(prizes, int8(seat))
	if o, _, _ := parts(m); o == rescue && s.pos.turn == int8(seat) {
		gains = append([]text.Message{s.describePlay(m, &played)}, gains...)
	}
	if len(gains) == 0 {
		return text.Message{}, false
	}
	told := gains[0]
	for _, g := range gains[1:] {
		told = then(told, g)
	}
	return told, true
}
