package render

import "math"

// The paths of a brush. gg makes curves of lines of about a pixel, and each of them costs a stroke
// two joins; sprites, of which many are painted, have lines as long as the eye lets pass.

// slack is how far the lines of a sprite may be from the curve that they stand for, in pixels.
const slack = 0.07

// point is where a path has come to, in units.
type point struct{ x, y float64 }

// MoveTo begins a path at (x, y).
func (b *brush) MoveTo(x, y float64) {
	b.pen = point{x, y}
	b.Context.MoveTo(x, y)
}

// LineTo goes straight on to (x, y).
func (b *brush) LineTo(x, y float64) {
	b.pen = point{x, y}
	b.Context.LineTo(x, y)
}

// QuadraticTo goes on in a curve with one control point.
func (b *brush) QuadraticTo(x1, y1, x2, y2 float64) {
	p := b.pen
	if b.slack == 0 {
		b.pen = point{x2, y2}
		b.Context.QuadraticTo(x1, y1, x2, y2)
		return
	}
	// A line of one nth of the curve is off by an eighth of the second derivative by n².
	n := b.chords(2 * math.Hypot(p.x-2*x1+x2, p.y-2*y1+y2))
	for i := 1; i <= n; i++ {
		t := float64(i) / float64(n)
		u := 1 - t
		b.LineTo(u*u*p.x+2*u*t*x1+t*t*x2, u*u*p.y+2*u*t*y1+t*t*y2)
	}
}

// CubicTo goes on in a curve with two control points.
func (b *brush) CubicTo(x1, y1, x2, y2, x3, y3 float64) {
	p := b.pen
	if b.slack == 0 {
		b.pen = point{x3, y3}
		b.Context.CubicTo(x1, y1, x2, y2, x3, y3)
		return
	}
	n := b.chords(6 * math.Max(math.Hypot(p.x-2*x1+x2, p.y-2*y1+y2), math.Hypot(x1-2*x2+x3, y1-2*y2+y3)))
	for i := 1; i <= n; i++ {
		t := float64(i) / float64(n)
		u := 1 - t
		w0, w1, w2, w3 := u*u*u, 3*u*u*t, 3*u*t*t, t*t*t
		b.LineTo(w0*p.x+w1*x1+w2*x2+w3*x3, w0*p.y+w1*y1+w2*y2+w3*y3)
	}
}

// chords is how many lines make a curve with at most that second derivative, in units.
func (b *brush) chords(bend float64) int {
	n := math.Ceil(math.Sqrt(bend * b.k / (8 * b.slack)))
	return int(math.Min(math.Max(n, 1), 1000)) // NaN is 1
}

// DrawEllipticalArc goes on along an ellipse round (x, y), from one angle to another.
func (b *brush) DrawEllipticalArc(x, y, rx, ry, from, to float64) {
	if b.slack == 0 {
		b.Context.DrawEllipticalArc(x, y, rx, ry, from, to)
		b.pen = point{x + rx*math.Cos(to), y + ry*math.Sin(to)}
		return
	}
	n := max(b.chords(math.Max(math.Abs(rx), math.Abs(ry))*(to-from)*(to-from)), 4)
	for i := 0; i <= n; i++ {
		a := from + (to-from)*float64(i)/float64(n)
		b.LineTo(x+rx*math.Cos(a), y+ry*math.Sin(a))
	}
}

// DrawEllipse makes a path of an ellipse.
func (b *brush) DrawEllipse(x, y, rx, ry float64) {
	b.NewSubPath()
	b.DrawEllipticalArc(x, y, rx, ry, 0, 2*math.Pi)
	b.ClosePath()
}

// DrawCircle makes a path of a circle.
func (b *brush) DrawCircle(x, y, r float64) { b.DrawEllipse(x, y, r, r) }

// DrawArc goes on along a circle round (x, y), from one angle to another.
func (b *brush) DrawArc(x, y, r, from, to float64) { b.DrawEllipticalArc(x, y, r, r, from, to) }

// DrawRoundedRectangle makes a path of a rectangle with corners of radius r.
func (b *brush) DrawRoundedRectangle(x, y, w, h, r float64) {
	if b.slack == 0 {
		b.Context.DrawRoundedRectangle(x, y, w, h, r)
		return
	}
	b.NewSubPath()
	for i, at := range [4]point{{x + w - r, y + r}, {x + w - r, y + h - r}, {x + r, y + h - r}, {x + r, y + r}} {
		b.DrawArc(at.x, at.y, r, float64(i-1)*math.Pi/2, float64(i)*math.Pi/2)
	}
	b.ClosePath()
}
