package piratevspirate

import (
	"marque/games"
	"marque/games/scene"
	"marque/games/text"
)

var _ games.Striker = state{}

// Strike returns the sentence about the seat's step if it captures a pirate, takes a coin or brings one home (PP-7,
// PP-9, PP-10). It leaves out the choice of the back.
func (s state) Strike(m games.Move, seat games.Seat) (text.Message, bool) {
	if kindOf(m) != stepKind || s.toMove() != seat || m&attackBit == 0 && coinOf(m) == nowhere &&
		s.delivers(m) == scene.NoCoin {
		return text.Message{}, false
	}
	return text.M("pirate-versus-pirate.tell.step", "Who", text.Player(s.turn), "Deeds", s.actions(m&^(3<<backShift))),
		true
}

// delivers returns the coin that a step brings home (PP-10).
func (s state) delivers(m games.Move) scene.Carry {
	to := toOf(m)
	carried := s.coin(fromOf(m))
	switch {
	case coinOf(m) != nowhere:
		carried = s.coin(coinOf(m))
	case m&attackBit != 0:
		carried = s.coin(to)
	case m&leftBit != 0:
		return scene.NoCoin
	}
	h := s.home(s.turn)
	if carried == scene.Silver && h.silver.has(to) || carried == scene.Gold && h.gold == to {
		return carried
	}
	return scene.NoCoin
}
