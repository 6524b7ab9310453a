package render

import (
	"image/color"
	"math"
	"strconv"

	"marque/games/scene"
	"marque/games/text"
)

// paintBoat is a freebooter's boat under a sail with its colour's sign. Its sides are upright, as
// those of counters are: rows that are as the row above cost a picture next to nothing.
func paintBoat(b *brush, c scene.Color, count int) {
	main := b.p.of(c)
	edge := darker(main, 0.75)
	b.NewSubPath() // sail
	b.MoveTo(-29, 11)
	b.LineTo(-29, -44)
	b.LineTo(37, -44)
	b.LineTo(37, 11)
	b.QuadraticTo(4, 4, -29, 11)
	b.ClosePath()
	b.SetLineJoinRound()
	b.paint(main, edge, 4.5)
	b.DrawLine(-22, -36, -22, 2)
	b.stroke(lighter(main, 0.45), 3)
	b.DrawLine(4, -54, 4, -44)
	b.stroke(edge, 5)
	b.DrawRectangle(-48, 11, 7, 22) // stern and bow
	b.DrawRectangle(41, 11, 7, 22)
	b.fill(edge)
	b.polygon(-42, 17, 42, 17, 42, 34, 31, 45, -31, 45, -42, 34) // hull
	b.paint(hex(0x6a4225), hex(0x26150b), 4)
	b.DrawLine(-40, 29, 40, 29)
	b.stroke(lighter(main, 0.15), 4)
	b.signed(c, 4, -17, 19, main)
	if count > 1 {
		paintBadge(b, "×"+short(count), 34, 30, 20, b.p.parchment, b.p.ink)
	}
}

// paintDutchman is the Flying Dutchman: pale light, torn sails, no crew.
func paintDutchman(b *brush) {
	pale, line := hex(0xd8f3e4), hex(0x17443b)
	b.DrawCircle(0, 0, 48)
	b.fill(faded(hex(0x9be8c8), 0.3))
	b.SetLineJoinRound()
	for _, m := range [][3]float64{{-17, -40, 22}, {14, -46, 26}} { // masts with rags
		x, top, w := m[0], m[1], m[2]
		b.DrawLine(x, top-3, x, 20)
		b.stroke(line, 4)
		b.NewSubPath()
		b.MoveTo(x-w*0.55, top+2)
		b.LineTo(x+w*0.65, top+1)
		b.CubicTo(x+w*0.95, top+20, x+w*0.85, top+36, x+w*0.7, top+48)
		b.LineTo(x+w*0.45, top+40)
		b.LineTo(x+w*0.2, top+52)
		b.LineTo(x-w*0.05, top+41)
		b.LineTo(x-w*0.35, top+50)
		b.CubicTo(x-w*0.6, top+30, x-w*0.7, top+18, x-w*0.55, top+2)
		b.ClosePath()
		b.paint(pale, line, 3)
	}
	b.NewSubPath()
	b.MoveTo(-46, 8)
	b.LineTo(-30, 10)
	b.CubicTo(-10, 18, 14, 18, 30, 12)
	b.LineTo(48, 2)
	b.CubicTo(44, 24, 36, 36, 26, 40)
	b.LineTo(-26, 40)
	b.CubicTo(-38, 34, -44, 22, -46, 8)
	b.ClosePath()
	b.paint(mix(pale, hex(0x4f9c86), 0.45), line, 3.5)
	for _, x := range []float64{-24, -8, 8, 24} {
		b.DrawCircle(x, 27, 3.6)
		b.fill(line)
	}
	paintSkull(b, -1, -16, 13, hex(0x17443b), pale)
}

// paintSkull paints a skull of radius r in bone on dark.
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

