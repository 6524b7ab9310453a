package table

import (
	"reflect"
	"slices"
	"time"

	"marque/bot/table/acts"
	"marque/bot/table/conduct"
	"marque/games"
	"marque/storage"
)

// finish completes a changed draft. It returns the change to commit, and the table after the commit. It first plays the
// players' conditional moves, which may end the game. It then sets the clock, which may return an offered seat to its
// player. Last, it adds to the statistics and raises the version.
func (d *draft) finish() (storage.Change, *Snapshot, error) {
	if err := d.follow(); err != nil {
		return storage.Change{}, nil, err
	}
	if err := d.schedule(); err != nil {
		return storage.Change{}, nil, err
	}
	conducted, err := d.account()
	if err != nil {
		return storage.Change{}, nil, err
	}
	change := d.change()
	change.Conduct = conducted
	return change, d.snapshot(), nil
}

// change updates the head from the match and the events, and returns the change to commit. Only finish calls it, after
// follow, schedule and account.
func (d *draft) change() storage.Change {
	d.Version++
	d.Changed = d.now
	d.ToMove = games.Nobody
	if d.match != nil {
		if d.match.Len() != d.Plays || d.Digest == "" {
			d.Board, d.Plays, d.Digest = d.Version, d.match.Len(), d.match.Digest()
		}
		if d.Status == Over && (d.before == nil || d.before.Status != Over) {
			d.Board = d.Version
		}
		d.ToMove = d.match.ToMove()
	}
	if slices.ContainsFunc(d.events, func(e Event) bool {
		return e.Kind == storage.Opened || e.Kind == storage.Chosen
	}) {
		d.Board = d.Version
	}
	d.Events += uint64(len(d.events))
	for i := range d.events {
		d.events[i].Version = d.Version
	}
	return storage.Change{Key: d.by.Key, Head: d.Head, Detail: d.detail, Events: d.events, Result: d.result,
		Alone: d.first, Pairing: d.pairing, Limits: d.limits, Fence: d.fence}
}

// account returns what the draft adds to the statistics of how people play.
func (d *draft) account() ([]storage.Conducted, error) {
	lost := slices.ContainsFunc(d.events, func(e Event) bool {
		return e.Kind == storage.Taken || e.Kind == storage.Removed
	})
	if d.Guild == "" || d.before == nil || d.before.Status != Playing || d.result == nil && !lost {
		return nil, nil
	}
	stored, err := d.stored()
	if err != nil {
		return nil, err
	}
	closed := d.Ending == games.Abandoned && d.endedBy == "" &&
		slices.ContainsFunc(d.events, func(e Event) bool { return e.Kind == storage.Idle })
	return conduct.Added(stored,
		conduct.Step{Events: d.events, Seats: d.Seats, Over: d.result != nil, Ending: d.Ending, Closed: closed},
		func(user string, from, to Stamp, pauses []storage.Span) (time.Duration, error) {
			settings, err := d.settings()
			if err != nil {
				return 0, err
			}
			c, err := d.choices.Conditions(d.ctx, d.Guild, settings, user)
			return c.Elapsed(from, to, pauses), err
		})
}

// cost returns how many acts a user's command counts as: 0 if it adds plays, such as moves, or is not published.
func (d *draft) cost() float64 {
	switch {
	case d.by.User == "" || d.keep == keepUnpublished || d.Plays > d.before.Plays:
		return 0
	case d.Plays < d.before.Plays && !d.before.IsSolo():
		return acts.UndoCost
	}
	return 1
}

// unchanged reports whether a change without a command leaves everything as it was.
func (d *draft) unchanged(c storage.Change) bool {
	head := c.Head
	head.Version, head.Changed = d.before.Version, d.before.Changed
	return len(c.Events) == 0 && len(c.Conduct) == 0 && c.Result == nil &&
		(c.Detail == nil || reflect.DeepEqual(*c.Detail, d.before.detail)) && reflect.DeepEqual(head, d.before.Head)
}
