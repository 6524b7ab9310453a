package competition

import (
	"fmt"
	"math/bits"
	"slices"
)

// CheckError reports where a competition violates its rules.
type CheckError struct {
	Pairing int    // number of the pairing; 0 if the error concerns no single pairing
	Reason  string // the violation, in words
}

func (e *CheckError) Error() string {
	if e.Pairing == 0 {
		return e.Reason
	}
	return fmt.Sprintf("pairing %d: %s", e.Pairing, e.Reason)
}

// Check repeats the pairing of every round from the lot, the players of the round, and the results of earlier rounds,
// and checks that the points of every pairing are possible. It returns a *CheckError for the first difference. Users'
// ids can be missing. Check cannot repeat people's decisions to enter, leave and challenge. It only tests that every
// entrant who could play was paired, and that each challenge passes checkChallenge.
func (c Competition) Check() error {
	if err := c.CheckSealed(); err != nil || c.Begun == 0 || c.Setup.Kind == Ladder {
		return err
	}
	if c.Setup.Kind.AllMeet() {
		return c.same(c.all(), c.Pairings)
	}
	for r := 1; r <= c.Round; r++ {
		round := slices.DeleteFunc(slices.Clone(c.Pairings), func(p Pairing) bool { return p.Round != r })
		if err := c.checkRound(r, round); err != nil {
			return err
		}
	}
	if len(c.Bracket) > c.Round {
		return c.checkLine(c.Round+1, c.Over)
	}
	return nil
}

// CheckSealed makes the checks of Check for a competition whose lot is still secret: it does not pair the rounds again.
// It uses the lot only for a ladder, whose lot is always public.
func (c Competition) CheckSealed() error {
	if err := c.checkShape(); err != nil {
		return err
	}
	records := make([][3]int, len(c.Entrants)) // games won, drawn and lost, by entrant of a ladder
	for i, p := range c.Pairings {
		if err := c.checkPairing(i, p); err != nil {
			return err
		}
		if c.Setup.Kind == Ladder {
			if err := c.checkChallenge(i, p); err != nil {
				return err
			}
		}
		for seat, points := range p.Points {
			switch r := &records[p.Seats[seat]]; points {
			case Win:
				r[0]++
			case 0:
				r[2]++
			default:
				r[1]++
			}
		}
	}
	n := len(c.Pairings)
	whole := n == 0 || c.Pairings[n-1].No == n // no challenge was removed
	for i, r := range records {
		has := c.Entrants[i].Record
		if c.Setup.Kind == Ladder && (whole && has != r || has[0] < r[0] || has[1] < r[1] || has[2] < r[2]) {
			return &CheckError{Reason: fmt.Sprintf("entrant %d has won, drawn and lost %v, the challenges say %v", i, has, r)}
		}
	}
	return nil
}

// Slack is the tolerated difference between times from different clocks.
const Slack = 10 * Minute

