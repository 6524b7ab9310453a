package render

import (
	"image/color"
	"math"
	"strconv"

	"marque/games/scene"
)

// This file paints the deck of the three Captain Kidd games. Tokens are painted around (0,0) in hundredths of their
// size.

// layerStep is the distance between the tokens of a tower. It is larger in a low tower, so that the edge of the lowest
// token is visible even next to a back.
func layerStep(tokens int) float64 { return math.Max(15, 32-4.5*float64(tokens)) }

// drawnLayers is the maximum number of tokens of a tower that are drawn, counted from the top. A higher tower would
// hide things, so a tower of six or more has a flag with its number of tokens (MD-5).
const drawnLayers = 5

// flank returns the direction from a tower's middle to the label with its height. The label is away from the back and
// the face of the top token. It is preferably above the middle, because the edges of the tokens are below, but not
// where it would cover the number of the space.
func flank(p *scene.Piece, ground []scene.Shape) float64 {
	hides := func(a float64) float64 {
		sin, cos := math.Sincos(a)
		at := scene.Point{X: p.At.X + 0.55*p.Size*cos, Y: p.At.Y + 0.55*p.Size*sin}
		for i := range ground {
			if s := &ground[i]; s.Kind == scene.Label && len(s.Points) > 0 && hypot(s.Points[0], at) < p.Size/2 {
				return 2
			}
		}
		return sin
	}
	const turn = 80 * math.Pi / 180
	if hides(p.Angle+turn) < hides(p.Angle-turn) {
		return p.Angle + turn
	}
	return p.Angle - turn
}

// tokenHides reports whether the back of a token, its light, or the tokens below it are closer than near to a point.
func tokenHides(p *scene.Piece, at scene.Point, near float64) bool {
	below, _, top := drawn(p)
	k := p.Size / 100
	foot := scene.Point{X: p.At.X, Y: p.At.Y + k*0.7*layerStep(len(below)+1)*float64(len(below))}
	sin, cos := math.Sincos(p.Angle)
	wall := func(along float64) scene.Point {
		return scene.Point{X: p.At.X + k*(along*sin-52*cos), Y: p.At.Y + k*(top-along*cos-52*sin)}
	}
	return p.Marked && hypot(p.At, at) < 75*k+near || hypot(foot, at) < 49*k+near ||
		apartFrom(wall(-backHalf), wall(backHalf), at) < 20*k+near
}

// backHalf is half the length of the wall at a token's back.
const backHalf = 48.0

// drawn returns the drawn tokens of a tower: those under the top token, and the top token. y is the vertical offset of
// the top token's middle from the tower's middle, negative upwards.
func drawn(p *scene.Piece) (under []scene.Color, top scene.Color, y float64) {
	layers := p.Layers[max(0, len(p.Layers)-drawnLayers):]
	if len(layers) == 0 {
		return nil, p.Color, 0
	}
	n := len(layers) - 1
	return layers[:n], layers[n], -layerStep(n+1) * 0.55 * float64(n)
}

// height adds the number of a tower's tokens above all marks.
func (c *composer) height(p *scene.Piece, it item, size float64) {
	under, top, y := drawn(p)
	if len(under) == 0 && p.Count == 0 {
		return
	}
	at := flank(p, c.ground)
	sin, cos := math.Sincos(at)
	it.key = spriteKey{kind: countSprite, ghost: p.Ghost, n: [12]int32{int32(size * 8), int32(len(p.Layers)),
		int32(p.Count), int32(top), int32(len(under)), int32(math.Round(cos * 500)), int32(math.Round(sin * 500))}}
	it.paint = func(b *brush) {
		b.at(0, 0, size/100, func() {
			if p.Count == 0 {
				paintHeight(b, len(p.Layers), 51*cos, y+51*sin)
				return
			}
			b.at(60*cos, y+60*sin, 1, func() { paintFlag(b, top, p.Count, math.Copysign(1, cos)) })
		})
	}
	c.late = append(c.late, it)
}

// paintTower paints the top token of a tower on the tokens below it.
func paintTower(b *brush, p *scene.Piece) {
	under, top, upper := drawn(p)
	step := layerStep(len(under) + 1)
	y := step * 0.45 * float64(len(under))
	b.shadow(y+3, 50)
	aside := 0.0
	if math.Sin(p.Angle) < 0 { // the back is at the bottom, so signs are next to it
		aside = 22 * math.Cos(p.Angle)
	}
	for _, c := range under {
		paintSlab(b, c, scene.Point{X: aside, Y: y}, step)
		y -= step
	}
	b.at(0, upper, 1, func() {
		reach := 60.0
		if len(under) > 0 {
			reach = 50 // keeps the token below visible next to the back
		}
		paintToken(b, top, p.Angle, reach, p.BackOff)
	})
}

