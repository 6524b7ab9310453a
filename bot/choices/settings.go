package choices

import (
	"time"

	"marque/bot/table/clock"
	"marque/storage"
)

// Settings are a server's choices. The zero Settings are those of a server that has chosen nothing.
type Settings struct {
	// where tables may be opened (threads count as their channel); empty: everywhere
	Channels []string          `json:"channels,omitempty"`
	Threads  Threads           `json:"threads,omitempty"` // says when a table gets its own thread
	Boards   Boards            `json:"boards,omitempty"`  // says what happens to a table's older boards
	Clock    storage.ClockRule `json:"clock,omitzero"`    // for tables that are opened without one
	// the role that may open tables; "" for everybody
	OpenerRole string `json:"opener,omitempty"`
	// the role of moderators; "" if only managers of the server are moderators
	ModeratorRole string `json:"warden,omitempty"`
	// the channel for reports of moderators' acts; "" if only the tables' own channels get them
	LogChannel string `json:"log,omitempty"`
	// days on which the clocks stand still, in the order in which they were set
	Quiet clock.QuietList `json:"quiet,omitempty"`
	// language of public messages; "" for the server's own
	Language string `json:"language,omitempty"`
	// theme of public boards, as render.Theme.String
	Theme string `json:"theme,omitempty"`
	// new tables are unrated by default
	Unrated bool `json:"unrated,omitempty"`
	Silent  bool `json:"silent,omitempty"` // nobody is pinged
	// how many days a year each may be away; 0 for DefaultAwayDays
	AwayDays int `json:"away,omitempty"`
	// seconds for taking back without asking; 0 for DefaultUndo, -1 for never
	Undo int `json:"undo,omitempty"`
	// days without a move after which a table is closed; 0 for DefaultIdleDays
	IdleDays int `json:"idle,omitempty"`
	// hours from the last news of a finished table until its thread is archived; 0 for DefaultThreadHours
	ThreadHours int  `json:"thread-hours,omitempty"`
	Hints       bool `json:"hints,omitempty"` // hints are given in rated games, too
	// in unfinished rated games nobody may try out moves on a private board
	NoStudies bool `json:"no-studies,omitempty"`
	// computer players may resign at new tables by default
	Resign bool `json:"resign,omitempty"`
	// the most unfinished tables at once, of the server and of each user; 0 for the defaults of Limits
	Tables          int `json:"tables,omitempty"`
	UserTables      int `json:"user-tables,omitempty"`
	UserLobbies     int `json:"user-lobbies,omitempty"`
	UserInvitations int `json:"user-invitations,omitempty"`
	// the conditions that tables set for joining when they are opened without any; Near: a rating near that of the user
	// who opens the table
	Asks storage.Conditions `json:"asks,omitzero"`
	Near bool               `json:"near,omitempty"`
	// where seeks are shown and their tables opened; "" for the channel of the first seek
	SeekChannel string `json:"seeks,omitempty"`
	SeekRole    string `json:"seek-role,omitempty"`  // the role that is pinged there; "" for none
	SeekPause   int    `json:"seek-pause,omitempty"` // hours between two calls at least; 0 for DefaultSeekPause
	// where the puzzle of each day is posted; "" for nowhere
	PuzzleChannel string `json:"puzzles,omitempty"`
	PuzzleDay     int    `json:"puzzle-day,omitempty"` // the latest that was; not chosen
	// the features that the server switched off
	Without Extras `json:"without,omitzero"`
	// when Discord had outages of the server; not chosen
	Outages []clock.Span `json:"outages,omitempty"`
}

// Extras are the facts shown of players besides their games, results and ratings. True means that the server switched
// one off, or that the user hides it.
type Extras struct {
	Rivals bool `json:"rivals,omitempty"` // results against each opponent
	Badges bool `json:"badges,omitempty"`
	Year   bool `json:"year,omitempty"` // for servers only: users decide each time whether to show theirs
	// spectators may predict who wins the user's games
	Predictions bool `json:"predictions,omitempty"`
}

// Threads says when a table gets its own thread.
type Threads string

// When. Where the bot may open no thread, a table has its channel if that has no other.
const (
	ThreadsAlways   Threads = ""      // always
	ThreadsWhenBusy Threads = "busy"  // when its channel has an unfinished table
	ThreadsNever    Threads = "never" // never: a channel has as many tables as people open there
)

// Boards says what happens to a table's message once there is a newer one.
type Boards string

// What happens to it.
const (
	BoardsFold    Boards = ""        // the sentences stay, the picture and the buttons go
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

// QuietNow are the quiet days that hold at present.
func (s Settings) QuietNow() clock.Quiet { return s.Quiet.Now() }

// SetQuiet lets other quiet weekdays hold from now on, as clock.QuietList.WithWeekdays.
func (s *Settings) SetQuiet(now time.Time, days uint8, zone string) {
	s.Quiet = s.Quiet.WithWeekdays(now, days, zone)
}

// SetQuietDates lets other quiet days of the calendar hold from now on.
func (s *Settings) SetQuietDates(now time.Time, dates []clock.DateRange) {
	s.Quiet = s.Quiet.WithDates(now, dates)
}

// QuietDates are the quiet days of the calendar that are not over.
func (s Settings) QuietDates(now time.Time) []clock.DateRange { return s.Quiet.Dates(now) }

// Outage reports whether the server has an outage.
func (s Settings) Outage() bool {
	return len(s.Outages) > 0 && s.Outages[len(s.Outages)-1].To == 0
}

// DaysAway is how many days a year each may be away.
func (s Settings) DaysAway() int { return orDefault(s.AwayDays, DefaultAwayDays) }

func (s Settings) idle() time.Duration {
	return time.Duration(orDefault(s.IdleDays, DefaultIdleDays)) * 24 * time.Hour
}

// ThreadTime is how long after the last news of a table that is over its thread is archived.
func (s Settings) ThreadTime() time.Duration {
	return time.Duration(orDefault(s.ThreadHours, DefaultThreadHours)) * time.Hour
}

// UndoTime returns for how long a player takes a move back without asking.
func (s Settings) UndoTime() time.Duration {
	return time.Duration(max(0, orDefault(s.Undo, DefaultUndo))) * time.Second
}

func orDefault(n, otherwise int) int {
	if n == 0 {
		return otherwise
	}
	return n
}

// The limits of a server that has not chosen, and the highest that it can choose.
const (
	DefaultTables          = 500 // of the server
	DefaultUserTables      = 20  // at which a user sits
	DefaultUserLobbies     = 3   // that have not started, with the user as host
	DefaultUserInvitations = 6   // to those that have not been answered

	MostTables          = 5000
	MostUserTables      = 200
	MostUserLobbies     = 50
	MostUserInvitations = 100
)

// Limits are the numbers of unfinished tables that a server allows at once, with defaults for those that it has not
// chosen.
type Limits struct{ Tables, UserTables, UserLobbies, UserInvitations int }

// Limits returns the server's limits.
func (s Settings) Limits() Limits {
	return Limits{
		orDefault(s.Tables, DefaultTables), orDefault(s.UserTables, DefaultUserTables),
		orDefault(s.UserLobbies, DefaultUserLobbies), orDefault(s.UserInvitations, DefaultUserInvitations),
	}
}

// NearRating is the largest difference between two ratings that counts as near.
const NearRating = 200

// Default are a server's conditions for a table of somebody with a rating.
func (s Settings) Default(own int) storage.Conditions {
	c := s.Asks
	if s.Near {
		c.RatingFrom, c.RatingTo = max(1, own-NearRating), own+NearRating
	}
	return c
}
