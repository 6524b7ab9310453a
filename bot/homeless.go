package bot

import (
	"context"
	"errors"

	"github.com/bwmarrin/discordgo"

	"marque/bot/table"
	"marque/games/text"
	"marque/storage"
)

// What becomes of tables whose channel is gone or closed to the bot: they are paused, their players are told by direct message, or with the
// next answer when they accept none, and when the channel is back the game goes on.

// noteHomeless pauses a table that cannot be told its news, and tells its players once.
func (b *Bot) noteHomeless(ctx context.Context, n table.News, err error) {
	var permanent *table.PermanentError
	if errors.As(err, &permanent) && n.Status == table.Playing && n.Paused == "" {
		b.homeless(ctx, n.ID)
	}
}

// homeless pauses a table that has no channel and tells its players.
func (b *Bot) homeless(ctx context.Context, id table.ID) {
	snap, err := b.tables.PauseFor(ctx, id, storage.PausedHomeless)
	if err != nil {
		b.log.Warn("a table without a channel could not be paused", "table", id, "error", err)
		return
	}
	if snap.Paused != storage.PausedHomeless {
		return
	}
	var players []string
	for _, o := range snap.Seats {
		if o.User != "" && !departed(o) {
			players = append(players, o.User)
		}
	}
	// The notices are kept before anybody is written to: whatever comes in between, everybody is told.
	notice := func(user string, change func(*table.Preferences)) {
		if _, err := b.tables.ChangePreferences(ctx, user, func(p *table.Preferences) error { change(p); return nil }); err != nil {
			b.log.Warn("a notice could not be kept", "table", id, "error", err)
		}
	}
	for _, user := range players {
		notice(user, func(p *table.Preferences) { p.Note(id, b.tables.Now()) })
	}
	for _, user := range players {
		if err := b.message(ctx, snap, user); err != nil {
			b.log.Info("a player could not be written to; told with the next answer", "table", id, "error", scrub(err))
			continue
		}
		notice(user, func(p *table.Preferences) { p.Unnote(id) })
	}
}

// message tells a player by direct message that their table has no channel.
func (b *Bot) message(ctx context.Context, snap *table.Snapshot, user string) error {
	dm, err := b.session.UserChannelCreate(user, discordgo.WithContext(ctx))
	if err != nil {
		return err
	}
	prefs, err := b.tables.Preferences(ctx, user)
	if err != nil {
		return err
	}
	s := b.say.Speaker(nil, prefs.Language, b.guildLocale(snap.Guild))
	m := say(s.Say(text.M("bot.homeless", "Game", snap.Game().Info().Name, "Table", snap.ID.String(), "Channel", "<#"+snap.Channel+">")))
	m.nonce = "home-" + snap.ID.String() + "-" + user[max(0, len(user)-8):]
	_, err = b.rest.post(ctx, dm.ID, m)
	return err
}

// noteHome lets a table go on that could be told its news again.
func (b *Bot) noteHome(ctx context.Context, n table.News) {
	if n.Paused != storage.PausedHomeless {
		return
	}
	if _, err := b.tables.Resume(ctx, table.Actor{}, n.ID, storage.PausedHomeless); err != nil && !errors.Is(err, table.ErrNotPaused) {
		b.log.Warn("a paused table could not go on", "table", n.ID, "error", err)
	}
}

// watch listens to what Discord says about channels, permissions and servers. The handlers are called one after the other by the gateway's reader,
// under a lock of the library when it connects: they only hand over, and wait for room to do so no longer than ctx.
func (b *Bot) watch(ctx context.Context) {
	b.gateway.on(func(_ *discordgo.Session, e *discordgo.ChannelUpdate) {
		b.events.add(ctx, e.GuildID, func(ctx context.Context) { b.channelChanged(ctx, e.ID, e.GuildID) })
	})
	b.gateway.on(func(_ *discordgo.Session, e *discordgo.ThreadUpdate) {
		b.events.add(ctx, e.GuildID, func(ctx context.Context) { b.retell(ctx, e.ID) })
	})
	b.gateway.on(func(_ *discordgo.Session, e *discordgo.GuildRoleUpdate) {
		b.events.add(ctx, e.GuildID, func(ctx context.Context) { b.guildChanged(ctx, e.GuildID) })
	})
	b.gateway.on(func(_ *discordgo.Session, e *discordgo.ChannelDelete) {
		b.events.add(ctx, e.GuildID, func(ctx context.Context) { b.channelGone(ctx, e.ID) })
	})
	b.gateway.on(func(_ *discordgo.Session, e *discordgo.ThreadDelete) {
		b.events.add(ctx, e.GuildID, func(ctx context.Context) { b.channelGone(ctx, e.ID) })
	})
	b.gateway.on(func(_ *discordgo.Session, e *discordgo.GuildDelete) {
		b.events.add(ctx, e.ID, func(ctx context.Context) {
			if e.Unavailable {
				b.outageBegins(ctx, e.ID)
			} else {
				b.ashore(ctx, e.ID)
			}
		})
	})
	b.gateway.on(func(_ *discordgo.Session, e *discordgo.GuildCreate) {
		b.events.add(ctx, e.ID, func(ctx context.Context) {
			if e.Unavailable {
				b.outageBegins(ctx, e.ID)
			} else {
				b.aboard(ctx, e.ID)
			}
		})
	})
	b.gateway.on(func(_ *discordgo.Session, e *discordgo.Ready) { b.compare(ctx, e) })
}

