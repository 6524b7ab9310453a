package render

import (
	"image/color"
	"math"
	"math/rand/v2"

	"github.com/fogleman/gg"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"

	"marque/games/scene"
)

// brush paints on a gg context in units of k pixels. The widths of strokes are also in these units.
type brush struct {
	*gg.Context
	k  float64
	p  *paints
	tf *typeface
}

func (b *brush) fill(c color.Color) {
	b.SetColor(c)
	b.Fill()
}

// stroke strokes the path with a width in units.
func (b *brush) stroke(c color.Color, width float64) {
	b.SetColor(c)
	b.SetLineWidth(width * b.k)
	b.Stroke()
}

// paint fills the path and outlines it.
func (b *brush) paint(fill, edge color.Color, width float64) {
	b.SetColor(fill)
	b.FillPreserve()
	b.stroke(edge, width*b.p.outline)
}

// faded returns c with the given opacity, 0 to 1.
func faded(c color.RGBA, opacity float64) color.NRGBA {
	return color.NRGBA{R: c.R, G: c.G, B: c.B, A: uint8(opacity*255 + 0.5)}
}

func (b *brush) polygon(points ...float64) {
	b.NewSubPath()
	for i := 0; i+1 < len(points); i += 2 {
		b.LineTo(points[i], points[i+1])
	}
	b.ClosePath()
}

// smooth makes a path through the points, rounded at each (Catmull-Rom).
func (b *brush) smooth(points []scene.Point, closed bool) {
	n := len(points)
	if n == 0 {
		return
	}
	at := func(i int) scene.Point {
		if closed {
			return points[(i%n+n)%n]
		}
		return points[min(max(i, 0), n-1)]
	}
	b.NewSubPath()
	b.MoveTo(points[0].X, points[0].Y)
	last := n - 1
	if closed {
		last = n
	}
	for i := range last {
		p0, p1, p2, p3 := at(i-1), at(i), at(i+1), at(i+2)
		b.CubicTo(p1.X+(p2.X-p0.X)/6, p1.Y+(p2.Y-p0.Y)/6, p2.X-(p3.X-p1.X)/6, p2.Y-(p3.Y-p1.Y)/6, p2.X, p2.Y)
	}
	if closed {
		b.ClosePath()
	}
}

// lines makes a path of straight lines.
func (b *brush) lines(points []scene.Point, closed bool) {
	b.NewSubPath()
	for _, p := range points {
		b.LineTo(p.X, p.Y)
	}
	if closed {
		b.ClosePath()
	}
}

// star makes the path of a star with n points.
func (b *brush) star(n int, x, y, outer, inner, angle float64) {
	b.NewSubPath()
	for i := range 2 * n {
		r := outer
		if i%2 == 1 {
			r = inner
		}
		a := angle + float64(i)*math.Pi/float64(n)
		b.LineTo(x+r*math.Cos(a), y+r*math.Sin(a))
	}
	b.ClosePath()
}

// letters makes the path of the text with its baseline at y, and returns its width. The text begins at x with anchor 0,
// is centred there with 0.5, and ends there with 1.
func (b *brush) letters(s string, x, y, em, anchor float64) float64 {
	glyphs, w := b.tf.layout(s, em)
	b.outlines(glyphs, x-w*anchor, y, em)
	return w
}

// outlines makes the path of glyphs laid out from (x, y). Each glyph begins on a whole pixel, so that equal letters
// have equal pixels, which compress well. Small glyphs are not moved, because the shift would be visible.
func (b *brush) outlines(glyphs []glyph, x, y, em float64) {
	scale := em / glyphUnits / 64
	var buf sfnt.Buffer
	const small = 14 // pixels
	for _, g := range glyphs {
		if em*b.k >= small {
			px, py := b.TransformPoint(x+g.x, y)
			g.x, g.y = g.x+(math.Round(px)-px)/b.k, (math.Round(py)-py)/b.k
		}
		segments, err := g.font.LoadGlyph(&buf, g.index, fixed.I(glyphUnits), nil)
		if err != nil {
			continue
		}
		px := func(p fixed.Point26_6) (float64, float64) {
			return x + g.x + float64(p.X)*scale, y + g.y + float64(p.Y)*scale
		}
		for _, s := range segments {
			x1, y1 := px(s.Args[0])
			switch s.Op {
			case sfnt.SegmentOpMoveTo:
				b.NewSubPath()
				b.MoveTo(x1, y1)
			case sfnt.SegmentOpLineTo:
				b.LineTo(x1, y1)
			case sfnt.SegmentOpQuadTo:
				x2, y2 := px(s.Args[1])
				b.QuadraticTo(x1, y1, x2, y2)
			case sfnt.SegmentOpCubeTo:
				x2, y2 := px(s.Args[1])
				x3, y3 := px(s.Args[2])
				b.CubicTo(x1, y1, x2, y2, x3, y3)
			}
		}
	}
}

