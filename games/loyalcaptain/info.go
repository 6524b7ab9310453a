// Package loyalcaptain is Loyal Captain, one of the three games of Capt'n W. Kidd, by
// docs/rules/loyal-captain.md: two captains fill the deck with their
// pirates and capture by surrounding, but a back that is turned threatens nobody.
package loyalcaptain

import (
	"marque/games"
	"marque/games/text"
)

// Game is Loyal Captain.
var Game games.Game = game{}

type game struct{}

func (game) Key() string { return "loyal-captain" }

func (game) Seats() (least, most int) { return 2, 2 }

// The table option of LC-9.
const (
	optionOpening   = "opening"
	openingStandard = "standard"
	openingOffered  = "offered"
)

func (game) Options() []games.Option {
	return []games.Option{{Key: optionOpening, Values: []string{openingStandard, openingOffered}}}
}

func (game) Version() int { return 1 }

func (game) New(setup games.Setup) games.State {
	return state{p: newPosition(setup.Option(optionOpening) == openingOffered)}
}

func (game) Info() games.Info {
	return games.Info{
		Name:    text.M("loyal-captain.name"),
		Tagline: text.M("loyal-captain.tagline"),
		Credits: text.M("loyal-captain.credits"),
		Quick: []text.Message{
			text.M("loyal-captain.quick.1"), text.M("loyal-captain.quick.2"), text.M("loyal-captain.quick.3"),
			text.M("loyal-captain.quick.4"), text.M("loyal-captain.quick.5"),
		},
		Rules: []games.Section{
			{Key: "aim", Title: text.M("loyal-captain.rules.aim.title"), Body: text.M("loyal-captain.rules.aim.body")},
			{Key: "deck", Title: text.M("loyal-captain.rules.deck.title"), Body: text.M("loyal-captain.rules.deck.body")},
			{Key: "turn", Title: text.M("loyal-captain.rules.turn.title"), Body: text.M("loyal-captain.rules.turn.body")},
			{Key: "capture", Title: text.M("loyal-captain.rules.capture.title"), Body: text.M("loyal-captain.rules.capture.body")},
			{Key: "end", Title: text.M("loyal-captain.rules.end.title"), Body: text.M("loyal-captain.rules.end.body")},
			{Key: "stalemate", Title: text.M("loyal-captain.rules.stalemate.title"), Body: text.M("loyal-captain.rules.stalemate.body")},
			{Key: "moves", Title: text.M("loyal-captain.rules.moves.title"), Body: text.M("loyal-captain.rules.moves.body")},
			{Key: "options", Title: text.M("loyal-captain.rules.options.title"), Body: text.M("loyal-captain.rules.options.body")},
		},
	}
}
