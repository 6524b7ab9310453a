package render

import (
	"math"
	"strconv"

	"marque/games/scene"
)

// The deck that three games share: its tokens, painted round (0,0) in hundredths of their size.

// layerStep is how far each token of a tower stands above the one below it.
const layerStep = 15.0

// drawnLayers is the most tokens of a tower that are drawn one by one; the games
// draw a flag from six on (MD-5), so this only bounds odd scenes.
const drawnLayers = 7

// paintTower paints a token on those below it.
func paintTower(b *brush, p *scene.Piece) {
	layers := p.Layers[max(0, len(p.Layers)-drawnLayers):]
	if len(layers) == 0 {
		layers = []scene.Color{p.Color}
	}
	under, top := layers[:len(layers)-1], layers[len(layers)-1]
	y := layerStep * 0.45 * float64(len(under))
	b.shadow(0, y+3, 50)
	for _, c := range under {
		paintSlab(b, c, y)
		y -= layerStep
	}
	// Its height stands at the side of it that is turned away from its back.
	side := 1.0
	if math.Cos(p.Angle) < 0 {
		side = -1
	}
	b.at(0, y, 1, func() {
		paintToken(b, top, p.Angle, p.BackOff)
		switch {
		case p.Count > 0:
			paintFlag(b, top, p.Count, side)
		case len(under) > 0:
			paintBadge(b, strconv.Itoa(len(layers)), 38*side, 34, 22, b.p.parchment, b.p.ink)
		}
	})
}

// paintSlab is the edge of a token that lies under another.
func paintSlab(b *brush, c scene.Color, y float64) {
	main := b.p.of(c)
	b.DrawCircle(0, y+layerStep*0.25, 47)
	b.paint(main, darker(main, 0.75), 3)
	b.DrawCircle(0, y-layerStep*0.55, 47)
	b.fill(lighter(main, 0.3))
	b.DrawCircle(0, y-layerStep*0.7, 47)
	b.fill(darker(main, 0.75))
	for _, a := range []float64{0.28, 0.5, 0.72} { // the colour's sign on the edge that shows
		const r = 41.5
		b.signed(c, r*math.Cos(a*math.Pi), y+r*math.Sin(a*math.Pi)+1, 6, main)
	}
}

// paintToken is a pirate who looks along the angle. Behind it, like a wall, is the back that it may not turn
// through: a third of the token, so that it is seen before anything but colour and sign.
func paintToken(b *brush, c scene.Color, angle float64, sea bool) {
	main := b.p.of(c)
	edge, line, ivory := darker(main, 0.72), hex(0x15100e), hex(0xfff6e0)
	skin := b.p.skin
	b.Push()
	b.Rotate(angle)
	b.SetLineJoinRound()
	b.polygon(42, -20, 64, 0, 42, 20) // the way it looks
	b.paint(lighter(main, 0.55), edge, 3)
	b.Rotate(-angle)
	b.DrawCircle(0, 0, 47)
	b.paint(main, edge, 4)
	b.DrawArc(0, 0, 42, 1.1*math.Pi, 1.7*math.Pi) // light from above
	b.stroke(lighter(main, 0.35), 4)
	b.Rotate(angle)

	// The face, light against the back's dark, and over it the edge of the bandana.
	b.NewSubPath()
	b.DrawArc(0, 0, 44, -1.17, 1.17)
	b.ClosePath()
	b.paint(skin, line, 2.5)
	b.NewSubPath() // moustache
	b.MoveTo(39, 0)
	b.CubicTo(33, 4, 33, 12, 37, 20)
	b.CubicTo(39, 12, 41, 6, 41, 0)
	b.CubicTo(41, -6, 39, -12, 37, -20)
	b.CubicTo(33, -12, 33, -4, 39, 0)
	b.ClosePath()
	b.fill(hex(0x3b2416))
	b.DrawEllipse(26, 14, 6, 8) // patch
	b.DrawCircle(26, -13, 4.5)
	b.fill(line)
	b.DrawLine(18, -39, 18, 39)
	b.stroke(lighter(main, 0.75), 5)

	// The back.
	const chord, r = 26.0, 60.0
	half := math.Acos(chord / r)
	b.NewSubPath()
	b.DrawArc(0, 0, r, math.Pi-half, math.Pi+half)
	b.ClosePath()
	fill := line
	if sea {
		fill = hex(0x14507c)
	}
	b.SetColor(ivory)
	b.SetLineWidth(6 * b.k)
	b.StrokePreserve()
	b.fill(fill)
	if sea {
		b.smooth([]scene.Point{{X: -38, Y: -36}, {X: -45, Y: -24}, {X: -38, Y: -12}, {X: -45, Y: 0}, {X: -38, Y: 12}, {X: -45, Y: 24}, {X: -38, Y: 36}}, false)
		b.stroke(hex(0xbfe6f5), 5)
	} else {
		for _, y := range []float64{-32, -11, 11, 32} {
			b.DrawCircle(4.5-math.Sqrt(48*48-y*y), y, 4.5)
		}
		b.fill(b.p.gold)
	}
	b.Pop()
	b.signed(c, -3*math.Cos(angle), -3*math.Sin(angle), 19, main)
}

// paintFlag stands on a tower that is too high to draw, with its height.
func paintFlag(b *brush, c scene.Color, count int, side float64) {
	main := b.p.of(c)
	X := func(x float64) float64 { return side * x }
	b.SetLineCapRound()
	b.DrawLine(X(20), 14, X(20), -66)
	b.stroke(hex(0x2a1810), 6)
	b.DrawLine(X(20), 12, X(20), -66)
	b.stroke(b.p.brass, 3)
	b.NewSubPath()
	b.MoveTo(X(22), -68)
	b.CubicTo(X(38), -76, X(54), -60, X(76), -68)
	b.LineTo(X(69), -48)
	b.LineTo(X(76), -26)
	b.CubicTo(X(54), -18, X(38), -34, X(22), -26)
	b.ClosePath()
	b.paint(main, darker(main, 0.75), 3.5)
	s := short(count)
	ink := hex(0xfffdf5)
	if luminance(main) > 0.6 {
		ink = b.p.ink
	}
	b.text(s, X(45), -47, b.fitted(s, 40, 40), ink)
}

// paintLastMoved is what a token stands on that moved last: gold as broad as its space, in its own light.
func paintLastMoved(b *brush) {
	gold := b.p.gold
	b.DrawCircle(0, 0, 86)
	b.fillOut(0, 0, 62, 86, faded(gold, 0.75), faded(gold, 0))
	b.DrawCircle(0, 0, 66)
	b.fill(hex(0x2a1a08))
	b.DrawCircle(0, 0, 63)
	b.fill(gold)
}
