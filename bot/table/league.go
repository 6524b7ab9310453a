package table

import (
	"context"
	"errors"
	"slices"

	"marque/bot/table/conduct"
	"marque/bot/timesource"
	"marque/games"
	"marque/games/text"
	"marque/storage"
)

// AllGames is the leaderboard on which the results of all games count.
const AllGames = storage.AllGames

// League is what games count for: results, leaderboards, seasons.
type League struct {
	store  leagueStore
	works  workStore
	tables *tables
	clock  timesource.Clock
}

// Leaderboard is a page of a leaderboard: at most limit lines after the first offset, and the own
// line of a player. Players with fewer games than the server asks for are not ranked. Abandoned,
// unrated and voided games do not count.
func (l *League) Leaderboard(ctx context.Context, b storage.Board, offset, limit int,
	own string) (storage.BoardPage, error) {
	return l.store.Leaderboard(ctx, storage.BoardQuery{Board: b, Least: storage.AsSet, Offset: offset, Limit: limit,
		Own: own})
}

// Standing is a player's own line of a leaderboard; without games when they have not played.
func (l *League) Standing(ctx context.Context, b storage.Board, player string) (Standing, error) {
	return l.store.Standing(ctx, b, player)
}

// Results lists how tables ended, the latest first.
func (l *League) Results(ctx context.Context, q ResultQuery) ([]Result, error) {
	return l.store.Results(ctx, q)
}

// ResultOf is how a table ended. It returns storage.ErrNoResult or storage.ErrNoTable.
func (l *League) ResultOf(ctx context.Context, id ID) (Result, error) { return l.store.Result(ctx, id) }

// Comebacks are tables of a server at which a user won though they were as good as lost.
func (l *League) Comebacks(ctx context.Context, user, guild string) ([]ID, error) {
	b, err := l.store.Badges(ctx, user, guild)
	return b.Comebacks, err
}

// TellBadges notes that a user is told of badges on a server, and returns those that are news.
func (l *League) TellBadges(ctx context.Context, user, guild string, has []string) (news []string, err error) {
	if err := l.tables.gate.enter(); err != nil {
		return nil, err
	}
	defer l.tables.gate.leave()
	return l.store.TellBadges(ctx, user, guild, has)
}

// Stats counts what a server has played to an end among these games.
func (l *League) Stats(ctx context.Context, guild string, games []string) (storage.Stats, error) {
	return l.store.Stats(ctx, guild, games, storage.At(l.clock.Now()))
}

// Rules are what a server has set for its leaderboards.
func (l *League) Rules(ctx context.Context, guild string) (storage.League, error) {
	return l.store.League(ctx, guild)
}

// SetLeast sets how many games a player needs to be ranked in a server. Only a user who manages the
// server may; otherwise it returns ErrNotAllowed. So do the following.
func (l *League) SetLeast(ctx context.Context, by Actor, guild string, least int) error {
	if err := by.Check(DecideResults); err != nil {
		return err
	}
	return l.store.SetLeast(ctx, guild, least)
}

// StartSeason begins a server's next season. It returns ErrNotAllowed, storage.ErrSeasonRuns or
// storage.ErrSeasons.
func (l *League) StartSeason(ctx context.Context, by Actor, guild string, title text.Name) (storage.Season, error) {
	if err := by.Check(KeepSeasons); err != nil {
		return storage.Season{}, err
	}
	season, err := l.store.StartSeason(ctx, guild, title, storage.At(l.clock.Now()))
	switch {
	case errors.Is(err, storage.ErrSeasonRuns):
		err = Refuse(storage.ErrSeasonRuns, text.M("table.error.season-runs"))
	case errors.Is(err, storage.ErrSeasons):
		err = Refuse(storage.ErrSeasons, text.M("table.error.seasons", "Count", storage.MaxSeasons))
	}
	return season, err
}

// EndSeason ends a server's season. It returns ErrNotAllowed or storage.ErrNoSeason.
func (l *League) EndSeason(ctx context.Context, by Actor, guild string) (storage.Season, error) {
	if err := by.Check(KeepSeasons); err != nil {
		return storage.Season{}, err
	}
	season, err := l.store.EndSeason(ctx, guild, storage.At(l.clock.Now()))
	if errors.Is(err, storage.ErrNoSeason) {
		err = Refuse(storage.ErrNoSeason, text.M("table.error.no-season"))
	}
	return season, err
}

