package render

import (
	"fmt"
	"math"

	"marque/games/deck"
	"marque/games/scene"
	"marque/games/text"
)

func rect(x, y, w, h float64) []scene.Point {
	return []scene.Point{{X: x, Y: y}, {X: x + w, Y: y}, {X: x + w, Y: y + h}, {X: x, Y: y + h}}
}

func deckPlace(s int) scene.Point { return deck.Place(deck.Space(s - 1)) }

func deckScene() scene.Scene {
	s := deck.Galley.Scene()
	look := func(from, to int) float64 {
		a, b := deckPlace(from), deckPlace(to)
		return math.Atan2(b.Y-a.Y, b.X-a.X)
	}
	tok := func(c scene.Color, at, back int, under ...scene.Color) {
		p := scene.Piece{Kind: scene.Token, Color: c, At: deckPlace(at), Size: 92, Layers: append(under, c)}
		if back == 0 {
			p.BackOff = true
			p.Angle = math.Atan2(600-p.At.Y, 500-p.At.X)
		} else {
			p.Angle = look(back, at)
		}
		if len(under) >= 5 {
			p.Count = len(under) + 1
			p.Layers = p.Layers[len(p.Layers)-1:]
		}
		s.Pieces = append(s.Pieces, p)
	}
	s.Pieces = append(s.Pieces, scene.Piece{Kind: scene.Token, Color: scene.Blue, At: deckPlace(9), Size: 92,
		Layers: []scene.Color{scene.Blue}, Ghost: true, Angle: look(7, 9)})
	tok(scene.Red, 1, 0)
	tok(scene.Blue, 8, 2)
	tok(scene.Red, 14, 2)
	tok(scene.Blue, 11, 13)
	tok(scene.Blue, 10, 9)
	tok(scene.Red, 12, 10, scene.Blue)
	tok(scene.Green, 16, 15, scene.Red, scene.Blue, scene.Red)
	tok(scene.Yellow, 17, 5, scene.Red, scene.Blue, scene.Red, scene.Red, scene.Blue)
	tok(scene.Violet, 5, 13)
	tok(scene.Yellow, 18, 16)
	tok(scene.Blue, 6, 0)
	s.Marks = []scene.Mark{
		{Kind: scene.Arrow, Points: []scene.Point{deckPlace(9), deckPlace(10)}, Color: scene.Blue},
		{Kind: scene.Threat, Points: []scene.Point{deckPlace(11), deckPlace(15)}, Color: scene.Blue},
		{Kind: scene.Captured, Points: []scene.Point{deckPlace(15)}, R: 40, Color: scene.Red},
		{Kind: scene.Placed, Points: []scene.Point{deckPlace(6)}, R: 56, Color: scene.Blue},
		{Kind: scene.Ring, Points: []scene.Point{deckPlace(8)}, R: 58},
	}
	s.Panels = []scene.Panel{
		{Seat: 0, Color: scene.Red, ToMove: true, Stats: []scene.Stat{{Icon: scene.ReserveIcon, Value: "5"}, {Icon: scene.CaptiveIcon, Value: "2"}, {Icon: scene.TowerIcon, Value: "3"}}},
		{Seat: 1, Color: scene.Blue, Stats: []scene.Stat{{Icon: scene.ReserveIcon, Value: "4"}, {Icon: scene.CaptiveIcon, Value: "1"}}},
	}
	s.Status = []scene.Stat{{Icon: scene.DieIcon, Value: "2", Dice: []int{2}}, {Icon: scene.ClockIcon, Value: "17"}}
	return s
}

