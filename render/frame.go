package render

import (
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
func (s *sprite) bytes() int { return 8*len(s.runs) + len(s.solid) + len(s.soft) + 250 }

// paintItem paints an item on a context of its own; at is where its upper left
// corner lies from the origin.
func (c *composer) paintItem(it *item) (im *image.RGBA, at image.Point) {
	box := it.box
	if limit := 4 * c.o.Width; box.Dx() > limit || box.Dy() > limit || box.Empty() {
		return image.NewRGBA(image.Rectangle{}), image.Point{}
	}
	dc := gg.NewContext(box.Dx(), box.Dy())
	dc.Translate(float64(-box.Min.X), float64(-box.Min.Y))
	it.paint(&brush{Context: dc, k: 1, p: c.p, tf: c.tf})
	im = dc.Image().(*image.RGBA)
	if it.opacity < 1 {
		pale(im, it.opacity)
	}
	return im, box.Min
}

// pale makes a picture faint and most of its colour grey: what stood here is not
// mistaken for what stands here.
func pale(im *image.RGBA, opacity float64) {
	for i := 0; i < len(im.Pix); i += 4 {
		p := im.Pix[i : i+4]
		grey := luminance(color.RGBA{R: p[0], G: p[1], B: p[2]}) * 255
		for j := range 3 {
			p[j] = uint8((grey+(float64(p[j])-grey)*0.45)*opacity + 0.5)
		}
		p[3] = uint8(float64(p[3])*opacity + 0.5)
	}
}

// newSprite makes runs of a painted item.
func newSprite(im *image.RGBA, at image.Point, p *palette) *sprite {
	s := &sprite{}
	w := im.Rect.Dx()
	for y := range im.Rect.Dy() {
		row := im.Pix[y*im.Stride : y*im.Stride+4*w]
		for x := 0; x < w; {
			a := row[4*x+3]
			if a == 0 {
				x++
				continue
			}
			r := run{x: int16(at.X + x), y: int16(at.Y + y), solid: a == 255}
			for ; x < w && row[4*x+3] != 0 && (row[4*x+3] == 255) == r.solid; x++ {
				px := row[4*x : 4*x+4]
				if r.solid {
					s.solid = append(s.solid, p.near[cell(px[0], px[1], px[2])])
				} else {
					s.soft = append(s.soft, px...)
				}
				r.n++
			}
			s.runs = append(s.runs, r)
		}
	}
	s.runs, s.solid, s.soft = slices.Clip(s.runs), slices.Clip(s.solid), slices.Clip(s.soft)
	return s
}

// blit lays a sprite on an indexed picture. Where it is translucent the colour
// under it shows through, and the nearest of the palette is taken.
func blit(dst *image.Paletted, p *palette, s *sprite, x, y int) {
	width, height := dst.Rect.Dx(), dst.Rect.Dy()
	solid, soft := s.solid, s.soft
	for _, r := range s.runs {
		n := int(r.n)
		var index, color []uint8
		if r.solid {
			index, solid = solid[:n], solid[n:]
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
			copy(out, index[from:])
			continue
		}
		color = color[4*from:]
		for i := range out {
			px := color[4*i : 4*i+4 : 4*i+4]
			under := &p.rgb[out[i]]
			rest := uint32(255 - px[3])
			out[i] = p.near[cell(
				px[0]+uint8((uint32(under[0])*rest+127)/255),
				px[1]+uint8((uint32(under[1])*rest+127)/255),
				px[2]+uint8((uint32(under[2])*rest+127)/255))]
		}
	}
}

// over lays a painted item on a picture of full colours.
func over(dst, src *image.RGBA, at image.Point) {
	draw.Draw(dst, src.Rect.Add(at), src, image.Point{}, draw.Over)
}
