package loyalcaptain

import (
	"math/bits"

	"marque/games/deck"
)

// way is one of the three ways out of a space. Way 3s+i leads from space s to its i-th neighbour. The third way of a
// hatch leads to the sea. The direction of a token's back is a way (DK-4), and a step follows a way.
type way uint8

// ways is a set of ways, bit i for way i.
type ways uint64

const (
	wayCount = 3 * deck.Spaces
	// firstWays holds the first way of each space.
	firstWays ways = (1<<wayCount - 1) / 7
)

// half is the number of sets that half of the spaces can form. Such a set is an index into the tables below.
const half = 1 << (deck.Spaces / 2)

// waysTable has the deck's ways in the forms that the rules need. It is built when the package is loaded.
type waysTable struct {
	to     [wayCount]deck.Space   // space to which each way leads
	end    [wayCount]deck.Space   // a token's space after a turn along each way; a hatch for a way to the sea
	back   [wayCount]way          // way of the token's back after that turn (DK-5, DK-6)
	into   [2][half]ways          // ways into a set of spaces, indexed by its lower and its upper half
	around [2][half]deck.Set      // neighbours of a set of spaces, indexed like into
	toSea  [deck.Hatches + 1]ways // ways to the sea from a set of hatches
	sea    ways                   // all ways to the sea
}

var table = makeTable()

func makeTable() (t waysTable) {
	for s := range deck.Space(deck.Spaces) {
		for i, n := range deck.NeighbourList(s) {
			w := wayFrom(s) + way(i)
			t.to[w], t.end[w] = n, n
			for j, b := range deck.NeighbourList(n) {
				if b == s {
					t.back[w] = wayFrom(n) + way(j)
				}
			}
		}
		if deck.Hatches.Has(s) {
			w := seaWay(s)
			t.to[w], t.end[w], t.back[w] = deck.Sea, s, w
			t.sea |= 1 << w
		}
	}
	for hatches := range deck.Hatches + 1 {
		for rest := hatches; rest != 0; {
			t.toSea[hatches] |= 1 << seaWay(rest.Take())
		}
	}
	for h := range 2 {
		for value := range half {
			set := deck.Set(value) << (h * deck.Spaces / 2)
			for w := range way(wayCount) {
				if t.to[w] != deck.Sea && set.Has(t.to[w]) {
					t.into[h][value] |= 1 << w
					t.around[h][value] = t.around[h][value].With(w.from())
				}
			}
		}
	}
	return t
}

func wayFrom(s deck.Space) way { return way(3 * s) }

// seaWay returns the way from a hatch to the sea. A newly placed token has its back to this way (DK-6).
func seaWay(hatch deck.Space) way { return way(3*hatch + 2) }

func (w way) from() deck.Space { return deck.Space(w / 3) }
func (w way) to() deck.Space   { return table.to[w] }

// end returns the space of a token after a turn along w (LC-2). A turn along a way to the sea is a placement, and any
// other is a step.
func (w way) end() deck.Space { return table.end[w] }

// places reports whether a turn along w places a token.
func (w way) places() bool { return table.sea>>w&1 != 0 }

// around returns the spaces that have a neighbour in set.
func around(set deck.Set) deck.Set {
	return table.around[0][set%half] | table.around[1][set/half%half]
}

// into returns the ways that lead into set.
func into(set deck.Set) ways { return table.into[0][set%half] | table.into[1][set/half%half] }

// others returns the other two ways of each space that has a way in the set.
func (ws ways) others() ways { return (ws | ws>>1 | ws>>2) & firstWays * 7 &^ ws }

// toSea returns the ways from hatches to the sea.
func toSea(hatches deck.Set) ways { return table.toSea[hatches&deck.Hatches] }

// of returns the way in the set that leaves s. The set must have exactly one.
func (ws ways) of(s deck.Space) way {
	return wayFrom(s) + way(bits.TrailingZeros64(uint64(ws>>wayFrom(s)&7)))
}

// without returns the set without the ways that leave s.
func (ws ways) without(s deck.Space) ways { return ws &^ (7 << wayFrom(s)) }

func (ws ways) len() int { return bits.OnesCount64(uint64(ws)) }

// take removes the lowest way of a set that is not empty and returns it.
func (ws *ways) take() way {
	w := way(bits.TrailingZeros64(uint64(*ws)))
	*ws &= *ws - 1
	return w
}

// nth returns the n-th lowest way of the set, counted from 0. The set must have more than n.
func (ws ways) nth(n int) way {
	for ; n > 0; n-- {
		ws &= ws - 1
	}
	return way(bits.TrailingZeros64(uint64(ws)))
}
