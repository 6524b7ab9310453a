package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/form"
	"marque/bot/incident"
)

// amissTime is the minimum time between two log lines about events that could not be handled.
const amissTime = time.Minute

// listener has the handlers of one kind of event, and decodes these events.
type listener struct {
	fresh    func() any                         // returns a new event of the handlers' type
	decode   func(data []byte, event any) error // decodes data into event
	handlers []func(session context.Context, missed bool, e any)
}

// On adds a handler for connections that begin later. A handler is a func(*discordgo.E), where E is an event that the
// bot uses. The events of one shard reach the handlers in order, but several shards call them at the same time. A
// handler must be quick. A panic in a handler is counted and logged, and does not stop other handlers. A handler of
// READY can also take a context, which ends with the session. A handler of interactions also takes a bool, which is
// true if the interaction was made while there was no connection.
func (g *Gateway) On(handler any) {
	switch h := handler.(type) {
	case func(*discordgo.Ready):
		on(g, "READY", h)
	case func(context.Context, *discordgo.Ready):
		during(g, "READY", func(session context.Context, _ bool, e *discordgo.Ready) { h(session, e) })
	case func(missed bool, e *discordgo.InteractionCreate):
		during(g, "INTERACTION_CREATE", func(_ context.Context, missed bool, e *discordgo.InteractionCreate) {
			h(missed, e)
		})
		g.listeners["INTERACTION_CREATE"].decode = func(data []byte, event any) error {
			e := event.(*discordgo.InteractionCreate)
			e.Interaction = new(discordgo.Interaction)
			return form.Unmarshal(data, e.Interaction)
		}
	case func(*discordgo.GuildCreate):
		on(g, "GUILD_CREATE", h)
	case func(*discordgo.GuildUpdate):
		on(g, "GUILD_UPDATE", h)
	case func(*discordgo.GuildDelete):
		on(g, "GUILD_DELETE", h)
	case func(*discordgo.GuildRoleCreate):
		on(g, "GUILD_ROLE_CREATE", h)
	case func(*discordgo.GuildRoleUpdate):
		on(g, "GUILD_ROLE_UPDATE", h)
	case func(*discordgo.GuildRoleDelete):
		on(g, "GUILD_ROLE_DELETE", h)
	case func(*discordgo.ChannelCreate):
		on(g, "CHANNEL_CREATE", h)
	case func(*discordgo.ChannelUpdate):
		on(g, "CHANNEL_UPDATE", h)
	case func(*discordgo.ChannelDelete):
		on(g, "CHANNEL_DELETE", h)
	case func(*discordgo.ThreadCreate):
		on(g, "THREAD_CREATE", h)
	case func(*discordgo.ThreadUpdate):
		on(g, "THREAD_UPDATE", h)
	case func(*discordgo.ThreadDelete):
		on(g, "THREAD_DELETE", h)
	case func(*discordgo.ThreadListSync):
		on(g, "THREAD_LIST_SYNC", h)
	default:
		panic(fmt.Sprintf("gateway: no event has the handler %T", handler))
	}
}

func on[E any](g *Gateway, event string, f func(*E)) {
	during(g, event, func(_ context.Context, _ bool, e *E) { f(e) })
}

func during[E any](g *Gateway, event string, f func(session context.Context, missed bool, e *E)) {
	l := g.listeners[event]
	if l == nil {
		l = &listener{fresh: func() any { return new(E) }, decode: json.Unmarshal}
		g.listeners[event] = l
	}
	l.handlers = append(l.handlers, func(session context.Context, missed bool, e any) {
		f(session, missed, e.(*E))
	})
}

// dispatch calls the handlers of an event.
func (g *Gateway) dispatch(session context.Context, missed bool, event string, data json.RawMessage) {
	l := g.listeners[event]
	if l == nil {
		return
	}
	e := l.fresh()
	// An error usually concerns a single field, so the handlers get the event with its other fields.
	if err := l.decode(data, e); err != nil {
		g.amiss(event, err)
	}
	for _, h := range l.handlers {
		g.call(event, func() { h(session, missed, e) })
	}
}

func (g *Gateway) call(event string, h func()) {
	defer func() {
		if p := recover(); p != nil {
			g.amiss(event, incident.Recovered(p))
		}
	}()
	h()
}

// failures counts the events that could not be handled.
type failures struct {
	mu     sync.Mutex
	all    uint64
	told   uint64 // number of failures that are in the log
	logged time.Time
}

// amiss counts an event that cannot be handled. It logs at most one line a minute, with the number of such events since
// the previous line.
func (g *Gateway) amiss(event string, err error) {
	f := &g.failures
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all++
	if now := time.Now(); f.logged.IsZero() || now.Sub(f.logged) >= amissTime {
		g.log.Error("an event of Discord's gateway could not be handled", "event", event, "times", f.all-f.told,
			"error", err)
		f.logged, f.told = now, f.all
	}
}

// Failures returns how many events could not be handled.
func (g *Gateway) Failures() uint64 {
	g.failures.mu.Lock()
	defer g.failures.mu.Unlock()
	return g.failures.all
}
