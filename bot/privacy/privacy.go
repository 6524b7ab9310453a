// Package privacy exports and deletes the stored data of users.
package privacy

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"time"

	"marque/bot/choices"
	"marque/bot/table"
	"marque/games"
	"marque/games/text"
	"marque/storage"
)

// Dossier is all stored data of a user, except secrets, in the form in which the user receives them.
type Dossier struct {
	User        string              `json:"user"`
	Preferences choices.Preferences `json:"preferences"`
	// other data that concern only the user
	Owned  []storage.Owned `json:"owned,omitempty"`
	Tables []Seated        `json:"tables"`
	Named  []Named         `json:"named"`
	// whether Named may lack tables, because the search took too long
	Partial bool             `json:"partial,omitempty"`
	Results []storage.Result `json:"results"`
	// data of other packages by name, for example the competitions that the user entered
	Also map[string]any `json:"also,omitempty"`
}

// Named is a table at which a user has no seat, or none any more, but that names the user: as its host, as invited, or
// in what happened there, for example as a player whose seat somebody else took, or as a moderator.
type Named struct {
	Table   string        `json:"table"`
	Game    string        `json:"game"`
	Server  string        `json:"server"`
	Channel string        `json:"channel"`
	Opened  storage.Stamp `json:"opened"`
	Changed storage.Stamp `json:"changed"`
	Over    bool          `json:"over"`
	Invited bool          `json:"invited,omitempty"`
	Host    bool          `json:"host,omitempty"`
	// the names that the user had there, and the seats that the user had during the game
	Names []text.Name  `json:"names,omitempty"`
	Had   []games.Seat `json:"had,omitempty"`
	// the user's plays while they had a seat, as in Seated
	Moves string `json:"moves,omitempty"`
}

// Seated is a table at which a user has a seat, or had one at the end of its game.
type Seated struct {
	Table   string        `json:"table"`
	Game    string        `json:"game"`
	Server  string        `json:"server"`
	Channel string        `json:"channel"`
	Name    text.Name     `json:"name"` // the user's name when they sat down
	Seat    games.Seat    `json:"seat"`
	Opened  storage.Stamp `json:"opened"`
	Changed storage.Stamp `json:"changed"`
	Over    bool          `json:"over"`
	// the user's own plays in the notation of the rules, separated by semicolons; not those of who had the seat before
	Moves string   `json:"moves,omitempty"`
	Plans []string `json:"plans,omitempty"` // the user's conditional moves
}

// Store finds and deletes the stored data of a user. Its methods return the errors of package storage.
type Store interface {
	Naming(ctx context.Context, user string) ([]storage.ID, error)
	EventsNaming(ctx context.Context, user string) ([]storage.ID, error)
	Load(ctx context.Context, id storage.ID) (storage.Table, error)
	Results(ctx context.Context, q storage.ResultQuery) ([]storage.Result, error)
	Owned(ctx context.Context, user string) ([]storage.Owned, error)
	Forget(ctx context.Context, user, as string) error
}

// Service exports and deletes the stored data of users.
type Service struct {
	store     Store
	tables    *table.Service
	forgotten func(user string, at storage.Stamp)
}

// New returns a Service. forgotten is called before a user's data are deleted. It can be nil.
func New(tables *table.Service, store Store, forgotten func(user string, at storage.Stamp)) *Service {
	return &Service{store, tables, forgotten}
}

