package freebooter

import "math/bits"

// side is the number of squares in a row or column of the sea.
const side = 7

const squares = side * side

// square is a square of the sea, row by row from A1 (0) to G7 (48). A point has the number of its top left square, so
// that point p touches p, p+1, p+7 and p+8.
type square int8

// nowhere is no square, for example the Dutchman's while it is off the board.
const nowhere square = -1

func (s square) column() int { return int(s) % side }
func (s square) row() int    { return int(s) / side }

// String returns the name of the square in the rules, for example "C4". A stored position also names points in this
// way, by their top left square.
func (s square) String() string { return squareNames[s] }

// point returns the name of the point in the rules: its two columns and its two rows, for example "CD45".
func (s square) point() string { return pointKeys[s] }

// lines returns the two parts of a point's name: its columns and its rows.
func (s square) lines() (columns, rows string) { return pointKeys[s][:2], pointKeys[s][2:] }

// set is a set of squares or of points, bit s for square s.
type set uint64

const (
	sea   set = 1<<squares - 1
	first set = 1 // A1
)

// corners is the set of the four squares that point A1 touches.
const corners set = 1 | 1<<1 | 1<<side | 1<<(side+1)

// points are the 36 points A1 to F6. inner are the 25 squares away from the rim. lines are the squares of each Dutchman
// card.
var points, inner, lines = layout()

func layout() (pts, in set, ln [dutchmanCards]set) {
	for s := square(0); s < squares; s++ {
		c, r := s.column(), s.row()
		if c < side-1 && r < side-1 {
			pts |= s.bit()
			if c > 0 && r > 0 {
				in |= s.bit()
			}
		}
		ln[c] |= s.bit()
		ln[side+r] |= s.bit()
	}
	return pts, in, ln
}

var squareNames = nameSquares()

func nameSquares() (names [squares]string) {
	for s := range names {
		names[s] = string([]byte{byte('A' + s%side), byte('1' + s/side)})
	}
	return names
}

var pointKeys = namePoints()

func namePoints() (names [squares]string) {
	for rest := points; rest != 0; {
		p := rest.take()
		column, row := p.String()[0], p.String()[1]
		names[p] = string([]byte{column, column + 1, row, row + 1})
	}
	return names
}

func (s square) bit() set { return first << uint(s) }

// around returns the set of the four squares that a point touches.
func (s square) around() set { return corners << uint(s) }

func (s set) has(q square) bool { return s>>uint(q)&1 != 0 }
func (s set) count() int        { return bits.OnesCount64(uint64(s)) }
func (s set) lowest() square    { return square(bits.TrailingZeros64(uint64(s))) }

// take removes the lowest member of a set that is not empty and returns it.
func (s *set) take() square {
	q := s.lowest()
	*s &= *s - 1
	return q
}

// nth returns the n-th member of the set in ascending order, counted from 0. The set must have more than n members.
func (s set) nth(n int) square {
	shift := 0
	for width := 32; width >= 8; width /= 2 {
		if c := (s & (1<<uint(width) - 1)).count(); n >= c {
			n -= c
			s >>= uint(width)
			shift += width
		}
	}
	for ; n > 0; n-- {
		s &= s - 1
	}
	return square(shift) + s.lowest()
}

// ringed returns the set of points whose four squares are all in taken. The set can include numbers that are not
// points.
func ringed(taken set) set {
	return taken & (taken >> 1) & (taken >> side) & (taken >> (side + 1))
}

// lastGaps returns the squares that are the only empty square of at least one point in pts.
func lastGaps(pts, taken set) set {
	a, b, c, d := taken, taken>>1, taken>>side, taken>>(side+1)
	ab, cd := a&b, c&d
	return pts&^a&b&cd | (pts&^b&a&cd)<<1 | (pts&^c&d&ab)<<side | (pts&^d&c&ab)<<(side+1)
}

// pairs is a multiset with at most two items on each square. This suffices, because there are at most two sea cards for
// a square, and so at most two boats.
type pairs struct {
	one set // squares with at least one item
	two set // squares with two items
}

func (p *pairs) add(q square) {
	b := q.bit()
	p.two |= p.one & b
	p.one |= b
}

func (p *pairs) remove(q square) {
	b := q.bit()
	p.one &^= b &^ p.two
	p.two &^= b
}

func (p *pairs) addAll(o pairs) {
	p.two |= o.two | p.one&o.one
	p.one |= o.one
}

func (p pairs) size() int { return p.one.count() + p.two.count() }

// of returns the number of items on q: 0, 1 or 2.
func (p pairs) of(q square) int { return int(p.one>>uint(q)&1 + p.two>>uint(q)&1) }

// within returns the number of items on the squares of s.
func (p pairs) within(s set) int { return (p.one & s).count() + (p.two & s).count() }

// nth returns the square of the n-th item, counted from 0 in a fixed order.
func (p pairs) nth(n int) square {
	if c := p.one.count(); n >= c {
		return p.two.nth(n - c)
	}
	return p.one.nth(n)
}
