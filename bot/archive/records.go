package archive

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games"
	"marque/games/fair"
	"marque/games/text"
	"marque/games/verify"
)

// export replies to /record export with a file that contains the record of a game or competition. The reply is private.
// During a game the file contains only what this user may know.
func (rm *Room) export(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	if r.Option("competition") != "" {
		return rm.Competition(ctx, r)
	}
	snap, err := rm.Find.StartedTable(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	record, _ := snap.RecordFor(snap.Viewer(r.User.ID))
	file := &discordgo.File{Name: fmt.Sprintf("%s-%s.txt", snap.Head.Game, snap.ID),
		ContentType: "text/plain; charset=utf-8", Reader: strings.NewReader(record.Encode())}
	id := "bot.export.whole"
	switch {
	case record.Seen != "":
		id = "bot.export.seen"
	case snap.Status != table.Over:
		id = "bot.export.running"
	}
	said := r.Say.Say(text.M(id, "Game", snap.Rules().Info().Name, "Table", snap.ID.String(),
		"Plays", text.M("bot.count.plays", "Count", len(record.Log))))
	return interact.Reply{New: &show.Message{Files: []*discordgo.File{file}, Components: []discordgo.MessageComponent{
		show.Paragraph(said), discordgo.FileComponent{File: discordgo.UnfurledMediaItem{URL: "attachment://" +
			file.Name}},
	}}}, nil
}

func (rm *Room) completeExport(ctx context.Context,
	r *interact.Request) []*discordgo.ApplicationCommandOptionChoice {
	if r.Focused == "competition" {
		return rm.CompleteCompetition(ctx, r)
	}
	return rm.Find.CompleteAnyTable(ctx, r)
}

// verify replies to /record verify. It replays the record of a finished table and recomputes every draw from the seed.
func (rm *Room) verify(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.Find.StartedTable(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	record, over := snap.Record()
	if !over {
		return interact.Reply{}, show.Refuse(text.M("bot.error.sealed", "Table", snap.ID.String(),
			"Commitment", snap.Commitment()))
	}
	// The text of /record export is checked, not the game in memory.
	read, err := games.DecodeRecord(strings.NewReader(record.Encode()))
	var report verify.Report
	if err == nil {
		report, err = verify.Record(read, rm.byKey)
	}
	var fault *games.RecordError
	if errors.As(err, &fault) {
		rm.Log.ErrorContext(ctx, "a record does not verify", "table", snap.ID, "error", err)
		return interact.Reply{New: show.Text(r.Say.Say(text.M("bot.verify.wrong", "Table", snap.ID.String(),
			"Line", fault.Line, "Reason", fault.Reason)))}, nil
	}
	if err != nil {
		return interact.Reply{}, err
	}
	lines := []string{
		show.Title(snap, r.Say),
		r.Say.Say(text.M("bot.verify.legal", "Plays", text.M("bot.count.plays", "Count", report.Plays))),
	}
	if report.Draws == 0 {
		lines = append(lines, r.Say.Say(text.M("bot.verify.undrawn")))
	} else {
		lines = append(lines, r.Say.Say(text.M("bot.verify.proved", "Count", report.Draws)))
	}
	if report.ByLot {
		lines = append(lines, r.Say.Say(text.M("bot.verify.lot")))
	}
	if snap.Draws() { // only then is there a button Fair play
		lines = append(lines, r.Say.Say(text.M("bot.verify.not", "Start", report.Start,
			"Fingerprint", fair.Short(report.Fingerprint))))
	} else {
		lines = append(lines, r.Say.Say(text.M("bot.verify.names")))
	}
	lines = append(lines, "-# "+r.Say.Say(text.M("bot.verify.how", "Seed", record.Seed,
		"Commitment", record.Header.Commitment)))
	return interact.Reply{New: show.Framed(lines)}, nil
}

// byKey returns the game with a key, in the form that package verify needs.
func (rm *Room) byKey(key string) (games.Game, bool) {
	g, err := rm.Games.Find(key)
	return g, err == nil
}
