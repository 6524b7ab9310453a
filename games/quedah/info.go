// Package quedah is the game Quedah Merchant (docs/rules/quedah-merchant.md) for two players on the deck.
package quedah

import (
	"marque/games"
	"marque/games/text"
)

// Game is Quedah Merchant.
var Game games.Game = game{}

type game struct{}

// blockedValues are the values of the option blocked (QM-7).
var blockedValues = []string{"pass", "loses"}

// Key is "quedah-merchant".
func (game) Key() string { return "quedah-merchant" }

// Seats is two.
func (game) Seats() (least, most int) { return 2, 2 }

// Options is blocked (QM-7).
func (game) Options() []games.Option { return []games.Option{{Key: "blocked", Values: blockedValues}} }

// Version is that of the rules as played here.
func (game) Version() int { return 1 }

// New is the empty deck (QM-1).
func (game) New(setup games.Setup) games.State {
	return state{newPosition(setup.Option("blocked") == blockedValues[1])}
}

// Info is what is said about the game.
func (game) Info() games.Info {
	return games.Info{
		Name:    text.M("quedah-merchant.name"),
		Tagline: text.M("quedah-merchant.tagline"),
		Credits: text.M("quedah-merchant.credits"),
		Quick: []text.Message{text.M("quedah-merchant.quick.1"), text.M("quedah-merchant.quick.2"),
			text.M("quedah-merchant.quick.3"), text.M("quedah-merchant.quick.4"), text.M("quedah-merchant.quick.5")},
		Rules: []games.Section{
			{Key: "aim", Title: text.M("quedah-merchant.rules.aim.title"), Body: text.M("quedah-merchant.rules.aim.body")},
			{Key: "deck", Title: text.M("quedah-merchant.rules.deck.title"), Body: text.M("quedah-merchant.rules.deck.body")},
			{Key: "turn", Title: text.M("quedah-merchant.rules.turn.title"), Body: text.M("quedah-merchant.rules.turn.body")},
			{Key: "capture", Title: text.M("quedah-merchant.rules.capture.title"), Body: text.M("quedah-merchant.rules.capture.body")},
			{Key: "free", Title: text.M("quedah-merchant.rules.free.title"), Body: text.M("quedah-merchant.rules.free.body")},
			{Key: "end", Title: text.M("quedah-merchant.rules.end.title"), Body: text.M("quedah-merchant.rules.end.body")},
			{Key: "writing", Title: text.M("quedah-merchant.rules.writing.title"), Body: text.M("quedah-merchant.rules.writing.body")},
			{Key: "options", Title: text.M("quedah-merchant.rules.options.title"), Body: text.M("quedah-merchant.rules.options.body")},
		},
	}
}
