package pirates

import (
	"marque/games"
	"marque/games/text"
)

// Game is Pirate versus Pirate.
var Game games.Game = game{}

type game struct{}

const key = "pirate-versus-pirate"

// backstabbing is the table option of PP-12: `on` is the game without backs, `off` the
// variant No Backstabbing.
const backstabbing = "backstabbing"

func (game) Key() string              { return key }
func (game) Seats() (least, most int) { return 2, maxSeats }
func (game) Version() int             { return 1 }

func (game) Options() []games.Option {
	return []games.Option{{Key: backstabbing, Values: []string{"on", "off"}}}
}

func (game) New(setup games.Setup) games.State {
	return state{newPosition(setup.Seats, setup.Option(backstabbing) == "off")}
}

func (game) Info() games.Info {
	return games.Info{
		Name:    text.M("pirate-versus-pirate.name"),
		Tagline: text.M("pirate-versus-pirate.tagline"),
		Credits: text.M("pirate-versus-pirate.credits"),
		Quick: []text.Message{
			text.M("pirate-versus-pirate.quick.1"),
			text.M("pirate-versus-pirate.quick.2"),
			text.M("pirate-versus-pirate.quick.3"),
			text.M("pirate-versus-pirate.quick.4"),
			text.M("pirate-versus-pirate.quick.5"),
		},
		Rules: []games.Section{
			{Key: "aim", Title: text.M("pirate-versus-pirate.rules.aim.title"), Body: text.M("pirate-versus-pirate.rules.aim.body")},
			{Key: "board", Title: text.M("pirate-versus-pirate.rules.board.title"), Body: text.M("pirate-versus-pirate.rules.board.body")},
			{Key: "turn", Title: text.M("pirate-versus-pirate.rules.turn.title"), Body: text.M("pirate-versus-pirate.rules.turn.body")},
			{Key: "coins", Title: text.M("pirate-versus-pirate.rules.coins.title"), Body: text.M("pirate-versus-pirate.rules.coins.body")},
			{Key: "attack", Title: text.M("pirate-versus-pirate.rules.attack.title"), Body: text.M("pirate-versus-pirate.rules.attack.body")},
			{Key: "end", Title: text.M("pirate-versus-pirate.rules.end.title"), Body: text.M("pirate-versus-pirate.rules.end.body")},
			{Key: "backs", Title: text.M("pirate-versus-pirate.rules.backs.title"), Body: text.M("pirate-versus-pirate.rules.backs.body")},
			{Key: "notation", Title: text.M("pirate-versus-pirate.rules.notation.title"), Body: text.M("pirate-versus-pirate.rules.notation.body")},
		},
	}
}