// paintMerchant paints a three-master seen from the side, in a box 100 wide round (x, y).
func paintMerchant(b *brush, x, y, size float64, sail, hull, line color.RGBA) {
	s := size / 100
	X := func(v float64) float64 { return x + v*s }
	Y := func(v float64) float64 { return y + v*s }
	b.SetLineJoinRound()
	for _, m := range []struct{ x, top, w, h float64 }{{-24, -36, 22, 22}, {6, -46, 28, 27}} {
		b.DrawLine(X(m.x), Y(m.top-6), X(m.x), Y(16))
		b.stroke(line, 3.5*s)
		for i := range 2 {
			top := m.top + float64(i)*(m.h+2)
			w := m.w * (0.8 + 0.25*float64(i))
			b.NewSubPath()
			b.MoveTo(X(m.x-w*0.5), Y(top))
			b.LineTo(X(m.x+w*0.55), Y(top))
			b.CubicTo(X(m.x+w*0.85), Y(top+m.h*0.35), X(m.x+w*0.85), Y(top+m.h*0.7), X(m.x+w*0.62), Y(top+m.h))
			b.CubicTo(X(m.x+w*0.2), Y(top+m.h*0.85), X(m.x-w*0.2), Y(top+m.h*0.85), X(m.x-w*0.55), Y(top+m.h))
			b.CubicTo(X(m.x-w*0.3), Y(top+m.h*0.6), X(m.x-w*0.35), Y(top+m.h*0.3), X(m.x-w*0.5), Y(top))
			b.ClosePath()
			b.paint(sail, line, 2.2*s)
		}
	}
	b.NewSubPath() // jib
	b.MoveTo(X(46), Y(2))
	b.LineTo(X(27), Y(-28))
	b.CubicTo(X(28), Y(-12), X(28), Y(-4), X(24), Y(4))
	b.ClosePath()
	b.paint(sail, line, 2.2*s)
	b.NewSubPath() // hull
	b.MoveTo(X(-48), Y(-4))
	b.LineTo(X(-32), Y(-2))
	b.LineTo(X(-30), Y(10))
	b.LineTo(X(24), Y(12))
	b.LineTo(X(48), Y(4))
	b.CubicTo(X(42), Y(24), X(36), Y(34), X(28), Y(38))
	b.LineTo(X(-34), Y(38))
	b.CubicTo(X(-44), Y(30), X(-47), Y(14), X(-48), Y(-4))
	b.ClosePath()
	b.paint(hull, line, 2.8*s)
	for _, px := range []float64{-30, -14, 2, 18} {
		b.DrawRectangle(X(px-3), Y(18), 6*s, 6*s)
		b.fill(line)
	}
	b.NewSubPath()
	b.MoveTo(X(-45), Y(14))
	b.LineTo(X(42), Y(15))
	b.stroke(lighter(hull, 0.4), 2.2*s)
}

// paintShipCounter is a ship to be boarded: its value, on gold below what each boat
// beside it earns, and when it is boarded the rim and a sail in the boat's colour.
func paintShipCounter(b *brush, value, share int, by scene.Color, doubled bool) {
	rim, face := b.p.brass, b.p.parchment
	if by != scene.NoColor {
		rim = b.p.of(by)
	}
	paintTile(b, rim, face)
	v := short(value)
	y := -6.0
	if by != scene.NoColor {
		y = -5
	}
	b.text(v, 0, y, b.fitted(v, 48, 64), b.p.ink)
	x := 0.0
	if doubled { // beside the share, within the counter
		x = -18
		b.DrawRoundedRectangle(3, 15, 36, 36, 8)
		b.fill(b.p.ink)
		b.text("×2", 21, 33, 27, b.p.gold)
	}
	b.at(x, 33, 1, func() {
		b.DrawRoundedRectangle(-18, -18, 36, 36, 8)
		b.paint(b.p.gold, darker(b.p.gold, 0.7), 3)
		sh := short(share)
		b.text(sh, 0, 0, b.fitted(sh, 31, 28), hex(0x2a1810))
	})
	if by != scene.NoColor {
		b.DrawRectangle(-18, -63, 36, 32) // its sail
		b.fill(rim)
		b.signed(by, 0, -47, 12, rim)
	}
}

// paintTile is what counters are printed on.
func paintTile(b *brush, rim, face color.RGBA) {
	b.DrawRoundedRectangle(-45, -45, 90, 90, 18)
	b.fill(rim)
	b.DrawRoundedRectangle(-36, -36, 72, 72, 10)
	b.fill(face)
}

// paintWarehouse is a pirates' store on a quay, with what it takes.
func paintWarehouse(b *brush) {
	paintTile(b, hex(0x2a1a10), mix(b.p.parchAlt, hex(0xa2673c), 0.4))
	b.DrawRectangle(-25, -6, 50, 34)
	b.fill(hex(0x4a2c18))
	b.SetLineJoinRound()
	b.polygon(-35, -4, 0, -34, 35, -4)
	b.paint(hex(0x8a2c16), hex(0x24140b), 3)
	b.text("$2", 0, 12, 27, b.p.gold)
}

// paintDoubleCounter doubles the ships of a value.
func paintDoubleCounter(b *brush, value int) {
	b.shadow(0, 2, 48)
	b.star(12, 0, 0, 50, 44, 0)
	b.SetLineJoinRound()
	b.paint(b.p.gold, darker(b.p.gold, 0.7), 3.5)
	b.text("×2", 0, -12, 37, hex(0x3a200a))
	v := short(value)
	b.text(v, 0, 17, b.fitted(v, 28, 44), hex(0x7c2a12))
}

// paintDie shows a number of pips; above six, or below one, the number itself.
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

// tradingHeight and cardHeight are the heights of a trading ship and of a card
// for a width of 100.
const (
	tradingHeight = 125.0
	cardHeight    = 140.0
)

