package table

import (
	"context"
	"errors"
	"strconv"

	"marque/bot/choices"
	"marque/games"
	"marque/games/fair"
	"marque/storage"
)

// NewMatch describes the table to open for a game of a competition. The game begins immediately.
type NewMatch struct {
	Of      *storage.Competition
	Game    uint64                // number of the pairing
	Players []storage.Participant // indexed by seat
	Channel string
	Card    storage.Card
	// Start is the id of the message that announces the table. It is used as the id of the start; see package fair.
	Start string
}

// OpenMatch opens the table of a competition's game, or returns the existing one. It returns ErrNotOwner if another
// process serves the server, ErrNoGame, ErrLimit, or a *games.SetupError.
func (s *Service) OpenMatch(ctx context.Context, m NewMatch) (*Snapshot, error) {
	if err := s.tables.gate.enter(); err != nil {
		return nil, err
	}
	defer s.tables.gate.leave()
	fence, held := s.tables.fence(m.Of.Server)
	if !held {
		return nil, ErrNotOwner
	}
	g, ok := s.tables.games(m.Of.Rules.Setup.Game)
	if !ok {
		return nil, ErrNoGame
	}
	setup, err := games.NewSetup(g, len(m.Players), m.Of.Options...)
	if err != nil {
		return nil, err
	}
	settings, err := s.tables.choices.Settings(ctx, m.Of.Server)
	if err != nil {
		return nil, err
	}
	return s.tables.create(ctx, SystemActor, g, "", func(d *draft) error {
		n := len(m.Players)
		d.Head = Head{
			Game: g.Key(), Guild: m.Of.Server, Channel: m.Channel, Host: m.Of.Host, Least: n, Most: n,
			ToMove: games.Nobody, Opened: d.now,
			Timing: storage.Timing{Rule: m.Of.Clock}, Card: m.Card,
			Competition: storage.CompetitionGame{Number: m.Of.Number,
				Game: m.Game},
		}
		d.detail = &storage.Detail{
			Setup: setup, Rules: g.Version(), Seed: s.newSeed(), Fairness: fair.Version, Fixed: true,
			Unrated: m.Of.Unrated,
		}
		d.fence = fence
		d.limits = matchLimits(settings)
		for i, p := range m.Players {
			kind, came := fair.Joins, storage.Joined
			if i == 0 {
				kind, came = fair.Opens, storage.Opened
			}
			d.mix(fair.Input{Kind: kind, ID: p.Interaction})
			d.addNamed(came, games.Nobody, p.User, p.Name) // for SeatsHeld
			d.Seats = append(d.Seats, Occupant{User: p.User, Name: p.Name})
		}
		d.mix(fair.Input{Kind: fair.Pairs, ID: strconv.FormatUint(m.Of.Number, 10), Of: int(m.Game)})
		return d.begin(m.Start)
	})
}

// RoomForMatch returns ErrLimit if a server has no room for another table of a competition.
func (s *Service) RoomForMatch(ctx context.Context, guild string) error {
	settings, err := s.tables.choices.Settings(ctx, guild)
	if err != nil {
		return err
	}
	return RefuseStored(s.tables.store.CheckLimits(ctx, storage.Change{Head: Head{Guild: guild},
		Limits: matchLimits(settings)}), 0)
}

// matchLimits returns the limits for a new table of a competition. The limit of a user's tables does not apply.
func matchLimits(s choices.Settings) []storage.Limit {
	return []storage.Limit{{Kind: storage.ServerTables, Most: s.Limits().Tables}}
}

// MoveMatch moves a competition's game whose channel is gone to another channel, together with its card. It does
// nothing if the game has a channel, is over, does not exist or is frozen.
func (s *Service) MoveMatch(ctx context.Context, id ID, channel string, card storage.Card) error {
	_, err := s.tables.edit(ctx, SystemActor, id, func(d *draft) error {
		if d.LostChannel() {
			d.Card = card
			d.rehouse(channel)
		}
		return nil
	})
	return exceptUnplayable(err)
}

// Settlement is a competition's decision about one of its tables.
type Settlement struct {
	Leave []games.Seat // seats of withdrawn entrants: they resign
	Take  []Substitute // users who take over entrants' seats
	Ended bool         // the pairing has ended, so its game must be stopped
}

// Substitute is a user who takes over a seat.
type Substitute struct {
	Seat games.Seat
	Who  Occupant
}