// compare notices what happened while the bot was down: it was removed from the servers that the store knows and a new session does not list, and is back on those
// listed of which it was noted that it was removed. Servers with an outage are listed, too, as unavailable.
func (b *Bot) compare(ctx context.Context, e *discordgo.Ready) {
	listed := make([]string, len(e.Guilds))
	for i, g := range e.Guilds {
		listed[i] = g.ID
	}
	gone, back, err := b.tables.Compare(ctx, listed, shardOf(e.Shard))
	if err != nil {
		b.amiss(ctx, "it cannot be told from which servers the bot was removed while it was down", err)
		return
	}
	for _, g := range gone {
		b.events.add(ctx, g, func(ctx context.Context) { b.ashore(ctx, g) })
	}
	for _, g := range back {
		b.events.add(ctx, g, func(ctx context.Context) { b.aboard(ctx, g) })
	}
}

// amiss logs that an event could not be carried out. That the bot stops is no failure: the next start catches up on it.
func (b *Bot) amiss(ctx context.Context, what string, err error, args ...any) {
	if ctx.Err() != nil || errors.Is(err, table.ErrClosing) || errors.Is(err, storage.ErrClosed) {
		b.log.Info("an event is left for the next start", args...)
		return
	}
	b.log.Error(what, append(args, "error", err)...)
}

// channelGone pauses the games of a channel that was deleted.
func (b *Bot) channelGone(ctx context.Context, channel string) {
	heads, err := b.tables.InChannel(ctx, channel)
	if err != nil {
		b.log.Warn("a channel's tables cannot be read", "channel", channel, "error", err)
		return
	}
	for _, h := range heads {
		if h.Status == table.Playing && h.Paused == "" {
			b.homeless(ctx, h.ID)
		}
	}
}

// retell tries to tell the tables of a channel what is still to be said.
func (b *Bot) retell(ctx context.Context, channel string) {
	heads, err := b.tables.InChannel(ctx, channel)
	if err != nil {
		b.log.Warn("a channel's tables cannot be read", "channel", channel, "error", err)
		return
	}
	for _, h := range heads {
		b.tables.Poke(h.ID)
	}
}

// channelChanged retells the tables of a channel and of its threads, whose permissions are the channel's.
func (b *Bot) channelChanged(ctx context.Context, channel, guild string) {
	b.retell(ctx, channel)
	b.guildChanged(ctx, guild)
}

// guildChanged retells the tables of a server that are paused because they could not be told something.
func (b *Bot) guildChanged(ctx context.Context, guild string) {
	heads, err := b.tables.ByGuild(ctx, guild, false, 0, maxListed)
	if err != nil {
		b.log.Warn("a server's tables cannot be read", "guild", guild, "error", err)
		return
	}
	for _, h := range heads {
		if paused(h) || h.Status == table.Lobby {
			b.tables.Poke(h.ID)
		}
	}
}

// ashore notes that the bot was removed from a server. Its data are deleted after a while.
func (b *Bot) ashore(ctx context.Context, guild string) {
	if err := b.tables.LeftServer(ctx, guild); err != nil {
		b.amiss(ctx, "it could not be noted that the bot was removed from a server", err, "guild", guild)
		return
	}
	b.log.Info("the bot was removed from a server; its data are kept for a while", "guild", guild)
}

// aboard notes that the bot is on a server that it can reach.
func (b *Bot) aboard(ctx context.Context, guild string) {
	was, err := b.tables.JoinedServer(ctx, guild)
	if err != nil {
		b.amiss(ctx, "it could not be noted that the bot is on a server", err, "guild", guild)
	}
	if was {
		b.log.Info("the bot is back on a server; its data stay", "guild", guild)
	}
	had, err := b.tables.OutageEnds(ctx, guild)
	if err != nil {
		b.amiss(ctx, "it could not be noted that an outage of a server is over", err, "guild", guild)
	}
	if had {
		b.log.Info("an outage of a server is over", "guild", guild)
	}
	if was || had {
		b.guildChanged(ctx, guild)
	}
}

// outageBegins notes that a server cannot be reached, for Discord has an outage of it.
func (b *Bot) outageBegins(ctx context.Context, guild string) {
	if err := b.tables.OutageBegins(ctx, guild); err != nil {
		b.amiss(ctx, "it could not be noted that a server has an outage; its clocks run on", err, "guild", guild)
		return
	}
	b.log.Info("a server has an outage; its clocks stand", "guild", guild)
}
