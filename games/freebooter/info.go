// Package freebooter is Freebooter for two to four players (rules:
// docs/rules/freebooter.md, FB-1 to FB-11): the 7x7 sea, hidden hands, two stacks.
package freebooter

import (
	"marque/games"
	"marque/games/text"
)

// Key is the game's name in the engine protocol and the store.
const Key = "freebooter"

// Game is Freebooter.
var Game games.Game = game{}

type game struct{}

// Key is as in games.Game.
func (game) Key() string { return Key }

// Seats is as in games.Game.
func (game) Seats() (least, most int) { return 2, maxSeats }

// Options is as in games.Game: there are none.
func (game) Options() []games.Option { return nil }

// Version is as in games.Game.
func (game) Version() int { return 1 }

// New is as in games.Game.
func (game) New(setup games.Setup) games.State { return state{newPosition(setup.Seats)} }

// Info is as in games.Game.
func (game) Info() games.Info {
	return games.Info{
		Name:    text.M("freebooter.name"),
		Tagline: text.M("freebooter.tagline"),
		Credits: text.M("freebooter.credits"),
		Quick: []text.Message{
			text.M("freebooter.quick.1"), text.M("freebooter.quick.2"), text.M("freebooter.quick.3"),
			text.M("freebooter.quick.4"), text.M("freebooter.quick.5"),
		},
		Rules: []games.Section{
			{Key: "aim", Title: text.M("freebooter.rules.aim.title"), Body: text.M("freebooter.rules.aim.body")},
			{Key: "sea", Title: text.M("freebooter.rules.sea.title"), Body: text.M("freebooter.rules.sea.body")},
			{Key: "turn", Title: text.M("freebooter.rules.turn.title"), Body: text.M("freebooter.rules.turn.body")},
			{Key: "encircled", Title: text.M("freebooter.rules.encircled.title"), Body: text.M("freebooter.rules.encircled.body")},
			{Key: "credit", Title: text.M("freebooter.rules.credit.title"), Body: text.M("freebooter.rules.credit.body")},
			{Key: "end", Title: text.M("freebooter.rules.end.title"), Body: text.M("freebooter.rules.end.body")},
			{Key: "notation", Title: text.M("freebooter.rules.notation.title"), Body: text.M("freebooter.rules.notation.body")},
		},
	}
}
