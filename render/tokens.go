package render

import (
	"image/color"
	"math"
	"strconv"

	"marque/games/scene"
)

// Pieces are painted round (0,0) in hundredths of their size.

// facing says what shows of a pirate's direction.
type facing struct {
	angle float64 // where the face looks
	back  bool    // whether it has a back that matters
}

// paintWalker paints a pirate of the triangle board, with what it carries.
func paintWalker(b *brush, c scene.Color, f facing, carries scene.Carry) {
	b.shadow(0, 3, 50)
	paintPirate(b, c, f)
	if carries != scene.NoCoin {
		b.at(27, -29, 0.5, func() { paintCoin(b, carries) })
	}
}

// paintPirate is the token itself: a head in a bandana that looks along the angle, and
// behind it, like a wall, the back that it may not turn through.
func paintPirate(b *brush, c scene.Color, f facing) {
	main := b.p.of(c)
	edge := darker(main, 0.72)
	b.Push()
	defer b.Pop()
	if f.back {
		b.Rotate(f.angle)
		b.polygon(44, -15, 60, 0, 44, 15) // the way it looks
		b.paint(lighter(main, 0.55), edge, 3)
	} else {
		b.Rotate(math.Pi / 2)
	}
	b.DrawCircle(0, 0, 47)
	b.paint(main, edge, 4)
	b.DrawCircle(0, 0, 41)
	b.stroke(lighter(main, 0.3), 2)

	// The face, at the front of the head.
	skin, line := b.p.skin, hex(0x2a1810)
	b.DrawEllipse(13, 24, 7, 6) // ears
	b.DrawEllipse(13, -24, 7, 6)
	b.paint(darker(skin, 0.15), line, 2)
	b.DrawEllipse(10, 0, 29, 26)
	b.paint(skin, line, 2.5)
	b.smooth([]scene.Point{{X: 27, Y: -20}, {X: 30, Y: -8}, {X: 31, Y: 0}, {X: 30, Y: 8}, {X: 27, Y: 20}, {X: 37, Y: 11}, {X: 42, Y: 0}, {X: 37, Y: -11}}, true) // beard
	b.fill(hex(0x3b2416))
	b.DrawEllipse(17, 10.5, 6.5, 7) // patch
	b.fill(line)
	b.DrawLine(4, -21, 22, 18)
	b.stroke(line, 2.5)
	b.DrawCircle(17, -10.5, 5.6)
	b.paint(hex(0xfffdf5), line, 1.6)
	b.DrawCircle(18.5, -10.5, 2.7)
	b.fill(line)
	b.DrawEllipse(24, 0, 6, 4.5)
	b.paint(mix(skin, hex(0xc2543c), 0.45), line, 1.6)

	// The bandana over the crown, with the colour's sign.
	cloth := mix(main, hex(0xffffff), 0.06)
	b.NewSubPath()
	b.MoveTo(8, -30)
	b.CubicTo(-2, -33, -34, -30, -36, 0)
	b.CubicTo(-34, 30, -2, 33, 8, 30)
	b.CubicTo(12, 14, 12, -14, 8, -30)
	b.ClosePath()
	b.paint(cloth, edge, 3)
	b.NewSubPath()
	b.MoveTo(8, -30)
	b.CubicTo(12, -14, 12, 14, 8, 30)
	b.stroke(lighter(main, 0.75), 3.4)

	if f.back {
		paintBack(b)
	}
	b.Rotate(-paintTurned(b, f))
	x, y := -13*math.Cos(paintTurned(b, f)), -13*math.Sin(paintTurned(b, f))
	b.signed(c, x, y, 15.5, cloth)
}

// paintTurned is the angle that the pirate's own axis has on the board.
func paintTurned(b *brush, f facing) float64 {
	if f.back {
		return f.angle
	}
	return math.Pi / 2
}

// paintBack is the wall behind a token: black with studs.
func paintBack(b *brush) {
	const half = 1.02
	b.NewSubPath()
	b.DrawArc(0, 0, 53, math.Pi-half, math.Pi+half)
	b.LineTo(36*math.Cos(math.Pi+half*0.82), 36*math.Sin(math.Pi+half*0.82))
	b.QuadraticTo(-41, 0, 36*math.Cos(math.Pi-half*0.82), 36*math.Sin(math.Pi-half*0.82))
	b.ClosePath()
	b.SetLineJoinRound()
	b.SetColor(hex(0xfff6e0))
	b.SetLineWidth(5.5 * b.k)
	b.StrokePreserve()
	b.fill(hex(0x15100e))
	for _, a := range []float64{-0.66, -0.22, 0.22, 0.66} {
		b.DrawCircle(45.5*math.Cos(math.Pi+a), 45.5*math.Sin(math.Pi+a), 3)
		b.fill(b.p.brass)
	}
}

// paintBadge is a small round sign with a number.
func paintBadge(b *brush, s string, x, y, r float64, fill, ink color.RGBA) {
	b.DrawCircle(x, y, r)
	b.paint(fill, ink, 3)
	b.text(s, x, y, b.fitted(s, r*1.45, r*1.6), ink)
}

// short writes a number in at most four signs.
func short(n int) string {
	switch {
	case n <= -1_000_000 || n >= 1_000_000_000:
		return "∞"
	case n >= 1_000_000:
		return strconv.Itoa(n/1_000_000) + "M"
	case n >= 10_000:
		return strconv.Itoa(n/1000) + "k"
	}
	return strconv.Itoa(n)
}

// paintCoin is a coin of gold (a crown) or silver (an eight, as on the Spanish dollar).
func paintCoin(b *brush, c scene.Carry) {
	metal := b.p.silver
	if c == scene.Gold {
		metal = b.p.gold
	}
	edge := darker(metal, 0.68)
	b.shadow(0, 2, 46)
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
