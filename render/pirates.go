package render

import (
	"image/color"
	"math"

	"marque/games/scene"
)

// This file paints the island of Pirate versus Pirate with its rowboats, crews and coins. Pieces are painted around
// (0,0) in hundredths of their size.

// paintIsland paints a beach and the surf around it, in a wooden frame whose width is s.Width.
func paintIsland(b *brush, s *scene.Shape) {
	b.SetLineJoinRound()
	line := func(c color.Color, width float64) {
		b.lines(s.Points, true)
		b.stroke(c, 2*width)
	}
	line(mix(b.p.sea, lighter(b.p.sandAlt, 0.5), 0.13), s.Width+24)
	wood, sand := mix(b.p.wood, b.p.hull, 0.3), b.p.sand
	line(darker(wood, 0.65), s.Width)
	line(lighter(wood, 0.15), s.Width-2.5)
	line(wood, s.Width-8)
	line(darker(wood, 0.65), 3)
	b.lines(s.Points, true)
	b.fill(sand)
	b.lines(s.Points, true)
	b.Clip()
	line(faded(darker(sand, 0.6), 0.25), 6) // the frame's shadow
	b.ResetClip()
}

// paintRowboat paints a rowboat from above. The first of its three points is the bow. The gunwale has the boat's colour
// and at most the width s.Width. A thwart is where the two rows of triangles meet, and the player's sign is in the
// middle.
func paintRowboat(b *brush, s *scene.Shape) {
	x0, y0, x1, y1 := extent(s.Points)
	main, wood := b.p.of(s.Color), b.p.wood
	rim := math.Min(s.Width, 0.13*math.Max(x1-x0, y1-y0))
	u := rim / 22
	bow, stern := s.Points[0], s.Points[1:]
	// at returns a point of the boat. along is 0 at the stern and 1 at the bow; across is -1 and 1 at the sides.
	at := func(along, across float64) scene.Point {
		mid, side := (1-along)/2, across*(1-along)/2
		return scene.Point{
			X: bow.X*along + stern[0].X*(mid-side) + stern[1].X*(mid+side),
			Y: bow.Y*along + stern[0].Y*(mid-side) + stern[1].Y*(mid+side),
		}
	}
	edge, bright := darker(main, 0.72), mix(main, lighter(wood, 0.3), 0.25)
	b.SetLineJoinRound()
	b.SetLineCapButt()
	sides := []scene.Point{stern[0], bow, stern[1]}
	fore := scene.Point{X: bow.X - (stern[0].X+stern[1].X)/2, Y: bow.Y - (stern[0].Y+stern[1].Y)/2}
	beyond := func(p scene.Point) scene.Point { return scene.Point{X: p.X + 1.5*fore.X, Y: p.Y + 1.5*fore.Y} }
	// The gunwale ends at the stern.
	b.lines([]scene.Point{at(0, -2), at(0, 2), beyond(at(0, 2)), beyond(at(0, -2))}, true)
	b.Clip()
	b.SetLineCapSquare()
	for _, g := range []struct {
		c     color.RGBA
		width float64
	}{{edge, rim}, {bright, rim - 3*u}, {edge, 3 * u}} {
		b.lines(sides, false)
		b.stroke(g.c, 2*g.width)
	}
	b.ResetClip()
	b.SetLineCapButt()
	b.lines(s.Points, true)
	b.fill(wood)
	b.lines(s.Points, true)
	b.Clip()
	b.lines([]scene.Point{at(0, 0), at(0.5, -1), at(0.5, 1)}, true)
	b.fill(mix(wood, main, 0.75))
	b.lines([]scene.Point{at(0.5, -1), at(0, 0), at(0.5, 1)}, false)
	b.stroke(darker(wood, 0.6), 3*u)
	for _, bench := range []struct{ along, width float64 }{{0.5, 11}, {0, 16}} {
		p, q := at(bench.along, -1), at(bench.along, 1)
		b.DrawLine(p.X, p.Y, q.X, q.Y)
		b.stroke(edge, bench.width*u)
		b.DrawLine(p.X, p.Y, q.X, q.Y)
		b.stroke(bright, (bench.width-5)*u)
	}
	b.ResetClip()
	b.SetLineCapRound()
	m := at(1.0/3, 0)
	b.signed(s.Color, m.X, m.Y, 21*u, main)
}

// paintCoinSpace paints a hollow for a coin, which must not look like a coin.
func paintCoinSpace(b *brush, m scene.Material, x, y, r float64) {
	metal := b.p.silver
	if m == scene.GoldSpace {
		metal = b.p.gold
	}
	b.DrawCircle(x, y, r)
	b.fill(darker(b.p.wood, 0.7))
	c := mix(metal, hex(0xffffff), 0.1)
	b.SetDash(r*0.28*b.k, r*0.19*b.k)
	b.DrawCircle(x, y, r*0.86)
	b.stroke(c, r*0.11)
	b.SetDash()
	if m == scene.GoldSpace {
		s := r * 0.021
		b.polygon(x-21*s, y+15*s, x-25*s, y-14*s, x-11*s, y, x, y-21*s, x+11*s, y, x+25*s, y-14*s, x+21*s, y+15*s)
		b.fill(c)
		return
	}
	b.text("8", x, y, r*1.1, c)
}

