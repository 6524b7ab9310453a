package compete

import (
	"context"
	"slices"

	"marque/bot/table"
	"marque/bot/table/clock"
	"marque/games/competition"
)

// Challenge adds the actor's challenge to another entrant of a ladder (CO-70). It returns ErrNoCompetition,
// ErrNotEntered, ErrHeldUp, ErrOver, ErrBeyondReach, ErrChallenged, ErrResting or ErrAbsent.
func (s *Service) Challenge(ctx context.Context, by table.Actor, id ID, other string) (Competition, error) {
	return s.change(ctx, by, id, func(n *Competition) error { return s.challenge(ctx, n, by, other) })
}

func (s *Service) challenge(ctx context.Context, n *Competition, by table.Actor, other string) error {
	if n.Held() {
		return refuseHeld()
	}
	now := competition.Stamp(s.now())
	rules := n.Rules
	for _, who := range []string{by.User, other} {
		prefs, err := s.tables.Choices.Preferences(ctx, who)
		if err != nil {
			return err
		}
		rules, _ = rules.SetAway(who, 0, 0) // whoever is not in the ladder is refused below
		// If an absence was announced again before it ended, the two count as one.
		for _, a := range clock.Merge(prefs.Away.Spans(n.Server)) {
			from := competition.Stamp(a.From)
			until := min(competition.Stamp(a.To), from+rules.Setup.Away)
			if r, err := rules.SetAway(who, until, from); err == nil { // otherwise it is too soon after another
				rules = r
			}
		}
	}
	rules, err := rules.Challenge(by.User, other, by.Key, now)
	if err == nil {
		n.Rules = rules
	}
	return err
}

// Rivals returns the entrants of a ladder that a user can currently challenge, from the top down. If every challenge
// within the user's reach would be refused, Rivals returns the error of the last one. It returns ErrOver before
// the start, and ErrNotEntered for a user who is not in the ladder.
func (s *Service) Rivals(ctx context.Context, n Competition, user string) (list []int, err error) {
	if n.Rules.Phase == competition.Entry {
		return nil, refuseCompetition(competition.ErrPhase)
	}
	i, known := n.Rules.Entrant(user)
	at := slices.Index(n.Rules.Order, i)
	if !known || at < 0 {
		return nil, refuseCompetition(competition.ErrEntrant)
	}
	var last error
	for _, e := range n.Rules.Order[max(0, at-n.Rules.Setup.Reach):at] {
		tried := n
		if last = s.challenge(ctx, &tried, table.Actor{User: user}, n.Rules.Entrants[e].User); last == nil {
			list = append(list, e)
		}
	}
	if len(list) == 0 && last != nil {
		return nil, refuseCompetition(last)
	}
	return list, nil
}

// Answer accepts or declines the open challenge to the actor (CO-71). no must be the number of that challenge, or 0.
// Answer returns ErrNoCompetition, ErrHeldUp or ErrNoChallenge.
func (s *Service) Answer(
	ctx context.Context, by table.Actor, id ID, no int, accept bool,
) (Competition, error) {
	return s.change(ctx, by, id, func(n *Competition) error {
		p, ok := n.Asked(by.User)
		switch {
		case n.Held():
			return refuseHeld()
		case !ok || no != 0 && p.No != no:
			return competition.ErrPairing
		}
		now, do := competition.Stamp(s.now()), n.Rules.Decline
		if accept {
			do = n.Rules.Accept
		}
		rules, err := do(p.No, now)
		n.Rules = rules
		return err
	})
}

// Asking returns the competitions in which a user must reply to a challenge, or to an offer to take over for an
// entrant.
func (s *Service) Asking(ctx context.Context, user string) ([]Competition, error) {
	list, err := s.Of(ctx, user, "")
	return slices.DeleteFunc(list, func(n Competition) bool {
		_, challenged := n.Asked(user)
		_, offered := n.Rules.OfferTo(user)
		return !challenged && !offered
	}), err
}
