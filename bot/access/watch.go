package access

import (
	"maps"

	"github.com/bwmarrin/discordgo"

	"marque/bot/gateway"
)

// Watch makes the Guard cache the servers, roles, channels and threads that the gateway reports. The gateway calls its
// handlers in the order of the events, so the check of an interaction includes all earlier changes.
func (g *Guard) Watch(gw *gateway.Gateway) {
	gw.On(func(e *discordgo.Ready) {
		// Changes during a break of the connection were not reported. Discord now reports all servers of the shard
		// again.
		g.changed(func() { g.forget(gateway.ShardOf(e).Has) })
	})
	gw.On(func(e *discordgo.GuildCreate) {
		if e.Unavailable {
			return
		}
		g.changed(func() {
			g.guilds.put(e.ID, rolesOf(e.Guild))
			for _, c := range append(e.Channels[:len(e.Channels):len(e.Channels)], e.Threads...) {
				g.hear(e.ID, c)
			}
		})
	})
	gw.On(func(e *discordgo.GuildUpdate) {
		g.changed(func() { g.guilds.put(e.ID, rolesOf(e.Guild)) })
	})
	gw.On(func(e *discordgo.GuildDelete) { g.changed(func() { g.leave(e.ID) }) })
	gw.On(func(e *discordgo.GuildRoleCreate) {
		g.role(e.GuildID, e.Role.ID, e.Role.Permissions)
	})
	gw.On(func(e *discordgo.GuildRoleUpdate) {
		g.role(e.GuildID, e.Role.ID, e.Role.Permissions)
	})
	gw.On(func(e *discordgo.GuildRoleDelete) { g.role(e.GuildID, e.RoleID, 0) })
	gw.On(func(e *discordgo.ChannelCreate) { g.channel(e.Channel) })
	gw.On(func(e *discordgo.ChannelUpdate) { g.channel(e.Channel) })
	gw.On(func(e *discordgo.ChannelDelete) { g.changed(func() { g.channels.drop(e.ID) }) })
	gw.On(func(e *discordgo.ThreadCreate) { g.channel(e.Channel) })
	gw.On(func(e *discordgo.ThreadUpdate) { g.channel(e.Channel) })
	gw.On(func(e *discordgo.ThreadDelete) { g.changed(func() { g.channels.drop(e.ID) }) })
	gw.On(func(e *discordgo.ThreadListSync) {
		g.changed(func() {
			for _, c := range e.Threads {
				g.hear(e.GuildID, c)
			}
		})
	})
}

// changed counts a change that Discord has reported, and calls change to cache it.
func (g *Guard) changed(change func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.changes++
	change()
}

func (g *Guard) channel(c *discordgo.Channel) { g.changed(func() { g.hear(c.GuildID, c) }) }

// hear caches a channel of a server. The channels in GUILD_CREATE do not contain the server's id.
func (g *Guard) hear(guild string, told *discordgo.Channel) {
	c := seen(told)
	c.guild = guild
	g.channels.put(told.ID, c)
}

// role caches the new permissions of a role of a known server.
func (g *Guard) role(guild, role string, may int64) {
	g.changed(func() {
		known, ok := g.guilds.get(guild)
		if !ok {
			return
		}
		// Other goroutines may still be reading the old map.
		known.Roles = maps.Clone(known.Roles)
		if may &= relevant; may == 0 {
			delete(known.Roles, role)
		} else {
			known.Roles[role] = may
		}
		g.guilds.put(guild, known)
	})
}

// forget removes the servers of a shard from the caches. has reports whether a server belongs to it.
func (g *Guard) forget(has func(guild string) bool) {
	for _, id := range g.guilds.byID.Keys() {
		if has(id) {
			g.guilds.drop(id)
		}
	}
	for _, id := range g.channels.byID.Keys() {
		if c, _ := g.channels.byID.Peek(id); has(c.guild) {
			g.channels.drop(id)
		}
	}
}

// leave removes a server from the caches, because Discord reports no more changes to it.
func (g *Guard) leave(guild string) {
	g.guilds.drop(guild)
	for _, id := range g.channels.byID.Keys() {
		if c, _ := g.channels.byID.Peek(id); c.guild == guild {
			g.channels.drop(id)
		}
	}
}
