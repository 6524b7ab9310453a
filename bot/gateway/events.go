package gateway

import (
	"context"
	"log/slog"
	"sync"

	"marque/bot/incident"
)

const (
	// eventWorkers is the maximum number of servers whose events are handled at the same time.
	eventWorkers = 8
	// maxEvents is the maximum number of waiting and running events. When it is reached, the bot does not read the
	// gateway until there is room, and Discord keeps further events. A new session brings an event for each server,
	// possibly while the store is unavailable.
	maxEvents = 1 << 16
)

// Events handles the gateway's events about servers. The events of one server are handled one after the other, in
// order. The gateway's reader only queues them, so that heartbeats and interactions do not wait for the store or for
// requests.
type Events struct {
	log   *slog.Logger
	ctx   context.Context // context of the running events; done after Stop or Close
	stop  context.CancelFunc
	room  chan struct{} // semaphore for waiting and running events
	slots chan struct{} // semaphore for running events

	mu sync.Mutex
	// guilds has the waiting events by server. A server has an entry while a goroutine handles its events.
	guilds map[string][]func(context.Context)
	closed bool
	idle   sync.WaitGroup
}

// NewEvents returns Events that are ready for use.
func NewEvents(log *slog.Logger) *Events {
	e := &Events{log: log, room: make(chan struct{}, maxEvents), slots: make(chan struct{}, eventWorkers),
		guilds: map[string][]func(context.Context){}}
	e.ctx, e.stop = context.WithCancel(context.Background())
	return e
}

// Add queues f after the earlier events of the server. f is not called if ctx ends before there is room, or after Close
// or Stop.
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

// Go calls f in a goroutine, outside the queues. f can call Add. A queued event must not call Add, because there may be
// no room until that event has ended. After Close or Stop, Go does not call f.
func (e *Events) Go(f func(context.Context)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.closed {
		e.idle.Go(func() { e.call(f) })
	}
}

// Stop cancels the running events, and drops the waiting ones.
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

// Close refuses further events, and waits until the queued ones are done. If ctx ends first, Close cancels the running
// events and drops the others. Nothing is lost: after the next start Discord sends the state of each server again.
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
