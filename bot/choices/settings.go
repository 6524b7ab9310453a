package choices

import (
	"time"

	"marque/bot/table/clock"
	"marque/storage"
)

// Settings are a server's choices. The zero value is a server that has chosen nothing.
type Settings struct {
	// channels in which users other than moderators can open tables (threads count as their channel); everywhere if
	// empty
	Channels []string          `json:"channels,omitempty"`
	Threads  Threads           `json:"threads,omitempty"` // when a table gets its own thread
	Boards   Boards            `json:"boards,omitempty"`  // treatment of a table's older boards
	Clock    storage.ClockRule `json:"clock,omitzero"`    // clock of tables that are opened without one
	// id of the role that can open tables, besides moderators; "" for everybody
	OpenerRole string `json:"opener,omitempty"`
	// id of the role of moderators; "" if only managers of the server are moderators
	ModeratorRole string `json:"warden,omitempty"`
	// id of the channel for reports of moderators' actions; "" if they are only in the tables' channels
	LogChannel string `json:"log,omitempty"`
	// days on which the clocks stop, in the order in which they were set
	Quiet clock.QuietList `json:"quiet,omitempty"`
	// language of public messages; "" for the server's language on Discord
	Language string `json:"language,omitempty"`
	// theme of public boards, as render.Theme.String
	Theme string `json:"theme,omitempty"`
	// whether new tables are unrated by default
	Unrated bool `json:"unrated,omitempty"`
	Silent  bool `json:"silent,omitempty"` // whether the bot pings nobody
	// maximum number of days a year that a user can be away; 0 for DefaultAwayDays, negative for none
	AwayDays int `json:"away,omitempty"`
	// seconds in which a move can be taken back without asking; 0 for DefaultUndo, -1 for never
	Undo int `json:"undo,omitempty"`
	// days without a move after which a table is closed; 0 for DefaultIdleDays
	IdleDays int `json:"idle,omitempty"`
	// hours from the last message about a finished table until its thread is archived; 0 for DefaultThreadHours
	ThreadHours int  `json:"thread-hours,omitempty"`
	Hints       bool `json:"hints,omitempty"` // whether hints are also given in rated games outside competitions
	// whether users cannot try out moves on a private board in unfinished games that are rated or belong to a
	// competition
	NoStudies bool `json:"no-studies,omitempty"`
	// whether computer players can resign at new tables by default
	Resign bool `json:"resign,omitempty"`
	// limits of the server's and of each user's unfinished tables, and of each user's lobbies and invitations; 0 for
	// the defaults
	Tables          int `json:"tables,omitempty"`
	UserTables      int `json:"user-tables,omitempty"`
	UserLobbies     int `json:"user-lobbies,omitempty"`
	UserInvitations int `json:"user-invitations,omitempty"`
	// Asks are the conditions for joining a table that is opened without any. If Near is set, the rating must be near
	// the rating of the user who opens the table.
	Asks storage.Conditions `json:"asks,omitzero"`
	Near bool               `json:"near,omitempty"`
	// id of the channel of seeks and their tables; "" for the channel of the first seek after a time without any
	SeekChannel string `json:"seeks,omitempty"`
	SeekRole    string `json:"seek-role,omitempty"`  // id of the role that new seeks ping; "" for none
	SeekPause   int    `json:"seek-pause,omitempty"` // minimum hours between pings; 0 for DefaultSeekPause
	// id of the channel of the daily puzzle; "" for none
	PuzzleChannel string `json:"puzzles,omitempty"`
	PuzzleDay     int    `json:"puzzle-day,omitempty"` // last day whose puzzle was posted; not a choice
	// features that the server has switched off
	Without Extras `json:"without,omitzero"`
	// outages of the server on Discord; not a choice
	Outages []clock.Span `json:"outages,omitempty"`
}

// Extras are the parts of a profile besides games, results and ratings. A field is true if the server has switched the
// part off, or if the user hides it.
type Extras struct {
	Rivals bool `json:"rivals,omitempty"` // results against each opponent
	Badges bool `json:"badges,omitempty"`
	Year   bool `json:"year,omitempty"` // only for servers, because users decide each time whether to show their year
	// predictions by spectators of the winner of the user's games
	Predictions bool `json:"predictions,omitempty"`
}

// Threads is the condition under which a table gets its own thread.
type Threads string

