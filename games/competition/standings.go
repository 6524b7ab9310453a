package competition

import (
	"cmp"
	"slices"
)

// Tie is a rule that separates entrants with equal points (CO-80).
type Tie string

// The tie-breaks.
const (
	Buchholz Tie = "buchholz" // the opponents' points
	// CO-83: the points of beaten opponents, and half the points of opponents with whom the entrant drew
	SonnebornBerger Tie = "sonneborn-berger"
	DirectEncounter Tie = "direct-encounter" // CO-84: the points from games among level entrants
	Wins            Tie = "wins"             // CO-85: games won at the table
)

// Ties returns the tie-breaks of a kind, in order (CO-81). If all of them are level, the seeding decides.
func (k Kind) Ties() []Tie {
	switch k {
	case RoundRobin, League:
		return []Tie{DirectEncounter, Wins, SonnebornBerger}
	case Swiss:
		return []Tie{Buchholz, SonnebornBerger, DirectEncounter, Wins}
	case Pods:
		return []Tie{Wins, Buchholz}
	}
	return nil
}

// Standing is a line of the standings.
type Standing struct {
	Place   int   `json:"place"` // from 1, in the division
	Entrant int   `json:"entrant"`
	Points  int   `json:"points"` // a won game is worth Win points
	Played  int   `json:"played"` // pairings that have ended, including byes and walkovers
	Won     int   `json:"won"`
	Drawn   int   `json:"drawn"` // results between a full win and no points
	Lost    int   `json:"lost"`
	Ties    []int `json:"ties,omitempty"` // by Kind.Ties, for display; same unit as Points, or games for Wins
}

// Standings returns the standings of all entrants, the best first (CO-80). division is 0 except in a League. Before the
// start the order is the seeding.
func (c Competition) Standings(division int) []Standing {
	switch c.Setup.Kind {
	case KnockOut:
		return c.knockOutOrder(c.lines(division))
	case Ladder: // declined challenges of a ladder have no points
		return c.ladderOrder()
	}
	return c.order(c.lines(division), c.Pairings)
}

// lines returns the lines of the standings with their points, in seeding order.
func (c Competition) lines(division int) []Standing {
	row := make([]int, len(c.Entrants))
	var lines []Standing
	for _, e := range c.seeding() {
		row[e] = -1
		if c.member(e, division) {
			row[e] = len(lines)
			lines = append(lines, Standing{Entrant: e})
		}
	}
	tally(lines, row, c.Pairings, division)
	return lines
}

// tally adds up the points of pairings that have ended; row is indexed by entrant and gives the line.
func tally(lines []Standing, row []int, pairings []Pairing, division int) {
	for _, p := range pairings {
		if p.End == "" || p.Division != division {
			continue
		}
		for seat, e := range p.Seats {
			l := &lines[row[e]]
			l.Points += p.Points[seat]
			l.Played++
			switch p.Points[seat] {
			case Win:
				l.Won++
			case 0:
				l.Lost++
			default:
				l.Drawn++
			}
		}
	}
}

// member reports whether an entrant belongs in a division's standings.
func (c Competition) member(e, division int) bool {
	return c.Setup.Kind != League || c.Entrants[e].Division == division
}

// order sorts lines, which have their points and are in seeding order, by points and tie-breaks, and sets their places
// (CO-80).
func (c Competition) order(lines []Standing, pairings []Pairing) []Standing {
	points := make([]int, len(c.Entrants))
	for _, l := range lines {
		points[l.Entrant] = l.Points
	}
	met := c.meetings(pairings)
	slices.SortStableFunc(lines, func(a, b Standing) int { return b.Points - a.Points })
	group := make([]int, len(c.Entrants)) // level entrants have the same group
	number := func() {
		for i, l := range lines {
			group[l.Entrant] = i
			if i > 0 && l.Points == lines[i-1].Points && slices.Equal(l.Ties, lines[i-1].Ties) {
				group[l.Entrant] = group[lines[i-1].Entrant]
			}
		}
	}
	for _, tie := range c.Setup.Kind.Ties() {
		number()
		for i := range lines {
			l := &lines[i]
			l.Ties = append(l.Ties, c.tie(tie, *l, met[l.Entrant], points, group))
		}
		slices.SortStableFunc(lines, func(a, b Standing) int {
			return cmp.Or(b.Points-a.Points, slices.Compare(b.Ties, a.Ties))
		})
	}
	for i := range lines {
		lines[i].Place = i + 1
	}
	return lines
}

