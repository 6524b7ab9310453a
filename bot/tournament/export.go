package tournament

import (
	"bytes"
	"context"
	"fmt"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games/text"
)

// maxExport is the maximum size of a competition's file, in bytes. Discord accepts 10 MiB.
const maxExport = 9 << 20

// Export replies to /record export for a competition with a file for `marque verify`. The file lacks the records of
// games that the user may not see.
func (rm *Room) Export(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	n, err := rm.which(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	record, err := rm.Competitions.Record(ctx, n, func(h table.Head) (bool, error) {
		return rm.Find.Sees(ctx, r, h)
	})
	if err != nil {
		return interact.Reply{}, err
	}
	var b bytes.Buffer
	if err := record.Write(&b); err != nil {
		return interact.Reply{}, err
	}
	if b.Len() > maxExport {
		return interact.Reply{}, show.Refuse(text.M("bot.competition.error.large", "Name", n.Name))
	}
	file := &discordgo.File{Name: fmt.Sprintf("competition-%d.zip", n.Number), ContentType: "application/zip",
		Reader: &b}
	said := r.Say.Say(text.M("bot.competition.exported", "Name", n.Name,
		"Games", text.M("bot.count.games", "Count", len(record.Records))))
	return interact.Reply{New: &show.Message{Files: []*discordgo.File{file}, Components: []discordgo.MessageComponent{
		show.Paragraph(said),
		discordgo.FileComponent{File: discordgo.UnfurledMediaItem{URL: "attachment://" + file.Name}},
	}}}, nil
}

// CompleteExport suggests the server's competitions.
func (rm *Room) CompleteExport(ctx context.Context,
	r *interact.Request) []*discordgo.ApplicationCommandOptionChoice {
	return rm.complete(ctx, r)
}
