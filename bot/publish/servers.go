package publish

import (
	"context"
	"errors"
	"maps"
	"sync"

	"github.com/bwmarrin/discordgo"

	"marque/bot/gateway"
	"marque/bot/interact"
	"marque/bot/table"
	"marque/storage"
)

// Watch handles Discord's events about channels, permissions and servers. A shard's reader calls the handlers one after
// the other, so they only record the bot's servers and queue the events. If the queue is full, they wait for room until
// ctx ends.
func (rm *Room) Watch(ctx context.Context, g *gateway.Gateway) {
	g.On(func(e *discordgo.ChannelUpdate) {
		rm.events.Add(ctx, e.GuildID, func(ctx context.Context) { rm.channelChanged(ctx, e.ID, e.GuildID) })
	})
	g.On(func(e *discordgo.ThreadUpdate) {
		rm.events.Add(ctx, e.GuildID, func(ctx context.Context) { rm.republish(ctx, e.ID) })
	})
	g.On(func(e *discordgo.GuildRoleUpdate) {
		rm.events.Add(ctx, e.GuildID, func(ctx context.Context) { rm.guildChanged(ctx, e.GuildID) })
	})
	g.On(func(e *discordgo.ChannelDelete) {
		rm.events.Add(ctx, e.GuildID, func(ctx context.Context) {
			rm.channelGone(ctx, e.ID)
			rm.threadsGone(ctx, e.GuildID, e.ID)
			rm.competitions.LoseChannel(ctx, e.GuildID, e.ID)
		})
	})
	g.On(func(e *discordgo.ThreadDelete) {
		rm.events.Add(ctx, e.GuildID, func(ctx context.Context) { rm.channelGone(ctx, e.ID) })
	})
	g.On(func(e *discordgo.GuildDelete) {
		do := rm.outageBegins
		if !e.Unavailable {
			rm.present.set(e.ID, false)
			do = rm.serverLeft
		}
		rm.server(ctx, e.ID, do)
	})
	g.On(func(e *discordgo.GuildCreate) {
		rm.present.set(e.ID, true)
		do := rm.serverReached
		if e.Unavailable {
			do = rm.outageBegins
		}
		rm.server(ctx, e.ID, do)
	})
	g.On(func(session context.Context, e *discordgo.Ready) {
		shard := gateway.ShardOf(e)
		rm.present.begin(shard.Has, e.Guilds)
		rm.events.Go(func(ctx context.Context) { rm.compare(ctx, session, shard.Has) })
	})
}

// server queues work for an event about a server. It keeps only the server's id, because the event itself has all
// channels of the server.
func (rm *Room) server(ctx context.Context, guild string, do func(ctx context.Context, guild string)) {
	rm.events.Add(ctx, guild, func(ctx context.Context) { do(ctx, guild) })
}

// present records the bot's servers, as reported by the gateway so far.
type present struct {
	mu     sync.Mutex
	guilds map[string]bool
}

// begin records the servers that a session lists at its beginning, including those with an outage. They replace the
// earlier servers of the session's shard, for which has returns true.
func (p *present) begin(has func(guild string) bool, listed []*discordgo.Guild) {
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.DeleteFunc(p.guilds, func(g string, _ bool) bool { return has(g) })
	for _, g := range listed {
		p.guilds[g.ID] = true
	}
}

func (p *present) set(guild string, here bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if here {
		p.guilds[guild] = true
	} else {
		delete(p.guilds, guild)
	}
}

func (p *present) here(guild string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.guilds[guild]
}

// compare finds servers that the bot left or rejoined while it had no session. The bot was removed from servers
// that the store has but the new session does not list. It is back on listed servers that were recorded as lost.
// The session may report changes while the store is read, so the state is checked again when the server's event is
// handled.
func (rm *Room) compare(ctx, session context.Context, mine func(guild string) bool) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(session, cancel)()
	gone, back, err := rm.servers.Compare(ctx, rm.present.here, mine)
	if err != nil {
		rm.amiss(ctx, "it cannot be told from which servers the bot was removed while it was down", err)
		return
	}
	for _, g := range gone {
		rm.compared(ctx, session, g, false, rm.serverLeft)
	}
	for _, g := range back {
		rm.compared(ctx, session, g, true, rm.serverReached)
	}
}

// compared queues the handling of a server that compare has found. The handling is dropped if the session has ended or
// the bot has joined or left the server since.
func (rm *Room) compared(ctx, session context.Context, guild string, here bool,
	do func(ctx context.Context, guild string)) {
	rm.server(ctx, guild, func(ctx context.Context, guild string) {
		if session.Err() == nil && rm.present.here(guild) == here {
			do(ctx, guild)
		}
	})
}

// amiss logs that an event could not be handled. It does not log an error while the bot is stopping, because the next
// start handles the event.
func (rm *Room) amiss(ctx context.Context, what string, err error, args ...any) {
	if ctx.Err() != nil || errors.Is(err, table.ErrClosing) || errors.Is(err, storage.ErrClosed) {
		rm.log.InfoContext(ctx, "an event is left for the next start", args...)
		return
	}
	rm.log.ErrorContext(ctx, what, append(args, "error", err)...)
}

