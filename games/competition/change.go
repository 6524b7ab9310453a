package competition

import (
	"math/bits"
	"slices"
)

// Enter enters a user with a rating (CO-4, CO-5). In a competition that accepts late entries, a user who has withdrawn
// returns with the earlier results. Enter returns ErrClosed or ErrFull.
func (c Competition) Enter(user string, rating int, at Stamp) (Competition, error) {
	i, known := c.Entrant(user)
	switch {
	case known && c.Entrants[i].Out == 0:
		return c, nil
	case user == "" || c.Phase != Entry && !c.TakesLate():
		return c, ErrClosed
	case len(c.in()) >= c.Setup.Max || !known && len(c.Entrants) >= 4*c.Setup.Kind.Limit():
		return c, ErrFull
	}
	c = c.clone()
	if !known {
		c.Entrants = append(c.Entrants, Entrant{User: user, Rating: rating})
		i = len(c.Entrants) - 1
	}
	c.drop(func(o Offer) bool { return o.To == user })
	e := &c.Entrants[i]
	e.Out, e.OutFor, e.Lapses = 0, "", 0
	if c.Phase == Running && c.Setup.Kind == Ladder {
		c.Order = append(c.Order, i)
	} else if c.Phase == Running {
		e.From = c.Round + 1
	}
	return c, nil
}

// TakesLate reports whether the competition currently accepts late entries (CO-5, CO-75).
func (c Competition) TakesLate() bool {
	switch c.Setup.Kind {
	case Swiss, Pods:
		return c.Phase == Running && c.Round < min(c.Setup.Late, c.Rounds)
	case Ladder:
		return c.Phase == Running
	}
	return false
}

// Withdraw withdraws a user, for one of the Out reasons. Before the competition begins, it deletes the entry.
// Afterwards the games already played count, and CO-10 decides the others. It returns ErrEntrant for a user who has not
// entered, or whose entry it has deleted.
func (c Competition) Withdraw(user, why string, at Stamp) (Competition, error) {
	i, known := c.Entrant(user)
	if !known {
		return c, ErrEntrant
	}
	if c.Phase == Ended || c.Entrants[i].Out != 0 {
		return c, nil
	}
	c = c.clone()
	if c.Phase == Entry {
		c.Entrants = slices.Delete(c.Entrants, i, i+1)
		return c, nil
	}
	c.takeOut(i, why, at)
	c.settle(at)
	return c, nil
}

// Forget withdraws a user, declines an offer to the user, and deletes the user's id (CO-12). It does nothing for a user
// who has neither entered nor got an offer.
func (c Competition) Forget(user string, at Stamp) Competition {
	if _, asked := c.OfferTo(user); asked {
		c, _ = c.Refuse(user)
	}
	i, known := c.Entrant(user)
	if !known {
		return c
	}
	before := len(c.Entrants)
	c, _ = c.Withdraw(user, OutGone, at)
	if len(c.Entrants) == before {
		c = c.clone()
		c.Entrants[i].User = ""
	}
	return c
}

// takeOut withdraws an entrant and ends the pairings that can no longer be played (CO-10).
func (c *Competition) takeOut(i int, why string, at Stamp) {
	e := &c.Entrants[i]
	if e.Out != 0 {
		return
	}
	e.Out, e.OutFor = max(at, 1), why
	if k := slices.Index(c.Order, i); k >= 0 {
		c.Order = slices.Delete(c.Order, k, k+1)
	}
	for k := range c.Pairings {
		p := &c.Pairings[k]
		seat := p.Seat(i)
		if p.End != "" || seat < 0 {
			continue
		}
		switch {
		case len(p.Seats) > 2 && p.Table != "": // the other players continue
		case len(p.Seats) > 2:
			p.Drawn = p.drawn()
			p.Seats = slices.Delete(slices.Clone(p.Seats), seat, seat+1)
		case p.Answer != 0:
			p.End, p.Ended, p.Answer = Walkover, at, 0
		case c.Entrants[p.Seats[1-seat]].Out != 0:
			c.finish(p, Outcome{End: Void}, at)
		default:
			places := []int{1, 1}
			places[seat] = 2
			c.finish(p, Outcome{End: Walkover, Places: places}, at)
		}
	}
}

