package table

import (
	"context"
	"reflect"
	"slices"
	"time"

	"marque/bot/table/clock"
	"marque/bot/timesource"
	"marque/games/text"
	"marque/storage"
)

// Choices are what servers and users have chosen. Clocks and reminders follow what changes.
type Choices struct {
	choices *choices
	tables  *tables
}

// Settings are the choices of a server.
func (c *Choices) Settings(ctx context.Context, guild string) (Settings, error) {
	return c.choices.settings(ctx, guild)
}

// TableSettings are the choices of a table's server; of a table in direct messages, what its player prefers.
func (c *Choices) TableSettings(ctx context.Context, h Head) (Settings, error) {
	if h.Guild != "" {
		return c.Settings(ctx, h.Guild)
	}
	p, err := c.Preferences(ctx, h.Host)
	return Settings{Theme: p.Theme, Language: p.Language}, err
}

// Conditions are what a clock depends on while a user of a server is to move or to answer.
func (c *Choices) Conditions(ctx context.Context, guild string, s Settings, user string) (clock.Conditions, error) {
	return c.choices.conditions(ctx, guild, s, user)
}

// ChangeSettings changes a server's settings and returns what holds from now on. Running clocks
// follow new quiet days.
func (c *Choices) ChangeSettings(ctx context.Context, guild string, change func(*Settings)) (Settings, error) {
	if err := c.tables.gate.enter(); err != nil {
		return Settings{}, err
	}
	defer c.tables.gate.leave()
	before, after, err := c.choices.changeSettings(ctx, guild, change)
	if err != nil || before.QuietNow().Equal(after.QuietNow()) && before.IdleDays == after.IdleDays {
		return after, err
	}
	return after, c.tables.eachOfGuild(ctx, guild, func(h Head) error { return c.tables.retime(ctx, h) })
}

// Preferences are a user's choices.
func (c *Choices) Preferences(ctx context.Context, user string) (Preferences, error) {
	return c.choices.preferences(ctx, user)
}

// Learn notes that a user has done a lesson of a game.
func (c *Choices) Learn(ctx context.Context, user, game, lesson string) error {
	if err := c.tables.gate.enter(); err != nil {
		return err
	}
	defer c.tables.gate.leave()
	_, err := c.choices.changePreferences(ctx, user, func(p *Preferences) error {
		p.learn(game, lesson)
		return nil
	})
	return err
}

// ChangePreferences changes a user's preferences and returns what holds from now on. Reminders
// follow.
func (c *Choices) ChangePreferences(ctx context.Context, user string,
	change func(*Preferences) error) (Preferences, error) {
	if err := c.tables.gate.enter(); err != nil {
		return Preferences{}, err
	}
	defer c.tables.gate.leave()
	p, err := c.choices.changePreferences(ctx, user, change)
	if err != nil {
		return p, err
	}
	return p, c.tables.eachOfUser(ctx, user, false, func(h Head) error {
		if h.Status != Playing || h.ToMove != h.Seat(user) {
			return nil
		}
		if err := c.tables.retime(ctx, h); !IsFrozen(err) {
			return err
		}
		return nil
	})
}

// GoAway stops the user's clocks on a server from now until a moment. It returns what holds then,
// ErrBadTime when that is not to come or more than a year ahead, and ErrBudget when the server's
// days of a year do not suffice. An absence that goes on is replaced.
func (c *Choices) GoAway(ctx context.Context, user, guild string, until time.Time) (Preferences, error) {
	settings, err := c.Settings(ctx, guild)
	if err != nil {
		return Preferences{}, err
	}
	now, end := c.choices.now(), storage.At(until)
	if end <= now || end > now+Stamp(clock.Year.Milliseconds()) {
		return Preferences{}, Refuse(ErrBadTime, clock.AwayTime(now.Time()))
	}
	return c.ChangePreferences(ctx, user, func(p *Preferences) error {
		p.Away = p.Away.Ended(guild, now)
		used := p.Away.Used(guild, now)
		budget := time.Duration(settings.awayDays()) * 24 * time.Hour
		if settings.AwayDays >= 0 && used+time.Duration(end-now)*time.Millisecond > budget {
			left := max(0, int((budget-used)/(24*time.Hour)))
			return Refuse(ErrBudget, text.M("table.error.away-budget", "Count", left, "Days", settings.awayDays()))
		}
		p.Away = p.Away.With(clock.Away{Guild: guild, From: now, Until: end})
		return nil
	})
}

