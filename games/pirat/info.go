package pirat

import "marque/games"

// Game is All against All (Pirat).
var Game games.Game = game{}

type game struct{}

// key is the game's name in the engine protocol and the store.
const key = "pirat"

func (game) Key() string { return key }

func (game) Seats() (least, most int) { return leastSeats, mostSeats }

func (game) Options() []games.Option { return nil }

// Traits reports chance and hidden hands. The limit of plays follows from the fact that each card is dealt, drawn and
// played at most once.
func (game) Traits() games.Traits {
	return games.Traits{Chance: true, Hidden: true, Longest: 3 * deckSize, Usual: 180}
}

func (game) Version() int { return 1 }

func (game) New(setup games.Setup) games.State { return state{start(setup.Seats)} }

func (game) Info() games.Info {
	return games.NewInfo(key, "aim", "cards", "turn", "attack", "captains", "prizes", "end", "tips", "moves")
}
