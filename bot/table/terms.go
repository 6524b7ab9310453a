package table

import (
	"context"
	"reflect"
	"slices"
	"time"

	"marque/bot/table/clock"
	"marque/bot/timesource"
	"marque/storage"
)

// terms reads and writes what servers and users have chosen, and says what clocks depend on.
type terms struct {
	store     choiceStore
	clock     timesource.Clock
	downtimes func() []clock.Span // when the bot was down
}

func (t *terms) now() Stamp { return storage.At(t.clock.Now()) }

// settings are the choices of a server.
func (t *terms) settings(ctx context.Context, guild string) (Settings, error) {
	var v Settings
	if guild == "" {
		return v, nil
	}
	err := t.store.GuildSettings(ctx, guild, &v)
	return v, err
}

// changeSettings stores what change, which may be called more than once, makes of a server's choices.
func (t *terms) changeSettings(ctx context.Context, guild string,
	change func(*Settings)) (before, after Settings, err error) {
	err = t.store.ChangeGuildSettings(ctx, guild, func(read func(any) error) (any, error) {
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
func (t *terms) preferences(ctx context.Context, user string) (Preferences, error) {
	var v Preferences
	if user == "" {
		return v, nil
	}
	err := t.store.UserSettings(ctx, user, &v)
	return v, err
}

// changePreferences stores what change, which may be called more than once, makes of a user's
// preferences, unless it changes nothing: what was never stored, or was deleted, is not stored for
// nothing.
func (t *terms) changePreferences(ctx context.Context, user string,
	change func(*Preferences) error) (p Preferences, err error) {
	err = t.store.ChangeUserSettings(ctx, user, editPreferences(&p, change))
	return p, err
}

// editPreferences is the edit of changePreferences; p is what they are after it.
func editPreferences(p *Preferences, change func(*Preferences) error) storage.Edit {
	return func(read func(any) error) (any, error) {
		var before Preferences
		if err := read(&before); err != nil {
			return nil, err
		}
		*p = before
		if err := change(p); err != nil {
			return nil, err
		}
		if p.Due = 0; p.Calls == CallDaily {
			p.Due = p.Digest.next(p.Zone)
		}
		if reflect.DeepEqual(*p, before) {
			return nil, nil
		}
		return *p, nil
	}
}

// forgetGuild takes a server out of its users' absences.
func (t *terms) forgetGuild(ctx context.Context, guild string) error {
	users, err := t.store.UsersNaming(ctx, guild)
	if err != nil {
		return err
	}
	for _, u := range users {
		_, err := t.changePreferences(ctx, u, func(p *Preferences) error {
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
func (t *terms) conditions(ctx context.Context, guild string, s Settings, user string) (clock.Conditions, error) {
	c := clock.Conditions{Guild: guild, Quiet: s.Quiet, Idle: s.idle(), Outage: s.outage()}
	c.Down = slices.Concat(t.downtimes(), s.Outages)
	if c.Outage {
		c.Down[len(c.Down)-1].To = t.now()
	}
	p, err := t.preferences(ctx, user)
	c.Away, c.Night, c.Zone = p.Away, p.Night, p.Zone
	c.Remind = time.Duration(max(0, orDefault(p.Remind, DefaultRemind))) * time.Hour
	return c, err
}
