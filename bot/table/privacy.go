package table

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"slices"
	"strings"

	"marque/bot/choices"
	"marque/games"
	"marque/games/fair"
	"marque/games/text"
	"marque/storage"
)

// Dossier is everything that is stored of a user, as they get it when they ask.
type Dossier struct {
	User        string              `json:"user"`
	Preferences choices.Preferences `json:"preferences"`
	// what else is kept of them alone
	Owned   []storage.Owned `json:"owned,omitempty"`
	Tables  []Seated        `json:"tables"`
	Named   []Named         `json:"named"`
	Results []Result        `json:"results"`
	// what the rooms beside the tables have of them, such as the competitions that they entered, by name
	Also map[string]any `json:"also,omitempty"`
}

// Named is a table that goes on at which a user is invited, or the host without a seat.
type Named struct {
	Table   string `json:"table"`
	Game    string `json:"game"`
	Server  string `json:"server"`
	Invited bool   `json:"invited,omitempty"`
	Host    bool   `json:"host,omitempty"`
}

// Seated is a table at which a user has or had a seat.
type Seated struct {
	Table   string     `json:"table"`
	Game    string     `json:"game"`
	Server  string     `json:"server"`
	Channel string     `json:"channel"`
	Name    text.Name  `json:"name"` // under which they sat down
	Seat    games.Seat `json:"seat"`
	Opened  Stamp      `json:"opened"`
	Changed Stamp      `json:"changed"`
	Over    bool       `json:"over"`
	// what they played, in the notation of the rules, with semicolons
	Moves string   `json:"moves,omitempty"`
	Plans []string `json:"plans,omitempty"` // the conditional moves that they left
}

// Privacy gives users what is stored of them, and deletes it.
type Privacy struct {
	store   privacyStore
	works   workStore
	tables  *tables
	choices *choices.Service
	cleaner *cleaner

	rooms *rooms

	forgotten func(user string, at Stamp) // may be nil
}

// Export is everything that is stored of a user. Whom they have blocked is theirs; who has blocked
// them is the others'.
func (p *Privacy) Export(ctx context.Context, user string) (Dossier, error) {
	d := Dossier{User: user, Tables: []Seated{}, Named: []Named{}, Results: []Result{}}
	var err error
	if d.Preferences, err = p.choices.Preferences(ctx, user); err != nil {
		return d, err
	}
	if d.Owned, err = p.store.Owned(ctx, user); err != nil {
		return d, err
	}
	if d.Also, err = p.rooms.export(ctx, user); err != nil {
		return d, err
	}
	for _, phase := range []storage.Phase{storage.Active, storage.Finished} {
		err := p.tables.eachOfUser(ctx, user, phase, func(h Head) error {
			seat := h.Seat(user)
			t := Seated{
				Table: h.ID.String(), Game: h.Game, Server: h.Guild, Channel: h.Channel, Name: holder(h, seat).Name,
				Seat:   seat,
				Opened: h.Opened, Changed: h.Changed, Over: phase == storage.Finished,
			}
			snap, err := p.tables.Snapshot(ctx, h.ID)
			switch {
			case IsFrozen(err): // its moves cannot be read
			case err != nil:
				return err
			case snap.HasStarted():
				t.Moves = strings.Join(snap.moves(seat), "; ")
				for _, line := range snap.Plans(seat) {
					t.Plans = append(t.Plans, strings.Join(line, "; "))
				}
			}
			d.Tables = append(d.Tables, t)
			return nil
		})
		if err != nil {
			return d, err
		}
	}
	named, err := p.store.Naming(ctx, user)
	if err != nil {
		return d, err
	}
	for _, id := range named {
		snap, err := p.tables.Snapshot(ctx, id)
		if IsFrozen(err) || errors.Is(err, storage.ErrNoTable) {
			continue
		}
		if err != nil {
			return d, err
		}
		n := Named{Table: id.String(), Game: snap.Head.Game, Server: snap.Guild,
			Invited: slices.Contains(snap.detail.Invited, user), Host: snap.Host == user}
		if snap.Seat(user) < 0 && (n.Invited || n.Host) {
			d.Named = append(d.Named, n)
		}
	}
	q := storage.ResultQuery{User: user, Limit: listLimit}
	for {
		page, err := p.store.Results(ctx, q)
		if err != nil {
			return d, err
		}
		d.Results = append(d.Results, page...)
		if len(page) < q.Limit {
			return d, nil
		}
		q.Before = page[len(page)-1]
	}
}

