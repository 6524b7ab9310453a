package storage

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
)

const (
	// MaxLoginKey is the maximum length of a login's key, in bytes.
	MaxLoginKey = 128
	// MaxLoginLinks is the maximum number of unused links of a user.
	MaxLoginLinks = 16
	// MaxLaunches is the maximum number of launches that are remembered for a user.
	MaxLaunches = 4
	// MaxInstance is the maximum length of the id of an Activity's instance, in bytes.
	MaxInstance = 128
)

// Login holds a user's key and login links for browsers. A user without a stored login has the zero Login.
type Login struct {
	Key   Secret      `json:"k"`           // signs the user's links and sessions
	Links []LoginLink `json:"l,omitempty"` // unused links, oldest first; at most MaxLoginLinks
	// Latest launches, oldest first: at most one for each instance, and at most MaxLaunches in all.
	Launches []Launch `json:"a,omitempty"`
}

// LogValue keeps the key out of logs.
func (d Login) LogValue() slog.Value { return slog.StringValue(d.Key.String()) }

// LoginLink is a login link that can be used once.
type LoginLink struct {
	ID    string `json:"i"`
	Until Stamp  `json:"u"`
}

// Launch records what a user opened in an instance of the Activity.
type Launch struct {
	Instance string `json:"i"`
	Table    ID     `json:"t,omitempty"` // table that was opened; 0 for the list of the user's games
	At       Stamp  `json:"w"`
}

// check returns ErrInvalid for a login that cannot be stored.
func (d Login) check() error {
	if d.Key == "" || len(d.Key) > MaxLoginKey || len(d.Links) > MaxLoginLinks ||
		len(d.Launches) > MaxLaunches {
		return fmt.Errorf("%w: a login", ErrInvalid)
	}
	for _, l := range d.Links {
		if l.ID == "" || len(l.ID) > MaxKey {
			return fmt.Errorf("%w: the link %q of a login", ErrInvalid, l.ID)
		}
	}
	for _, l := range d.Launches {
		if l.Instance == "" || len(l.Instance) > MaxInstance {
			return fmt.Errorf("%w: the instance %q of a login", ErrInvalid, l.Instance)
		}
	}
	return nil
}

// Login returns a user's Login.
func (s *Store) Login(ctx context.Context, user string) (Login, error) {
	d, _, err := logins.get1(ctx, s, key{user: user})
	return d, err
}

// ChangeLogin replaces a user's login with the result of change, which may be called more than once. If change returns
// an error, ChangeLogin returns it and stores nothing. It returns ErrInvalid for a login that cannot be stored.
func (s *Store) ChangeLogin(ctx context.Context, user string, change func(Login) (Login, error)) error {
	if err := CheckName(user); err != nil {
		return err
	}
	return logins.revise(ctx, s, key{user: user}, func(d Login) (Login, bool, error) {
		d.Links, d.Launches = slices.Clone(d.Links), slices.Clone(d.Launches)
		d, err := change(d)
		if err == nil {
			err = d.check()
		}
		return d, true, err
	})
}
