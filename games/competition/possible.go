package competition

import (
	"math/bits"
	"slices"
)

// Places are those that an entrant can still come to, in rising order.
type Places struct {
	Entrant int   `json:"entrant"`
	Places  []int `json:"places"`
}

// exactly is up to how many games that are left Possible plays all their results out.
const exactly = 6

// Possible tells for everybody in a division of a round robin or a league which places are still
// possible, in the order of the standings (CO-90). It never leaves one out that can come, if all
// games are played or decided; what a moderator declares void afterwards can. It is nil in other
// kinds and before the start.
func (c Competition) Possible(division int) []Places {
	if c.Setup.Kind != RoundRobin && c.Setup.Kind != League || c.Phase == Entry {
		return nil
	}
	standings := c.Standings(division)
	var left []int // indices of pairings
	for k, p := range c.Pairings {
		if p.Division == division && p.End == "" {
			left = append(left, k)
		}
	}
	var sets []uint32 // by entrant: a bit for each place
	if c.Phase == Ended {
		left = nil
	}
	if len(left) <= exactly {
		sets = c.playOut(division, left)
	} else {
		sets = c.bounds(standings, left)
	}
	list := make([]Places, len(standings))
	for i, l := range standings {
		list[i].Entrant = l.Entrant
		for set := sets[l.Entrant]; set != 0; set &= set - 1 {
			list[i].Places = append(list[i].Places, bits.TrailingZeros32(set)+1)
		}
	}
	return list
}

// playOut finds the possible places by playing out every result of the games that are left.
func (c Competition) playOut(division int, left []int) []uint32 {
	sets := make([]uint32, len(c.Entrants))
	pairings := slices.Clone(c.Pairings)
	rows := make([]int, len(c.Entrants))
	empty := Competition{Setup: c.Setup, Entrants: c.Entrants}.lines(division)
	for i, l := range empty {
		rows[l.Entrant] = i
	}
	lines := make([]Standing, len(empty))
	var play func(k int)
	play = func(k int) {
		if k < len(left) {
			p := &pairings[left[k]]
			p.End = Played
			for _, points := range [][]int{{Win, 0}, {Win / 2, Win / 2}, {0, Win}} {
				p.Points = points
				play(k + 1)
			}
			return
		}
		copy(lines, empty)
		tally(lines, rows, pairings, division)
		for _, l := range c.order(lines, pairings) {
			sets[l.Entrant] |= 1 << (l.Place - 1)
		}
	}
	play(0)
	return sets
}

// bounds finds the best and the worst place of each by points alone: whoever is level may come before or behind.
func (c Competition) bounds(standings []Standing, left []int) []uint32 {
	n := len(standings)
	row := make([]int, len(c.Entrants))
	for i, l := range standings {
		row[l.Entrant] = i
	}
	games := make([][]int, n) // left between two
	for i := range games {
		games[i] = make([]int, n)
	}
	for _, k := range left {
		a, b := row[c.Pairings[k].Seats[0]], row[c.Pairings[k].Seats[1]]
		games[a][b]++
		games[b][a]++
	}
	sets := make([]uint32, len(c.Entrants))
	for x, l := range standings {
		best, worst := bound(standings, games, x)
		sets[l.Entrant] = 1<<worst - 1<<(best-1)
	}
	return sets
}

// bound is the best and the worst place of x. The games that are left between others share out two
// half points each, and such shares exist if no set of them has to get, or can get, more than its
// games give (Hall's theorem). With at most 16 in a division all sets can be looked at.
func bound(standings []Standing, games [][]int, x int) (best, worst int) {
	const half = Win / 2
	var others []int
	own := 0
	for i := range standings {
		if i != x {
			others = append(others, i)
			own += games[x][i]
		}
	}
	m := len(others)
	high := standings[x].Points/half + 2*own // x wins everything that is left
	low := standings[x].Points / half        // x loses it
	size := 1 << m
	inside := make([]int16, size) // games between two of the set
	room := make([]int16, size)   // half points that the set may still get for nobody to pass x
	need := make([]int16, size)   // half points that the set must still get for all to reach x
	touch := make([]int16, size)  // games of one or two of the set
	under, over := make([]bool, size), make([]bool, size)
	under[0], over[0] = true, true
	most, reach := 0, 0
	for set := 1; set < size; set++ {
		i := bits.TrailingZeros(uint(set))
		rest := set & (set - 1)
		within, all := 0, 0
		for k, o := range others {
			all += games[others[i]][o]
			if rest>>k&1 != 0 {
				within += games[others[i]][o]
			}
		}
		points := standings[others[i]].Points / half
		spare := high - points
		inside[set] = inside[rest] + int16(within)
		touch[set] = touch[rest] + int16(all-within)
		room[set] = room[rest] + int16(spare)
		need[set] = need[rest] + int16(max(0, low-points-2*games[x][others[i]]))
		under[set] = spare >= 0 && 2*inside[set] <= room[set]
		over[set] = need[set] <= 2*touch[set]
		for s := uint(set); s != 0 && (under[set] || over[set]); s &= s - 1 {
			less := set &^ (1 << bits.TrailingZeros(s))
			under[set] = under[set] && under[less]
			over[set] = over[set] && over[less]
		}
		if under[set] {
			most = max(most, bits.OnesCount(uint(set)))
		}
		if over[set] {
			reach = max(reach, bits.OnesCount(uint(set)))
		}
	}
	return 1 + m - most, 1 + reach
}
