package puzzles

import (
	"context"
	"time"

	"marque/bot/choices"
	"marque/bot/table"
	"marque/bot/timesource"
	"marque/storage"
)

// Days stores which users solved the puzzle of the day, and finds the channels in which the puzzle must still be
// posted. Days begin at midnight UTC, and are counted from 1970-01-01.
type Days struct {
	store  *storage.Store
	tables *table.Service
	clock  timesource.Clock
}

// NewDays returns a Days. If clock is nil, it uses the machine's clock.
func NewDays(tables *table.Service, store *storage.Store, clock timesource.Clock) *Days {
	if clock == nil {
		clock = timesource.System{}
	}
	return &Days{store: store, tables: tables, clock: clock}
}

// Today returns the number of the current day.
func (d *Days) Today() int { return DayOf(d.clock.Now()) }

// secondsADay is the length of a UTC day without leap seconds.
const secondsADay = 86400

// DayOf returns the number of the day that contains t.
func DayOf(t time.Time) int { return int(t.Unix() / secondsADay) }

// DayStart returns the time at which a day begins.
func DayStart(day int) time.Time { return time.Unix(int64(day)*secondsADay, 0).UTC() }

// monthOf returns the month of a day in the store's format, for example "2026-11".
func monthOf(day int) string { return DayStart(day).Format("2006-01") }

// next waits until a day is over, retry has passed, wake receives a value, or ctx ends.
func (d *Days) next(ctx context.Context, day int, retry time.Duration, wake <-chan struct{}) {
	until := DayStart(day + 1)
	if again := d.clock.Now().Add(retry); again.Before(until) {
		until = again
	}
	timesource.Wait(ctx, d.clock, until, wake)
}

// Of returns a user's record of solved puzzles of the day.
func (d *Days) Of(ctx context.Context, user string) (storage.Puzzler, error) {
	return d.store.Puzzler(ctx, user)
}

// SolvedIn returns the number of puzzles of the day that a user solved in a year. It is only known for the year of the
// user's last solution and the year before, and is 0 for other years.
func (d *Days) SolvedIn(ctx context.Context, user string, year int) (int, error) {
	is, err := d.store.Puzzler(ctx, user)
	return solvedIn(is, year), err
}

// streak returns the number of successive days, up to yesterday or today, on which a user solved the day's puzzle.
func (d *Days) streak(is storage.Puzzler) int {
	if is.Last < d.Today()-1 {
		return 0
	}
	return is.Streak
}

// miss records the user's wrong answer to today's puzzle, unless the user has already solved it.
func (d *Days) miss(ctx context.Context, user string) error {
	done, err := d.tables.Work()
	if err != nil {
		return err
	}
	defer done()
	today := d.Today()
	return d.store.ChangePuzzler(ctx, user, firstMonth(today), func(is storage.Puzzler) (storage.Puzzler,
		storage.Score) {
		if is.Last != today {
			is.Missed = today
		}
		return is, storage.Score{}
	})
}

// Solve records that a user solved the puzzle of a day. The puzzle counts in the monthly table of the server guild, or
// in no table if guild is "". It counts only on its own day, and once. Solve returns the user's new record, and whether
// the puzzle counted.
func (d *Days) Solve(ctx context.Context, user, guild string, day int) (is storage.Puzzler, counted bool, err error) {
	done, err := d.tables.Work()
	if err != nil {
		return storage.Puzzler{}, false, err
	}
	defer done()
	today := d.Today()
	change := func(was storage.Puzzler) (storage.Puzzler, storage.Score) {
		if is, counted = was, day == today && was.Last != today; !counted {
			return is, storage.Score{}
		}
		is = solve(was, today)
		if guild == "" {
			return is, storage.Score{}
		}
		score := storage.Score{Server: guild, Month: monthOf(today), Solved: 1, First: 1}
		if is.Missed == today {
			score.First = 0
		}
		return is, score
	}
	err = d.store.ChangePuzzler(ctx, user, firstMonth(today), change)
	return is, counted && err == nil, err
}

// firstMonth returns the earliest month whose tables are stored. Users can see the tables of this month and the
// previous one.
func firstMonth(today int) string { return monthOf(today - 31) }

// solve returns the record after today's puzzle was solved.
func solve(is storage.Puzzler, today int) storage.Puzzler {
	if now := DayStart(today).Year(); now != yearOf(is) {
		is.InYear, is.Before = 0, solvedIn(is, now-1)
	}
	is.InYear++
	if is.Last != today-1 {
		is.Streak = 0
	}
	is.Last = today
	is.Streak++
	is.Best = max(is.Best, is.Streak)
	is.Solved++
	return is
}

// yearOf returns the year of the last puzzle of the day that a user solved.
func yearOf(is storage.Puzzler) int { return DayStart(is.Last).Year() }

func solvedIn(is storage.Puzzler, year int) int {
	switch yearOf(is) {
	case year:
		return is.InYear
	case year + 1:
		return is.Before
	}
	return 0
}

// Month returns the first lines of a server's table for the month of a day. Users are sorted by the number of puzzles
// of the day that they solved there, then by the number solved at the first try, then by id.
func (d *Days) Month(ctx context.Context, guild string, day, limit int) (storage.ScorePage, error) {
	return d.store.Scores(ctx, guild, monthOf(day), limit)
}

// post is a pending post of the puzzle of a day in a channel, on a server of this process.
type post struct {
	guild    string
	settings choices.Settings // the server's settings
	day      int

	days  *Days
	fence storage.Fence // lease of the server at the time when the post was found
}

// posting calls each for the pending posts of a day on this process's servers. It stops at the first error.
func (d *Days) posting(ctx context.Context, day int, each func(post) error) error {
	guilds, err := d.store.Guilds(ctx)
	if err != nil {
		return err
	}
	for _, g := range guilds {
		fence, held := d.tables.Fence(g)
		if !held {
			continue
		}
		s, err := d.tables.Choices.Settings(ctx, g)
		if err != nil {
			return err
		}
		p := post{guild: g, settings: s, day: day, days: d, fence: fence}
		if !p.missing(s) {
			continue
		}
		if err := each(p); err != nil {
			return err
		}
	}
	return nil
}

func (p post) missing(s choices.Settings) bool { return s.PuzzleChannel != "" && s.PuzzleDay < p.day }

// wanted reports whether the puzzle must still be posted, by this process under the same lease. It must be called
// before sending, because another process may have taken over and posted the puzzle in the meantime.
func (p post) wanted(ctx context.Context) (bool, error) {
	s, err := p.days.tables.Choices.Settings(ctx, p.guild)
	if err != nil {
		return false, err
	}
	fence, held := p.days.tables.Fence(p.guild)
	return held && fence == p.fence && p.missing(s) && s.PuzzleChannel == p.settings.PuzzleChannel, nil
}

// posted records that the puzzle was posted in the channel. A late record does not overwrite the record of a later day
// or of another channel.
func (p post) posted(ctx context.Context) error {
	_, err := p.days.tables.Choices.ChangeSettings(ctx, p.guild, func(s *choices.Settings) {
		if p.missing(*s) && s.PuzzleChannel == p.settings.PuzzleChannel {
			s.PuzzleDay = p.day
		}
	})
	return err
}
