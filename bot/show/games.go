package show

import (
	"github.com/bwmarrin/discordgo"

	"marque/games"
	"marque/games/text"
)

// Games are the games on offer, in order.
type Games []games.Game

// Find finds a game by its key. Its error lists the games.
func (g Games) Find(key string) (games.Game, error) {
	var names []text.Message
	for _, game := range g {
		if game.Key() == key {
			return game, nil
		}
		names = append(names, game.Info().Name)
	}
	return nil, Refuse(text.M("bot.error.no-game", "Game", key, "Want", text.Or(names)))
}

// Name is a game's name; its key when the game is no longer on offer.
func (g Games) Name(key string) text.Message {
	if game, err := g.Find(key); err == nil {
		return game.Info().Name
	}
	return text.Raw(key)
}

// Menu lets the user choose a game; the value is its key.
func (g Games) Menu(id CustomID, s Speaker) discordgo.SelectMenu {
	menu := discordgo.SelectMenu{MenuType: discordgo.StringSelectMenu, CustomID: id.String(),
		Placeholder: s.Say(text.M("bot.games.choose"))}
	for _, game := range g {
		menu.Options = append(menu.Options, discordgo.SelectMenuOption{
			Label: Clip(s.Say(game.Info().Name), MaxOptionLabel), Value: game.Key(),
			Description: Clip(s.Say(players(game)), MaxOptionLabel),
		})
	}
	return menu
}
