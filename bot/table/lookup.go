package table

import (
	"context"
	"errors"
	"slices"
	"time"

	"marque/bot/choices"
	"marque/bot/table/clock"
	"marque/games"
	"marque/storage"
)

// Lookup finds tables.
type Lookup struct {
	tables *tables
}

// Now returns the time of the service's clock.
func (l *Lookup) Now() time.Time { return l.tables.clock.Now() }

// Snapshot returns the present version of a table, from memory if it was used recently. It returns storage.ErrNoTable
// or a *FrozenError.
func (l *Lookup) Snapshot(ctx context.Context, id ID) (*Snapshot, error) {
	return l.tables.Snapshot(ctx, id)
}

// Head returns the small part of a table, as stored. It returns storage.ErrNoTable, or storage.ErrDamaged.
func (l *Lookup) Head(ctx context.Context, id ID) (Head, error) { return l.tables.store.Head(ctx, id) }

// InChannel lists the unfinished tables of a channel, the oldest first, at most listLimit.
func (l *Lookup) InChannel(ctx context.Context, channel string) ([]Head, error) {
	return l.tables.store.ByChannel(ctx, channel, storage.Active, 0, listLimit)
}

// ByGuild lists at most limit tables of a server: the unfinished ones, the oldest first, or the finished ones, the
// latest first. after is the last table of the previous page; 0 for the first page.
func (l *Lookup) ByGuild(ctx context.Context, guild string, phase storage.Phase, after ID, limit int) ([]Head, error) {
	return l.tables.store.ByGuild(ctx, guild, phase, after, min(limit, listLimit))
}

// EachOfGuild calls f for all unfinished tables of a server, the oldest first, until f returns an error. It ignores
// errors that say that a table is frozen, deleted or over.
func (l *Lookup) EachOfGuild(ctx context.Context, guild string, f func(Head) error) error {
	return l.tables.eachOfGuild(ctx, guild, f)
}

// EachOfUser calls f for all tables in a phase at which a user has a seat, until f returns an error.
func (l *Lookup) EachOfUser(ctx context.Context, user string, phase storage.Phase, f func(Head) error) error {
	return l.tables.eachOfUser(ctx, user, phase, f)
}

// ByUser lists the tables at which a user has a seat, on all servers, in the order of ByGuild.
func (l *Lookup) ByUser(ctx context.Context, user string, phase storage.Phase, after ID, limit int) ([]Head, error) {
	return l.tables.store.ByUser(ctx, user, phase, after, min(limit, listLimit))
}

// MyTurn lists the tables that wait for a user, on all servers, the longest wait first, at most listLimit. A paused
// table waits for nobody.
func (l *Lookup) MyTurn(ctx context.Context, user string) ([]Head, error) {
	turns, err := l.tables.store.Turns(ctx, user, listLimit)
	if err != nil {
		return nil, err
	}
	mine := make([]Head, 0, len(turns))
	for _, t := range turns {
		h, err := l.tables.store.Head(ctx, t.Table)
		if errors.Is(err, storage.ErrNoTable) || errors.Is(err, storage.ErrDamaged) {
			continue // the table was deleted in the meantime, or is frozen
		}
		if err != nil {
			return nil, err
		}
		if h.Status == Playing && h.Paused == "" && h.ToMove == h.Seat(user) {
			mine = append(mine, h)
		}
	}
	return mine, nil
}

// NextTurn returns the table to which a user should go after a move at the table but: the one that has waited longest,
// preferably on the server guild. waiting is the number of tables, except but, that wait for the user, up to listLimit.
// If it is 0, next is empty.
func (l *Lookup) NextTurn(ctx context.Context, user, guild string, but ID) (next Head, waiting int, err error) {
	turns, err := l.tables.store.Turns(ctx, user, listLimit)
	if err != nil {
		return Head{}, 0, err
	}
	turns = slices.DeleteFunc(turns, func(t storage.Turn) bool { return t.Table == but })
	if len(turns) == 0 {
		return Head{}, 0, nil
	}
	here := slices.IndexFunc(turns, func(t storage.Turn) bool { return t.Guild == guild })
	next, err = l.tables.store.Head(ctx, turns[max(0, here)].Table)
	return next, len(turns), err
}

// mostWaiting is the maximum number of tables that Waiting returns.
const mostWaiting = 100

// Waiting returns at most a hundred tables that wait for a user: first the tables that wait for a move or an answer to
// a proposal, the oldest first, then the invitations. It leaves out games in which only the user and computers are
// left.
func (l *Lookup) Waiting(ctx context.Context, user string) (list []*Snapshot, err error) {
	add := func(id ID, waits func(*Snapshot) bool) error {
		snap, err := l.tables.Snapshot(ctx, id)
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
	err = l.tables.eachOfUser(ctx, user, storage.Active, func(h Head) error {
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
	named, err := l.tables.store.Naming(ctx, user)
	for _, id := range named {
		err = errors.Join(err, add(id, func(snap *Snapshot) bool {
			return snap.Status == Lobby && slices.Contains(snap.detail.Invited, user)
		}))
	}
	return list, err
}

// RematchOf returns the oldest unfinished rematch of a table; nil if there is none.
func (l *Lookup) RematchOf(ctx context.Context, old *Snapshot) (*Snapshot, error) {
	id, err := l.tables.store.RematchOf(ctx, old.ID)
	if err != nil || id == 0 {
		return nil, err
	}
	return l.Snapshot(ctx, id)
}

// LastInChannel returns the finished table of a channel that was opened last; 0 if none has finished.
func (l *Lookup) LastInChannel(ctx context.Context, channel string) (ID, error) {
	heads, err := l.tables.store.ByChannel(ctx, channel, storage.Finished, 0, 1)
	if err != nil || len(heads) == 0 {
		return 0, err
	}
	return heads[0].ID, nil
}

// Note returns the note that the Publisher returned when it last published the table. It has the id of the message that
// shows the table's latest board, or its lobby, for links.
func (l *Lookup) Note(ctx context.Context, id ID) (string, error) {
	t, err := l.tables.store.News(ctx, id)
	return t.Note, err
}

// Deadline returns when the player to move will run out of time, and whether a clock runs at all. s are the settings of
// the table's server.
func (l *Lookup) Deadline(ctx context.Context, h Head, s choices.Settings) (time.Time, bool, error) {
	if h.Timing.Since == 0 || h.Status != Playing {
		return time.Time{}, false, nil
	}
	c, err := l.conditions(ctx, h, s, h.ToMove)
	if err != nil {
		return time.Time{}, false, err
	}
	at := c.Deadline(h)
	return at.Time(), at != 0, nil
}

// Left returns how much time a seat has left for its decisions: its bank, overtime, or the time per move. For the seat
// to move, the time used so far is subtracted. s are the settings of the table's server.
func (l *Lookup) Left(ctx context.Context, h Head, s choices.Settings, seat games.Seat) (time.Duration, error) {
	c, err := l.conditions(ctx, h, s, seat)
	return c.Left(h, seat, l.tables.now()), err
}

func (l *Lookup) conditions(ctx context.Context, h Head, s choices.Settings,
	seat games.Seat) (clock.Conditions, error) {
	c, err := l.tables.choices.Conditions(ctx, h.Guild, s, holder(h, seat).User)
	return whileUnpublished(c, h.Timing, l.tables.now()), err
}
