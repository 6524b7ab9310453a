package table

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"marque/bot/table/clock"
	"marque/bot/table/uptime"
	"marque/bot/timesource"
	"marque/games"
	"marque/storage"
)

const (
	// sweepPause is the time between two sweeps, unless poke is called.
	sweepPause = 15 * time.Second
	// lostPause replaces sweepPause while the store cannot be read, so that waiting work continues soon after the store
	// is back.
	lostPause = 5 * time.Second
	// sweepPage is the number of entries of the due index in each read, besides those that are skipped.
	sweepPage = 64
	// failPause is the pause before due work that failed is tried again.
	failPause = 10 * time.Minute
	// mostFinds is the maximum number of consecutive times that the sweeper computes the due work of a table that keeps
	// changing.
	mostFinds = 3
	// maxFailing is the maximum number of failing tables, and of other processes' tables, that the sweeper remembers.
	maxFailing = 10_000
)

// sweeper carries out due work. It reads the store's due index in one goroutine. While the bot is offline nothing falls
// due.
type sweeper struct {
	due      func(ctx context.Context, until Stamp, limit int) ([]storage.DueTable, error)
	carryOut func(ctx context.Context, due storage.DueTable) error

	rooms *rooms // their Sweep hooks are called in each sweep

	uptime *uptime.Uptime
	clock  timesource.Clock
	log    *slog.Logger

	lost    bool        // whether the store cannot be reached; only the sweeper's goroutine uses it
	refused atomic.Bool // whether a commit failed for an unknown reason since the store was last tried
	back    func()      // called when the store can be reached again after a failure
	rethink func()      // called after back, and after a failed commit when the store works

	ctx    context.Context
	cancel context.CancelFunc
	wake   chan struct{}
	wg     sync.WaitGroup

	mu        sync.Mutex       // guards elsewhere and failing; only the sweeper's goroutine changes failing
	failing   map[ID]time.Time // time of the next attempt, by table
	elsewhere map[ID]time.Time // time of the next check of a table of another process
}

// start starts the sweeper. It calls polled at each round, also while the bot is offline and nothing is swept.
func (w *sweeper) start(polled func()) {
	w.uptime.Start()
	w.wg.Go(func() {
		for w.ctx.Err() == nil {
			pause := sweepPause
			if w.lost {
				pause = lostPause
			}
			stop := w.clock.AfterFunc(pause, w.poke)
			polled()
			if w.uptime.Up() {
				w.uptime.Beat()
				w.sweep()
				w.rooms.sweep(w.ctx)
			}
			select {
			case <-w.wake:
			case <-w.ctx.Done():
			}
			stop()
		}
	})
}

func (w *sweeper) close() {
	if w.uptime.Up() {
		w.uptime.BeatNow()
	}
	w.cancel()
	w.wg.Wait()
}

func (w *sweeper) poke() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// sweep carries out due work, each due reason of a table once. If the same reason is due again immediately, it
// waits for the next sweep.
func (w *sweeper) sweep() {
	type moment struct {
		table ID
		kind  string
	}
	carriedOut := map[moment]bool{} // true if the work fell due again
	again := 0
	for w.ctx.Err() == nil {
		now := w.clock.Now()
		skipped := w.skipped(now)
		tried := w.refused.Swap(false)
		list, err := w.due(w.ctx, storage.At(now), sweepPage+dueKinds*skipped+again)
		if err == nil && tried {
			err = w.uptime.BeatNow()
		}
		if err != nil {
			if tried {
				w.refused.Store(true)
			}
			if w.ctx.Err() == nil && !errors.Is(err, storage.ErrClosed) {
				if !w.lost {
					w.log.Error("the store cannot be reached; trying again until it can", "error", err)
				}
				w.lost = true
			}
			return
		}
		if w.lost {
			w.lost = false
			w.mu.Lock()
			clear(w.failing)
			w.mu.Unlock()
			w.back()
			tried = true
		}
		if tried {
			w.rethink()
		}
		worked := false
		for _, due := range list {
			if _, fails := w.failing[due.Table]; fails || w.left(due.Table) {
				continue
			}
			at := moment{due.Table, due.Kind}
			if counted, was := carriedOut[at]; was {
				if !counted {
					carriedOut[at], worked = true, true // the next page must be longer by this entry
					again++
				}
				continue
			}
			carriedOut[at], worked = false, true
			if err := w.carryOut(w.ctx, due); err != nil && w.ctx.Err() == nil && !w.putOff(due, now, err) {
				return
			}
		}
		if !worked {
			return
		}
	}
}