func seaScene() scene.Scene {
	s := scene.Scene{Board: "sea-sample", W: 1000, H: 1000}
	g := func(sh scene.Shape) { sh.Color = scene.NoColor; s.Ground = append(s.Ground, sh) }
	g(scene.Shape{Kind: scene.Polygon, Material: scene.Parchment, Points: rect(0, 0, 1000, 1000)})
	const q = 130.0
	for r := range 7 {
		for c := range 7 {
			m := scene.Sea
			if (r+c)%2 == 1 {
				m = scene.SeaAlt
			}
			g(scene.Shape{Kind: scene.Polygon, Material: m, Points: rect(60+float64(c)*q, 60+float64(r)*q, q, q),
				Width: 2})
		}
	}
	for i := range 7 {
		at := 60 + (float64(i)+0.5)*q
		g(scene.Shape{Kind: scene.Label, Points: []scene.Point{{X: at, Y: 32}}, R: 34, Text: string(rune('A' + i)),
			Material: scene.Ink})
		g(scene.Shape{Kind: scene.Label, Points: []scene.Point{{X: 32, Y: at}}, R: 34, Text: fmt.Sprint(i + 1),
			Material: scene.Ink})
	}
	vals := []int{5, 10, 15, 20}
	for r := range 6 {
		for c := range 6 {
			n := r*6 + c
			at := scene.Point{X: 60 + float64(c+1)*q, Y: 60 + float64(r+1)*q}
			p := scene.Piece{Kind: scene.ShipCounter, At: at, Size: 82, Value: vals[n%4], Share: n%4 + 1}
			switch {
			case n == 3 || n == 17:
				p = scene.Piece{Kind: scene.Warehouse, At: at, Size: 82}
			case n == 9 || n == 22:
				p = scene.Piece{Kind: scene.DoubleCounter, At: at, Size: 82, Value: vals[n%4]}
			case n%7 == 2:
				p.Color = scene.ColorOf(n % 4)
			}
			p.Marked = p.Kind == scene.ShipCounter && p.Value == 15
			s.Pieces = append(s.Pieces, p)
		}
	}
	for i := range 14 {
		r, c := i*5%7, i*3%7
		s.Pieces = append(s.Pieces, scene.Piece{Kind: scene.Boat, At: scene.Point{X: 60 + (float64(c)+0.5)*q,
			Y: 60 + (float64(r)+0.5)*q}, Size: 82, Color: scene.ColorOf(i % 4), Count: i % 3})
	}
	s.Pieces = append(s.Pieces, scene.Piece{Kind: scene.Dutchman, At: scene.Point{X: 60 + 2.5*q, Y: 60 + 3.5*q},
		Size: 80})
	for i, v := range []string{"$12", "$7", "$36", "$0"} {
		s.Panels = append(s.Panels, scene.Panel{Seat: i, Color: scene.ColorOf(i), ToMove: i == 2, Out: i == 3,
			Winner: i == 1, Stats: []scene.Stat{{Icon: scene.MoneyIcon, Value: v, Head: text.Raw("Money")},
				{Icon: scene.DebtIcon, Value: "$7", Head: text.Raw("Debt")}, {Icon: scene.BoatIcon, Value: "18",
					Head: text.Raw("Boats")}, {Icon: scene.ShipIcon, Value: "45"},
				{Icon: scene.CardIcon, Value: "5", Head: text.Raw("Cards")}}})
	}
	s.Status = []scene.Stat{{Icon: scene.SeaCardIcon, Value: "54"}, {Icon: scene.DutchmanIcon, Value: "10"},
		{Icon: scene.WarehouseIcon, Value: "15"}}
	for i := range 15 {
		s.Hand = append(s.Hand, scene.Piece{Kind: scene.Card, Suit: scene.SeaCard,
			Text: fmt.Sprintf("%c%d", 'A'+i%7, i*3%7+1)})
	}
	s.Hand = append(s.Hand, scene.Piece{Kind: scene.Card, Suit: scene.DutchmanCard, Text: "C"},
		scene.Piece{Kind: scene.Card, Suit: scene.DutchmanCard, Text: "3", Marked: true})
	s.Won = text.Raw("Score 64 : 45 : 36 : 12")
	return s
}

