package render

import (
	"image/color"
	"math"

	"marque/games/scene"
)

// Dimensions of a boat in hundredths of its size. A narrow sail over a wide, low hull fits between the counters on the
// corners of a square.
const (
	sailHalf, sailTop, sailBottom = 26.0, -54.0, -12.0
	hullHalf, hullTop, hullBottom = 51.0, -9.0, 22.0
)

// boatOutline makes the paths of a boat's sail and hull, enlarged by the given distance on every side.
func (b *brush) boatOutline(more float64) {
	b.DrawRectangle(-sailHalf-more, sailTop-more, 2*(sailHalf+more), sailBottom-sailTop+2*more)
	b.polygon(-hullHalf-more, hullTop-more, hullHalf+more, hullTop-more, hullHalf+more, hullTop+10,
		hullHalf-15+more, hullBottom+more, -hullHalf+15-more, hullBottom+more, -hullHalf-more, hullTop+10)
}

// paintBoatLight paints the light around a highlighted boat.
func paintBoatLight(b *brush) {
	b.boatOutline(9)
	b.fill(hex(0x26150b))
	b.boatOutline(6.5)
	b.fill(b.p.gold)
}

// paintBoat paints a boat with its colour's sign on a square sail. The sides of boats and counters are vertical,
// because rows of pixels that equal the row above compress well, and there are many boats.
func paintBoat(b *brush, c scene.Color, count int) {
	main := b.p.of(c)
	line := hex(0x26150b)
	b.SetLineJoinRound()
	b.DrawRectangle(-3, sailBottom, 6, 6)
	b.fill(line)
	b.polygon(-hullHalf, hullTop, hullHalf, hullTop, hullHalf, hullTop+10, hullHalf-15, hullBottom, -hullHalf+15,
		hullBottom, -hullHalf, hullTop+10)
	b.paint(hex(0x7a4c2a), line, 4)
	b.DrawRectangle(-hullHalf+2, hullTop+3, 2*hullHalf-4, 8)
	b.fill(main)
	b.DrawRectangle(-sailHalf, sailTop, 2*sailHalf, sailBottom-sailTop)
	b.paint(main, darker(main, 0.7), 4)
	b.signed(c, 0, (sailTop+sailBottom)/2+1, 17, main)
	if count > 1 {
		paintBadge(b, "×"+short(count), 34, 22, 20)
	}
}

// paintDutchman paints the Flying Dutchman: pale light, torn sails, no crew.
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

// paintShipCounter paints a ship that can be boarded. It shows the ship's value, and below it a coin with the share of
// each boat next to the ship. A boarded ship has a rim and a knob in the colour of the boat, with the colour's sign on
// the knob. A doubled ship is golden.
func paintShipCounter(b *brush, value, share int, by scene.Color, doubled bool) {
	rim, face := b.p.brass, b.p.parchment
	if by != scene.NoColor {
		rim = b.p.of(by)
	}
	if doubled {
		face = b.p.gold
	}
	paintDisk(b, rim, face)
	v := short(value)
	b.text(v, 0, -2, b.fitted(v, 56, 66), b.p.ink)
	x := 0.0
	if doubled { // next to the share
		x = -26
		b.DrawRectangle(-6, 24, 46, 34)
		b.fill(b.p.ink)
		b.text("×2", 17, 41, 34, b.p.gold)
	}
	b.octagon(x, 41, 20)
	b.paint(b.p.gold, darker(b.p.gold, 0.7), 3)
	sh := short(share)
	b.text(sh, x, 41, b.fitted(sh, 36, 32), hex(0x26150b))
	if by != scene.NoColor {
		b.octagon(0, -41, 20)
		b.paint(rim, darker(rim, 0.7), 3)
		b.signed(by, 0, -41, 15, rim)
	}
}

// paintDisk paints the disk of counters: an octagon, so that boats fit between four counters.
func paintDisk(b *brush, rim, face color.RGBA) {
	for _, r := range []float64{52, 49} { // its shadow
		b.octagon(2, 5, r)
		b.fill(color.NRGBA{A: 50})
	}
	b.octagon(0, 0, 48)
	b.paint(rim, darker(rim, 0.7), 4)
	const r, c = 44, 44 * (math.Sqrt2 - 1)
	b.SetLineCapButt()
	b.NewSubPath() // light from above
	b.MoveTo(-r, -c)
	b.LineTo(-c, -r)
	b.LineTo(c, -r)
	b.LineTo(r, -c)
	b.stroke(lighter(rim, 0.4), 4)
	b.octagon(0, 0, 36)
	b.fill(face)
}

