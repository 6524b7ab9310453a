package storage

import (
	"fmt"
	"strings"
	"time"

	"marque/games/review"
)

// Maximum lengths of stored values in bytes. A longer value is refused with ErrInvalid.
const (
	// Ids of users, servers and channels; keys of games, levels of computer players, kinds of due moments.
	MaxName = 64
	MaxKey  = 128  // keys of commands and of shared pages, ids of interactions, links and calls
	MaxText = 1024 // texts of events, and the two moves of a turning point together
	MaxNote = 4096 // notes about what was published for a table
)

// The key of a command is remembered for at least KeyKept, and for less than KeyGone. The time is counted from
// Head.Changed to the moment that is passed to Done. Discord's interaction tokens are valid for 15 minutes.
const (
	KeyKept = 30 * time.Minute
	KeyGone = time.Hour
)

// StatWeeks is the number of past weeks in Stats, and StatLongest the maximum number of longest games.
const (
	StatWeeks   = 12
	StatLongest = 3
)

// CheckName returns ErrInvalid for an id that is longer than MaxName or has a zero byte.
func CheckName(name string) error {
	if len(name) > MaxName || strings.IndexByte(name, 0) >= 0 {
		return fmt.Errorf("%w: %q is no id", ErrInvalid, name)
	}
	return nil
}

// Check returns ErrInvalid if a value of the change is not valid or contradicts another one. It does not look at the
// store.
func (c Change) Check() error {
	h := c.Head
	names := []string{h.Game, h.Guild, h.Channel, h.Host}
	for _, o := range h.Seats {
		names = append(names, o.User, o.Computer)
	}
	for _, d := range h.Due {
		names = append(names, d.Kind)
	}
	for _, d := range c.Conduct {
		names = append(names, d.User)
		if err := d.check(); err != nil {
			return err
		}
	}
	for _, n := range names {
		if err := CheckName(n); err != nil {
			return err
		}
	}
	if len(c.Key) > MaxKey || strings.IndexByte(c.Key, 0) >= 0 {
		return fmt.Errorf("%w: a command key of %d bytes", ErrInvalid, len(c.Key))
	}
	if h.Game == "" || h.Events < uint64(len(c.Events)) {
		return fmt.Errorf("%w: a head without a game, or with fewer events than are added", ErrInvalid)
	}
	for _, e := range c.Events {
		if e.Version != h.Version || !e.Kind.Known() || len(e.Text) > MaxText || len(e.User) > MaxName ||
			len(e.Interaction) > MaxKey {
			return fmt.Errorf("%w: event %+v of version %d", ErrInvalid, e, h.Version)
		}
	}
	return nil
}

// Check returns ErrInvalid for a review with too many turning points or too long moves, or whose Course does not fit
// Looked.
func (r Review) Check() error {
	if len(r.Points) > review.MaxPoints {
		return fmt.Errorf("%w: a review of %d points", ErrInvalid, len(r.Points))
	}
	for _, p := range r.Points {
		if len(p.Played)+len(p.Better) > MaxText {
			return fmt.Errorf("%w: a move of %d bytes", ErrInvalid, len(p.Played)+len(p.Better))
		}
	}
	if !r.Course.Sound(r.Looked) {
		return fmt.Errorf("%w: the course of %d plays of %d", ErrInvalid, r.Course.Len(), r.Looked)
	}
	return nil
}

// Edit computes a new value for a stored one that several processes may change at the same time. read decodes the
// stored value into v, or leaves v unchanged if no value is stored. Edit returns the new value, or nil to keep the
// stored one. It is called outside any transaction, and called again if the value has changed in the meantime.
type Edit func(read func(v any) error) (v any, err error)
