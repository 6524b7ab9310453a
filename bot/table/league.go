package table

import (
	"context"
	"errors"
	"slices"

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
	clock  Clock
}

// Leaderboard is a page of a leaderboard: at most limit lines after the first offset, and the own
// line of a player. Who has played fewer games than the server asks for is not ranked. Abandoned,
// unrated and voided games do not count.
func (l *League) Leaderboard(ctx context.Context, b storage.Board, offset, limit int, own string) (storage.BoardPage, error) {
	league, err := l.store.League(ctx, b.Guild)
	if err != nil {
		return storage.BoardPage{}, err
	}
	return l.store.Leaderboard(ctx, storage.BoardQuery{Board: b, Least: max(1, league.Least), Offset: offset, Limit: limit, Own: own})
}

// Standing is a player's own line of a leaderboard; without games when they have not played.
func (l *League) Standing(ctx context.Context, b storage.Board, player string) (Standing, error) {
	return l.store.Standing(ctx, b, player)
}

// Results lists how tables ended, the latest first.
func (l *League) Results(ctx context.Context, q ResultQuery) ([]Result, error) {
	return l.store.Results(ctx, q)
}

// Stats counts what a server has played to an end among these games.
func (l *League) Stats(ctx context.Context, guild string, games []string) (storage.Stats, error) {
	return l.store.Stats(ctx, guild, games, storage.At(l.clock.Now()))
}

// League is what a server has set for its leaderboards.
func (l *League) League(ctx context.Context, guild string) (storage.League, error) {
	return l.store.League(ctx, guild)
}

// SetLeast sets how many games a player needs to be ranked in a server. Only a moderator may;
// otherwise it returns ErrNotAllowed. So do the following.
func (l *League) SetLeast(ctx context.Context, by Actor, guild string, least int) error {
	if !by.Moderator {
		return moderatorsOnly()
	}
	return l.store.SetLeast(ctx, guild, least)
}

// StartSeason begins a server's next season. It returns ErrNotAllowed or ErrSeasonRuns.
func (l *League) StartSeason(ctx context.Context, by Actor, guild, title string) (storage.Season, error) {
	if !by.Moderator {
		return storage.Season{}, moderatorsOnly()
	}
	season, err := l.store.StartSeason(ctx, guild, oneLine(title), storage.At(l.clock.Now()))
	if errors.Is(err, storage.ErrSeasonRuns) {
		err = refuse(ErrSeasonRuns, text.M("table.error.season-runs"))
	}
	return season, err
}

// EndSeason ends a server's season. It returns ErrNotAllowed or ErrNoSeason.
func (l *League) EndSeason(ctx context.Context, by Actor, guild string) (storage.Season, error) {
	if !by.Moderator {
		return storage.Season{}, moderatorsOnly()
	}
	season, err := l.store.EndSeason(ctx, guild, storage.At(l.clock.Now()))
	if errors.Is(err, storage.ErrNoSeason) {
		err = refuse(ErrNoSeason, text.M("table.error.no-season"))
	}
	return season, err
}

// Void takes the result of a server's table off its leaderboards, or puts it back. Large leaderboards
// are counted anew for some time after it has returned, see Recounting. It returns ErrNotAllowed,
// ErrNoTable, ErrNoResult or, when nothing would change, ErrVoided. Who played in the game, or had a
// seat in it, may not, moderator or not: ErrPlaysHere.
func (l *League) Void(ctx context.Context, by Actor, guild string, id ID, void bool, why string) (Result, error) {
	if !by.Moderator {
		return Result{}, moderatorsOnly()
	}
	r, err := l.store.Result(ctx, id)
	switch {
	case err == nil && r.Guild != guild:
		return r, refuse(ErrNoTable, text.M("table.error.no-table", "Table", id.String()))
	case errors.Is(err, storage.ErrNoResult):
		return r, refuse(ErrNoResult, text.M("table.error.no-result", "Table", id.String()))
	case err != nil:
		return r, err
	case void == (r.Voided != nil):
		m := text.M("table.error.not-voided", "Table", id.String())
		if void {
			m = text.M("table.error.voided", "Table", id.String())
		}
		return r, refuse(ErrVoided, m)
	}
	if played, err := l.played(ctx, by.User, r); err != nil {
		return r, err
	} else if played {
		return r, refuse(ErrPlaysHere, text.M("table.error.plays-void"))
	}
	var v *storage.Voiding
	if void {
		v = &storage.Voiding{By: by.User, At: storage.At(l.clock.Now()), Why: oneLine(why)}
	}
	if r, err = l.store.Void(ctx, id, v); err != nil {
		return r, err
	}
	l.tables.noteVoid(ctx, by, id, void)
	_, err = await(ctx, l.works, recounting(guild))
	return r, err
}

// played reports whether a user has, or had, a seat in the game of a result.
func (l *League) played(ctx context.Context, user string, r Result) (bool, error) {
	if slices.ContainsFunc(r.Seats, func(o Occupant) bool { return o.User == user }) {
		return true, nil
	}
	t, err := l.tables.store.Load(ctx, r.Table)
	if errors.Is(err, storage.ErrNoTable) || errors.Is(err, storage.ErrDamaged) {
		return false, nil // the result says alone who played
	}
	return seatsHeld(t)[user] != 0, err
}

func recounting(guild string) storage.Work {
	return storage.Work{Kind: storage.Recounting, Of: guild}
}

// Recounting reports whether a server's leaderboards are being counted anew: until that is done they are
// those from before.
func (l *League) Recounting(ctx context.Context, guild string) (bool, error) {
	return l.works.UnderWay(ctx, recounting(guild))
}

// Result is how a table ended; false while it goes on, and when it never started.
func (l *League) Result(ctx context.Context, id ID) (Result, bool, error) {
	r, err := l.store.Result(ctx, id)
	if errors.Is(err, storage.ErrNoResult) {
		return r, false, nil
	}
	return r, err == nil, err
}