// channelGone pauses the games of a deleted channel.
func (rm *Room) channelGone(ctx context.Context, channel string) {
	heads, err := rm.tables.Lookup.InChannel(ctx, channel)
	if err != nil {
		rm.log.WarnContext(ctx, "a channel's tables cannot be read", "channel", channel, "error", err)
		return
	}
	for _, h := range heads {
		rm.withoutChannel(ctx, h)
	}
}

// threadsGone pauses the games in threads of a deleted channel. Discord deletes the threads with the channel, without
// sending events for them.
func (rm *Room) threadsGone(ctx context.Context, guild, channel string) {
	err := rm.tables.Lookup.EachOfGuild(ctx, guild, func(h table.Head) error {
		if h.InThreadOf(channel) {
			rm.withoutChannel(ctx, h)
		}
		return nil
	})
	if err != nil {
		rm.log.WarnContext(ctx, "a server's tables cannot be read", "guild", guild, "error", err)
	}
}

// withoutChannel pauses a table whose channel was deleted, if its game is running.
func (rm *Room) withoutChannel(ctx context.Context, h table.Head) {
	if h.Status == table.Playing && h.Paused == "" {
		rm.homeless(ctx, h.ID)
	}
}

// republish tries again to publish the pending events of the tables of a channel.
func (rm *Room) republish(ctx context.Context, channel string) {
	heads, err := rm.tables.Lookup.InChannel(ctx, channel)
	if err != nil {
		rm.log.WarnContext(ctx, "a channel's tables cannot be read", "channel", channel, "error", err)
		return
	}
	for _, h := range heads {
		rm.tables.Poke(h.ID)
	}
}

// republishPaused tries again to publish the pending events of those tables of a channel that are paused because the
// channel refused messages.
func (rm *Room) republishPaused(ctx context.Context, channel string) {
	heads, err := rm.tables.Lookup.InChannel(ctx, channel)
	if err != nil {
		rm.log.WarnContext(ctx, "a channel's tables cannot be read", "channel", channel, "error", err)
		return
	}
	for _, h := range heads {
		if paused(h) {
			rm.tables.Poke(h.ID)
		}
	}
}

// channelChanged tries again to publish the pending events of the tables in a channel. A thread has its channel's
// permissions, so channelChanged also does so for the server's lobbies and paused tables.
func (rm *Room) channelChanged(ctx context.Context, channel, guild string) {
	rm.republish(ctx, channel)
	rm.guildChanged(ctx, guild)
}

// guildChanged tries again to publish the pending events of a server's lobbies, and of its tables that are paused
// because of their channel or the server. It looks at interact.MaxListed tables at most. It also checks the server's
// competitions again.
func (rm *Room) guildChanged(ctx context.Context, guild string) {
	rm.competitions.Look(ctx, guild)
	heads, err := rm.tables.Lookup.ByGuild(ctx, guild, storage.Active, 0, interact.MaxListed)
	if err != nil {
		rm.log.WarnContext(ctx, "a server's tables cannot be read", "guild", guild, "error", err)
		return
	}
	for _, h := range heads {
		if paused(h) || h.Status == table.Lobby {
			rm.tables.Poke(h.ID)
		}
	}
}

// serverLeft records that the bot was removed from a server. The server's data is deleted after a while.
func (rm *Room) serverLeft(ctx context.Context, guild string) {
	noted, err := rm.servers.LeftServer(ctx, guild)
	if err != nil {
		rm.amiss(ctx, "a server's games could not all be paused after the bot was removed from it", err, "guild", guild)
	}
	if noted {
		rm.log.InfoContext(ctx, "the bot was removed from a server; its data are kept for a while", "guild", guild)
	}
}

// serverReached records that the bot is on a server and the server has no outage.
func (rm *Room) serverReached(ctx context.Context, guild string) {
	was, err := rm.servers.JoinedServer(ctx, guild)
	if err != nil {
		rm.amiss(ctx, "it could not be noted that the bot is on a server", err, "guild", guild)
	}
	if was {
		rm.log.InfoContext(ctx, "the bot is back on a server; its data stay", "guild", guild)
	}
	had, err := rm.servers.OutageEnds(ctx, guild)
	if err != nil {
		rm.amiss(ctx, "it could not be noted that an outage of a server is over", err, "guild", guild)
	}
	if had {
		rm.log.InfoContext(ctx, "an outage of a server is over", "guild", guild)
	}
	if was || had {
		rm.guildChanged(ctx, guild)
	}
}

// outageBegins records that a server cannot be reached because of an outage of Discord.
func (rm *Room) outageBegins(ctx context.Context, guild string) {
	if err := rm.servers.OutageBegins(ctx, guild); err != nil {
		rm.amiss(ctx, "it could not be noted that a server has an outage; its clocks run on", err, "guild", guild)
		return
	}
	rm.log.InfoContext(ctx, "a server has an outage; its clocks stand", "guild", guild)
}

// paused reports whether a table is paused because of its channel or server.
func paused(h table.Head) bool {
	return h.Paused == storage.PausedChannelGone || h.Paused == storage.PausedRemoved
}
