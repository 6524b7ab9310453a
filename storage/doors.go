package storage

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
)

const (
	// MaxDoorKey is the maximum length of a door's key, in bytes.
	MaxDoorKey = 128
	// MaxDoorLinks is the maximum number of unused links of a user.
	MaxDoorLinks = 16
	// MaxLaunches is the maximum number of launches that are remembered for a user.
	MaxLaunches = 4
	// MaxInstance is the maximum length of the id of an Activity's instance, in bytes.
	MaxInstance = 128
)

// Door holds a user's key and login links for browsers. A user who never asked for a link has the zero Door.
type Door struct {
	Key   Secret     `json:"k"`           // signs the user's links and sessions
	Links []DoorLink `json:"l,omitempty"` // unused links, oldest first; at most MaxDoorLinks
	// Latest launches, oldest first: at most one for each instance, and at most MaxLaunches in all.
	Launches []Launch `json:"a,omitempty"`
}

// LogValue keeps the key out of logs.
func (d Door) LogValue() slog.Value { return slog.StringValue(d.Key.String()) }

// DoorLink is a login link that can be used once.
type DoorLink struct {
	ID    string `json:"i"`
	Until Stamp  `json:"u"`
}

// Launch records what a user opened in an instance of the Activity.
type Launch struct {
	Instance string `json:"i"`
	Table    ID     `json:"t,omitempty"` // table that was opened; 0 for the list of the user's games
	At       Stamp  `json:"w"`
}

// check returns ErrInvalid for a door that cannot be stored.
func (d Door) check() error {
	if d.Key == "" || len(d.Key) > MaxDoorKey || len(d.Links) > MaxDoorLinks ||
		len(d.Launches) > MaxLaunches {
		return fmt.Errorf("%w: a door", ErrInvalid)
	}
	for _, l := range d.Links {
		if l.ID == "" || len(l.ID) > MaxKey {
			return fmt.Errorf("%w: the link %q of a door", ErrInvalid, l.ID)
		}
	}
	for _, l := range d.Launches {
		if l.Instance == "" || len(l.Instance) > MaxInstance {
			return fmt.Errorf("%w: the instance %q of a door", ErrInvalid, l.Instance)
		}
	}
	return nil
}

// Door returns a user's Door.
func (s *Store) Door(ctx context.Context, user string) (Door, error) {
	d, _, err := doors.get1(ctx, s, key{user: user})
	return d, err
}

// ChangeDoor replaces a user's door with the result of change, which may be called more than once. If change returns an
// error, ChangeDoor returns it and stores nothing. It returns ErrInvalid for a door that cannot be stored.
func (s *Store) ChangeDoor(ctx context.Context, user string, change func(Door) (Door, error)) error {
	if err := CheckName(user); err != nil {
		return err
	}
	return doors.revise(ctx, s, key{user: user}, func(d Door) (Door, bool, error) {
		d.Links, d.Launches = slices.Clone(d.Links), slices.Clone(d.Launches)
		d, err := change(d)
		if err == nil {
			err = d.check()
		}
		return d, true, err
	})
}