// paintSailor paints a pirate of a crew: a disc in the crew's colour, a face below a bandana with the crew's sign, and
// the carried coin.
func paintSailor(b *brush, p *scene.Piece) {
	main := b.p.of(p.Color)
	edge, line, skin := darker(main, 0.72), hex(0x2a1810), b.p.skin
	b.shadow(3, 50)
	b.DrawCircle(0, 0, 47)
	b.paint(main, edge, 4)
	b.SetLineCapRound()
	b.DrawArc(0, 0, 41, math.Pi*1.08, math.Pi*1.5) // light on its rim
	b.stroke(lighter(main, 0.6), 3.5)

	for _, x := range []float64{-26, 26} {
		b.DrawEllipse(x, 10, 5.5, 7)
	}
	b.paint(darker(skin, 0.15), line, 2)
	b.DrawEllipse(0, 8, 26, 29)
	b.paint(skin, line, 2.5)
	b.smooth([]scene.Point{{X: -25, Y: 15}, {X: -12, Y: 21}, {X: 0, Y: 19}, {X: 12, Y: 21}, {X: 25, Y: 15},
		{X: 17, Y: 33}, {X: 0, Y: 40}, {X: -17, Y: 33}}, true)
	b.fill(hex(0x3b2416))
	b.DrawEllipse(0, 27, 7.5, 2.5)
	b.fill(mix(skin, hex(0xc2543c), 0.6))
	b.DrawCircle(-11, 8, 5.6)
	b.paint(hex(0xfffdf5), line, 1.6)
	b.DrawCircle(-10, 9, 2.7)
	b.fill(line)
	b.DrawLine(2, -4, 24, 14)
	b.stroke(line, 2.5)
	b.DrawEllipse(11, 9, 7.5, 6.8)
	b.fill(line)
	b.DrawEllipse(0, 16, 4.8, 4)
	b.paint(mix(skin, hex(0xc2543c), 0.45), line, 1.4)

	cloth := mix(main, hex(0xffffff), 0.06)
	b.NewSubPath()
	b.MoveTo(-30, 1)
	b.CubicTo(-36, -48, 36, -48, 30, 1)
	b.CubicTo(14, -6, -14, -6, -30, 1)
	b.ClosePath()
	b.paint(cloth, edge, 3)
	b.NewSubPath()
	b.MoveTo(-29, -1)
	b.CubicTo(-14, -8, 14, -8, 29, -1)
	b.stroke(lighter(main, 0.75), 3)
	b.signed(p.Color, 0, -20, 19, cloth)

	if p.Carries != scene.NoCoin {
		x := 26.0
		if p.HasBack && math.Cos(p.Angle) > 0.2 {
			x = -x // away from the back
		}
		b.at(x, 27, 0.58, func() { paintCoin(b, p.Carries) })
	}
}

// back adds the studded wall at a pirate's back on top of all pieces and marks, because neighbouring pieces would hide
// it. The wall is almost inside its pirate's disc, so that it does not seem to belong to a neighbour.
func (c *composer) back(p *scene.Piece, it item, size float64) {
	if !p.HasBack {
		return
	}
	angle := p.Angle
	it.key = spriteKey{kind: backSprite, ghost: p.Ghost, n: [12]int32{int32(size * 8), it.key.n[3]}}
	it.paint = func(b *brush) {
		b.at(0, 0, size/100, func() {
			b.Rotate(angle)
			b.DrawRoundedRectangle(29, -34, 16, 68, 6)
			b.SetColor(hex(0xfff6e0))
			b.SetLineWidth(5 * b.k)
			b.StrokePreserve()
			b.fill(hex(0x15100e))
			for _, y := range []float64{-25, -8, 8, 25} {
				b.DrawCircle(37, y, 3.6)
			}
			b.fill(b.p.brass)
		})
	}
	c.late = append(c.late, it)
}

// paintCoin paints a gold coin with a crown, or a silver coin with an eight, as on the Spanish dollar.
func paintCoin(b *brush, c scene.Carry) {
	metal := b.p.silver
	if c == scene.Gold {
		metal = b.p.gold
	}
	edge := darker(metal, 0.68)
	b.shadow(2, 46)
	b.DrawCircle(0, 0, 46)
	b.paint(metal, edge, 5)
	b.gleam(0, 0, 41)
	b.DrawArc(0, 0, 39, math.Pi*0.9, math.Pi*1.7)
	b.stroke(lighter(metal, 0.7), 4)
	b.DrawCircle(0, 0, 33)
	b.stroke(darker(metal, 0.3), 3)
	if c == scene.Gold {
		b.polygon(-21, 15, -25, -14, -11, 0, 0, -21, 11, 0, 25, -14, 21, 15)
		b.SetLineJoinRound()
		b.paint(darker(metal, 0.45), edge, 2.5)
		return
	}
	b.text("8", 0, 0, 50, darker(metal, 0.66))
}