// checkShape checks that numbers and lists are within their limits, before other checks compute with them.
func (c Competition) checkShape() error {
	wrong := func(reason string, args ...any) error { return &CheckError{Reason: fmt.Sprintf(reason, args...)} }
	kind, n := c.Setup.Kind, len(c.Entrants)
	switch {
	case kind.Limit() == 0 || !c.Setup.within():
		return wrong("the setup is not within its limits")
	case !slices.Contains([]Phase{Entry, Running, Ended}, c.Phase), c.Phase == Running && c.Begun == 0,
		c.Phase == Entry && c.Begun != 0, (c.Phase == Ended) != (c.Over != 0), c.Over != 0 && c.Over+Slack < c.Begun:
		return wrong("it cannot be in the phase %q", c.Phase)
	case c.Begun == 0 && (len(c.Pairings) > 0 || len(c.Bracket) > 0 || len(c.Order) > 0 || c.Round != 0):
		return wrong("it has not begun, but was played")
	case c.Phase == Ended && !slices.Contains([]string{EndPlayed, EndFew, EndCalled, EndHeld}, c.Why),
		c.Phase != Ended && c.Why != "", c.Why == EndPlayed && c.Round < c.Rounds:
		return wrong("it cannot have ended for %q", c.Why)
	case n > 4*kind.Limit(), c.Begun != 0 && n < kind.fewest():
		return wrong("%d cannot enter", n)
	case c.Round < 0 || c.Round > c.Rounds || c.Rounds > MaxRounds:
		return wrong("it cannot be in round %d of %d", c.Round, c.Rounds)
	case kind == Ladder && len(c.Pairings) > keptEnded+n:
		return wrong("there are %d challenges", len(c.Pairings))
	}
	lines := 0
	if kind == KnockOut {
		if lines = c.Round; c.Why == EndPlayed {
			lines++
		}
	}
	if len(c.Bracket) != lines || lines > 0 && c.Rounds != bits.Len(uint(len(c.Bracket[0])-1)) {
		return wrong("the bracket has %d lines", len(c.Bracket))
	}
	for _, line := range c.Bracket {
		if !c.different(slices.DeleteFunc(slices.Clone(line), func(e int) bool { return e == nobody })) {
			return wrong("the bracket is of strangers, or of somebody twice")
		}
	}
	if !c.different(c.Order) || kind != Ladder && len(c.Order) > 0 {
		return wrong("the order is of strangers, or of somebody twice")
	}
	for i, e := range c.Entrants {
		switch {
		case kind == Ladder && c.Begun != 0 && (e.Out == 0) != slices.Contains(c.Order, i):
			return wrong("entrant %d has left and has a place, or neither", i)
		case (kind == League && c.Begun != 0) != (e.Division > 0), e.Division < 0,
			e.Division > max(1, n/MinDivision):
			return wrong("entrant %d cannot be in division %d", i, e.Division)
		}
	}
	return c.checkOnce()
}

// different reports whether all elements are entrants, each at most once.
func (c Competition) different(list []int) bool {
	seen := make([]bool, len(c.Entrants))
	for _, e := range list {
		if e < 0 || e >= len(seen) || seen[e] {
			return false
		}
		seen[e] = true
	}
	return true
}

// checkOnce checks pairings against each other. Two entrants of a round robin or a league meet only once. All games of
// a match in a knock-out have the same two entrants. In a round of a round robin, a Swiss tournament or pods, nobody
// has two seats. Ladders are not checked.
func (c Competition) checkOnce() error {
	sat, met, match := map[[2]int]bool{}, map[[2]int]bool{}, map[[2]int][]int{}
	twice := func(seen map[[2]int]bool, what [2]int) bool {
		before := seen[what]
		seen[what] = true
		return before
	}
	for _, p := range c.Pairings {
		wrong := false
		switch drawn := slices.Sorted(slices.Values(p.drawn())); c.Setup.Kind {
		case Ladder:
		case KnockOut:
			at := [2]int{p.Round, p.Match}
			before, there := match[at]
			wrong = there && !slices.Equal(before, drawn) || twice(sat, [2]int{p.Round*1000 + p.Match, p.Leg}) ||
				p.Match < 1 || p.Match > c.Setup.Kind.Limit() || p.Leg < 0 || p.Leg > 3 ||
				(p.Leg == 0) != (len(drawn) == 1)
			match[at] = drawn
		case League:
			wrong = len(drawn) == 2 && twice(met, [2]int(drawn))
		default:
			wrong = c.Setup.Kind == RoundRobin && len(drawn) == 2 && twice(met, [2]int(drawn))
			for _, e := range drawn {
				wrong = wrong || twice(sat, [2]int{p.Round, e})
			}
		}
		if wrong {
			return &CheckError{Pairing: p.No, Reason: "who sits there sits elsewhere, too, or has met before"}
		}
	}
	return nil
}

