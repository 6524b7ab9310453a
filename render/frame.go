package render

import (
	"encoding/binary"
	"image"
	"image/draw"
	"math/bits"
	"slices"
	"sync"

	"github.com/fogleman/gg"
)

// sprite is a painted item in full, premultiplied colours. Its rectangle is relative to the item's origin and encloses
// only the painted pixels.
type sprite struct {
	image.Rectangle
	runs []run // runs of pixels, row by row
}

// run is a run of equal pixels in a row. Most pixels are in long runs, so a sprite takes a fraction of the memory of
// its pixels.
type run struct {
	px [4]uint8
	n  uint16
}

const runBytes = 6

// bytes estimates the memory of a sprite and its key.
func (s sprite) bytes() int { return cap(s.runs)*runBytes + 350 }

// canvas is a reusable surface for painting sprites. Creating a gg context and growing its lists takes as long as
// painting a small sprite.
type canvas struct {
	dc *gg.Context
	im *image.RGBA // pixels of dc; its size changes with each sprite
}

// canvases are pools of free canvases. Their index is the bit length of the canvases' heights, because painting takes
// longer on a higher canvas.
type canvases [bits.UintSize + 1]sync.Pool

// mostWide is wider than any item. A wider context costs nothing.
const mostWide = 1 << 14

// get returns an empty canvas of the given size.
func (c *canvases) get(w, h int) *canvas {
	size := bits.Len(uint(h))
	cv, _ := c[size].Get().(*canvas)
	if cv == nil {
		cv = &canvas{im: image.NewRGBA(image.Rect(0, 0, mostWide, 0))}
		cv.im.Rect.Max.Y = 1 << size
		cv.dc = gg.NewContextForRGBA(cv.im)
	}
	if cap(cv.im.Pix) < 4*w*h {
		cv.im.Pix = make([]uint8, 4*w*h)
	}
	cv.im.Pix, cv.im.Stride, cv.im.Rect = cv.im.Pix[:4*w*h], 4*w, image.Rect(0, 0, w, h)
	clear(cv.im.Pix)
	return cv
}

// put returns a canvas to the pool. The caller must not use it afterwards.
func (c *canvases) put(cv *canvas) { c[bits.Len(uint(cv.im.Rect.Dy()))].Put(cv) }

// paintItem paints an item on a separate canvas, which the caller returns with put. The canvas stays empty if the
// item's box is empty or too large. at is the place of the canvas's upper left corner, relative to the item's
// origin.
func (c *composer) paintItem(it *item) (cv *canvas, at image.Point) {
	box := it.box
	if limit := 4 * c.o.Width; box.Dx() > limit || box.Dy() > limit || box.Empty() {
		return c.canvases.get(0, 0), image.Point{}
	}
	cv = c.canvases.get(box.Dx(), box.Dy())
	cv.dc.Push()
	cv.dc.Translate(float64(-box.Min.X), float64(-box.Min.Y))
	it.paint(&brush{Context: cv.dc, k: 1, p: c.p, tf: c.tf})
	cv.dc.Pop()
	cv.dc.ClearPath()
	if it.key.ghost {
		fade(cv.im.Pix)
	}
	return cv, box.Min
}

// faded returns the sprite with faded pixels.
func (s sprite) faded() sprite {
	s.runs = slices.Clone(s.runs)
	for i := range s.runs {
		fade(s.runs[i].px[:])
	}
	return s
}

// fade makes premultiplied pixels mostly grey and half as opaque.
func fade(pix []uint8) {
	for p := pix; len(p) > 0; p = p[4:] {
		if p[3] == 0 {
			continue
		}
		grey := (54*int(p[0]) + 183*int(p[1]) + 19*int(p[2])) >> 8
		for i := range 3 {
			p[i] = uint8((4*grey + int(p[i])) / 10)
		}
		p[3] /= 2
	}
}

// sprite copies the painted part of the canvas without the empty space around it.
func (cv *canvas) sprite(at image.Point) sprite {
	box := painted(cv.im)
	s := sprite{Rectangle: box.Add(at)}
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for row := cv.im.Pix[cv.im.PixOffset(box.Min.X, y):][:4*box.Dx()]; len(row) > 0; {
			n := equal(row)
			s.runs = append(s.runs, run{[4]uint8(row), uint16(n)})
			row = row[4*n:]
		}
	}
	s.runs = slices.Clone(s.runs) // no larger than necessary
	return s
}

// equal returns the length of the run of equal pixels at the beginning of pix.
func equal(pix []uint8) int {
	first := binary.LittleEndian.Uint32(pix)
	n := 4
	for n < len(pix) && binary.LittleEndian.Uint32(pix[n:]) == first {
		n += 4
	}
	return n / 4
}

// image converts a sprite to pixels.
func (s sprite) image() *image.RGBA {
	im := image.NewRGBA(s.Rectangle)
	pix := im.Pix
	for _, r := range s.runs {
		for range r.n {
			pix = pix[copy(pix, r.px[:]):]
		}
	}
	return im
}

// painted returns the smallest rectangle that contains all painted pixels.
func painted(im *image.RGBA) image.Rectangle {
	var box image.Rectangle
	w := im.Rect.Dx()
	for y := range im.Rect.Dy() {
		row := im.Pix[y*im.Stride : y*im.Stride+4*w]
		left := 0
		for left < w && row[4*left+3] == 0 {
			left++
		}
		if left == w {
			continue
		}
		right := w
		for row[4*right-1] == 0 {
			right--
		}
		box = box.Union(image.Rect(left, y, right, y+1))
	}
	return box
}

// blit draws a sprite with its origin at (x, y) on an indexed picture. Each pixel becomes the nearest colour of the
// palette. A translucent pixel is first mixed with the colour below it.
func blit(dst *image.Paletted, p *palette, s sprite, x, y int) {
	at := s.Add(image.Pt(x, y))
	x, y = at.Min.X, at.Min.Y
	for _, r := range s.runs {
		from, to := max(x, dst.Rect.Min.X), min(x+int(r.n), dst.Rect.Max.X)
		if r.px[3] > 0 && from < to && y >= dst.Rect.Min.Y && y < dst.Rect.Max.Y {
			r.lay(dst.Pix[y*dst.Stride+from:y*dst.Stride+to], p)
		}
		if x += int(r.n); x == at.Max.X {
			x, y = at.Min.X, y+1
		}
	}
}

// lay draws a run over other pixels.
func (r run) lay(out []uint8, p *palette) {
	if r.px[3] == 255 {
		index := p.near[cell(r.px[0], r.px[1], r.px[2])]
		for i := range out {
			out[i] = index
		}
		return
	}
	below, index := -1, uint8(0)
	for i, o := range out {
		if int(o) != below {
			below = int(o)
			under := &p.rgb[o]
			through := func(i int) uint8 { return r.px[i] + uint8((uint32(under[i])*(255-uint32(r.px[3]))+127)/255) }
			index = p.near[cell(through(0), through(1), through(2))]
		}
		out[i] = index
	}
}

// over draws a painted item on a picture in full colour.
func over(dst, src *image.RGBA, at image.Point) {
	draw.Draw(dst, src.Rect.Add(at), src, src.Rect.Min, draw.Over)
}