// Begin begins the competition before its start time. It returns ErrFew if there are too few entrants. It does nothing
// if the competition has begun.
func (c Competition) Begin(at Stamp) (Competition, error) {
	if c.Phase != Entry {
		return c, nil
	}
	if len(c.in()) < c.Setup.Min {
		return c, ErrFew
	}
	c = c.clone()
	c.begin(at)
	return c, nil
}

// CallOff ends the competition with its current standings (CO-16), or closes a ladder with its current order.
// Unfinished games no longer count.
func (c Competition) CallOff(at Stamp) Competition {
	if c.Phase == Ended {
		return c
	}
	c = c.clone()
	c.end(EndCalled, at)
	return c
}

// Hold stops the competition's clocks (CO-14). The reason is the caller's, for example that the channel was
// deleted. Results still count. A competition that is already on hold keeps its reason.
func (c Competition) Hold(reason string, at Stamp) Competition {
	if c.Phase == Ended || c.Held != 0 {
		return c
	}
	c.Held, c.HeldFor = max(at, 1), reason
	return c
}

// Release ends a hold that has the given reason, and postpones all deadlines by the length of the hold (CO-14).
func (c Competition) Release(reason string, at Stamp) Competition {
	if c.Held == 0 || c.HeldFor != reason || c.Phase == Ended {
		return c
	}
	c = c.clone()
	c.putOff(max(0, at-c.Held))
	c.Held, c.HeldFor = 0, ""
	c.settle(at)
	return c
}

// Missed postpones all deadlines by an interval in which nobody could play, such as a stop of the program (CO-14). It
// leaves out the part of the interval during a hold, in which the clocks were already stopped.
func (c Competition) Missed(from, to Stamp) Competition {
	if c.Held != 0 {
		to = min(to, c.Held)
	}
	if c.Phase == Ended || to <= from {
		return c
	}
	c = c.clone()
	c.putOff(to - from)
	return c
}

// putOff postpones all deadlines and other due times (CO-14).
func (c *Competition) putOff(by Stamp) {
	if c.Phase == Entry {
		c.Setup.Start += by
	}
	if c.Setup.End != 0 {
		c.Setup.End += by
	}
	if c.Next != 0 {
		c.Next += by
	}
	for k := range c.Pairings {
		p := &c.Pairings[k]
		if p.End == "" && p.Deadline != 0 {
			p.Deadline += by
		}
		if p.End == "" && p.Answer != 0 {
			p.Answer += by
			if p.Call != 0 {
				p.Call += by
			}
		}
	}
	for i := range c.Offers {
		o := &c.Offers[i]
		o.Until += by
		if o.Call != 0 {
			o.Call += by
		}
	}
}

// ToOpen lists the pairings that need a table. It is empty before the start, on hold and after the end.
func (c Competition) ToOpen() []Pairing {
	var list []Pairing
	if c.Phase == Running && c.Held == 0 {
		for _, p := range c.Pairings {
			if p.End == "" && p.Table == "" && p.Ready != 0 {
				list = append(list, p)
			}
		}
	}
	return list
}

// Opened sets the table of a pairing. It returns ErrPairing if there is no pairing with this number, ErrTable if the
// pairing has another table, and ErrOver if the pairing or the competition has ended.
func (c Competition) Opened(no int, table string) (Competition, error) {
	k := c.find(no)
	switch {
	case k < 0:
		return c, ErrPairing
	case c.Pairings[k].Table == table:
		return c, nil
	case c.Pairings[k].Table != "":
		return c, ErrTable
	case c.Pairings[k].End != "" || c.Phase == Ended:
		return c, ErrOver
	}
	c = c.clone()
	c.Pairings[k].Table = table
	return c, nil
}