// checkPairing checks the fields of a pairing that do not depend on earlier games.
func (c Competition) checkPairing(i int, p Pairing) error {
	wrong := func(reason string, args ...any) error {
		return &CheckError{Pairing: p.No, Reason: fmt.Sprintf(reason, args...)}
	}
	last := 0
	if i > 0 {
		last = c.Pairings[i-1].No
	}
	everybody := c.Setup.Kind.AllMeet()
	least, most := 1, 2
	switch {
	case everybody || c.Setup.Kind == Ladder:
		least = 2
	case c.Setup.Kind == Pods:
		most = c.Setup.Seats
	}
	switch {
	case p.No != last+1 && (c.Setup.Kind != Ladder || p.No <= last):
		return wrong("it is out of order")
	case len(p.Seats) < least || len(p.drawn()) > most:
		return wrong("%d cannot sit there", len(p.drawn()))
	case !c.different(p.Seats) || !c.different(p.Drawn):
		return wrong("somebody is nobody, or there twice")
	case len(p.Drawn) > 0 && (c.Setup.Kind != Pods || len(p.Drawn) <= len(p.Seats)):
		return wrong("nobody has left it")
	case c.Setup.Kind != Ladder && (p.Round < 1 || p.Round > c.Rounds || !everybody && p.Round > c.Round):
		return wrong("there is no round %d", p.Round)
	case c.Setup.Kind != Ladder && !everybody && p.Round < c.Round && p.End == "":
		return wrong("it has not ended, but a later round has begun")
	case (p.End == "") != (p.Ended == 0):
		return wrong("it has ended, or not")
	case p.Ready != 0 && p.Ready+Slack < c.Begun, p.End != "" && p.Ended+Slack < max(p.Ready, c.Begun),
		p.End == Unfinished && (p.Deadline == 0 || p.Ended+Slack < p.Deadline):
		return wrong("it ended before it could")
	case p.Ready == 0 && slices.Contains([]End{Played, TimeUp, Unfinished}, p.End):
		return wrong("it was played before it was ready")
	}
	for _, e := range p.Seats {
		switch {
		case len(p.Drawn) > 0 && !slices.Contains(p.Drawn, e):
			return wrong("entrant %d was not seated there", e)
		case c.Setup.Kind == League && c.Entrants[e].Division != p.Division,
			c.Setup.Kind != League && p.Division != 0:
			return wrong("entrant %d is of another division", e)
		}
	}
	if err := c.checkPoints(p); err != nil {
		return err
	}
	for seat, e := range p.Seats { // in these kinds, entrants who withdraw cannot return
		if p.End == Walkover && (everybody || c.Setup.Kind == KnockOut) && p.Points[seat] == 0 &&
			c.Entrants[e].Out != p.Ended {
			return wrong("entrant %d had not withdrawn", e)
		}
	}
	return c.checkWas(p)
}

// checkWas checks the earlier outcomes of a corrected pairing.
func (c Competition) checkWas(p Pairing) error {
	for k, was := range p.Was {
		before := p
		before.End, before.Points = was.End, was.Points
		if was.Round < 1 || was.Round > c.Round || k > 0 && was.Round <= p.Was[k-1].Round || was.End == "" {
			return &CheckError{Pairing: p.No,
				Reason: fmt.Sprintf("it cannot have been corrected in round %d", was.Round)}
		}
		if err := c.checkPoints(before); err != nil {
			return err
		}
	}
	return nil
}

// checkPoints checks that the points are possible for the pairing's End (CO-7).
func (c Competition) checkPoints(p Pairing) error {
	wrong := func(reason string, args ...any) error {
		return &CheckError{Pairing: p.No, Reason: fmt.Sprintf(reason, args...)}
	}
	declined := p.End == Declined || p.End == Unanswered
	switch {
	case !slices.Contains([]End{"", Played, TimeUp, Unfinished, Void, Abandoned, Declined, Unanswered, Walkover, Bye},
		p.End), declined && c.Setup.Kind != Ladder:
		return wrong("it cannot end with %q", p.End)
	case (p.End == "" || declined) && len(p.Points) > 0:
		return wrong("it counts, but was not played")
	case (p.End == Bye) != (len(p.Seats) == 1) && p.End != Walkover && p.End != "":
		return wrong("%d sit there, and it ended with %q", len(p.Seats), p.End)
	case p.End == "", declined, c.Setup.Kind == Ladder && p.End == Walkover && len(p.Points) == 0:
		return nil
	case len(p.Points) != len(p.Seats):
		return wrong("%d sit at the table, but %d get points", len(p.Seats), len(p.Points))
	}
	// Places that are derived from the points must give the same points.
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
	if !slices.Equal(again.Points, p.Points) || p.End == Walkover && sumOf(p.Points) != slices.Max(p.Points) {
		return wrong("the points %v are of no result that ends with %q", p.Points, p.End)
	}
	return nil
}

