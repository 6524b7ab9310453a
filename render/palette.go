package render

import (
	"cmp"
	"image"
	"image/color"
	"math"
	"slices"
)

// paletteSize is the most colours of a picture; a replay needs one more index. A wide board has fewer: fewer of its
// pixels are on edges, and each colour less is fewer bytes.
const (
	paletteSize = 255
	wideColours = 172
	wide        = 800 // pixels
)

// palette is the colours of one ground with everything that may stand on it, and
// the way from any colour to the nearest of them.
type palette struct {
	colors color.Palette
	rgb    [paletteSize][3]uint8
	near   [1 << cellBits]uint8 // by cell
}

const cellBits = 18

// cell is where the palette's nearest colour to one stands: by six bits of red, green and blue.
func cell(r, g, b uint8) uint32 {
	return uint32(r>>2)<<12 | uint32(g>>2)<<6 | uint32(b>>2)
}

// sample is a colour that is to be shown, with how much depends on it.
type sample struct {
	c      [3]uint8
	weight float64
	off    float64 // how far the nearest colour of the palette is, squared
}

// How much depends on a colour: pixels count by the power of their number, and by the contrast round them
// where that is more than faint.
const (
	power    = 0.4
	faint    = 60.0
	commonly = 40 // pixels that make a colour one to be met exactly
)

// newPalette chooses at most so many colours for pictures like im: those given, then the commonest, then one after the
// other that of which a picture's looks lose most while it is missing.
func newPalette(fixed []color.RGBA, im *image.RGBA, most int) *palette {
	p := &palette{}
	samples := samplesOf(im)
	add := func(c [3]uint8) {
		if len(p.colors) == most || slices.Contains(p.rgb[:len(p.colors)], c) {
			return
		}
		p.rgb[len(p.colors)] = c
		p.colors = append(p.colors, color.RGBA{R: c[0], G: c[1], B: c[2], A: 255})
		for i := range samples {
			s := &samples[i]
			s.off = min(s.off, apartness(s.c, c))
		}
	}
	for _, c := range fixed {
		add([3]uint8{c.R, c.G, c.B})
	}
	for _, s := range samples[:min(len(samples), most/2)] {
		if s.weight >= commonly {
			add(s.c)
		}
	}
	exact := len(p.colors)
	for i := range samples {
		samples[i].weight = math.Pow(samples[i].weight, power)
	}
	for len(p.colors) < most {
		worst := slices.MaxFunc(samples, func(a, b sample) int { return cmp.Compare(a.off*a.weight, b.off*b.weight) })
		if worst.off == 0 {
			break
		}
		add(worst.c)
	}
	p.settle(samples, exact)
	p.fill()
	for i := len(p.colors) - 1; i >= 0; i-- {
		p.near[cell(p.rgb[i][0], p.rgb[i][1], p.rgb[i][2])] = uint8(i)
	}
	return p
}

// settle moves the colours from number exact on into the middle of the samples that are nearest to them.
func (p *palette) settle(samples []sample, exact int) {
	var sums [paletteSize][4]float64
	for _, s := range samples {
		best, at := math.Inf(1), 0
		for i := range p.colors {
			if d := apartness(s.c, p.rgb[i]); d < best {
				best, at = d, i
			}
		}
		for i, v := range s.c {
			sums[at][i] += s.weight * float64(v)
		}
		sums[at][3] += s.weight
	}
	for i := exact; i < len(p.colors); i++ {
		if n := sums[i][3]; n > 0 {
			c := &p.rgb[i]
			c[0], c[1], c[2] = uint8(sums[i][0]/n+0.5), uint8(sums[i][1]/n+0.5), uint8(sums[i][2]/n+0.5)
			p.colors[i] = color.RGBA{R: c[0], G: c[1], B: c[2], A: 255}
		}
	}
}

// samplesOf are the colours of a picture, those that most depends on first: of a pixel the more, the less
// contrast there is round it.
func samplesOf(im *image.RGBA) []sample {
	w, h := im.Rect.Dx(), len(im.Pix)/im.Stride
	light := make([]uint8, w*h)
	for i := range light {
		px := im.Pix[4*i : 4*i+4 : 4*i+4]
		light[i] = uint8((2*int(px[0]) + 5*int(px[1]) + int(px[2])) / 8)
	}
	weights := map[[3]uint8]float64{}
	for y := range h {
		for x := range w {
			lo, hi := uint8(255), uint8(0)
			for v := max(y-1, 0); v <= min(y+1, h-1); v++ {
				for _, l := range light[v*w+max(x-1, 0) : v*w+min(x+2, w)] {
					lo, hi = min(lo, l), max(hi, l)
				}
			}
			seen := max(float64(hi-lo), faint)
			weights[[3]uint8(im.Pix[4*(y*w+x):])] += faint * faint / (seen * seen)
		}
	}
	list := make([]sample, 0, len(weights))
	for c, n := range weights {
		list = append(list, sample{c, n, math.Inf(1)})
	}
	slices.SortFunc(list, func(a, b sample) int {
		// a map's order must not reach the picture
		return cmp.Or(cmp.Compare(b.weight, a.weight), slices.Compare(a.c[:], b.c[:]))
	})
	return list
}

// apartness is how far apart two colours are, squared, with the eye's weights on the channels.
func apartness(a, b [3]uint8) float64 {
	dr, dg, db := float64(a[0])-float64(b[0]), float64(a[1])-float64(b[1]), float64(a[2])-float64(b[2])
	return 3*dr*dr + 5*dg*dg + 2*db*db
}

// fill sets the nearest colours of all cells, eight at a time: what is nearest to one of them is among
// the few colours that are about as near to their middle as the nearest is.
func (p *palette) fill() {
	const reach = 2 * 2 * 3.5 * 3.17 // twice how far, as the root of apartness, a cell's middle is from that of eight
	var off [paletteSize]float64
	for k := range 1 << (cellBits - 3) {
		r, g, b := k>>10<<3, k>>5&31<<3, k&31<<3
		middle, least := [3]uint8{uint8(r + 4), uint8(g + 4), uint8(b + 4)}, math.Inf(1)
		for i := range p.colors {
			off[i] = apartness(middle, p.rgb[i])
			least = min(least, off[i])
		}
		bound := math.Sqrt(least) + reach
		bound *= bound
		for sub := range 8 {
			c, best := [3]uint8{uint8(r + sub&4 + 2), uint8(g + sub&2*2 + 2), uint8(b + sub&1*4 + 2)}, math.Inf(1)
			for i := range p.colors {
				if off[i] > bound {
					continue
				}
				if d := apartness(c, p.rgb[i]); d < best {
					best, p.near[cell(c[0], c[1], c[2])] = d, uint8(i)
				}
			}
		}
	}
}

// of is the index of the colour nearest to c.
func (p *palette) of(c color.RGBA) uint8 { return p.near[cell(c.R, c.G, c.B)] }

// indexed sets out to a picture of opaque pixels in the palette's colours.
func (p *palette) indexed(out []uint8, im *image.RGBA) {
	for i := range out {
		px := im.Pix[4*i : 4*i+4 : 4*i+4]
		out[i] = p.near[cell(px[0], px[1], px[2])]
	}
}