// Report sets the outcome of a pairing's game (CO-7). It does nothing if the pairing has ended, for example at its
// deadline (CO-8), or if the competition is not running. Report returns ErrPairing or ErrOutcome.
func (c Competition) Report(no int, o Outcome, at Stamp) (Competition, error) {
	k := c.find(no)
	if k < 0 && no > 0 && len(c.Pairings) > 0 && no < c.Pairings[0].No { // the ladder has removed the pairing
		return c, nil
	}
	if k < 0 || c.Pairings[k].Answer != 0 {
		return c, ErrPairing
	}
	if c.Pairings[k].End != "" || c.Phase != Running {
		return c, nil
	}
	if !o.fits(c.Pairings[k]) {
		return c, ErrOutcome
	}
	c = c.clone()
	p := &c.Pairings[k]
	c.finish(p, o, at)
	c.countLapses(*p, o, at)
	c.settle(at)
	return c, nil
}

// Correct changes the result of a pairing that has ended, when it is declared void or valid again (CO-9). It
// returns ErrPairing, ErrOutcome, or ErrPhase. ErrPhase means that the competition is not running, or is a ladder,
// whose past games do not change its places.
func (c Competition) Correct(no int, o Outcome) (Competition, error) {
	k := c.find(no)
	switch {
	case k < 0 || c.Pairings[k].End == "":
		return c, ErrPairing
	case c.Phase != Running || c.Setup.Kind == Ladder:
		return c, ErrPhase
	case !o.fits(c.Pairings[k]):
		return c, ErrOutcome
	}
	c = c.clone()
	p := &c.Pairings[k]
	if n := len(p.Was); n == 0 || p.Was[n-1].Round < c.Round { // otherwise no round was paired with the current result
		p.Was = append(slices.Clip(p.Was), Was{Round: c.Round, End: p.End, Points: p.Points})
	}
	c.finish(p, o, p.Ended)
	return c, nil
}

// Stretch extends a pairing's deadline because of absences and pauses, up to the setup's limit (CO-13). total is the
// length of all of them since the pairing became ready, so a repeat adds nothing. Stretch returns ErrPairing if there
// is no pairing with this number.
func (c Competition) Stretch(no int, total Stamp) (Competition, error) {
	k := c.find(no)
	if k < 0 {
		return c, ErrPairing
	}
	p := c.Pairings[k]
	total = min(total, c.Setup.Stretch)
	if p.End != "" || p.Deadline == 0 || total <= p.Stretch {
		return c, nil
	}
	c = c.clone()
	p.Deadline, p.Stretch = p.Deadline+total-p.Stretch, total
	c.Pairings[k] = p
	return c, nil
}

// Overdue returns the pairings with a table whose deadline has come, or none while the competition is on hold. The
// caller must report each of them with ByTime before it calls Advance. Advance does not know how much time each seat
// has used, and would let all seats share the win.
func (c Competition) Overdue(at Stamp) []Pairing {
	var list []Pairing
	for _, p := range c.Pairings {
		if c.Phase == Running && c.Held == 0 && p.End == "" && p.Table != "" && p.Deadline != 0 && p.Deadline <= at {
			list = append(list, p)
		}
	}
	return list
}

// ByTime returns the outcome of a game that ended at its deadline, by the time that each seat has used (CO-8). A seat
// that used more than twice the average of the other seats comes last, and the others share first place. Seats in left,
// which were out of the game, come after all others (CO-7).
func ByTime(used []Stamp, left ...int) Outcome {
	places := make([]int, len(used))
	var all Stamp
	for i, u := range used {
		if !slices.Contains(left, i) {
			all += u
		}
	}
	others := Stamp(len(used) - len(left) - 1)
	first := 0
	for i, u := range used {
		if !slices.Contains(left, i) && u*others <= 2*(all-u) {
			places[i] = 1
			first++
		}
	}
	for i := range places {
		switch {
		case slices.Contains(left, i):
			places[i] = len(used) - len(left) + 1
		case places[i] == 0:
			places[i] = first + 1
		}
	}
	return Outcome{End: Unfinished, Places: places}
}

// What is a kind of scheduled event.
type What string

