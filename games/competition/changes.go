package competition

import "slices"

// Change is a change of a competition that can be announced to the players.
type Change struct {
	What    News
	Entrant int // entrant number, for NewsEntered, NewsLeft, NewsSubstitute and offers
	Pairing int // pairing number, for NewsChallenged, NewsWaits, PairingReady, PairingEnded and PairingCorrected
	Round   int // round number, for RoundBegan and RoundEnded
}

// News is a kind of change.
type News string

// The kinds of Change.
const (
	NewsChallenged   News = "challenged" // Ladder: a challenge awaits a reply
	NewsWaits        News = "waits"      // Ladder: the opponent has not replied to a challenge that lapses soon
	PairingEnded     News = "pairing-ended"
	PairingCorrected News = "pairing-corrected"
	NewsLeft         News = "left"
	NewsEntered      News = "entered"
	NewsSubstitute   News = "substitute"
	NewsAsked        News = "asked"       // a user has an offer to take over for the entrant
	NewsAskedStill   News = "asked-still" // the user has not replied to an offer that lapses soon
	NewsUnasked      News = "unasked"     // the offer ended without a substitute, and the entrant continues
	NewsHeld         News = "held"
	NewsReleased     News = "released"
	NewsBegan        News = "began"
	RoundEnded       News = "round-ended"
	RoundBegan       News = "round-began"
	PairingReady     News = "pairing-ready"
	NewsEnded        News = "ended"
)

// Changes returns the changes from old, an earlier value of the competition, to c. It leaves out withdrawals before the
// start.
func (c Competition) Changes(old Competition) []Change {
	var list []Change
	tell := func(when bool, n Change) {
		if when {
			list = append(list, n)
		}
	}
	for _, p := range c.Pairings {
		was, _ := old.Pairing(p.No)
		tell(p.End != "" && was.End == "", Change{What: PairingEnded, Pairing: p.No})
		tell(was.End != "" && (p.End != was.End || !slices.Equal(p.Points, was.Points)),
			Change{What: PairingCorrected, Pairing: p.No})
		tell(p.Answer != 0 && was.No == 0, Change{What: NewsChallenged, Pairing: p.No})
		tell(p.Answer != 0 && p.Called && was.No != 0 && !was.Called, Change{What: NewsWaits, Pairing: p.No})
	}
	for i, e := range c.Entrants {
		if c.Phase == Entry || i >= len(old.Entrants) {
			_, known := old.Entrant(e.User)
			tell(!known, Change{What: NewsEntered, Entrant: i})
			continue
		}
		was := old.Entrants[i]
		tell(e.Out != 0 && was.Out == 0, Change{What: NewsLeft, Entrant: i})
		tell(e.Out == 0 && was.Out != 0, Change{What: NewsEntered, Entrant: i})
		tell(e.User != "" && e.User != was.User, Change{What: NewsSubstitute, Entrant: i})
		now, asks := c.OfferFor(e.User)
		before, asked := old.OfferFor(e.User)
		tell(asks && now.To != before.To, Change{What: NewsAsked, Entrant: i})
		tell(asks && now.To == before.To && now.Called && !before.Called, Change{What: NewsAskedStill, Entrant: i})
		tell(asked && !asks && e.Out == 0 && c.Phase == Running, Change{What: NewsUnasked, Entrant: i})
	}
	tell(c.Held != 0 && old.Held == 0, Change{What: NewsHeld})
	tell(c.Held == 0 && old.Held != 0 && c.Phase != Ended, Change{What: NewsReleased})
	tell(c.Phase != Entry && old.Phase == Entry && c.Begun != 0, Change{What: NewsBegan})
	// A competition that is called off, or ends on hold, can leave its round unfinished.
	between := c.Next != 0 || c.Why == EndPlayed || c.Why == EndFew
	if was := old.Next != 0 || old.Phase == Ended; c.Round > 0 && (between && (!was || c.Round > old.Round) ||
		c.Round > old.Round && !was && old.Round > 0) {
		ended := c.Round
		if !between {
			ended--
		}
		list = append(list, Change{What: RoundEnded, Round: ended})
	}
	tell(c.Round > old.Round, Change{What: RoundBegan, Round: c.Round})
	for _, p := range c.Pairings {
		was, _ := old.Pairing(p.No)
		tell(p.Ready != 0 && was.Ready == 0 && p.End == "", Change{What: PairingReady, Pairing: p.No})
	}
	tell(c.Phase == Ended && old.Phase != Ended, Change{What: NewsEnded})
	return list
}
