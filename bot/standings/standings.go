// Package standings reads and changes the results of games, leaderboards and seasons.
package standings

import (
	"context"
	"errors"
	"slices"

	"marque/bot/table"
	"marque/games/text"
	"marque/storage"
)

// Store stores the results of tables. Its methods return the errors of package storage.
type Store interface {
	Leaderboard(ctx context.Context, q storage.BoardQuery) (storage.BoardPage, error)
	Standing(ctx context.Context, b storage.Board, player string) (storage.Standing, error)
	League(ctx context.Context, guild string) (storage.League, error)
	SetLeast(ctx context.Context, guild string, least int) error
	StartSeason(ctx context.Context, guild string, title text.Name, now storage.Stamp) (storage.Season, error)
	EndSeason(ctx context.Context, guild string, now storage.Stamp) (storage.Season, error)
	Void(ctx context.Context, id storage.ID, v *storage.Voiding) (storage.Result, error)
	Result(ctx context.Context, id storage.ID) (storage.Result, error)
	Stats(ctx context.Context, guild string, games []string, now storage.Stamp) (storage.Stats, error)
	Results(ctx context.Context, q storage.ResultQuery) ([]storage.Result, error)
	Badges(ctx context.Context, user, server string) (storage.Badges, error)
	TellBadges(ctx context.Context, user, server string, has []string) (news []string, err error)
	UnderWay(ctx context.Context, w storage.Work) (bool, error)
}

// Service reads and changes results, leaderboards and seasons.
type Service struct {
	store  Store
	tables *table.Service
}

// New returns a Service for the results in store.
func New(tables *table.Service, store Store) *Service { return &Service{store, tables} }

func (l *Service) now() storage.Stamp { return storage.At(l.tables.Lookup.Now()) }

// Leaderboard returns a page of a leaderboard: at most limit lines after the first offset lines, and the line of the
// player own. Players with fewer games than the server requires, or with too few opponents, are not ranked. Only
// results that count are included (see storage.Result.Counts).
func (l *Service) Leaderboard(ctx context.Context, b storage.Board, offset, limit int,
	own string) (storage.BoardPage, error) {
	return l.store.Leaderboard(ctx, storage.BoardQuery{Board: b, Least: storage.AsSet, Offset: offset, Limit: limit,
		Own: own})
}

// Standing returns a player's line of a leaderboard. The line of a player without games has only Player.
func (l *Service) Standing(ctx context.Context, b storage.Board, player string) (storage.Standing, error) {
	return l.store.Standing(ctx, b, player)
}

// Results returns the results of tables, the latest first.
func (l *Service) Results(ctx context.Context, q storage.ResultQuery) ([]storage.Result, error) {
	return l.store.Results(ctx, q)
}

// ResultOf returns the result of a table. If there is none, it returns storage.ErrNoResult.
func (l *Service) ResultOf(ctx context.Context, id storage.ID) (storage.Result, error) {
	return l.store.Result(ctx, id)
}

// Comebacks returns tables of a server at which a user won from a nearly lost position, at most storage.MaxComebacks.
func (l *Service) Comebacks(ctx context.Context, user, guild string) ([]storage.ID, error) {
	b, err := l.store.Badges(ctx, user, guild)
	return b.Comebacks, err
}

// TellBadges records that a user was told about badges on a server, and returns those that are new.
func (l *Service) TellBadges(ctx context.Context, user, guild string, has []string) (news []string, err error) {
	done, err := l.tables.Work()
	if err != nil {
		return nil, err
	}
	defer done()
	return l.store.TellBadges(ctx, user, guild, has)
}

// Stats returns statistics of a server's finished tables, for the games with the given keys.
func (l *Service) Stats(ctx context.Context, guild string, games []string) (storage.Stats, error) {
	return l.store.Stats(ctx, guild, games, l.now())
}

// Rules returns a server's settings for its leaderboards.
func (l *Service) Rules(ctx context.Context, guild string) (storage.League, error) {
	return l.store.League(ctx, guild)
}

// SetLeast sets the number of games that a player needs to be ranked on a server. It returns ErrNotAllowed if the user
// does not manage the server.
func (l *Service) SetLeast(ctx context.Context, by table.Actor, guild string, least int) error {
	if err := by.Check(table.DecideResults); err != nil {
		return err
	}
	return l.store.SetLeast(ctx, guild, least)
}

