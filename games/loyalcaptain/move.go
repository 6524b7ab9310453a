package loyalcaptain

import (
	"marque/games"
	"marque/games/deck"
)

// The codes of moves. Below wayCount is a turn along the way with that number: a step, or a
// placement for a way to the sea. Then come offers of two hatches (LC-9), then the words.
const (
	moveOffer games.Move = 64
	moveWords games.Move = moveOffer + 64
)

// The moves that are words: LC-9, LC-8.
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

// offered are the hatches of an offer, by side.
func offered(m games.Move) [2]deck.Space {
	m -= moveOffer
	return [2]deck.Space{deck.Space(m / 8), deck.Space(m % 8)}
}
