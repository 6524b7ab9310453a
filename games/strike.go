package games

import "marque/games/text"

// Striker is implemented by states of games in which something can be taken: pirates captured, ships boarded, treasure seized. Advice names
// what a move threatens by it.
type Striker interface {
	// Strike says in sentences what seat takes by the play m of this (masked) state, whoever plays it; false when seat takes nothing. m has been
	// through MaskMove, and is legal or an outcome.
	Strike(m Move, seat Seat) (text.Message, bool)
}
