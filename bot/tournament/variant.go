package tournament

import (
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/games"
	"marque/games/text"
)

// variants returns all combinations of a game's options, the default one first.
func variants(g games.Game) [][]games.Setting {
	list := [][]games.Setting{nil}
	for _, o := range g.Options() {
		var longer [][]games.Setting
		for _, v := range o.Values {
			for _, chosen := range list {
				longer = append(longer, append(chosen[:len(chosen):len(chosen)], games.Setting{Key: o.Key, Value: v}))
			}
		}
		list = longer
	}
	return list
}

// variantText returns a text for each chosen option of a game: the option's name, and what it is set to.
func variantText(game string, chosen []games.Setting) []text.Message {
	var list []text.Message
	for _, s := range chosen {
		option := game + ".option." + s.Key
		list = append(list,
			text.M("bot.competition.variant", "What", text.M(option), "Value", text.M(option+"."+s.Value)))
	}
	return list
}

// writeVariant formats chosen options as users type them, such as "blocked=loses;quiet=60".
func writeVariant(chosen []games.Setting) string {
	var parts []string
	for _, s := range chosen {
		parts = append(parts, s.Key+"="+s.Value)
	}
	return strings.Join(parts, ";")
}

// parseVariant parses the output of writeVariant. Missing options have their default values.
func parseVariant(g games.Game, typed string) ([]games.Setting, error) {
	if typed == "" {
		return nil, nil
	}
	var chosen []games.Setting
	for part := range strings.SplitSeq(typed, ";") {
		key, value, ok := strings.Cut(part, "=")
		if !ok {
			return nil, show.Refuse(text.M("bot.competition.error.variant", "Typed", typed, "Game", g.Info().Name))
		}
		chosen = append(chosen, games.Setting{Key: strings.TrimSpace(key), Value: strings.TrimSpace(value)})
	}
	return chosen, nil
}

// completeVariant suggests the variants of the chosen game.
func (rm *Room) completeVariant(r *interact.Request) (list []*discordgo.ApplicationCommandOptionChoice) {
	g, err := rm.Games.Find(r.Option("game"))
	if err != nil || len(g.Options()) == 0 {
		return nil
	}
	typed, say := strings.ToLower(r.Option("variant")), r.Say.Plain().Say
	for _, chosen := range variants(g) {
		var parts []string
		for _, m := range variantText(g.Key(), chosen) {
			parts = append(parts, say(m))
		}
		name := strings.Join(parts, " · ")
		if len(list) < show.MaxChoices && strings.Contains(strings.ToLower(name), typed) {
			list = append(list, &discordgo.ApplicationCommandOptionChoice{
				Name: show.Clip(name, show.MaxChoiceName), Value: writeVariant(chosen),
			})
		}
	}
	return list
}
