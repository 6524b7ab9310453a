package turn

import (
	"context"
	"fmt"
	"strings"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games/text"

	"github.com/bwmarrin/discordgo"
)

// hint answers /hint: what a computer player would do, why, and the board after it, for the user
// alone.
func (rm *Room) hint(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	asked := fmt.Sprint(snap.ID, " ", snap.Version, " ", r.User.ID)
	h, err := interact.Share(ctx, &rm.hints, asked, func(ctx context.Context) (table.Hint, error) {
		return rm.tables.Hint(ctx, r.Actor(), snap.ID)
	})
	if err != nil {
		return interact.Reply{}, interact.Naming(err, r, snap)
	}
	menu, ok := h.Menu(h.Seat)
	if !ok {
		return interact.Reply{}, rm.find.MovedOn(ctx, h.Snapshot)
	}
	m, err := rm.stepper.Preview(ctx, boardOf(r, h.Snapshot, h.Seat, menu), h.Best)
	if err != nil {
		return interact.Reply{}, err
	}
	var lines []string
	s := show.Mentioning(r.Say, h.Snapshot)
	for _, why := range show.Advice(h.Advice) {
		lines = append(lines, s.Say(why))
	}
	advice := strings.Join(lines, " ")
	if h.Unrates {
		advice += "\n-# " + s.Say(text.M("bot.hint.unrated"))
	}
	m.Components = append([]discordgo.MessageComponent{show.Paragraph(advice)}, m.Components...)
	return interact.Reply{New: m}, nil
}
