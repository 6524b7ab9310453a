package table

import (
	"slices"
	"time"

	"marque/bot/table/clock"
	"marque/storage"
)

// Stamp is a moment, as the store keeps it.
type Stamp = storage.Stamp

// Settings are a server's choices. The zero Settings are those of a server that has chosen nothing.
type Settings struct {
	// where tables may be opened (threads count as their channel); empty: everywhere
	Channels []string          `json:"channels,omitempty"`
	Threads  Threads           `json:"threads,omitempty"` // when a table gets a thread of its own
	Boards   Boards            `json:"boards,omitempty"`  // what becomes of a table's older boards
	Clock    storage.ClockRule `json:"clock,omitzero"`    // of tables that are opened without one
	// the role that may open tables; "" for everybody
	OpenerRole string `json:"opener,omitempty"`
	// the role that may do what moderators do; "" for nobody but those who may manage the server
	ModeratorRole string `json:"warden,omitempty"`
	// where it is told what moderators do; "" for nowhere but at the table
	LogChannel string `json:"log,omitempty"`
	// on which days the clocks stand, in the order of being set
	Quiet clock.QuietList `json:"quiet,omitempty"`
	// of public messages; "" as the server's own
	Language string `json:"language,omitempty"`
	// of public boards, as render.Theme.String
	Theme string `json:"theme,omitempty"`
	// tables are not rated unless they are opened so
	Unrated bool `json:"unrated,omitempty"`
	Silent  bool `json:"silent,omitempty"` // nobody is pinged
	// how many days a year each may be away; 0 for DefaultAwayDays
	AwayDays int `json:"away,omitempty"`
	// seconds for taking back without asking; 0 for DefaultUndo, -1 for never
	Undo int `json:"undo,omitempty"`
	// after how many days without a move a table is closed; 0 for DefaultIdleDays
	IdleDays int `json:"idle,omitempty"`
	// how many hours after the last news of a table that is over its thread is archived; 0 for DefaultThreadHours
	ThreadHours int  `json:"thread-hours,omitempty"`
	Hints       bool `json:"hints,omitempty"` // hints are given in rated games, too
	// in rated games that go on nobody may try out moves on a private board
	NoStudies bool `json:"no-studies,omitempty"`
	// computer players may resign unless a table is opened otherwise
	Resign bool `json:"resign,omitempty"`
	// the most that may go on at once, of the server and of each user; 0 for the defaults of Limits
	Tables          int `json:"tables,omitempty"`
	UserTables      int `json:"user-tables,omitempty"`
	UserLobbies     int `json:"user-lobbies,omitempty"`
	UserInvitations int `json:"user-invitations,omitempty"`
	// what tables ask of those who join them, where they are opened with nothing else; Near: a
	// rating near that of the user who opens the table
	Asks Conditions `json:"asks,omitzero"`
	Near bool       `json:"near,omitempty"`
	// where it is shown who looks for a game, and is played; "" for where somebody looks first
	SeekChannel string `json:"seeks,omitempty"`
	SeekRole    string `json:"seek-role,omitempty"`  // who is called there; "" for nobody
	SeekPause   int    `json:"seek-pause,omitempty"` // hours between two calls at least; 0 for DefaultSeekPause
	// where the puzzle of each day is posted; "" for nowhere
	PuzzleChannel string `json:"puzzles,omitempty"`
	PuzzleDay     int    `json:"puzzle-day,omitempty"` // the latest that was; not chosen
	// what the server does without
	Without Extras `json:"without,omitzero"`
	// when Discord had outages of the server; not chosen
	Outages []clock.Span `json:"outages,omitempty"`
}

// Extras are what is shown of players besides their games, results and ratings; true where it is
// switched off on a server, or hidden from others by a user.
type Extras struct {
	Rivals bool `json:"rivals,omitempty"` // how they fared against each opponent
	Badges bool `json:"badges,omitempty"`
	Year   bool `json:"year,omitempty"` // of a server alone: users show theirs themselves, or do not
	// spectators may predict who wins the user's games
	Predictions bool `json:"predictions,omitempty"`
}

// Threads says when a table gets a thread of its own.
type Threads string

// When. Where the bot may open no thread, a table has its channel if that has no other.
const (
	ThreadsAlways   Threads = ""      // always
	ThreadsWhenBusy Threads = "busy"  // when its channel has a table that goes on
	ThreadsNever    Threads = "never" // never: a channel has as many tables as people open there
)

// Boards says what becomes of a table's message once there is a newer one.
type Boards string

// What.
const (
	BoardsFold    Boards = ""        // what happened stays, without picture and buttons
	BoardsKeep    Boards = "keep"    // it stays as it is
	BoardsReplace Boards = "replace" // it is deleted
)

// What holds for a server that has not chosen.
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

