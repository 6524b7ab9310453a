package competition

import "slices"

// Offer is an offer to a user to take over an entrant's place (CO-15).
type Offer struct {
	For   string `json:"for"`             // the entrant, who plays until the offer is accepted
	To    string `json:"to"`              // the user who is asked
	Until Stamp  `json:"until"`           // deadline for a reply
	Games []int  `json:"games,omitempty"` // the entrant's open pairings at that time; the offer ends with the last one
	// the time of the reminder has come
	Called bool `json:"called,omitempty"`
	// time of the reminder, set by PutCall; 0 if CO-17 sets the time
	Call Stamp `json:"call,omitempty"`
}

// OfferTime is the time that a user has to reply to an offer.
const OfferTime = Day

// notice returns the time between the reminder of a user who has not replied and the deadline (CO-17). span is the
// whole time for the reply.
func notice(span Stamp) Stamp { return min(span/4, 12*Hour) }

// Call is a reminder for a user who has not replied to a challenge or an offer (CO-17).
type Call struct {
	User  string
	Asked Stamp // time of the challenge or offer
	Until Stamp // deadline of the challenge or offer
	At    Stamp // time of the reminder
	Put   bool  // whether PutCall set At
}

// Calls returns the reminders that are still to come (CO-17).
func (c Competition) Calls() (list []Call) {
	for _, p := range c.Pairings {
		if p.End == "" && p.Answer != 0 && !p.Called {
			list = append(list, call(c.Entrants[p.challenged()].User, c.Setup.Answer, p.Answer, p.Call))
		}
	}
	for _, o := range c.Offers {
		if !o.Called {
			list = append(list, call(o.To, OfferTime, o.Until, o.Call))
		}
	}
	return list
}

func call(user string, time, until, put Stamp) Call {
	at := put
	if put == 0 {
		at = until - notice(time)
	}
	return Call{User: user, Asked: until - time, Until: until, At: at, Put: put != 0}
}

// PutCall moves the reminders of a user who has not replied to the time at. A challenge or offer whose deadline comes
// by then brings no reminder.
func (c Competition) PutCall(user string, at Stamp) Competition {
	c = c.clone()
	for k := range c.Pairings {
		if p := &c.Pairings[k]; p.End == "" && p.Answer != 0 && c.Entrants[p.challenged()].User == user {
			p.Call = at
		}
	}
	for i := range c.Offers {
		if c.Offers[i].To == user {
			c.Offers[i].Call = at
		}
	}
	return c
}

// due returns the time of the offer's next event: its reminder or its deadline.
func (o Offer) due() Stamp {
	if o.Called {
		return o.Until
	}
	return min(o.Until, call(o.To, OfferTime, o.Until, o.Call).At)
}

// OfferTo returns the open offer to a user.
func (c Competition) OfferTo(user string) (Offer, bool) {
	return c.offer(func(o Offer) bool { return o.To == user })
}

// OfferFor returns the open offer of an entrant's place.
func (c Competition) OfferFor(user string) (Offer, bool) {
	return c.offer(func(o Offer) bool { return o.For == user })
}

func (c Competition) offer(is func(Offer) bool) (Offer, bool) {
	i := slices.IndexFunc(c.Offers, is)
	if i < 0 {
		return Offer{}, false
	}
	return c.Offers[i], true
}

// Ask offers the place of the entrant user to the user other (CO-15). It replaces an earlier offer of that place. A
// repeat changes nothing. Ask returns ErrPhase if the competition is not running, ErrEntrant if user has not entered or
// has withdrawn, and ErrTaken if other is empty, has entered or has another offer.
func (c Competition) Ask(user, other string, at Stamp) (Competition, error) {
	i, known := c.Entrant(user)
	_, there := c.Entrant(other)
	o, asked := c.OfferTo(other)
	switch {
	case asked && o.For == user:
		return c, nil
	case c.Phase != Running:
		return c, ErrPhase
	case !known || c.Entrants[i].Out != 0:
		return c, ErrEntrant
	case other == "" || there || asked:
		return c, ErrTaken
	}
	c = c.clone()
	o = Offer{For: user, To: other, Until: at + OfferTime}
	for _, p := range c.Pairings {
		if p.End == "" && p.Ready != 0 && p.Seat(i) >= 0 {
			o.Games = append(o.Games, p.No)
		}
	}
	c.drop(func(o Offer) bool { return o.For == user })
	c.Offers = append(c.Offers, o)
	return c, nil
}

// TakeOver accepts the user's offer: the user gets the entrant's place and points (CO-15). It returns ErrOffer if the
// user has no open offer.
func (c Competition) TakeOver(other string) (Competition, error) {
	o, asked := c.OfferTo(other)
	if !asked {
		return c, ErrOffer
	}
	i, _ := c.Entrant(o.For)
	c = c.clone()
	c.Entrants[i].User, c.Entrants[i].Lapses = other, 0
	c.drop(func(o Offer) bool { return o.To == other })
	return c, nil
}

// Refuse declines the user's offer (CO-15). It returns ErrOffer if the user has no open offer.
func (c Competition) Refuse(other string) (Competition, error) {
	return c.unask(func(o Offer) bool { return o.To == other })
}

// Unask withdraws the offer of the entrant's place (CO-15). It returns ErrOffer if there is none.
func (c Competition) Unask(user string) (Competition, error) {
	return c.unask(func(o Offer) bool { return o.For == user })
}

func (c Competition) unask(is func(Offer) bool) (Competition, error) {
	if _, there := c.offer(is); !there {
		return c, ErrOffer
	}
	c = c.clone()
	c.drop(is)
	return c, nil
}

// drop removes the offers for which gone is true.
func (c *Competition) drop(gone func(Offer) bool) {
	if c.Offers = slices.DeleteFunc(slices.Clone(c.Offers), gone); len(c.Offers) == 0 {
		c.Offers = nil
	}
}

// dropOver removes the offers whose entrant has withdrawn, or has finished the games that were open when the offer was
// made.
func (c *Competition) dropOver() {
	c.drop(func(o Offer) bool {
		i, known := c.Entrant(o.For)
		return !known || c.Entrants[i].Out != 0 || len(o.Games) > 0 && !slices.ContainsFunc(o.Games, func(no int) bool {
			p, there := c.Pairing(no)
			return there && p.End == ""
		})
	})
}

// seeOffers removes offers whose deadline has passed, and marks offers whose user must be reminded.
func (c *Competition) seeOffers(at Stamp) {
	c.drop(func(o Offer) bool { return o.Until <= at })
	for i := range c.Offers {
		o := &c.Offers[i]
		o.Called = o.Called || o.due() <= at
	}
}
