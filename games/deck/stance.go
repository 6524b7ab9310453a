package deck

import "math/bits"

// Stance is a token's space together with the direction of its back, from 0 to 53. On an empty deck, a token's steps
// depend on nothing else (DK-4). Unless the back is turned to the sea, a stance also identifies the token's last
// step, which led from the space behind its back to its present space (DK-5).
//
// Every space has three stances: one for each of three neighbours, or on a hatch one for each of two neighbours and one
// for the sea (DK-1). Space s has the stances 3s to 3s+2.
type Stance uint8

const stanceCount = 3 * Spaces

// StanceSet is a set of stances, bit i for Stance i. Walks are computed on whole sets, because different ways to the
// same stance are the same move.
type StanceSet uint64

const (
	// AllStances is the set of all stances.
	AllStances StanceSet = 1<<stanceCount - 1
	// HatchStances are the stances on the hatches 1-6, the lowest 18.
	HatchStances StanceSet = 1<<(3*6) - 1
	// SeaStances are the stances with the back to the sea, which are the third of each hatch (DK-1).
	SeaStances = HatchStances & firstStances << 2
	// firstStances holds the lowest stance of each space.
	firstStances = AllStances / 7
)

// fork has the one or two steps that are possible from a stance (DK-4). If there is only one, the second set is empty.
type fork struct {
	enter [2]StanceSet // stance after each step, as a set
	then  [2]StanceSet // stances after one more step
	next  [2]Stance    // stance after each step; 0 for a missing step
}

// ahead returns the stances after one step.
func (f *fork) ahead() StanceSet { return f.enter[0] | f.enter[1] }

// These tables are computed from paths when the package is loaded. stepTable has the stances after one step, for each
// of the seven bytes of a StanceSet and each value of the byte.
var backOf, stances, forks, stepTable = indexStances()

func indexStances() (backs [stanceCount]Space, byBack [Spaces][Spaces + 1]Stance, forks [64]fork,
	steps [7][256]StanceSet) {
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
	for st := range Stance(stanceCount) {
		s, f := Space(st/3), &forks[st]
		ahead := Ahead(s, backs[st])
		for i := range ahead.Len() {
			f.next[i] = byBack[ahead.Take()][s]
			f.enter[i] = 1 << f.next[i]
		}
		for value := range 256 {
			if value>>(st%8)&1 != 0 {
				steps[st/8][value] |= f.ahead()
			}
		}
	}
	for st := range Stance(stanceCount) {
		f := &forks[st]
		for i, enter := range f.enter {
			if enter != 0 {
				f.then[i] = forks[f.next[i]].ahead()
			}
		}
	}
	return backs, byBack, forks, steps
}

// StanceOf returns the stance on s with the back turned to back. back must be a neighbour of s, or the Sea for a hatch.
func StanceOf(s, back Space) Stance { return stances[s][back] }

// Space returns the space of the token.
func (st Stance) Space() Space { return Space(st / 3) }

// Back returns the space, or Sea, to which the token's back is turned.
func (st Stance) Back() Space { return backOf[st] }

// Set returns the set that contains only this stance. In this file, the remainder of a shift count makes the compiler
// omit the test for shifts of 64 and more.
func (st Stance) Set() StanceSet { return 1 << (st % 64) }

// Step returns the stances after one step from any stance of the set, with all spaces empty (DK-4, DK-5).
func (set StanceSet) Step() StanceSet {
	return stepTable[0][uint8(set)] | stepTable[1][uint8(set>>8)] | stepTable[2][uint8(set>>16)] |
		stepTable[3][uint8(set>>24)] | stepTable[4][uint8(set>>32)] | stepTable[5][uint8(set>>40)] |
		stepTable[6][uint8(set>>48)]
}

// Walk returns the stances at the end of walks of n steps from st. n must be at least one. All steps except the last
// enter only spaces in empty, which must be a result of Spread. The last step can enter any space.
func (st Stance) Walk(n int, empty StanceSet) StanceSet {
	switch n {
	case 1:
		return st.Walk1()
	case 2:
		return st.Walk2(empty)
	}
	at := st.Walk3(empty)
	for ; n > 3 && at != 0; n-- {
		at = (at & empty).Step()
	}
	return at
}

// Walk1 returns the result of Walk for one step.
func (st Stance) Walk1() StanceSet { return forks[st%64].ahead() }

// Walk2 returns the result of Walk for two steps. It compiles to code without branches, which a processor could not
// predict.
func (st Stance) Walk2(empty StanceSet) StanceSet {
	f := &forks[st%64]
	a, b := f.then[0], f.then[1]
	if f.enter[0]&empty == 0 {
		a = 0
	}
	if f.enter[1]&empty == 0 {
		b = 0
	}
	return a | b
}

