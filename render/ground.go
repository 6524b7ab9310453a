package render

import (
	"image/color"
	"math"
	"math/rand/v2"

	"marque/games/scene"
)

// textured is the width and the height, in units, that a shape of wood, sea, parchment or felt must exceed to show the
// grain of its material.
const textured = 260.0

// paintGround paints the constant parts of a scene. The brush uses the scene's units.
func paintGround(b *brush, s *scene.Scene) {
	if !sane(s.W, s.H) || s.W < 10 || s.W > 1e5 {
		return
	}
	b.DrawRectangle(0, 0, s.W, s.H)
	b.fill(b.p.sea)
	for i := range s.Ground[:min(len(s.Ground), mostShapes)] {
		if !near(&s.Ground[i], 4*(s.W+s.H)) {
			continue
		}
		paintShape(b, &s.Ground[i], seeded(s.Board+string(rune(i))))
	}
}

// near reports whether the coordinates and sizes of a shape are at most reach, and whether it has at most 2000 points.
// Other shapes are left out, because invisible lines take as long to paint as visible ones.
func near(s *scene.Shape, reach float64) bool {
	if len(s.Points) > 2000 || !(math.Abs(s.R) <= reach) || !(math.Abs(s.Width) <= reach) {
		return false
	}
	for _, p := range s.Points {
		if !(math.Abs(p.X) <= reach) || !(math.Abs(p.Y) <= reach) {
			return false
		}
	}
	return true
}

// extent returns the bounding box of points.
func extent(points []scene.Point) (x0, y0, x1, y1 float64) {
	x0, y0, x1, y1 = math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, p := range points {
		x0, y0, x1, y1 = math.Min(x0, p.X), math.Min(y0, p.Y), math.Max(x1, p.X), math.Max(y1, p.Y)
	}
	return x0, y0, x1, y1
}

// inside reports whether (x, y) is in the polygon.
func inside(points []scene.Point, x, y float64) bool {
	in := false
	for i, j := 0, len(points)-1; i < len(points); j, i = i, i+1 {
		a, c := points[i], points[j]
		if (a.Y > y) != (c.Y > y) && x < (c.X-a.X)*(y-a.Y)/(c.Y-a.Y)+a.X {
			in = !in
		}
	}
	return in
}

// paintOf returns the flat colour of a material.
func (p *paints) paintOf(m scene.Material) color.RGBA {
	switch m {
	case scene.Wood:
		return p.wood
	case scene.Hull:
		return p.hull
	case scene.SeaAlt:
		return p.seaAlt
	case scene.Parchment:
		return p.parchment
	case scene.ParchmentAlt:
		return p.parchAlt
	case scene.Sand:
		return p.sand
	case scene.SandAlt:
		return p.sandAlt
	case scene.Brass:
		return p.brass
	case scene.Rope:
		return p.rope
	case scene.BlackPath:
		return hex(0x17110d)
	case scene.Hatch:
		return mix(p.hull, p.wood, 0.35)
	case scene.GoldSpace:
		return mix(p.gold, p.parchment, 0.25)
	case scene.SilverSpace:
		return mix(p.silver, p.parchment, 0.15)
	case scene.Ink:
		return p.ink
	case scene.Felt:
		return p.felt
	case scene.Oak:
		return p.oak
	case scene.Teak:
		return p.teak
	case scene.Driftwood:
		return p.driftwood
	case scene.Strait:
		return p.strait
	case scene.Lagoon:
		return p.lagoon
	case scene.Tar:
		return mix(p.hull, hex(0x12161c), 0.75)
	case scene.Lacquer:
		return mix(p.danger, p.hull, 0.4)
	default:
		return p.sea
	}
}

