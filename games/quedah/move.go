package quedah

import (
	"marque/games"
	"marque/games/deck"
)

// move is the encoding of a games.Move. From the lowest bit, its fields are the kind (2 bits) and, depending on the
// kind, the die's face (2), the hatch (5), or a step. A step has the start (5), the stance at the end of the token's
// own steps (6), the hatch of the new token counted from 1 (3), and the space that each freed token steps to, counted
// from 1 (5 each).
type move games.Move

// The kinds of moves.
const (
	passKind move = iota
	rollKind
	placeKind
	stepKind
)

const (
	kindBits   = 2
	fromShift  = kindBits
	toShift    = fromShift + 5
	hatchShift = toShift + 6
	freedShift = hatchShift + 3
	freedBits  = 5
)

const passMove = games.Move(passKind)

func rollMove(face int) games.Move          { return games.Move(rollKind | move(face)<<kindBits) }
func placeMove(hatch deck.Space) games.Move { return games.Move(placeKind | move(hatch)<<kindBits) }

func stepMove(from deck.Space, to deck.Stance) move {
	return stepKind | move(from)<<fromShift | move(to)<<toShift
}

// withHatch returns the move with a new token that is placed on hatch.
func (m move) withHatch(hatch deck.Space) games.Move {
	return games.Move(m | move(hatch+1)<<hatchShift)
}

// withFreed returns the move with a step of the n-th freed token to s, counted from 0.
func (m move) withFreed(n int, s deck.Space) move {
	return m | move(s+1)<<(freedShift+freedBits*n)
}

func (m move) kind() move         { return m & (1<<kindBits - 1) }
func (m move) face() uint8        { return uint8(m >> kindBits) }
func (m move) target() deck.Space { return deck.Space(m >> kindBits) }
func (m move) from() deck.Space   { return deck.Space(m >> fromShift & 31) }
func (m move) to() deck.Stance    { return deck.Stance(m >> toShift & 63) }

// hatch returns the hatch of the new token, if there is one.
func (m move) hatch() (deck.Space, bool) {
	h := m >> hatchShift & 7
	return deck.Space(h - 1), h != 0
}

// freed returns the space that the n-th freed token steps to.
func (m move) freed(n int) deck.Space {
	return deck.Space(m>>(freedShift+freedBits*n)&31) - 1
}