// Export returns all stored data of a user, except the content of secret values. The data include the users whom the
// user has blocked, but not those who have blocked the user. Tables that cannot be read are left out, or have no moves.
// Export searches the events of all tables, but for at most searchTime.
func (p *Service) Export(ctx context.Context, user string) (Dossier, error) {
	d := Dossier{User: user, Tables: []Seated{}, Named: []Named{}, Results: []storage.Result{}}
	var err error
	if d.Preferences, err = p.tables.Choices.Preferences(ctx, user); err != nil {
		return d, err
	}
	if d.Owned, err = p.store.Owned(ctx, user); err != nil {
		return d, err
	}
	if d.Also, err = p.tables.ExportRooms(ctx, user); err != nil {
		return d, err
	}
	for _, phase := range []storage.Phase{storage.Active, storage.Finished} {
		err := p.tables.Lookup.EachOfUser(ctx, user, phase, func(h storage.Head) error {
			seat, name := h.Seat(user), text.Name{}
			if seat >= 0 {
				name = h.Seats[seat].Name
			}
			t := Seated{
				Table: h.ID.String(), Game: h.Game, Server: h.Guild, Channel: h.Channel, Name: name,
				Seat:   seat,
				Opened: h.Opened, Changed: h.Changed, Over: phase == storage.Finished,
			}
			snap, err := p.tables.Lookup.Snapshot(ctx, h.ID)
			switch {
			case table.IsFrozen(err): // the moves cannot be read
			case err != nil:
				return err
			case snap.HasStarted():
				stored, err := p.store.Load(ctx, h.ID)
				switch {
				case err == nil:
					t.Moves = strings.Join(moves(snap, stored, user), "; ")
				case !errors.Is(err, storage.ErrDamaged):
					return err
				}
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
	if d.Named, d.Partial, err = p.named(ctx, user); err != nil {
		return d, err
	}
	q := storage.ResultQuery{User: user, Limit: page}
	for {
		results, err := p.store.Results(ctx, q)
		if err != nil {
			return d, err
		}
		d.Results = append(d.Results, results...)
		if len(results) < q.Limit {
			return d, nil
		}
		q.Before = results[len(results)-1]
	}
}

// page is the number of results that are read at a time.
const page = 1000

// searchTime limits the search for tables that name a user. A command has only 30 seconds, and the user should get at
// least what is found quickly.
const searchTime = 15 * time.Second

// named lists the tables at which a user has no seat, but that name the user. partial is true if searchTime was too
// short to find all.
func (p *Service) named(ctx context.Context, user string) (list []Named, partial bool, err error) {
	list = []Named{}
	now, err := p.store.Naming(ctx, user)
	if err != nil {
		return list, false, err
	}
	within, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	ever, err := p.store.EventsNaming(within, user)
	if partial = err != nil && within.Err() != nil && ctx.Err() == nil; err != nil && !partial {
		return list, false, err
	}
	ids := slices.Concat(now, ever)
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		t, err := p.store.Load(ctx, id)
		switch {
		case errors.Is(err, storage.ErrNoTable) || errors.Is(err, storage.ErrDamaged):
			continue
		case err != nil:
			return list, false, err
		case t.Head.Seat(user) >= 0:
			continue // the table is among Dossier.Tables
		}
		n := Named{Table: id.String(), Game: t.Head.Game, Server: t.Head.Guild, Channel: t.Head.Channel,
			Opened: t.Head.Opened, Changed: t.Head.Changed, Over: !t.Head.Status.Active(),
			Invited: slices.Contains(t.Detail.Invited, user), Host: t.Head.Host == user}
		for _, e := range t.Events {
			if e.User == user && e.Kind.Named() && !slices.Contains(n.Names, e.Name()) {
				n.Names = append(n.Names, e.Name())
			}
		}
		held := t.SeatsHeld()[user]
		for seat := range t.Head.Seats {
			if held>>uint(seat)&1 != 0 {
				n.Had = append(n.Had, games.Seat(seat))
			}
		}
		if held != 0 {
			snap, err := p.tables.Lookup.Snapshot(ctx, id)
			switch {
			case table.IsFrozen(err) || errors.Is(err, storage.ErrNoTable): // the moves cannot be read
			case err != nil:
				return list, false, err
			default:
				n.Moves = strings.Join(moves(snap, t, user), "; ")
			}
		}
		list = append(list, n)
	}
	return list, partial, nil
}

// moves returns the plays that a user made, in notation, each in the view of the seat that made it. t is the stored
// table of the snapshot.
func moves(s *table.Snapshot, t storage.Table, user string) []string {
	var list []string
	log := storage.Log(t.Events)
	for i, by := range t.Movers() {
		if by != user || i >= s.Plays {
			continue
		}
		for _, step := range s.Trail(log[i].Seat, i, i+1) {
			if step.Seat == log[i].Seat { // else moves were taken back since one of the two was read
				list = append(list, games.Spell(step.Before, step.Move))
			}
		}
	}
	return list
}

// Forget deletes the stored data of a user. The user leaves tables that have not started, resigns from running games,
// and becomes a departed player in finished ones. Other users' blocks of the user are deleted. Statistics are kept
// without the name. If there is a lot of data, the deletion continues after Forget has returned (see
// table.Service.Forgetting).
func (p *Service) Forget(ctx context.Context, user string) error {
	var random [8]byte
	rand.Read(random[:])
	as := storage.Departed + hex.EncodeToString(random[:])
	if p.forgotten != nil {
		p.forgotten(user, storage.At(p.tables.Lookup.Now())) // first, so that no deletion goes unrecorded
	}
	if err := p.tables.WithdrawRooms(ctx, user); err != nil {
		return err
	}
	named, err := p.store.Naming(ctx, user)
	if err != nil {
		return err
	}
	for _, id := range named {
		err := p.tables.Depart(ctx, id, user, as)
		if err != nil && !table.IsFrozen(err) && !errors.Is(err, storage.ErrNoTable) {
			return err
		}
	}
	if err := p.tables.Unname(ctx, user); err != nil {
		return err
	}
	if err := p.tables.ForgetRooms(ctx, user, as); err != nil {
		return err
	}
	done, err := p.tables.Work()
	if err != nil {
		return err
	}
	defer done()
	if err := p.tables.Choices.Unblock(ctx, user); err != nil {
		return err
	}
	if err := p.store.Forget(ctx, user, as); err != nil {
		return err
	}
	_, err = p.tables.Await(ctx, storage.Work{Kind: storage.Forgetting, Of: user})
	p.tables.Forgotten()
	return err
}
