package competition

import (
	"fmt"
	"slices"
)

// CheckError says what of a competition is not as its rules make it.
type CheckError struct {
	Pairing int    // its number; 0 where it is about none
	Reason  string // for people
}

func (e *CheckError) Error() string {
	if e.Pairing == 0 {
		return e.Reason
	}
	return fmt.Sprintf("pairing %d: %s", e.Pairing, e.Reason)
}

// Check pairs every round anew from the lot, from who played in it, and from the results of the rounds before, and
// adds up every pairing's points. It returns a *CheckError for the first thing that differs. Users' ids may be
// missing. When people enter and leave, and whom they challenge, they decide themselves: there it checks only that
// nobody was left out who could have played, and each challenge as checkChallenge does.
func (c Competition) Check() error {
	if err := c.CheckSealed(); err != nil || c.Phase == Entry || c.Setup.Kind == Ladder {
		return err
	}
	if c.Setup.Kind == RoundRobin || c.Setup.Kind == League {
		return c.same(c.all(), c.Pairings)
	}
	for r := 1; r <= c.Round; r++ {
		round := slices.DeleteFunc(slices.Clone(c.Pairings), func(p Pairing) bool { return p.Round != r })
		if err := c.checkRound(r, round); err != nil {
			return err
		}
	}
	return nil
}