// skipped returns how many tables are skipped for now, because an attempt has failed recently or another process serves
// them.
func (w *sweeper) skipped(now time.Time) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	past := func(_ storage.ID, until time.Time) bool { return !until.After(now) }
	maps.DeleteFunc(w.failing, past)
	maps.DeleteFunc(w.elsewhere, past)
	return len(w.failing) + len(w.elsewhere)
}

// putOff skips a table for a while after a failure. It reports whether to continue with other tables.
func (w *sweeper) putOff(due storage.DueTable, now time.Time, err error) bool {
	switch {
	case errors.Is(err, ErrNotOwner):
		return w.leave(due.Table, now.Add(elsewherePause))
	case errors.Is(err, ErrClosing):
		return false
	}
	w.log.Error("what is due at a table could not be carried out; trying again later",
		"table", due.Table.String(), "what", due.Kind, "error", err)
	if len(w.failing) == maxFailing {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failing[due.Table] = now.Add(failPause)
	return true
}

// fallDue carries out due work at a table. It returns ErrNotOwner if another process serves the table.
func (u *upkeep) fallDue(ctx context.Context, due storage.DueTable) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("what is due panicked: %v\n%s", r, debug.Stack())
		}
	}()
	ours, err := u.tables.ours(ctx, due.Table)
	if err != nil {
		return err
	}
	if !ours {
		return ErrNotOwner
	}
	for range mostFinds {
		if err = u.decide(ctx, due); !errors.Is(err, storage.ErrStale) {
			break
		}
	}
	if errors.Is(err, storage.ErrNoTable) || errors.Is(err, storage.ErrStale) {
		return nil // the table is gone, or its latest commit has written its new due times
	}
	return err
}

// decide commits the due work at a table. It returns storage.ErrStale if the table changed in the meantime.
func (u *upkeep) decide(ctx context.Context, due storage.DueTable) error {
	found, err := u.find(ctx, due)
	if err != nil {
		return err
	}
	tryAgain := due.Kind == dueRetry || due.Kind == dueThink || due.Kind == dueCard || due.Kind == dueThread ||
		due.Kind == dueReport
	_, err = u.tables.edit(ctx, SystemActor, due.Table, func(d *draft) error {
		if found.version != 0 && found.version != d.Version {
			return storage.ErrStale
		}
		d.keep = keepAll // commit in any case, to recompute the due times
		if tryAgain {
			d.keep = keepUnpublished // poke queues the work after this commit, below
			d.Tries++
		}
		if due.Kind == dueRetry && d.Retry.At <= d.now {
			d.Retry.At = 0
		}
		if d.Status == Over {
			return nil
		}
		if found.late != 0 {
			d.stand(found.late)
		} else if found.told { // all events are published, so the clock runs again
			if err := d.goOn(); err != nil {
				return err
			}
		}
		c, err := d.conditions(holder(d.Head, d.ToMove).User)
		if err != nil {
			return err
		}
		return decideDue(d, due.Kind, c, found.standIn)
	})
	if err == nil && tryAgain {
		u.queue.poke(due.Table)
	}
	return err
}

// decideDue carries out due work at a table: a player's time has run out, a reminder is due, or an idle table must be
// closed or its closing be announced. It does nothing during an outage of the server, or while unsent messages stop
// the clock.
func decideDue(d *draft, kind string, c clock.Conditions, standIn string) error {
	if c.Outage {
		return nil
	}
	switch kind {
	case dueClock:
		if at := c.Deadline(d.Head); at != 0 && at <= d.now {
			return carryOutLate(d, standIn)
		}
	case dueRemind:
		if d.Status == Playing && d.Timing.Since != 0 {
			remind(d, c)
		}
	case dueIdle:
		return closeIdle(d, c)
	}
	return nil
}

// findings are values on which the due work of a table depends. They are computed outside the table's lock, and are
// valid for one version, which is 0 if there are none.
type findings struct {
	version uint64
	late    Stamp  // time of the oldest unpublished event, if it is late
	told    bool   // all events are published
	standIn string // the move that a computer would play for a player who is late; "" for none
}