// moves are the plays of a seat, as it knows them.
func (s *Snapshot) moves(seat games.Seat) []string {
	var list []string
	for _, step := range s.Trail(seat, 0, s.Plays) {
		if step.Seat == seat {
			list = append(list, games.Spell(step.Before, step.Move))
		}
	}
	return list
}

// Forget deletes what is stored of a user: they leave tables that have not started, resign from
// games that go on, and are a departed player in everything that is over; blocks of them
// are deleted. Statistics stay, without the name. With much that is stored it goes on for some
// time after Forget has returned, see Forgetting.
func (p *Privacy) Forget(ctx context.Context, user string) error {
	var random [8]byte
	rand.Read(random[:])
	as := storage.Departed + hex.EncodeToString(random[:])
	if p.forgotten != nil {
		p.forgotten(user, p.tables.now()) // first, so that none is missing there
	}
	if err := p.rooms.withdraw(ctx, user); err != nil {
		return err
	}
	named, err := p.store.Naming(ctx, user)
	if err != nil {
		return err
	}
	for _, id := range named {
		_, err := p.tables.edit(ctx, Actor{}, id, func(d *draft) error { return depart(d, user, as) })
		if err != nil && !IsFrozen(err) && !errors.Is(err, storage.ErrNoTable) {
			return err
		}
	}
	if err := p.unname(ctx, user); err != nil {
		return err
	}
	if err := p.rooms.forget(ctx, user, as); err != nil {
		return err
	}
	if err := p.tables.gate.enter(); err != nil {
		return err
	}
	defer p.tables.gate.leave()
	if err := p.choices.Unblock(ctx, user); err != nil {
		return err
	}
	if err := p.store.Forget(ctx, user, as); err != nil {
		return err
	}
	_, err = await(ctx, p.works, forgetting(user))
	p.cleaner.clear()
	p.cleaner.poke()
	return err
}

// unname has the threads of games that are over, in which a user played, named after nobody.
func (p *Privacy) unname(ctx context.Context, user string) error {
	return p.tables.eachOfUser(ctx, user, storage.Finished, func(h Head) error {
		if h.Card.Thread == "" || h.Card.Nameless {
			return nil
		}
		_, err := p.tables.edit(ctx, Actor{}, h.ID, func(d *draft) error {
			d.keep, d.Card.Nameless = keepUntold, true // it falls due as every card does
			return nil
		})
		if IsFrozen(err) || errors.Is(err, storage.ErrNoTable) {
			return nil
		}
		return err
	})
}

func forgetting(user string) storage.Work { return storage.Work{Kind: storage.Forgetting, Of: user} }

// Forgetting reports whether a user's data are being deleted.
func (p *Privacy) Forgetting(ctx context.Context, user string) (bool, error) {
	return p.works.UnderWay(ctx, forgetting(user))
}

// depart takes a user from a table for good: their seat, their invitation, their place as the host. What
// is told of it names them as they are called from then on.
func depart(d *draft, user, as string) error {
	if d.Status == Over {
		return nil
	}
	d.keep = keepAll
	d.Card.Nameless = d.Card.Thread != ""
	if detail := d.seen(); slices.Contains(detail.Invited, user) || slices.Contains(detail.Order, user) {
		d.uninvite(user, as)
	}
	seat := d.Seat(user)
	if seat >= 0 {
		d.Seats[seat] = Occupant{User: as}
	}
	switch {
	case seat < 0:
	case d.Status == Lobby:
		if err := d.leaveLobby(fair.Leaves, seat); err != nil {
			return err
		}
	default:
		if d.match.In(seat) {
			if err := d.resign(seat); err != nil {
				return err
			}
		}
		if d.Status == Over {
			return nil
		}
		if d.Guild == "" { // nobody else is there
			return d.end(games.Abandoned)
		}
		if err := d.reseat(seat, Occupant{}); err != nil {
			return err
		}
	}
	d.handOn(user)
	return nil
}

// uninvite takes a user's invitation off a table, as if they had declined it, and the order of
// seats in which they had a place.
func (d *draft) uninvite(user, as string) {
	detail := d.details()
	detail.Order = nil
	if i := slices.Index(detail.Invited, user); i >= 0 {
		detail.Invited = slices.Delete(detail.Invited, i, i+1)
		d.add(storage.Refused, games.Nobody, as, "")
	}
}
