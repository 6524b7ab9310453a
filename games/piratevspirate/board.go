// Package piratevspirate implements Pirate versus Pirate according to docs/rules/pirate-versus-pirate.md (PP-1 to
// PP-12). Two or three crews carry three silver coins and one gold coin to their rowboats, on a triangular board of a
// hundred triangles.
package piratevspirate

import "math/bits"

// side is the number of rows of the board (PP-1). A set has room for boards up to side 11.
const side = 10

// The number of triangles, the maximum number of seats, the number of a seat's pirates, and the highest value of a die.
const (
	triangles = side * side
	maxSeats  = 3
	crewSize  = 6
	faces     = 4
	longest   = 2 * faces // steps of the highest roll
)

// corner is a corner of the board, numbered clockwise (PP-2).
type corner uint8

const (
	top corner = iota
	right
	left
)

// topLayout has the places of the top corner, by the triangles' names (PP-2). The other corners have the same layout,
// turned by 120 and 240 degrees.
var topLayout = struct {
	boat, silver, crew []string
	gold               string
}{
	boat:   []string{"a1", "b1", "b2", "b3"},
	gold:   "a1",
	silver: []string{"b1", "b3"},
	crew:   []string{"b1", "b3", "c1", "c2", "c4", "c5"},
}

// layouts has the seats' corners and the coins for each number of players (PP-3).
var layouts = [maxSeats + 1]layout{
	2: {corners: []corner{left, right}, gold: "a1", silver: []string{"b1", "b2", "b3"}},
	3: {corners: []corner{top, right, left}, gold: "g7", silver: []string{"g6", "g8", "h8"}},
}

type layout struct {
	corners []corner // corner of each seat
	gold    string
	silver  []string
}

// defaultBacks has the backs that `ready` sets for each corner: first those of upward triangles, then those of downward
// triangles (PP-12).
var defaultBacks = [3][2]edge{
	top:   {west, flat},
	right: {east, east},
	left:  {flat, west},
}

// triangle is a triangle of the board. Triangles are numbered by row from the top, and from the left in each row.
type triangle uint8

// nowhere is not a triangle of the board.
const nowhere triangle = triangles

// at returns the triangle with a row and a number, both counted from 1.
func at(row, number int) triangle { return triangle((row-1)*(row-1) + number - 1) }

// row returns the number of the row, counted from 1 at the top.
func (t triangle) row() int {
	r := 1
	for r*r <= int(t) {
		r++
	}
	return r
}

// number returns the place in the row, counted from 1 at the left.
func (t triangle) number() int { r := t.row(); return int(t) - (r-1)*(r-1) + 1 }

// up reports whether the triangle points up, as those with odd numbers do (PP-1).
func (t triangle) up() bool { return t.number()%2 == 1 }

// String returns the name in the rules, for example "e4".
func (t triangle) String() string { return names[t] }

// names caches the triangles' names, because spelling moves needs them often.
var names = func() (n [triangles + 1]string) {
	const digits = "0123456789"
	for t := range nowhere {
		k := t.number()
		n[t] = string(rune('a' + t.row() - 1))
		if k > 9 {
			n[t] += digits[k/10 : k/10+1]
		}
		n[t] += digits[k%10 : k%10+1]
	}
	n[nowhere] = "-"
	return n
}()

// named returns the triangle with this name, or nowhere if there is none.
func named(name string) triangle {
	for t := range nowhere {
		if names[t] == name {
			return t
		}
	}
	return nowhere
}

// edge is a side of a triangle, in the order in which backs are offered (PP-12).
type edge uint8

const (
	flat   edge = iota // s of an upward triangle, n of a downward triangle
	east               // e
	west               // w
	noEdge             // no back
)

// edges is the number of sides of a triangle.
const edges = 3

// facing returns the side through which a path enters the next triangle when it leaves through e.
func (e edge) facing() edge { return [edges]edge{flat, west, east}[e] }

// letter returns the side's name in the notation (PP-12).
func (e edge) letter(t triangle) string {
	switch {
	case e == east:
		return "e"
	case e == west:
		return "w"
	case t.up():
		return "s"
	default:
		return "n"
	}
}

