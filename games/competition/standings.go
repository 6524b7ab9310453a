package competition

import (
	"cmp"
	"slices"
)

// Tie names what separates entrants with as many points (CO-80).
type Tie string

// The tie-breaks.
const (
	Buchholz        Tie = "buchholz"         // the points of those whom one has met
	SonnebornBerger Tie = "sonneborn-berger" // CO-83: the points of those whom one has beaten, half of those one drew with
	DirectEncounter Tie = "direct-encounter" // CO-84: the points from the games among those who are level
	Wins            Tie = "wins"             // CO-85: games won at the table
)

// Ties are the tie-breaks of a kind, in their order (CO-81). The last word has the seeding, when all are level.
func (k Kind) Ties() []Tie {
	switch k {
	case RoundRobin, League:
		return []Tie{DirectEncounter, Wins, SonnebornBerger}
	}
	return nil
}

// Standing is a line of the standings.
type Standing struct {
	Place   int   `json:"place"` // from 1, in the division
	Entrant int   `json:"entrant"`
	Points  int   `json:"points"` // in parts of a Win
	Played  int   `json:"played"` // pairings that have ended, byes and walkovers too
	Won     int   `json:"won"`
	Drawn   int   `json:"drawn"` // every share of a place but a win and a last place
	Lost    int   `json:"lost"`
	Ties    []int `json:"ties,omitempty"` // by Kind.Ties, for showing: in the unit of points, or games for Wins
}

// Standings are the places of those who have entered, the best first (CO-80). division is 0 but in a League. Before the start the
// order is the seeding.
func (c Competition) Standings(division int) []Standing {
	return c.order(c.lines(division))
}

// lines are the standings' lines with points, in the order of the seeding.
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
	for _, p := range c.Pairings {
		if p.End == "" || p.Division != division {
			continue
		}
		for seat, e := range p.Seats {
			l := &lines[row[e]]
			l.Points += p.Points[seat]
			l.Played++
			switch {
			case p.Points[seat] == Win:
				l.Won++
			case p.Points[seat] == 0:
				l.Lost++
			default:
				l.Drawn++
			}
		}
	}
	return lines
}

// member reports whether an entrant stands in a division's standings.
func (c Competition) member(e, division int) bool { return true }

// order sorts lines by points and tie-breaks, and numbers them.
func (c Competition) order(lines []Standing) []Standing {
	points := make([]int, len(c.Entrants))
	for _, l := range lines {
		points[l.Entrant] = l.Points
	}
	level := func(a, b int) bool { return points[a] == points[b] }
	met := c.meetings(lines)
	for i := range lines {
		l := &lines[i]
		for _, tie := range c.Setup.Kind.Ties() {
			v := 0
			for _, m := range met[l.Entrant] {
				switch {
				case tie == Buchholz && m.other >= 0:
					v += points[m.other]
				case tie == Buchholz: // a round that was not played counts as met with one's own points
					v += l.Points
				case tie == SonnebornBerger && m.other >= 0:
					v += points[m.other] * m.got / Win
				case tie == DirectEncounter && m.other >= 0 && level(l.Entrant, m.other):
					v += m.got
				case tie == Wins && m.won:
					v++
				}
			}
			l.Ties = append(l.Ties, v)
		}
	}
	slices.SortStableFunc(lines, func(a, b Standing) int {
		return cmp.Or(b.Points-a.Points, slices.Compare(b.Ties, a.Ties))
	})
	for i := range lines {
		lines[i].Place = i + 1
	}
	return lines
}

// meeting is what an entrant got against another.
type meeting struct {
	other int // -1 in a bye or a walkover
	got   int // of a Win
	won   bool
}

// meetings are those of everybody in the lines. A bye and a walkover are meetings with nobody.
func (c Competition) meetings(lines []Standing) [][]meeting {
	met := make([][]meeting, len(c.Entrants))
	for _, p := range c.Pairings {
		if p.End == "" {
			continue
		}
		for seat, e := range p.Seats {
			if len(p.Seats) == 1 || p.End == Walkover {
				met[e] = append(met[e], meeting{other: -1, got: p.Points[seat]})
				continue
			}
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
				met[e] = append(met[e], meeting{other: o, got: got, won: p.Points[seat] == Win && s == (seat+1)%len(p.Seats)})
			}
		}
	}
	return met
}
