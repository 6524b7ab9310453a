package bot

import (
	"context"
	"fmt"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/table"
)

// completeEnded offers the tables of the server that are over, the latest first.
func (b *Bot) completeEnded(ctx context.Context, r *request) []*discordgo.ApplicationCommandOptionChoice {
	heads, err := b.tables.ByGuild(ctx, r.GuildID, true, 0, completedTables)
	if err != nil {
		return nil
	}
	typed := strings.ToLower(strings.TrimPrefix(r.option(r.focused), "#"))
	var list []*discordgo.ApplicationCommandOptionChoice
	for _, h := range heads {
		if name, ok := b.tableName(r, h, typed); ok && h.Plays > 0 {
			list = append(list, &discordgo.ApplicationCommandOptionChoice{Name: clip(name, maxChoiceName), Value: h.ID.String()})
		}
		if len(list) == maxChoices {
			break
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
