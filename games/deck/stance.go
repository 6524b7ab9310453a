package deck

import "math/bits"

// Stance is where a token stands together with where its back is turned, 0 to 53. It is all
// that a move depends on (DK-4), and it is also the last step that the token made: the one from
// its back to its space (DK-5).
//
// Every space has three stances: its three neighbours, or two and the sea for a hatch (DK-1).
// Space s has the stances 3s to 3s+2.
type Stance uint8

// StanceCount is the number of stances.
const StanceCount = 3 * Spaces

// StanceSet is a set of stances, bit i for Stance i. Whole walks are done on such sets at
// once, because different ways to the same stance are the same move.
type StanceSet uint64

const (
	// AllStances is every stance there is.
	AllStances StanceSet = 1<<StanceCount - 1
	// HatchStances are the stances on the hatches 1-6, the lowest 18.
	HatchStances StanceSet = 1<<(3*6) - 1
	// firstStances holds the lowest stance of each space.
	firstStances = AllStances / 7
)

// These are made from paths once, when the package is loaded. oneStep is where one step leads from
// each stance; stepTable the same for each of the seven bytes of a StanceSet and each value of it.
var backOf, stances, oneStep, stepTable = indexStances()

func indexStances() (backs [StanceCount]Space, byBack [Spaces][Spaces + 1]Stance, one [64]StanceSet, steps [7][256]StanceSet) {
	for s := range Space(Spaces) {
		around := append([]Space{}, NeighbourList(s)...)
		if Hatches.Has(s) {
			around = append(around, Sea)
		}
		for i, back := range around {
			stance := Stance(3*int(s) + i)
			backs[stance], byBack[s][back] = back, stance
		}
	}
	for st := range Stance(StanceCount) {
		s := Space(st / 3)
		for ahead := Ahead(s, backs[st]); ahead != 0; {
			one[st] |= 1 << byBack[ahead.Take()][s]
		}
		for value := range 256 {
			if value>>(st%8)&1 != 0 {
				steps[st/8][value] |= one[st]
			}
		}
	}
	return backs, byBack, one, steps
}

// StanceOf is the stance on s with the back turned to back, which must be a neighbour of s, or
// the Sea for a hatch.
func StanceOf(s, back Space) Stance { return stances[s][back] }

// Space is where the token stands.
func (st Stance) Space() Space { return Space(st / 3) }

// Back is where its back is turned.
func (st Stance) Back() Space { return backOf[st] }

// Set is the set of this stance alone.
func (st Stance) Set() StanceSet { return 1 << st }

// Step is the set of stances after one step from any stance of the set, whatever stands in
// the way (DK-4, DK-5).
func (set StanceSet) Step() StanceSet {
	return stepTable[0][uint8(set)] | stepTable[1][uint8(set>>8)] | stepTable[2][uint8(set>>16)] |
		stepTable[3][uint8(set>>24)] | stepTable[4][uint8(set>>32)] | stepTable[5][uint8(set>>40)] |
		stepTable[6][uint8(set>>48)]
}

// Walk is the set of stances at the end of walks of n steps, at least one, from st. All steps but the
// last enter spaces of empty only, which is a Spread; the last may enter any.
func (st Stance) Walk(n int, empty StanceSet) StanceSet {
	at := oneStep[st%64]
	for ; n > 1 && at != 0; n-- {
		at = (at & empty).Step()
	}
	return at
}

// Route is the spaces of one of the walks of n steps from st to end, from the space of st to that of end, with steps
// as in Walk, which must lead there.
func (st Stance) Route(n int, empty StanceSet, end Stance) []Space {
	// at[i] is where the walk may be after i steps.
	at := make([]StanceSet, n)
	at[0] = st.Set()
	for i := 1; i < n; i++ {
		at[i] = at[i-1].Step() & empty
	}
	route := make([]Space, n+1)
	route[n] = end.Space()
	for i := n - 1; i >= 0; i-- {
		for before := at[i].On(end.Back()); before != 0; {
			if b := before.Take(); oneStep[b].Has(end) {
				end = b
				break
			}
		}
		route[i] = end.Space()
	}
	return route
}

// Spread is the set of all stances on the spaces of the set.
func (set StanceSet) Spread() StanceSet { return 7 * set.first() }

// first is the lowest stance of each space of the set.
func (set StanceSet) first() StanceSet { return (set | set>>1 | set>>2) & firstStances }

// HatchCount is the number of hatches of the set, which must be a Spread.
func (set StanceSet) HatchCount() int { return (set & HatchStances & firstStances).Len() }

// Hatches is the set of hatches on which the set has a stance.
func (set StanceSet) Hatches() Set {
	var out Set
	for rest := set & HatchStances; rest != 0; {
		out = out.With(rest.Take().Space())
	}
	return out
}

// On is the part of the set on s.
func (set StanceSet) On(s Space) StanceSet { return set & (7 << (3 * s)) }

// Has reports whether st is in the set.
func (set StanceSet) Has(st Stance) bool { return set>>st&1 != 0 }

// Len is the number of stances in the set.
func (set StanceSet) Len() int { return bits.OnesCount64(uint64(set)) }

// First is the lowest stance of a set that is not empty.
func (set StanceSet) First() Stance { return Stance(bits.TrailingZeros64(uint64(set))) }

// Take removes the lowest stance of a set that is not empty and returns it.
func (set *StanceSet) Take() Stance {
	st := set.First()
	*set &= *set - 1
	return st
}

// Nth is the n-th lowest stance of the set, counted from 0; the set must have more than n.
func (set StanceSet) Nth(n int) Stance {
	for ; n > 0; n-- {
		set &= set - 1
	}
	return set.First()
}
