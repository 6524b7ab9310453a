package table

import (
	"context"
	"slices"

	"marque/games/competition"
)

// Challenge has the actor challenge another on a ladder (CO-70). It returns ErrNoCompetition, ErrNotEntered, ErrHeldUp,
// ErrOver, ErrBeyondReach, ErrChallenged, ErrResting or ErrAbsent.
func (c *Competitions) Challenge(ctx context.Context, by Actor, id CompetitionID, other string) (Competition, error) {
	return c.change(ctx, by, id, func(n *Competition) error { return c.challenge(ctx, n, by.User, other) })
}

func (c *Competitions) challenge(ctx context.Context, n *Competition, user, other string) error {
	if n.Held() {
		return refuseHeld()
	}
	now := competition.Stamp(c.now())
	rules := n.Rules
	for _, who := range []string{user, other} {
		prefs, err := c.choices.preferences(ctx, who)
		if err != nil {
			return err
		}
		until := competition.Stamp(0)
		if a := prefs.Away.At(n.Server, Stamp(now)); a.Until != 0 { // CO-74: from when it began
			until = min(competition.Stamp(a.Until), competition.Stamp(a.From)+rules.Setup.Away)
		}
		if r, err := rules.SetAway(who, until, now); err == nil { // else it comes too soon after the last one
			rules = r
		}
	}
	rules, err := rules.Challenge(user, other, now)
	if err == nil {
		n.Rules = rules
	}
	return err
}

// Rivals are the entrants of a ladder that a user may challenge now, from the top.
func (c *Competitions) Rivals(ctx context.Context, n Competition, user string) (list []int, err error) {
	i, known := n.Rules.Entrant(user)
	at := slices.Index(n.Rules.Order, i)
	if !known || at < 0 {
		return nil, refuseCompetition(competition.ErrEntrant)
	}
	var last error
	for _, e := range n.Rules.Order[max(0, at-n.Rules.Setup.Reach):at] {
		tried := n
		if last = c.challenge(ctx, &tried, user, n.Rules.Entrants[e].User); last == nil {
			list = append(list, e)
		}
	}
	if len(list) == 0 && last != nil {
		return nil, refuseCompetition(last)
	}
	return list, nil
}

// Answer has the actor accept or decline the challenge that they are asked to, of that number unless it is 0
// (CO-71). It returns ErrNoCompetition, ErrHeldUp or ErrNoChallenge.
func (c *Competitions) Answer(
	ctx context.Context, by Actor, id CompetitionID, no int, accept bool,
) (Competition, error) {
	return c.change(ctx, by, id, func(n *Competition) error {
		p, ok := Asked(*n, by.User)
		switch {
		case n.Held():
			return refuseHeld()
		case !ok || no != 0 && p.No != no:
			return competition.ErrPairing
		}
		now, do := competition.Stamp(c.now()), n.Rules.Decline
		if accept {
			do = n.Rules.Accept
		}
		rules, err := do(p.No, now)
		n.Rules = rules
		return err
	})
}

// Asking are the competitions that wait for a user's answer: to a challenge, or to an offer to go on for somebody.
func (c *Competitions) Asking(ctx context.Context, user string) ([]Competition, error) {
	list, err := c.Of(ctx, user, "")
	return slices.DeleteFunc(list, func(n Competition) bool {
		_, challenged := Asked(n, user)
		_, offered := n.Rules.OfferTo(user)
		return !challenged && !offered
	}), err
}

// Asked is the challenge that waits for a user's answer.
func Asked(n Competition, user string) (competition.Pairing, bool) {
	i, known := n.Rules.Entrant(user)
	for _, p := range n.Rules.Pairings {
		if known && p.End == "" && p.Answer != 0 && p.Challenger != i && p.Seat(i) >= 0 {
			return p, true
		}
	}
	return competition.Pairing{}, false
}
