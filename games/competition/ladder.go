package competition

import (
	"crypto/sha256"
	"fmt"
	"slices"
)

// Challenge adds a user's challenge to another user on a ladder (CO-70). The seats follow from the lot and from id, the
// unique id of the challenge, which nobody can predict (CO-18). Repeating an open challenge changes nothing. Challenge
// returns ErrPhase, ErrEntrant, ErrReach, ErrBusy, ErrRest or ErrAway.
func (c Competition) Challenge(user, other, id string, at Stamp) (Competition, error) {
	a, okA := c.Entrant(user)
	b, okB := c.Entrant(other)
	switch {
	case c.Phase != Running || c.Setup.Kind != Ladder || c.Held != 0 || c.Setup.End != 0 && at >= c.Setup.End:
		return c, ErrPhase
	case !okA || !okB || c.Entrants[a].Out != 0 || c.Entrants[b].Out != 0:
		return c, ErrEntrant
	}
	if p, busy := c.challenge(a); busy && p.Seat(b) >= 0 && p.Challenger == a {
		return c, nil
	} else if _, other := c.challenge(b); busy || other {
		return c, ErrBusy
	}
	above := slices.Index(c.Order, a) - slices.Index(c.Order, b)
	switch {
	case above < 1 || above > c.Setup.Reach:
		return c, ErrReach
	case at < c.Entrants[a].Rest:
		return c, ErrRest
	case at < c.Entrants[a].Away || at < c.Entrants[b].Away:
		return c, ErrAway
	}
	c = c.clone()
	p := c.add(Pairing{Seats: []int{a, b}, Challenger: a, ID: id, Answer: at + c.Setup.Answer})
	if c.challengerSeat(id) == 1 {
		slices.Reverse(p.Seats)
	}
	return c, nil
}

// challengerSeat returns the challenger's seat: the lowest bit of the first byte of the SHA-256 of the lot, a space and
// the id. The lot of a ladder is public from the start, so seats that follow from the lot alone would be predictable.
func (c Competition) challengerSeat(id string) int {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", c.Setup.Lot, id))
	return int(sum[0] & 1)
}

// challenge returns the open challenge of an entrant.
func (c Competition) challenge(e int) (Pairing, bool) {
	for _, p := range c.Pairings {
		if p.End == "" && p.Seat(e) >= 0 {
			return p, true
		}
	}
	return Pairing{}, false
}

// challenged returns the entrant number of the challenger's opponent.
func (p Pairing) challenged() int {
	if p.Seats[0] == p.Challenger {
		return p.Seats[1]
	}
	return p.Seats[0]
}

// Accept accepts a challenge, so that the game can begin (CO-71). It returns ErrPairing if there is no challenge with
// this number, and ErrOver if the challenge or the competition has ended.
func (c Competition) Accept(no int, at Stamp) (Competition, error) {
	k, err := c.waiting(no)
	if err != nil || c.Pairings[k].Answer == 0 {
		return c, err
	}
	c = c.clone()
	p := &c.Pairings[k]
	p.Answer, p.Ready, p.Deadline = 0, at, at+c.Setup.Time
	c.Entrants[p.challenged()].Declined = 0
	return c, nil
}

// Decline declines a challenge (CO-71). A repeat changes nothing. It returns ErrPairing if there is no challenge with
// this number, and ErrOver if the challenge was accepted or has ended in another way, or if the competition has
// ended.
func (c Competition) Decline(no int, at Stamp) (Competition, error) {
	k, err := c.waiting(no)
	switch {
	case k >= 0 && c.Pairings[k].End == Declined:
		return c, nil
	case err != nil:
		return c, err
	case c.Pairings[k].Answer == 0:
		return c, ErrOver
	}
	c = c.clone()
	c.decline(k, Declined, at)
	return c, nil
}

// waiting returns the index of a challenge. It returns -1 and ErrPairing if there is none. If the challenge or the
// competition has ended, it returns the index and ErrOver.
func (c Competition) waiting(no int) (int, error) {
	k := c.find(no)
	switch {
	case k < 0 || c.Setup.Kind != Ladder:
		return -1, ErrPairing
	case c.Pairings[k].End != "" || c.Phase != Running:
		return k, ErrOver
	}
	return k, nil
}

// decline ends a challenge that was declined or not answered in time. An entrant with too many of these in a row loses
// the place to the challenger (CO-71).
func (c *Competition) decline(k int, end End, at Stamp) {
	p := &c.Pairings[k]
	p.End, p.Ended, p.Answer = end, at, 0
	e := &c.Entrants[p.challenged()]
	if e.Declined++; e.Declined > c.Setup.Declines {
		e.Declined = 0
		c.overtake(p.Challenger, p.challenged())
	}
	c.settle(at)
}

// overtake moves the first entrant to the place of the second, if that place is higher. The second, and all entrants
// down to the first one's former place, each move down by one (CO-72).
func (c *Competition) overtake(who, whom int) {
	from, to := slices.Index(c.Order, who), slices.Index(c.Order, whom)
	if to < 0 || from < to {
		return
	}
	c.Order = slices.Insert(slices.Delete(c.Order, from, from+1), to, who)
}

// reorder updates the records and places after a challenge's game (CO-72), and starts the loser's rest (CO-73).
func (c *Competition) reorder(p Pairing, at Stamp) {
	for seat, e := range p.Seats {
		who := &c.Entrants[e]
		switch p.Points[seat] {
		case Win:
			who.Record[0]++
		case 0:
			who.Record[2]++
			who.Rest = at + c.Setup.Rest
		default:
			who.Record[1]++
		}
	}
	if p.Points[p.Seat(p.Challenger)] == Win {
		c.overtake(p.Challenger, p.challenged())
	}
}

// SetAway sets the end of a user's absence, during which the user can neither be challenged nor challenge anybody
// (CO-74). Setup.Away is both the maximum length of an absence and the minimum time before the next one. If until is 0,
// the absence ends. SetAway returns ErrEntrant or ErrAway.
func (c Competition) SetAway(user string, until, at Stamp) (Competition, error) {
	i, known := c.Entrant(user)
	if !known || c.Setup.Kind != Ladder {
		return c, ErrEntrant
	}
	was := c.Entrants[i].Away
	until = min(until, at+c.Setup.Away)
	switch {
	case until <= at && was <= at || until == was:
		return c, nil
	case until <= at: // ends the absence early
		until = at
	case was != 0 && at < was+c.Setup.Away && until > was:
		return c, ErrAway
	}
	c = c.clone()
	c.Entrants[i].Away = until
	return c, nil
}

// prune removes the oldest ended challenges beyond keptEnded.
func (c *Competition) prune() {
	ended := 0
	for _, p := range c.Pairings {
		if p.End != "" {
			ended++
		}
	}
	c.Pairings = slices.DeleteFunc(c.Pairings, func(p Pairing) bool {
		drop := p.End != "" && ended > keptEnded
		if drop {
			ended--
		}
		return drop
	})
}
