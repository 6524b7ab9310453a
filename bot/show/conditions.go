package show

import (
	"marque/bot/table"
	"marque/games/text"
)

// ConditionsText describes the conditions for joining a table. It returns false if there are none.
func ConditionsText(c table.Conditions) (text.Message, bool) {
	var list []text.Message
	switch {
	case c.RatingFrom != 0 && c.RatingTo != 0:
		list = append(list, text.M("bot.asks.rating", "Least", c.RatingFrom, "Most", c.RatingTo))
	case c.RatingFrom != 0:
		list = append(list, text.M("bot.asks.rating-from", "Least", c.RatingFrom))
	case c.RatingTo != 0:
		list = append(list, text.M("bot.asks.rating-to", "Most", c.RatingTo))
	}
	if c.Answers != 0 {
		list = append(list, text.M("bot.asks.answers", "Count", c.Answers))
	}
	if c.Finishes != 0 {
		list = append(list, text.M("bot.asks.finishes", "Least", c.Finishes))
	}
	if c.Lessons {
		list = append(list, text.M("bot.asks.lessons"))
	}
	if c.Role != "" {
		list = append(list, text.M("bot.asks.role", "Role", text.Role(c.Role)))
	}
	return text.M("bot.asks", "Asks", list), len(list) > 0
}
