package turn

import (
	"context"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/games/text"
)

// asText after the argument of a key's custom_id asks for its words without the picture.
const asText = "text"

// key answers the Key button: every sign that is on this board, beside its meaning.
func (rm *Room) key(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.find.StartedTable(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	arg, inWords := strings.CutSuffix(r.Control.Arg, asText)
	n := min(r.Control.Play, snap.Plays)
	from, err := strconv.Atoi(arg)
	if err != nil || from < 0 {
		return interact.Reply{}, show.Refuse(text.M("bot.error.unknown-control"))
	}
	from = min(from, n)
	sc := show.SceneAt(snap, snap.Viewer(r.User.ID), from, n)
	signs := sc.Signs()
	g := snap.Rules()
	title := "### " + r.Say.Say(text.M("bot.key.title"))
	if inWords {
		lines := append([]string{title}, show.Meanings(g, signs, r.Say)...)
		return interact.Reply{New: show.Text(strings.Join(lines, "\n- "))}, nil
	}
	file, err := rm.paint.Key(ctx, g, signs, r.Say.Plain())
	if err != nil {
		return interact.Reply{}, err
	}
	m := &show.Message{Files: []*discordgo.File{file}}
	alt := strings.Join(show.Meanings(g, signs, r.Say.Plain()), " ")
	m.Components = []discordgo.MessageComponent{show.Container(show.Accent, show.Paragraph(title),
		show.Picture(file.Name, show.Alt(show.KeyPlate(g), alt, r.Say.Plain())))}
	m.Components = append(m.Components, show.Rows(show.Button(discordgo.SecondaryButton,
		r.Say.Say(text.M("bot.button.text")), show.KeyID(snap, from, n, asText)))...)
	return interact.Reply{New: m}, nil
}