// The kinds of scheduled events.
const (
	DueStart    What = "start"    // the competition begins, or ends with too few entrants
	DueRound    What = "round"    // the next round begins
	DueDeadline What = "deadline" // a pairing reaches its deadline
	DueAnswer   What = "answer"   // a challenge lapses, or the person challenged is reminded (CO-17)
	DueOffer    What = "offer"    // an offer to take over lapses, or its user is reminded (CO-17)
	DueClose    What = "close"    // a ladder reaches its end
	DueHold     What = "hold"     // the hold reaches its maximum length
)

// Due is the next scheduled event of a competition.
type Due struct {
	At      Stamp
	What    What
	Pairing int // number of the pairing, for DueDeadline and DueAnswer
}

// Due returns the next scheduled event. It returns false if there is none: the competition has ended, or is a ladder
// without an end that has no open challenges, games or offers.
func (c Competition) Due() (Due, bool) {
	switch {
	case c.Phase == Ended:
		return Due{}, false
	case c.Held != 0:
		return Due{At: c.Held + HoldLimit, What: DueHold}, true
	case c.Phase == Entry:
		return Due{At: c.Setup.Start, What: DueStart}, true
	}
	due, ok := Due{}, false
	sooner := func(d Due) {
		if !ok || d.At < due.At {
			due, ok = d, true
		}
	}
	if c.Next != 0 {
		sooner(Due{At: c.Next, What: DueRound})
	}
	for _, p := range c.Pairings {
		if p.End == "" && p.Deadline != 0 {
			sooner(Due{At: p.Deadline, What: DueDeadline, Pairing: p.No})
		}
		if p.End == "" && p.Answer != 0 {
			at := p.Answer
			if !p.Called {
				at = min(at, call("", c.Setup.Answer, p.Answer, p.Call).At)
			}
			sooner(Due{At: at, What: DueAnswer, Pairing: p.No})
		}
	}
	if !ok && c.Setup.End != 0 {
		sooner(Due{At: c.Setup.End, What: DueClose})
	}
	for _, o := range c.Offers {
		sooner(Due{At: o.due(), What: DueOffer})
	}
	return due, ok
}

// Advance processes all events that are due at the given time.
func (c Competition) Advance(at Stamp) Competition {
	if d, ok := c.Due(); !ok || d.At > at {
		return c
	}
	c = c.clone()
	for {
		d, ok := c.Due()
		if !ok || d.At > at {
			return c
		}
		switch d.What {
		case DueStart:
			if len(c.in()) < c.Setup.Min {
				c.end(EndFew, at)
			} else {
				c.begin(at)
			}
		case DueRound:
			c.nextRound(at)
		case DueDeadline:
			c.finish(&c.Pairings[c.find(d.Pairing)], Outcome{End: Unfinished}, at)
			c.settle(at)
		case DueAnswer:
			if k := c.find(d.Pairing); c.Pairings[k].Called {
				c.decline(k, Unanswered, at)
			} else {
				c.Pairings[k].Called = true
			}
		case DueOffer:
			c.seeOffers(at)
		case DueClose:
			c.end(EndPlayed, at)
		case DueHold:
			c.end(EndHeld, at)
		}
	}
}

// fits reports whether the pairing can have this outcome.
func (o Outcome) fits(p Pairing) bool {
	switch o.End {
	case Void, Abandoned:
		return len(o.Places) == 0
	case Played, TimeUp, Unfinished:
		ok := len(o.Places) == len(p.Seats) && slices.Contains(o.Places, 1)
		for _, place := range o.Places {
			ok = ok && place >= 1 && place <= len(p.Seats)
		}
		for _, seat := range o.Late {
			ok = ok && seat >= 0 && seat < len(p.Seats)
		}
		return ok
	}
	return false
}

// finish ends a pairing (CO-7). A seat gets an equal part of Win for each seat that it beat, and half a part for each
// seat that shares its place. If the outcome has no places, all seats share the win (CO-9).
func (c *Competition) finish(p *Pairing, o Outcome, at Stamp) {
	places := o.Places
	if len(places) == 0 {
		places = slices.Repeat([]int{1}, len(p.Seats))
	}
	points := make([]int, len(p.Seats))
	for i := range points {
		if len(points) == 1 {
			points[i] = Win
			continue
		}
		half := Win / 2 / (len(points) - 1)
		for j := range points {
			switch {
			case j == i:
			case places[i] < places[j]:
				points[i] += 2 * half
			case places[i] == places[j]:
				points[i] += half
			}
		}
	}
	p.End, p.Points, p.Ended = o.End, points, at
	if c.Setup.Kind == Ladder {
		c.reorder(*p, at)
	}
}

