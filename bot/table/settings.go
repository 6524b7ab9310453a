package table

import (
	"context"
	"reflect"
	"slices"
	"time"

	"marque/storage"
)

// Stamp is a moment, as the store keeps it.
type Stamp = storage.Stamp

// Settings are a server's choices. The zero Settings are those of a server that has chosen nothing.
type Settings struct {
	Channels []string          `json:"channels,omitempty"` // where tables may be opened (threads count as their channel); empty: everywhere
	Threads  Threads           `json:"threads,omitempty"`  // when a table gets a thread of its own
	Clock    storage.ClockRule `json:"clock,omitzero"`     // of tables that are opened without one
	Opener   string            `json:"opener,omitempty"`   // the role that may open tables; "" for everybody
	Warden   string            `json:"warden,omitempty"`   // the role that may do what moderators do; "" for nobody but those who may manage the server
	Quiet    []Quiet           `json:"quiet,omitempty"`    // on which days the clocks stand, in the order of being set
	Language string            `json:"language,omitempty"` // of public messages; "" as the server's own
	Theme    string            `json:"theme,omitempty"`    // of public boards, as render.Theme.String
	Unrated  bool              `json:"unrated,omitempty"`  // tables are not rated unless they are opened so
	Silent   bool              `json:"silent,omitempty"`   // nobody is pinged
	AwayDays int               `json:"away,omitempty"`     // how many days a year each may be away; 0 for DefaultAwayDays
	Undo     int               `json:"undo,omitempty"`     // seconds for taking back without asking; 0 for DefaultUndo, -1 for never
	IdleDays int               `json:"idle,omitempty"`     // after how many days without a move a table is closed; 0 for DefaultIdleDays
	Hints    bool              `json:"hints,omitempty"`    // hints are given in rated games, too
	Resign   bool              `json:"resign,omitempty"`   // computer players may resign unless a table is opened otherwise
	Outages  []span            `json:"outages,omitempty"`  // when Discord had outages of the server; not chosen
}

// Threads says when a table gets a thread of its own.
type Threads string

// When.
const (
	ThreadsWhenBusy Threads = ""       // when its channel has a table that goes on
	ThreadsAlways   Threads = "always" // always
	ThreadsNever    Threads = "never"  // never: a channel has as many tables as people open there
)

// What holds for a server that has not chosen.
const (
	DefaultAwayDays = 30
	DefaultUndo     = 60 // seconds
	DefaultIdleDays = 30
)

// Quiet are the days on which a server's clocks stand: weekdays, and days of the calendar.
type Quiet struct {
	From  Stamp       `json:"from"`            // since when this holds, until the next in the list does
	Days  uint8       `json:"days"`            // bit n: time.Weekday n
	Zone  string      `json:"zone,omitempty"`  // whose midnights count; "" for UTC
	Dates []DateRange `json:"dates,omitempty"` // in their order, none twice
}

func (q Quiet) equal(o Quiet) bool {
	return q.Days == o.Days && q.Zone == o.Zone && slices.Equal(q.Dates, o.Dates)
}

// QuietNow are the quiet days that hold at present.
func (s Settings) QuietNow() Quiet {
	if len(s.Quiet) == 0 {
		return Quiet{}
	}
	return s.Quiet[len(s.Quiet)-1]
}

// maxQuiet bounds how many changes of the quiet days are remembered: clocks that began to run before the first of
// them are reckoned as if it had held then.
const maxQuiet = 20

// SetQuiet lets other quiet weekdays hold from now on. All seven cannot be quiet: the last of them is left out.
func (s *Settings) SetQuiet(now time.Time, days uint8, zone string) {
	if days&0x7f == 0x7f {
		days &^= 1 << 6
	}
	s.setQuiet(now, Quiet{Days: days & 0x7f, Zone: zone, Dates: s.QuietNow().Dates})
}

// SetQuietDates lets other quiet days of the calendar hold from now on.
func (s *Settings) SetQuietDates(now time.Time, dates []DateRange) {
	last := s.QuietNow()
	s.setQuiet(now, Quiet{Days: last.Days, Zone: last.Zone, Dates: dates})
}

// setQuiet leaves out the dates that are over. What held before stays in the list, for clocks that were running then.
func (s *Settings) setQuiet(now time.Time, q Quiet) {
	q.From, q.Dates = storage.At(now), upcoming(q.Dates, now, zone(q.Zone))
	if s.QuietNow().equal(q) {
		return
	}
	s.Quiet = append(slices.Clone(s.Quiet), q)
	if over := len(s.Quiet) - maxQuiet; over > 0 {
		s.Quiet = s.Quiet[over:]
	}
}

func (s Settings) awayDays() int { return orDefault(s.AwayDays, DefaultAwayDays) }

