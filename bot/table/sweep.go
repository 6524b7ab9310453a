package table

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"marque/games"
	"marque/storage"
)

const (
	// sweepPause is how often the due index is looked at.
	sweepPause = 15 * time.Second
	// beatPause is how often it is noted that the bot is up, besides when it stops.
	beatPause = 5 * time.Minute
	// sweepPage is how many due moments are read at once.
	sweepPage = 64
	// maxDowntimes bounds the downtimes that are remembered; the oldest are forgotten first.
	maxDowntimes = 500
	// shortDowntime is what is not worth noting: how long a connection takes to come back.
	shortDowntime = 10 * time.Second
	// sickPause is how long a table is left alone whose due moment could not be carried out.
	sickPause = 10 * time.Minute
	// maxSick bounds the tables so remembered.
	maxSick = 10_000
)

// sweeper carries out what falls due: one goroutine that looks at the store's due index. While the bot is offline nothing falls due.
type sweeper struct {
	svc    *Service
	ctx    context.Context
	cancel context.CancelFunc
	wake   chan struct{}
	done   chan struct{}

	sick map[ID]time.Time // when a table is tried again

	mu      sync.Mutex
	life    life
	read    bool // the life was read from the store
	online  bool
	started bool
}

// life is what is stored of the bot's own times. It lies among the servers' settings under no server's name.
type life struct {
	Alive Stamp  `json:"alive"` // when the bot was last known to be up
	Down  []span `json:"down,omitempty"`
	Left  []left `json:"left,omitempty"` // the servers that the bot was removed from
}

// left is a server that the bot was removed from.
type left struct {
	Guild string `json:"guild"`
	At    Stamp  `json:"at"`
}

func newSweeper(s *Service) *sweeper {
	w := &sweeper{svc: s, online: true, sick: map[ID]time.Time{}, wake: make(chan struct{}, 1), done: make(chan struct{})}
	w.ctx, w.cancel = context.WithCancel(context.Background())
	return w
}

func (w *sweeper) start() {
	w.mu.Lock()
	w.started = true
	err := w.load()
	w.mu.Unlock()
	if err != nil {
		w.svc.log.Error("the bot's downtime cannot be read; clocks are not credited for it", "error", err)
	}
	w.credit()
	go func() {
		defer close(w.done)
		for w.ctx.Err() == nil {
			stop := w.svc.clock.AfterFunc(sweepPause, w.poke)
			if w.up() {
				w.beat()
				w.sweep()
				w.bury()
			}
			select {
			case <-w.wake:
			case <-w.ctx.Done():
			}
			stop()
		}
	}()
}

func (w *sweeper) close() {
	if w.up() {
		w.lastBeat()
	}
	w.cancel()
	w.mu.Lock()
	started := w.started
	w.mu.Unlock()
	if started {
		<-w.done
	}
}

func (w *sweeper) poke() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

func (w *sweeper) up() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.online
}

// SetOnline says whether the players can reach the bot. While they cannot, clocks stand and nobody is reminded.
func (s *Service) SetOnline(online bool) {
	w := s.sweeper
	was := w.up()
	if !was && online {
		w.credit() // before anything can fall due
	}
	w.mu.Lock()
	w.online = online
	w.mu.Unlock()
	if was && !online {
		w.lastBeat()
	}
	w.poke()
}

// credit notes the time since the bot was last up as downtime.
func (w *sweeper) credit() {
	now := w.svc.now()
	w.mu.Lock()
	if w.read && w.life.Alive != 0 && now-w.life.Alive > Stamp(shortDowntime.Milliseconds()) {
		down := merge(append(append([]span(nil), w.life.Down...), span{w.life.Alive, now}))
		w.life.Down = down[max(0, len(down)-maxDowntimes):]
	}
	w.life.Alive = 0
	w.mu.Unlock()
	w.beat()
}

// beat notes that the bot is up.
func (w *sweeper) beat() {
	now := w.svc.now()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.load() != nil || now-w.life.Alive < Stamp(beatPause.Milliseconds()) {
		return
	}
	w.life.Alive = now
	w.save()
}

// lastBeat notes that the bot is up for the last time before it stops or loses its connection.
func (w *sweeper) lastBeat() {
	now := w.svc.now()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.life.Alive = now
	w.save()
}

// load reads the life once, so that what is noted early takes nothing away that was stored before; the lock is held.
func (w *sweeper) load() error {
	if w.read {
		return nil
	}
	var stored life
	if err := w.svc.store.GuildSettings(w.ctx, "", &stored); err != nil {
		return err
	}
	w.life, w.read = stored, true
	return nil
}

// save stores the life; the lock is held.
func (w *sweeper) save() {
	if !w.read {
		return // what is stored is worth more
	}
	if err := w.svc.store.SetGuildSettings(w.ctx, "", w.life); err != nil && w.ctx.Err() == nil {
		w.svc.log.Warn("it could not be noted that the bot is up", "error", err)
	}
}

// downtimes are the times during which the bot was down.
func (s *Service) downtimes() []span {
	s.sweeper.mu.Lock()
	defer s.sweeper.mu.Unlock()
	return s.sweeper.life.Down
}

