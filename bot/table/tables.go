package table

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"marque/bot/choices"
	"marque/bot/keylock"
	"marque/bot/table/acts"
	"marque/bot/timesource"
	"marque/games"
	"marque/games/fair"
	"marque/games/text"
	"marque/storage"
)

// commit describes a commit at a table to its observers.
type commit struct {
	before, after Head // before has no seats for a new table; after has only the id if the commit failed
	events        []Event
	told          bool // no work follows the commit, or the committer does it
}

// tables loads tables from the store, keeps them in memory, and makes the commands at each table wait for each other.
type tables struct {
	*ownership
	store     Store
	games     func(key string) (games.Game, bool)
	log       *slog.Logger
	clock     timesource.Clock
	choices   *choices.Service
	computers bool // computer players can choose moves
	locks     *keylock.Locks[ID]
	cache     *cache
	gate      *gate
	frozen    *frozenSet
	acts      *acts.Counter
	// publish is called after every commit, and after a failed commit at an existing table, under the table's lock.
	// The call for a new table is made without a lock, and can come after the call for its next version. publish must
	// be quick.
	publish func(commit)
	rooms   *rooms
}

func (t *tables) now() Stamp { return storage.At(t.clock.Now()) }

// logged reports an error to the operator.
func (t *tables) logged(ctx context.Context, msg string, id ID, err error) {
	logTable(ctx, t.log, msg, id, err)
}

func logTable(ctx context.Context, log *slog.Logger, msg string, id ID, err error) {
	log.ErrorContext(ctx, msg, slog.String("table", id.String()), slog.Any("error", err))
}

// Snapshot returns the present version of a table, from memory if it was used recently. It returns storage.ErrNoTable
// or a *FrozenError.
func (t *tables) Snapshot(ctx context.Context, id ID) (*Snapshot, error) {
	if snap := t.remembered(id); snap != nil {
		return snap, nil
	}
	unlock, err := t.locks.Lock(ctx, id)
	if err != nil {
		return nil, err
	}
	defer unlock()
	return t.load(ctx, id)
}

// load does the same as Snapshot for a caller that holds the table's lock.
func (t *tables) load(ctx context.Context, id ID) (*Snapshot, error) {
	if snap := t.remembered(id); snap != nil {
		return snap, nil
	}
	clears := t.cache.cleared()
	stored, err := t.store.Load(ctx, id)
	if errors.Is(err, storage.ErrNoTable) {
		return nil, t.refuseMissing(ctx, id)
	}
	if err != nil {
		return nil, t.undamaged(ctx, id, RefuseStored(err, id))
	}
	snap, err := t.replay(ctx, stored)
	if err != nil {
		return nil, err
	}
	t.remember(snap, clears)
	return snap, nil
}

// refuseMissing returns the refusal for a table that does not exist, or no longer exists.
func (t *tables) refuseMissing(ctx context.Context, id ID) error {
	list, err := t.store.Restorations(ctx)
	if err != nil {
		return err
	}
	if r, lost := storage.LostBy(list, id); lost {
		return refuseLost(id, r)
	}
	return refuseNoTable(id)
}

// RefuseStored turns a *storage.LimitError, storage.ErrNoTable and storage.ErrStale into refusals, and
// storage.ErrNotOwner into ErrNotOwner. It returns other errors unchanged.
func RefuseStored(err error, id ID) error {
	beyond := (*storage.LimitError)(nil)
	switch {
	case errors.As(err, &beyond):
		return refuseLimit(beyond.Limit)
	case errors.Is(err, storage.ErrNoTable):
		return refuseNoTable(id)
	case errors.Is(err, storage.ErrStale):
		return refuseStale()
	case errors.Is(err, storage.ErrNotOwner):
		return ErrNotOwner
	}
	return err
}