// paintSlab paints the visible edge of a token. The token's middle has at's y, its sign has at's x, and the next token
// is higher by step.
func paintSlab(b *brush, c scene.Color, at scene.Point, step float64) {
	main, y := b.p.of(c), at.Y
	b.DrawCircle(0, y+4, 47)
	b.paint(main, darker(main, 0.75), 3)
	b.DrawCircle(0, y+4-step*0.8, 47)
	b.fill(lighter(main, 0.3))
	b.DrawCircle(0, y+4-step*0.95, 47)
	b.fill(darker(main, 0.75))
	// The colour's sign is on the visible edge.
	b.signed(c, at.X, y-5+math.Sqrt(47*47-at.X*at.X), math.Min(step*0.46, 8), main)
}

// paintToken paints a pirate who faces in the direction angle. The wall at distance reach marks the pirate's back,
// through which the token cannot step.
func paintToken(b *brush, c scene.Color, angle, reach float64, sea bool) {
	main := b.p.of(c)
	edge, line, ivory := darker(main, 0.72), hex(0x15100e), hex(0xfff6e0)
	skin := b.p.skin
	b.Push()
	b.Rotate(angle)
	b.SetLineJoinRound()
	b.polygon(28, -30, 70, 0, 28, 30) // nose
	b.paint(mix(skin, hex(0xc2543c), 0.25), line, 3)
	b.Rotate(-angle)
	b.DrawCircle(0, 0, 47)
	b.paint(main, edge, 4)
	b.DrawArc(0, 0, 42, 1.1*math.Pi, 1.7*math.Pi) // light from above
	b.stroke(lighter(main, 0.35), 4)
	b.Rotate(angle)

	// The face looks away from the back. Large eyes show the direction even in a small picture.
	b.NewSubPath()
	b.DrawArc(0, 0, 44, -1.17, 1.17)
	b.ClosePath()
	b.paint(skin, line, 2.5)
	b.DrawLine(18, -39, 18, 39) // edge of the bandana
	b.stroke(lighter(main, 0.75), 5)
	b.DrawCircle(27, -19, 14)
	b.paint(hex(0xffffff), line, 3.5)
	b.DrawCircle(32, -18, 7.5)
	b.DrawCircle(27, 19, 13) // patch
	b.fill(line)

	// The back is a wall wider than the token, so that the outline alone shows its place. Bricks show that it is no
	// part of the pirate's clothes.
	const half, thick = backHalf, 28.0
	fill := hex(0x76808c)
	if sea {
		fill = hex(0x14507c)
	}
	x := 8 - reach
	b.DrawRoundedRectangle(x-thick/2, -half, thick, 2*half, 4)
	b.SetColor(line)
	b.SetLineWidth(12 * b.k)
	b.StrokePreserve()
	b.SetColor(ivory)
	b.SetLineWidth(8 * b.k)
	b.StrokePreserve()
	b.fill(fill)
	if sea {
		b.smooth([]scene.Point{{X: x + 3, Y: -40}, {X: x - 4, Y: -27}, {X: x + 3, Y: -13}, {X: x - 4, Y: 0},
			{X: x + 3, Y: 13}, {X: x - 4, Y: 27}, {X: x + 3, Y: 40}}, false)
		b.stroke(hex(0xbfe6f5), 6)
	} else {
		b.DrawLine(x, -half, x, half)
		b.DrawLine(x-thick/2, 0, x, 0)
		for _, y := range []float64{-24, 24} {
			b.DrawLine(x, y, x+thick/2, y)
		}
		b.stroke(ivory, 4)
	}
	b.Pop()
	b.signed(c, -6*math.Cos(angle), -6*math.Sin(angle), 19, main)
}

// paintHeight paints the number of tokens in a low tower on a dark plate with a ×, so that it does not look like the
// number of a space or like a space.
func paintHeight(b *brush, n int, x, y float64) {
	ink, ivory := hex(0x15100e), hex(0xfff6e0)
	b.DrawRoundedRectangle(x-33, y-23, 66, 46, 12)
	b.paint(ink, ivory, 5)
	s := "×" + strconv.Itoa(n)
	b.text(s, x, y, b.fitted(s, 56, 44), ivory)
}

