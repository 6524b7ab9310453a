// Package madagascar implements Madagascar, a game for two or three players on the deck, according to
// docs/rules/madagascar.md.
package madagascar

import "marque/games"

// Game is Madagascar.
var Game games.Game = game{}

type game struct{}

// key is the game's name in the engine protocol and the store.
const key = "madagascar"

func (game) Key() string { return key }

func (game) Seats() (least, most int) { return 2, maxSeats }

// repetitionValues are the values of the option repetition (MD-9).
var repetitionValues = []string{"draws", "forbidden"}

func (game) Options() []games.Option {
	return []games.Option{{Key: "repetition", Values: repetitionValues}}
}

// Traits reports neither chance nor hidden information. The rules allow games that are far longer than actual ones.
// The longest of 40,000 random games had 1,487 plays, and 11,782 with repetition forbidden.
func (game) Traits() games.Traits { return games.Traits{Longest: 12000, Usual: 100} }

func (game) Version() int { return 1 }

// New returns the position with the empty deck (MD-1).
func (game) New(setup games.Setup) games.State {
	s := newState(setup.Seats)
	s.forbids = setup.Option("repetition") == repetitionValues[1]
	return s
}

func (game) Info() games.Info {
	return games.NewInfo(key, "aim", "deck", "turn", "capture", "end", "tips", "writing", "options")
}
