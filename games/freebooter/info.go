// Package freebooter is Freebooter for two to four players (rules:
// docs/rules/freebooter.md, FB-1 to FB-11): the 7x7 sea, hidden hands, two stacks.
package freebooter

import "marque/games"

// Key is the game's name in the engine protocol and the store.
const Key = "freebooter"

// Game is Freebooter.
var Game games.Game = game{}

type game struct{}

func (game) Key() string { return Key }

func (game) Seats() (least, most int) { return 2, maxSeats }

// Options: there are none.
func (game) Options() []games.Option { return nil }

// Traits: hands are hidden. The limit counts 36 counters and 20 cards of the setup, then at most 28 boardings (each
// ship once, FB-3), and for each of the 88 cards a move, up to three choices of a counter, a draw and a deal.
func (game) Traits() games.Traits {
	return games.Traits{Chance: true, Hidden: true, Longest: 36 + 20 + 28 + 88*6, Usual: 160}
}

func (game) Version() int { return 1 }

func (game) New(setup games.Setup) games.State { return state{newPosition(setup.Seats)} }

func (game) Info() games.Info {
	return games.NewInfo(Key, "aim", "sea", "turn", "encircled", "credit", "end", "tips", "notation")
}
