package bot

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/table"
	"marque/games"
	"marque/games/text"
	"marque/games/verify"
)

// startedTable is latestTable for what only a game that has started can do.
func (b *Bot) startedTable(ctx context.Context, r *request) (*table.Snapshot, error) {
	snap, err := b.latestTable(ctx, r)
	if err != nil {
		return nil, err
	}
	if !snap.Started() {
		return nil, playerError{text.M("table.error.not-started")}
	}
	return snap, nil
}

// export answers /export: the record of a game as a file; of a game that goes on only what the asker may know, for their eyes.
func (b *Bot) export(ctx context.Context, r *request) (reply, error) {
	snap, err := b.startedTable(ctx, r)
	if err != nil {
		return reply{}, err
	}
	record, _ := snap.RecordFor(snap.Viewer(r.user.id))
	file := &discordgo.File{Name: fmt.Sprintf("%s-%s.txt", snap.Head.Game, snap.ID), ContentType: "text/plain; charset=utf-8", Reader: strings.NewReader(record.Encode())}
	id := "bot.export.whole"
	switch {
	case record.Seen != "":
		id = "bot.export.seen"
	case snap.Status != table.Over:
		id = "bot.export.running"
	}
	said := r.say.Say(text.M(id, "Game", snap.Game().Info().Name, "Table", snap.ID.String(), "Plays", text.M("bot.count.plays", "Count", len(record.Log))))
	return reply{new: &message{files: []*discordgo.File{file}, components: []discordgo.MessageComponent{
		paragraph(said), discordgo.FileComponent{File: discordgo.UnfurledMediaItem{URL: "attachment://" + file.Name}},
	}}}, nil
}

// verify answers /verify: it plays the record of a finished table anew and recomputes every draw from the seed.
func (b *Bot) verify(ctx context.Context, r *request) (reply, error) {
	snap, err := b.startedTable(ctx, r)
	if err != nil {
		return reply{}, err
	}
	record, over := snap.Record()
	if !over {
		return reply{}, playerError{text.M("bot.error.sealed", "Table", snap.ID.String(), "Commitment", snap.Commitment())}
	}
	// What is checked is the text that /export gives, not what the bot has in mind.
	read, err := games.DecodeRecord(strings.NewReader(record.Encode()))
	var report verify.Report
	if err == nil {
		report, err = verify.Record(read, b.byKey)
	}
	var fault *games.RecordError
	if errors.As(err, &fault) {
		b.log.Error("a record does not verify", "table", snap.ID, "error", err)
		return reply{new: say(r.say.Say(text.M("bot.verify.wrong", "Table", snap.ID.String(), "Line", fault.Line, "Reason", fault.Reason)))}, nil
	}
	if err != nil {
		return reply{}, err
	}
	lines := []string{
		title(snap, r.say),
		r.say.Say(text.M("bot.verify.legal", "Plays", text.M("bot.count.plays", "Count", report.Plays))),
	}
	if report.Draws == 0 {
		lines = append(lines, r.say.Say(text.M("bot.verify.undrawn")))
	} else {
		lines = append(lines, r.say.Say(text.M("bot.verify.proved", "Count", report.Draws)))
	}
	if report.Lot {
		lines = append(lines, r.say.Say(text.M("bot.verify.lot")))
	}
	lines = append(lines, "-# "+r.say.Say(text.M("bot.verify.how", "Seed", record.Seed, "Commitment", record.Header.Commitment)))
	return reply{new: framed(lines)}, nil
}

// byKey finds a game as package verify asks for it.
func (b *Bot) byKey(key string) (games.Game, bool) {
	g, err := b.game(key)
	return g, err == nil
}

// completeEnded offers the tables of the server that are over, the latest first.
func (b *Bot) completeEnded(ctx context.Context, r *request) []*discordgo.ApplicationCommandOptionChoice {
	return b.completeTables(ctx, r, nil, true)
}

// completeAnyTable offers the tables of the server that go on, then those that are over, the latest first.
func (b *Bot) completeAnyTable(ctx context.Context, r *request) []*discordgo.ApplicationCommandOptionChoice {
	return b.completeTables(ctx, r, b.completeTables(ctx, r, nil, false), true)
}

func (b *Bot) completeTables(ctx context.Context, r *request, list []*discordgo.ApplicationCommandOptionChoice, over bool) []*discordgo.ApplicationCommandOptionChoice {
	heads, err := b.tables.ByGuild(ctx, r.GuildID, over, 0, completedTables)
	if err != nil {
		return list
	}
	typed := strings.ToLower(strings.TrimPrefix(r.option(r.focused), "#"))
	for _, h := range heads {
		if len(list) == maxChoices {
			break
		}
		if name, ok := b.tableName(r, h, typed); ok && h.Plays > 0 {
			list = append(list, &discordgo.ApplicationCommandOptionChoice{Name: clip(name, maxChoiceName), Value: h.ID.String()})
		}
	}
	return list
}

// tableName names a table for a list of choices, if what was typed so far is in it.
func (b *Bot) tableName(r *request, h table.Head, typed string) (string, bool) {
	g, err := b.game(h.Game)
	if err != nil {
		return "", false
	}
	who := make([]string, len(h.Seats))
	for i, o := range h.Seats {
		who[i] = o.Name
	}
	name := fmt.Sprintf("#%s %s: %s", h.ID, r.say.Say(g.Info().Name), strings.Join(who, ", "))
	return name, strings.Contains(strings.ToLower(name), typed)
}