// replay plays the log of a stored table and checks that it leads to the stored position. If it cannot play the log, or
// the position differs, it returns a *FrozenError.
func (t *tables) replay(ctx context.Context, stored storage.Table) (*Snapshot, error) {
	freeze := func(err error) (*Snapshot, error) {
		e := &FrozenError{Table: stored.Head.ID, Err: err}
		t.frozen.add(e.Table)
		t.logged(ctx, "a table is frozen: its log and its position disagree; nothing was changed", e.Table, e)
		return nil, e
	}
	g, ok := t.games(stored.Head.Game)
	if !ok {
		return freeze(fmt.Errorf("this program has no game %q", stored.Head.Game))
	}
	snap := &Snapshot{Head: stored.Head, detail: stored.Detail, game: g}
	if stored.Head.Digest == "" {
		return snap, nil
	}
	if v := stored.Detail.Rules; v != g.Version() {
		return freeze(fmt.Errorf("played by version %d of the rules, here is version %d", v, g.Version()))
	}
	if v := stored.Detail.Fairness; v != fair.Version {
		return freeze(fmt.Errorf("drawn by version %d of the fairness, here is version %d", v, fair.Version))
	}
	log, before := storage.Logs(stored.Events)
	snap.takenBack = before[max(0, len(before)-maxTakenBack):]
	m, err := games.Replay(g, header(stored.Head, stored.Detail), log)
	if err != nil {
		return freeze(err)
	}
	if stored.Head.Ending == games.Agreed || stored.Head.Ending == games.Abandoned {
		if err := m.End(stored.Head.Ending); err != nil {
			return freeze(err)
		}
	}
	switch {
	case m.Len() != stored.Head.Plays || m.Digest() != stored.Head.Digest:
		return freeze(fmt.Errorf("the log leads to position %s after %d plays, stored is %s after %d", m.Digest(),
			m.Len(), stored.Head.Digest, stored.Head.Plays))
	case m.ToMove() != stored.Head.ToMove || m.Over() != (stored.Head.Status == Over):
		return freeze(fmt.Errorf("the log leaves seat %d to move, stored is %d", m.ToMove(), stored.Head.ToMove))
	}
	snap.match = m
	return snap, nil
}

// undamaged turns a storage.ErrDamaged into a *FrozenError for the table. It returns other errors unchanged.
func (t *tables) undamaged(ctx context.Context, id ID, err error) error {
	if errors.Is(err, storage.ErrDamaged) {
		t.frozen.add(id)
	}
	return freezeDamaged(ctx, t.log, id, err)
}

func freezeDamaged(ctx context.Context, log *slog.Logger, id ID, err error) error {
	if !errors.Is(err, storage.ErrDamaged) {
		return err
	}
	logTable(ctx, log,
		"a table is frozen: what is stored of it is damaged; nothing was changed. Stop the bot and see \"marque database repair\"", id, err)
	return &FrozenError{Table: id, Err: err}
}

// create opens a table of the game g. fill sets the head and the detail of its draft. If a table was already opened
// with the key (unless it is ""), or for the same game of a competition, create returns that table.
func (t *tables) create(ctx context.Context, by Actor, g games.Game, key string,
	fill func(*draft) error) (*Snapshot, error) {
	d := &draft{ctx: ctx, choices: t.choices, computers: t.computers, by: by, game: g, now: t.now()}
	if err := fill(d); err != nil {
		return nil, err
	}
	change, snap, err := d.finish()
	if err != nil {
		return nil, err
	}
	if by.User != "" {
		if err := t.act(by.User, d.Guild, 1); err != nil {
			return nil, err
		}
	}
	change.Key = key
	clears := t.cache.cleared()
	id, err := t.store.Create(ctx, change)
	if done := (*storage.DoneError)(nil); errors.As(err, &done) {
		return t.Snapshot(ctx, done.Table)
	}
	if busy := (*storage.BusyError)(nil); errors.As(err, &busy) {
		err = Refuse(ErrChannelBusy, text.M("table.error.channel-busy", "Table", busy.Table.String()))
	}
	if err != nil {
		return nil, RefuseStored(err, 0)
	}
	snap.ID = id
	t.remember(snap, clears)
	t.publish(commit{after: snap.Head, events: change.Events})
	return snap, nil
}

