package choices

import (
	"time"

	"marque/bot/table/clock"
	"marque/storage"
)

// Settings are a server's choices. The zero Settings mean that the server has chosen nothing.
type Settings struct {
	// channels in which tables can be opened (threads count as their channel); everywhere if empty
	Channels []string          `json:"channels,omitempty"`
	Threads  Threads           `json:"threads,omitempty"` // when a table gets its own thread
	Boards   Boards            `json:"boards,omitempty"`  // treatment of a table's older boards
	Clock    storage.ClockRule `json:"clock,omitzero"`    // for tables that are opened without a clock
	// the role that can open tables; "" for everybody
	OpenerRole string `json:"opener,omitempty"`
	// the role of moderators; "" if only managers of the server are moderators
	ModeratorRole string `json:"warden,omitempty"`
	// the channel for reports of moderators' actions; "" if only the tables' own channels get them
	LogChannel string `json:"log,omitempty"`
	// days on which the clocks stop, in the order in which they were set
	Quiet clock.QuietList `json:"quiet,omitempty"`
	// language of public messages; "" for the server's own
	Language string `json:"language,omitempty"`
	// theme of public boards, as render.Theme.String
	Theme string `json:"theme,omitempty"`
	// new tables are unrated by default
	Unrated bool `json:"unrated,omitempty"`
	Silent  bool `json:"silent,omitempty"` // nobody is pinged
	// maximum number of days a year that a user can be away; 0 for DefaultAwayDays
	AwayDays int `json:"away,omitempty"`
	// seconds in which a move can be taken back without asking; 0 for DefaultUndo, -1 for never
	Undo int `json:"undo,omitempty"`
	// days without a move after which a table is closed; 0 for DefaultIdleDays
	IdleDays int `json:"idle,omitempty"`
	// hours from the last message about a finished table until its thread is archived; 0 for DefaultThreadHours
	ThreadHours int  `json:"thread-hours,omitempty"`
	Hints       bool `json:"hints,omitempty"` // hints are also given in rated games
	// users cannot try out moves on a private board in unfinished rated games
	NoStudies bool `json:"no-studies,omitempty"`
	// computer players may resign at new tables by default
	Resign bool `json:"resign,omitempty"`
	// maximum number of unfinished tables of the server and of each user; 0 for the defaults of Limits
	Tables          int `json:"tables,omitempty"`
	UserTables      int `json:"user-tables,omitempty"`
	UserLobbies     int `json:"user-lobbies,omitempty"`
	UserInvitations int `json:"user-invitations,omitempty"`
	// the conditions for joining a table that is opened without any; Near: a rating near that of the user who opens the
	// table
	Asks storage.Conditions `json:"asks,omitzero"`
	Near bool               `json:"near,omitempty"`
	// the channel of seeks and their tables; "" for the channel of the first seek
	SeekChannel string `json:"seeks,omitempty"`
	SeekRole    string `json:"seek-role,omitempty"`  // the role that is pinged there; "" for none
	SeekPause   int    `json:"seek-pause,omitempty"` // minimum hours between pings; 0 for DefaultSeekPause
	// the channel of the daily puzzle; "" for none
	PuzzleChannel string `json:"puzzles,omitempty"`
	PuzzleDay     int    `json:"puzzle-day,omitempty"` // the latest day with a posted puzzle; not a choice
	// the features that the server switched off
	Without Extras `json:"without,omitzero"`
	// Discord's outages of the server; not a choice
	Outages []clock.Span `json:"outages,omitempty"`
}

// Extras are the facts about players that are shown besides their games, results and ratings. True means that the
// server switched one off, or that the user hides it.
type Extras struct {
	Rivals bool `json:"rivals,omitempty"` // results against each opponent
	Badges bool `json:"badges,omitempty"`
	Year   bool `json:"year,omitempty"` // for servers only: users decide each time whether to show their year
	// spectators may predict who wins the user's games
	Predictions bool `json:"predictions,omitempty"`
}

// Threads says when a table gets its own thread.
type Threads string

// The values of Threads. If the bot cannot open a thread, a table uses the channel itself, unless the channel has
// another table.
const (
	ThreadsAlways   Threads = ""      // a thread for each table; the default
	ThreadsWhenBusy Threads = "busy"  // when its channel has an unfinished table
	ThreadsNever    Threads = "never" // never: a channel can have any number of tables
)

// Boards is the treatment of a table's message after a newer one is posted.
type Boards string

// The values of Boards.
const (
	BoardsFold    Boards = ""        // the text stays; the picture and the buttons are removed
	BoardsKeep    Boards = "keep"    // the message stays unchanged
	BoardsReplace Boards = "replace" // it is deleted
)

// The defaults of a server.
const (
	DefaultAwayDays    = 30
	DefaultUndo        = 60 // seconds
	DefaultIdleDays    = 30
	DefaultThreadHours = 1
	DefaultSeekPause   = 6 // hours
)

// QuietNow returns the present quiet days.
func (s Settings) QuietNow() clock.Quiet { return s.Quiet.Now() }

// SetQuiet sets the quiet weekdays from now on, as clock.QuietList.WithWeekdays does.
func (s *Settings) SetQuiet(now time.Time, days uint8, zone string) {
	s.Quiet = s.Quiet.WithWeekdays(now, days, zone)
}

// SetQuietDates sets the quiet calendar days from now on.
func (s *Settings) SetQuietDates(now time.Time, dates []clock.DateRange) {
	s.Quiet = s.Quiet.WithDates(now, dates)
}

// QuietDates returns the quiet calendar days that are not over.
func (s Settings) QuietDates(now time.Time) []clock.DateRange { return s.Quiet.Dates(now) }

// Outage reports whether the server has an outage.
func (s Settings) Outage() bool {
	return len(s.Outages) > 0 && s.Outages[len(s.Outages)-1].To == 0
}

// DaysAway returns the maximum number of days a year that a user can be away.
func (s Settings) DaysAway() int { return orDefault(s.AwayDays, DefaultAwayDays) }

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

// Limits are the maximum numbers of unfinished tables on a server, with defaults for those that it has not chosen.
type Limits struct{ Tables, UserTables, UserLobbies, UserInvitations int }

// Limits returns the server's limits.
func (s Settings) Limits() Limits {
	return Limits{
		orDefault(s.Tables, DefaultTables), orDefault(s.UserTables, DefaultUserTables),
		orDefault(s.UserLobbies, DefaultUserLobbies), orDefault(s.UserInvitations, DefaultUserInvitations),
	}
}

// NearRating is the maximum difference between two ratings that count as near.
const NearRating = 200

// Default returns a server's conditions for a table of a user with the rating own.
func (s Settings) Default(own int) storage.Conditions {
	c := s.Asks
	if s.Near {
		c.RatingFrom, c.RatingTo = max(1, own-NearRating), own+NearRating
	}
	return c
}