// Walk3 returns the result of Walk for three steps.
func (st Stance) Walk3(empty StanceSet) StanceSet {
	f := &forks[st%64]
	a, b := f.next[0].Walk2(empty), f.next[1].Walk2(empty)
	if f.enter[0]&empty == 0 {
		a = 0
	}
	if f.enter[1]&empty == 0 {
		b = 0
	}
	return a | b
}

// Walk returns the stances at the end of walks of n steps from any stance of the set. n must be at least one. All steps
// except the last enter only spaces in empty, which must be a result of Spread.
func (set StanceSet) Walk(n int, empty StanceSet) StanceSet {
	for ; n > 1; n-- {
		set = set.Step() & empty
	}
	return set.Step()
}

// Walks stores in ends the result of Walk for each stance of the set, in ascending order. n is from 1 to 3. ends must
// have room for all.
func (set StanceSet) Walks(n int, empty StanceSet, ends []StanceSet) {
	// Each length has a separate loop without calls or branches in it.
	switch n {
	case 1:
		for i := 0; i < len(ends) && set != 0; i++ {
			ends[i] = set.First().Walk1()
			set = set.Rest()
		}
	case 2:
		for i := 0; i < len(ends) && set != 0; i++ {
			ends[i] = set.First().Walk2(empty)
			set = set.Rest()
		}
	default:
		for i := 0; i < len(ends) && set != 0; i++ {
			f := &forks[set.First()%64]
			set = set.Rest()
			a, b := f.next[0].Walk2(empty), f.next[1].Walk2(empty)
			if f.enter[0]&empty == 0 {
				a = 0
			}
			if f.enter[1]&empty == 0 {
				b = 0
			}
			ends[i] = a | b
		}
	}
}

// Route returns the spaces of a walk of n steps from st to end, including both. Walk with the same n and empty must
// lead to end.
func (st Stance) Route(n int, empty StanceSet, end Stance) []Space {
	// at[i] has the possible stances after i steps.
	at := make([]StanceSet, n)
	at[0] = st.Set()
	for i := 1; i < n; i++ {
		at[i] = at[i-1].Step() & empty
	}
	route := make([]Space, n+1)
	route[n] = end.Space()
	for i := n - 1; i >= 0; i-- {
		for before := at[i].On(end.Back()); before != 0; {
			if b := before.Take(); b.Walk1().Has(end) {
				end = b
				break
			}
		}
		route[i] = end.Space()
	}
	return route
}

// Spread returns all stances on the spaces of the set.
func (set StanceSet) Spread() StanceSet { return 7 * set.first() }

// first returns the lowest stance of each space of the set.
func (set StanceSet) first() StanceSet { return (set | set>>1 | set>>2) & firstStances }

// HatchCount returns the number of hatches in the set, which must be a result of Spread.
func (set StanceSet) HatchCount() int { return (set & HatchStances & firstStances).Len() }

// Hatches returns the hatches with a stance in the set.
func (set StanceSet) Hatches() Set {
	// The lowest stances of the hatches are every third bit. They are packed together, first in pairs, then all.
	at := set.first() & HatchStances
	at = (at | at>>2) & 0x30c3
	return Set((at | at>>4 | at>>8) & StanceSet(Hatches))
}

// On returns the stances of the set on s.
func (set StanceSet) On(s Space) StanceSet { return set & (7 << (3 * s % 64)) }

// Has reports whether st is in the set.
func (set StanceSet) Has(st Stance) bool { return set>>(st%64)&1 != 0 }

// Len returns the number of stances in the set.
func (set StanceSet) Len() int { return bits.OnesCount64(uint64(set)) }

// First returns the lowest stance of a set that is not empty.
func (set StanceSet) First() Stance { return Stance(bits.TrailingZeros64(uint64(set))) }

// Lowest returns the set of only the lowest stance, or the empty set.
func (set StanceSet) Lowest() StanceSet { return set & -set }

// Rest returns the set without its lowest stance.
func (set StanceSet) Rest() StanceSet { return set & (set - 1) }

// Take removes the lowest stance of a set that is not empty and returns it. In inner loops First and Rest are faster,
// because they leave the set in a register.
func (set *StanceSet) Take() Stance {
	st := set.First()
	*set &= *set - 1
	return st
}

// Nth returns the n-th lowest stance of the set, counted from 0. The set must have more than n.
func (set StanceSet) Nth(n int) Stance {
	// Four, two and one stance are skipped without branches, which a processor could not predict for a random n.
	for ; n > 7; n -= 8 {
		set = set.Rest().Rest().Rest().Rest().Rest().Rest().Rest().Rest()
	}
	if four := set.Rest().Rest().Rest().Rest(); n&4 != 0 {
		set = four
	}
	if two := set.Rest().Rest(); n&2 != 0 {
		set = two
	}
	if one := set.Rest(); n&1 != 0 {
		set = one
	}
	return set.First()
}
