package loyalcaptain

import (
	"marque/games"
	"marque/games/deck"
)

// The codes of moves. A code below wayCount is a turn along that way: a placement if the way leads to the sea, and
// otherwise a step. Offers of two hatches (LC-9) follow. The last codes are moves without a place.
const (
	moveOffer games.Move = 64
	moveWords games.Move = moveOffer + 64
)

// The moves without a place (LC-8, LC-9).
const (
	moveRed games.Move = moveWords + iota
	moveBlue
	movePropose
	moveAccept
	moveRefuse
)

func offerMove(redHatch, blueHatch deck.Space) games.Move {
	return moveOffer + games.Move(redHatch)*8 + games.Move(blueHatch)
}

// offered returns the hatches of an offer, indexed by side.
func offered(m games.Move) [2]deck.Space {
	m -= moveOffer
	return [2]deck.Space{deck.Space(m / 8), deck.Space(m % 8)}
}
