// Package loyalcaptain implements Loyal Captain, one of the three games of Capt'n W. Kidd, according to
// docs/rules/loyal-captain.md. Two captains fill the deck with their pirates and capture by surrounding. A pirate does
// not threaten the space behind its back.
package loyalcaptain

import "marque/games"

// Game is Loyal Captain.
var Game games.Game = game{}

type game struct{}

// key is the game's name in the engine protocol and the store.
const key = "loyal-captain"

func (game) Key() string { return key }

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

// Traits reports neither chance nor hidden information. The longest of 200,000 random games took 252 plays.
func (game) Traits() games.Traits { return games.Traits{Longest: 1000, Usual: 48} }

func (game) Version() int { return 1 }

func (game) New(setup games.Setup) games.State {
	return state{p: newPosition(setup.Option(optionOpening) == openingOffered)}
}

func (game) Info() games.Info {
	return games.NewInfo(key, "aim", "deck", "turn", "capture", "end", "stalemate", "tips", "moves", "options")
}
