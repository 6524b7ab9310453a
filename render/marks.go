package render

import (
	"image/color"
	"math"

	"marque/games/scene"
)

// Marks are painted in the scene's units, relative to their first point. Only the labels of choices are painted in
// pixels.

// paintArrow paints the path of a move: a ribbon with an arrowhead. An older move has a thin dashed line with a small
// arrowhead.
func paintArrow(b *brush, points []scene.Point, c scene.Color, old bool) {
	paint := b.p.of(c)
	if c == scene.NoColor {
		paint = hex(0xfff3d0)
	}
	edge := hex(0x1a100a)
	n := len(points)
	if n < 2 {
		return
	}
	tip, from := points[n-1], points[n-2]
	length := hypot(from, tip)
	if length < 1 {
		return
	}
	ux, uy := (tip.X-from.X)/length, (tip.Y-from.Y)/length
	head, ribbon, outline := math.Min(30, length*0.6), 8.5, 15.0
	if old {
		head, ribbon, outline = math.Min(20, length*0.5), 4.0, 8.0
	}
	line := append(append([]scene.Point{}, points[:n-1]...), scene.Point{X: tip.X - ux*head*0.7,
		Y: tip.Y - uy*head*0.7})
	path := func() {
		if n == 2 {
			b.lines(line, false)
		} else {
			b.smooth(line, false)
		}
	}
	b.SetLineCapRound()
	b.SetLineJoinRound()
	dashed := func(c color.Color, w float64) {
		if old {
			b.SetDash(9*b.k, 11*b.k)
		}
		path()
		b.stroke(c, w)
		b.SetDash()
	}
	dashed(faded(edge, 0.8), outline)
	point := func() {
		b.polygon(tip.X, tip.Y, tip.X-ux*head-uy*head*0.62, tip.Y-uy*head+ux*head*0.62,
			tip.X-ux*head*0.72, tip.Y-uy*head*0.72, tip.X-ux*head+uy*head*0.62, tip.Y-uy*head-ux*head*0.62)
	}
	point()
	b.SetColor(edge)
	b.SetLineWidth(6 * b.k)
	b.Stroke()
	dashed(paint, ribbon)
	point()
	b.fill(paint)
	if !old {
		b.DrawCircle(points[0].X, points[0].Y, 8)
		b.paint(paint, edge, 2.5)
	}
}

// paintThreat paints a line of dots with a barb at the target. The warning sign on the line distinguishes it from the
// dashed arrow of an older move, even in a small picture.
func paintThreat(b *brush, from, to scene.Point, c scene.Color) {
	length := hypot(from, to)
	if length < 1 {
		return
	}
	edge := hex(0x1a100a)
	ux, uy := (to.X-from.X)/length, (to.Y-from.Y)/length
	b.SetLineCapRound()
	b.SetDash(1*b.k, 13*b.k)
	for _, s := range []struct {
		c color.Color
		w float64
	}{{edge, 10.5}, {b.p.of(c), 6.5}} {
		b.DrawLine(from.X, from.Y, to.X-ux*8, to.Y-uy*8)
		b.stroke(s.c, s.w)
	}
	b.SetDash()
	b.polygon(to.X, to.Y, to.X-ux*15-uy*8, to.Y-uy*15+ux*8, to.X-ux*15+uy*8, to.Y-uy*15-ux*8)
	b.SetLineJoinRound()
	b.paint(b.p.of(c), edge, 2.5)
	// Two pieces can threaten each other on the same line, so the sign is nearer to the attacker.
	const along = 0.42
	b.at(from.X+(to.X-from.X)*along, from.Y+(to.Y-from.Y)*along, 0.88, func() { paintWarning(b, b.p.of(c)) })
}

// paintWarning paints a triangle with an exclamation mark, in the colour of the attacker.
func paintWarning(b *brush, main color.RGBA) {
	edge, bright := hex(0x1a100a), hex(0xfffdf5)
	if luminance(main) > 0.6 {
		bright = darker(main, 0.85)
	}
	b.SetLineJoinRound()
	for _, s := range []struct {
		c color.Color
		w float64
	}{{edge, 17}, {hex(0xfffdf5), 12}, {main, 4}} {
		b.polygon(0, -19, 20, 15, -20, 15)
		b.paint(main, s.c, s.w)
	}
	b.SetLineCapRound()
	b.DrawLine(0, -8, 0, 3)
	b.stroke(bright, 6.5)
	b.DrawCircle(0, 11.5, 3.4)
	b.fill(bright)
}

