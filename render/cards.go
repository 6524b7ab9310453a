package render

import (
	"image/color"
	"math"

	"marque/games/scene"
)

// paintCard paints a card face up.
func paintCard(b *brush, p scene.Piece) {
	w, h := 100.0, cardHeight
	face, edge := b.p.parchment, hex(0x4a2f1e)
	b.DrawRoundedRectangle(-w/2+2, -h/2+3, w-2, h-2, 9)
	b.fill(color.NRGBA{A: 80})
	b.DrawRoundedRectangle(-w/2+1, -h/2+1, w-2, h-2, 9)
	b.paint(face, edge, 2)
	switch p.Suit {
	case scene.SeaCard:
		paintSeaCard(b, p.Text)
	case scene.DutchmanCard:
		paintDutchmanCard(b, p.Text)
	case scene.TradingCard:
		b.DrawRoundedRectangle(-43, -63, 86, 126, 5)
		sea := mix(b.p.sea, face, 0.35)
		b.fill(sea)
		paintRipples(b, -39, 46, 78, 3, mix(sea, b.p.ink, 0.3), 1.4)
		paintMerchant(b, 0, 22, 78, hex(0xfff8e6), hex(0x8a5a34), hex(0x2a1810))
		b.at(-18, -38, 1, func() { paintDisc(b, short(p.Value), 26, b.p.gold) })
	case scene.PirateShipCard:
		paintPirateShipCard(b, p.Color, p.Value)
	case scene.PirateCard:
		paintColored(b, p.Color)
		b.at(0, 12, 1, func() { paintCaptain(b, b.p.of(p.Color), hex(0x15100e), true) })
	case scene.AdmiralCard:
		b.DrawRoundedRectangle(-43, -63, 86, 126, 5)
		b.paint(hex(0x24356b), b.p.gold, 2.5)
		b.at(0, 8, 1, func() { paintCaptain(b, hex(0x24356b), hex(0x1a2750), false) })
	default:
		b.text(p.Text, 0, 0, b.fitted(p.Text, 50, 84), b.p.ink)
	}
}

