package render

import (
	"math"
	"slices"

	"marque/games/scene"
)

// pieceKind describes the painting of a kind of piece.
type pieceKind struct {
	// paint paints a piece around (0,0), in hundredths of its size.
	paint func(*brush, *scene.Piece)
	// lit paints the light around a marked piece, in hundredths of its size. It is nil for kinds that show the mark in
	// another way, or not at all.
	lit func(*brush)
	set set
	// colored lists samples that are shown in each player colour.
	colored []scene.Piece
	// plain lists samples of the kind's other looks.
	plain []scene.Piece
}

// set is a set of groups of pieces. The pieces of a group can appear in one picture. Each set has a palette.
type set uint8

const (
	deckSet  set = 1 << iota // tokens on a deck
	tableSet                 // cards on a table
	seaSet                   // boats on a sea
	beachSet                 // pirates who carry coins
	handSet                  // cards in a hand
	allSets  = deckSet | seaSet | beachSet | tableSet
)

// setOf returns the first group that contains all kinds of pieces of a scene, or allSets if no group does. The decks,
// which are empty at first, and the table, on which at first only cards lie, come before the other groups. So a game
// needs no palette for its first position alone.
func setOf(s *scene.Scene) set {
	in := allSets
	for i := range s.Pieces {
		if k := s.Pieces[i].Kind; k >= 0 && int(k) < len(pieceKinds) {
			in &= pieceKinds[k].set
		}
	}
	if in == 0 {
		return allSets
	}
	return in & -in
}

// pieceKinds has an entry for each kind of piece of package scene: its painter, and samples of all its colours. The
// samples determine a board's palette.
var pieceKinds = [...]pieceKind{
	scene.Token: {
		set:     deckSet,
		lit:     paintLastMoved,
		paint:   paintTower,
		colored: []scene.Piece{{Layers: make([]scene.Color, 5)}, {BackOff: true}},
		plain:   []scene.Piece{{Marked: true}},
	},
	scene.Boat: {
		set: seaSet,
		lit: paintBoatLight,
		paint: func(b *brush, p *scene.Piece) {
			paintBoat(b, p.Color, p.Count)
		},
		colored: []scene.Piece{{}},
	},
	scene.Dutchman: {
		set:   seaSet,
		paint: func(b *brush, _ *scene.Piece) { paintDutchman(b) },
		plain: []scene.Piece{{}},
	},
	scene.ShipCounter: {
		set:     seaSet,
		paint:   func(b *brush, p *scene.Piece) { paintShipCounter(b, p.Value, p.Share, p.Color, p.Marked) },
		colored: []scene.Piece{{Value: 15, Share: 3, Marked: true}},
		plain:   []scene.Piece{{Value: 20, Share: 4}},
	},
	scene.Warehouse: {
		set: seaSet,
		lit: func(b *brush) { b.glow(54) },
		paint: func(b *brush, p *scene.Piece) {
			paintWarehouse(b)
		},
		plain: []scene.Piece{{}},
	},
	scene.DoubleCounter: {
		set: seaSet,
		lit: func(b *brush) { b.glow(56) },
		paint: func(b *brush, p *scene.Piece) {
			paintDoubleCounter(b, p.Value)
		},
		plain: []scene.Piece{{Value: 10}},
	},
	scene.Pirate: {
		set:     beachSet,
		lit:     func(b *brush) { b.glow(57) },
		paint:   paintSailor,
		colored: []scene.Piece{{HasBack: true}},
	},
	scene.Coin: {
		set: beachSet,
		lit: func(b *brush) { b.glow(54) },
		paint: func(b *brush, p *scene.Piece) {
			paintCoin(b, p.Carries)
		},
		plain: []scene.Piece{{Carries: scene.Gold}, {Carries: scene.Silver}},
	},
	scene.TradingShip: {
		set:   tableSet,
		paint: func(b *brush, p *scene.Piece) { paintTradingCard(b, true, p.Marked) },
		// There is one sample for each seat. sampleOn assigns them to the seats.
		plain: slices.Repeat([]scene.Piece{{Value: 3, Text: "S1",
			Attacks: []scene.Attack{{Color: 0, Skulls: 3, Stronger: true}, {Color: 1, Pirate: 1}, {Color: 2},
				{Color: 3}}}}, players),
	},
	scene.Card: {
		set:     seaSet | tableSet | handSet,
		lit:     func(b *brush) { b.frame(100, cardHeight, 3, 13) },
		paint:   func(b *brush, p *scene.Piece) { paintCard(b, *p) },
		colored: []scene.Piece{{Suit: scene.PirateShipCard, Value: 3}, {Suit: scene.PirateCard}},
		plain: []scene.Piece{{Suit: scene.AdmiralCard}, {Suit: scene.TradingCard, Value: 4},
			{Suit: scene.SeaCard, Text: "C4"}, {Suit: scene.DutchmanCard, Text: "C"}},
	},
	scene.CardBack: {
		set:   seaSet | tableSet | handSet,
		paint: func(b *brush, p *scene.Piece) { paintCardBack(b, p.Suit, p.Count) },
		plain: []scene.Piece{{Suit: scene.SeaCard, Count: 3}, {Suit: scene.DutchmanCard, Count: 3},
			{Suit: scene.TradingCard, Count: 3}},
	},
	scene.Die: {
		set:   deckSet | beachSet,
		paint: func(b *brush, p *scene.Piece) { paintDie(b, p.Value, p.Marked) },
		plain: []scene.Piece{{Value: 3}},
	},
}