// paintRing paints a ring that draws attention to a place.
func paintRing(b *brush, r float64, c scene.Color) {
	paint := b.p.gold
	if c != scene.NoColor {
		paint = b.p.of(c)
	}
	b.DrawCircle(0, 0, r)
	b.stroke(hex(0x1a100a), 11)
	b.DrawCircle(0, 0, r)
	b.stroke(paint, 6.5)
	b.DrawArc(0, 0, r+0.6, math.Pi*1.05, math.Pi*1.45)
	b.stroke(lighter(paint, 0.7), 2.5)
}

// paintSides paints bars on the sides of a square whose sides are r from its middle. The corners stay free.
func paintSides(b *brush, r float64, c scene.Color) {
	paint := b.p.gold
	if c != scene.NoColor {
		paint = lighter(b.p.of(c), 0.25)
	}
	long := r * 0.22
	for _, s := range []struct {
		c    color.Color
		w, l float64
	}{{hex(0x1a100a), 13, long + 3}, {paint, 8, long}} {
		b.DrawRectangle(-s.l, -r-s.w/2, 2*s.l, s.w)
		b.DrawRectangle(-s.l, r-s.w/2, 2*s.l, s.w)
		b.DrawRectangle(-r-s.w/2, -s.l, s.w, 2*s.l)
		b.DrawRectangle(r-s.w/2, -s.l, s.w, 2*s.l)
		b.fill(s.c)
	}
}

// paintPlaced paints a ring of rays around a new piece.
func paintPlaced(b *brush, r float64, c scene.Color) {
	paint := b.p.gold
	if c != scene.NoColor {
		paint = lighter(b.p.of(c), 0.25)
	}
	b.SetLineCapRound()
	for _, s := range []struct {
		c color.Color
		w float64
	}{{hex(0x1a100a), 10}, {paint, 5.5}} {
		for i := range 12 {
			a := (float64(i) + 0.5) * math.Pi / 6
			b.DrawLine(r*1.02*math.Cos(a), r*1.02*math.Sin(a), (r+13)*math.Cos(a), (r+13)*math.Sin(a))
		}
		b.stroke(s.c, s.w)
	}
}

// paintChoice paints a golden plate with the label of a choice. em is the height of the letters.
func paintChoice(b *brush, s string, em float64) {
	w, h := b.tf.width(s, em)+em*0.7, em*1.2
	w = math.Max(w, h)
	b.DrawRoundedRectangle(-w/2, -h/2, w, h, h/2)
	b.stroke(hex(0x1a100a), em*0.22)
	b.DrawRoundedRectangle(-w/2, -h/2, w, h, h/2)
	b.SetColor(b.p.gold)
	b.FillPreserve()
	b.stroke(hex(0xfff6e0), em*0.07)
	b.text(s, 0, 0, em, hex(0x1a100a))
}

// paintCaptured paints a cross of two strokes where a piece was captured.
func paintCaptured(b *brush, r float64, c scene.Color) {
	paint := b.p.danger
	b.SetLineCapRound()
	for _, s := range []struct {
		c color.Color
		w float64
	}{{hex(0x1a100a), 0.50}, {hex(0xfffdf5), 0.38}, {paint, 0.24}} {
		for _, d := range []float64{1, -1} {
			b.NewSubPath()
			b.MoveTo(-r*0.72, -r*0.66*d)
			b.QuadraticTo(r*0.06, -r*0.1*d, r*0.72, r*0.70*d)
			b.stroke(s.c, r*s.w)
		}
	}
	if c != scene.NoColor { // colour of the piece's player
		main := b.p.of(c)
		b.DrawCircle(0, 0, r*0.42)
		b.paint(main, hex(0x1a100a), r*0.08)
		b.signed(c, 0, 0, r*0.24, main)
	}
}