// paintFlag paints the flag with the height of a tower that is too high to draw. The cloth is around (0,0), and the
// pole is at the side of the tower.
func paintFlag(b *brush, c scene.Color, count int, side float64) {
	main := b.p.of(c)
	X := func(x float64) float64 { return side * x }
	b.SetLineCapRound()
	b.DrawLine(X(-27), 60, X(-27), -22)
	b.stroke(hex(0x2a1810), 6)
	b.DrawLine(X(-27), 58, X(-27), -22)
	b.stroke(b.p.brass, 3)
	b.NewSubPath()
	b.MoveTo(X(-25), -24)
	b.CubicTo(X(-9), -32, X(7), -16, X(29), -24)
	b.LineTo(X(22), -4)
	b.LineTo(X(29), 22)
	b.CubicTo(X(7), 30, X(-9), 14, X(-25), 22)
	b.ClosePath()
	b.paint(main, darker(main, 0.75), 3.5)
	s := short(count)
	ink := hex(0xfffdf5)
	if luminance(main) > 0.6 {
		ink = b.p.ink
	}
	b.text(s, X(-2), 0, b.fitted(s, 42, 40), ink)
}

// paintLastMoved paints a golden ground, as wide as a space, under the token that moved last.
func paintLastMoved(b *brush) {
	gold := b.p.gold
	b.DrawCircle(0, 0, 80)
	b.fillOut(0, 0, 62, 80, faded(gold, 0.75), faded(gold, 0))
	b.DrawCircle(0, 0, 66)
	b.fill(hex(0x2a1a08))
	b.DrawCircle(0, 0, 63)
	b.fill(gold)
}

// paintDeck paints a deck's horizontal planks. All edges are at whole pixels, so they are sharp, and the picture has
// long runs of one colour, which compress well.
func paintDeck(b *brush, m scene.Material, g area) {
	snap := func(v float64) float64 { return math.Round(v*b.k) / b.k }
	fill := func(x, y, w, h float64, c color.RGBA) {
		b.DrawRectangle(snap(x), snap(y), snap(x+w)-snap(x), snap(y+h)-snap(y))
		b.fill(c)
	}
	seam := darker(g.base, 0.32)
	line := 2 / b.k
	switch m {
	case scene.Oak: // narrow, even planks in one colour
		const width = 30.0
		for y := math.Floor(g.y0/width) * width; y < g.y1; y += width {
			fill(g.x0, y, g.x1-g.x0, line, seam)
			for x := g.x0 + g.rng.Float64()*500; x < g.x1; x += 500 {
				fill(x, y, line, width, seam)
			}
		}
	case scene.Teak: // wide planks, every second one darker
		const width = 60.0
		for i, y := 0, math.Floor(g.y0/width)*width; y < g.y1; i, y = i+1, y+width {
			if i%2 == 1 {
				fill(g.x0, y, g.x1-g.x0, width, darker(g.base, 0.09))
			}
			fill(g.x0, y, g.x1-g.x0, line, seam)
			for x := g.x0 + g.rng.Float64()*400; x < g.x1; x += 380 + g.rng.Float64()*200 {
				fill(x, y, line, width, seam)
			}
		}
	case scene.Driftwood: // uneven planks with a few repairs
		for i, y := 0, g.y0; y < g.y1; i++ {
			width := 40 + g.rng.Float64()*34
			if i%3 == 1 {
				fill(g.x0, y, g.x1-g.x0, width, darker(g.base, 0.08))
			}
			if i%6 == 2 {
				x, w := g.x0+150+g.rng.Float64()*(g.x1-g.x0-460), 140+g.rng.Float64()*100
				fill(x, y, w, width, mix(g.base, hex(0x6b4526), 0.25))
				for _, at := range []float64{8, w - 12} {
					fill(x+at, y+width*0.5, 4, 4, seam)
				}
			}
			fill(g.x0, y, g.x1-g.x0, line, seam)
			y += width
		}
	}
}

// paintCalm paints water with long horizontal gleams.
func paintCalm(b *brush, g area) {
	for y := g.y0 + 40; y < g.y1; y += 34 {
		at := b.whole(scene.Point{X: g.x0 + g.rng.Float64()*(g.x1-g.x0-60), Y: y})
		b.DrawRectangle(at.X, at.Y, 34+g.rng.Float64()*30, 3/b.k)
	}
	b.fill(paintWave(b, g.base))
}