// paintTradingShip is the card of a ship on the table, without what is written on it.
func paintTradingShip(b *brush) {
	w, h := 100.0, tradingHeight
	x0, y0 := -w/2, -h/2
	edge := hex(0x4a2f1e)
	b.DrawRoundedRectangle(x0, y0, w, h, 7)
	b.paint(b.p.parchment, edge, 1.8)
	b.DrawRoundedRectangle(x0+3, y0+3, w-6, 55, 5)
	sea := mix(b.p.sea, b.p.parchment, 0.35)
	b.fill(sea)
	paintRipples(b, x0+6, y0+46, w-12, 3, mix(sea, b.p.ink, 0.3), 1)
	paintMerchant(b, -10, y0+32, 58, hex(0xfff8e6), hex(0x8a5a34), hex(0x2a1810))
	b.DrawLine(x0+6, y0+73.5, -x0-6, y0+73.5)
	b.stroke(mix(b.p.ink, b.p.parchment, 0.6), 0.8)
}

// paintShipTag is the name of a ship on the table, in the corner of its card.
func paintShipTag(b *brush, s string) {
	edge := hex(0x4a2f1e)
	b.DrawRoundedRectangle(-50, -tradingHeight/2, 29, 19, 7)
	b.paint(edge, edge, 1)
	b.text(s, -35.5, -tradingHeight/2+9.5, b.fitted(s, 15, 25), hex(0xfff3d6))
}

// attackHeight is the height of a line under a trading ship.
const attackHeight = 11.0

// paintStronger is what lies under the line of the stronger attack.
func paintStronger(b *brush, x, y, w float64) {
	b.DrawRoundedRectangle(x-1, y-0.2, w+2, attackHeight+0.4, 3)
	b.paint(mix(b.p.gold, b.p.parchment, 0.35), darker(b.p.gold, 0.5), 1.2)
}

// paintAttack is one line under a trading ship without who it is: colour and strength.
func paintAttack(b *brush, a scene.Attack, x, y float64) {
	const h = attackHeight
	main := b.p.of(a.Color)
	b.DrawRoundedRectangle(x+0.8, y+0.8, 40, h-1.6, 2.5)
	b.paint(main, darker(main, 0.7), 0.9)
	b.signed(a.Color, x+6.6, y+h/2, 3.8, main)
	ink, bone := hex(0xfffdf5), hex(0x15100e)
	if luminance(main) > 0.6 {
		ink, bone = hex(0x1d120a), hex(0xfffdf5)
	}
	s := short(a.Skulls)
	b.letters(s, x+19.5, y+h/2+3.4, b.fitted(s, 9.8, 11), 0.5)
	b.fill(ink)
	paintSkull(b, x+29, y+h/2, 3.7, bone, ink)
	if a.Pirate > 0 {
		paintHat(b, x+36.5, y+h/2+1, 4.6, hex(0x15100e), ink)
		if a.Pirate > 1 {
			b.letters(strconv.Itoa(a.Pirate), x+36.5, y+h/2+4, 5, 0.5)
			b.fill(ink)
		}
	}
}

// paintHat is a tricorn of radius r.
func paintHat(b *brush, x, y, r float64, fill, edge color.RGBA) {
	b.NewSubPath()
	b.MoveTo(x-r*1.15, y+r*0.15)
	b.CubicTo(x-r*0.7, y-r*0.1, x-r*0.6, y-r*0.95, x, y-r*0.95)
	b.CubicTo(x+r*0.6, y-r*0.95, x+r*0.7, y-r*0.1, x+r*1.15, y+r*0.15)
	b.CubicTo(x+r*0.7, y+r*0.75, x-r*0.7, y+r*0.75, x-r*1.15, y+r*0.15)
	b.ClosePath()
	b.SetLineJoinRound()
	b.paint(fill, edge, r*0.16)
}

// paintDisc is a coin with a number, round (0,0).
func paintDisc(b *brush, s string, r float64, metal color.RGBA) {
	b.DrawCircle(0, 0, r)
	b.paint(metal, darker(metal, 0.7), r*0.12)
	b.DrawCircle(0, 0, r*0.8)
	b.stroke(darker(metal, 0.25), r*0.07)
	b.text(s, 0, 0, b.fitted(s, r*1.4, r*1.5), darker(metal, 0.85))
}

// paintRipples are rows of little waves.
func paintRipples(b *brush, x, y, w float64, rows int, c color.RGBA, width float64) {
	for r := range rows {
		step := w / 6
		b.NewSubPath()
		for i := range 6 {
			x0 := x + (float64(i)+float64(r%2)*0.4)*step
			if x0+step*0.6 > x+w {
				continue
			}
			b.MoveTo(x0, y+float64(r)*4.5)
			b.QuadraticTo(x0+step*0.3, y+float64(r)*4.5+3, x0+step*0.6, y+float64(r)*4.5)
		}
		b.stroke(c, width)
	}
}

// nameOf is the name of who sits there.
func nameOf(names []text.Name, seat int) string {
	if seat < 0 {
		return ""
	}
	if seat < len(names) && !names[seat].IsZero() {
		return clean(names[seat].Plain())
	}
	return "#" + strconv.Itoa(seat+1)
}

// hypot is the distance between two points.
func hypot(a, b scene.Point) float64 { return math.Hypot(b.X-a.X, b.Y-a.Y) }
