package render

import (
	"image/color"
	"math"
	"strconv"

	"marque/games/scene"
	"marque/games/text"
)

// paintSkull paints a skull of radius r. bone is its colour, and dark is the colour of its outline, eyes and nose.
func paintSkull(b *brush, x, y, r float64, dark, bone color.RGBA) {
	b.NewSubPath()
	b.DrawEllipse(x, y-r*0.15, r*0.92, r*0.82)
	b.SetLineJoinRound()
	b.SetColor(dark)
	b.SetLineWidth(r * 0.3 * b.k)
	b.Stroke()
	b.DrawRoundedRectangle(x-r*0.5, y+r*0.2, r, r*0.72, r*0.2)
	b.SetColor(dark)
	b.StrokePreserve()
	b.fill(bone)
	b.DrawEllipse(x, y-r*0.15, r*0.92, r*0.82)
	b.fill(bone)
	b.DrawEllipse(x-r*0.36, y, r*0.26, r*0.28)
	b.DrawEllipse(x+r*0.36, y, r*0.26, r*0.28)
	b.fill(dark)
	b.polygon(x, y+r*0.22, x+r*0.13, y+r*0.46, x-r*0.13, y+r*0.46)
	b.fill(dark)
	for _, dx := range []float64{-0.2, 0.04, 0.26} {
		b.DrawLine(x+r*(dx-0.03), y+r*0.62, x+r*(dx-0.03), y+r*0.9)
	}
	b.stroke(dark, r*0.09)
}

// paintDie paints a die. A value outside 1 to 6 is written as a number, and 0 as a question mark.
func paintDie(b *brush, value int, marked bool) {
	face, edge := hex(0xfbf3df), hex(0x3a2a1c)
	if marked {
		b.DrawRoundedRectangle(-52, -52, 104, 104, 24)
		b.fill(b.p.gold)
	}
	b.DrawRoundedRectangle(-44, -40, 88, 88, 19)
	b.fill(color.NRGBA{A: 70})
	b.DrawRoundedRectangle(-44, -45, 88, 88, 19)
	b.paint(face, edge, 4)
	b.DrawRoundedRectangle(-38, -39, 76, 76, 14)
	b.stroke(darker(face, 0.12), 3)
	if value < 1 || value > 6 {
		s := "?"
		if value != 0 {
			s = short(value)
		}
		b.text(s, 0, -1, b.fitted(s, 60, 70), edge)
		return
	}
	for _, p := range pips[value] {
		b.DrawCircle(p[0]*24, p[1]*24-1, 9.5)
		b.fill(hex(0x241510))
	}
}

var pips = [7][][2]float64{
	1: {{0, 0}},
	2: {{-1, -1}, {1, 1}},
	3: {{-1, -1}, {0, 0}, {1, 1}},
	4: {{-1, -1}, {1, -1}, {-1, 1}, {1, 1}},
	5: {{-1, -1}, {1, -1}, {0, 0}, {-1, 1}, {1, 1}},
	6: {{-1, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {1, 1}},
}

// nameOf returns the name of the player in a seat, or the seat's number if the name is empty. It is "" for a negative
// seat.
func nameOf(names []text.Name, seat int) string {
	if seat < 0 {
		return ""
	}
	if seat < len(names) && !names[seat].IsZero() {
		return clean(names[seat].Plain())
	}
	return "#" + strconv.Itoa(seat+1)
}

// hypot returns the distance between two points.
func hypot(a, b scene.Point) float64 { return math.Hypot(b.X-a.X, b.Y-a.Y) }
