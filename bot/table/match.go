package table

import (
	"context"

	"marque/games"
	"marque/games/fair"
	"marque/games/text"
	"marque/storage"
)

// match is the table of a game of a competition that is to be opened: it begins at once.
type match struct {
	of      *storage.Competition
	game    uint64                // its number there
	players []storage.Participant // by seat
	channel string
	card    storage.Card
	// the id of the message with which the channel hears of it; it stands for the start, see
	// package fair
	start string
}

// openMatch opens the table of a game of a competition, unless it has one: then it is that one. It
// returns ErrNotOwner where the server is another process's, ErrLimit, or a *games.SetupError.
func (s *Service) openMatch(ctx context.Context, m match) (*Snapshot, error) {
	if err := s.tables.gate.enter(); err != nil {
		return nil, err
	}
	defer s.tables.gate.leave()
	fence, held := s.tables.fence(m.of.Server)
	if !held {
		return nil, ErrNotOwner
	}
	g, ok := s.tables.games(m.of.Rules.Setup.Game)
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
			Game: g.Key(), Guild: m.of.Server, Channel: m.channel, Host: m.of.Host, Least: n, Most: n,
			ToMove: games.Nobody, Opened: d.now,
			Timing: storage.Timing{Rule: m.of.Clock}, Card: m.card, Contest: storage.Contest{Number: m.of.Number,
				Game: m.game},
		}
		d.detail = &storage.Detail{
			Setup: setup, Rules: g.Version(), Seed: s.newSeed(), Fairness: fair.Version, Fixed: true,
			Unrated: m.of.Unrated,
		}
		d.fence = fence
		d.limits = matchLimits(settings)
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

// roomFor refuses a table of a competition for which its server has no room.
func (s *Service) roomFor(ctx context.Context, guild string) error {
	settings, err := s.tables.choices.settings(ctx, guild)
	if err != nil {
		return err
	}
	return refuseStored(s.tables.store.CheckLimits(ctx, storage.Change{Head: Head{Guild: guild},
		Limits: matchLimits(settings)}), 0)
}

// matchLimits bound the tables of competitions: entrants play in them at however many other tables they sit.
func matchLimits(s Settings) []storage.Limit {
	return []storage.Limit{{Kind: storage.ServerTables, Most: s.Limits().Tables}}
}

// RefuseThreads is the error of a Herald for whose thread Discord has no room for now.
func RefuseThreads() error { return refuse(ErrLimit, text.M("bot.error.max-threads")) }

// OfCompetition reports whether the table is a competition's: its seats are fixed, and nobody helps.
func (s *Snapshot) OfCompetition() bool { return s.Contest.Number != 0 }

// counts reports whether the result matters to others: on leaderboards, or in a competition.
func (s *Snapshot) counts() bool { return !s.Unrated() || s.OfCompetition() }

// movable refuses what changes who sits where at a competition's table (CO-1).
func (d *draft) movable() error {
	if d.Contest.Number != 0 {
		return refuse(ErrFixedSeats, text.M("table.error.fixed-seats"))
	}
	return nil
}
