package render

import (
	"cmp"
	"image"
	"image/color"
	"math"
	"slices"
	"sort"
)

// paletteSize is the number of colours of a picture. The art is flat, so that a few
// steps between two paints are enough for smooth edges, and each colour less is
// fewer bytes.
const paletteSize = 36

// palette is the colours of one ground with everything that may stand on it, and
// the way from any colour to the nearest of them.
type palette struct {
	colors color.Palette
	rgb    [paletteSize][3]uint8
	plte   []byte                          // as a PNG's chunk
	near   [1 << 16]uint8                  // by 5 bits of red, 6 of green, 5 of blue
	under  [256]uint32                     // of each colour, packed, what shows through a translucent pixel
	ghost  [paletteSize][paletteSize]uint8 // what a pixel of one colour's ghost is on another
	slack  int                             // how far off a pixel on an edge may be
	alike  [paletteSize][paletteSize]bool  // of two colours, that an edge of one on the other is not seen
}

func cell(r, g, b uint8) uint16 {
	return uint16(r>>3)<<11 | uint16(g>>2)<<5 | uint16(b>>3)
}

// bin is the pixels of one cell.
type bin struct{ n, r, g, b float64 }

// histogram counts the colours of pictures.
type histogram map[uint16]*bin

func (h histogram) add(im *image.RGBA, weight float64) {
	for y := range im.Rect.Dy() {
		row := im.Pix[y*im.Stride : y*im.Stride+im.Rect.Dx()*4]
		for i := 0; i < len(row); i += 4 {
			h.count(row[i], row[i+1], row[i+2], weight)
		}
	}
}

func (h histogram) count(r, g, b uint8, weight float64) {
	k := cell(r, g, b)
	e := h[k]
	if e == nil {
		e = &bin{}
		h[k] = e
	}
	e.n += weight
	e.r += weight * float64(r)
	e.g += weight * float64(g)
	e.b += weight * float64(b)
}

