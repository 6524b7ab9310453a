package show

import (
	"github.com/bwmarrin/discordgo"

	"marque/games"
	"marque/games/text"
)

// Games are the available games, in order.
type Games []games.Game

// Find returns the game with a key. Its error lists the games. A forged form can lack the key.
func (g Games) Find(key string) (games.Game, error) {
	var names []text.Message
	for _, game := range g {
		if game.Key() == key {
			return game, nil
		}
		names = append(names, game.Info().Name)
	}
	if key == "" {
		return nil, Refuse(text.M("bot.error.missing-game", "Want", text.Or(names)))
	}
	return nil, Refuse(text.M("bot.error.no-game", "Game", key, "Want", text.Or(names)))
}

// Name returns a game's name, or its key if the game is no longer available.
func (g Games) Name(key string) text.Message {
	if game, err := g.Find(key); err == nil {
		return game.Info().Name
	}
	return text.Raw(key)
}

// Buttons returns buttons for choosing a game. The argument in the custom_id is the game's key. If known is not "", a
// slash and known follow the key.
func (g Games) Buttons(action Action, known string, s Speaker) []discordgo.MessageComponent {
	var list []discordgo.Button
	for _, game := range g {
		id := CustomID{Action: action, Arg: game.Key()}
		if known != "" {
			id.Arg += "/" + known
		}
		list = append(list, Button(discordgo.SecondaryButton, s.Say(game.Info().Name), id))
	}
	return Rows(list...)
}

// OptionLines returns a line for each option of a game: its name, and what it is set to.
func OptionLines(game string, set []games.Setting, s Speaker) []string {
	var lines []string
	for _, o := range set {
		id := game + ".option." + o.Key
		lines = append(lines, s.Say(text.M("bot.lobby.option", "Option", text.M(id), "Value", text.M(id+"."+o.Value))))
	}
	return lines
}
