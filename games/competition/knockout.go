package competition

import "slices"

// nobody marks an empty place in a bracket.
const nobody = -1

// bracket returns the entrants of the first round of a knock-out in bracket order (CO-40): the best seed meets the
// worst, the two best can meet only in the last round, and the best seeds meet the empty places.
func bracket(seeds []int) []int {
	line := []int{0}
	for len(line) < len(seeds) {
		next := make([]int, 0, 2*len(line))
		for i, s := range line {
			pair := []int{s, 2*len(line) - 1 - s}
			if i%2 == 1 {
				slices.Reverse(pair)
			}
			next = append(next, pair...)
		}
		line = next
	}
	for i, s := range line {
		line[i] = nobody
		if s < len(seeds) {
			line[i] = seeds[s]
		}
	}
	return line
}

// pairKnockOut pairs the new round, with two games per match and the seats swapped (CO-41). An entrant without an
// opponent advances with a bye in the first round, and with a walkover later (CO-6, CO-10).
func (c *Competition) pairKnockOut(at Stamp) {
	line := c.Bracket[c.Round-1]
	for m := 0; m < len(line)/2; m++ {
		var players []int
		for _, e := range line[2*m : 2*m+2] {
			if e != nobody && c.Entrants[e].Out == 0 {
				players = append(players, e)
			}
		}
		p := Pairing{Round: c.Round, Match: m + 1, Seats: players}
		switch len(players) {
		case 1:
			p.End, p.Points, p.Ended = Walkover, []int{Win}, at
			if c.Round == 1 {
				p.End = Bye
			}
			c.add(p)
		case 2:
			if c.lots(c.Round*1000+m).IntN(2) == 1 {
				slices.Reverse(players)
			}
			p.Ready, p.Deadline = at, at+c.Setup.Time
			p.Leg = 1
			c.add(p)
			p.Leg, p.Seats = 2, []int{players[1], players[0]}
			c.add(p)
		}
	}
}

// match returns the pairings of match number m of the current round, and the points of its two entrants in the seat
// order of the first pairing.
func (c *Competition) match(m int) (legs []Pairing, points [2]int) {
	for _, p := range c.Pairings {
		if p.Round != c.Round || p.Match != m {
			continue
		}
		legs = append(legs, p)
		for seat, e := range p.Seats {
			if p.End != "" {
				points[legs[0].Seat(e)] += p.Points[seat]
			}
		}
	}
	return legs, points
}

// deciders adds a third game to each match that is level after two games (CO-42), unless one of the two has withdrawn.
// It reports whether it added any.
func (c *Competition) deciders(at Stamp) bool {
	any := false
	for m := 1; m <= len(c.Bracket[c.Round-1])/2; m++ {
		legs, points := c.match(m)
		if len(legs) != 2 || points[0] != points[1] {
			continue
		}
		seats := slices.Clone(legs[c.lots(c.Round*1000+500+m).IntN(2)].Seats)
		if c.Entrants[seats[0]].Out == 0 && c.Entrants[seats[1]].Out == 0 {
			c.add(Pairing{Round: c.Round, Match: m, Leg: 3, Seats: seats, Ready: at, Deadline: at + c.Setup.Time})
			any = true
		}
	}
	return any
}

// goOn appends the bracket of the next round. In each match the entrant with more points advances. If both are level,
// the entrant who has not withdrawn advances, or else the better seed (CO-42).
func (c *Competition) goOn() {
	seed := make([]int, len(c.Entrants))
	for i, e := range c.seeding() {
		seed[e] = i
	}
	var line []int
	for m := 1; m <= len(c.Bracket[c.Round-1])/2; m++ {
		legs, points := c.match(m)
		winner := nobody
		switch {
		case len(legs) == 0:
		case len(legs[0].Seats) == 1:
			winner = legs[0].Seats[0]
		default:
			a, b := legs[0].Seats[0], legs[0].Seats[1]
			outA, outB := c.Entrants[a].Out != 0, c.Entrants[b].Out != 0
			winner = b
			if points[0] > points[1] || points[0] == points[1] && (outB && !outA || outA == outB && seed[a] < seed[b]) {
				winner = a
			}
		}
		line = append(line, winner)
	}
	c.Bracket = append(c.Bracket, line)
}

// knockOutOrder sorts the standings by the last round of each entrant. Entrants with the same last round share a place
// (CO-43).
func (c Competition) knockOutOrder(lines []Standing) []Standing {
	reached := make([]int, len(c.Entrants))
	for r, line := range c.Bracket {
		for _, e := range line {
			if e != nobody {
				reached[e] = r
			}
		}
	}
	slices.SortStableFunc(lines, func(a, b Standing) int { return reached[b.Entrant] - reached[a.Entrant] })
	for i := range lines {
		lines[i].Place = i + 1
		if i > 0 && len(c.Bracket) > 0 && reached[lines[i].Entrant] == reached[lines[i-1].Entrant] {
			lines[i].Place = lines[i-1].Place
		}
	}
	return lines
}