// flats are the colours that cover at least one in share pixels of a picture, the
// commonest first: the paints of its large areas, which are to be met exactly.
func flats(im *image.RGBA, share, most int) []color.RGBA {
	counts := map[color.RGBA]int{}
	for i := 0; i < len(im.Pix); i += 4 {
		counts[color.RGBA{R: im.Pix[i], G: im.Pix[i+1], B: im.Pix[i+2], A: 255}]++
	}
	var list []color.RGBA
	for c, n := range counts {
		if n >= len(im.Pix)/4/share {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	return list[:min(most, len(list))]
}

// sample is the mean colour of a bin.
type sample struct {
	c [3]float64
	n float64
}

// newPalette chooses paletteSize colours: the fixed ones exactly, the others by median
// cut over the histogram, moved to the middle of what falls to them.
func newPalette(h histogram, fixed []color.RGBA, width int) *palette {
	keys := make([]int, 0, len(h))
	for k := range h {
		keys = append(keys, int(k))
	}
	sort.Ints(keys) // a map's order must not reach the picture
	samples := make([]sample, len(keys))
	for i, k := range keys {
		e := h[uint16(k)]
		// The power keeps large flat areas from taking all colours: what is
		// small, like a coin's rim, is looked at too.
		samples[i] = sample{c: [3]float64{e.r / e.n, e.g / e.n, e.b / e.n}, n: math.Pow(e.n, 0.6)}
	}
	means := cut(samples, paletteSize-len(fixed))
	for range 6 {
		means = settle(samples, means, fixed)
	}
	p := &palette{colors: make(color.Palette, paletteSize), slack: edgeSlack(width)}
	for i := range paletteSize {
		c := color.RGBA{A: 255}
		switch {
		case i < len(fixed):
			c = fixed[i]
		case i-len(fixed) < len(means):
			m := means[i-len(fixed)]
			c = color.RGBA{R: uint8(m[0] + 0.5), G: uint8(m[1] + 0.5), B: uint8(m[2] + 0.5), A: 255}
		}
		p.colors[i] = c
		p.rgb[i] = [3]uint8{c.R, c.G, c.B}
		p.plte = append(p.plte, c.R, c.G, c.B)
		shown := func(v uint8) uint8 { return uint8((uint32(v)*(255-translucent) + 127) / 255) }
		p.under[i] = packed(shown(c.R), shown(c.G), shown(c.B))
	}
	for i := range p.rgb {
		for j := range p.rgb {
			p.alike[i][j] = p.distance(p.rgb[i][:], uint8(j)) < edgeSeen
		}
	}
	for k := range p.near {
		r, g, b := uint8(k>>11<<3|4), uint8(k>>5&63<<2|2), uint8(k&31<<3|4)
		p.near[k] = p.nearest(r, g, b)
	}
	for i := len(fixed) - 1; i >= 0; i-- {
		p.near[cell(fixed[i].R, fixed[i].G, fixed[i].B)] = uint8(i)
	}
	for i, c := range p.rgb {
		cover := func(v uint8) uint8 { return uint8((uint32(v)*translucent + 127) / 255) }
		faint := packed(pale(cover(c[0]), cover(c[1]), cover(c[2])))
		for j := range p.rgb {
			p.ghost[i][j] = p.through(faint, uint8(j))
		}
	}
	return p
}

// nearest is the palette's closest colour, with the eye's weights on the channels.
func (p *palette) nearest(r, g, b uint8) uint8 {
	best, at := 1<<30, 0
	for i := range p.rgb {
		c := &p.rgb[i]
		dr, dg, db := int(c[0])-int(r), int(c[1])-int(g), int(c[2])-int(b)
		if d := 3*dr*dr + 5*dg*dg + 2*db*db; d < best {
			best, at = d, i
		}
	}
	return uint8(at)
}

// rows are three rows of a painted picture, of which the middle one is looked at;
// the first and the last row have none above or below.
type rows struct{ above, here, below []uint8 }

// rowsAt returns the rows round row y.
func rowsAt(im *image.RGBA, y int) (r rows) {
	w := 4 * im.Rect.Dx()
	r.here = im.Pix[y*im.Stride:][:w]
	if y > 0 {
		r.above = im.Pix[(y-1)*im.Stride:][:w]
	}
	if y+1 < im.Rect.Dy() {
		r.below = im.Pix[(y+1)*im.Stride:][:w]
	}
	return r
}

// indices sets out to the colours of a row of pixels from left to right where they
// are opaque; above are those of the row before. A pixel on an edge, where one
// paint goes over into another, takes the colour on its left or the one above when
// that is about its own: this makes for longer runs. A fine line is no edge.
func (p *palette) indices(out, above []uint8, r rows, left, right int) {
	row := r.here
	for x := left; x < right; x++ {
		px := row[4*x : 4*x+4 : 4*x+4]
		if px[3] != 255 {
			continue
		}
		if x > left && row[4*x-1] == 255 && same(px, row[4*x-4:]) {
			out[x] = out[x-1]
			continue
		}
		out[x] = p.near[cell(px[0], px[1], px[2])]
		if x == left || x == right-1 || r.above == nil || r.below == nil || same(px, row[4*x+4:]) || same(px, r.above[4*x:]) ||
			stands(px, row[4*x-4:], row[4*x+4:]) || stands(px, r.above[4*x:], r.below[4*x:]) {
			continue
		}
		best := p.slack
		if row[4*x-1] == 255 {
			if d := p.distance(px, out[x-1]); d < best {
				best, out[x] = d, out[x-1]
			}
		}
		if r.above[4*x+3] == 255 {
			if d := p.distance(px, above[x]); d < best {
				out[x] = above[x]
			}
		}
	}
}

// stands reports whether a pixel is clearly lighter or clearly darker than both its neighbours.
func stands(px, a, b []uint8) bool {
	const clearly = 24
	light := func(p []uint8) int { return int(p[0]) + 2*int(p[1]) + int(p[2]) }
	da, db := light(px)-light(a), light(px)-light(b)
	return da > clearly && db > clearly || da < -clearly && db < -clearly
}

// edgeSlack is how far off, as distance tells, a pixel on an edge may be in a picture of that width:
// in a small one lines are so thin that most pixels are on edges.
func edgeSlack(width int) int {
	if width < 600 {
		return 80 * 80 * 10
	}
	return 120 * 120 * 10
}

// edgeSeen is how far off, as distance tells, a pixel between a paint and what is under it must be
// from the latter to be worth having: what lies between two colours that are about alike is not
// seen as smoother than none.
const edgeSeen = 35 * 35 * 10

func same(a, b []uint8) bool { return a[0] == b[0] && a[1] == b[1] && a[2] == b[2] }

// distance is how far a pixel is from a colour, squared, with the eye's weights on the channels.
func (p *palette) distance(px []uint8, i uint8) int {
	c := &p.rgb[i]
	dr, dg, db := int(c[0])-int(px[0]), int(c[1])-int(px[1]), int(c[2])-int(px[2])
	return 3*dr*dr + 5*dg*dg + 2*db*db
}

// box is a part of the samples.
type box struct {
	s      []sample
	spread float64 // weighted variance along the widest axis
	axis   int
}

func newBox(s []sample) box {
	bx := box{s: s}
	for a := range 3 {
		var n, sum, sq float64
		for i := range s {
			w := s[i].n
			n += w
			sum += w * s[i].c[a]
			sq += w * s[i].c[a] * s[i].c[a]
		}
		if v := (sq - sum*sum/n) * weights[a]; v > bx.spread {
			bx.spread, bx.axis = v, a
		}
	}
	return bx
}

var weights = [3]float64{3, 5, 2}

func cut(samples []sample, n int) [][3]float64 {
	if len(samples) == 0 {
		return nil
	}
	boxes := []box{newBox(samples)}
	for len(boxes) < n {
		best := 0
		for i := range boxes {
			if boxes[i].spread > boxes[best].spread {
				best = i
			}
		}
		bx := boxes[best]
		if bx.spread <= 0 || len(bx.s) < 2 {
			break
		}
		sort.SliceStable(bx.s, func(i, j int) bool { return bx.s[i].c[bx.axis] < bx.s[j].c[bx.axis] })
		var total, sum float64
		for i := range bx.s {
			total += bx.s[i].n * bx.s[i].c[bx.axis]
			sum += bx.s[i].n
		}
		mean := total / sum
		mid := sort.Search(len(bx.s), func(i int) bool { return bx.s[i].c[bx.axis] > mean })
		mid = min(max(mid, 1), len(bx.s)-1)
		boxes[best] = newBox(bx.s[:mid])
		boxes = append(boxes, newBox(bx.s[mid:]))
	}
	means := make([][3]float64, len(boxes))
	for i, bx := range boxes {
		means[i] = mean(bx.s)
	}
	return means
}

func mean(s []sample) (m [3]float64) {
	n := 0.0
	for i := range s {
		w := s[i].n
		n += w
		for a := range 3 {
			m[a] += w * s[i].c[a]
		}
	}
	for a := range 3 {
		m[a] /= n
	}
	return m
}

// settle moves every colour to the mean of the samples nearest to it.
func settle(samples []sample, means [][3]float64, fixed []color.RGBA) [][3]float64 {
	sums := make([][4]float64, len(means))
	for i := range samples {
		s := &samples[i]
		best, at := 1e18, -1
		for j := range means {
			d := 0.0
			for a := range 3 {
				e := s.c[a] - means[j][a]
				d += e * e * weights[a]
			}
			if d < best {
				best, at = d, j
			}
		}
		for _, f := range fixed {
			d, fc := 0.0, [3]float64{float64(f.R), float64(f.G), float64(f.B)}
			for a := range 3 {
				e := s.c[a] - fc[a]
				d += e * e * weights[a]
			}
			if d < best {
				at = -1
				break
			}
		}
		if at < 0 {
			continue
		}
		w := s.n
		for a := range 3 {
			sums[at][a] += w * s.c[a]
		}
		sums[at][3] += w
	}
	out := make([][3]float64, len(means))
	for j, s := range sums {
		out[j] = means[j]
		if s[3] > 0 {
			out[j] = [3]float64{s[0] / s[3], s[1] / s[3], s[2] / s[3]}
		}
	}
	return out
}
