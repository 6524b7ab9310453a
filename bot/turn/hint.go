package turn

import (
	"context"
	"fmt"
	"strings"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games/computer"
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
	for _, why := range reasons(h) {
		lines = append(lines, s.Say(why))
	}
	advice := strings.Join(lines, " ")
	if h.Unrates {
		advice += "\n-# " + s.Say(text.M("bot.hint.unrated"))
	}
	m.Components = append([]discordgo.MessageComponent{show.Paragraph(advice)}, m.Components...)
	return interact.Reply{New: m}, nil
}

// reasons say why a hint is given.
func reasons(h table.Hint) []text.Message {
	t := h.Thought
	if len(t.Candidates) < 2 {
		return append([]text.Message{text.M("bot.hint.only", "Move", text.Code(h.Best))}, threat(h)...)
	}
	said := []text.Message{text.M("bot.hint.move", "Move", text.Code(h.Best))}
	switch {
	case t.Proved && t.Chance == 1:
		return append(said, text.M("bot.hint.wins"))
	case t.Proved && t.Chance == 0:
		return append(said, text.M("bot.hint.loses"))
	}
	chance := "bot.hint.chance"
	if computer.Percent(t.Chance) == computer.Percent(t.Before) {
		chance = "bot.hint.chance-same"
	}
	said = append(said, text.M(chance, "After", computer.Percent(t.Chance), "Before", computer.Percent(t.Before)))
	if second := t.Candidates[1]; second.Proved && second.Chance == 0 {
		said = append(said, text.M("bot.hint.second-loses", "Move", text.Code(h.Second)))
	} else {
		said = append(said, text.M("bot.hint.second", "Move", text.Code(h.Second), "Chance", computer.Percent(second.Chance)))
	}
	if h.Answer != "" {
		said = append(said, text.M("bot.hint.answer", "Move", text.Code(h.Answer)))
	}
	return append(said, threat(h)...)
}

// threat says what the best move threatens, if it does: what the others cannot but parry, or what
// takes luck or their help as well.
func threat(h table.Hint) []text.Message {
	switch t := h.Threat; {
	case !h.Threatens:
		return nil
	case t.Wins && t.Share >= likely:
		return []text.Message{text.M("bot.hint.threatens-win", "What", t.Said)}
	case t.Wins:
		return []text.Message{text.M("bot.hint.may-win", "What", t.Said, "Share", computer.Percent(t.Share))}
	case t.Share >= likely:
		return []text.Message{text.M("bot.hint.threatens", "What", t.Said)}
	default:
		return []text.Message{text.M("bot.hint.may-follow", "What", t.Said, "Share", computer.Percent(t.Share))}
	}
}

// likely is from what share on of the ways for the game to go on something is threatened, rather
// than hoped for.
const likely = 0.5
