// Package madagascar is the game Madagascar (docs/rules/madagascar.md) for two or three players on the deck.
package madagascar

import (
	"marque/games"
	"marque/games/text"
)

// Game is Madagascar.
var Game games.Game = game{}

type game struct{}

// Key is "madagascar".
func (game) Key() string { return "madagascar" }

// Seats is two or three.
func (game) Seats() (least, most int) { return 2, maxSeats }

// Options is nil: there are none.
func (game) Options() []games.Option { return nil }

// Version is that of the rules as played here.
func (game) Version() int { return 1 }

// New is the empty deck (MD-1).
func (game) New(setup games.Setup) games.State { return newState(setup.Seats) }

// Info is what is said about the game.
func (game) Info() games.Info {
	return games.Info{
		Name:    text.M("madagascar.name"),
		Tagline: text.M("madagascar.tagline"),
		Credits: text.M("madagascar.credits"),
		Quick: []text.Message{text.M("madagascar.quick.1"), text.M("madagascar.quick.2"), text.M("madagascar.quick.3"),
			text.M("madagascar.quick.4"), text.M("madagascar.quick.5")},
		Rules: []games.Section{
			{Key: "aim", Title: text.M("madagascar.rules.aim.title"), Body: text.M("madagascar.rules.aim.body")},
			{Key: "deck", Title: text.M("madagascar.rules.deck.title"), Body: text.M("madagascar.rules.deck.body")},
			{Key: "turn", Title: text.M("madagascar.rules.turn.title"), Body: text.M("madagascar.rules.turn.body")},
			{Key: "capture", Title: text.M("madagascar.rules.capture.title"), Body: text.M("madagascar.rules.capture.body")},
			{Key: "end", Title: text.M("madagascar.rules.end.title"), Body: text.M("madagascar.rules.end.body")},
			{Key: "writing", Title: text.M("madagascar.rules.writing.title"), Body: text.M("madagascar.rules.writing.body")},
		},
	}
}
