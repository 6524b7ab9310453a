package bot

import (
	"context"
	"math"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/table"
	"marque/games/text"
)

// hint answers /hint: what a computer player would do, why, and the board after it, for the user alone.
func (b *Bot) hint(ctx context.Context, r *request) (reply, error) {
	snap, err := b.table(ctx, r)
	if err != nil {
		return reply{}, err
	}
	h, err := b.tables.Hint(ctx, r.actor(), snap.ID)
	if err != nil {
		return reply{}, naming(err, r, snap)
	}
	menu, ok := h.Menu(h.Seat)
	if !ok {
		return reply{}, b.movedOn(ctx, h.Snapshot)
	}
	m, err := b.previewMessage(ctx, r, h.Snapshot, h.Seat, menu, h.Best)
	if err != nil {
		return reply{}, err
	}
	var lines []string
	for _, why := range reasons(h) {
		lines = append(lines, r.say.Say(why))
	}
	m.components = append([]discordgo.MessageComponent{paragraph(strings.Join(lines, " "))}, m.components...)
	return reply{new: m}, nil
}

// reasons say why a hint is given.
func reasons(h table.Hint) []text.Message {
	t := h.Thought
	if len(t.Candidates) < 2 {
		return []text.Message{text.M("bot.hint.only", "Move", h.Best)}
	}
	said := []text.Message{text.M("bot.hint.move", "Move", h.Best)}
	switch {
	case t.Proved && t.Chance == 1:
		return append(said, text.M("bot.hint.wins"))
	case t.Proved && t.Chance == 0:
		return append(said, text.M("bot.hint.loses"))
	}
	said = append(said, text.M("bot.hint.chance", "After", percent(t.Chance), "Before", percent(t.Before)))
	if second := t.Candidates[1]; second.Proved && second.Chance == 0 {
		said = append(said, text.M("bot.hint.second-loses", "Move", h.Second))
	} else {
		said = append(said, text.M("bot.hint.second", "Move", h.Second, "Chance", percent(second.Chance)))
	}
	if h.Answer != "" {
		said = append(said, text.M("bot.hint.answer", "Move", h.Answer))
	}
	return said
}

// percent rounds a chance that is not certain to whole percents from 1 to 99.
func percent(chance float64) int {
	return max(1, min(99, int(math.Round(100*chance))))
}
