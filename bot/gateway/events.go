package gateway

import (
	"context"
	"log/slog"
	"sync"

	"marque/bot/incident"
)

const (
	// eventWorkers is the number of servers whose events are carried out at once.
	eventWorkers = 8
	// maxEvents bounds the events that wait; beyond it the gateway is not read until there is room, and Discord
	// keeps further events. A session that begins tells of each of its servers, perhaps while the store takes
	// nothing.
	maxEvents = 1 << 16
)

// Events carries out the gateway's events about servers: those of one server one after the other, in the order in
// which they came, however long each takes. The gateway's reader only hands them over, so that heartbeats and
// interactions do not wait for the store or for requests.
type Events struct {
	log   *slog.Logger
	ctx   context.Context // of the events under way; done when there is no time for them any more
	stop  context.CancelFunc
	room  chan struct{} // holds a token for each event that waits or is under way
	slots chan struct{} // holds a token for each event under way

	mu sync.Mutex
	// the waiting events by server; a server has an entry while a goroutine works for it
	guilds map[string][]func(context.Context)
	closed bool
	idle   sync.WaitGroup
}

// NewEvents makes Events that take events at once.
func NewEvents(log *slog.Logger) *Events {
	e := &Events{log: log, room: make(chan struct{}, maxEvents), slots: make(chan struct{}, eventWorkers),
		guilds: map[string][]func(context.Context){}}
	e.ctx, e.stop = context.WithCancel(context.Background())
	return e
}

// Add calls f after everything that was added for the server before. f is not called when ctx ends before there is
// room.
func (e *Events) Add(ctx context.Context, guild string, f func(context.Context)) {
	select {
	case e.room <- struct{}{}:
	case <-ctx.Done():
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		<-e.room
		return
	}
	waiting, working := e.guilds[guild]
	e.guilds[guild] = append(waiting, f)
	if !working {
		e.idle.Go(func() { e.work(guild) })
	}
}

// Go calls f beside the added events. f itself may call Add. An added event must not: there may be no room until it is
// done.
func (e *Events) Go(f func(context.Context)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.closed {
		e.idle.Go(func() { e.call(f) })
	}
}

// Stop breaks off the events under way, and drops those that wait.
func (e *Events) Stop() { e.stop() }

func (e *Events) work(guild string) {
	for {
		e.mu.Lock()
		waiting := e.guilds[guild]
		if len(waiting) == 0 {
			delete(e.guilds, guild)
			e.mu.Unlock()
			return
		}
		e.guilds[guild] = waiting[1:]
		e.mu.Unlock()
		select {
		case e.slots <- struct{}{}:
			e.call(waiting[0])
			<-e.slots
		case <-e.ctx.Done():
		}
		<-e.room
	}
}

func (e *Events) call(f func(context.Context)) {
	if e.ctx.Err() != nil {
		return
	}
	defer func() {
		if p := recover(); p != nil {
			e.log.Error("an event failed", "error", incident.Recovered(p))
		}
	}()
	f(e.ctx)
}

// Close takes no more events, and waits until those that came are carried out. When ctx ends first, it breaks off those
// under way and drops the others: Discord tells what they would have noted again after the next start.
func (e *Events) Close(ctx context.Context) {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	done := make(chan struct{})
	go func() { e.idle.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
	}
	e.stop()
}
