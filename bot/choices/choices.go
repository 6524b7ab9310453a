// Package choices stores the settings of servers and the preferences of users, and computes their effect on the clocks
// of tables.
package choices

import (
	"context"
	"reflect"
	"slices"

	"marque/bot/table/clock"
	"marque/bot/timesource"
	"marque/storage"
)

// Store stores the settings of servers and the preferences of users. Its methods return the errors of package storage.
type Store interface {
	GuildSettings(ctx context.Context, guild string, v any) error
	ChangeGuildSettings(ctx context.Context, guild string, edit storage.Edit) error
	UserSettings(ctx context.Context, user string, v any) error
	ChangeUserSettings(ctx context.Context, user string, edit storage.Edit) error
	UsersNaming(ctx context.Context, id string) ([]string, error)
}

// Config has the dependencies and settings of a Service.
type Config struct {
	Store Store
	Clock timesource.Clock
	// Downtimes returns the times at which players could not reach the bot.
	Downtimes func() []clock.Span
	// Work registers a change that a stopping bot waits for until done is called. An error of Work prevents the change.
	Work func() (done func(), err error)
	// OfServer is called after ChangeSettings has changed something that moves the deadlines at the server's tables.
	// OfUser is called after ChangePreferences has changed something that moves deadlines or reminders at the tables
	// where the user is to move.
	OfServer, OfUser func(ctx context.Context, id string) error
}

// Service reads and changes the settings of servers and the preferences of users.
type Service struct{ c Config }

// New returns a Service. All fields of c must be set.
func New(c Config) *Service { return &Service{c} }

// Settings returns the settings of a server, or the zero Settings if guild is "".
func (s *Service) Settings(ctx context.Context, guild string) (Settings, error) {
	var v Settings
	if guild == "" {
		return v, nil
	}
	err := s.c.Store.GuildSettings(ctx, guild, &v)
	return v, err
}

// TableSettings returns the settings of a table's server. For a table in direct messages, it returns settings with
// the theme and the language of the table's host.
func (s *Service) TableSettings(ctx context.Context, h storage.Head) (Settings, error) {
	if h.Guild != "" {
		return s.Settings(ctx, h.Guild)
	}
	p, err := s.Preferences(ctx, h.Host)
	return Settings{Theme: p.Theme, Language: p.Language}, err
}

// ChangeSettings changes a server's settings and returns the new settings. change may be called more than once. Running
// clocks are adjusted.
func (s *Service) ChangeSettings(ctx context.Context, guild string, change func(*Settings)) (Settings, error) {
	done, err := s.c.Work()
	if err != nil {
		return Settings{}, err
	}
	defer done()
	before, after, err := s.changeSettings(ctx, guild, change)
	if err != nil || before.QuietNow().Equal(after.QuietNow()) && before.IdleDays == after.IdleDays {
		return after, err
	}
	return after, s.c.OfServer(ctx, guild)
}

func (s *Service) changeSettings(ctx context.Context, guild string, change func(*Settings)) (before, after Settings,
	err error) {
	err = s.c.Store.ChangeGuildSettings(ctx, guild, func(read func(any) error) (any, error) {
		before = Settings{}
		if err := read(&before); err != nil {
			return nil, err
		}
		after = before
		change(&after)
		return after, nil
	})
	if err != nil {
		after = before
	}
	return before, after, err
}

// maxOutages limits a server's stored outages. The oldest are removed first.
const maxOutages = 100

// BeginOutage records that a server has an outage. It does not call OfServer.
func (s *Service) BeginOutage(ctx context.Context, guild string) error {
	_, _, err := s.changeSettings(ctx, guild, func(c *Settings) {
		if !c.Outage() {
			c.Outages = append(slices.Clone(c.Outages), clock.Span{From: s.now()})
			c.Outages = c.Outages[max(0, len(c.Outages)-maxOutages):]
		}
	})
	return err
}

