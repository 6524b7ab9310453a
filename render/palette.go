package render

import (
	"cmp"
	"image"
	"image/color"
	"math"
	"slices"
)

// paletteSize is the maximum number of colours of a picture, which leaves an index for the unchanged pixels of a
// replay. A wide board has fewer colours, because a smaller fraction of its pixels is on edges, and fewer colours make
// a smaller file.
const (
	paletteSize = 255
	wideColours = 172
	wide        = 800 // pixels
)

// palette has the colours of a ground and of all objects that can appear on it. It finds the nearest of these colours
// for any other colour.
type palette struct {
	colors color.Palette
	rgb    [paletteSize][3]uint8
	near   [1 << cellBits]uint8 // index of the nearest colour of each cell
}

const cellBits = 18

// cell returns the index of a colour in the table of nearest colours: six bits each for red, green and blue.
func cell(r, g, b uint8) uint32 {
	return uint32(r>>2)<<12 | uint32(g>>2)<<6 | uint32(b>>2)
}

// sample is a colour of a picture with its weight.
type sample struct {
	c      [3]uint8
	weight float64
	off    int // squared distance to the nearest colour of the palette
	near   int // index of that colour
}

// The weight of a colour is its number of pixels, raised to power. A pixel counts less if there is more contrast than
// faint around it.
const (
	power    = 0.4
	faint    = 60.0
	commonly = 40 // least weight (before power applies) of a common colour that the palette keeps unchanged
)

// newPalette chooses at most the given number of colours for pictures like im. It takes first the fixed colours and
// then the commonest. Then it repeatedly adds the colour of the picture with the greatest error.
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
			if off := apartness(s.c, c); off < s.off {
				s.off, s.near = off, len(p.colors)-1
			}
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
		worst, most := 0, 0.0
		for i := range samples {
			if loss := float64(samples[i].off) * samples[i].weight; loss > most {
				worst, most = i, loss
			}
		}
		if most == 0 {
			break
		}
		add(samples[worst].c)
	}
	p.settle(samples, exact)
	all := make([]uint8, len(p.colors))
	for i := range all {
		all[i] = uint8(i)
	}
	p.fill(0, 0, 0, 256, all)
	for i := len(p.colors) - 1; i >= 0; i-- {
		p.near[cell(p.rgb[i][0], p.rgb[i][1], p.rgb[i][2])] = uint8(i)
	}
	return p
}

// settle replaces each colour from index exact on by the mean of the samples nearest to it.
func (p *palette) settle(samples []sample, exact int) {
	var sums [paletteSize][4]float64
	for _, s := range samples {
		for i, v := range s.c {
			sums[s.near][i] += s.weight * float64(v)
		}
		sums[s.near][3] += s.weight
	}
	for i := exact; i < len(p.colors); i++ {
		if n := sums[i][3]; n > 0 {
			c := &p.rgb[i]
			c[0], c[1], c[2] = uint8(sums[i][0]/n+0.5), uint8(sums[i][1]/n+0.5), uint8(sums[i][2]/n+0.5)
			p.colors[i] = color.RGBA{R: c[0], G: c[1], B: c[2], A: 255}
		}
	}
}

// samplesOf returns the colours of a picture in descending order of weight. Pixels with little contrast around them
// weigh more.
func samplesOf(im *image.RGBA) []sample {
	w, h := im.Rect.Dx(), len(im.Pix)/im.Stride
	light := make([]uint8, w*h)
	for i := range light {
		px := im.Pix[4*i : 4*i+4 : 4*i+4]
		light[i] = uint8((2*int(px[0]) + 5*int(px[1]) + int(px[2])) / 8)
	}
	var list []sample
	at := map[uint32]int{} // index of a colour in the list
	last := -1             // index of the previous pixel's colour, which the next pixel usually has too; -1 at first
	lo, hi := make([]uint8, w), make([]uint8, w)
	for y := range h {
		// lo and hi hold the lowest and the highest brightness in this row, the row above and the row below, for each
		// column.
		copy(lo, light[y*w:])
		copy(hi, light[y*w:])
		for _, v := range []int{max(y-1, 0), min(y+1, h-1)} {
			for x, l := range light[v*w : (v+1)*w] {
				lo[x], hi[x] = min(lo[x], l), max(hi[x], l)
			}
		}
		for x := range w {
			left, right := max(x-1, 0), min(x+1, w-1)
			seen := max(float64(max(hi[left], hi[x], hi[right])-min(lo[left], lo[x], lo[right])), faint)
			c := [3]uint8(im.Pix[4*(y*w+x):])
			if last < 0 || list[last].c != c {
				key := uint32(c[0])<<16 | uint32(c[1])<<8 | uint32(c[2])
				i, known := at[key]
				if last = i; !known {
					last = len(list)
					at[key] = last
					list = append(list, sample{c: c, off: math.MaxInt})
				}
			}
			list[last].weight += faint * faint / (seen * seen)
		}
	}
	slices.SortFunc(list, func(a, b sample) int {
		// colours of equal weight need an order too, so that the picture is always the same
		return cmp.Or(cmp.Compare(b.weight, a.weight), slices.Compare(a.c[:], b.c[:]))
	})
	return list
}

// apartness returns the squared distance between two colours. The channels are weighted by the eye's sensitivity.
func apartness(a, b [3]uint8) int {
	dr, dg, db := int(a[0])-int(b[0]), int(a[1])-int(b[1]), int(a[2])-int(b[2])
	return 3*dr*dr + 5*dg*dg + 2*db*db
}

// fill sets the nearest colour of each cell in a cube. among has all colours that can be the nearest. fill splits the
// cube into eight parts and recurs into each, without the colours that are too far from the cube's middle to be the
// nearest.
func (p *palette) fill(r, g, b, side int, among []uint8) {
	middle := [3]uint8{uint8(r + side/2), uint8(g + side/2), uint8(b + side/2)}
	least, nearest := math.MaxInt, uint8(0)
	for _, c := range among {
		if off := apartness(middle, p.rgb[c]); off < least {
			least, nearest = off, c
		}
	}
	if side == 4 {
		p.near[cell(middle[0], middle[1], middle[2])] = nearest
		return
	}
	half := side / 2
	reach := math.Sqrt((3 + 5 + 2) * float64(half*half)) // distance from the middle to a corner
	bound := math.Sqrt(float64(least)) + 2*reach
	var keep [paletteSize]uint8
	kept := keep[:0]
	for _, c := range among {
		if float64(apartness(middle, p.rgb[c])) <= bound*bound {
			kept = append(kept, c)
		}
	}
	for sub := range 8 {
		p.fill(r+sub>>2*half, g+sub>>1&1*half, b+sub&1*half, half, kept)
	}
}

// of returns the index of the colour nearest to c.
func (p *palette) of(c color.RGBA) uint8 { return p.near[cell(c.R, c.G, c.B)] }

// indexed writes the palette's index of each pixel of an opaque picture to out.
func (p *palette) indexed(out []uint8, im *image.RGBA) {
	for i := range out {
		px := im.Pix[4*i : 4*i+4 : 4*i+4]
		out[i] = p.near[cell(px[0], px[1], px[2])]
	}
}
