package piratevspirate

import "marque/games"

// Game is Pirate versus Pirate.
var Game games.Game = game{}

type game struct{}

const key = "pirate-versus-pirate"

// backstabbing is the table option of PP-12. "on" plays without backs, and "off" is the variant No Backstabbing.
const backstabbing = "backstabbing"

func (game) Key() string              { return key }
func (game) Seats() (least, most int) { return 2, maxSeats }
func (game) Version() int             { return 1 }

// Traits reports dice and no hidden information. The median length of random games, including rolls, ranges from 720
// plays (two seats) to 1,240 (three seats, backs). Nearly all of them end with the last pirate standing. The longest of
// 80,000 games had 5,846 plays.
func (game) Traits() games.Traits { return games.Traits{Chance: true, Longest: 20_000, Usual: 180} }

func (game) Options() []games.Option {
	return []games.Option{{Key: backstabbing, Values: []string{"on", "off"}}}
}

func (game) New(setup games.Setup) games.State {
	return state{newPosition(setup.Seats, setup.Option(backstabbing) == "off")}
}

func (game) Info() games.Info {
	return games.NewInfo(key, "aim", "board", "turn", "coins", "attack", "end", "backs", "tips", "notation")
}