// checkChallenge checks that the lot gave the seats of a challenge, that neither entrant was in another challenge at
// that time, and that the challenger was not resting (CO-70, CO-73). It cannot check the entrants' places, because
// former places are not stored.
func (c Competition) checkChallenge(i int, p Pairing) error {
	wrong := func(reason string) error { return &CheckError{Pairing: p.No, Reason: reason} }
	if len(p.Seats) != 2 || p.Seat(p.Challenger) < 0 {
		return wrong("it is no challenge of one by another")
	}
	if p.ID == "" || slices.ContainsFunc(c.Pairings[:i], func(before Pairing) bool { return p.ID == before.ID }) {
		return wrong("it has no id of its own")
	}
	if p.Seats[c.challengerSeat(p.ID)] != p.Challenger {
		return wrong("the lot gives the other seats")
	}
	made := p.Ready // the challenge was made no later than this
	switch {
	case made == 0 && p.End != "":
		made = p.Ended
	case made == 0:
		made = p.Answer
	}
	for _, before := range c.Pairings[:i] {
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

// drawn returns the seats with which the pairing was made.
func (p Pairing) drawn() []int {
	if len(p.Drawn) > 0 {
		return p.Drawn
	}
	return p.Seats
}

// all returns the competition with its pairings at the beginning, for kinds in which everybody meets everybody.
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

// checkRound pairs a round again and compares the result with the round's pairings.
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
		err := c.checkLine(r, at)
		if err == nil {
			err = c.checkDeciders(r, round)
		}
		if err != nil {
			return err
		}
		t.pairKnockOut(at)
		t.Pairings = append(t.Pairings, c.thirds(round)...)
	}
	made := slices.DeleteFunc(slices.Clone(t.Pairings), func(p Pairing) bool { return p.Round != r })
	t.Pairings = made
	return c.same(t, round)
}

// before returns a pairing with the result that counted when round r was paired.
func (p Pairing) before(r int) Pairing {
	for _, was := range p.Was {
		if was.Round >= r {
			p.End, p.Points = was.End, was.Points
			break
		}
	}
	return p
}

// line returns the bracket with which round r begins, or nil if there is none.
func (c Competition) line(r int) []int {
	if r > len(c.Bracket) {
		return nil
	}
	return c.Bracket[r-1]
}

// checkLine checks the bracket with which round r begins.
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

// thirds returns the deciders of a round, with the seats that the lot gives.
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

// checkDeciders checks that a match has a third game if and only if it is level after two (CO-42). After a correction
// or a withdrawal the number of games can differ.
func (c Competition) checkDeciders(r int, round []Pairing) error {
	over := r < c.Round || c.Phase == Ended && c.Why == EndPlayed
	for _, p := range round {
		if p.Leg != 1 || len(p.Seats) != 2 {
			continue
		}
		points, third, sure := 0, 0, true
		for _, o := range round {
			switch {
			case o.Match != p.Match:
			case o.Leg == 3:
				third = o.No
			case o.End == "" || len(o.Was) > 0:
				sure = false
			default:
				points += o.Points[o.Seat(p.Seats[0])]
			}
		}
		in := c.Entrants[p.Seats[0]].Out == 0 && c.Entrants[p.Seats[1]].Out == 0
		if sure && (third != 0 && points != Win || third == 0 && points == Win && over && in) {
			return &CheckError{Pairing: max(p.No, third), Reason: "its match has a decider that it needs not, or none"}
		}
	}
	return nil
}

// same compares the pairings got with those of t.
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

// CheckResult compares the points of a pairing with the final places in its game, indexed by seat. It returns a
// *CheckError if they do not match.
func (c Competition) CheckResult(no int, places []int) error {
	p, ok := c.Pairing(no)
	if !ok {
		return &CheckError{Pairing: no, Reason: "there is none"}
	}
	o := Outcome{End: Played, Places: places}
	if !o.fits(p) {
		return &CheckError{Pairing: no, Reason: "its game is of another number of players"}
	}
	again := p
	new(Competition).finish(&again, o, p.Ended)
	if !slices.Equal(again.Points, p.Points) {
		return &CheckError{Pairing: no, Reason: fmt.Sprintf("its points are %v, but the game gives %v", p.Points,
			again.Points)}
	}
	return nil
}