// EndOutage records that a server's outage is over, and reports whether there was one. It does not call OfServer.
func (s *Service) EndOutage(ctx context.Context, guild string) (had bool, err error) {
	if c, err := s.Settings(ctx, guild); err != nil || !c.Outage() {
		return false, err
	}
	_, _, err = s.changeSettings(ctx, guild, func(c *Settings) {
		if c.Outage() {
			c.Outages = slices.Clone(c.Outages)
			c.Outages[len(c.Outages)-1].To = s.now()
		}
	})
	return true, err
}

// Preferences returns a user's preferences, or the zero Preferences if user is "".
func (s *Service) Preferences(ctx context.Context, user string) (Preferences, error) {
	var v Preferences
	if user == "" {
		return v, nil
	}
	err := s.c.Store.UserSettings(ctx, user, &v)
	return v, err
}

// ChangePreferences changes a user's preferences and returns the new ones. change may be called more than once.
// Running clocks and reminders are adjusted. Unchanged preferences are not stored.
func (s *Service) ChangePreferences(ctx context.Context, user string,
	change func(*Preferences) error) (Preferences, error) {
	done, err := s.c.Work()
	if err != nil {
		return Preferences{}, err
	}
	defer done()
	before, after, err := s.changePreferences(ctx, user, change)
	if err != nil || sameTimes(before, after) {
		return after, err
	}
	return after, s.c.OfUser(ctx, user)
}

func (s *Service) changePreferences(ctx context.Context, user string,
	change func(*Preferences) error) (before, after Preferences, err error) {
	err = s.c.Store.ChangeUserSettings(ctx, user, func(read func(any) error) (any, error) {
		before = Preferences{}
		if err := read(&before); err != nil {
			return nil, err
		}
		after = before
		if err := change(&after); err != nil {
			return nil, err
		}
		if after.Due = 0; after.Calls == CallDaily {
			after.Due = after.Digest.next(after.Zone)
		}
		if reflect.DeepEqual(after, before) {
			return nil, nil
		}
		return after, nil
	})
	return before, after, err
}

// Learn records that a user has done a lesson of a game.
func (s *Service) Learn(ctx context.Context, user, game, lesson string) error {
	_, err := s.ChangePreferences(ctx, user, func(p *Preferences) error {
		p.learn(game, lesson)
		return nil
	})
	return err
}

// Unblock removes a user from all block lists.
func (s *Service) Unblock(ctx context.Context, user string) error {
	return s.eachNaming(ctx, user, func(p *Preferences) {
		if slices.Contains(p.Blocked, user) {
			p.Blocked = slices.DeleteFunc(slices.Clone(p.Blocked), func(b string) bool { return b == user })
		}
		if len(p.Blocked) == 0 {
			p.Blocked = nil
		}
	})
}

// ForgetServer deletes all users' absences on a server.
func (s *Service) ForgetServer(ctx context.Context, guild string) error {
	return s.eachNaming(ctx, guild, func(p *Preferences) { p.Away = p.Away.Without(guild) })
}

// eachNaming changes all preferences that contain an id of a user or server.
func (s *Service) eachNaming(ctx context.Context, id string, change func(*Preferences)) error {
	users, err := s.c.Store.UsersNaming(ctx, id)
	if err != nil {
		return err
	}
	for _, u := range users {
		if _, _, err := s.changePreferences(ctx, u, func(p *Preferences) error { change(p); return nil }); err != nil {
			return err
		}
	}
	return nil
}

// Conditions returns everything that affects a clock while a user of a server is to move or to answer. If user is "",
// it contains nothing that depends on a user.
func (s *Service) Conditions(ctx context.Context, guild string, c Settings, user string) (clock.Conditions, error) {
	of := clock.Conditions{Guild: guild, Quiet: c.Quiet, Idle: c.idle(), Outage: c.Outage()}
	of.Down = slices.Concat(s.c.Downtimes(), c.Outages)
	if of.Outage {
		of.Down[len(of.Down)-1].To = s.now()
	}
	p, err := s.Preferences(ctx, user)
	of.Away, of.Night, of.Zone, of.Remind = p.Away, p.Night, p.Zone, p.remind()
	return of, err
}

func (s *Service) now() storage.Stamp { return storage.At(s.c.Clock.Now()) }
