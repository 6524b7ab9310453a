package games

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"marque/games/text"
)

// Result describes how a game ended.
type Result struct {
	// Winners are in ascending order. Several winners share the win, or the draw if Drawn is set.
	Winners []Seat
	// Drawn is set if nobody won: the Winners share the draw.
	Drawn bool
	// Scores are indexed by seat. They are nil if the game does not count points, or was not ended by its rules.
	Scores []int
	// Why gives the reason in a sentence.
	Why text.Message
}

// Places returns the place of each seat. The winners have place 1. The other seats follow, by their scores in games
// that count points. Equal seats share a place.
func (r Result) Places(seats int) []int {
	before := func(a, b int) bool {
		wa, wb := slices.Contains(r.Winners, Seat(a)), slices.Contains(r.Winners, Seat(b))
		if wa != wb || wa || len(r.Scores) != seats {
			return wa && !wb
		}
		return r.Scores[a] > r.Scores[b]
	}
	places := make([]int, seats)
	for i := range places {
		places[i] = 1
		for j := range places {
			if before(j, i) {
				places[i]++
			}
		}
	}
	return places
}

// Score returns the scores of a result from high to low, winners first, such as "46 : 31".
func (r Result) Score() string {
	places := r.Places(len(r.Scores))
	seats := AllSeats(len(r.Scores)).Seats()
	slices.SortStableFunc(seats, func(a, b Seat) int { return places[a] - places[b] })
	points := make([]string, len(seats))
	for i, seat := range seats {
		points[i] = strings.ReplaceAll(strconv.Itoa(r.Scores[seat]), "-", "−")
	}
	return strings.Join(points, " : ")
}

// Won returns the result of a game that one seat won.
func Won(winner Seat, why text.Message) Result { return Result{Winners: []Seat{winner}, Why: why} }

// Draw returns the result of a draw between the remaining seats.
func Draw(between SeatSet, why text.Message) Result {
	return Result{Winners: between.Seats(), Drawn: true, Why: why}
}

// Payoff returns the value of the result for seat: 1 for a win, 0 for a loss, and an equal part of 1 for each seat that
// shares a win or a draw.
func (r Result) Payoff(seat Seat) float64 {
	var winners SeatSet
	for _, w := range r.Winners {
		winners.Add(w)
	}
	return winners.Payoff(seat)
}

// SeatSet is a set of seats: bit n is set if seat n is a member.
type SeatSet uint8

// AllSeats returns the set of the seats 0 to n-1.
func AllSeats(n int) SeatSet { return 1<<n - 1 }

// Highest returns all members of the set with the highest score.
func (s SeatSet) Highest(score func(Seat) int) (highest SeatSet) {
	best := 0
	for rest := s; rest != 0; rest &= rest - 1 {
		seat := Seat(bits.TrailingZeros8(uint8(rest)))
		switch n := score(seat); {
		case highest == 0 || n > best:
			highest, best = 1<<seat, n
		case n == best:
			highest.Add(seat)
		}
	}
	return highest
}

// Add adds a player's seat to the set.
func (s *SeatSet) Add(seat Seat) { *s |= 1 << seat }

// Has reports whether a player's seat is in the set.
func (s SeatSet) Has(seat Seat) bool { return s>>seat&1 != 0 }

// Seats returns the members in ascending order.
func (s SeatSet) Seats() []Seat {
	list := make([]Seat, 0, bits.OnesCount8(uint8(s)))
	for rest := s; rest != 0; rest &= rest - 1 {
		list = append(list, Seat(bits.TrailingZeros8(uint8(rest))))
	}
	return list
}

// Payoff is like Result.Payoff, with the members as the winners. It does not allocate, as Sims require.
func (s SeatSet) Payoff(seat Seat) float64 {
	if !s.Has(seat) {
		return 0
	}
	return 1 / float64(bits.OnesCount8(uint8(s)))
}