// Return ends the user's absence from a server now. It reports whether there was one.
func (c *Choices) Return(ctx context.Context, user, guild string) (bool, error) {
	was := false
	now := c.choices.now()
	_, err := c.ChangePreferences(ctx, user, func(p *Preferences) error {
		was = p.AwayAt(guild, now) != clock.Away{}
		p.Away = p.Away.Ended(guild, now)
		return nil
	})
	return was, err
}

// choices reads and writes what servers and users have chosen, and says what clocks depend on.
type choices struct {
	store     choiceStore
	clock     timesource.Clock
	downtimes func() []clock.Span // when the bot was down
}

func (c *choices) now() Stamp { return storage.At(c.clock.Now()) }

// settings are the choices of a server.
func (c *choices) settings(ctx context.Context, guild string) (Settings, error) {
	var v Settings
	if guild == "" {
		return v, nil
	}
	err := c.store.GuildSettings(ctx, guild, &v)
	return v, err
}

// changeSettings stores what change, which may be called more than once, makes of a server's choices.
func (c *choices) changeSettings(ctx context.Context, guild string,
	change func(*Settings)) (before, after Settings, err error) {
	err = c.store.ChangeGuildSettings(ctx, guild, func(read func(any) error) (any, error) {
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

// preferences are a user's choices.
func (c *choices) preferences(ctx context.Context, user string) (Preferences, error) {
	var v Preferences
	if user == "" {
		return v, nil
	}
	err := c.store.UserSettings(ctx, user, &v)
	return v, err
}

// changePreferences stores what change, which may be called more than once, makes of a user's
// preferences, unless it changes nothing: what was never stored, or was deleted, is not stored for
// nothing.
func (c *choices) changePreferences(ctx context.Context, user string,
	change func(*Preferences) error) (p Preferences, err error) {
	err = c.store.ChangeUserSettings(ctx, user, func(read func(any) error) (any, error) {
		var before Preferences
		if err := read(&before); err != nil {
			return nil, err
		}
		p = before
		if err := change(&p); err != nil {
			return nil, err
		}
		if p.Due = 0; p.Calls == CallDaily {
			p.Due = p.Digest.next(p.Zone)
		}
		if reflect.DeepEqual(p, before) {
			return nil, nil
		}
		return p, nil
	})
	return p, err
}

// forgetGuild takes a server out of its users' absences.
func (c *choices) forgetGuild(ctx context.Context, guild string) error {
	users, err := c.store.UsersNaming(ctx, guild)
	if err != nil {
		return err
	}
	for _, u := range users {
		_, err := c.changePreferences(ctx, u, func(p *Preferences) error {
			p.Away = p.Away.Without(guild)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// conditions are what the clock of a table depends on while a user is to move; of nobody for "".
func (c *choices) conditions(ctx context.Context, guild string, s Settings, user string) (clock.Conditions, error) {
	of := clock.Conditions{Guild: guild, Quiet: s.Quiet, Idle: s.idle(), Outage: s.Outage()}
	of.Down = slices.Concat(c.downtimes(), s.Outages)
	if of.Outage {
		of.Down[len(of.Down)-1].To = c.now()
	}
	p, err := c.preferences(ctx, user)
	of.Away, of.Night, of.Zone = p.Away, p.Night, p.Zone
	of.Remind = time.Duration(max(0, orDefault(p.Remind, DefaultRemind))) * time.Hour
	return of, err
}
