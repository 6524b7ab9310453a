package render

import (
	"image/color"
	"math"

	"github.com/fogleman/gg"
)

// This file paints light and shade. Gradients use tables with a colour for each row of pixels, or for each step from
// the middle, so they have no noise, and equal shapes have equal pixels.

// gradient is a pattern with a table of colours. step returns the table's index for a pixel.
type gradient struct {
	colours []color.NRGBA
	step    func(x, y int) int
}

// ColorAt returns a pixel's colour, for gg.
func (t *gradient) ColorAt(x, y int) color.Color {
	return t.colours[min(max(t.step(x, y), 0), len(t.colours)-1)]
}

// between interpolates from one colour to another in the given number of steps.
func between(from, to color.NRGBA, steps int) []color.NRGBA {
	list := make([]color.NRGBA, max(steps, 1))
	for i := range list {
		t := (float64(i) + 0.5) / float64(len(list))
		m := func(a, b uint8) uint8 { return uint8(float64(a) + (float64(b)-float64(a))*t + 0.5) }
		list[i] = color.NRGBA{R: m(from.R, to.R), G: m(from.G, to.G), B: m(from.B, to.B), A: m(from.A, to.A)}
	}
	return list
}

// fillDown fills the path with a gradient from y0 down to y1.
func (b *brush) fillDown(y0, y1 float64, from, to color.NRGBA) {
	_, top := b.TransformPoint(0, y0)
	_, bottom := b.TransformPoint(0, y1)
	b.fillBy(&gradient{between(from, to, int(bottom-top)), func(_, y int) int { return y - int(top) }})
}

// fillOut fills the path with a radial gradient from r0 to r1 around (x, y).
func (b *brush) fillOut(x, y, r0, r1 float64, from, to color.NRGBA) {
	cx, cy := b.TransformPoint(x, y)
	b.fillBy(&gradient{between(from, to, int((r1-r0)*b.k)), func(x, y int) int {
		return int(math.Hypot(float64(x)+0.5-cx, float64(y)+0.5-cy) - r0*b.k)
	}})
}

func (b *brush) fillBy(p gg.Pattern) {
	b.SetFillStyle(p)
	b.Fill()
}

// shadow paints the shadow of a round thing of radius r, below the middle of a sprite, with a soft edge.
func (b *brush) shadow(y, r float64) {
	x, y := r*0.04, y+r*0.1
	b.DrawCircle(x, y, r*1.1)
	b.fillOut(x, y, r*0.9, r*1.1, color.NRGBA{A: 110}, color.NRGBA{})
}

// gleam paints light from above on a round thing of radius r.
func (b *brush) gleam(x, y, r float64) {
	b.DrawEllipse(x, y-r*0.42, r*0.72, r*0.46)
	b.fillDown(y-r*0.88, y+r*0.04, faded(hex(0xffffff), 0.45), faded(hex(0xffffff), 0))
}
