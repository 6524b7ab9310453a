package madagascar

import (
	"marque/games"
	"marque/games/deck"
)

// move is the encoding of a games.Move. From the lowest bit, its fields are the kind (2 bits), and then either the
// hatch, or the start (5) and the stance at the end of the walk (6).
type move games.Move

// The kinds of moves.
const (
	passKind move = iota
	placeKind
	walkKind
)

const (
	kindBits  = 2
	fromShift = kindBits
	toShift   = fromShift + 5
)

const passMove = games.Move(passKind)

func placeMove(hatch deck.Space) games.Move { return games.Move(placeKind | move(hatch)<<kindBits) }

func walkMove(from deck.Space, to deck.Stance) games.Move {
	return games.Move(walkKind | move(from)<<fromShift | move(to)<<toShift)
}

func (m move) kind() move        { return m & (1<<kindBits - 1) }
func (m move) hatch() deck.Space { return deck.Space(m >> kindBits) }
func (m move) from() deck.Space  { return deck.Space(m >> fromShift & 31) }
func (m move) to() deck.Stance   { return deck.Stance(m >> toShift) }
