package render

import (
	"image/color"

	"marque/games/scene"
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

// paintSeaCard is a square of the chart: its name, and where it lies.
func paintSeaCard(b *brush, square string) {
	b.DrawRoundedRectangle(-43, -63, 86, 126, 5)
	sea := mix(b.p.sea, b.p.parchment, 0.3)
	b.fill(sea)
	b.DrawRoundedRectangle(-43, -63, 86, 46, 5)
	b.fill(b.p.parchment)
	b.text(square, 0, -40, b.fitted(square, 48, 78), b.p.ink)
	const cell = 10.4
	left, top := -3.5*cell, -9.0
	b.DrawRectangle(left, top, 7*cell, 7*cell)
	b.paint(mix(sea, hex(0xffffff), 0.25), b.p.ink, 1.5)
	for i := 1; i < 7; i++ {
		d := float64(i) * cell
		b.DrawLine(left+d, top, left+d, top+7*cell)
		b.DrawLine(left, top+d, left+7*cell, top+d)
	}
	b.stroke(mix(sea, b.p.ink, 0.35), 0.9)
	if col, row, ok := square7(square); ok {
		x, y := left+(float64(col)+0.5)*cell, top+(float64(row)+0.5)*cell
		b.DrawLine(x, top, x, top+7*cell)
		b.DrawLine(left, y, left+7*cell, y)
		b.stroke(faded(b.p.danger, 0.45), 1.6)
		b.DrawRectangle(x-cell*0.62, y-cell*0.62, cell*1.24, cell*1.24)
		b.paint(b.p.danger, hex(0xfffdf5), 2)
	}
}

// square7 reads a square of the 7x7 sea: column A-G, row 1-7.
func square7(s string) (col, row int, ok bool) {
	if len(s) != 2 {
		return 0, 0, false
	}
	col, row = int(s[0])-'A', int(s[1])-'1'
	return col, row, col >= 0 && col < 7 && row >= 0 && row < 7
}

// paintDutchmanCard is a row or a column for the Dutchman.
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