// edit runs f on a draft of the table, under its lock, and commits the changes if f added an event or set keep. It
// commits nothing if a change without a key leaves the table as it was. After storage.ErrStale, it reads the table
// again and repeats f once.
func (t *tables) edit(ctx context.Context, by Actor, id ID, f func(*draft) error) (*Snapshot, error) {
	if err := t.gate.enter(); err != nil {
		return nil, err
	}
	defer t.gate.leave()
	unlock, err := t.locks.Lock(ctx, id)
	if err != nil {
		return nil, err
	}
	defer unlock()
	now := t.now()
	snap, err := t.change(ctx, by, id, now, f)
	if errors.Is(err, storage.ErrStale) {
		t.cache.drop(id) // another process may have changed the table, or a user's data was deleted
		return t.change(ctx, by, id, now, f)
	}
	return snap, err
}

// change does the same as edit for a caller that holds the table's lock, but repeats nothing. It returns ErrNotOwner
// for SystemActor if this process does not serve the table.
func (t *tables) change(ctx context.Context, by Actor, id ID, now Stamp, f func(*draft) error) (*Snapshot, error) {
	snap, err := t.load(ctx, id)
	if err != nil {
		return nil, err
	}
	d := t.draft(ctx, by, snap, now)
	if by.system {
		var held bool
		if d.fence, held = t.fence(snap.Guild); !held {
			return nil, ErrNotOwner
		}
	}
	if err := f(d); err != nil {
		// The command may already have been carried out, which may be why f has refused it. A commit would detect this.
		if by.Key != "" {
			if done, derr := t.store.Done(ctx, id, by.Key, now); derr == nil && done != nil {
				return t.load(ctx, done.Table)
			}
		}
		return nil, err
	}
	if len(d.events) == 0 && d.keep == keepEvents {
		return snap, nil
	}
	change, next, err := d.finish()
	if err != nil {
		return nil, err
	}
	if by.Key == "" && d.unchanged(change) {
		return snap, nil
	}
	if cost := d.cost(); cost > 0 {
		if err := t.act(by.User, id.String(), cost); err != nil {
			return nil, err
		}
	}
	clears := t.cache.cleared()
	if err := t.store.Commit(ctx, change); err != nil {
		// Memory may be out of date, or may lack a commit whose outcome is unknown.
		t.cache.drop(id)
		done, refused := (*storage.DoneError)(nil), RefuseStored(err, id)
		isDone := errors.As(err, &done)
		// If the store gives no reason for a failure, it may have committed after all.
		t.publish(commit{before: snap.Head, after: Head{ID: id}, told: isDone || !errors.Is(refused, err)})
		if isDone {
			return t.load(ctx, id)
		}
		return nil, t.undamaged(ctx, id, refused)
	}
	t.remember(next, clears)
	t.publish(commit{snap.Head, next.Head, change.Events, d.keep == keepUnpublished})
	return next, nil
}

// act counts a user's act that notifies others at a place. It returns ErrTooSoon if that exceeds the limit.
func (t *tables) act(user, place string, cost float64) error {
	if until, ok := t.acts.Take(user, place, cost); !ok {
		return Refuse(ErrTooSoon, text.M("table.error.hasty", "When", text.Moment(until, text.Relative)))
	}
	return nil
}

// draft returns a draft of a table for a command.
func (t *tables) draft(ctx context.Context, by Actor, snap *Snapshot, now Stamp) *draft {
	d := newDraft(ctx, by, snap, now)
	d.choices, d.computers = t.choices, t.computers
	d.stored = func() (storage.Table, error) { return t.store.Load(ctx, snap.ID) }
	d.rooms = t.rooms
	return d
}

// retimeServer recomputes the due times of a server's unfinished tables.
func (t *tables) retimeServer(ctx context.Context, guild string) error {
	return t.eachOfGuild(ctx, guild, func(h Head) error { return t.retime(ctx, h) })
}