// StartSeason begins a server's next season. Its errors include ErrNotAllowed, storage.ErrSeasonRuns and
// storage.ErrSeasons.
func (l *Service) StartSeason(ctx context.Context, by table.Actor, guild string, title text.Name) (storage.Season,
	error) {
	if err := by.Check(table.KeepSeasons); err != nil {
		return storage.Season{}, err
	}
	season, err := l.store.StartSeason(ctx, guild, title, l.now())
	switch {
	case errors.Is(err, storage.ErrSeasonRuns):
		err = table.Refuse(storage.ErrSeasonRuns, text.M("table.error.season-runs"))
	case errors.Is(err, storage.ErrSeasons):
		err = table.Refuse(storage.ErrSeasons, text.M("table.error.seasons", "Count", storage.MaxSeasons))
	}
	return season, err
}

// EndSeason ends a server's season. Its errors include ErrNotAllowed and storage.ErrNoSeason.
func (l *Service) EndSeason(ctx context.Context, by table.Actor, guild string) (storage.Season, error) {
	if err := by.Check(table.KeepSeasons); err != nil {
		return storage.Season{}, err
	}
	season, err := l.store.EndSeason(ctx, guild, l.now())
	if errors.Is(err, storage.ErrNoSeason) {
		err = table.Refuse(storage.ErrNoSeason, text.M("table.error.no-season"))
	}
	return season, err
}

// Void removes the result of a server's table from the server's leaderboards. They are recounted in the background,
// for large leaderboards also after Void has returned (see Recounting). The errors of Void include ErrNotAllowed,
// storage.ErrNoTable, storage.ErrNoResult, ErrVoided if the result is already void, and ErrPlaysHere for a manager
// who has or had a seat in the game, or has another interest in it.
func (l *Service) Void(ctx context.Context, by table.Actor, guild string, id storage.ID, why text.Name) (storage.Result,
	error) {
	r, err := l.result(ctx, by, guild, id)
	switch {
	case err != nil:
		return r, err
	case r.Voided != nil:
		return r, table.Refuse(table.ErrVoided, text.M("table.error.voided", "Table", id.String()))
	}
	v := &storage.Voiding{By: by.User, At: l.now(), Why: why}
	return l.setVoided(ctx, by, r, v, storage.Voided)
}

// Restore adds the result of a server's table to the server's leaderboards again. It returns the errors of Void, but
// ErrVoided if the result is not void.
func (l *Service) Restore(ctx context.Context, by table.Actor, guild string, id storage.ID) (storage.Result, error) {
	r, err := l.result(ctx, by, guild, id)
	switch {
	case err != nil:
		return r, err
	case r.Voided == nil:
		return r, table.Refuse(table.ErrVoided, text.M("table.error.not-voided", "Table", id.String()))
	}
	return l.setVoided(ctx, by, r, nil, storage.Restored)
}

// plays is the id of the refusal for managers who try to void or restore a result of their own.
const plays = "table.error.plays-void"

// setVoided voids a result, or restores it if v is nil. It records the change at the table as kind.
func (l *Service) setVoided(ctx context.Context, by table.Actor, r storage.Result, v *storage.Voiding,
	kind storage.Kind) (storage.Result, error) {
	if slices.ContainsFunc(r.Seats, func(o storage.Occupant) bool { return o.User == by.User }) {
		return r, table.Refuse(table.ErrPlaysHere, text.M(plays))
	}
	if err := l.tables.Judges(ctx, by.User, r.Table, plays); err != nil {
		return r, err
	}
	r, err := l.store.Void(ctx, r.Table, v)
	if err != nil {
		return r, err
	}
	l.tables.NoteVoid(ctx, by, r.Table, kind)
	_, err = l.tables.Await(ctx, recounting(r.Guild))
	return r, err
}

func recounting(guild string) storage.Work {
	return storage.Work{Kind: storage.Recounting, Of: guild}
}

// Recounting reports whether a server's leaderboards are being recounted. During a recount they show the old numbers.
func (l *Service) Recounting(ctx context.Context, guild string) (bool, error) {
	return l.store.UnderWay(ctx, recounting(guild))
}

// result returns the result of a server's table if by is allowed to change it.
func (l *Service) result(ctx context.Context, by table.Actor, guild string, id storage.ID) (storage.Result, error) {
	if err := by.Check(table.DecideResults); err != nil {
		return storage.Result{}, err
	}
	r, err := l.store.Result(ctx, id)
	switch {
	case err == nil && r.Guild != guild:
		return r, table.RefuseStored(storage.ErrNoTable, id)
	case errors.Is(err, storage.ErrNoResult):
		return r, table.Refuse(storage.ErrNoResult, text.M("table.error.no-result", "Table", id.String()))
	}
	return r, err
}
