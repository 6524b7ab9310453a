package table

import (
	"context"
	"slices"
	"time"

	"marque/bot/timesource"
	"marque/storage"
)

// Puzzler is what is kept of the puzzles of the day that a user solved. Days begin at midnight UTC, and are counted from
// 1970-01-01.
type Puzzler struct {
	Last   int `json:"last,omitempty"`   // the latest day whose puzzle they solved on that day; 0 for none
	Streak int `json:"streak,omitempty"` // days in succession up to Last
	Best   int `json:"best,omitempty"`   // the longest of such streaks
	Solved int `json:"solved,omitempty"` // all of them
	Missed int `json:"missed,omitempty"` // the latest day on which they missed before they solved its puzzle
	// Months are where they solved them lately: the store makes the tables of servers from them (storage.ScoresIn).
	Months []storage.Score `json:"months,omitempty"`
}

// Puzzles keep who solves the puzzles of the day.
type Puzzles struct {
	guilds guildLister
	terms  *terms
	gate   *gate
	clock  timesource.Clock
	mine   func(guild string) bool // this process serves it
}

// guildLister lists the servers of which something is stored.
type guildLister interface {
	Guilds(ctx context.Context) ([]string, error)
}

// Today is the number of the day that it is.
func (p *Puzzles) Today() int { return DayOf(p.clock.Now()) }

// secondsADay are those of a day of UTC, which knows no others.
const secondsADay = 86400

// DayOf is the number of the day of a moment.
func DayOf(t time.Time) int { return int(t.Unix() / secondsADay) }

// DayStart is the moment at which a day begins.
func DayStart(day int) time.Time { return time.Unix(int64(day)*secondsADay, 0).UTC() }

// MonthOf is the month of a day, as tables are kept: "2026-11".
func MonthOf(day int) string { return DayStart(day).Format("2006-01") }

// NextDay waits until a new day has begun, retry has passed, wake is sent something, or ctx ends.
func (p *Puzzles) NextDay(ctx context.Context, retry time.Duration, wake <-chan struct{}) {
	now := p.clock.Now()
	until := min(retry, DayStart(DayOf(now)+1).Sub(now))
	passed := make(chan struct{})
	stop := p.clock.AfterFunc(until, func() { close(passed) })
	defer stop()
	select {
	case <-passed:
	case <-wake:
	case <-ctx.Done():
	}
}

// Streak is how many days in succession a user with these preferences has solved, up to yesterday or today.
func (p *Puzzles) Streak(is Puzzler) int {
	if is.Last < p.Today()-1 {
		return 0
	}
	return is.Streak
}

// Miss notes that a user missed at today's puzzle, unless they have solved it.
func (p *Puzzles) Miss(ctx context.Context, user string) error {
	_, err := p.change(ctx, user, func(is *Puzzler, today int) {
		if is.Last != today {
			is.Missed = today
		}
	})
	return err
}

// Solve notes that a user solved the puzzle of a day, on a server or, for "", on none. It counts on its
// day alone, and once. It returns what is kept of the user then, and whether it counted.
func (p *Puzzles) Solve(ctx context.Context, user, guild string, day int) (is Puzzler, counted bool, err error) {
	is, err = p.change(ctx, user, func(is *Puzzler, today int) {
		if counted = day == today && is.Last != today; counted {
			is.solve(guild, today)
		}
	})
	return is, counted && err == nil, err
}

// solve counts the puzzle of a day. Of months those are kept that a table is asked for: this one and the last.
func (is *Puzzler) solve(guild string, today int) {
	if is.Last != today-1 {
		is.Streak = 0
	}
	is.Last = today
	is.Streak++
	is.Best = max(is.Best, is.Streak)
	is.Solved++
	month, before := MonthOf(today), MonthOf(today-31)
	is.Months = slices.DeleteFunc(slices.Clone(is.Months), func(m storage.Score) bool { return m.Month < before })
	if guild == "" {
		return
	}
	i := slices.IndexFunc(is.Months, func(m storage.Score) bool { return m.Server == guild && m.Month == month })
	if i < 0 {
		i = len(is.Months)
		is.Months = append(is.Months, storage.Score{Server: guild, Month: month})
	}
	is.Months[i].Solved++
	if is.Missed != today {
		is.Months[i].First++
	}
}

func (p *Puzzles) change(ctx context.Context, user string, change func(is *Puzzler, today int)) (Puzzler, error) {
	if err := p.gate.enter(); err != nil {
		return Puzzler{}, err
	}
	defer p.gate.leave()
	prefs, err := p.terms.changePreferences(ctx, user, func(prefs *Preferences) error {
		change(&prefs.Puzzles, p.Today())
		return nil
	})
	return prefs.Puzzles, err
}

// Month is the beginning of a server's table of the month of a day: who solved most puzzles of the day there first, then who
// solved most at the first try, then by id.
func (p *Puzzles) Month(ctx context.Context, guild string, day, limit int) (storage.ScorePage, error) {
	return p.terms.store.Scores(ctx, guild, MonthOf(day), limit)
}

// Posting lists the servers of this process that want the puzzle of a day in a channel and do not have it yet, with
// their settings.
func (p *Puzzles) Posting(ctx context.Context, day int, each func(guild string, s Settings) error) error {
	guilds, err := p.guilds.Guilds(ctx)
	if err != nil {
		return err
	}
	for _, g := range guilds {
		if !p.mine(g) {
			continue
		}
		s, err := p.terms.settings(ctx, g)
		if err != nil {
			return err
		}
		if s.PuzzleChannel == "" || s.PuzzleDay >= day {
			continue
		}
		if err := each(g, s); err != nil {
			return err
		}
	}
	return nil
}

// Posted notes that a server has the puzzle of a day.
func (p *Puzzles) Posted(ctx context.Context, guild string, day int) error {
	if err := p.gate.enter(); err != nil {
		return err
	}
	defer p.gate.leave()
	_, _, err := p.terms.changeSettings(ctx, guild, func(s *Settings) { s.PuzzleDay = day })
	return err
}
