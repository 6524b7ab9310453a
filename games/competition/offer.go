package competition

import "slices"

// Offer asks a user to take over an entrant's place (CO-15).
type Offer struct {
	For   string `json:"for"`             // the entrant, who plays until the offer is accepted
	To    string `json:"to"`              // the user who is asked
	Until Stamp  `json:"until"`           // deadline for a reply
	Games []int  `json:"games,omitempty"` // open pairings at the time of the offer; it ends with the last of them
	// the user has been reminded
	Called bool `json:"called,omitempty"`
	// time of the reminder, set by PutCall; 0: as CO-17 says
	Call Stamp `json:"call,omitempty"`
}

// OfferTime is the time for a reply to an offer.
const OfferTime = Day

// notice returns how long before the deadline to remind a user who has not replied (CO-17).
func notice(span Stamp) Stamp { return min(span/4, 12*Hour) }

// Call is a reminder for a user who has not replied to a challenge or an offer (CO-17).
type Call struct {
	User  string
	Asked Stamp // when the user was asked
	Until Stamp // when the challenge or offer lapses
	At    Stamp // time of the reminder
	Put   bool  // whether PutCall set At
}

// Calls returns the reminders still to be sent (CO-17).
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

// PutCall sets another time for the reminder of a user who has not replied. A challenge or offer that lapses before
// that time causes no reminder.
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

// Ask asks somebody to take over for an entrant (CO-15). It replaces an earlier offer for the entrant. A repeat changes
// nothing. Ask returns ErrPhase if the competition is not running, ErrEntrant if the entrant takes no part, and
// ErrTaken if the user who is asked takes part or has another offer.
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

// TakeOver puts the user who was asked in the entrant's place, with the entrant's points (CO-15). It returns ErrOffer
// if the user has no open offer.
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

// Refuse declines the offer to take over for the entrant (CO-15). It returns ErrOffer if the user has no open offer.
func (c Competition) Refuse(other string) (Competition, error) {
	return c.unask(func(o Offer) bool { return o.To == other })
}

// Unask withdraws the offer to take over for the entrant (CO-15). It returns ErrOffer if there is none.
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

// dropOver drops the offers whose entrant has withdrawn, or has finished the games that ran when the offer was made.
func (c *Competition) dropOver() {
	c.drop(func(o Offer) bool {
		i, known := c.Entrant(o.For)
		return !known || c.Entrants[i].Out != 0 || len(o.Games) > 0 && !slices.ContainsFunc(o.Games, func(no int) bool {
			p, there := c.Pairing(no)
			return there && p.End == ""
		})
	})
}

// seeOffers removes unanswered offers at their deadline, and reminds users who have not replied.
func (c *Competition) seeOffers(at Stamp) {
	c.drop(func(o Offer) bool { return o.Until <= at })
	for i := range c.Offers {
		o := &c.Offers[i]
		o.Called = o.Called || o.due() <= at
	}
}