// retimeUser recomputes the due times of the tables at which a user is to move.
func (t *tables) retimeUser(ctx context.Context, user string) error {
	return t.eachOfUser(ctx, user, storage.Active, func(h Head) error {
		if h.Status != Playing || h.ToMove != h.Seat(user) {
			return nil
		}
		if err := t.retime(ctx, h); !IsFrozen(err) {
			return err
		}
		return nil
	})
}

// retime recomputes the due times of a table, unless it is over.
func (t *tables) retime(ctx context.Context, h Head) error {
	_, err := t.edit(ctx, Actor{}, h.ID, func(d *draft) error {
		if d.Status != Over {
			d.keep = keepAll
		}
		return nil
	})
	return err
}

// eachOfGuild calls f for all unfinished tables of a server, until f returns an error. It ignores errors that say that
// a table is frozen, deleted or over.
func (t *tables) eachOfGuild(ctx context.Context, guild string, f func(Head) error) error {
	list := func(after ID) ([]Head, error) { return t.store.ByGuild(ctx, guild, storage.Active, after, listLimit) }
	return eachHead(list, func(h Head) error {
		err := f(h)
		if err != nil && !IsFrozen(err) && !errors.Is(err, storage.ErrNoTable) && !errors.Is(err, ErrOver) {
			return err
		}
		return nil
	})
}

// eachOfUser calls f for all tables in a phase at which a user has a seat, until f returns an error.
func (t *tables) eachOfUser(ctx context.Context, user string, phase storage.Phase, f func(Head) error) error {
	list := func(after ID) ([]Head, error) { return t.store.ByUser(ctx, user, phase, after, listLimit) }
	return eachHead(list, f)
}

// eachHead calls f for all heads that list returns, page by page, until f returns an error.
func eachHead(list func(after ID) ([]Head, error), f func(Head) error) error {
	after := ID(0)
	for {
		heads, err := list(after)
		if err != nil {
			return err
		}
		for _, h := range heads {
			if err := f(h); err != nil {
				return err
			}
		}
		if len(heads) < listLimit {
			return nil
		}
		after = heads[len(heads)-1].ID
	}
}

// listLimit is the maximum number of tables in a list.
const listLimit = 1000

// IsFrozen reports whether err says that a table is frozen (*FrozenError).
func IsFrozen(err error) bool {
	var f *FrozenError
	return errors.As(err, &f)
}

// ours reports whether this process serves a table.
func (t *tables) ours(ctx context.Context, id ID) (bool, error) {
	if t.share == nil {
		return true, nil
	}
	h, err := t.store.Head(ctx, id)
	if errors.Is(err, storage.ErrNoTable) {
		return true, nil // the next use of the table returns that it does not exist
	}
	return err == nil && t.mine(h.Guild), err
}

// remembered returns a table from the cache, or nil if it is not there or may be older than the store.
func (t *tables) remembered(id ID) *Snapshot {
	snap := t.cache.get(id)
	if snap == nil || t.exclusive(snap.Guild) {
		return snap
	}
	t.cache.drop(id)
	return nil
}

// remember keeps a table in memory, if its server is exclusive to this process (Share.Exclusive), and neither clear nor
// drop of the cache was called since the table was read. clears is the value of cache.cleared before the read.
func (t *tables) remember(snap *Snapshot, clears uint64) {
	if t.exclusive(snap.Guild) {
		t.cache.put(snap, clears)
	}
}

// maxFrozen is the maximum number of remembered frozen tables.
const maxFrozen = 10_000

// frozenSet is the set of frozen tables found so far, up to maxFrozen.
type frozenSet struct {
	mu  sync.Mutex
	ids map[ID]struct{}
}

func newFrozenSet() *frozenSet { return &frozenSet{ids: map[ID]struct{}{}} }

func (f *frozenSet) add(id ID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.ids) < maxFrozen {
		f.ids[id] = struct{}{}
	}
}

func (f *frozenSet) has(id ID) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, ok := f.ids[id]
	return ok
}

func (f *frozenSet) len() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.ids)
}
