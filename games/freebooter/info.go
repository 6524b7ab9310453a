// Package freebooter implements Freebooter, a game for two to four players, according to docs/rules/freebooter.md (FB-1
// to FB-11). The board is a sea of 7x7 squares, hands are hidden, and there are two stacks.
package freebooter

import "marque/games"

// Key is the game's name in the engine protocol and the store.
const Key = "freebooter"

// Game is Freebooter.
var Game games.Game = game{}

type game struct{}

func (game) Key() string { return Key }

func (game) Seats() (least, most int) { return 2, maxSeats }

// Options returns nil, because the game has no options.
func (game) Options() []games.Option { return nil }

// Traits reports chance and hidden hands. The limit of plays is the sum of 36 counters and 20 cards in the setup, 28
// boardings (each ship once, FB-3), and six plays for each of the 88 cards: the move, up to three choices of a counter,
// a draw and a deal.
func (game) Traits() games.Traits {
	return games.Traits{Chance: true, Hidden: true, Longest: 36 + 20 + 28 + 88*6, Usual: 160}
}

func (game) Version() int { return 1 }

func (game) New(setup games.Setup) games.State { return state{newPosition(setup.Seats)} }

func (game) Info() games.Info {
	return games.NewInfo(Key, "aim", "sea", "turn", "encircled", "credit", "end", "tips", "notation")
}
