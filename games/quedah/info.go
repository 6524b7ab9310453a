// Package quedah is the game Quedah Merchant (docs/rules/quedah-merchant.md) for two players on the
// deck.
package quedah

import (
	"strconv"

	"marque/games"
)

// Game is Quedah Merchant.
var (
	Game games.Game      = game{}
	_    games.Versioned = game{}
)

// game is played by the newest rules, or by the first ones, which had no limit of quiet turns.
type game struct{ first bool }

// key is the game's name in the engine protocol and the store.
const key = "quedah-merchant"

// The values of the options: blocked (QM-7) and quiet (QM-8).
var (
	blockedValues = []string{"pass", "loses"}
	quietValues   = []string{"off", strconv.Itoa(quietTurns)}
)

// The versions of the rules.
const (
	firstVersion = 1
	quietVersion = 2 // with QM-8
)

// Key is "quedah-merchant".
func (game) Key() string { return key }

// Seats is two.
func (game) Seats() (least, most int) { return 2, 2 }

// Options are blocked (QM-7) and quiet (QM-8).
func (g game) Options() []games.Option {
	options := []games.Option{{Key: "blocked", Values: blockedValues}, {Key: "quiet", Values: quietValues}}
	if g.first {
		return options[:1]
	}
	return options
}

// Traits: there is a die, and nothing is hidden. The rules let tokens walk about for ever: two of
// 20,000 random games with blocked=pass had not ended after 20,000 plays.
func (game) Traits() games.Traits { return games.Traits{Chance: true, Longest: 3000} }

// Version is that of the rules as played here.
func (g game) Version() int {
	if g.first {
		return firstVersion
	}
	return quietVersion
}

// Earlier is the game as it was before QM-8.
func (game) Earlier(version int) (games.Game, bool) {
	return game{first: true}, version == firstVersion
}

// New is the empty deck (QM-1).
func (game) New(setup games.Setup) games.State {
	p := newPosition(setup.Option("blocked") == blockedValues[1])
	p.limited = setup.Option("quiet") == quietValues[1]
	return state{p}
}

// Info is what is said about the game.
func (game) Info() games.Info {
	return games.NewInfo(key, "aim", "deck", "turn", "capture", "free", "end", "tips", "writing", "options")
}
