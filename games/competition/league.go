package competition

import "slices"

// DivisionOf returns the number of an entrant's division, or 0 if the competition has no divisions.
func (c Competition) DivisionOf(entrant int) int { return c.Entrants[entrant].Division }

// Divisions returns the number of divisions of a league that has begun, and 0 for any other competition.
func (c Competition) Divisions() int {
	n := 0
	for _, e := range c.Entrants {
		n = max(n, e.Division)
	}
	return n
}

// divisionSizes divides n entrants into divisions of about the wanted size, as evenly as possible, the larger ones
// first (CO-60).
func divisionSizes(n, want int) []int {
	count := max(1, (n+want/2)/want)
	for count > 1 && n/count < MinDivision {
		count--
	}
	for (n+count-1)/count > MaxDivision {
		count++
	}
	sizes := make([]int, count)
	for i := range sizes {
		sizes[i] = n / count
		if i < n%count {
			sizes[i]++
		}
	}
	return sizes
}

// pairLeague forms the divisions from the ranks of the last season, with new entrants below them in seeding order. It
// pairs all entrants of a division with each other (CO-60, CO-61).
func (c *Competition) pairLeague(at Stamp) {
	list := c.in()
	slices.SortStableFunc(list, func(a, b int) int {
		rank := func(e int) int {
			if r := c.Entrants[e].Rank; r > 0 {
				return r
			}
			return len(c.Entrants) + c.Setup.Max
		}
		return rank(a) - rank(b)
	})
	c.Rounds = 1
	for d, size := range divisionSizes(len(list), c.Setup.Division) {
		members := slices.Clone(list[:size])
		list = list[size:]
		for _, e := range members {
			c.Entrants[e].Division = d + 1
		}
		c.lots(d).Shuffle(size, func(i, j int) { members[i], members[j] = members[j], members[i] })
		for _, pairs := range everybodyMeets(members) {
			for _, p := range pairs {
				c.add(Pairing{Round: 1, Division: d + 1, Seats: []int{p[0], p[1]}, Deadline: at + c.Setup.Time})
			}
		}
	}
}

// readyLeague makes pairings ready, in order, as long as neither entrant exceeds the setup's number of simultaneous
// games (CO-61).
func (c *Competition) readyLeague(at Stamp) {
	open := make([]int, len(c.Entrants))
	for _, p := range c.Pairings {
		if p.End == "" && p.Ready != 0 {
			open[p.Seats[0]]++
			open[p.Seats[1]]++
		}
	}
	for k := range c.Pairings {
		p := &c.Pairings[k]
		a, b := p.Seats[0], p.Seats[1]
		if p.End == "" && p.Ready == 0 && (c.Setup.AtOnce == 0 || max(open[a], open[b]) < c.Setup.AtOnce) {
			p.Ready = max(at, 1)
			open[a]++
			open[b]++
		}
	}
}

// Continues reports whether another season follows, because this season was played to its end and was not the last.
func (c Competition) Continues() bool {
	return c.Setup.Kind == League && c.Phase == Ended && c.Why == EndPlayed &&
		(c.Setup.Seasons == 0 || c.Setup.Season < c.Setup.Seasons)
}

// Promotion returns the entrants who move up and down according to the current standings (CO-62).
func (c Competition) Promotion() (up, down []int) {
	_, up, down = c.exchange()
	return up, down
}

// exchange returns the entrants of a league who have not withdrawn, in their order at the start of the next season, and
// those of them who change division.
func (c Competition) exchange() (ranks, up, down []int) {
	promote := c.Setup.Promote
	divisions := make([][]int, c.Divisions())
	for d := range divisions {
		for _, l := range c.Standings(d + 1) {
			if c.Entrants[l.Entrant].Out == 0 {
				divisions[d] = append(divisions[d], l.Entrant)
			}
		}
	}
	var drops []int // entrants who come down from the division above
	for d, list := range divisions {
		var rises []int // entrants who come up from the division below
		if d+1 < len(divisions) {
			rises = divisions[d+1][:min(promote, len(divisions[d+1]))]
		}
		stay := list
		if d > 0 {
			stay = stay[min(promote, len(stay)):]
		}
		drop := min(len(rises), len(stay))
		ranks = append(ranks, drops...)
		ranks = append(ranks, stay[:len(stay)-drop]...)
		ranks = append(ranks, rises...)
		drops = stay[len(stay)-drop:]
		up, down = append(up, rises...), append(down, drops...)
	}
	ranks = append(ranks, drops...)
	return ranks, up, down
}

// NextSeason returns the season after one that has ended. Entry is open until start, and all entrants who have not
// withdrawn are entered. The best of each division and the last of the division above have swapped divisions (CO-62,
// CO-63). NextSeason returns ErrPhase if no season follows, and ErrSetup for an invalid start.
func (c Competition) NextSeason(start Stamp, lot uint64) (Competition, error) {
	if c.Begun == 0 || !c.Continues() {
		return c, ErrPhase
	}
	s := c.Setup
	s.Start, s.Lot = start, lot
	s.Season++
	next, err := New(s)
	if err != nil {
		return c, err
	}
	ranks, _, _ := c.exchange()
	for i, e := range ranks {
		next.Entrants = append(next.Entrants, Entrant{User: c.Entrants[e].User, Rating: c.Entrants[e].Rating,
			Rank: i + 1})
	}
	return next, nil
}
