package competition

import (
	"cmp"
	"slices"
)

// Tie is a tie-break: a rule that orders entrants with equal points (CO-80).
type Tie string

// The tie-breaks.
const (
	Buchholz Tie = "buchholz" // the opponents' points
	// CO-83: the points of those whom the entrant beat, and half the points of those with whom the entrant drew
	SonnebornBerger Tie = "sonneborn-berger"
	DirectEncounter Tie = "direct-encounter" // CO-84: the points from games among level entrants
	Wins            Tie = "wins"             // CO-85: number of games won
)

// Ties returns the tie-breaks of a kind, in order (CO-81). Entrants who are level in all of them are ordered by
// seeding.
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
	Place   int   `json:"place"` // from 1, within the division
	Entrant int   `json:"entrant"`
	Points  int   `json:"points"` // a won game is worth Win points; 0 in a Ladder
	Played  int   `json:"played"` // number of ended pairings, including byes and walkovers; in a Ladder, of games
	Won     int   `json:"won"`
	Drawn   int   `json:"drawn"` // number of results between a full win and no points
	Lost    int   `json:"lost"`
	Ties    []int `json:"ties,omitempty"` // indexed like Kind.Ties; in the unit of Points, or in games for Wins
}

// Standings returns the standings, the best first (CO-80): of a division in a League, and otherwise of all entrants,
// with division 0. A Ladder leaves out entrants who have withdrawn. Before the start the order is the seeding.
func (c Competition) Standings(division int) []Standing {
	switch c.Setup.Kind {
	case KnockOut:
		return c.knockOutOrder(c.lines(division))
	case Ladder: // declined challenges have no points
		return c.ladderOrder()
	}
	return c.order(c.lines(division), c.Pairings)
}

// lines returns the standings with their points, in seeding order.
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

// tally adds the points of pairings that have ended to lines. row is the index of each entrant's line.
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
	group := make([]int, len(c.Entrants)) // the same number for level entrants
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
	if tie == Buchholz { // a round without a game counts as an opponent with equal points
		v += max(0, c.Round-rounds) * l.Points
	}
	return v
}

// meeting is an entrant's result against a single opponent.
type meeting struct {
	other  int // entrant number of the opponent; nobody for an unfinished game
	others int // number of opponents at the table
	got    int // Win, half of Win, or 0
	won    int // 1 if the entrant won at this table, only for the table's first opponent
	round  int // 1 for a table's first opponent, to count rounds
}

// meetings returns each entrant's meetings in pairings that have ended. Byes and walkovers do not count as games
// (CO-82, CO-85), but in a round robin and a league walkovers do, because no other round replaces them. An unfinished
// game gives a meeting with nobody.
func (c Competition) meetings(pairings []Pairing) [][]meeting {
	all := c.Setup.Kind.AllMeet()
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

// ladderOrder returns the standings of a ladder, in the order of its places, without entrants who have withdrawn.
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
