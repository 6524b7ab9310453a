package show

import (
	"marque/bot/table/conduct"
	"marque/games/text"
)

// ConductText describes how reliably a user plays with others, if that is known, and the number of games that they
// are playing.
func ConductText(c conduct.Conduct) text.Message {
	under := text.M("bot.conduct.going", "Count", c.Going)
	if !c.Known() {
		return under
	}
	usual := text.M("bot.conduct.slow")
	switch {
	case c.Answered == 0:
		usual = text.M("bot.conduct.no-answers")
	case c.Usual != 0:
		usual = text.M("bot.conduct.usual", "Time", DurationText(c.Usual))
	}
	return text.M("bot.conduct", "Usual", usual, "Left", c.Left, "Games", text.M("bot.count.games", "Count", c.Games),
		"Going", under)
}
