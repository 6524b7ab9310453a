package bot

import (
	"context"
	"log/slog"
	"runtime/debug"
	"strconv"
	"sync"
)

const (
	// eventWorkers is how many servers' events are carried out at once.
	eventWorkers = 8
	// maxEvents bounds the events that wait; beyond it the gateway is read no further until there is room, and Discord keeps them.
	maxEvents = 4096
)

// events carries out what the gateway tells of servers: for each server one after the other, in the order in which it came, whatever that takes. The
// gateway's reader only hands them over, so that heartbeats and interactions do not wait for the store or for requests.
type events struct {
	log   *slog.Logger
	room  chan struct{} // holds a token for each event that waits or is carried out
	slots chan struct{} // holds a token for each that is carried out

	mu     sync.Mutex
	guilds map[string][]func() // what waits by server; a server has an entry while a goroutine works for it
	closed bool
	idle   sync.WaitGroup
}

func newEvents(log *slog.Logger) *events {
	return &events{log: log, room: make(chan struct{}, maxEvents), slots: make(chan struct{}, eventWorkers), guilds: map[string][]func(){}}
}

// add lets f be called after everything that was added for the server before.
func (e *events) add(guild string, f func()) {
	e.room <- struct{}{}
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

func (e *events) work(guild string) {
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
		e.slots <- struct{}{}
		e.call(waiting[0])
		<-e.slots
		<-e.room
	}
}

func (e *events) call(f func()) {
	defer func() {
		if p := recover(); p != nil {
			e.log.Error("an event failed", "error", &panicError{value: p, stack: debug.Stack()})
		}
	}()
	f()
}

// close takes no more events, and waits until those that came are carried out, or until ctx ends.
func (e *events) close(ctx context.Context) {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	done := make(chan struct{})
	go func() { e.idle.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// shardOf reports whether events of a server come to a shard: Discord's formula. Without a shard they all do.
func shardOf(shard *[2]int) func(guild string) bool {
	return func(guild string) bool {
		if shard == nil || shard[1] <= 1 {
			return true
		}
		id, err := strconv.ParseUint(guild, 10, 64)
		return err == nil && int((id>>22)%uint64(shard[1])) == shard[0]
	}
}
