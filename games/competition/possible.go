package competition

import (
	"math/bits"
	"math/rand/v2"
)

// Places holds the places that an entrant can still reach, in ascending order.
type Places struct {
	Entrant int   `json:"entrant"`
	Places  []int `json:"places"`
}

// exactly is the maximum number of remaining games for which Possible tries every combination of results, at most
// 177,147.
const exactly = 11

// Possible returns the places that each entrant of a round robin, or of a division of a league, can still reach, in the
// order of the standings (CO-90). It includes every place that the remaining games allow, whether they are played or
// decided otherwise. Another place is possible only if a result is corrected later, or the competition ends with games
// left. While many games remain (see exactly), some of the places can be out of reach. Possible returns nil for other
// kinds and before the competition begins.
func (c Competition) Possible(division int) []Places {
	if !c.Setup.Kind.AllMeet() || c.Phase == Entry {
		return nil
	}
	standings := c.Standings(division)
	var left []int // indices of pairings
	for k, p := range c.Pairings {
		if p.Division == division && p.End == "" {
			left = append(left, k)
		}
	}
	var sets []uint32 // bit sets of possible places, indexed by entrant
	if c.Phase == Ended {
		left = nil
	}
	sets = c.bounds(standings, left)
	if len(left) <= exactly {
		sets = c.playOut(division, left, sets)
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

// playOut finds the possible places by trying every combination of results of the remaining games. It stops as soon as
// it has found all places in within.
func (c Competition) playOut(division int, left []int, within []uint32) []uint32 {
	lines := c.lines(division) // in seeding order, which breaks the last ties
	r := results{n: len(lines)}
	row := make([]int, len(c.Entrants))
	for i, l := range lines {
		row[l.Entrant] = i
	}
	for _, p := range c.Pairings {
		if p.Division == division && p.End != "" {
			r.count(row[p.Seats[0]], row[p.Seats[1]], p.Points[0]/(Win/2), 1)
		}
	}
	games := make([][2]int, len(left))
	for i, k := range left {
		games[i] = [2]int{row[c.Pairings[k].Seats[0]], row[c.Pairings[k].Seats[1]]}
	}
	for i, l := range lines {
		r.within[i] = within[l.Entrant]
	}
	// Random results come first, because they usually produce all possible places.
	const some = 300
	for random := rand.New(rand.NewPCG(1, 1)); r.tried < some && !r.full(); {
		before := r
		for _, g := range games {
			r.count(g[0], g[1], random.IntN(3), 1)
		}
		r.note()
		r.points, r.wins, r.got = before.points, before.wins, before.got
	}
	r.play(games)
	sets := make([]uint32, len(c.Entrants))
	for i, l := range lines {
		sets[l.Entrant] = r.places[i]
	}
	return sets
}

// results holds the results of a division while its remaining games are tried out, indexed by line in seeding order.
// Points are in halves of a win.
type results struct {
	n      int
	points [MaxDivision]int
	wins   [MaxDivision]int
	got    [MaxDivision][MaxDivision]int // a line's points against each opponent
	places [MaxDivision]uint32           // bit sets of the places found; bit 0 is the first place
	within [MaxDivision]uint32           // bit sets of the places to look for
	tried  int
}

// full reports whether all places to look for were found.
func (r *results) full() bool { return r.places == r.within }

// count adds a game between a and b if times is 1, and removes it if times is -1. halves is a's result: 2 for a win,
// 1 for a draw, 0 for a loss.
func (r *results) count(a, b, halves, times int) {
	for _, g := range [2][3]int{{a, b, halves}, {b, a, 2 - halves}} {
		r.points[g[0]] += times * g[2]
		r.wins[g[0]] += times * (g[2] / 2)
		r.got[g[0]][g[1]] += times * g[2]
	}
}

// play tries combinations of results of the given games until all places to look for are found, and records the
// resulting places.
func (r *results) play(games [][2]int) {
	if len(games) == 0 {
		r.note()
		return
	}
	for halves := 0; halves <= 2 && !r.full(); halves++ {
		r.count(games[0][0], games[0][1], halves, 1)
		r.play(games[1:])
		r.count(games[0][0], games[0][1], halves, -1)
	}
}

// note records the places that follow from the current results.
func (r *results) note() {
	r.tried++
	// Each line's points and tie-breaks are combined into one number, which ranks lines as Competition.order does.
	var keys [MaxDivision]int
	for i := range r.n {
		level, beaten := 0, 0
		for o, got := range r.got[i][:r.n] {
			if r.points[o] == r.points[i] {
				level += got
			}
			beaten += got * r.points[o]
		}
		keys[i] = (((r.points[i]<<8|level)<<8|r.wins[i])<<12|beaten)<<8 | (r.n - i)
	}
	for i, key := range keys[:r.n] {
		place := 0
		for _, other := range keys[:r.n] {
			if other > key {
				place++
			}
		}
		r.places[i] |= 1 << place
	}
}

// bounds returns, for each entrant, a bit set of the places between the best and the worst place by points alone.
// Entrants with equal points can finish in either order.
func (c Competition) bounds(standings []Standing, left []int) []uint32 {
	n := len(standings)
	row := make([]int, len(c.Entrants))
	for i, l := range standings {
		row[l.Entrant] = i
	}
	games := make([][]int, n) // remaining games between each two entrants
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

// bound returns the best and the worst place of the entrant on line x. Each remaining game between other entrants
// distributes two half points. By Hall's theorem, the members of a set can all stay at or below x if, for each of its
// subsets, the games inside it give no more half points than its room. They can all reach x if no subset needs more
// than its games can give. A division has at most 16 entrants, so bound tries all sets.
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
	high := standings[x].Points/half + 2*own // half points if x wins all remaining games
	low := standings[x].Points / half        // half points if x loses all remaining games
	size := 1 << m
	inside := make([]int16, size) // number of games within the set
	room := make([]int16, size)   // half points that the set can still get with no member above x
	need := make([]int16, size)   // half points that the set still needs for all members to reach x
	touch := make([]int16, size)  // number of games of at least one member of the set
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
