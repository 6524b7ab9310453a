// Package madagascar is the game Madagascar (docs/rules/madagascar.md) for two or three players on
// the deck.
package madagascar

import "marque/games"

// Game is Madagascar.
var Game games.Game = game{}

type game struct{}

// key is the game's name in the engine protocol and the store.
const key = "madagascar"

// Key is "madagascar".
func (game) Key() string { return key }

// Seats is two or three.
func (game) Seats() (least, most int) { return 2, maxSeats }

// Options is nil: there are none.
func (game) Options() []games.Option { return nil }

// Traits: nothing is hidden or left to chance. MD-8 bounds a game, far beyond any that is played:
// the longest of 40,000 random games took 1,495 plays.
func (game) Traits() games.Traits { return games.Traits{Longest: 5000} }

// Version is that of the rules as played here.
func (game) Version() int { return 1 }

// New is the empty deck (MD-1).
func (game) New(setup games.Setup) games.State { return newState(setup.Seats) }

// Info is what is said about the game.
func (game) Info() games.Info {
	return games.NewInfo(key, "aim", "deck", "turn", "capture", "end", "writing")
}