// paintPiece paints a piece; one unit of the brush is a hundredth of the piece's size. A piece of an unknown kind is
// not painted.
func paintPiece(b *brush, p *scene.Piece) {
	if p.Kind >= 0 && int(p.Kind) < len(pieceKinds) {
		pieceKinds[p.Kind].paint(b, p)
	}
}

// litOf returns the painter of a piece's light, or nil if the piece has none.
func litOf(p *scene.Piece) func(*brush) {
	if !p.Marked || p.Kind < 0 || int(p.Kind) >= len(pieceKinds) {
		return nil
	}
	return pieceKinds[p.Kind].lit
}

// sampleOn returns a scene of size w by h that shows everything of a set, in every colour.
func sampleOn(w, h float64, in set) *scene.Scene {
	out := &scene.Scene{W: w, H: h, Pieces: piecesOf(in)}
	columns := int(math.Ceil(math.Sqrt(float64(len(out.Pieces)))))
	cell := scene.Point{X: w / float64(columns), Y: h / float64(columns)}
	place := func(i int) scene.Point {
		return scene.Point{X: (float64(i%columns) + 0.35) * cell.X, Y: (float64(i/columns) + 0.5) * cell.Y}
	}
	for i := range out.Pieces {
		p := &out.Pieces[i]
		p.At, p.Size, p.Seat = place(i), math.Min(90, math.Min(cell.X, cell.Y)*0.66), i%players
	}
	for _, p := range out.Pieces { // a removed copy of each piece
		p.Ghost = true
		p.At.X += p.Size * 0.8
		out.Pieces = append(out.Pieces, p)
	}
	if in == handSet { // hands have no panels
		return out
	}
	icon := scene.NoIcon
	last := lastColor(in)
	for c := scene.NoColor; c <= last; c++ {
		at := scene.Point{X: (float64(c) + 0.5) * w / 8, Y: h * 0.1}
		to := scene.Point{X: at.X + w/20, Y: h * 0.9}
		const r = 38
		out.Marks = append(out.Marks, scene.Mark{Kind: scene.Arrow, Points: []scene.Point{to, at}, Color: c, Old: true},
			scene.Mark{Kind: scene.Arrow, Points: []scene.Point{at, to}, Color: c},
			scene.Mark{Kind: scene.Placed, Points: []scene.Point{at}, R: r, Color: c},
			scene.Mark{Kind: scene.Sides, Points: []scene.Point{at}, R: r, Color: c},
			scene.Mark{Kind: scene.Captured, Points: []scene.Point{to}, R: r, Color: c})
		p := scene.Panel{Seat: int(c), Color: c, ToMove: c == scene.Red, Winner: c == scene.Blue,
			Out: c == scene.Green}
		for range 24 / (last + 1) { // together the colours show all icons
			icon++
			p.Stats = append(p.Stats, scene.Stat{Icon: icon, Value: "58"})
		}
		out.Panels = append(out.Panels, p)
	}
	out.Marks = append(out.Marks, scene.Mark{Kind: scene.Choice, Points: []scene.Point{{X: w / 2, Y: h / 2}}, R: 40,
		Text: "58"})
	return out
}

// lastColor returns the last player colour that games with the pieces of a set have.
func lastColor(in set) scene.Color {
	if in == deckSet {
		return scene.Green
	}
	return scene.Violet
}

// piecesOf returns the samples of the kinds in some sets, first those in each player colour.
func piecesOf(in set) []scene.Piece {
	var out []scene.Piece
	for c := scene.Red; c <= lastColor(in); c++ {
		for kind, k := range pieceKinds {
			for _, p := range k.colored {
				if k.set&in == 0 {
					continue
				}
				p.Kind, p.Color = scene.PieceKind(kind), c
				if p.BackOff {
					p.Angle = float64(c)
				}
				p.Layers = slices.Repeat([]scene.Color{c}, len(p.Layers))
				out = append(out, p)
			}
		}
	}
	for kind, k := range pieceKinds {
		for _, p := range k.plain {
			if k.set&in != 0 {
				p.Kind = scene.PieceKind(kind)
				out = append(out, p)
			}
		}
	}
	return out
}
