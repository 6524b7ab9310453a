package turn

import (
	"context"
	"strconv"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/games/text"
)

// key handles the Legend button. It shows the board with numbers at its signs, and the meanings of the signs below as
// text, which a phone shows in its usual size.
func (rm *Room) key(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.find.StartedTable(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	n := min(r.Control.Play, snap.Plays)
	from, err := strconv.Atoi(r.Control.Arg)
	if err != nil || from < 0 {
		return interact.Reply{}, show.Refuse(text.M("bot.error.unknown-control"))
	}
	sc := show.SceneAt(snap, snap.Viewer(r.User.ID), min(from, n), n)
	words, _ := show.Key(snap.Rules(), &sc, r.Say)
	file, alt, err := rm.paint.Paint(ctx, sc, show.TablePlate(snap, n), show.Names(snap, r.Say),
		show.Plain(r.Say, snap), show.BoardName(snap, n))
	if err != nil {
		return interact.Reply{}, err
	}
	return interact.Reply{New: &show.Message{Files: []*discordgo.File{file}, Components: []discordgo.MessageComponent{
		show.Container(show.Accent, show.Paragraph("### "+r.Say.Say(text.M("bot.key.title"))),
			show.Picture(file.Name, alt), show.Paragraph(words))}}}, nil
}
