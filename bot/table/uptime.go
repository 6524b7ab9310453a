package table

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
	// beatPause is the time between two notes that the bot is up; a stop writes one, too.
	beatPause = 5 * time.Minute
	// maxDowntimes bounds the downtimes that are remembered; the oldest are forgotten first.
	maxDowntimes = 500
	// shortDowntime is what is not worth noting: how long a connection takes to come back.
	shortDowntime = 10 * time.Second
)

// uptime knows whether the players can reach the bot, and notes when they could not: clocks stand
// then.
type uptime struct {
	store uptimeStore
	clock timesource.Clock
	log   *slog.Logger
	ctx   context.Context
	owned *ownership

	mu     sync.Mutex
	noted  storage.Uptime
	read   bool // from the store
	online bool
}

func newUptime(ctx context.Context, store uptimeStore, owned *ownership, clock timesource.Clock,
	log *slog.Logger) *uptime {
	return &uptime{ctx: ctx, store: store, owned: owned, clock: clock, log: log, online: true}
}

// start notes the time since the bot was last known to be up as downtime.
func (u *uptime) start() {
	u.mu.Lock()
	err := u.load()
	u.mu.Unlock()
	if err != nil {
		u.log.Error("the bot's downtime cannot be read; clocks are not credited for it", "error", err)
	}
	u.credit()
}

func (u *uptime) up() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.online
}

// setOnline says whether the players can reach the bot.
func (u *uptime) setOnline(online bool) {
	was := u.up()
	if !was && online {
		u.credit() // before anything can fall due
	}
	u.mu.Lock()
	u.online = online
	u.mu.Unlock()
	if was && !online {
		u.beatNow()
	}
}

func (u *uptime) now() Stamp { return storage.At(u.clock.Now()) }

// credit notes the time since the bot was last up as downtime.
func (u *uptime) credit() {
	now := u.now()
	u.mu.Lock()
	// While others are up, players can play, but for those whose process lost its connection.
	if n := &u.noted; u.read && n.Alive != 0 && (!u.online || u.owned.alone()) &&
		now-n.Alive > Stamp(shortDowntime.Milliseconds()) {
		down := clock.Merge(append(append([]clock.Span(nil), n.Down...), clock.Span{From: n.Alive, To: now}))
		n.Down = down[max(0, len(down)-maxDowntimes):]
	}
	u.noted.Alive = 0
	u.mu.Unlock()
	u.beat()
}

// beat notes that the bot is up, if it is time for that.
func (u *uptime) beat() {
	now := u.now()
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.load() != nil || now-u.noted.Alive < Stamp(beatPause.Milliseconds()) {
		return
	}
	u.noted.Alive = now
	u.save()
}

// beatNow notes that the bot is up: for the last time before it stops or loses its connection, or
// to see whether the store takes anything.
func (u *uptime) beatNow() error {
	now := u.now()
	u.mu.Lock()
	defer u.mu.Unlock()
	u.noted.Alive = now
	return u.save()
}

// load reads what is stored once, so that what is noted early takes nothing away that was stored
// before; the lock is held.
func (u *uptime) load() error {
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

// save stores what is noted; the lock is held.
func (u *uptime) save() error {
	if !u.read {
		return nil // what is stored is worth more
	}
	// another process may have noted more
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

// downtimes are the times during which the bot was down.
func (u *uptime) downtimes() []clock.Span {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.noted.Down
}
