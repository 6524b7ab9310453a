package table

import (
	"context"
	"slices"

	"marque/games"
	"marque/games/fair"
	"marque/storage"
)

// match is the table of a game of a competition that is to be opened: it begins at once.
type match struct {
	of      *storage.Competition
	game    uint64            // its number there
	players []storage.Entrant // by seat
	channel string
	card    storage.Card
	start   string // the id of the message with which the channel hears of it; it stands for the start, see package fair
}

// openMatch opens the table of a game of a competition, unless it has one: then it is that one. It returns ErrElsewhere where the server is
// another process's, ErrLimit, or a *games.SetupError.
func (s *Service) openMatch(ctx context.Context, m match) (*Snapshot, error) {
	if err := s.tables.gate.enter(); err != nil {
		return nil, err
	}
	defer s.tables.gate.leave()
	under, held := s.tables.tenure(m.of.Server)
	if !held {
		return nil, ErrElsewhere
	}
	g, ok := s.tables.games(m.of.Game)
	if !ok {
		return nil, ErrNoGame
	}
	setup, err := games.NewSetup(g, len(m.players), m.of.Options...)
	if err != nil {
		return nil, err
	}
	settings, err := s.tables.choices.settings(ctx, m.of.Server)
	if err != nil {
		return nil, err
	}
	snap, _, err := s.tables.create(ctx, unasked, g, "", func(d *draft) error {
		n := len(m.players)
		d.Head = Head{
			Game: g.Key(), Guild: m.of.Server, Channel: m.channel, Host: m.of.Host, Least: n, Most: n, ToMove: games.Nobody, Opened: d.now,
			Timing: storage.Timing{Rule: m.of.Clock}, Card: m.card, Contest: storage.Contest{Number: m.of.Number, Game: m.game},
		}
		d.detail = &storage.Detail{
			Setup: setup, Rules: g.Version(), Seed: s.newSeed(), Fairness: fair.Version, Fixed: true, Unrated: m.of.Unrated,
		}
		d.under = under
		d.limits = []storage.Limit{{Kind: storage.ServerTables, Most: settings.Limits().Tables}}
		for i, p := range m.players {
			kind := fair.Joins
			if i == 0 {
				kind = fair.Opens
			}
			d.mix(fair.Input{Kind: kind, ID: p.Interaction})
			d.Seats = append(d.Seats, Occupant{User: p.User, Name: p.Name})
		}
		return d.begin(m.start)
	})
	return snap, err
}

// decideMatch ends the game of a competition whose time is over: all but the winners resign, in the order of their seats; without winners it is a
// draw where draw says so, otherwise it is stopped without a result. It does nothing at a table that is over.
func (s *Service) decideMatch(ctx context.Context, id ID, winners []games.Seat, draw bool) (*Snapshot, error) {
	return s.tables.edit(ctx, unasked, id, func(d *draft) error {
		switch {
		case d.Status == Over:
			return nil
		case d.Status == Lobby || len(winners) == 0 && !draw:
			return d.end(games.Abandoned)
		case len(winners) == 0:
			return d.end(games.Agreed)
		}
		for seat := games.Seat(0); int(seat) < len(d.Seats) && d.Status != Over; seat++ {
			if !slices.Contains(winners, seat) && d.match.In(seat) {
				d.add(storage.TimedOut, seat, "", string(storage.LateForfeit))
				if err := d.resign(seat); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
