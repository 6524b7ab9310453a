package table

import (
	"context"
	"slices"
	"time"

	"marque/games/competition"
	"marque/storage"
)

// lookPause is how often it is looked whether those who take part in a competition are still on its server (CO-12).
const lookPause = Stamp(24 * time.Hour / time.Millisecond)

// looking is when it is to be looked next who has left a competition's server: once a day, and before it begins; 0 for
// never.
func looking(n Competition) Stamp {
	switch {
	case n.Over() || n.Held():
		return 0
	case n.Rules.Phase != competition.Entry:
	case n.Looked < Stamp(n.Rules.Setup.Start):
		return max(1, Stamp(n.Rules.Setup.Start))
	default:
		return 0
	}
	return max(1, n.Looked+lookPause)
}

// look asks who has left the server, and returns the change that withdraws them.
func (c *Competitions) look(ctx context.Context, n Competition) (func(*Competition) error, error) {
	var gone []string
	for _, e := range n.Rules.Entrants {
		if e.Out != 0 || e.User == "" {
			continue
		}
		there, err := c.herald.IsMember(ctx, n.Server, e.User)
		if err != nil {
			return nil, err
		}
		if !there {
			gone = append(gone, e.User)
		}
	}
	return func(n *Competition) error {
		n.Looked = c.now()
		for _, user := range gone {
			if i, known := n.Rules.Entrant(user); known && n.Rules.Entrants[i].Out == 0 {
				if err := takeOut(n, user, competition.OutGone, c.now()); err != nil {
					return err
				}
			}
		}
		return nil
	}, nil
}

// Substitute has somebody else go on for an entrant, at the tables that are being played, too (CO-15). The host of the
// competition or a moderator may. It returns ErrNoCompetition, ErrNotAllowed, ErrOver or ErrNotEntered.
func (c *Competitions) Substitute(
	ctx context.Context, by Actor, id CompetitionID, user string, other Occupant,
) (Competition, error) {
	return c.run(ctx, by, id, func(n *Competition) error {
		rules, err := n.Rules.Substitute(user, other.User)
		if err != nil {
			return err
		}
		n.Rules = rules
		n.People = slices.DeleteFunc(slices.Clone(n.People), func(p storage.Participant) bool {
			return p.User == user || p.User == other.User
		})
		n.People = append(n.People, storage.Participant{User: other.User, Name: other.Name, Interaction: by.Key})
		return nil
	})
}
