package freebooter

import "marque/games"

// Kinds of moves, which are the lowest byte of a move's code. The comments name the contents of the second and the
// third byte.
const (
	opBoard      = iota + 1 // point
	opSail                  // square
	opSailMoney             // square
	opDutchman              // square, card
	opResolve               // point
	opDraw                  // stack
	opLay                   // counter
	opDealSea               // square
	opDealLine              // no second byte, card
	opDealHidden            // stack of a card that the viewer does not see
)

// stack is one of the two face-down stacks.
type stack int8

const (
	seaStack stack = iota
	dutchmanStack
)

var stackKeys = [2]string{"sea", "dutchman"}

func op(m games.Move) int             { return int(m & 0xff) }
func where(m games.Move) square       { return square(m >> 8 & 0xff) }
func which(m games.Move) dutchmanCard { return dutchmanCard(m >> 16 & 0xff) }

func boardAt(p square) games.Move   { return opBoard | games.Move(p)<<8 }
func sailTo(s square) games.Move    { return opSail | games.Move(s)<<8 }
func sailMoney(s square) games.Move { return opSailMoney | games.Move(s)<<8 }
func resolveAt(p square) games.Move { return opResolve | games.Move(p)<<8 }
func drawFrom(k stack) games.Move   { return opDraw | games.Move(k)<<8 }
func lay(c counter) games.Move      { return opLay | games.Move(c)<<8 }
func dealSea(s square) games.Move   { return opDealSea | games.Move(s)<<8 }
func dealHidden(k stack) games.Move { return opDealHidden | games.Move(k)<<8 }
func dealLine(c dutchmanCard) games.Move {
	return opDealLine | games.Move(c)<<16
}
func dutchmanTo(c dutchmanCard, s square) games.Move {
	return opDutchman | games.Move(s)<<8 | games.Move(c)<<16
}