// octagon makes the path of a regular octagon with two horizontal sides, at distance r from its middle.
func (b *brush) octagon(x, y, r float64) {
	c := r * (math.Sqrt2 - 1)
	b.polygon(x-c, y-r, x+c, y-r, x+r, y-c, x+r, y+c, x+c, y+r, x-c, y+r, x-r, y+c, x-r, y-c)
}

// paintWarehouse paints a pirates' store on a quay, with its loot.
func paintWarehouse(b *brush) {
	paintDisk(b, hex(0x3a2416), mix(b.p.parchAlt, hex(0xa2673c), 0.4))
	b.DrawRectangle(-31, -8, 62, 36)
	b.fill(hex(0x3a2010))
	b.SetLineJoinRound()
	b.polygon(-36, -7, 0, -37, 36, -7)
	b.paint(hex(0x9a3420), hex(0x26150b), 3)
	b.text("$2", 0, 10, 40, b.p.gold)
}

// paintDoubleCounter paints the counter that doubles the ships of this value.
func paintDoubleCounter(b *brush, value int) {
	b.shadow(3, 48)
	b.star(12, 0, 0, 50, 44, 0)
	b.SetLineJoinRound()
	b.paint(b.p.gold, darker(b.p.gold, 0.7), 3.5)
	b.text("×2", 0, -16, 42, hex(0x26150b))
	v := short(value)
	b.text(v, 0, 18, b.fitted(v, 42, 56), hex(0x7c2a12))
}

// paintSeaCard paints a sea card: its square's name, and its place on a chart.
func paintSeaCard(b *brush, square string) {
	b.DrawRoundedRectangle(-43, -63, 86, 126, 5)
	sea := mix(b.p.sea, b.p.parchment, 0.3)
	b.fill(sea)
	b.DrawRoundedRectangle(-43, -63, 86, 42, 5)
	b.fill(b.p.parchment)
	b.text(square, 0, -42, b.fitted(square, 48, 78), b.p.ink)
	const cell = 11.4
	left, top := -3.5*cell, -18.0
	b.DrawRectangle(left, top, 7*cell, 7*cell)
	b.paint(mix(sea, hex(0xffffff), 0.25), b.p.ink, 1.5)
	col, row, ok := square7(square)
	x, y := left+float64(col)*cell, top+float64(row)*cell
	if ok { // its column and its row
		b.DrawRectangle(x, top, cell, 7*cell)
		b.DrawRectangle(left, y, 7*cell, cell)
		b.fill(mix(b.p.danger, hex(0xfff2d8), 0.6))
	}
	for i := 1; i < 7; i++ {
		d := float64(i) * cell
		b.DrawLine(left+d, top, left+d, top+7*cell)
		b.DrawLine(left, top+d, left+7*cell, top+d)
	}
	b.stroke(mix(sea, b.p.ink, 0.35), 0.9)
	if ok {
		b.DrawRectangle(x-1.5, y-1.5, cell+3, cell+3)
		b.paint(b.p.danger, b.p.ink, 2)
	}
}

// square7 parses a square of the 7x7 sea: column A-G, row 1-7.
func square7(s string) (col, row int, ok bool) {
	if len(s) != 2 {
		return 0, 0, false
	}
	col, row = int(s[0])-'A', int(s[1])-'1'
	return col, row, col >= 0 && col < 7 && row >= 0 && row < 7
}

// paintDutchmanCard paints a Dutchman card for a row or a column.
func paintDutchmanCard(b *brush, line string) {
	night := hex(0x14332f)
	b.DrawRoundedRectangle(-43, -63, 86, 126, 5)
	b.fill(night)
	b.text(line, 0, -38, b.fitted(line, 50, 76), hex(0xd8f3e4))
	b.at(-8, 22, 0.66, func() { paintDutchman(b) })
	// An arrow along the row, or down the column.
	pale := hex(0x9be8c8)
	b.SetLineCapRound()
	if len(line) == 1 && line[0] >= 'A' && line[0] <= 'Z' {
		b.DrawLine(34, -8, 34, 52)
		b.stroke(pale, 3)
		b.polygon(34, 60, 28, 49, 40, 49)
	} else {
		b.DrawLine(-36, 55, 28, 55)
		b.stroke(pale, 3)
		b.polygon(38, 55, 27, 49, 27, 61)
	}
	b.fill(pale)
}
