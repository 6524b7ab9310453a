package render

import (
	"encoding/binary"
	"image"
	"image/color"
	"image/draw"
	"math/bits"
	"slices"
	"sync"

	"github.com/fogleman/gg"
)

// sprite is a painted item for the palette of one ground, as runs of pixels.
type sprite struct {
	runs  []run
	solid []uint8  // colours of opaque pixels, in the order of the runs
	soft  []uint32 // premultiplied colours of translucent ones, as packed makes them
}

// run is a piece of a row: its place relative to the item's origin, and its pixels.
type run struct {
	x, y int16
	n    uint16
	kind runKind
}

type runKind uint8

const (
	solidRun runKind = iota
	edgeRun          // translucent, beside nothing: there to be smooth
	sheerRun         // translucent within the sprite
	ghostRun         // opaque in what it is the ghost of
)

// bytes is the memory that a sprite takes, with its key's share.
func (s *sprite) bytes() int { return 8*cap(s.runs) + cap(s.solid) + 4*cap(s.soft) + 250 }

// canvas is where sprites are painted one after the other: to make a context of gg, and to grow
// its lists, takes as long as to paint a small sprite.
type canvas struct {
	dc   *gg.Context
	im   *image.RGBA // what dc paints on; of another size for each sprite
	made sprite      // where sprite collects runs
}

// canvases are those that nobody paints on, by the length of their greatest height in bits: what
// painting on a context takes grows with the height that it was made for.
type canvases [bits.UintSize + 1]sync.Pool

// mostWide is more than the width of any item; to a context its width is but a limit.
const mostWide = 1 << 14

// get returns an empty canvas of that size.
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

// put gives back a canvas that nobody looks at any more.
func (c *canvases) put(cv *canvas) { c[bits.Len(uint(cv.im.Rect.Dy()))].Put(cv) }

// paintItem paints an item on a canvas of its own, which is to be given back; at is where its upper
// left corner lies from the origin.
func (c *composer) paintItem(it *item) (cv *canvas, at image.Point) {
	box := it.box
	if limit := 4 * c.o.Width; box.Dx() > limit || box.Dy() > limit || box.Empty() {
		return c.canvases.get(0, 0), image.Point{}
	}
	cv = c.canvases.get(box.Dx(), box.Dy())
	cv.dc.Push()
	cv.dc.Translate(float64(-box.Min.X), float64(-box.Min.Y))
	it.paint(&brush{Context: cv.dc, k: 1, p: c.p, tf: c.tf, slack: slack})
	cv.dc.Pop()
	cv.dc.ClearPath()
	return cv, box.Min
}

// pale is a colour with most of it grey: what stood here is not mistaken for what stands here.
func pale(r, g, b uint8) (uint8, uint8, uint8) {
	grey := luminance(color.RGBA{R: r, G: g, B: b}) * 255
	mix := func(v uint8) uint8 { return uint8(grey + (float64(v)-grey)*0.2 + 0.5) }
	return mix(r), mix(g), mix(b)
}

// ghost is what a sprite looks like of something that is there no more: pale and translucent. It
// shares the sprite's opaque pixels.
func (s *sprite) ghost() *sprite {
	g := sprite{runs: slices.Clone(s.runs), solid: s.solid, soft: make([]uint32, len(s.soft))}
	for i := range g.runs {
		if r := &g.runs[i]; r.kind == solidRun {
			r.kind = ghostRun
		} else {
			r.kind = sheerRun
		}
	}
	for i, c := range s.soft {
		g.soft[i] = packed(pale(uint8(c), uint8(c>>8), uint8(c>>16)))
	}
	return &g
}

// sprite makes runs of the item that was painted on the canvas.
func (cv *canvas) sprite(at image.Point, p *palette) *sprite {
	im := cv.im
	s := sprite{runs: cv.made.runs[:0], solid: cv.made.solid[:0], soft: cv.made.soft[:0]}
	w := im.Rect.Dx()
	above, here := make([]uint8, w), make([]uint8, w)
	for y := range im.Rect.Dy() {
		row := im.Pix[y*im.Stride : y*im.Stride+4*w]
		left, right := painted(row)
		plainEdges(row[4*left : 4*right])
		clear(here)
		rows := rowsAt(im, y)
		p.indices(here, above, rows, left, right)
		for x := left; x < right; {
			kind, ok := runAt(rows, x)
			if !ok {
				x++
				continue
			}
			r := run{x: int16(at.X + x), y: int16(at.Y + y), kind: kind}
			from := x
			for ok && kind == r.kind {
				if kind != solidRun {
					s.soft = append(s.soft, packed(row[4*x], row[4*x+1], row[4*x+2]))
				}
				if x++; x == right {
					break
				}
				kind, ok = runAt(rows, x)
			}
			r.n = uint16(x - from)
			if r.kind == solidRun {
				s.solid = append(s.solid, here[from:x]...)
			}
			s.runs = append(s.runs, r)
		}
		above, here = here, above
	}
	cv.made = s
	// Copies, for the lists hold more than they need to, and sprites are kept.
	return &sprite{runs: slices.Clone(s.runs), solid: slices.Clone(s.solid), soft: slices.Clone(s.soft)}
}

