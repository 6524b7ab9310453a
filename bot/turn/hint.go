package turn

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games/text"

	"github.com/bwmarrin/discordgo"
)

// hint handles /hint and the Hint button. It shows the move of a computer player, the reason, and the board after the
// move. Only the user sees the message. A hint can have the effect that a rated game counts only if the user comes
// last. In that case the user must first confirm the request.
func (rm *Room) hint(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	m, err := rm.hintMessage(ctx, r, false)
	if errors.Is(err, table.ErrUnrates) {
		snap, err := rm.find.Table(ctx, r)
		if err != nil {
			return interact.Reply{}, err
		}
		m := show.Text(r.Say.Say(text.M("table.error.hint-unrates")))
		m.Components = append(m.Components, show.Rows(show.Button(discordgo.DangerButton,
			r.Say.Say(text.M("bot.hint.show")),
			show.CustomID{Action: actionHintSure, Table: snap.ID.String()}))...)
		return interact.Reply{New: m}, nil
	}
	return interact.Reply{New: m}, err
}

// hintAnyway handles the button with which a user confirms the request for a hint.
func (rm *Room) hintAnyway(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	m, err := rm.hintMessage(ctx, r, true)
	return interact.Reply{Update: m}, err
}

func (rm *Room) hintMessage(ctx context.Context, r *interact.Request, sure bool) (*show.Message, error) {
	snap, err := rm.find.Table(ctx, r)
	if err != nil {
		return nil, err
	}
	asked := fmt.Sprint(snap.ID, " ", snap.Version, " ", r.User.ID, " ", sure)
	h, err := interact.Share(ctx, &rm.hints, asked, func(ctx context.Context) (table.Hint, error) {
		return rm.tables.Hint(ctx, r.Actor(), snap.ID, sure)
	})
	if err != nil {
		return nil, interact.Naming(err, r, snap)
	}
	menu, ok := h.Menu(h.Seat)
	if !ok {
		return nil, rm.find.MovedOn(ctx, h.Snapshot)
	}
	m, err := rm.stepper.Preview(ctx, boardOf(r, h.Snapshot, h.Seat, menu), h.Best)
	if err != nil {
		return nil, err
	}
	var lines []string
	s := show.Mentioning(r.Say, h.Snapshot)
	for _, why := range show.Advice(h.Advice, h.View(h.Seat).State) {
		lines = append(lines, s.Say(why))
	}
	advice := strings.Join(lines, " ")
	if h.Unrates {
		advice += "\n-# " + s.Say(text.M("bot.hint.unrated"))
	}
	m.Components = append([]discordgo.MessageComponent{show.Paragraph(advice)}, m.Components...)
	return m, nil
}
