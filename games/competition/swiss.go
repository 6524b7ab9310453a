package competition

import (
	"math/bits"
	"slices"

	"github.com/gnutterts/chesspairing/algorithm/blossom"
)

// swissRounds returns the default number of rounds for n entrants (CO-31).
func swissRounds(n int) int { return min(bits.Len(uint(n-1))+1, mostRounds(n)) }

// mostRounds returns the maximum number of rounds that n entrants can play without meeting twice.
func mostRounds(n int) int { return n - 1 + n%2 }

// swissPlayer holds a player's data for the pairing of a Swiss round.
type swissPlayer struct {
	entrant int
	points  int    // in halves of a Win
	group   int    // number of players in the field with the same points
	balance int    // games in the first seat minus games in the second
	seats   []int  // the entrant's seats so far, in order
	met     []bool // whether they have met, indexed by entrant
	bye     bool   // has had a bye
}

// swissField returns the players of the next round, ordered by points, then by seed.
func (c Competition) swissField() []swissPlayer {
	all := make([]swissPlayer, len(c.Entrants))
	for i := range all {
		all[i] = swissPlayer{entrant: i, met: make([]bool, len(all))}
	}
	for _, p := range c.Pairings {
		for seat, e := range p.Seats {
			s := &all[e]
			s.points += p.Points[seat] * 2 / Win
			switch {
			case len(p.Seats) == 1:
				s.bye = s.bye || p.End == Bye
			case p.End == Walkover:
			default:
				s.met[p.Seats[1-seat]] = true
				s.seats = append(s.seats, seat)
				s.balance += 1 - 2*seat
			}
		}
	}
	var field []swissPlayer
	for _, e := range c.in() {
		field = append(field, all[e])
	}
	slices.SortStableFunc(field, func(a, b swissPlayer) int { return b.points - a.points })
	for i := range field {
		for _, other := range field {
			if other.points == field[i].points {
				field[i].group++
			}
		}
	}
	return field
}

// levels is the number of criteria in CO-30.
const levels = 7

// criteria returns the penalties of a pair, or of a bye for a if b is nil, in the order of the criteria in CO-30. A
// smaller penalty is better. i and j are the indices of a and b in a field of n players.
func criteria(n, i, j int, a, b *swissPlayer) [levels]int64 {
	if b == nil {
		again := 0
		if a.bye {
			again = 1
		}
		return [levels]int64{1: int64(again), 2: int64(a.points), 6: int64(n - 1 - i)}
	}
	again, far, seats, fold := 0, 0, 0, j-i
	if a.met[b.entrant] {
		again = 1
	}
	if (a.balance > 0) == (b.balance > 0) { // both are due the second seat, or neither is
		seats = min(abs(a.balance), abs(b.balance), 3)
		far = seats / 2
	}
	apart := a.points - b.points
	if apart == 0 {
		fold -= a.group / 2
	}
	return [levels]int64{int64(again), 0, 0, int64(far), int64(apart * apart), int64(seats), int64(fold * fold)}
}

func abs(n int) int { return max(n, -n) }

// swissPairs returns the pairing of the field with the minimum total weight (CO-30), as indices in the field. In a
// field of odd length n, one player is paired with the index n, which is a bye.
func swissPairs(field []swissPlayer) [][2]int {
	n := len(field)
	// The maximum total of a criterion is less than one step of the previous criterion.
	pairs, size, spread := int64(n+1)/2, int64(n), int64(field[0].points-field[n-1].points)
	most := [levels]int64{1, 2, int64(field[0].points) + 1, pairs + 1, pairs*spread*spread + 1, 3*pairs + 1,
		pairs*size*size + 1}
	var edges []blossom.BlossomEdge
	heaviest := int64(0)
	for i := range field {
		for j := i + 1; j < n+n%2; j++ {
			var b *swissPlayer
			if j < n {
				b = &field[j]
			}
			weight := int64(0)
			for k, v := range criteria(n, i, j, &field[i], b) {
				weight = weight*most[k] + v
			}
			heaviest = max(heaviest, weight)
			edges = append(edges, blossom.BlossomEdge{I: i, J: j, Weight: weight})
		}
	}
	for k := range edges { // the matching library maximizes the weight
		edges[k].Weight = heaviest - edges[k].Weight
	}
	var matched [][2]int
	for i, j := range blossom.MaxWeightMatching(edges, true) {
		if i < j {
			matched = append(matched, [2]int{i, j})
		}
	}
	return matched
}

// pairSwiss pairs the new round (CO-30).
func (c *Competition) pairSwiss(at Stamp) {
	field := c.swissField()
	for _, pair := range swissPairs(field) {
		a := field[pair[0]]
		if pair[1] == len(field) {
			c.add(Pairing{Round: c.Round, Seats: []int{a.entrant}, End: Bye, Points: []int{Win}, Ended: at})
			continue
		}
		b := field[pair[1]]
		seats := []int{a.entrant, b.entrant}
		if c.second(a, b) {
			slices.Reverse(seats)
		}
		c.add(Pairing{Round: c.Round, Seats: seats, Ready: at, Deadline: at + c.Setup.Time})
	}
}

// second reports whether a gets the second seat against b (CO-32). The player with the lower balance gets the first
// seat. If the balances are equal, the seats of the two are compared in their latest games, in the games before, and so
// on: where they first differ, the two swap. If they never differ, the lot decides.
func (c *Competition) second(a, b swissPlayer) bool {
	if a.balance != b.balance {
		return a.balance > b.balance
	}
	for k := 1; k <= min(len(a.seats), len(b.seats)); k++ {
		if x, y := a.seats[len(a.seats)-k], b.seats[len(b.seats)-k]; x != y {
			return x == 0
		}
	}
	return c.lots(c.Round*1000+a.entrant).IntN(2) == 1
}
