package render

import (
	"image"
	"image/color"
	"math"
	"strconv"

	"marque/games/scene"
)

// tradingHeight is the height of a trading ship for a width of 100.
const tradingHeight = 125.0

// tradingShip adds a ship on the table in parts, so that those which stay the same
// from move to move need no painting: the card, its name, its worth, who launched
// it, and each attack.
func (c *composer) tradingShip(p *scene.Piece, it item, size float64) {
	k := size / 100
	// Each part's corners lie around (x, y), which is its own origin, on a whole pixel.
	part := func(what int32, x, y, x0, y0, x1, y1 float64, s string, n [12]int32, paint func(b *brush)) {
		i := it
		i.x, i.y = it.x+int(math.Round(x*k)), it.y+int(math.Round(y*k))
		i.box = image.Rect(int(math.Floor(x0*k))-1, int(math.Floor(y0*k))-1, int(math.Ceil(x1*k))+1, int(math.Ceil(y1*k))+1)
		i.key = spriteKey{kind: shipSprite, ghost: p.Ghost, s: s, n: n}
		i.key.n[10], i.key.n[11] = what, int32(size*8)
		i.paint = func(b *brush) { b.at(0, 0, k, func() { paint(b) }) }
		c.add(i)
	}
	top := -tradingHeight / 2
	tag, value := clean(p.Text), short(p.Value)
	lit := it
	lit.box = around(size * 0.66)
	c.lit(p, lit, size)
	part(0, 0, 0, -53, top-3, 53, -top+3, "", [12]int32{}, paintTradingShip)
	part(1, 0, 0, -52, top-2, -18, top+21, tag, [12]int32{}, func(b *brush) { paintShipTag(b, tag) })
	part(2, 33, top+19, -17, -17, 17, 17, value, [12]int32{}, func(b *brush) { paintDisc(b, value, 15, b.p.gold) })
	if n, em := c.fitted(c.nameOf(p.Seat), 11, 88); n != "" {
		part(3, 0, top+66, -48, -10, 48, 9, n, [12]int32{int32(em * 64)}, func(b *brush) { b.text(n, 0, 0, em, b.p.ink) })
	}
	for i, a := range p.Attacks[:min(len(p.Attacks), 4)] {
		y := top + 75.5 + float64(i)*12
		if a.Stronger {
			part(6, 0, y, -48, -2, 48, 14, "", [12]int32{}, func(b *brush) { paintStronger(b, -46, 0, 92) })
		}
		part(4, 0, y, -48, -2, -2, 14, "", [12]int32{int32(a.Color), int32(a.Skulls), int32(a.Pirate)}, func(b *brush) { paintAttack(b, a, -46, 0) })
		if n, em := c.fitted(c.nameOf(a.Seat), 9.6, 47); n != "" {
			part(5, -2, y, -1, -2, 50, 14, n, [12]int32{int32(em * 64)}, func(b *brush) {
				b.letters(n, 0, 8.8-(9.6-em)*capHeight/2, em, 0)
				b.fill(b.p.ink)
			})
		}
	}
}

// caption is what is written under a card on the table: on which ship it was played, and beneath
// it by whom.
func (c *composer) caption(p *scene.Piece) []string {
	if p.Kind != scene.Card || p.Suit < scene.TradingCard || p.Seat < 0 {
		return nil
	}
	who := c.nameOf(p.Seat)
	if p.Text == "" {
		return []string{who}
	}
	return []string{clean(p.Text), who}
}

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

// paintColored gives a card the colour of a player, with its sign in the corners.
func paintColored(b *brush, c scene.Color) {
	main := b.p.of(c)
	b.DrawRoundedRectangle(-43, -63, 86, 126, 5)
	b.paint(main, darker(main, 0.6), 2)
	b.signed(c, -29, -48, 12, main)
	b.signed(c, 29, 48, 12, main)
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
