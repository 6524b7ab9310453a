// Package uptime monitors whether the players can reach the bot, and records the times when they cannot.
package uptime

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"marque/bot/table/clock"
	"marque/bot/timesource"
	"marque/storage"
)

const (
	// beatPause is the minimum time between two regular records that the bot is up. credit and BeatNow make further
	// records.
	beatPause = 5 * time.Minute
	// maxDowntimes is the maximum number of remembered downtimes. The oldest are forgotten first.
	maxDowntimes = 500
	// shortDowntime is the longest downtime that is not recorded. A lost connection can take that long to come back.
	shortDowntime = 10 * time.Second
)

// Store keeps the bot's downtimes, and the time at which it was last known to be up.
type Store interface {
	Uptime(ctx context.Context) (storage.Uptime, error)
	ChangeUptime(ctx context.Context, change func(storage.Uptime) storage.Uptime) error
}

// Uptime monitors whether the players can reach the bot, and records the downtimes, during which clocks are stopped.
type Uptime struct {
	store Store
	clock timesource.Clock
	log   *slog.Logger
	ctx   context.Context
	alone func() bool

	mu     sync.Mutex
	noted  storage.Uptime
	read   bool // whether the stored times have been read
	online bool
}

// New returns an Uptime that has not read the store. alone reports whether no other process serves the same players.
func New(ctx context.Context, store Store, alone func() bool, clock timesource.Clock, log *slog.Logger) *Uptime {
	return &Uptime{ctx: ctx, store: store, alone: alone, clock: clock, log: log, online: true}
}

// Start records the time since the bot was last known to be up as downtime, under the conditions of credit.
func (u *Uptime) Start() {
	u.mu.Lock()
	err := u.load()
	u.mu.Unlock()
	if err != nil {
		u.log.Error("the bot's downtime cannot be read; clocks are not credited for it", "error", err)
	}
	u.credit()
}

// Up reports whether the players can reach the bot.
func (u *Uptime) Up() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.online
}

// SetOnline records whether the players can reach the bot.
func (u *Uptime) SetOnline(online bool) {
	was := u.Up()
	if !was && online {
		u.credit() // the downtime must be known before anything can fall due
	}
	u.mu.Lock()
	u.online = online
	u.mu.Unlock()
	if was && !online {
		u.BeatNow()
	}
}

func (u *Uptime) now() storage.Stamp { return storage.At(u.clock.Now()) }

// credit records the time since the bot was last known to be up as downtime, unless that time is short or players could
// use another process.
func (u *Uptime) credit() {
	now := u.now()
	u.mu.Lock()
	// While other processes are up, players can play, except those whose process has lost its connection.
	if n := &u.noted; u.read && n.Alive != 0 && (!u.online || u.alone()) &&
		now-n.Alive > storage.Stamp(shortDowntime.Milliseconds()) {
		down := clock.Merge(append(append([]clock.Span(nil), n.Down...), clock.Span{From: n.Alive, To: now}))
		n.Down = down[max(0, len(down)-maxDowntimes):]
	}
	u.noted.Alive = 0
	u.mu.Unlock()
	u.Beat()
}

// Beat records that the bot is up, if beatPause has passed since the last record.
func (u *Uptime) Beat() {
	now := u.now()
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.load() != nil || now-u.noted.Alive < storage.Stamp(beatPause.Milliseconds()) {
		return
	}
	u.noted.Alive = now
	u.save()
}

// BeatNow records that the bot is up, once the stored times have been read. It is called when the bot stops or loses
// its connection, and to test the store. It returns the store's error.
func (u *Uptime) BeatNow() error {
	now := u.now()
	u.mu.Lock()
	defer u.mu.Unlock()
	u.noted.Alive = now
	return u.save()
}

// load reads the stored times once, so that an early record overwrites none of them. The caller holds the lock.
func (u *Uptime) load() error {
	if u.read {
		return nil
	}
	stored, err := u.store.Uptime(u.ctx)
	if err != nil {
		return err
	}
	u.noted, u.read = stored, true
	return nil
}

// save stores the recorded times. The caller holds the lock.
func (u *Uptime) save() error {
	if !u.read {
		return nil // do not overwrite stored times that have not been read
	}
	// Another process may have recorded further downtimes.
	err := u.store.ChangeUptime(u.ctx, func(stored storage.Uptime) storage.Uptime {
		down := clock.Merge(slices.Concat(stored.Down, u.noted.Down))
		u.noted.Down = down[max(0, len(down)-maxDowntimes):]
		return u.noted
	})
	if err != nil && u.ctx.Err() == nil {
		u.log.Warn("it could not be noted that the bot is up", "error", err)
	}
	return err
}

// Downtimes returns the recorded times during which the bot was down.
func (u *Uptime) Downtimes() []clock.Span {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.noted.Down
}
