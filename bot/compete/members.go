package compete

import (
	"context"
	"errors"
	"time"

	"marque/bot/table"
	"marque/games/competition"
	"marque/games/text"
	"marque/storage"
)

// lookPause is the time between checks for entrants who have left the server (CO-12).
const lookPause = storage.Stamp(24 * time.Hour / time.Millisecond)

// looking returns the time of the next check for entrants who have left the server: at the planned start, and daily
// after the beginning. It returns 0 if none is planned.
func looking(n Competition) storage.Stamp {
	switch {
	case n.Over() || n.Held():
		return 0
	case n.Rules.Phase != competition.Entry:
	case n.Looked < storage.Stamp(n.Rules.Setup.Start):
		return max(1, storage.Stamp(n.Rules.Setup.Start))
	default:
		return 0
	}
	return max(1, n.Looked+lookPause)
}

// look finds entrants who have left the server, and returns a function that withdraws them.
func (s *Service) look(ctx context.Context, n Competition) (func(*Competition) error, error) {
	began := s.now()
	var gone []string
	for _, e := range n.Rules.Entrants {
		if e.Out != 0 || e.User == "" {
			continue
		}
		there, err := s.announcer.IsMember(ctx, n.Server, e.User)
		if err != nil {
			return nil, err
		}
		if !there {
			gone = append(gone, e.User)
		}
	}
	return func(n *Competition) error {
		n.Looked = began // entrants can have been replaced during the requests
		for _, user := range gone {
			if i, known := n.Rules.Entrant(user); known && n.Rules.Entrants[i].Out == 0 {
				if err := takeOut(n, user, competition.OutGone, s.now()); err != nil {
					return err
				}
			}
		}
		return nil
	}, nil
}

// Ask offers an entrant's place to another user (CO-15). The host of the competition or a moderator can make an offer.
// If they have entered it, they can offer only their own place. Nobody can make themselves an offer. Ask returns
// ErrNoCompetition, ErrNotAllowed, ErrPlaysHere, ErrOver, ErrNotEntered, ErrHeldSeat, ErrFull or ErrAsked. It also
// returns ErrAsked while the other user's data are being deleted, because the offer would be deleted, too.
func (s *Service) Ask(
	ctx context.Context, by table.Actor, id ID, user string, other storage.Occupant,
) (Competition, error) {
	return s.run(ctx, by, id, func(n *Competition) error {
		if err := impartial(*n, by, user); err != nil {
			return err
		}
		if by.User == other.User {
			return table.Refuse(table.ErrPlaysHere, text.M("table.error.substitute-self"))
		}
		going, err := s.tables.Forgetting(ctx, other.User)
		switch {
		case err != nil:
			return err
		case going:
			return table.Refuse(table.ErrAsked, text.M("table.error.substitute-deleted"))
		}
		if n.Rules, err = n.Rules.Ask(user, other.User, competition.Stamp(s.now())); err == nil {
			n.Know(other, by.Key)
			err = s.strange(ctx, *n, user, other.User)
		}
		return err
	})
}

// strange refuses a substitute who has had another seat in one of the entrant's running games, if the game has hidden
// cards, because the substitute can know that seat's hand.
func (s *Service) strange(ctx context.Context, n Competition, entrant, other string) error {
	g, ok := s.games(n.Rules.Setup.Game)
	if !ok || !g.Traits().Hidden {
		return nil
	}
	i, _ := n.Rules.Entrant(entrant)
	for _, p := range n.Rules.Pairings {
		if p.End != "" || p.Table == "" || p.Seat(i) < 0 {
			continue
		}
		id, err := s.store.TableOf(ctx, n.ID(), uint64(p.No))
		if err != nil {
			return err
		}
		t, err := s.store.Load(ctx, id)
		switch {
		case errors.Is(err, storage.ErrNoTable) || errors.Is(err, storage.ErrDamaged): // the pairing has no table
		case err != nil:
			return err
		case t.SeatsHeld()[other]&^(1<<uint(seatOf(n, t.Head, p.Seat(i), i))) != 0:
			return table.Refuse(table.ErrHeldSeat, text.M("table.error.substitute-hand"))
		}
	}
	return nil
}

// Unask withdraws the offer of an entrant's place (CO-15). It requires the same permissions as Ask. It returns
// ErrNoCompetition, ErrNotAllowed, ErrPlaysHere or ErrNoOffer.
func (s *Service) Unask(ctx context.Context, by table.Actor, id ID, user string) (Competition, error) {
	return s.run(ctx, by, id, func(n *Competition) (err error) {
		if err := impartial(*n, by, user); err != nil {
			return err
		}
		n.Rules, err = n.Rules.Unask(user)
		return err
	})
}

// TakeOver accepts or declines an offer to the actor to take over for an entrant (CO-15). The substitute also takes the
// entrant's seats at unfinished tables. TakeOver returns ErrNoCompetition, ErrNoOffer, or ErrLacking without the
// required role.
func (s *Service) TakeOver(ctx context.Context, by table.Actor, id ID, accept bool) (Competition, error) {
	return s.change(ctx, by, id, func(n *Competition) (err error) {
		if !accept {
			n.Rules, err = n.Rules.Refuse(by.User)
			return err
		}
		if err := admits(*n, by); err != nil {
			return err
		}
		if n.Rules, err = n.Rules.TakeOver(by.User); err == nil {
			n.Know(storage.Occupant{User: by.User, Name: by.Name}, by.Key)
		}
		return err
	})
}
