package render

import (
	"encoding/binary"
	"image"
	"image/color"
	"image/draw"
	"slices"

	"github.com/fogleman/gg"
)

// sprite is a painted item for the palette of one ground, as runs of pixels.
type sprite struct {
	runs  []run
	solid []uint8 // colours of opaque pixels, in the order of the runs
	soft  []uint8 // premultiplied red, green, blue, alpha of translucent ones
}

// run is a piece of a row: its place relative to the item's origin, and its pixels.
type run struct {
	x, y  int16
	n     uint16
	solid bool
}

// bytes is the memory that a sprite takes, with its key's share.
func (s *sprite) bytes() int { return 8*cap(s.runs) + cap(s.solid) + cap(s.soft) + 250 }

// paintItem paints an item on a picture of its own; at is where its upper left
// corner lies from the origin. The picture may be given back with release.
func (c *composer) paintItem(it *item) (im *image.RGBA, at image.Point) {
	box := it.box
	if limit := 4 * c.o.Width; box.Dx() > limit || box.Dy() > limit || box.Empty() {
		return image.NewRGBA(image.Rectangle{}), image.Point{}
	}
	im = c.canvas(box.Dx(), box.Dy())
	dc := gg.NewContextForRGBA(im)
	dc.Translate(float64(-box.Min.X), float64(-box.Min.Y))
	it.paint(&brush{Context: dc, k: 1, p: c.p, tf: c.tf})
	if it.opacity < 1 {
		pale(im, it.opacity)
	}
	return im, box.Min
}

// canvas is an empty picture.
func (c *composer) canvas(w, h int) *image.RGBA {
	im, _ := c.canvases.Get().(*image.RGBA)
	if im == nil || cap(im.Pix) < 4*w*h {
		return image.NewRGBA(image.Rect(0, 0, w, h))
	}
	im.Pix, im.Stride, im.Rect = im.Pix[:4*w*h], 4*w, image.Rect(0, 0, w, h)
	clear(im.Pix)
	return im
}

// release gives back a picture that nobody looks at any more.
func (c *composer) release(im *image.RGBA) { c.canvases.Put(im) }

// pale makes a picture faint and most of its colour grey: what stood here is not
// mistaken for what stands here.
func pale(im *image.RGBA, opacity float64) {
	for i := 0; i < len(im.Pix); i += 4 {
		p := im.Pix[i : i+4]
		grey := luminance(color.RGBA{R: p[0], G: p[1], B: p[2]}) * 255
		for j := range 3 {
			p[j] = uint8((grey+(float64(p[j])-grey)*0.2)*opacity + 0.5)
		}
		p[3] = uint8(float64(p[3])*opacity + 0.5)
	}
}

// newSprite makes runs of a painted item.
func newSprite(im *image.RGBA, at image.Point, p *palette) *sprite {
	var s sprite
	w := im.Rect.Dx()
	above, here := make([]uint8, w), make([]uint8, w)
	for y := range im.Rect.Dy() {
		row := im.Pix[y*im.Stride : y*im.Stride+4*w]
		left, right := painted(row)
		plainEdges(row[4*left : 4*right])
		clear(here)
		p.indices(here, above, rowsAt(im, y), left, right)
		for x := left; x < right; {
			a := row[4*x+3]
			if a == 0 {
				x++
				continue
			}
			r := run{x: int16(at.X + x), y: int16(at.Y + y), solid: a == 255}
			from := x
			for x < right && row[4*x+3] == a {
				x++
			}
			for !r.solid && x < right && row[4*x+3] != 0 && row[4*x+3] != 255 {
				x++
			}
			r.n = uint16(x - from)
			if r.solid {
				s.solid = append(s.solid, here[from:x]...)
			} else {
				s.soft = append(s.soft, row[4*from:4*x]...)
			}
			s.runs = append(s.runs, r)
		}
		above, here = here, above
	}
	// Copies, for the lists have grown to more than they hold, and sprites are kept.
	return &sprite{runs: slices.Clone(s.runs), solid: slices.Clone(s.solid), soft: slices.Clone(s.soft)}
}

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
		var indices, color []uint8
		if r.solid {
			indices, solid = solid[:n], solid[n:]
		} else {
			color, soft = soft[:4*n], soft[4*n:]
		}
		left, top := x+int(r.x), y+int(r.y)
		from, to := max(0, -left), min(n, width-left)
		if top < 0 || top >= height || from >= to {
			continue
		}
		out := dst.Pix[top*dst.Stride+left+from : top*dst.Stride+left+to]
		if r.solid {
			copy(out, indices[from:])
			continue
		}
		color = color[4*from:]
		var last uint32 // colour; most pixels are as the one on the left
		var under, index uint8
		for i := range out {
			px := color[4*i : 4*i+4 : 4*i+4]
			if c := binary.LittleEndian.Uint32(px); c != last || out[i] != under || i == 0 {
				last, under = c, out[i]
				index = p.through(px, under)
			}
			out[i] = index
		}
	}
}

// through is the colour nearest to a translucent pixel over one of the palette.
func (p *palette) through(px []uint8, under uint8) uint8 {
	on, rest := &p.rgb[under], uint32(255-px[3])
	return p.near[cell(
		px[0]+uint8((uint32(on[0])*rest+127)/255),
		px[1]+uint8((uint32(on[1])*rest+127)/255),
		px[2]+uint8((uint32(on[2])*rest+127)/255))]
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
		case a >= 64:
			step = 128
		}
		for j := range 3 {
			px[j] = uint8(min((uint32(px[j])*step+a/2)/a, step))
		}
		px[3] = uint8(step)
	}
}
