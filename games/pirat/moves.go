package pirat

import "marque/games"

type op uint8

const (
	draw    op = iota // draw a card from the stack (PI-3)
	launch            // launch a trading ship (PI-4)
	attack            // attack a ship with a pirate ship (PI-5)
	raid              // attack a ship with a pirate (PI-6)
	rescue            // rescue an own ship with the admiral (PI-7)
	discard           // discard a card (PI-3)
	deal              // chance deals a card to the seat whose turn it is
)

// move encodes a move: its kind, its ship (0 for S1), and its card.
func move(o op, ship int, k card) games.Move {
	return games.Move(o)<<16 | games.Move(ship)<<8 | games.Move(k)
}

// parts decodes a move.
func parts(m games.Move) (o op, ship int, k card) {
	return op(m >> 16), int(m >> 8 & 0xff), card(m & 0xff)
}

// playOn returns the move that plays k on a ship.
func playOn(ship int, k card) games.Move {
	switch {
	case k.isPirateShip():
		return move(attack, ship, k)
	case k.isPirate():
		return move(raid, ship, k)
	default:
		return move(rescue, ship, k)
	}
}