// paintFrame paints a band around the picture: a black and buff chequer, gold diamonds on red, or bamboo.
func paintFrame(b *brush, s *scene.Shape, base color.RGBA) {
	x0, y0, x1, y1 := extent(s.Points)
	w := s.Width
	// each calls paint for each piece of the band, of the given length. paint gets the start of the piece, and whether
	// the piece is vertical.
	each := func(length float64, paint func(x, y float64, upright bool)) {
		for x := x0; x < x1; x += length {
			paint(x, y0, false)
			paint(x, y1-w, false)
		}
		for y := y0; y < y1; y += length {
			paint(x0, y, true)
			paint(x1-w, y, true)
		}
	}
	box := func(x, y, along, across float64, upright bool) {
		if upright {
			along, across = across, along
		}
		b.DrawRectangle(x, y, along, across)
	}
	b.SetFillRuleEvenOdd()
	b.DrawRectangle(x0, y0, x1-x0, y1-y0)
	b.DrawRectangle(x0+w, y0+w, x1-x0-2*w, y1-y0-2*w)
	b.fill(base)
	b.SetFillRuleWinding()
	switch s.Material {
	case scene.Tar:
		each(50, func(x, y float64, upright bool) { box(x, y, 25, w, upright) })
		b.fill(mix(b.p.sand, b.p.brass, 0.5))
	case scene.Lacquer:
		each(25, func(x, y float64, upright bool) { // stepped diamonds, as in weaving
			for i, across := range []float64{3, 7, 11, 7, 3} {
				along := 5 + 3*float64(i)
				if upright {
					b.DrawRectangle(x+(w-across)/2, y+along, across, 3)
				} else {
					b.DrawRectangle(x+along, y+(w-across)/2, 3, across)
				}
			}
		})
		b.fill(b.p.gold)
	default:
		each(100, func(x, y float64, upright bool) { box(x, y, 4, w, upright) })
		b.fill(darker(base, 0.5))
	}
	b.DrawRectangle(x0+w, y0+w, x1-x0-2*w, y1-y0-2*w)
	b.stroke(darker(base, 0.6), 3)
}

// paintFigure paints an object of the scenery.
func paintFigure(b *brush, s *scene.Shape) {
	at := b.whole(s.Points[0])
	b.at(at.X, at.Y, s.R/50, func() {
		b.SetLineJoinRound()
		angle := 0.0
		if len(s.Points) > 1 {
			angle = math.Atan2(s.Points[1].Y-s.Points[0].Y, s.Points[1].X-s.Points[0].X)
		}
		line := hex(0x1d120a)
		switch s.Kind {
		case scene.Gun:
			b.Rotate(angle)
			b.DrawRectangle(-44, -20, 40, 40)
			b.paint(mix(b.p.hull, b.p.sand, 0.3), line, 5)
			b.polygon(-34, -14, 40, -10, 40, -14, 52, -14, 52, 14, 40, 14, 40, 10, -34, 14)
			b.paint(b.p.brass, line, 5)
			b.DrawLine(-28, -5, 36, -4)
			b.stroke(lighter(b.p.brass, 0.5), 5)
		case scene.Cask:
			wood := mix(b.p.sand, hex(0x7a4a22), 0.5)
			b.DrawCircle(0, 0, 46)
			b.paint(darker(wood, 0.4), line, 6)
			b.DrawCircle(0, 0, 34)
			b.fill(wood)
			b.DrawLine(-11, -32, -11, 32)
			b.DrawLine(11, -32, 11, 32)
			b.stroke(darker(wood, 0.4), 4)
		case scene.Bale:
			b.Rotate(angle)
			b.DrawRoundedRectangle(-42, -46, 84, 92, 12)
			b.paint(b.p.parchAlt, line, 6)
			b.DrawLine(-42, 0, 42, 0)
			b.DrawLine(0, -46, 0, 46)
			b.stroke(mix(b.p.danger, b.p.hull, 0.4), 9)
		case scene.Skull:
			paintSkull(b, 0, 0, 44, line, hex(0xfff6e0))
		case scene.Palm:
			leaf := hex(0x2f7038)
			for _, pass := range []struct {
				x, y float64
				c    color.Color
			}{{6, 9, color.NRGBA{A: 60}}, {0, 0, leaf}} {
				b.Push()
				b.Translate(pass.x, pass.y)
				for i := range 7 {
					b.Push()
					b.Rotate(float64(i) * 2 * math.Pi / 7)
					reach := 50 - 9*float64(i%2)
					b.NewSubPath()
					b.MoveTo(0, 0)
					b.QuadraticTo(reach*0.5, -17, reach, 6)
					b.QuadraticTo(reach*0.5, 1, 0, 5)
					b.ClosePath()
					b.Pop()
				}
				b.Pop()
				b.fill(pass.c)
			}
			b.DrawCircle(-3, -1, 5)
			b.DrawCircle(4, 2, 5)
			b.fill(hex(0x4a2c14))
		case scene.Rose:
			ink := paintWave(b, b.p.sea)
			b.DrawCircle(0, 0, 38)
			b.stroke(ink, 3)
			b.star(4, 0, 0, 30, 8, math.Pi/4)
			b.star(4, 0, 0, 50, 9, 0)
			b.fill(ink)
		}
	})
}