func paintShape(b *brush, s *scene.Shape, rng *rand.Rand) {
	if len(s.Points) == 0 {
		return
	}
	base := b.p.paintOf(s.Material)
	if s.Color != scene.NoColor {
		base = mix(base, b.p.of(s.Color), 0.5)
	}
	switch s.Kind {
	case scene.Label:
		paintLabel(b, s)
	case scene.Line:
		paintWay(b, s, base)
	case scene.Disc:
		paintPlate(b, s, base)
	case scene.Frame:
		paintFrame(b, s, base)
	case scene.Gun, scene.Cask, scene.Bale, scene.Skull, scene.Palm, scene.Rose:
		paintFigure(b, s)
	default:
		switch {
		case s.Material == scene.Sand && s.Width > 0:
			paintIsland(b, s)
		case s.Material == scene.Wood && s.Color != scene.NoColor && len(s.Points) == 3:
			paintRowboat(b, s)
		default:
			paintArea(b, s, base, rng)
		}
	}
}

// paintLabel paints a label in a colour that is legible on its ground. A faint label is translucent.
func paintLabel(b *brush, s *scene.Shape) {
	at := s.Points[0]
	words := clean(s.Text)
	if s.R <= 0 || words == "" {
		return
	}
	w := math.Max(b.tf.width(words, s.R), s.R) / 2
	var sum, n float64
	for dy := -0.5; dy <= 0.5; dy += 0.25 {
		for dx := -1.0; dx <= 1; dx += 0.25 {
			x, y := b.TransformPoint(at.X+dx*w, at.Y+dy*s.R)
			r, g, bl, _ := b.Image().At(int(x), int(y)).RGBA()
			sum += luminance(color.RGBA{R: uint8(r >> 8), G: uint8(g >> 8), B: uint8(bl >> 8)})
			n++
		}
	}
	ink := b.p.ink
	if sum/n < 0.45 {
		ink = b.p.chalk
	}
	opacity := 1.0
	if s.Faint {
		opacity = b.p.faint
	}
	b.text(words, at.X, at.Y, s.R, faded(ink, opacity))
}

// paintWay paints a rope, a black path, a wave, or a plain stroke.
func paintWay(b *brush, s *scene.Shape, base color.RGBA) {
	width := s.Width
	if width <= 0 {
		width = 4
	}
	b.SetLineCapRound()
	b.SetLineJoinRound()
	stroke := func(c color.Color, w float64) {
		b.lines(s.Points, false)
		b.stroke(c, w)
	}
	switch s.Material {
	case scene.Rope:
		stroke(base, width+1)
	case scene.BlackPath:
		stroke(faded(b.p.chalk, 0.55), width+5)
		stroke(base, width)
	case scene.Sea, scene.SeaAlt: // a wave
		b.smooth(s.Points, false)
		b.stroke(paintWave(b, b.p.sea), math.Min(width, 3))
	case scene.Ink:
		if luminance(b.p.sea) < 0.4 {
			base = b.p.chalk
		}
		stroke(faded(base, b.p.faint), width)
	default:
		stroke(darker(base, 0.6), width+3)
		stroke(base, width)
	}
}

// paintPlate paints a round space: its rim, its surface, and a grating if it is a hatch.
func paintPlate(b *brush, s *scene.Shape, base color.RGBA) {
	at, r := b.whole(s.Points[0]), s.R
	if r <= 0 {
		return
	}
	if s.Material == scene.GoldSpace || s.Material == scene.SilverSpace {
		paintCoinSpace(b, s.Material, at.X, at.Y, r)
		return
	}
	if s.Width > 0 {
		b.DrawCircle(at.X, at.Y, r+s.Width/2+1)
		b.fill(darker(b.p.brass, 0.75))
		r -= s.Width / 2
	}
	b.DrawCircle(at.X, at.Y, r)
	b.fill(base)
	switch s.Material {
	case scene.Hatch:
		step := r / 2.1
		for _, pass := range []struct {
			c    color.RGBA
			w, d float64
		}{{darker(base, 0.55), step * 0.6, 0}} {
			for i := -2; i <= 2; i++ {
				o := float64(i) * step
				h := math.Sqrt(math.Max(r*r-(math.Abs(o)+step*0.3)*(math.Abs(o)+step*0.3), 0))
				b.DrawLine(at.X+o+pass.d, at.Y-h, at.X+o+pass.d, at.Y+h)
			}
			b.SetLineCapButt()
			b.stroke(pass.c, pass.w)
		}
		for i := -2; i <= 2; i++ {
			o := float64(i) * step
			h := math.Sqrt(math.Max(r*r-o*o, 0)) * 0.97
			b.DrawLine(at.X-h, at.Y+o, at.X+h, at.Y+o)
		}
		b.stroke(lighter(base, 0.12), step*0.34)
		b.SetLineCapRound()
	}
}

