package render

import (
	"math"
	"slices"

	"marque/games/scene"
)

// pieceKind is all that painting needs to know of a kind of pieces.
type pieceKind struct {
	// paint paints a piece round (0,0), in hundredths of its size.
	paint func(*brush, *scene.Piece)
	// lit paints what shows round one that is marked, in the same units; nil for kinds that show the
	// mark in another way.
	lit func(*brush)
	// colored are samples that are shown in each player colour.
	colored []pieceSample
	// plain are samples of what else the kind looks like.
	plain []pieceSample
}

// pieceSample is a piece that is laid on a board when its palette is made.
type pieceSample struct {
	// cell is its place among the samples: a new one goes to the end, so that the others meet the
	// ground where they did, and pictures stay the same to the bit.
	cell  int
	piece scene.Piece
}

// pieceKinds are the kinds of package scene, each with its painter and with samples that together
// show every colour that it is painted in: a board's palette is made from them.
var pieceKinds = [...]pieceKind{
	scene.Token: {
		lit: func(b *brush) { b.glow(56) },
		paint: func(b *brush, p *scene.Piece) {
			layers := p.Layers
			if len(layers) == 0 {
				layers = []scene.Color{p.Color}
			}
			paintToken(b, layers, facing{angle: p.Angle, back: true, sea: p.BackOff}, scene.NoCoin, p.Count)
		},
		colored: []pieceSample{{0, scene.Piece{Layers: make([]scene.Color, 3)}}, {1, scene.Piece{BackOff: true}}},
	},
	scene.Boat: {
		lit: func(b *brush) { b.glow(52) },
		paint: func(b *brush, p *scene.Piece) {
			paintBoat(b, p.Color, p.Count)
		},
		colored: []pieceSample{{2, scene.Piece{}}},
	},
	scene.Dutchman: {
		paint: func(b *brush, _ *scene.Piece) { paintDutchman(b) },
		plain: []pieceSample{{0, scene.Piece{}}},
	},
	scene.ShipCounter: {
		paint:   func(b *brush, p *scene.Piece) { paintShipCounter(b, p.Value, p.Share, p.Color, p.Marked) },
		colored: []pieceSample{{4, scene.Piece{Value: 15, Share: 3, Marked: true}}},
		plain:   []pieceSample{{1, scene.Piece{Color: scene.NoColor, Value: 20, Share: 4}}},
	},
	scene.Warehouse: {
		lit: func(b *brush) { b.glow(54) },
		paint: func(b *brush, p *scene.Piece) {
			paintWarehouse(b)
		},
		plain: []pieceSample{{2, scene.Piece{}}},
	},
	scene.DoubleCounter: {
		lit: func(b *brush) { b.glow(56) },
		paint: func(b *brush, p *scene.Piece) {
			paintDoubleCounter(b, p.Value)
		},
		plain: []pieceSample{{3, scene.Piece{Value: 10}}},
	},
	scene.Pirate: {
		lit: func(b *brush) { b.glow(56) },
		paint: func(b *brush, p *scene.Piece) {
			// A back is given as where it is turned to; the face looks the other way.
			paintToken(b, []scene.Color{p.Color}, facing{angle: p.Angle + math.Pi, back: p.HasBack}, p.Carries, 0)
		}, // in the colours of tokens and coins
	},
	scene.Coin: {
		lit: func(b *brush) { b.glow(54) },
		paint: func(b *brush, p *scene.Piece) {
			paintCoin(b, p.Carries)
		},
		plain: []pieceSample{{4, scene.Piece{Carries: scene.Gold}}, {5, scene.Piece{Carries: scene.Silver}}},
	},
	scene.TradingShip: {
		lit:   func(b *brush) { b.frame(100, tradingHeight, 2, 9) },
		paint: func(b *brush, _ *scene.Piece) { paintTradingShip(b) },
		plain: []pieceSample{{8, scene.Piece{Value: 3, Text: "S1"}}},
	},
	scene.Card: {
		lit:     func(b *brush) { b.frame(100, cardHeight, 3, 13) },
		paint:   func(b *brush, p *scene.Piece) { paintCard(b, *p) },
		colored: []pieceSample{{3, scene.Piece{Suit: scene.PirateShipCard, Value: 3}}},
		plain:   []pieceSample{{6, scene.Piece{Suit: scene.AdmiralCard}}, {7, scene.Piece{Suit: scene.SeaCard, Text: "C4"}}},
	},
	scene.CardBack: {
		paint: func(b *brush, p *scene.Piece) { paintCardBack(b, p.Suit, p.Count) },
		plain: []pieceSample{{9, scene.Piece{Suit: scene.SeaCard, Count: 3}}, {10, scene.Piece{Suit: scene.TradingCard, Count: 3}}},
	},
	scene.Die: {
		paint: func(b *brush, p *scene.Piece) { paintDie(b, p.Value, p.Marked) },
		plain: []pieceSample{{11, scene.Piece{Value: 3}}},
	},
}

// paintPiece paints one piece in hundredths of its size; nothing for a kind that there is not.
func paintPiece(b *brush, p *scene.Piece) {
	if p.Kind >= 0 && int(p.Kind) < len(pieceKinds) {
		pieceKinds[p.Kind].paint(b, p)
	}
}

// litOf paints what shows round a piece, nil for nothing.
func litOf(p *scene.Piece) func(*brush) {
	if !p.Marked || p.Kind < 0 || int(p.Kind) >= len(pieceKinds) {
		return nil
	}
	return pieceKinds[p.Kind].lit
}

// sampledPieces are the samples of all kinds, those of each player colour first.
func sampledPieces() []scene.Piece {
	var colored, plain []pieceSample
	for kind, k := range pieceKinds {
		colored = append(colored, ofKind(kind, k.colored)...)
		plain = append(plain, ofKind(kind, k.plain)...)
	}
	byCell := func(a, b pieceSample) int { return a.cell - b.cell }
	slices.SortFunc(colored, byCell)
	slices.SortFunc(plain, byCell)
	var out []scene.Piece
	for c := scene.Red; c <= scene.Violet; c++ {
		for _, s := range colored {
			p := s.piece
			p.Color = c
			if p.BackOff {
				p.Angle = float64(c)
			}
			p.Layers = slices.Repeat([]scene.Color{c}, len(p.Layers))
			out = append(out, p)
		}
	}
	for _, s := range plain {
		out = append(out, s.piece)
	}
	return out
}

func ofKind(kind int, samples []pieceSample) []pieceSample {
	samples = slices.Clone(samples)
	for i := range samples {
		samples[i].piece.Kind = scene.PieceKind(kind)
	}
	return samples
}
