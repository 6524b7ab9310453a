package table

import (
	"context"
	"crypto/rand"
	"encoding/hex"

	"marque/games"
	"marque/storage"
)

// Dossier is everything that is stored of a user, as they get it when they ask.
type Dossier struct {
	User        string      `json:"user"`
	Preferences Preferences `json:"preferences"`
	Tables      []Seated    `json:"tables"`
	Results     []Result    `json:"results"`
}

// Seated is a table at which a user has or had a seat.
type Seated struct {
	Table   string     `json:"table"`
	Game    string     `json:"game"`
	Server  string     `json:"server"`
	Channel string     `json:"channel"`
	Name    string     `json:"name"` // under which they sat down
	Seat    games.Seat `json:"seat"`
	Opened  Stamp      `json:"opened"`
	Changed Stamp      `json:"changed"`
	Over    bool       `json:"over"`
}

// Export is everything that is stored of a user.
func (s *Service) Export(ctx context.Context, user string) (Dossier, error) {
	d := Dossier{User: user, Tables: []Seated{}, Results: []Result{}}
	var err error
	if d.Preferences, err = s.Preferences(ctx, user); err != nil {
		return d, err
	}
	for _, over := range []bool{false, true} {
		err := s.eachTable(ctx, user, over, func(h Head) error {
			seat := h.Seat(user)
			d.Tables = append(d.Tables, Seated{
				Table: h.ID.String(), Game: h.Game, Server: h.Guild, Channel: h.Channel, Name: holder(h, seat).Name, Seat: seat,
				Opened: h.Opened, Changed: h.Changed, Over: over,
			})
			return nil
		})
		if err != nil {
			return d, err
		}
	}
	q := storage.ResultQuery{User: user, Limit: listLimit}
	for {
		page, err := s.store.Results(ctx, q)
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

// eachTable calls f for all tables at which a user has a seat.
func (s *Service) eachTable(ctx context.Context, user string, over bool, f func(Head) error) error {
	after := ID(0)
	for {
		heads, err := s.store.ByUser(ctx, user, over, after, listLimit)
		if err != nil {
			return err
		}
		for _, h := range heads {
			if err := f(h); err != nil {
				return err
			}
		}
		if len(heads) < listLimit {
			return nil
		}
		after = heads[len(heads)-1].ID
	}
}

// Forget deletes what is stored of a user: they leave tables that have not started, resign from games that go on, and are a departed sailor in
// everything that is over. Statistics stay, without the name.
func (s *Service) Forget(ctx context.Context, user string) error {
	err := s.eachTable(ctx, user, false, func(h Head) error {
		_, err := s.command(ctx, Actor{}, h.ID, func(d *draft) error { return d.depart(user) })
		if frozen(err) {
			return nil
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := s.gate.enter(); err != nil {
		return err
	}
	defer s.gate.leave()
	var random [8]byte
	rand.Read(random[:])
	s.choices.Lock()
	defer s.choices.Unlock()
	err = s.store.Forget(ctx, user, storage.Departed+hex.EncodeToString(random[:]))
	s.cache.clear()
	return err
}

// depart takes a user from a table for good.
func (d *draft) depart(user string) error {
	seat := d.Seat(user)
	if seat < 0 || d.Status == Over {
		return nil
	}
	if d.Status == Lobby {
		return d.leaveLobby(seat)
	}
	if d.match.In(seat) {
		if err := d.resign(seat); err != nil {
			return err
		}
	}
	if d.Status == Over {
		return nil
	}
	d.silent = true
	if d.Host == user {
		d.Host = ""
		for _, o := range d.Seats {
			if o.User != "" && o.User != user {
				d.Host = o.User
				break
			}
		}
	}
	return d.reseat(seat, Occupant{})
}
