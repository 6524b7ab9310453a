// Package quedah implements Quedah Merchant, a game for two players on the deck, according to
// docs/rules/quedah-merchant.md.
package quedah

import (
	"strconv"

	"marque/games"
)

// Game is Quedah Merchant.
var Game games.Game = game{}

type game struct{}

// key is the game's name in the engine protocol and the store.
const key = "quedah-merchant"

// Values of the options blocked (QM-7) and quiet (QM-8).
var (
	blockedValues = []string{"pass", "loses"}
	quietValues   = []string{"off", strconv.Itoa(quietTurns)}
)

func (game) Key() string { return key }

func (game) Seats() (least, most int) { return 2, 2 }

func (game) Options() []games.Option {
	return []games.Option{{Key: "blocked", Values: blockedValues}, {Key: "quiet", Values: quietValues}}
}

// Traits reports a die and no hidden information. The rules allow endless games: two of 20,000 random games with
// blocked=pass had not ended after 20,000 plays.
func (game) Traits() games.Traits { return games.Traits{Chance: true, Longest: 3000, Usual: 75} }

func (game) Version() int { return 1 }

// New returns the position with the empty deck (QM-1).
func (game) New(setup games.Setup) games.State {
	p := newPosition(setup.Option("blocked") == blockedValues[1])
	p.limited = setup.Option("quiet") == quietValues[1]
	return state{p}
}

func (game) Info() games.Info {
	return games.NewInfo(key, "aim", "deck", "turn", "capture", "free", "end", "tips", "writing", "options")
}