// neighbours has the triangle on the other side of each edge. It is nowhere at the rim of the board (PP-1).
var neighbours = func() (n [triangles][edges]triangle) {
	for t := range nowhere {
		r, k := t.row(), t.number()
		n[t] = [edges]triangle{nowhere, nowhere, nowhere}
		if k > 1 {
			n[t][west] = at(r, k-1)
		}
		if k < 2*r-1 {
			n[t][east] = at(r, k+1)
		}
		switch {
		case !t.up():
			n[t][flat] = at(r-1, k-1)
		case r < side:
			n[t][flat] = at(r+1, k+1)
		}
	}
	return n
}()

// turned returns the place of t after the board is turned clockwise by 120 degrees (PP-2). This permutes the distances
// of t from the three sides of the board.
func (t triangle) turned() triangle {
	r, k := t.row(), t.number()
	upward := k % 2 // 1 if t points up
	fromLeft := (k - 1) / 2
	fromRight := r - 2 + upward - fromLeft
	return at(side-fromRight, 2*(side-r)+2-upward)
}

// home has the places of a corner (PP-2).
type home struct {
	boat, silver, crew set
	gold               triangle
}

// homes has the places of each corner, computed from topLayout.
var homes = func() (h [3]home) {
	turn := func(name string, c corner) triangle {
		t := named(name)
		for range c {
			t = t.turned()
		}
		return t
	}
	all := func(list []string, c corner) (s set) {
		for _, name := range list {
			s = s.with(turn(name, c))
		}
		return s
	}
	for c := range h {
		c := corner(c)
		h[c] = home{
			boat:   all(topLayout.boat, c),
			silver: all(topLayout.silver, c),
			crew:   all(topLayout.crew, c),
			gold:   turn(topLayout.gold, c),
		}
	}
	return h
}()

// distances returns the number of steps from every triangle to the nearest goal on an empty board.
func distances(goals set) (steps [triangles]uint8) {
	seen, edge := goals, goals
	for n := uint8(1); !edge.empty(); n++ {
		var next set
		for rest := edge; !rest.empty(); {
			for _, to := range neighbours[rest.take()] {
				if to != nowhere && !seen.has(to) {
					seen, next, steps[to] = seen.with(to), next.with(to), n
				}
			}
		}
		edge = next
	}
	return steps
}

// set is a set of triangles, one bit each.
type set struct{ lo, hi uint64 }

// This fails to compile if the board does not fit a set.
const _ = uint(128 - triangles)

func (s set) has(t triangle) bool {
	if t < 64 {
		return s.lo>>t&1 != 0
	}
	return s.hi>>(t-64)&1 != 0
}

// bit returns the set that contains only t. In Go a shift by 64 or more gives 0.
func bit(t triangle) set { return set{1 << t, 1 << (t - 64)} }

func (s set) with(t triangle) set    { return s.or(bit(t)) }
func (s set) without(t triangle) set { return s.less(bit(t)) }
func (s set) or(o set) set           { return set{s.lo | o.lo, s.hi | o.hi} }
func (s set) and(o set) set          { return set{s.lo & o.lo, s.hi & o.hi} }
func (s set) less(o set) set         { return set{s.lo &^ o.lo, s.hi &^ o.hi} }
func (s set) meets(o set) bool       { return s.lo&o.lo|s.hi&o.hi != 0 }
func (s set) empty() bool            { return s.lo|s.hi == 0 }
func (s set) len() int               { return bits.OnesCount64(s.lo) + bits.OnesCount64(s.hi) }

// below returns the number of triangles of the set before t.
func (s set) below(t triangle) int {
	if t < 64 {
		return bits.OnesCount64(s.lo & (1<<t - 1))
	}
	return bits.OnesCount64(s.lo) + bits.OnesCount64(s.hi&(1<<(t-64)-1))
}

// take removes the first triangle of a set that is not empty and returns it.
func (s *set) take() triangle {
	if s.lo != 0 {
		t := triangle(bits.TrailingZeros64(s.lo))
		s.lo &= s.lo - 1
		return t
	}
	t := triangle(bits.TrailingZeros64(s.hi))
	s.hi &= s.hi - 1
	return t + 64
}