// CheckSealed is Check without pairing anew, which takes the lot.
func (c Competition) CheckSealed() error {
	if c.Setup.Kind.Limit() == 0 || !c.Setup.within() {
		return &CheckError{Reason: "the setup is not within its limits"}
	}
	for i, p := range c.Pairings {
		if err := c.checkPairing(i, p); err != nil {
			return err
		}
		if c.Setup.Kind == Ladder {
			if err := c.checkChallenge(i, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkPairing checks what is in a pairing whatever was played before.
func (c Competition) checkPairing(i int, p Pairing) error {
	wrong := func(reason string, args ...any) error {
		return &CheckError{Pairing: p.No, Reason: fmt.Sprintf(reason, args...)}
	}
	if i > 0 && p.No != c.Pairings[i-1].No+1 && c.Setup.Kind != Ladder || len(p.Seats) == 0 {
		return wrong("it is out of order, or of nobody")
	}
	for k, e := range p.Seats {
		if e < 0 || e >= len(c.Entrants) || slices.Contains(p.Seats[:k], e) {
			return wrong("entrant %d is nobody, or there twice", e)
		}
	}
	everybody := c.Setup.Kind == RoundRobin || c.Setup.Kind == League
	switch {
	case everybody && len(p.Seats) < 2:
		return wrong("it is of one alone")
	case c.Setup.Kind != Ladder && (p.Round < 1 || !everybody && p.Round > c.Round):
		return wrong("there is no round %d", p.Round)
	case c.Setup.Kind != Ladder && !everybody && p.Round < c.Round && p.End == "":
		return wrong("it has not ended, but a later round has begun")
	case !slices.Contains([]End{"", Played, TimeUp, Unfinished, Void, Abandoned, Declined, Unanswered, Walkover, Bye},
		p.End), (p.End == Declined || p.End == Unanswered) && c.Setup.Kind != Ladder:
		return wrong("it cannot end with %q", p.End)
	case (p.End == "" || p.End == Declined || p.End == Unanswered) && len(p.Points) > 0:
		return wrong("it counts, but was not played")
	case (p.End == Bye) != (len(p.Seats) == 1) && p.End != Walkover && p.End != "":
		return wrong("%d sit there, and it ended with %q", len(p.Seats), p.End)
	}
	for _, e := range p.Seats {
		if c.Setup.Kind == League && c.Entrants[e].Division != p.Division || c.Setup.Kind != League && p.Division != 0 {
			return wrong("entrant %d is of another division", e)
		}
	}
	counted := p.End != "" && p.End != Declined && p.End != Unanswered && (c.Setup.Kind != Ladder || len(p.Points) > 0)
	switch want, sum := Win*max(1, len(p.Seats))/2, sumOf(p.Points); {
	case !counted:
		return nil
	case len(p.Points) != len(p.Seats):
		return wrong("%d sit at the table, but %d get points", len(p.Seats), len(p.Points))
	case len(p.Seats) == 1 && p.Points[0] != Win:
		return wrong("a bye is worth a win")
	case len(p.Seats) > 1 && sum != want:
		return wrong("the points are %d in all, should be %d", sum, want)
	}
	// CO-7: the points follow from places, which the points give.
	o := Outcome{End: p.End, Places: make([]int, len(p.Points))}
	for i, points := range p.Points {
		o.Places[i] = 1
		for _, other := range p.Points {
			if other > points {
				o.Places[i]++
			}
		}
	}
	if p.End == Void || p.End == Abandoned {
		o.Places = nil
	}
	again := p
	new(Competition).finish(&again, o, p.Ended)
	if !slices.Equal(again.Points, p.Points) {
		return wrong("the points %v are of no result that ends with %q", p.Points, p.End)
	}
	return nil
}

// checkChallenge checks that the lot gave the seats of a challenge, and that it was made when neither was in another
// and the challenger did not rest (CO-70, CO-73). At which places the two stood is not kept.
func (c Competition) checkChallenge(i int, p Pairing) error {
	wrong := func(reason string) error { return &CheckError{Pairing: p.No, Reason: reason} }
	if len(p.Seats) != 2 || p.Seat(p.Challenger) < 0 {
		return wrong("it is no challenge of one by another")
	}
	if p.Seats[c.challengerSeat(p.ID)] != p.Challenger {
		return wrong("the lot gives the other seats")
	}
	made := p.Ready // or before
	switch {
	case made == 0 && p.End != "":
		made = p.Ended
	case made == 0:
		made = p.Answer
	}
	for _, before := range c.Pairings[:i] {
		if p.ID == "" || p.ID == before.ID {
			return wrong("it has no id of its own")
		}
		for seat, e := range before.Seats {
			switch {
			case p.Seat(e) < 0:
			case before.End == "" || before.Ended > made:
				return wrong(fmt.Sprintf("entrant %d was still in challenge %d", e, before.No))
			case e == p.Challenger && len(before.Points) == len(before.Seats) && before.Points[seat] == 0 &&
				before.Ended+c.Setup.Rest > made:
				return wrong(fmt.Sprintf("entrant %d had lost challenge %d a short time before", e, before.No))
			}
		}
	}
	return nil
}

func sumOf(points []int) (sum int) {
	for _, n := range points {
		sum += n
	}
	return sum
}

// drawn are the seats as the pairing was made.
func (p Pairing) drawn() []int {
	if len(p.Drawn) > 0 {
		return p.Drawn
	}
	return p.Seats
}

// all is a competition in which everybody meets everybody, as it was paired.
func (c Competition) all() Competition {
	t := c.clone()
	t.Pairings = nil
	for i := range t.Entrants {
		t.Entrants[i].Out, t.Entrants[i].Division = 0, 0
	}
	if c.Setup.Kind == League {
		t.pairLeague(0)
	} else {
		t.pairAll()
	}
	return t
}

// checkRound pairs a round again.
func (c Competition) checkRound(r int, round []Pairing) error {
	if len(round) == 0 {
		return &CheckError{Reason: fmt.Sprintf("round %d has no pairings", r)}
	}
	at := max(round[0].Ready, round[0].Ended)
	if round[0].Ready != 0 {
		at = round[0].Ready
	}
	t := c.clone()
	t.Pairings = nil
	for _, p := range c.Pairings {
		if p.Round < r {
			t.Pairings = append(t.Pairings, p.before(r))
		}
	}
	playing := make([]bool, len(c.Entrants))
	for _, p := range round {
		for _, e := range p.drawn() {
			playing[e] = true
		}
	}
	for i := range t.Entrants {
		e := &t.Entrants[i]
		missing := !playing[i] && (e.Out == 0 || e.Out > at) && e.From <= r
		if c.Setup.Kind == KnockOut {
			missing = missing && slices.Contains(c.line(r), i)
		}
		if missing {
			return &CheckError{Reason: fmt.Sprintf("entrant %d has no pairing in round %d, and did not withdraw before",
				i, r)}
		}
		if e.Out = 0; !playing[i] {
			e.Out = 1
		}
	}
	t.Round = r
	switch c.Setup.Kind {
	case Swiss:
		t.pairSwiss(at)
	case Pods:
		t.pairPods(at)
	case KnockOut:
		if err := c.checkLine(r, at); err != nil {
			return err
		}
		t.pairKnockOut(at)
		t.Pairings = append(t.Pairings, c.thirds(round)...)
	}
	made := slices.DeleteFunc(slices.Clone(t.Pairings), func(p Pairing) bool { return p.Round != r })
	t.Pairings = made
	return c.same(t, round)
}

// before is a pairing as it counted when a later round was paired.
func (p Pairing) before(r int) Pairing {
	for _, was := range p.Was {
		if was.Round >= r {
			p.Points = was.Points
			break
		}
	}
	return p
}

// line is the line of the bracket with which a round begins.
func (c Competition) line(r int) []int {
	if r > len(c.Bracket) {
		return nil
	}
	return c.Bracket[r-1]
}

// checkLine checks the line of the bracket with which a round begins.
func (c Competition) checkLine(r int, at Stamp) error {
	t := c.clone()
	t.Bracket = t.Bracket[:min(r-1, len(t.Bracket))]
	if r == 1 {
		for i := range t.Entrants {
			t.Entrants[i].Out = 0
		}
		t.Bracket = [][]int{bracket(t.in())}
	} else {
		for i, p := range t.Pairings {
			t.Pairings[i] = p.before(r)
		}
		for i := range t.Entrants {
			if t.Entrants[i].Out > at {
				t.Entrants[i].Out = 0
			}
		}
		t.Round = r - 1
		t.goOn()
	}
	if !slices.Equal(t.Bracket[r-1], c.line(r)) {
		return &CheckError{Reason: fmt.Sprintf("round %d begins with %v, should with %v", r, c.line(r), t.Bracket[r-1])}
	}
	return nil
}

// thirds are the deciders of a round, in the seats that the lot gives.
func (c Competition) thirds(round []Pairing) (list []Pairing) {
	for _, p := range round {
		if p.Leg != 3 {
			continue
		}
		var legs []Pairing
		for _, o := range round {
			if o.Match == p.Match && o.Leg < 3 {
				legs = append(legs, o)
			}
		}
		if len(legs) == 2 {
			p.Seats = legs[c.lots(p.Round*1000+500+p.Match).IntN(2)].Seats
		}
		list = append(list, p)
	}
	return list
}

// same compares pairings with those that t has.
func (c Competition) same(t Competition, got []Pairing) error {
	for i, p := range got {
		if i >= len(t.Pairings) {
			return &CheckError{Pairing: p.No, Reason: "it should not be there"}
		}
		want := t.Pairings[i]
		if !slices.Equal(p.drawn(), want.drawn()) || p.Round != want.Round || p.Division != want.Division ||
			p.Match != want.Match || p.Leg != want.Leg {
			return &CheckError{Pairing: p.No, Reason: fmt.Sprintf("it is of entrants %v, should be of %v", p.drawn(),
				want.drawn())}
		}
	}
	if len(t.Pairings) > len(got) {
		return &CheckError{Reason: fmt.Sprintf("a pairing of %v is missing", t.Pairings[len(got)].Seats)}
	}
	return nil
}

// CheckResult compares the points of a pairing that was played with the places that its game ended
// with, by seat. It returns a *CheckError.
func (c Competition) CheckResult(no int, places []int) error {
	p, ok := c.Pairing(no)
	if !ok {
		return &CheckError{Pairing: no, Reason: "there is none"}
	}
	o := Outcome{End: p.End, Places: places}
	if p.End != Played && p.End != TimeUp {
		return nil
	}
	if !o.fits(p) {
		return &CheckError{Pairing: no, Reason: "its game is of another number of players"}
	}
	t := c.clone()
	again := p
	t.Setup.Kind = RoundRobin // no ladder is put into another order
	t.finish(&again, o, p.Ended)
	if !slices.Equal(again.Points, p.Points) {
		return &CheckError{Pairing: no, Reason: fmt.Sprintf("its points are %v, but the game gives %v", p.Points,
			again.Points)}
	}
	return nil
}