// runAt is the kind of run that the pixel at x of the middle row belongs to, and whether it is to any.
func runAt(r rows, x int) (runKind, bool) {
	at := 4*x + 3
	empty := func(row []uint8, at int) bool { return at < 0 || at >= len(row) || row[at] < faintest }
	switch {
	case r.here[at] == 0:
		return 0, false
	case r.here[at] == 255:
		return solidRun, true
	case empty(r.here, at-4), empty(r.here, at+4), empty(r.above, at), empty(r.below, at):
		return edgeRun, true
	}
	return sheerRun, true
}

// packed is a colour as one number, which can be added to another of its like.
func packed(r, g, b uint8) uint32 { return uint32(r) | uint32(g)<<8 | uint32(b)<<16 }

// painted is the part of a row of colours outside which it is empty.
func painted(row []uint8) (left, right int) {
	left, right = 0, len(row)/4
	for left+2 <= right && binary.LittleEndian.Uint64(row[4*left:]) == 0 {
		left += 2
	}
	for right-2 >= left && binary.LittleEndian.Uint64(row[4*right-8:]) == 0 {
		right -= 2
	}
	return left, right
}

// blit lays a sprite on an indexed picture. Where it is translucent the colour
// under it shows through, and the nearest of the palette is taken.
func blit(dst *image.Paletted, p *palette, s *sprite, x, y int) {
	width, height := dst.Rect.Dx(), dst.Rect.Dy()
	solid, soft := s.solid, s.soft
	for _, r := range s.runs {
		n := int(r.n)
		var indices []uint8
		var colours []uint32
		if r.kind == solidRun || r.kind == ghostRun {
			indices, solid = solid[:n], solid[n:]
		} else {
			colours, soft = soft[:n], soft[n:]
		}
		left, top := x+int(r.x), y+int(r.y)
		from, to := max(0, -left), min(n, width-left)
		if top < 0 || top >= height || from >= to {
			continue
		}
		out := dst.Pix[top*dst.Stride+left+from : top*dst.Stride+left+to]
		switch r.kind {
		case solidRun:
			copy(out, indices[from:])
		case ghostRun:
			p.blitGhost(out, indices[from:to])
		case edgeRun:
			for i, c := range colours[from:to] {
				if n := p.through(c, out[i]); !p.alike[n][out[i]] {
					out[i] = n
				}
			}
		case sheerRun:
			for i, c := range colours[from:to] {
				out[i] = p.through(c, out[i])
			}
		}
	}
}

// blitGhost lays opaque colours of what is there no more on pixels, eight at a time where all are alike.
func (p *palette) blitGhost(out, colours []uint8) {
	const each = 0x0101010101010101
	colours = colours[:len(out)]
	for i := 0; i < len(out); {
		end := min(i+8, len(out))
		if i+8 == end {
			over, under := binary.LittleEndian.Uint64(colours[i:]), binary.LittleEndian.Uint64(out[i:])
			if over == over&0xff*each && under == under&0xff*each {
				binary.LittleEndian.PutUint64(out[i:], uint64(p.ghost[uint8(over)][uint8(under)])*each)
				i = end
				continue
			}
		}
		for ; i < end; i++ {
			out[i] = p.ghost[colours[i]][out[i]]
		}
	}
}

// translucent is the opacity of a sprite's translucent pixels; see plainEdges.
const translucent = 128

// faintest is the least opacity of what is painted at all.
const faintest = 64

// through is the colour nearest to a translucent pixel, packed, over one of the palette.
func (p *palette) through(c uint32, under uint8) uint8 {
	c += p.under[under]
	return p.near[uint16(c&0xf8)<<8|uint16(c>>10&0x3f)<<5|uint16(c>>19&0x1f)] // as cell
}

// over lays a painted item on a picture of full colours.
func over(dst, src *image.RGBA, at image.Point) {
	draw.Draw(dst, src.Rect.Add(at), src, image.Point{}, draw.Over)
}

// plainEdges leaves one step between nothing and opaque: at the size of a pixel
// the eye still takes edges for smooth, blitting is quicker, and a picture has
// fewer different pixels.
func plainEdges(row []uint8) {
	for i := 0; i < len(row); i += 4 {
		px := row[i : i+4 : i+4]
		a := uint32(px[3])
		if a == 0 || a == 255 {
			continue
		}
		step := uint32(0)
		switch {
		case a > 191:
			step = 255
		case a >= faintest:
			step = translucent
		}
		for j := range 3 {
			px[j] = uint8(min((uint32(px[j])*step+a/2)/a, step))
		}
		px[3] = uint8(step)
	}
}
