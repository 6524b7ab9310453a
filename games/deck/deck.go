// Package deck implements the deck of 18 spaces of the three Captain Kidd games (docs/rules/deck.md): its graph, the
// backs of tokens, and its picture.
package deck

import "math/bits"

// Spaces is the number of spaces (DK-1). Space n of the rules has index n-1 in code. String and Number convert an
// index.
const Spaces = 18

// Space is a space of the deck, 0 to 17, or Sea, which lies beyond the hatches.
type Space uint8

// Sea is the direction of the back of a newly placed token (DK-4). It is not a space of the deck.
const Sea Space = Spaces

// Set is a set of spaces, bit i for Space i.
type Set uint32

// Hatches are the start spaces 1-6 (DK-1).
const Hatches Set = 1<<6 - 1

// All is every space of the deck.
const All Set = 1<<Spaces - 1

// paths are the undirected connections between spaces, with the numbers of the rules (DK-2).
var paths = [24][2]int{
	{1, 7}, {1, 8}, {2, 8}, {2, 14}, {3, 14}, {3, 18}, {4, 18}, {4, 17}, {5, 17}, {5, 13}, {6, 13}, {6, 7}, // rim
	// inside the rim
	{7, 9}, {8, 9}, {9, 10}, {10, 11}, {10, 12}, {11, 13}, {12, 14}, {11, 15}, {12, 15}, {15, 16}, {16, 17}, {16, 18},
}

// places has the positions of the spaces, x to starboard, y towards the stern (DK-3).
var places = [Spaces][2]float64{
	{0, -4}, {2.6, -1.6}, {2.6, 1.6}, {0, 4}, {-2.6, 1.6}, {-2.6, -1.6},
	{-1.2, -3.2}, {1.2, -3.2}, {0, -2.4}, {0, -1.2}, {-1, 0}, {1, 0},
	{-2.2, 0}, {2.2, 0}, {0, 1.2}, {0, 2.4}, {-1.2, 3.2}, {1.2, 3.2},
}

// neighbours and neighbourList are computed from paths when the package is loaded.
var neighbours, neighbourList = index()

func index() (sets [Spaces + 1]Set, lists [Spaces][]Space) {
	for _, p := range paths {
		a, b := Space(p[0]-1), Space(p[1]-1)
		sets[a] |= 1 << b
		sets[b] |= 1 << a
	}
	for s := range lists {
		for rest := sets[s]; rest != 0; {
			lists[s] = append(lists[s], rest.Take())
		}
	}
	return sets, lists
}

// Neighbours returns the set of spaces that a path joins to s. It is empty for the sea.
func Neighbours(s Space) Set { return neighbours[s] }

// NeighbourList returns the spaces that a path joins to s, in ascending order. The caller must not change the list.
func NeighbourList(s Space) []Space { return neighbourList[s] }

// Ahead returns the spaces to which a token on s with this back can step if they are empty (DK-4): the neighbours
// except the one behind its back.
func Ahead(s, back Space) Set { return neighbours[s] &^ (1 << back) }

// At returns the place of s in units of the layout: x to starboard from -2.6 to 2.6, y towards the stern from -4 to 4.
func At(s Space) (x, y float64) { return places[s][0], places[s][1] }

// Number returns the number of s in the rules: 1 to 18.
func (s Space) Number() int { return int(s) + 1 }

// numbers caches the numbers as text, because most words of moves need them.
var numbers = [Spaces + 1]string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16",
	"17", "18", "sea"}

// String returns the space's number in the rules, or "sea" for Sea.
func (s Space) String() string { return numbers[s] }

// Has reports whether s is in the set.
func (set Set) Has(s Space) bool { return set>>s&1 != 0 }

// With returns the set with s added.
func (set Set) With(s Space) Set { return set | 1<<s }

// Without returns the set without s.
func (set Set) Without(s Space) Set { return set &^ (1 << s) }

// Len returns the number of spaces in the set.
func (set Set) Len() int { return bits.OnesCount32(uint32(set)) }

// Take removes the lowest space of a set that is not empty and returns it.
func (set *Set) Take() Space {
	s := Space(bits.TrailingZeros32(uint32(*set)))
	*set &= *set - 1
	return s
}

// Nth returns the n-th lowest space of the set, counted from 0. The set must have more than n.
func (set Set) Nth(n int) Space {
	for ; n > 0; n-- {
		set &= set - 1
	}
	return Space(bits.TrailingZeros32(uint32(set)))
}