// SettleMatch carries out a competition's decision about a running game. It does nothing if the table does not exist,
// is frozen or is over.
func (s *Service) SettleMatch(ctx context.Context, id ID, decide func(Head) Settlement) error {
	_, err := s.tables.edit(ctx, SystemActor, id, func(d *draft) error {
		what := decide(d.Head)
		for _, seat := range what.Leave {
			if d.Status == Over || !d.match.In(seat) {
				continue
			}
			if err := d.resign(seat); err != nil {
				return err
			}
		}
		for _, sub := range what.Take {
			if d.Status == Over || what.Ended || d.Seats[sub.Seat].User == sub.Who.User || !d.match.In(sub.Seat) {
				continue
			}
			if err := d.reseat(sub.Seat, sub.Who); err != nil {
				return err
			}
			d.addNamed(storage.Taken, sub.Seat, sub.Who.User, sub.Who.Name)
		}
		d.Competition.Reported = what.Ended
		if d.Status != Over && what.Ended {
			d.add(storage.Halted, games.Nobody, "", "")
			return d.end(games.Abandoned)
		}
		return nil
	})
	return exceptUnplayable(err)
}

// NoteReported records that the result of a table has been reported to its competition.
func (s *Service) NoteReported(ctx context.Context, id ID) error {
	_, err := s.tables.edit(ctx, SystemActor, id, func(d *draft) error {
		d.keep, d.Competition.Reported, d.Tries = keepUnpublished, true, 0
		return nil
	})
	return err
}

// exceptUnplayable returns err, the error of an edit, or nil if the table does not exist or is frozen.
func exceptUnplayable(err error) error {
	if errors.Is(err, storage.ErrNoTable) || IsFrozen(err) {
		return nil
	}
	return err
}

// OpenPairing opens a table for users who were paired, in a channel or thread with a card, and starts its game. If the
// table was already opened, it returns that table. It returns the errors of Open, ErrNotOwner if another process serves
// the server, and storage.ErrNoPairing if the pairing no longer exists.
func (s *Service) OpenPairing(ctx context.Context, guild, channel string, p storage.Pairing,
	computers []ComputerPlayer) (*Snapshot, error) {
	if err := s.tables.gate.enter(); err != nil {
		return nil, err
	}
	defer s.tables.gate.leave()
	fence, held := s.tables.fence(guild)
	if !held {
		return nil, ErrNotOwner
	}
	settings, err := s.tables.choices.Settings(ctx, guild)
	if err != nil {
		return nil, err
	}
	host, last := p.Players[0], p.Players[len(p.Players)-1]
	by := Actor{User: host.User, Name: host.Name, Key: host.Key}
	o := Opening{
		Game: p.Game, Seats: len(p.Players) + len(computers), Guild: guild, Channel: channel, WhenFull: true,
		Unrated: settings.Unrated, Resign: settings.Resign, Clock: p.Clock, Computers: computers, Card: p.Card,
	}
	g, setup, err := s.check(by, &o)
	if err != nil {
		return nil, err
	}
	limits := []storage.Limit{{Kind: storage.ServerTables, Most: settings.Limits().Tables}}
	for _, player := range p.Players {
		limits = append(limits, storage.Limit{Kind: storage.UserTables, User: player.User,
			Most: settings.Limits().UserTables})
	}
	return s.tables.create(ctx, by, g, "seek-"+p.Key, func(d *draft) error {
		s.setUp(d, by, g, setup, o)
		d.limits, d.fence, d.pairing = limits, fence, p.Key
		for _, player := range p.Players[1:] {
			d.Seats = append(d.Seats, Occupant{User: player.User, Name: player.Name})
			d.mix(fair.Input{Kind: fair.Joins, ID: player.Key})
			d.addNamed(storage.Joined, games.Nobody, player.User, player.Name)
		}
		return d.begin(last.Key)
	})
}

// RoomForPlayer returns ErrLimit if a user already has as many tables on a server as allowed.
func (s *Service) RoomForPlayer(ctx context.Context, guild string, settings choices.Settings, user string) error {
	return RefuseStored(s.tables.store.CheckLimits(ctx, storage.Change{
		Head:   Head{Guild: guild, Host: user, Seats: []Occupant{{User: user}}},
		Detail: &storage.Detail{}, Limits: []storage.Limit{{Kind: storage.UserTables, User: user,
			Most: settings.Limits().UserTables}},
	}), 0)
}