// paintColored gives a card the colour of a player, with its sign in the corners.
func paintColored(b *brush, c scene.Color) {
	main := b.p.of(c)
	b.DrawRoundedRectangle(-43, -63, 86, 126, 5)
	b.paint(main, darker(main, 0.6), 2)
	b.signed(c, -29, -48, 12, main)
	b.signed(c, 29, 48, 12, main)
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

// paintPirateShipCard shows its strength in skulls.
func paintPirateShipCard(b *brush, c scene.Color, skulls int) {
	main := b.p.of(c)
	b.DrawRoundedRectangle(-43, -63, 86, 126, 5)
	b.paint(main, darker(main, 0.6), 2)
	s := short(skulls)
	ink, edge := hex(0xfffdf5), darker(main, 0.8)
	if luminance(main) > 0.6 {
		ink, edge = darker(main, 0.9), lighter(main, 0.6)
	}
	b.halo(s, -20, -38, b.fitted(s, 54, 44), ink, edge, 3)
	b.signed(c, 22, -39, 17, main)
	flag := hex(0x15100e)
	b.DrawRoundedRectangle(-37, -9, 74, 66, 6)
	b.paint(flag, darker(main, 0.7), 1.5)
	bone := hex(0xfff6e0)
	r, at := 14.0, [][2]float64{}
	switch skulls {
	case 1:
		r, at = 22, [][2]float64{{0, 24}}
	case 2:
		r, at = 15.5, [][2]float64{{-18, 24}, {18, 24}}
	case 3:
		at = [][2]float64{{0, 9}, {-18, 38}, {18, 38}}
	case 4:
		at = [][2]float64{{-17, 9}, {17, 9}, {-17, 39}, {17, 39}}
	default:
		b.text(s, 0, 24, b.fitted(s, 50, 60), bone)
	}
	for _, p := range at {
		paintSkull(b, p[0], p[1], r, flag, bone)
	}
}

// paintCaptain is a head and shoulders under a hat; a pirate has a patch and a beard,
// an admiral a wig and gold on the shoulders.
func paintCaptain(b *brush, coat, hat color.RGBA, pirate bool) {
	line := hex(0x1d120a)
	b.SetLineJoinRound()
	b.NewSubPath()
	b.MoveTo(-36, 50)
	b.CubicTo(-36, 28, -20, 22, 0, 22)
	b.CubicTo(20, 22, 36, 28, 36, 50)
	b.ClosePath()
	b.paint(darker(coat, 0.25), line, 2.5)
	if pirate {
		b.polygon(-9, 23, 0, 50, 9, 23)
		b.fill(hex(0xf7efdd))
	} else {
		for _, x := range []float64{-28, 28} {
			b.DrawEllipse(x, 32, 10, 5.5)
			b.paint(b.p.gold, line, 2)
		}
		b.polygon(-8, 23, 0, 46, 8, 23)
		b.paint(hex(0xfffdf5), line, 1.5)
		for _, x := range []float64{-19, 19} {
			b.DrawEllipse(x, 2, 8, 16)
			b.paint(hex(0xf3efe6), line, 2)
		}
	}
	b.DrawEllipse(0, 2, 19, 24)
	b.paint(b.p.skin, line, 2.5)
	if pirate {
		b.smooth([]scene.Point{{X: -17, Y: 10}, {X: 0, Y: 12}, {X: 17, Y: 10}, {X: 11, Y: 27}, {X: 0, Y: 33}, {X: -11, Y: 27}}, true)
		b.fill(hex(0x3b2416))
		b.DrawLine(-19, -8, 17, 2)
		b.stroke(line, 2.2)
		b.DrawEllipse(8, -1, 6, 5.5)
		b.fill(line)
	} else {
		b.DrawCircle(8, -1, 2.6)
		b.fill(line)
	}
	b.DrawCircle(-8, -1, 2.8)
	b.fill(line)
	b.DrawLine(-6, 15, 6, 15)
	b.stroke(hex(0x8d3a2b), 2.6)
	b.NewSubPath()
	b.MoveTo(-40, -12)
	b.CubicTo(-30, -30, -22, -22, -18, -34)
	b.CubicTo(-8, -46, 8, -46, 18, -34)
	b.CubicTo(22, -22, 30, -30, 40, -12)
	b.CubicTo(20, -20, -20, -20, -40, -12)
	b.ClosePath()
	trim := hex(0xfff6e0)
	if !pirate {
		trim = b.p.gold
	}
	b.paint(hat, trim, 2.6)
	if pirate {
		paintSkull(b, 0, -28, 8.5, hat, trim)
	} else {
		b.star(5, 0, -28, 8, 3.6, -math.Pi/2)
		b.fill(trim)
	}
}

// thickStack is the most cards whose number shows in how thick a stack is.
const thickStack = 4

// paintCardBack is a stack of cards face down, without their number unless there is none.
func paintCardBack(b *brush, suit scene.Suit, count int) {
	w, h := 100.0, cardHeight
	under := min(max(count, 1), thickStack) - 1
	paint := mix(b.p.sea, hex(0x10202c), 0.35)
	switch suit {
	case scene.DutchmanCard:
		paint = hex(0x14332f)
	case scene.TradingCard, scene.PirateShipCard, scene.PirateCard, scene.AdmiralCard:
		paint = hex(0x5b241f)
	}
	if count <= 0 {
		b.SetDash(6*b.k, 5*b.k)
		b.DrawRoundedRectangle(-w/2+2, -h/2+2, w-4, h-4, 9)
		b.stroke(mix(paint, b.p.parchAlt, 0.5), 2.5)
		b.SetDash()
		paintBadge(b, "0", 0, 0, 25, b.p.parchment, b.p.ink)
		return
	}
	b.DrawRoundedRectangle(-w/2+3, -h/2+4, w-2, h-2, 9)
	b.fill(color.NRGBA{A: 80})
	for i := under; i >= 0; i-- {
		d := float64(i) * 3
		b.DrawRoundedRectangle(-w/2+1+d, -h/2+1-d, w-2, h-2, 9)
		b.paint(b.p.parchment, hex(0x4a2f1e), 1.8)
	}
	b.DrawRoundedRectangle(-43, -63, 86, 126, 6)
	b.fill(paint)
	light := mix(paint, hex(0xf0dca8), 0.35)
	if luminance(paint) > 0.45 { // gold is not seen on a light sea
		light = mix(paint, b.p.ink, 0.7)
	}
	b.DrawRoundedRectangle(-38, -58, 76, 116, 5)
	b.stroke(light, 1.6)
	switch suit {
	case scene.DutchmanCard:
		b.at(0, -26, 0.6, func() { paintDutchman(b) })
	case scene.SeaCard:
		b.star(4, 0, -26, 28, 7, -math.Pi/2)
		b.fill(light)
		b.star(4, 0, -26, 17, 6, -math.Pi/4)
		b.fill(mix(light, paint, 0.35))
	default:
		for _, a := range []float64{0.7, -0.7} {
			b.DrawLine(-22*math.Cos(a), -22-22*math.Sin(a)+4, 22*math.Cos(a), -22+22*math.Sin(a)+4)
		}
		b.SetLineCapRound()
		b.stroke(light, 6)
		paintSkull(b, 0, -28, 17, paint, light)
	}
}

// paintStackCount is the number of cards in a stack, on top of it.
func paintStackCount(b *brush, count int) {
	paintBadge(b, short(count), 0, 30, 25, b.p.parchment, b.p.ink)
}