// tie returns the value of a tie-break for the entrant of a line.
func (c Competition) tie(tie Tie, l Standing, met []meeting, points, group []int) int {
	v, rounds := 0, 0
	for _, m := range met {
		rounds += m.round
		switch {
		case tie == Wins:
			v += m.won
		case m.other < 0:
		case tie == Buchholz:
			v += points[m.other] / m.others
		case tie == SonnebornBerger:
			v += points[m.other] * m.got / Win / m.others
		case tie == DirectEncounter && group[m.other] == group[l.Entrant]:
			v += m.got
		}
	}
	if tie == Buchholz { // a round without a game counts like an opponent with equal points
		v += max(0, c.Round-rounds) * l.Points
	}
	return v
}

// meeting is an entrant's result against one opponent.
type meeting struct {
	other  int // the opponent; nobody in a bye
	others int // number of opponents at the table
	got    int // points, in parts of a Win
	won    int // 1 for the first opponent at a table that the entrant won
	round  int // 1 for the first opponent at a table
}

// meetings returns each entrant's meetings in pairings that have ended. Byes and walkovers are not games (CO-82,
// CO-85), but in a round robin and a league walkovers count like games, because no other round replaces them.
func (c Competition) meetings(pairings []Pairing) [][]meeting {
	all := c.Setup.Kind == RoundRobin || c.Setup.Kind == League
	met := make([][]meeting, len(c.Entrants))
	for _, p := range pairings {
		if p.End == "" {
			// An unfinished game does not count as a missed round.
			for _, e := range p.Seats {
				if p.Ready != 0 {
					met[e] = append(met[e], meeting{other: nobody, round: 1})
				}
			}
			continue
		}
		if len(p.Seats) == 1 || p.End == Walkover && !all {
			continue
		}
		for seat, e := range p.Seats {
			first := len(met[e])
			for s, o := range p.Seats {
				if s == seat {
					continue
				}
				got := Win / 2
				switch {
				case p.Points[seat] > p.Points[s]:
					got = Win
				case p.Points[seat] < p.Points[s]:
					got = 0
				}
				met[e] = append(met[e], meeting{other: o, others: len(p.Seats) - 1, got: got})
			}
			met[e][first].round = 1
			if p.Points[seat] == Win {
				met[e][first].won = 1
			}
		}
	}
	return met
}

// ladderOrder returns the lines of a ladder, in the order of its places. Entrants who have withdrawn have no line.
func (c Competition) ladderOrder() []Standing {
	order := c.Order
	if c.Phase == Entry {
		order = c.in()
	}
	lines := make([]Standing, len(order))
	for i, e := range order {
		r := c.Entrants[e].Record
		lines[i] = Standing{Place: i + 1, Entrant: e, Won: r[0], Drawn: r[1], Lost: r[2], Played: r[0] + r[1] + r[2]}
	}
	return lines
}

// Cell is a cell of a crosstable.
type Cell struct {
	Pairing int   `json:"pairing,omitempty"` // number of the pairing; 0 for an empty cell
	Others  []int `json:"others,omitempty"`
	Seat    int   `json:"seat"`
	Points  int   `json:"points"`
	End     End   `json:"end,omitempty"` // "" while it has not ended
}

// Crosstable returns a row of cells for each line of the standings. In a round robin and a league the columns are the
// opponents in the order of the standings. In Swiss and Pods they are the rounds. Crosstable is nil for KnockOut and
// Ladder.
func (c Competition) Crosstable(division int) [][]Cell {
	standings := c.Standings(division)
	columns, byRound := len(standings), false
	switch c.Setup.Kind {
	case Swiss, Pods:
		columns, byRound = c.Round, true
	case KnockOut, Ladder:
		return nil
	}
	row := make([]int, len(c.Entrants))
	table := make([][]Cell, len(standings))
	for i, l := range standings {
		row[l.Entrant] = i
		table[i] = make([]Cell, columns)
	}
	for _, p := range c.Pairings {
		if p.Division != division {
			continue
		}
		for seat, e := range p.Seats {
			cell := Cell{Pairing: p.No, Seat: seat, End: p.End}
			if p.End != "" {
				cell.Points = p.Points[seat]
			}
			for _, o := range p.Seats {
				if o != e {
					cell.Others = append(cell.Others, o)
				}
			}
			column := p.Round - 1
			if !byRound {
				column = row[cell.Others[0]]
			}
			table[row[e]][column] = cell
		}
	}
	return table
}
