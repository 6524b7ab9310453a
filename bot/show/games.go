package show

import (
	"marque/games"
	"marque/games/text"
)

// Games are the games on offer, in order.
type Games []games.Game

// Find finds a game by its key. Its error tells the player which there are.
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

// Name is a game's name; the key of one that is no longer on offer.
func (g Games) Name(key string) text.Message {
	if game, err := g.Find(key); err == nil {
		return game.Info().Name
	}
	return text.Raw(key)
}