// capHeight is the height of capitals and digits of the first font, in ems.
const capHeight = 0.70

// text writes s centred on (x, y).
func (b *brush) text(s string, x, y, em float64, c color.Color) {
	b.letters(s, x, y+em*capHeight/2, em, 0.5)
	b.fill(c)
}

// outlined is the style of letters on a busy ground: their fill, their outline, and its width.
type outlined struct {
	ink, edge color.Color
	width     float64
}

// halo writes s centred on (x, y) with an outline.
func (b *brush) halo(s string, x, y, em float64, o outlined) {
	b.letters(s, x, y+em*capHeight/2, em, 0.5)
	b.SetLineJoinRound()
	b.SetColor(o.edge)
	b.SetLineWidth(o.width * 2 * b.k)
	b.StrokePreserve()
	b.fill(o.ink)
}

// fitted returns an em, at most the given one, at which the width of s is at most max.
func (b *brush) fitted(s string, em, max float64) float64 {
	if w := b.tf.width(s, em); w > max && w > 0 {
		return em * max / w
	}
	return em
}

// sign makes the path of the shape for a player colour: a diamond, circle, triangle, star or cross, or a bar for any
// other colour. The shapes distinguish players for people who cannot distinguish the colours.
func (b *brush) sign(c scene.Color, x, y, r float64) {
	switch c {
	case scene.Red:
		b.polygon(x, y-r, x+r*0.86, y, x, y+r, x-r*0.86, y)
	case scene.Blue:
		b.DrawCircle(x, y, r*0.8)
	case scene.Green:
		b.polygon(x, y-r*0.95, x+r*0.98, y+r*0.75, x-r*0.98, y+r*0.75)
	case scene.Yellow:
		b.star(5, x, y, r*1.1, r*0.48, -math.Pi/2)
	case scene.Violet:
		w := r * 0.34
		h := r * 0.92
		b.polygon(x-w, y-h, x+w, y-h, x+w, y-w, x+h, y-w, x+h, y+w, x+w, y+w, x+w, y+h, x-w, y+h, x-w, y+w, x-h, y+w,
			x-h, y-w, x-w, y-w)
	default:
		b.DrawRectangle(x-r*0.7, y-r*0.25, r*1.4, r*0.5)
	}
}

// signed paints the sign of c: light on a dark background, and dark on a light one. on is the background's colour.
func (b *brush) signed(c scene.Color, x, y, r float64, on color.RGBA) {
	fill, edge := hex(0xfffdf5), darker(on, 0.75)
	if luminance(on) > 0.6 {
		fill, edge = darker(on, 0.85), lighter(on, 0.6)
	}
	b.SetLineJoinRound()
	b.sign(c, x, y, r)
	b.SetColor(edge)
	b.SetLineWidth(r * 0.34 * b.k)
	b.StrokePreserve()
	b.fill(fill)
	if c == scene.Blue {
		b.DrawCircle(x, y, r*0.4)
		b.fill(on)
	}
}

// player draws a player's disc with their sign.
func (b *brush) player(c scene.Color, x, y, r float64) {
	main := b.p.of(c)
	b.DrawCircle(x, y, r)
	b.paint(main, b.p.edge(main), 3)
	b.signed(c, x, y, r*0.58, main)
}

// whole returns the corner between pixels that is nearest to p. Equal shapes at such corners have equal pixels, which
// compress well.
func (b *brush) whole(p scene.Point) scene.Point {
	x, y := b.TransformPoint(p.X, p.Y)
	return scene.Point{X: p.X + (math.Round(x)-x)/b.k, Y: p.Y + (math.Round(y)-y)/b.k}
}

// seeded returns a source of random numbers that depends only on its seed, so that two pictures of a scene are
// identical.
func seeded(seed string) *rand.Rand {
	h := uint64(14695981039346656037)
	for i := range len(seed) {
		h = (h ^ uint64(seed[i])) * 1099511628211
	}
	return rand.New(rand.NewPCG(h, 0x6d6172717565))
}

// at paints something with its origin at (x, y), scaled by s.
func (b *brush) at(x, y, s float64, paint func()) {
	b.Push()
	b.Translate(x, y)
	b.Scale(s, s)
	b.k *= s
	paint()
	b.k /= s
	b.Pop()
}
