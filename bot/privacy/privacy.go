// Package privacy exports and deletes the stored data of users.
package privacy

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"slices"
	"strings"

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
	Owned   []storage.Owned  `json:"owned,omitempty"`
	Tables  []Seated         `json:"tables"`
	Named   []Named          `json:"named"`
	Results []storage.Result `json:"results"`
	// data of other packages by name, for example the competitions that the user entered
	Also map[string]any `json:"also,omitempty"`
}

// Named is an unfinished table at which a user has no seat, but to which the user is invited, or of which the user is
// the host.
type Named struct {
	Table   string `json:"table"`
	Game    string `json:"game"`
	Server  string `json:"server"`
	Invited bool   `json:"invited,omitempty"`
	Host    bool   `json:"host,omitempty"`
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
	// the user's plays in the notation of the rules, separated by semicolons
	Moves string   `json:"moves,omitempty"`
	Plans []string `json:"plans,omitempty"` // the user's conditional moves
}

// Store finds and deletes the stored data of a user. Its methods return the errors of package storage.
type Store interface {
	Naming(ctx context.Context, user string) ([]storage.ID, error)
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
// user has blocked, but not those who have blocked the user.
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
				t.Moves = strings.Join(moves(snap, seat), "; ")
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
		snap, err := p.tables.Lookup.Snapshot(ctx, id)
		if table.IsFrozen(err) || errors.Is(err, storage.ErrNoTable) {
			continue
		}
		if err != nil {
			return d, err
		}
		n := Named{Table: id.String(), Game: snap.Head.Game, Server: snap.Guild,
			Invited: slices.Contains(snap.Invited(), user), Host: snap.Host == user}
		if snap.Seat(user) < 0 && (n.Invited || n.Host) {
			d.Named = append(d.Named, n)
		}
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

// moves returns the plays of a seat in notation, in the view of that seat.
func moves(s *table.Snapshot, seat games.Seat) []string {
	var list []string
	for _, step := range s.Trail(seat, 0, s.Plays) {
		if step.Seat == seat {
			list = append(list, games.Spell(step.Before, step.Move))
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