// paintArea paints a polygon or a rounded outline with its material's grain.
func paintArea(b *brush, s *scene.Shape, base color.RGBA, rng *rand.Rand) {
	path := func() {
		if s.Kind == scene.Curve {
			b.smooth(s.Points, true)
		} else {
			b.lines(s.Points, true)
		}
	}
	x0, y0, x1, y1 := extent(s.Points)
	big := x1-x0 > textured && y1-y0 > textured && x1-x0 < 1e4 && y1-y0 < 1e4
	if s.Kind == scene.Curve && (s.Material == scene.Tar || s.Material == scene.Lacquer || s.Material == scene.Hull) {
		b.at(10, 14, 1, path) // a ship's shadow on the water
		b.fill(color.NRGBA{A: 60})
	}
	path()
	b.fill(base)
	whole := area{x0, y0, x1, y1, base, rng}
	switch s.Material {
	case scene.Wood:
		if big {
			path()
			b.Clip()
			paintPlanks(b, whole)
			b.ResetClip()
		}
	case scene.Oak, scene.Teak, scene.Driftwood:
		path()
		b.Clip()
		paintDeck(b, s.Material, whole)
		if s.Material != scene.Driftwood { // the shade of the rail, which Driftwood lacks
			b.at(5, 9, 1, path)
			b.stroke(color.NRGBA{A: 45}, 22)
		}
		b.ResetClip()
	case scene.Strait:
		paintCalm(b, whole)
	case scene.Hull, scene.Tar, scene.Lacquer:
		path()
		b.stroke(darker(base, 0.5), 4)
	case scene.Sea, scene.SeaAlt:
		if big {
			paintWaves(b, s.Points, whole)
		}
	case scene.Parchment, scene.ParchmentAlt:
		if big {
			path()
			b.Clip()
			for i := range 3 { // a chart is brown at its edge
				path()
				b.stroke(faded(darker(base, 0.5), 0.10), 14+float64(i)*18)
			}
			b.ResetClip()
		}
	case scene.Felt:
		if big {
			paintLattice(b, x0, y0, x1, y1, base)
		}
	}
	if s.Width > 0 {
		path()
		b.SetLineJoinRound()
		edge := darker(base, 0.55)
		if s.Material == scene.Sea || s.Material == scene.SeaAlt {
			edge = mix(base, b.p.ink, 0.4)
			if luminance(base) < 0.4 {
				edge = mix(base, b.p.chalk, 0.25)
			}
		}
		b.stroke(edge, s.Width)
	}
}

// area is a rectangle of a ground with planks or waves: its place, its colour, and the random source for the places of
// the planks or waves.
type area struct {
	x0, y0, x1, y1 float64
	base           color.RGBA
	rng            *rand.Rand
}