// Void takes the result of a server's table off its leaderboards. Large leaderboards are recounted
// for some time after it has returned, see Recounting. It returns ErrNotAllowed, storage.ErrNoTable,
// storage.ErrNoResult, or ErrVoided when it is off already. Who played in the game, had a seat in it, or gains or
// loses by it otherwise, may not, manager or not: ErrPlaysHere.
func (l *League) Void(ctx context.Context, by Actor, guild string, id ID, why text.Name) (Result, error) {
	r, err := l.result(ctx, by, guild, id)
	switch {
	case err != nil:
		return r, err
	case r.Voided != nil:
		return r, Refuse(ErrVoided, text.M("table.error.voided", "Table", id.String()))
	}
	v := &storage.Voiding{By: by.User, At: storage.At(l.clock.Now()), Why: why}
	return l.setVoided(ctx, by, r, v, storage.Voided)
}

// Restore puts the result of a server's table back on its leaderboards. It returns the errors of
// Void; ErrVoided when it was not off.
func (l *League) Restore(ctx context.Context, by Actor, guild string, id ID) (Result, error) {
	r, err := l.result(ctx, by, guild, id)
	switch {
	case err != nil:
		return r, err
	case r.Voided == nil:
		return r, Refuse(ErrVoided, text.M("table.error.not-voided", "Table", id.String()))
	}
	return l.setVoided(ctx, by, r, nil, storage.Restored)
}

// setVoided voids a result, or restores it when v is nil, which is noted at its table as kind.
func (l *League) setVoided(ctx context.Context, by Actor, r Result, v *storage.Voiding,
	kind storage.Kind) (Result, error) {
	if err := l.judges(ctx, by.User, r); err != nil {
		return r, err
	}
	r, err := l.store.Void(ctx, r.Table, v)
	if err != nil {
		return r, err
	}
	l.noteVoid(ctx, by, r.Table, kind)
	_, err = await(ctx, l.works, recounting(r.Guild))
	return r, err
}

// noteVoid notes at its table that a result counts no more (storage.Voided), or again (Restored). A
// fault here leaves the result as it was decided, which says itself who did it.
func (l *League) noteVoid(ctx context.Context, by Actor, id ID, kind storage.Kind) {
	_, err := l.tables.edit(ctx, Actor{User: by.User, Name: by.Name}, id, func(d *draft) error {
		d.moderates(DecideResults)
		d.add(kind, games.Nobody, by.User, "")
		d.Contest.Reported = false // its competition hears of it
		return nil
	})
	if err != nil && !IsFrozen(err) && !errors.Is(err, storage.ErrNoTable) {
		l.tables.logged(ctx, "it could not be noted at a table that its result was voided or restored", id, err)
	}
}

// judges refuses a user's decision about a result if they have, or had, a seat in its game, or gain or lose by the
// result otherwise.
func (l *League) judges(ctx context.Context, user string, r Result) error {
	const why = "table.error.plays-void"
	if slices.ContainsFunc(r.Seats, func(o Occupant) bool { return o.User == user }) {
		return Refuse(ErrPlaysHere, text.M(why))
	}
	t, err := l.tables.store.Load(ctx, r.Table)
	switch {
	case errors.Is(err, storage.ErrNoTable) || errors.Is(err, storage.ErrDamaged):
		return nil // only the result is left to say who played
	case err != nil:
		return err
	}
	return l.tables.rooms.judges(ctx, t, user, why)
}

func recounting(guild string) storage.Work {
	return storage.Work{Kind: storage.Recounting, Of: guild}
}

// Recounting reports whether a server's leaderboards are being recounted: until that is done they
// are those from before.
func (l *League) Recounting(ctx context.Context, guild string) (bool, error) {
	return l.works.UnderWay(ctx, recounting(guild))
}

// result is the result of a server's table, for a manager of the server to change.
func (l *League) result(ctx context.Context, by Actor, guild string, id ID) (Result, error) {
	if err := by.Check(DecideResults); err != nil {
		return Result{}, err
	}
	r, err := l.store.Result(ctx, id)
	switch {
	case err == nil && r.Guild != guild:
		return r, refuseNoTable(id)
	case errors.Is(err, storage.ErrNoResult):
		return r, Refuse(storage.ErrNoResult, text.M("table.error.no-result", "Table", id.String()))
	}
	return r, err
}

// Conduct is how a user has played on a server in the last months.
func (l *League) Conduct(ctx context.Context, guild, user string) (conduct.Conduct, error) {
	return conduct.Of(ctx, l.store, guild, user, storage.At(l.clock.Now()))
}

// Rating is how strong a user is in a game among people on a server, in points; where they have not
// played it, what everybody begins with.
func (l *League) Rating(ctx context.Context, guild, game, user string) (int, error) {
	return ratingOf(ctx, l.store, guild, game, user)
}