// sweep carries out everything that is due.
func (w *sweeper) sweep() {
	for w.ctx.Err() == nil {
		now := w.svc.clock.Now()
		for id, at := range w.sick {
			if !at.After(now) {
				delete(w.sick, id)
			}
		}
		list, err := w.svc.store.DueUntil(w.ctx, storage.At(now), sweepPage+dueKinds*len(w.sick))
		if err != nil {
			if w.ctx.Err() == nil && !errors.Is(err, storage.ErrClosed) {
				w.svc.log.Error("what is due cannot be read; trying again", "error", err)
			}
			return
		}
		worked := false
		for _, due := range list {
			if _, ill := w.sick[due.Table]; ill {
				continue
			}
			worked = true
			if err := w.svc.fallDue(w.ctx, due); err != nil && w.ctx.Err() == nil {
				if errors.Is(err, ErrClosing) {
					return
				}
				w.svc.log.Error("what is due at a table could not be carried out; trying again later", "table", due.Table.String(), "what", due.Kind, "error", err)
				if len(w.sick) == maxSick {
					return
				}
				w.sick[due.Table] = now.Add(sickPause)
			}
		}
		if !worked {
			return
		}
	}
}

// fallDue carries out what is due at a table, if it is due indeed: that is decided in the same commit as moves are.
func (s *Service) fallDue(ctx context.Context, due storage.DueTable) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("what is due panicked: %v\n%s", r, debug.Stack())
		}
	}()
	var standIn *substitution
	if due.Kind == dueClock {
		if standIn, err = s.findSubstitute(ctx, due.Table); err != nil {
			return err
		}
	}
	_, err = s.command(ctx, Actor{}, due.Table, func(d *draft) error {
		d.silent = true // whatever happens, the due moments are reckoned anew
		if due.Kind == dueTell && d.Retell.At <= d.now {
			d.Retell.At = 0 // the commit leads to another try
		}
		if d.Status == Over {
			return nil
		}
		c, err := s.conditions(ctx, d.Guild, holder(d.Head, d.ToMove).User)
		if err != nil {
			return err
		}
		if c.outage {
			return nil
		}
		switch due.Kind {
		case dueClock:
			if at := c.deadline(d.Head); at != 0 && at <= d.now {
				return d.late(standIn)
			}
		case dueRemind:
			if d.Status == Playing && d.Timing.Since != 0 {
				d.remind(c)
			}
		case dueThink:
			// The commit leads to another try.
		case dueIdle:
			return d.idle(c)
		}
		return nil
	})
	if errors.Is(err, ErrNoTable) || errors.Is(err, ErrStale) {
		return nil // it changed meanwhile; its moments are in the index anew
	}
	return err
}

// substitution is a move that a computer would play for a player who is late.
type substitution struct {
	version  uint64
	notation string
}

// findSubstitute lets the computer think, outside the table's lock, when a late player's table wants that.
func (s *Service) findSubstitute(ctx context.Context, id ID) (*substitution, error) {
	if s.substitute == nil {
		return nil, nil
	}
	snap, err := s.Snapshot(ctx, id)
	if err != nil || snap.Status != Playing || snap.Timing.Rule.Late != storage.LateComputer {
		return nil, err
	}
	c, err := s.conditions(ctx, snap.Guild, snap.Mover())
	if err != nil {
		return nil, err
	}
	if at := c.deadline(snap.Head); at == 0 || at > s.now() {
		return nil, nil
	}
	notation, ok := s.substitute(ctx, snap, snap.ToMove)
	if !ok {
		return nil, nil
	}
	return &substitution{snap.Version, notation}, nil
}

// late does what the table agreed on for a player whose time has run out.
func (d *draft) late(standIn *substitution) error {
	seat := d.ToMove
	how := d.Timing.Rule.Late
	if how == storage.LateComputer && (standIn == nil || standIn.version != d.Version) {
		how = storage.LateOffer
	}
	d.add(storage.TimedOut, seat, "", string(how))
	switch how {
	case storage.LateForfeit:
		return d.resign(seat)
	case storage.LateComputer:
		move, err := games.FindMove(d.match.State(), standIn.notation)
		if err != nil {
			return err
		}
		if err := d.play(storage.Played, move); err != nil {
			return err
		}
		return d.advance()
	}
	d.Timing.Out = true
	d.Open |= 1 << uint(seat)
	return nil
}

// remind reminds who is to move, if it is time for that.
func (d *draft) remind(c conditions) {
	at, call := c.reminder(d.Head, d.now)
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

// lastCall is the Text of the reminder before time runs out.
const lastCall = "last"

// idle says that a table will be closed because nobody plays, or closes it.
func (d *draft) idle(c conditions) error {
	warn, end := c.idle(d.Head, c.deadline(d.Head))
	switch {
	case warn != 0 && warn <= d.now:
		d.Timing.Closing = max(end, d.now+Stamp(idleNotice.Milliseconds()))
		d.add(storage.IdleSoon, games.Nobody, "", strconv.FormatInt(int64(d.Timing.Closing), 10))
	case warn == 0 && end <= d.now:
		d.add(storage.Idle, games.Nobody, "", "")
		return d.end(games.Abandoned)
	}
	return nil
}

func frozen(err error) bool {
	var f *FrozenError
	return errors.As(err, &f)
}
