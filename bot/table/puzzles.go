package table

import (
	"context"
	"time"

	"marque/bot/timesource"
	"marque/storage"
)

// Puzzler is what is kept of the puzzles of the day that a user solved. Days begin at midnight UTC,
// and are counted from 1970-01-01.
type Puzzler struct {
	Last   int `json:"last,omitempty"`   // the latest day whose puzzle they solved on that day; 0 for none
	Streak int `json:"streak,omitempty"` // days in succession up to Last
	Best   int `json:"best,omitempty"`   // the longest of such streaks
	Solved int `json:"solved,omitempty"` // all of them
	Missed int `json:"missed,omitempty"` // the latest day on which they missed before they solved its puzzle
	// how many they solved in the year of Last, and in the year before that
	InYear int `json:"in-year,omitempty"`
	Before int `json:"before,omitempty"`
}

// Puzzles keep which users solved the puzzles of the day.
type Puzzles struct {
	guilds  guildLister
	choices *choices
	gate    *gate
	clock   timesource.Clock
	fence   func(guild string) (fence storage.Fence, held bool) // see Share.Fence
}

// guildLister lists the servers that have something in the store.
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

// monthOf is the month of a day, as tables are kept: "2026-11".
func monthOf(day int) string { return DayStart(day).Format("2006-01") }

// NextDay waits until a day is over, retry has passed, wake is sent something, or ctx ends.
func (p *Puzzles) NextDay(ctx context.Context, day int, retry time.Duration, wake <-chan struct{}) {
	until := DayStart(day + 1)
	if again := p.clock.Now().Add(retry); again.Before(until) {
		until = again
	}
	timesource.Wait(ctx, p.clock, until, wake)
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
	if err := p.gate.enter(); err != nil {
		return err
	}
	defer p.gate.leave()
	_, err := p.choices.changePreferences(ctx, user, func(prefs *Preferences) error {
		if today := p.Today(); prefs.Puzzles.Last != today {
			prefs.Puzzles.Missed = today
		}
		return nil
	})
	return err
}

// Solve notes that a user solved the puzzle of a day, on a server or, for "", on none, in whose
// table of the month it counts. It counts on its day alone, and once. It returns what is kept of
// the user then, and whether it counted.
func (p *Puzzles) Solve(ctx context.Context, user, guild string, day int) (is Puzzler, counted bool, err error) {
	if err := p.gate.enter(); err != nil {
		return Puzzler{}, false, err
	}
	defer p.gate.leave()
	today := p.Today()
	var prefs Preferences
	edit := editPreferences(&prefs, func(prefs *Preferences) error {
		if counted = day == today && prefs.Puzzles.Last != today; counted {
			prefs.Puzzles.solve(today)
		}
		return nil
	})
	// Of months those are kept that a table is asked for: this one and the last.
	err = p.choices.store.AddScore(ctx, user, monthOf(today-31), edit, func() storage.Score {
		switch {
		case !counted || guild == "":
			return storage.Score{}
		case prefs.Puzzles.Missed == today:
			return storage.Score{Server: guild, Month: monthOf(today), Solved: 1}
		}
		return storage.Score{Server: guild, Month: monthOf(today), Solved: 1, First: 1}
	})
	return prefs.Puzzles, counted && err == nil, err
}

// solve counts the puzzle of a day.
func (is *Puzzler) solve(today int) {
	if now := DayStart(today).Year(); now != is.year() {
		is.InYear, is.Before = 0, is.SolvedIn(now-1)
	}
	is.InYear++
	if is.Last != today-1 {
		is.Streak = 0
	}
	is.Last = today
	is.Streak++
	is.Best = max(is.Best, is.Streak)
	is.Solved++
}

// year is that of Last.
func (is Puzzler) year() int { return DayStart(is.Last).Year() }

// SolvedIn is how many they solved in a year: the one in which they solved one last, or the one
// before; 0 of others, which are not kept.
func (is Puzzler) SolvedIn(year int) int {
	switch is.year() {
	case year:
		return is.InYear
	case year + 1:
		return is.Before
	}
	return 0
}

// Month is the beginning of a server's table of the month of a day, in the order of puzzles of the day solved there,
// then of those solved at the first try, then of ids.
func (p *Puzzles) Month(ctx context.Context, guild string, day, limit int) (storage.ScorePage, error) {
	return p.choices.store.Scores(ctx, guild, monthOf(day), limit)
}

// DailyPost is a channel of a server of this process that wants the puzzle of a day and does not have it yet.
type DailyPost struct {
	Guild    string
	Settings Settings // of the server
	Day      int

	puzzles *Puzzles
	fence   storage.Fence // the lease under which it was found
}

// Posting lists what is to be posted of a day.
func (p *Puzzles) Posting(ctx context.Context, day int, each func(DailyPost) error) error {
	guilds, err := p.guilds.Guilds(ctx)
	if err != nil {
		return err
	}
	for _, g := range guilds {
		fence, held := p.fence(g)
		if !held {
			continue
		}
		s, err := p.choices.settings(ctx, g)
		if err != nil {
			return err
		}
		d := DailyPost{Guild: g, Settings: s, Day: day, puzzles: p, fence: fence}
		if !d.missing(s) {
			continue
		}
		if err := each(d); err != nil {
			return err
		}
	}
	return nil
}

func (d DailyPost) missing(s Settings) bool { return s.PuzzleChannel != "" && s.PuzzleDay < d.Day }

// Wanted reports whether it is still to be posted, and by this process, in the same term of its
// lease. A caller that has painted or waited since Posting asks again before sending: another process may
// have become the owner meanwhile, and have posted it.
func (d DailyPost) Wanted(ctx context.Context) (bool, error) {
	s, err := d.puzzles.choices.settings(ctx, d.Guild)
	if err != nil {
		return false, err
	}
	fence, held := d.puzzles.fence(d.Guild)
	return held && fence == d.fence && d.missing(s) && s.PuzzleChannel == d.Settings.PuzzleChannel, nil
}

// Posted notes that the channel has it. A late note changes nothing that came since: a later day, or another channel.
func (d DailyPost) Posted(ctx context.Context) error {
	if err := d.puzzles.gate.enter(); err != nil {
		return err
	}
	defer d.puzzles.gate.leave()
	_, _, err := d.puzzles.choices.changeSettings(ctx, d.Guild, func(s *Settings) {
		if d.missing(*s) && s.PuzzleChannel == d.Settings.PuzzleChannel {
			s.PuzzleDay = d.Day
		}
	})
	return err
}
