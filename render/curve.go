package render

import (
	"context"
	"fmt"
	"math"
)

// Curve is the history of a rating by games.
type Curve struct {
	Title string
	Note  string
	Below string // label of the axis
	First int    // number of the game of the first point
	// Points are the ratings after each game, oldest first.
	Points []CurvePoint
}

// CurvePoint is a rating with its band, which is from Rating-Band to Rating+Band.
type CurvePoint struct{ Rating, Band int }

const (
	curveHigh   = 540.0
	curveLeft   = 120.0
	curveRight  = 970.0
	curveTop    = 110.0
	curveBottom = 430.0
	curveCount  = curveBottom + 34 // y of the first and last game's numbers
	curveBelow  = curveBottom + 70 // label of the axis
)

// CurvePNG paints a rating's curve with its band. It fails only if ctx ends before the painting begins, with ctx's
// error.
func (r *Renderer) CurvePNG(ctx context.Context, c Curve, o Options) ([]byte, error) {
	return r.paper(ctx, o, curveHigh, func(b *brush) { b.curve(&c) })
}

func (b *brush) curve(c *Curve) {
	p := b.p
	// The note takes its room first, because a name can be cut, but the rating must be shown.
	note := b.write(c.Note, spot{1000 - sheetSide - 8, 56, 32, 1, 640}, p.quiet)
	b.write(c.Title, spot{sheetSide + 12, 52, 46, 0, min(560, 1000-2*sheetSide-60-note)}, p.text)
	low, high := math.Inf(1), math.Inf(-1)
	for _, q := range c.Points {
		low, high = min(low, float64(q.Rating-q.Band)), max(high, float64(q.Rating+q.Band))
	}
	if len(c.Points) == 0 {
		low, high = 1000, 2000
	}
	step := niceStep((high - low) / 4)
	low, high = math.Floor(low/step)*step, math.Ceil(high/step)*step
	if high == low {
		high += step
	}
	y := func(v float64) float64 { return curveBottom - (v-low)/(high-low)*(curveBottom-curveTop) }
	x := func(i int) float64 {
		if len(c.Points) < 2 {
			return (curveLeft + curveRight) / 2
		}
		return curveLeft + 10 + float64(i)/float64(len(c.Points)-1)*(curveRight-curveLeft-30)
	}
	for v := low; v <= high+step/2; v += step {
		b.DrawLine(curveLeft, y(v), curveRight, y(v))
		b.stroke(mix(p.plaque, p.text, 0.2), 2)
		b.write(fmt.Sprint(int(math.Round(v))), spot{curveLeft - 14, y(v), 30, 1, 100}, p.quiet)
	}
	line := p.gold
	b.NewSubPath()
	for i, q := range c.Points {
		b.LineTo(x(i), y(float64(q.Rating+q.Band)))
	}
	for i := len(c.Points) - 1; i >= 0; i-- {
		b.LineTo(x(i), y(float64(c.Points[i].Rating-c.Points[i].Band)))
	}
	b.ClosePath()
	b.fill(mix(p.plaque, line, 0.3))
	if len(c.Points) == 1 {
		q := c.Points[0]
		b.DrawLine(x(0), y(float64(q.Rating+q.Band)), x(0), y(float64(q.Rating-q.Band)))
		b.stroke(mix(p.plaque, line, 0.3), 24)
	}
	b.NewSubPath()
	for i, q := range c.Points {
		b.LineTo(x(i), y(float64(q.Rating)))
	}
	b.SetLineJoinRound()
	b.stroke(p.ink, 9)
	b.NewSubPath()
	for i, q := range c.Points {
		b.LineTo(x(i), y(float64(q.Rating)))
	}
	b.SetLineJoinRound()
	b.stroke(line, 5)
	if n := len(c.Points); n > 0 {
		q := c.Points[n-1]
		b.DrawCircle(x(n-1), y(float64(q.Rating)), 10)
		b.paint(line, p.ink, 3)
		b.write(fmt.Sprint(c.First), spot{x(0), curveCount, 30, 0.5, 120}, p.quiet)
		if n > 1 {
			b.write(fmt.Sprint(c.First+n-1), spot{x(n - 1), curveCount, 30, 0.5, 120}, p.quiet)
		}
	}
	b.write(c.Below, spot{(curveLeft + curveRight) / 2, curveBelow, 30, 0.5, 600}, p.quiet)
}

// niceStep returns the smallest of 1, 2, 5, 10, ... that is at least s.
func niceStep(s float64) float64 {
	if s <= 1 {
		return 1
	}
	ten := math.Pow(10, math.Floor(math.Log10(s)))
	for _, m := range []float64{1, 2, 5, 10} {
		if m*ten >= s {
			return m * ten
		}
	}
	return 10 * ten
}
