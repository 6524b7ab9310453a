package bot

import (
	"context"
	"fmt"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/table"
	"marque/games"
	"marque/games/text"
	"marque/storage"
)

// The kinds of events that messages are made differently for.
const (
	started  = storage.Started
	resigned = storage.Resigned
	proposed = storage.Proposed
)

// actor is who gives a command; the interaction's id names the command, so that it is done once.
func (r *request) actor() table.Actor {
	return table.Actor{User: r.user.id, Name: r.user.name, Moderator: r.user.manage, Key: r.ID}
}

// table finds the table that an interaction is about: the one in its custom_id, the one named in the
// option, or the one that is played in this channel.
func (b *Bot) table(ctx context.Context, r *request) (*table.Snapshot, error) {
	named := r.id.table
	if named == "" {
		named = strings.TrimPrefix(r.option("table"), "#")
	}
	if named != "" {
		id, err := storage.ParseID(named)
		if err != nil {
			return nil, playerError{text.M("bot.error.table-number", "Table", named)}
		}
		snap, err := b.tables.Snapshot(ctx, id)
		if err != nil {
			return nil, err
		}
		if snap.Guild != r.GuildID {
			return nil, playerError{text.M("table.error.no-table", "Table", named)}
		}
		return snap, nil
	}
	heads, err := b.tables.InChannel(ctx, r.ChannelID)
	if err != nil {
		return nil, err
	}
	if len(heads) > 1 {
		// Several in one channel: the one that waits for this user, if it is one alone.
		var mine []table.Head
		for _, h := range heads {
			if h.Status == table.Playing && h.ToMove == h.Seat(r.user.id) {
				mine = append(mine, h)
			}
		}
		if len(mine) == 1 {
			heads = mine
		}
	}
	switch len(heads) {
	case 0:
		return nil, playerError{text.M("bot.error.no-table-here")}
	case 1:
		return b.tables.Snapshot(ctx, heads[0].ID)
	}
	return nil, playerError{text.M("bot.error.which-table", "Count", len(heads))}
}

// latestTable is table, but in a channel without a running table it is the last one that ended there.
func (b *Bot) latestTable(ctx context.Context, r *request) (*table.Snapshot, error) {
	snap, err := b.table(ctx, r)
	if pe, ok := err.(playerError); !ok || pe.message.ID != "bot.error.no-table-here" {
		return snap, err
	}
	ended, lerr := b.tables.LastInChannel(ctx, r.ChannelID)
	if lerr != nil {
		return nil, lerr
	}
	if ended == 0 {
		return nil, err
	}
	return b.tables.Snapshot(ctx, ended)
}

// completeTable offers the tables of the server that go on: those of the channel and the user's own first.
func (b *Bot) completeTable(ctx context.Context, r *request) []*discordgo.ApplicationCommandOptionChoice {
	heads, err := b.tables.ByGuild(ctx, r.GuildID, false, 0, completedTables)
	if err != nil {
		return nil
	}
	typed := strings.ToLower(strings.TrimPrefix(r.option("table"), "#"))
	var near, far []*discordgo.ApplicationCommandOptionChoice
	for _, h := range heads {
		g, err := b.game(h.Game)
		if err != nil {
			continue
		}
		var who []string
		for _, o := range h.Seats {
			who = append(who, o.Name)
		}
		name := fmt.Sprintf("#%s %s: %s", h.ID, r.say.Say(g.Info().Name), strings.Join(who, ", "))
		if !strings.Contains(strings.ToLower(name), typed) {
			continue
		}
		choice := &discordgo.ApplicationCommandOptionChoice{Name: clip(name, maxChoiceName), Value: h.ID.String()}
		if h.Channel == r.ChannelID || h.Seat(r.user.id) != games.Spectator {
			near = append(near, choice)
		} else {
			far = append(far, choice)
		}
	}
	return append(near, far...)
}

// completedTables is how many tables autocomplete looks through.
const completedTables = 200
