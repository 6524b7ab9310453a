package table

import (
	"context"
	"errors"
	"slices"
	"time"

	"marque/bot/table/clock"
	"marque/bot/timesource"
	"marque/storage"
)

const (
	// DefaultDigestHour is the hour of the digest of users who have not chosen one.
	DefaultDigestHour = 18
	// maxDigests bounds for how many users is worked in one go.
	maxDigests = 200
	// mostWaiting bounds the tables of a digest.
	mostWaiting = 100
)

// Digest is when a user gets the digest of the tables that wait for them.
type Digest struct {
	Hour int   `json:"hour,omitempty"` // of the day, in their zone
	From Stamp `json:"from,omitempty"` // when they chose it: the first comes after that
	// when the latest was sent, or there was nothing to tell
	Last Stamp `json:"last,omitempty"`
}

// Choose lets the digest come at an hour from now on.
func (d *Digest) Choose(hour int, now time.Time) { d.Hour, d.From = hour, storage.At(now) }

// next is when the next one is due: at the hour, after it was chosen, and not on the day of the
// latest.
func (d Digest) next(zone string) Stamp {
	last := time.Time{}
	if d.Last != 0 {
		last = d.Last.Time()
	}
	return storage.At(clock.Daily(60*d.Hour, d.From.Time(), last, clock.Zone(zone)))
}

// Digests are for users who are called once a day: everything that waits for them, or nothing
// when nothing does.
type Digests struct {
	store   choiceStore
	privacy privacyStore
	choices *choices
	tables  *tables
}

// Due calls f for the users of this process to whom a digest is due, with the moment at which it
// was, but for those left alone. It returns whether there may be more, and when it looked.
func (d *Digests) Due(ctx context.Context, alone map[string]Stamp,
	f func(user string, at Stamp)) (more bool, now Stamp, err error) {
	now = d.choices.now()
	if !d.tables.mine("") { // direct messages are the first shard's
		return false, now, nil
	}
	most := maxDigests + len(alone)
	list, err := d.store.UsersDue(ctx, now, most)
	if err != nil {
		return false, now, err
	}
	for _, user := range list {
		if _, is := alone[user]; is {
			continue
		}
		p, err := d.choices.preferences(ctx, user)
		if err != nil {
			return false, now, err
		}
		if p.Due != 0 && p.Due <= now {
			f(user, p.Due)
		}
	}
	return len(list) == most, now, nil
}

// Done notes that the digest that was due at a moment was sent, or that there was nothing to tell.
func (d *Digests) Done(ctx context.Context, user string, at Stamp) error {
	return d.change(ctx, user, func(p *Preferences) {
		if p.Due == at {
			p.Digest.Last = d.choices.now()
		}
	})
}

// Refused lets a user be called in channels again to whom no direct message can be written.
func (d *Digests) Refused(ctx context.Context, user string) error {
	return d.change(ctx, user, func(p *Preferences) {
		if p.Calls == CallDaily {
			p.Calls = CallInChannel
		}
	})
}

func (d *Digests) change(ctx context.Context, user string, f func(*Preferences)) error {
	if err := d.tables.gate.enter(); err != nil {
		return err
	}
	defer d.tables.gate.leave()
	_, err := d.choices.changePreferences(ctx, user, func(p *Preferences) error {
		f(p)
		return nil
	})
	return err
}

// Wait waits until a time has passed since a moment, or ctx ends.
func (d *Digests) Wait(ctx context.Context, since Stamp, pause time.Duration) {
	timesource.Wait(ctx, d.choices.clock, since.Time().Add(pause), nil)
}

// Waiting are the tables that wait for a user, at most a hundred: for a move or an answer to an
// offer, the oldest first, then for an answer to an invitation. Games with computers alone are not
// among them.
func (d *Digests) Waiting(ctx context.Context, user string) (list []*Snapshot, err error) {
	add := func(id ID, waits func(*Snapshot) bool) error {
		snap, err := d.tables.Snapshot(ctx, id)
		switch {
		case IsFrozen(err) || errors.Is(err, storage.ErrNoTable):
			return nil
		case err != nil:
			return err
		case len(list) < mostWaiting && waits(snap):
			list = append(list, snap)
		}
		return nil
	}
	err = d.tables.eachOfUser(ctx, user, storage.Active, func(h Head) error {
		seat := h.Seat(user)
		asked := h.Proposal.Kind != "" && !h.Proposal.Has(seat)
		if h.Status != Playing || h.Paused != "" || h.ToMove != seat && !asked {
			return nil
		}
		return add(h.ID, func(snap *Snapshot) bool { return !snap.IsSolo() && snap.In(seat) })
	})
	if err != nil {
		return nil, err
	}
	named, err := d.privacy.Naming(ctx, user)
	for _, id := range named {
		err = errors.Join(err, add(id, func(snap *Snapshot) bool {
			return snap.Status == Lobby && slices.Contains(snap.detail.Invited, user)
		}))
	}
	return list, err
}

// Presses reports whether the news also call users who are called once a day: time is about to run out, or
// the table to be closed.
func (n News) Presses() bool {
	return slices.ContainsFunc(n.Events, func(e Event) bool {
		return e.Kind == storage.IdleSoon || e.Kind == storage.Reminded && e.Text == lastCall
	})
}
