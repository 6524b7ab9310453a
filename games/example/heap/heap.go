// Package heap is a small game that shows how to add a game: the player who takes the last coin of a heap wins. The
// game has an option, two to four players, dice, a forced move, and a rule for players who leave. It hides nothing. It
// is not in the catalogue, so only tests play it.
//
// The rules: in turn, each player takes one, two or three coins. After each move that leaves coins, a die is rolled. It
// shows a 3 once in three rolls. A 3 adds a coin, at most five times in a game. The player who takes the last coin
// wins. The table takes a single remaining coin for the player without asking.
//
// The files, in the best order for writing them:
//
//	heap.go      the Game: its description, setups and traits
//	position.go  the rules, on a small value
//	state.go     games.State and games.Sim, based on the position
//	scene.go     its scene: as a picture, in words and as text
//	heap_test.go a call of gametest.Run, and tests of the rules
//
// Its sentences are in games/text/locale/heap.en.toml.
package heap

import "marque/games"

// Game is the heap game.
var Game games.Game = game{}

type game struct{}

// key is the game's name in the engine protocol and in stored data. The ids of its sentences begin with it.
const key = "heap"

// The game's option is the number of coins at the start.
const (
	optionSize = "size"
	sizeSmall  = "5"
	sizeUsual  = "12"
)

func (game) Key() string { return key }

func (game) Seats() (least, most int) { return 2, maxSeats }

func (game) Options() []games.Option {
	return []games.Option{{Key: optionSize, Values: []string{sizeUsual, sizeSmall}}}
}

func (game) Version() int { return 1 }

// Traits returns the game's traits. In the longest game, each move takes one coin, and a roll follows each move except
// the last.
func (game) Traits() games.Traits {
	return games.Traits{Chance: true, Longest: 2*(usualCoins+mostAdded) - 1, Usual: 14}
}

func (game) New(setup games.Setup) games.State {
	p := position{coins: usualCoins, seats: int8(setup.Seats), winner: nobody}
	if setup.Option(optionSize) == sizeSmall {
		p.coins = smallCoins
	}
	return state{p}
}

func (game) Info() games.Info { return games.NewInfo(key, "aim", "turn", "die") }