func (s Settings) awayDays() int { return orDefault(s.AwayDays, DefaultAwayDays) }

func (s Settings) idle() time.Duration {
	return time.Duration(orDefault(s.IdleDays, DefaultIdleDays)) * 24 * time.Hour
}

func (s Settings) threadTime() time.Duration {
	return time.Duration(orDefault(s.ThreadHours, DefaultThreadHours)) * time.Hour
}

func (s Settings) undo() time.Duration {
	return time.Duration(max(0, orDefault(s.Undo, DefaultUndo))) * time.Second
}

func orDefault(n, otherwise int) int {
	if n == 0 {
		return otherwise
	}
	return n
}

// Preferences are a user's choices, the same on every server, and the little besides that is kept of a
// user wherever they are.
type Preferences struct {
	// hours until the first reminder; 0 for DefaultRemind, -1 for never
	Remind int `json:"remind,omitempty"`
	// quiet hours, from and to, in minutes after midnight; equal: none
	Night [2]int `json:"night,omitzero"`
	Zone  string `json:"zone,omitempty"` // of the quiet hours; "" for UTC
	// of pictures for this user alone; "" as the server's
	Theme    string `json:"theme,omitempty"`
	Language string `json:"language,omitempty"`
	// of the last year and to come, in the order of From
	Away    clock.AwayList `json:"away,omitempty"`
	Notices []Notice       `json:"notices,omitempty"`
	Calls   Calls          `json:"calls,omitempty"` // how they are called when a table waits for them
	Digest  Digest         `json:"digest,omitzero"`
	Due     Stamp          `json:"due,omitempty"`     // when the next digest is; 0 for never
	Blocked []string       `json:"blocked,omitempty"` // users who cannot invite this one; at most MaxBlocked
	Hidden  Extras         `json:"hidden,omitzero"`   // what others do not see of them
	Learned []Learned      `json:"learned,omitempty"` // what they have learned, by game
	// moves that cannot surprise are played without a preview
	Quick bool `json:"quick,omitempty"`
}

// Calls says how a user is called.
type Calls string

// How.
const (
	CallInChannel Calls = ""       // in the table's channel
	CallDirectly  Calls = "direct" // by direct message; in the channel where none can be written
	CallBoth      Calls = "both"
	CallDaily     Calls = "daily" // by a digest once a day
)

// Learned are the lessons of a game that a user has done.
type Learned struct {
	Game string   `json:"game"`
	Done []string `json:"done"` // keys of lessons, in the order in which they were done first
}

// HasLearned reports whether the user has done a lesson of a game.
func (p Preferences) HasLearned(game, lesson string) bool {
	i := slices.IndexFunc(p.Learned, func(l Learned) bool { return l.Game == game })
	return i >= 0 && slices.Contains(p.Learned[i].Done, lesson)
}

// learn notes that the user has done a lesson of a game.
func (p *Preferences) learn(game, lesson string) {
	if p.HasLearned(game, lesson) {
		return
	}
	p.Learned = slices.Clone(p.Learned)
	i := slices.IndexFunc(p.Learned, func(l Learned) bool { return l.Game == game })
	if i < 0 {
		i = len(p.Learned)
		p.Learned = append(p.Learned, Learned{Game: game})
	}
	p.Learned[i].Done = append(slices.Clone(p.Learned[i].Done), lesson)
}

// DefaultRemind is how many hours pass until the first reminder of users who have not chosen.
const DefaultRemind = 24

// AwayAt is the absence that covers a moment on a server; zero when there is none.
func (p Preferences) AwayAt(guild string, at Stamp) clock.Away { return p.Away.At(guild, at) }

// Notice is something that a user must be told at the next occasion, because it could not be said
// where it belongs.
type Notice struct {
	// what it is about: one of these
	Table       ID                    `json:"table,omitempty"`
	Competition storage.CompetitionID `json:"competition,omitzero"`

	At Stamp `json:"at"`
}

// about reports whether two notices are about the same.
func (n Notice) about(of Notice) bool { return n.Table == of.Table && n.Competition == of.Competition }

// maxNotices bounds what waits for a user.
const maxNotices = 20

// Note keeps a notice for the user's next occasion, once for each table and competition.
func (p *Preferences) Note(of Notice, now time.Time) {
	p.Notices = slices.DeleteFunc(slices.Clone(p.Notices), of.about)
	of.At = storage.At(now)
	p.Notices = append(p.Notices, of)
	p.Notices = p.Notices[max(0, len(p.Notices)-maxNotices):]
}

// Unnote drops a notice, whose user was told.
func (p *Preferences) Unnote(of Notice) {
	p.Notices = slices.DeleteFunc(slices.Clone(p.Notices), of.about)
	if len(p.Notices) == 0 {
		p.Notices = nil
	}
}
