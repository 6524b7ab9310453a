package heap

import (
	"strconv"
	"strings"

	"marque/games"
	"marque/games/scene"
	"marque/games/text"
)

// The sizes of the picture, which shows coins in rows of six on a table, and the die in a corner.
const (
	width, height = 1000.0, 500.0
	perRow        = 6
	coinSize      = 110.0
)

var (
	firstCoin = scene.Point{X: 110, Y: 110}
	diePlace  = scene.Point{X: 890, Y: 390}
)

// place returns the centre of a coin, counted from 0.
func place(coin int) scene.Point {
	return scene.Point{X: firstCoin.X + float64(coin%perRow)*coinSize*1.2,
		Y: firstCoin.Y + float64(coin/perRow)*coinSize*1.2}
}

func coin(n int) scene.Piece {
	return scene.Piece{Kind: scene.Coin, Carries: scene.Gold, At: place(n), Size: coinSize}
}

// spot returns the name of a coin's place. A player who chooses a coin takes this coin and all later ones.
func spot(n int) string { return "coin " + strconv.Itoa(n) }

// Scene returns a picture of the coins and the latest roll. Coins that the latest moves took are faint.
func (s state) Scene(_ games.Seat, trail []games.Step) scene.Scene {
	sc := scene.Scene{
		Board: key, W: width, H: height,
		Ground: []scene.Shape{{Kind: scene.Polygon, Material: scene.Felt,
			Points: []scene.Point{{}, {X: width}, {X: width, Y: height}, {Y: height}}}},
		Status: []scene.Stat{{Icon: scene.GoldIcon, Value: strconv.Itoa(int(s.coins)), Label: text.M("heap.stat.coins",
			"Count", int(s.coins))}},
		Text:   []string{strings.TrimSpace(strings.Repeat("o ", int(s.coins)))},
		Legend: []text.Message{text.M("heap.legend.coin")},
	}
	for n := range int(s.coins) {
		sc.Pieces = append(sc.Pieces, coin(n))
		sc.Spots = append(sc.Spots, scene.Spot{Name: spot(n), At: place(n), Beside: place(n), R: coinSize / 2})
	}
	for _, step := range trail {
		before, ok := step.Before.(state)
		switch {
		case !ok:
		case step.Seat == games.Chance:
			sc.Pieces = append(sc.Pieces, scene.Piece{Kind: scene.Die, Value: int(step.Move - rolled), At: diePlace,
				Size: coinSize})
		default:
			for n := int(s.coins); n < int(before.coins); n++ {
				taken := coin(n)
				taken.Ghost = true
				sc.Pieces = append(sc.Pieces, taken)
			}
		}
	}
	for seat := range games.Seat(s.seats) {
		sc.Panels = append(sc.Panels, scene.Panel{Seat: int(seat), Color: scene.ColorOf(seat),
			ToMove: s.ToMove() == seat,
			Out:    s.gone.Has(seat), Winner: games.Seat(s.winner) == seat})
	}
	if s.winner != nobody {
		sc.Won = text.M("heap.won")
	}
	sc.Alt = s.alt(trail)
	return sc
}

// alt returns the alt text: the result, the roll that is due or the player to move, then the latest plays, and the
// number of coins.
func (s state) alt(trail []games.Step) []text.Message {
	var alt []text.Message
	switch {
	case s.winner != nobody:
		alt = append(alt, s.Result().Why)
	case s.dice:
		alt = append(alt, text.M("heap.alt.roll"))
	default:
		alt = append(alt, text.M("heap.alt.turn", "Who", text.Player(s.turn)))
	}
	alt = append(alt, games.Descriptions(trail)...)
	return append(alt, text.M("heap.stat.coins", "Count", int(s.coins)))
}