// Values of Threads. If the bot lacks the permissions for a thread, a table uses the channel itself, unless the channel
// has another table. In a channel in which Discord allows no thread, there can be any number of tables.
const (
	ThreadsAlways   Threads = ""      // always, except in a thread without an unfinished table; the default
	ThreadsWhenBusy Threads = "busy"  // when its channel has an unfinished table
	ThreadsNever    Threads = "never" // never, so that a channel can have any number of tables
)

// Boards is the treatment of the message with a table's board after a newer board is posted.
type Boards string

// Values of Boards.
const (
	BoardsFold    Boards = ""        // the message is reduced to its text, or deleted if it has none
	BoardsKeep    Boards = "keep"    // the message stays unchanged
	BoardsReplace Boards = "replace" // the message is deleted, or folded if it began a game with draws
)

// Default values of settings.
const (
	DefaultAwayDays    = 30
	DefaultUndo        = 60 // seconds
	DefaultIdleDays    = 30
	DefaultThreadHours = 1
	DefaultSeekPause   = 6 // hours
)

// QuietNow returns the quiet days that currently apply.
func (s Settings) QuietNow() clock.Quiet { return s.Quiet.Now() }

// SetQuiet sets the quiet weekdays from now on (see clock.QuietList.WithWeekdays).
func (s *Settings) SetQuiet(now time.Time, days uint8, zone string) {
	s.Quiet = s.Quiet.WithWeekdays(now, days, zone)
}

// SetQuietDates sets the quiet calendar days from now on.
func (s *Settings) SetQuietDates(now time.Time, dates []clock.DateRange) {
	s.Quiet = s.Quiet.WithDates(now, dates)
}

// QuietDates returns the ranges of quiet calendar days that are not over.
func (s Settings) QuietDates(now time.Time) []clock.DateRange { return s.Quiet.Dates(now) }

// Outage reports whether the server has an outage.
func (s Settings) Outage() bool {
	return len(s.Outages) > 0 && s.Outages[len(s.Outages)-1].To == 0
}

// DaysAway returns the maximum number of days a year that a user can be away.
func (s Settings) DaysAway() int { return max(0, orDefault(s.AwayDays, DefaultAwayDays)) }

func (s Settings) idle() time.Duration {
	return time.Duration(orDefault(s.IdleDays, DefaultIdleDays)) * 24 * time.Hour
}

// ThreadTime returns the time from the last message about a finished table until its thread is archived.
func (s Settings) ThreadTime() time.Duration {
	return time.Duration(orDefault(s.ThreadHours, DefaultThreadHours)) * time.Hour
}

// UndoTime returns the time in which a player can take back a move without asking.
func (s Settings) UndoTime() time.Duration {
	return time.Duration(max(0, orDefault(s.Undo, DefaultUndo))) * time.Second
}

func orDefault(n, otherwise int) int {
	if n == 0 {
		return otherwise
	}
	return n
}

// The default limits of a server, and the maximum values that it can choose.
const (
	DefaultTables          = 500 // tables of the server
	DefaultUserTables      = 20  // tables with the user in a seat
	DefaultUserLobbies     = 3   // tables with the user as host that have not started
	DefaultUserInvitations = 6   // unanswered invitations by the user as host

	MostTables          = 5000
	MostUserTables      = 200
	MostUserLobbies     = 50
	MostUserInvitations = 100
)

// Limits are the maximum numbers of a server's unfinished tables, and of each user's unfinished tables, lobbies and
// unanswered invitations.
type Limits struct{ Tables, UserTables, UserLobbies, UserInvitations int }

// Limits returns the server's limits. Those that it has not chosen have their defaults.
func (s Settings) Limits() Limits {
	return Limits{
		orDefault(s.Tables, DefaultTables), orDefault(s.UserTables, DefaultUserTables),
		orDefault(s.UserLobbies, DefaultUserLobbies), orDefault(s.UserInvitations, DefaultUserInvitations),
	}
}

// NearRating is the maximum difference between two ratings that are near each other.
const NearRating = 200

// Default returns a server's conditions for a table that is opened by a user whose rating is own.
func (s Settings) Default(own int) storage.Conditions {
	c := s.Asks
	if s.Near {
		c.RatingFrom, c.RatingTo = max(1, own-NearRating), own+NearRating
	}
	return c
}