func (s Settings) idle() time.Duration {
	return time.Duration(orDefault(s.IdleDays, DefaultIdleDays)) * 24 * time.Hour
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

// Preferences are a user's choices, the same on every server.
type Preferences struct {
	Remind   int      `json:"remind,omitempty"` // hours until the first reminder; 0 for DefaultRemind, -1 for never
	Night    [2]int   `json:"night,omitzero"`   // quiet hours, from and to, in minutes after midnight; equal: none
	Zone     string   `json:"zone,omitempty"`   // of the quiet hours; "" for UTC
	Theme    string   `json:"theme,omitempty"`  // of pictures for this user alone; "" as the server's
	Language string   `json:"language,omitempty"`
	Away     []Away   `json:"away,omitempty"` // of the last year and to come, in the order of From
	Notices  []Notice `json:"notices,omitempty"`
}

// DefaultRemind is how many hours pass until the first reminder of who has not chosen.
const DefaultRemind = 24

// Away is a time during which a user's clocks stand on a server.
type Away struct {
	Guild string `json:"guild"`
	From  Stamp  `json:"from"`
	Until Stamp  `json:"until"`
}

// AwayAt is the absence that covers a moment on a server; zero when there is none.
func (p Preferences) AwayAt(guild string, at Stamp) Away {
	for _, a := range p.Away {
		if a.Guild == guild && a.From <= at && at < a.Until {
			return a
		}
	}
	return Away{}
}

// Notice is something that a user must be told at the next occasion, because it could not be said where it belongs.
type Notice struct {
	Table ID    `json:"table"`
	At    Stamp `json:"at"`
}

// maxNotices bounds what waits for a user.
const maxNotices = 20

// Note keeps a notice for the user's next occasion, once for each table.
func (p *Preferences) Note(id ID, now time.Time) {
	p.Notices = slices.DeleteFunc(slices.Clone(p.Notices), func(n Notice) bool { return n.Table == id })
	p.Notices = append(p.Notices, Notice{Table: id, At: storage.At(now)})
	p.Notices = p.Notices[max(0, len(p.Notices)-maxNotices):]
}

// Unnote drops the notice of a table, whose user was told.
func (p *Preferences) Unnote(id ID) {
	p.Notices = slices.DeleteFunc(slices.Clone(p.Notices), func(n Notice) bool { return n.Table == id })
	if len(p.Notices) == 0 {
		p.Notices = nil
	}
}

// zone is a time zone by its name; UTC for one that is not known (any more).
func zone(name string) *time.Location {
	if loc, err := time.LoadLocation(name); err == nil {
		return loc
	}
	return time.UTC
}

// Settings are the choices of a server.
func (s *Service) Settings(ctx context.Context, guild string) (Settings, error) {
	var v Settings
	if guild == "" {
		return v, nil
	}
	err := s.store.GuildSettings(ctx, guild, &v)
	return v, err
}

// ChangeSettings changes a server's settings and returns what holds from now on. Running clocks follow new quiet days.
func (s *Service) ChangeSettings(ctx context.Context, guild string, change func(*Settings)) (Settings, error) {
	if err := s.gate.enter(); err != nil {
		return Settings{}, err
	}
	defer s.gate.leave()
	before, after, err := s.changeSettings(ctx, guild, change)
	if err != nil || before.QuietNow().equal(after.QuietNow()) && before.IdleDays == after.IdleDays {
		return after, err
	}
	return after, s.eachOfGuild(ctx, guild, func(h Head) error { return s.retime(ctx, h) })
}

func (s *Service) changeSettings(ctx context.Context, guild string, change func(*Settings)) (before, after Settings, err error) {
	s.choices.Lock()
	defer s.choices.Unlock()
	if before, err = s.Settings(ctx, guild); err != nil {
		return before, before, err
	}
	after = before
	change(&after)
	return before, after, s.store.SetGuildSettings(ctx, guild, after)
}

// Preferences are a user's choices.
func (s *Service) Preferences(ctx context.Context, user string) (Preferences, error) {
	var v Preferences
	if user == "" {
		return v, nil
	}
	err := s.store.UserSettings(ctx, user, &v)
	return v, err
}

// ChangePreferences changes a user's preferences and returns what holds from now on. Reminders follow.
func (s *Service) ChangePreferences(ctx context.Context, user string, change func(*Preferences) error) (Preferences, error) {
	if err := s.gate.enter(); err != nil {
		return Preferences{}, err
	}
	defer s.gate.leave()
	p, err := s.changePreferences(ctx, user, change)
	if err != nil {
		return p, err
	}
	return p, s.eachTable(ctx, user, false, func(h Head) error {
		if h.Status != Playing || h.ToMove != h.Seat(user) {
			return nil
		}
		if err := s.retime(ctx, h); !frozen(err) {
			return err
		}
		return nil
	})
}

func (s *Service) changePreferences(ctx context.Context, user string, change func(*Preferences) error) (Preferences, error) {
	s.choices.Lock()
	defer s.choices.Unlock()
	before, err := s.Preferences(ctx, user)
	if err != nil {
		return before, err
	}
	p := before
	if err := change(&p); err != nil || reflect.DeepEqual(p, before) {
		return p, err // what was never stored, or was deleted, is not stored for nothing
	}
	return p, s.store.SetUserSettings(ctx, user, p)
}

// retime reckons anew when something falls due at a table that goes on.
func (s *Service) retime(ctx context.Context, h Head) error {
	_, err := s.command(ctx, Actor{}, h.ID, func(d *draft) error {
		d.silent = d.Status != Over
		return nil
	})
	return err
}