// countLapses counts consecutive games that entrants lost on time, and withdraws entrants who reach the setup's limit
// (CO-11).
func (c *Competition) countLapses(p Pairing, o Outcome, at Stamp) {
	for seat, i := range p.Seats {
		if !slices.Contains(o.Late, seat) {
			if o.End == Played || o.End == TimeUp {
				c.Entrants[i].Lapses = 0
			}
			continue
		}
		c.Entrants[i].Lapses++
		if c.Setup.Lapses > 0 && c.Entrants[i].Lapses >= c.Setup.Lapses {
			c.takeOut(i, OutLapsed, at)
		}
	}
}

func (c *Competition) begin(at Stamp) {
	c.Phase, c.Begun = Running, at
	n := len(c.in())
	switch c.Setup.Kind {
	case RoundRobin:
		c.pairAll()
	case Swiss:
		if c.Rounds = min(c.Setup.Rounds, mostRounds(n)); c.Rounds == 0 {
			c.Rounds = swissRounds(n)
		}
	case KnockOut:
		c.Bracket = [][]int{bracket(c.in())}
		c.Rounds = bits.Len(uint(len(c.Bracket[0]) - 1))
	case Pods:
		if c.Rounds = c.Setup.Rounds; c.Rounds == 0 {
			c.Rounds = podRounds(n, c.Setup.Seats)
		}
	case League:
		c.pairLeague(at)
	case Ladder:
		c.Order = c.in()
		return
	}
	c.nextRound(at)
}

// settle starts the next stage of the competition once every pairing with a deadline has ended (CO-21).
func (c *Competition) settle(at Stamp) {
	c.dropOver()
	if c.Phase != Running || c.Held != 0 {
		return
	}
	switch c.Setup.Kind {
	case Ladder:
		c.prune()
		return
	case League:
		c.readyLeague(at)
	}
	for _, p := range c.Pairings {
		if p.End == "" && p.Deadline != 0 {
			return
		}
	}
	few := len(c.in()) < 2
	switch {
	case few && c.Setup.Kind != KnockOut:
		c.end(EndFew, at)
		return
	case c.Next != 0 && !few:
		return
	case c.Setup.Kind == KnockOut && len(c.Bracket) == c.Round:
		if c.deciders(at) {
			return
		}
	}
	switch {
	case c.Round >= c.Rounds:
		if c.Setup.Kind == KnockOut {
			c.goOn()
		}
		c.end(EndPlayed, at)
	case few || c.Setup.Break == 0:
		c.nextRound(at)
	default:
		c.Next = at + c.Setup.Break
	}
}

func (c *Competition) nextRound(at Stamp) {
	if c.Setup.Kind == KnockOut && c.Round > 0 {
		c.goOn()
	}
	c.Next = 0
	c.Round++
	switch c.Setup.Kind {
	case RoundRobin:
		for k := range c.Pairings {
			if p := &c.Pairings[k]; p.Round == c.Round && p.End == "" {
				p.Ready, p.Deadline = at, at+c.Setup.Time
			}
		}
	case Swiss:
		c.pairSwiss(at)
	case KnockOut:
		c.pairKnockOut(at)
	case Pods:
		c.pairPods(at)
	}
	c.settle(at)
}

// end ends the competition. Games that are still being played do not count.
func (c *Competition) end(why string, at Stamp) {
	c.Phase, c.Why, c.Over, c.Next, c.Held, c.HeldFor, c.Offers = Ended, why, at, 0, 0, "", nil
}

// add adds a pairing, and gives it the next number.
func (c *Competition) add(p Pairing) *Pairing {
	p.No = 1
	if n := len(c.Pairings); n > 0 {
		p.No = c.Pairings[n-1].No + 1
	}
	c.Pairings = append(c.Pairings, p)
	return &c.Pairings[len(c.Pairings)-1]
}
