package pirat

import (
	"marque/games"
	"marque/games/text"
)

// Game is All against All (Pirat).
var Game games.Game = game{}

type game struct{}

func (game) Key() string { return "pirat" }

func (game) Seats() (least, most int) { return leastSeats, mostSeats }

func (game) Options() []games.Option { return nil }

func (game) Version() int { return 1 }

func (game) New(setup games.Setup) games.State { return state{start(setup.Seats)} }

func (game) Info() games.Info {
	return games.Info{
		Name:    text.M("pirat.name"),
		Tagline: text.M("pirat.tagline"),
		Credits: text.M("pirat.credits"),
		Quick: []text.Message{
			text.M("pirat.quick.1"), text.M("pirat.quick.2"), text.M("pirat.quick.3"),
			text.M("pirat.quick.4"), text.M("pirat.quick.5"),
		},
		Rules: []games.Section{
			{Key: "aim", Title: text.M("pirat.rules.aim.title"), Body: text.M("pirat.rules.aim.body")},
			{Key: "cards", Title: text.M("pirat.rules.cards.title"), Body: text.M("pirat.rules.cards.body")},
			{Key: "turn", Title: text.M("pirat.rules.turn.title"), Body: text.M("pirat.rules.turn.body")},
			{Key: "attack", Title: text.M("pirat.rules.attack.title"), Body: text.M("pirat.rules.attack.body")},
			{Key: "captains", Title: text.M("pirat.rules.captains.title"), Body: text.M("pirat.rules.captains.body")},
			{Key: "prizes", Title: text.M("pirat.rules.prizes.title"), Body: text.M("pirat.rules.prizes.body")},
			{Key: "end", Title: text.M("pirat.rules.end.title"), Body: text.M("pirat.rules.end.body")},
			{Key: "moves", Title: text.M("pirat.rules.moves.title"), Body: text.M("pirat.rules.moves.body")},
		},
	}
}
