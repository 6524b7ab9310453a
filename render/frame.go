package render

import (
	"image"
	"image/color"
	"math"

	"github.com/fogleman/gg"
)

// sprite is a painted item: premultiplied pixels, cut to what is not transparent.
type sprite struct {
	x, y  int // of the upper left corner, relative to the item's origin
	w, h  int
	pix   []uint8  // 4 bytes a pixel
	spans []uint16 // for each row the first pixel that shows and the one after the last
}

// bytes is the memory that a sprite takes, with its key's share.
func (s *sprite) bytes() int { return len(s.pix) + 2*len(s.spans) + 200 }

// paintSprite paints an item on a context of its own.
func (c *composer) paintSprite(it *item) *sprite {
	box := it.box
	if limit := 4 * c.o.Width; box.Dx() > limit || box.Dy() > limit || box.Empty() {
		return &sprite{}
	}
	dc := gg.NewContext(box.Dx(), box.Dy())
	dc.Translate(float64(-box.Min.X), float64(-box.Min.Y))
	it.paint(&brush{Context: dc, k: 1, p: c.p, tf: c.tf})
	im := dc.Image().(*image.RGBA)
	if it.opacity < 1 {
		for i, v := range im.Pix {
			im.Pix[i] = uint8(float64(v)*it.opacity + 0.5)
		}
	}
	return cutSprite(im, box.Min)
}

func cutSprite(im *image.RGBA, at image.Point) *sprite {
	b := image.Rectangle{Min: image.Pt(math.MaxInt, math.MaxInt), Max: image.Pt(-1, -1)}
	for y := range im.Rect.Dy() {
		row := im.Pix[y*im.Stride : y*im.Stride+4*im.Rect.Dx()]
		for x := range im.Rect.Dx() {
			if row[4*x+3] != 0 {
				b.Min.X, b.Min.Y = min(b.Min.X, x), min(b.Min.Y, y)
				b.Max.X, b.Max.Y = max(b.Max.X, x+1), max(b.Max.Y, y+1)
			}
		}
	}
	if b.Max.X < 0 {
		return &sprite{}
	}
	s := &sprite{x: at.X + b.Min.X, y: at.Y + b.Min.Y, w: b.Dx(), h: b.Dy()}
	s.pix = make([]uint8, 0, 4*s.w*s.h)
	for y := b.Min.Y; y < b.Max.Y; y++ {
		row := im.Pix[y*im.Stride+4*b.Min.X : y*im.Stride+4*b.Max.X]
		s.pix = append(s.pix, row...)
		first, last := 0, 0
		for x := range s.w {
			if row[4*x+3] != 0 {
				if last == 0 {
					first = x
				}
				last = x + 1
			}
		}
		s.spans = append(s.spans, uint16(first), uint16(last))
	}
	return s
}

// blit lays a sprite on an indexed picture. Where it is translucent the colour
// under it shows through, and the nearest of the palette is taken.
func blit(dst *image.Paletted, p *palette, s *sprite, x, y int) {
	x += s.x
	y += s.y
	width, height := dst.Rect.Dx(), dst.Rect.Dy()
	for row := range s.h {
		dy := y + row
		if dy < 0 || dy >= height {
			continue
		}
		from, to := int(s.spans[2*row]), int(s.spans[2*row+1])
		from, to = max(from, -x), min(to, width-x)
		if from >= to {
			continue
		}
		src := s.pix[4*(row*s.w+from) : 4*(row*s.w+to)]
		out := dst.Pix[dy*dst.Stride+x+from : dy*dst.Stride+x+to]
		for i := range out {
			px := src[4*i : 4*i+4 : 4*i+4]
			switch a := uint32(px[3]); a {
			case 0:
			case 255:
				out[i] = p.near[cell(px[0], px[1], px[2])]
			default:
				under := &p.rgb[out[i]]
				rest := 255 - a
				out[i] = p.near[cell(
					px[0]+uint8((uint32(under[0])*rest+127)/255),
					px[1]+uint8((uint32(under[1])*rest+127)/255),
					px[2]+uint8((uint32(under[2])*rest+127)/255))]
			}
		}
	}
}

// over lays a sprite on a picture of full colours.
func over(dst *image.RGBA, s *sprite, x, y int) {
	for row := range s.h {
		for col := range s.w {
			px := s.pix[4*(row*s.w+col):]
			at := image.Pt(x+s.x+col, y+s.y+row)
			if px[3] == 0 || !at.In(dst.Rect) {
				continue
			}
			u := dst.RGBAAt(at.X, at.Y)
			rest := uint32(255 - px[3])
			m := func(c, under uint8) uint8 { return c + uint8((uint32(under)*rest+127)/255) }
			dst.SetRGBA(at.X, at.Y, color.RGBA{m(px[0], u.R), m(px[1], u.G), m(px[2], u.B), 255})
		}
	}
}
