package freebooter

import "math/bits"

// counter is a kind of counter.
type counter int8

// The counters are ships by value from 5 to 20, the warehouse, and the double-value counters in the order of the ships.
const (
	ship5 counter = iota
	ship10
	ship15
	ship20
	warehouse
	double5
	double10
	double15
	double20
	counterKinds
	noCounter counter = -1
)

// values is the number of different values of ships. Each has a double-value counter.
const values = int(warehouse)

// supply is the number of counters of each kind: 36 in all, one for each point.
var supply = [counterKinds]int{7, 7, 7, 7, 4, 1, 1, 1, 1}

var counterKeys = [counterKinds]string{"5", "10", "15", "20", "warehouse", "double5", "double10", "double15",
	"double20"}

func (c counter) isShip() bool   { return c >= ship5 && c <= ship20 }
func (c counter) isDouble() bool { return c >= double5 }

// ship returns the kind of ship that a double-value counter doubles.
func (c counter) ship() counter { return c - double5 }

// value returns the value of a ship in $, before doubling.
func (c counter) value() int { return 5 * (int(c) + 1) }

// share returns the captor's payment for each helping boat.
func (c counter) share() int { return int(c) + 1 }

// seaCards is the number of sea cards: one for each square, and a second one for each square away from the rim.
const seaCards = squares + (side-2)*(side-2)

// dutchmanCards is the number of Dutchman cards: columns A-G, rows 1-7.
const dutchmanCards = 2 * side

// dutchmanCard is a Dutchman card: columns first, then rows.
type dutchmanCard int8

var dutchmanKeys = [dutchmanCards]string{
	"columnA", "columnB", "columnC", "columnD", "columnE", "columnF", "columnG",
	"row1", "row2", "row3", "row4", "row5", "row6", "row7",
}

// line returns the column's letter or the row's number.
func (c dutchmanCard) line() string {
	key := dutchmanKeys[c]
	return key[len(key)-1:]
}

func (c dutchmanCard) isColumn() bool { return c < side }

// lineSet is a set of Dutchman cards, bit c for card c. There is one of each.
type lineSet uint16

const allLines lineSet = 1<<dutchmanCards - 1

func (s lineSet) count() int { return bits.OnesCount16(uint16(s)) }

// take removes the lowest card of a set that is not empty and returns it.
func (s *lineSet) take() dutchmanCard {
	c := dutchmanCard(bits.TrailingZeros16(uint16(*s)))
	*s &= *s - 1
	return c
}

// nth returns the n-th card of a set in ascending order, counted from 0.
func (s lineSet) nth(n int) dutchmanCard {
	for ; n > 0; n-- {
		s &= s - 1
	}
	return dutchmanCard(bits.TrailingZeros16(uint16(s)))
}

func (c dutchmanCard) bit() lineSet { return 1 << uint(c) }
