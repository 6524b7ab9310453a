package guide

import (
	"context"
	"fmt"
	"strings"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games/text"
	"marque/games/text/locale"

	"github.com/bwmarrin/discordgo"
)

// help answers /help: what the bot is, the games, and every command.
func (rm *Room) help(_ context.Context, r *interact.Request) (interact.Reply, error) {
	lines := []string{r.Say.Say(text.M("bot.help.intro"))}
	for _, g := range rm.games {
		least, most := g.Seats()
		players := fmt.Sprint(least)
		if most > least {
			players = fmt.Sprintf("%d–%d", least, most)
		}
		lines = append(lines, r.Say.Say(text.M("bot.help.game", "Game", g.Info().Name, "Tagline", g.Info().Tagline, "Players", players)))
	}
	lines = append(lines, "### "+r.Say.Say(text.M("bot.help.commands")))
	for _, c := range rm.commands() {
		name := c.Name
		if c.NameLocalizations != nil {
			if l, ok := (*c.NameLocalizations)[r.Locale]; ok {
				name = l
			}
		}
		lines = append(lines, "`/"+name+"` "+r.Say.Say(text.M("command."+c.Name+".description")))
	}
	lines = append(lines, "### "+r.Say.Say(text.M("bot.help.powers")))
	lines = append(lines, powers(r.Say)...)
	lines = append(lines, r.Say.Say(text.M("bot.help.notation")))
	return interact.Reply{New: &show.Message{Components: []discordgo.MessageComponent{show.Container(show.Accent, show.Paragraph(strings.Join(lines, "\n")))}}}, nil
}

// powers are lines that say who may do what not everybody may.
func powers(say *locale.Speaker) []string {
	var lines []string
	all := table.Powers()
	for len(all) > 0 {
		var acts []string
		may := all[0].May
		for len(all) > 0 && all[0].May == may {
			acts = append(acts, say.Say(all[0].Sentence()))
			all = all[1:]
		}
		what := text.Raw(strings.Join(acts, "; "))
		lines = append(lines, say.Say(text.M("bot.help.power", "Who", may.Sentence(), "What", what)))
	}
	return lines
}