// paintPlanks paints a deck's boards across the ship, with joints, nails and a little grain. Edges are horizontal or
// vertical and at whole pixels, so they are sharp and form long runs of one colour, which compress well.
func paintPlanks(b *brush, g area) {
	const width = 50.0
	seam, nail := darker(g.base, 0.4), darker(g.base, 0.55)
	shades := []color.RGBA{g.base, darker(g.base, 0.07), lighter(g.base, 0.05), darker(g.base, 0.13)}
	snap := func(v float64) float64 { return math.Round(v*b.k) / b.k }
	px := 1 / b.k
	last := -1
	for y := math.Floor(g.y0/width) * width; y < g.y1; y += width {
		top, bottom := snap(y), snap(y+width)
		x := g.x0 - g.rng.Float64()*400
		for x < g.x1 {
			l := 330 + g.rng.Float64()*330
			n := g.rng.IntN(len(shades))
			if n == last {
				n = (n + 1) % len(shades)
			}
			last = n
			shade := shades[n]
			left, right := snap(x), snap(x+l)
			b.DrawRectangle(left, top, right-left, bottom-top)
			b.fill(shade)
			gy := snap(y + 8 + g.rng.Float64()*(width-16))
			gx := x + 16 + g.rng.Float64()*l*0.5
			gl := l * (0.15 + g.rng.Float64()*0.4)
			b.DrawRectangle(snap(gx), gy, snap(math.Min(gl, x+l-gx-10)), px)
			b.fill(darker(shade, 0.16))
			b.DrawRectangle(left, top, 2*px, bottom-top)
			b.fill(seam)
			for _, at := range [][2]float64{{9, 9}, {9, width - 12}} {
				b.DrawRectangle(snap(x+at[0]), snap(y+at[1]), snap(3), snap(3))
			}
			b.fill(nail)
			x += l
		}
		b.DrawRectangle(g.x0, top, g.x1-g.x0, 2*px)
		b.fill(seam)
	}
}

// paintWaves paints small pen strokes, as on old charts.
func paintWaves(b *brush, in []scene.Point, g area) {
	const cell = 84.0
	for y := g.y0 + cell*0.4; y < g.y1; y += cell * 0.72 {
		for x := g.x0 + cell*0.4; x < g.x1; x += cell {
			px, py := x+(g.rng.Float64()-0.5)*cell*0.7, y+(g.rng.Float64()-0.5)*cell*0.5
			skip := g.rng.IntN(100) < 74
			l := 9 + g.rng.Float64()*7
			light := g.rng.IntN(3) == 0
			if skip {
				continue
			}
			if !inside(in, px-l*1.6, py-5) || !inside(in, px+l*1.6, py+5) {
				continue
			}
			c := paintWave(b, g.base)
			if light {
				c = lighter(g.base, 0.22)
				if luminance(g.base) < 0.4 {
					c = darker(g.base, 0.28)
				}
			}
			b.NewSubPath()
			b.MoveTo(px-l*1.5, py+2)
			b.QuadraticTo(px-l*0.8, py-5, px, py+1)
			b.QuadraticTo(px+l*0.8, py-5, px+l*1.5, py+2)
			b.stroke(c, 2.6)
		}
	}
}

// paintWave returns the colour of waves on a sea of the given colour.
func paintWave(b *brush, sea color.RGBA) color.RGBA {
	if luminance(sea) < 0.4 {
		return mix(sea, b.p.chalk, 0.15)
	}
	return mix(sea, b.p.ink, 0.24)
}

// paintLattice paints the weave of a table cloth, with a border.
func paintLattice(b *brush, x0, y0, x1, y1 float64, base color.RGBA) {
	const step = 84.0
	c := mix(base, b.p.chalk, 0.09)
	for x := x0 + step/2; x < x1; x += step {
		for i, y := 0, y0+step/2; y < y1; i, y = i+1, y+step/2 {
			px := x
			if i%2 == 1 {
				px += step / 2
			}
			b.polygon(px, y-7, px+7, y, px, y+7, px-7, y)
		}
	}
	b.fill(c)
	b.DrawRoundedRectangle(x0+14, y0+14, x1-x0-28, y1-y0-28, 16)
	b.stroke(mix(base, b.p.brass, 0.7), 4)
	b.DrawRoundedRectangle(x0+22, y0+22, x1-x0-44, y1-y0-44, 11)
	b.stroke(mix(base, b.p.brass, 0.4), 1.8)
}