// find returns the findings for work that falls due because of the clock, a reminder or idleness. Other work needs
// none.
func (u *upkeep) find(ctx context.Context, due storage.DueTable) (findings, error) {
	if due.Kind != dueClock && due.Kind != dueRemind && due.Kind != dueIdle {
		return findings{}, nil
	}
	snap, err := u.tables.Snapshot(ctx, due.Table)
	if err != nil || snap.Status != Playing {
		return findings{}, err
	}
	late, waits, err := u.outbox.late(ctx, snap, 0, u.tables.now())
	switch {
	case errors.Is(err, storage.ErrStale): // a user's data has just been deleted
		waits = true
	case err != nil:
		return findings{}, err
	}
	f := findings{version: snap.Version, late: late, told: !waits}
	if due.Kind == dueClock {
		f.standIn, err = u.findSubstitute(ctx, snap)
	}
	return f, err
}

// findSubstitute makes the computer choose a move, outside the table's lock, if the table's rule for late players needs
// one.
func (u *upkeep) findSubstitute(ctx context.Context, snap *Snapshot) (notation string, err error) {
	if u.substitute == nil || snap.Timing.Rule.Late != storage.LateComputer {
		return "", nil
	}
	settings, err := u.choices.Settings(ctx, snap.Guild)
	if err != nil {
		return "", err
	}
	c, err := u.choices.Conditions(ctx, snap.Guild, settings, snap.Mover())
	if err != nil {
		return "", err
	}
	if at := c.Deadline(snap.Head); at == 0 || at > u.tables.now() {
		return "", nil
	}
	notation, _ = u.substitute(ctx, snap, snap.ToMove)
	return notation, nil
}

// carryOutLate applies the table's rule for a player whose time has run out.
func carryOutLate(d *draft, standIn string) error {
	seat := d.ToMove
	how := d.Timing.Rule.Late
	if how == storage.LateComputer && standIn == "" {
		how = storage.LateOffer
	}
	d.add(storage.TimedOut, seat, "", string(how))
	switch how {
	case storage.LateForfeit:
		return d.resign(seat)
	case storage.LateComputer:
		move, err := games.FindMove(d.match.State(), standIn)
		if err != nil {
			return err
		}
		if err := d.play(storage.Played, move); err != nil {
			return err
		}
		return d.carryOn()
	}
	d.Timing.Out = true
	d.Open |= 1 << uint(seat)
	return nil
}

// remind reminds the player to move, if a reminder is due.
func remind(d *draft, c clock.Conditions) {
	at, call := c.Reminder(d.Head, d.now)
	if at == 0 || at > d.now {
		return
	}
	d.Timing.Last = d.now
	step := lastCall
	if call {
		d.Timing.Called = true
	} else {
		d.Timing.Reminded++
		step = strconv.Itoa(d.Timing.Reminded)
	}
	d.add(storage.Reminded, d.ToMove, "", step)
}

// closeIdle announces that an idle table will be closed, or closes it. In a staked game in which a person is to
// move, it makes that person resign instead of closing the table.
func closeIdle(d *draft, c clock.Conditions) error {
	warn, end := c.Closing(d.Head, c.Deadline(d.Head))
	switch {
	case warn != 0 && warn <= d.now:
		d.Timing.Closing = max(end, d.now+Stamp(clock.IdleNotice.Milliseconds()))
		d.add(storage.IdleSoon, games.Nobody, "", strconv.FormatInt(int64(d.Timing.Closing), 10))
	case warn == 0 && end <= d.now:
		d.add(storage.Idle, games.Nobody, "", "")
		if d.Status == Playing && d.snapshot().Staked() && holder(d.Head, d.ToMove).User != "" {
			return d.resign(d.ToMove)
		}
		return d.end(games.Abandoned)
	}
	return nil
}

// elsewherePause is the time before due work at another process's table is checked again.
const elsewherePause = time.Minute

// returned makes the sweeper check due work again that belonged to another process.
func (w *sweeper) returned() {
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.elsewhere)
}

// leave records that the due work of a table belongs to another process. It reports whether there was room for the
// record.
func (w *sweeper) leave(id ID, until time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.elsewhere) >= maxFailing {
		return false
	}
	w.elsewhere[id] = until
	return true
}

// left reports whether leave has recorded that a table belongs to another process.
func (w *sweeper) left(id ID) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, is := w.elsewhere[id]
	return is
}