func triangleScene() scene.Scene {
	s := scene.Scene{Board: "triangle-sample", W: 1000, H: 1179, CornerPanels: 334}
	const half, high = 47.5, 47.5 * 7 / 3
	corner := func(r, k int) []scene.Point { // k counts from 1
		x, y := 500+float64(k-r-2)*half, 35+float64(r)*high
		if k%2 == 1 {
			return []scene.Point{{X: x, Y: y + high}, {X: x + half, Y: y}, {X: x + 2*half, Y: y + high}}
		}
		return []scene.Point{{X: x, Y: y}, {X: x + half, Y: y + high}, {X: x + 2*half, Y: y}}
	}
	mid := func(r, k int) scene.Point {
		var m scene.Point
		for _, p := range corner(r, k) {
			m.X += p.X / 3
			m.Y += p.Y / 3
		}
		return m
	}
	left, tip, right := corner(9, 1)[0], corner(0, 1)[1], corner(9, 19)[2]
	s.Ground = append(s.Ground,
		scene.Shape{Kind: scene.Polygon, Material: scene.Sea, Points: rect(0, 0, 1000, 1179)},
		scene.Shape{Kind: scene.Polygon, Material: scene.Sand, Points: []scene.Point{left, tip, right}, Width: 22})
	for r := range 10 {
		for k := 1; k <= 2*r+1; k++ {
			if k%2 == 0 {
				s.Ground = append(s.Ground, scene.Shape{Kind: scene.Polygon, Material: scene.SandAlt,
					Points: corner(r, k), Width: 2})
			}
			s.Ground = append(s.Ground, scene.Shape{Kind: scene.Label, Material: scene.Ink, R: 32, Text: fmt.Sprint(k),
				Points: []scene.Point{mid(r, k)}, Faint: true})
		}
	}
	s.Ground = append(s.Ground, scene.Shape{Kind: scene.Polygon, Material: scene.Wood,
		Points: []scene.Point{tip, corner(1, 3)[2], corner(1, 1)[0]}, Width: 22, Color: scene.Red},
		scene.Shape{Kind: scene.Disc, Material: scene.GoldSpace, Points: []scene.Point{mid(0, 1)}, R: 30},
		scene.Shape{Kind: scene.Disc, Material: scene.SilverSpace, Points: []scene.Point{mid(1, 1)}, R: 30})
	add := func(p scene.Piece) { s.Pieces = append(s.Pieces, p) }
	for i, at := range [][2]int{{3, 1}, {1, 3}, {2, 1}, {2, 2}, {3, 4}, {4, 5}} {
		add(scene.Piece{Kind: scene.Pirate, Color: scene.Red, At: mid(at[0], at[1]), Size: 69, HasBack: true,
			Angle: float64(i) * math.Pi / 3, Carries: scene.Carry(i % 3)})
	}
	for _, at := range [][2]int{{9, 2}, {9, 3}, {8, 2}, {7, 1}} {
		add(scene.Piece{Kind: scene.Pirate, Color: scene.Blue, At: mid(at[0], at[1]), Size: 69})
	}
	for _, at := range [][2]int{{9, 17}, {9, 16}, {8, 15}, {6, 9}} {
		add(scene.Piece{Kind: scene.Pirate, Color: scene.Green, At: mid(at[0], at[1]), Size: 69, Carries: scene.Gold})
	}
	add(scene.Piece{Kind: scene.Coin, Carries: scene.Gold, At: mid(6, 7), Size: 60})
	add(scene.Piece{Kind: scene.Coin, Carries: scene.Silver, At: mid(6, 6), Size: 60})
	add(scene.Piece{Kind: scene.Coin, Carries: scene.Silver, At: mid(7, 8), Size: 60})
	add(scene.Piece{Kind: scene.Die, Value: 3, At: scene.Point{X: 771, Y: 186}, Size: 84})
	add(scene.Piece{Kind: scene.Die, Value: 4, At: scene.Point{X: 872, Y: 186}, Size: 84})
	s.Marks = []scene.Mark{{Kind: scene.Arrow, Color: scene.Green, Points: []scene.Point{mid(8, 14), mid(7, 13),
		mid(7, 12), mid(7, 11), mid(6, 10), mid(6, 9)}}}
	for i := range 3 {
		s.Panels = append(s.Panels, scene.Panel{Seat: i, Color: scene.ColorOf(i), ToMove: i == 2,
			Stats: []scene.Stat{{Icon: scene.PirateIcon, Value: "6"}, {Icon: scene.SilverIcon, Value: "1"},
				{Icon: scene.GoldIcon, Value: "0"}}})
	}
	return s
}

func tableScene() scene.Scene {
	s := scene.Scene{Board: "table-sample", W: 1000, H: 860}
	s.Ground = []scene.Shape{{Kind: scene.Polygon, Material: scene.Felt, Points: rect(0, 0, 1000, 860)}}
	for i := range 6 {
		p := scene.Piece{Kind: scene.TradingShip, At: scene.Point{X: 160 + float64(i%3)*230, Y: 210 + float64(i/3)*400},
			Size: 210, Value: i%5 + 2, Text: fmt.Sprintf("S%d", i+7), Seat: i % 5, Marked: i == 2}
		for a := range i % 5 {
			p.Attacks = append(p.Attacks, scene.Attack{Seat: (i + a + 1) % 5, Color: scene.ColorOf(a), Skulls: 3*a + 2,
				Pirate: a % 3, Stronger: a == 1})
		}
		s.Pieces = append(s.Pieces, p)
	}
	s.Pieces = append(s.Pieces, scene.Piece{Kind: scene.CardBack, Suit: scene.PirateShipCard, Count: 31,
		At: scene.Point{X: 870, Y: 200}, Size: 130})
	for i := range 5 {
		s.Panels = append(s.Panels, scene.Panel{Seat: i, Color: scene.ColorOf(i), ToMove: i == 0,
			Stats: []scene.Stat{{Icon: scene.ScoreIcon, Value: fmt.Sprint(4 * i)}, {Icon: scene.CardIcon, Value: "6"}}})
	}
	s.Status = []scene.Stat{{Icon: scene.CardIcon, Value: "31"}}
	for i := range 15 {
		c := scene.Piece{Kind: scene.Card, Suit: scene.PirateShipCard, Color: scene.ColorOf(i % 4), Value: i%4 + 1}
		switch i {
		case 2, 3:
			c = scene.Piece{Kind: scene.Card, Suit: scene.TradingCard, Value: i + 2}
		case 12, 13:
			c = scene.Piece{Kind: scene.Card, Suit: scene.PirateCard, Color: scene.ColorOf(i % 4)}
		case 14:
			c = scene.Piece{Kind: scene.Card, Suit: scene.AdmiralCard}
		}
		s.Hand = append(s.Hand, c)
	}
	return s
}

var sampleNames = named("Anne Bonny", "Капитан Кидд the Long-Winded", "海賊王ルフィ", "مرحبا בריאן", "😀🏴‍☠️ Z̷o̷ë")

func named(typed ...string) []text.Name {
	out := make([]text.Name, len(typed))
	for i, t := range typed {
		out[i] = text.NewName(t)
	}
	return out
}
