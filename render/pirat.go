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

// tradingLayouts has the heights of the view of a ship and of the name below it, indexed by the number of attacks.
// Together with the attacks, they fill the card.
var tradingLayouts = [...]struct{ view, name float64 }{{85, 30}, {68, 21}, {60, 17}, {49, 17}, {47, 16}}

// mostAttacks is the maximum number of players who can attack a ship (PI-5).
const mostAttacks = len(tradingLayouts) - 1

// legible is the minimum height of a name in thousandths of the picture's width. A name that would be smaller is
// replaced by its seat's letter. On a phone that shows a picture 350 points wide, legible is about 8 points.
const legible = 24.0

// tradingShip adds a ship on the table as several parts: the card, the view, the name, the value, the player who
// launched the ship, and each attack. Parts that did not change since an earlier picture come from the cache.
func (c *composer) tradingShip(p *scene.Piece, it item, size float64) {
	k := size / 100
	// Each part is painted around its own origin, (x, y), on a whole pixel. The corners are relative to that origin.
	part := func(what int32, x, y, x0, y0, x1, y1 float64, s string, n [12]int32, paint func(b *brush)) {
		i := it
		i.x, i.y = it.x+int(math.Round(x*k)), it.y+int(math.Round(y*k))
		i.box = image.Rect(int(math.Floor(x0*k))-1, int(math.Floor(y0*k))-1, int(math.Ceil(x1*k))+1,
			int(math.Ceil(y1*k))+1)
		i.key = spriteKey{kind: shipSprite, ghost: p.Ghost, s: s, n: n}
		i.key.n[10], i.key.n[11] = what, int32(size*8)
		i.paint = func(b *brush) { b.at(0, 0, k, func() { paint(b) }) }
		c.add(i)
	}
	top := -tradingHeight / 2
	attacks := p.Attacks[:min(len(p.Attacks), mostAttacks)]
	layout := tradingLayouts[len(attacks)]
	tag, value := clean(p.Text), short(p.Value)
	ghost, marked := p.Ghost, p.Marked
	part(0, 0, 0, -55, top-5, 56, -top+8, "", [12]int32{flags(marked, ghost)},
		func(b *brush) { paintTradingCard(b, !ghost, marked) })
	part(7, 0, top+3, -47, 0, 47, layout.view, "", [12]int32{int32(p.Seat), int32(layout.view)},
		func(b *brush) { paintView(b, p.Seat, 94, layout.view) })
	part(1, 0, 0, -52, top-2, -18, top+21, tag, [12]int32{}, func(b *brush) { paintShipTag(b, tag) })
	part(2, 33, top+19, -18, -18, 18, 20, value, [12]int32{}, func(b *brush) { paintDisc(b, value, 15, b.p.gold) })
	// who adds a name with its middle at y. Its lines begin at x (anchor 0) or are centred there (0.5). If the name
	// would be too small to read, who adds nothing and returns false.
	who := func(seat int, x, y, em, wide, high, anchor float64) bool {
		lines, size := c.folded(c.nameOf(seat), em, wide, high)
		if size*k < legible*c.ui {
			return false
		}
		for i, line := range lines {
			w := c.tf.width(line, size)
			part(3, x, y+(float64(i)-float64(len(lines)-1)/2)*size*lineApart, -w*anchor-1, -size, w*(1-anchor)+1, size,
				line, [12]int32{int32(size * 64), int32(anchor * 2)}, func(b *brush) {
					b.letters(line, 0, size*capHeight/2, size, anchor)
					b.fill(b.p.ink)
				})
		}
		return true
	}
	letter := func(seat int, x, y, em float64) {
		s := scene.SeatLetter(seat)
		part(9, x, y, -em/2, -em, em/2, em, s, [12]int32{int32(em * 64)},
			func(b *brush) { b.text(s, 0, 0, em, b.p.ink) })
	}
	below := top + 4 + layout.view + layout.name/2
	if !who(p.Seat, 0, below, math.Min(layout.name*0.62, 13), 90, layout.name, 0.5) {
		letter(p.Seat, 0, below, layout.name*0.9)
	}
	// The chips of all attacks have the same width. Either all show the attackers' names, or all show letters.
	named, chip := true, attackPlain
	for i := range attacks {
		if attacks[i].Pirate > 0 {
			chip = attackPirate
		}
	}
	for i := range attacks {
		_, high := scene.AttackRow(i, len(attacks))
		_, size := c.folded(c.nameOf(attacks[i].Seat), 10.5, attackWide-chip, high*100-1.6)
		named = named && size*k >= legible*c.ui
	}
	for i, a := range attacks {
		below, high := scene.AttackRow(i, len(attacks))
		below, high = below*100, high*100-1.6
		if a.Stronger {
			part(6, 0, below, -48, -high/2-1, 48, high/2+1, "", [12]int32{int32(high * 8)},
				func(b *brush) { paintStronger(b, -46.5, -high/2, 93, high) })
		}
		grown := 1.0
		if !named {
			grown = math.Min((high-2)/attackHigh, (attackWide-12)/chip)
		}
		part(4, 0, below, -48, -high/2-1, -44+chip*grown, high/2+1, "", [12]int32{int32(a.Color), int32(a.Skulls),
			int32(a.Pirate), int32(high * 8), int32(chip * grown * 8)},
			func(b *brush) { paintAttack(b, a, scene.Point{X: -45, Y: -high/2 + 1}, high-2, chip, grown) })
		if named {
			who(a.Seat, chip-41.5, below, 10.5, attackWide-chip, high, 0)
		} else {
			em := math.Min(high*0.9, 15)
			letter(a.Seat, (chip*grown-45+46)/2, below, em)
		}
	}
}

// caption adds the words below a card on the table: the player, and an arrow to the name of the card's ship, if it
// has one.
func (c *composer) caption(p *scene.Piece) {
	if p.Kind != scene.Card || p.Suit < scene.TradingCard || p.Seat < 0 {
		return
	}
	em := p.Size * 0.32
	y := p.At.Y + (cardHeight/200+0.17)*p.Size
	lines, size := c.folded(c.nameOf(p.Seat), em, p.Size*1.5, em*1.15)
	if size*c.scale < legible*c.ui {
		lines, size = []string{scene.SeatLetter(p.Seat)}, em
	}
	for _, line := range lines {
		c.boardText(line, p.At.X, y, size, false)
		y += size * lineApart
	}
	if on := clean(p.Text); on != "" {
		c.boardText("→ "+on, p.At.X, y, em, false)
	}
}

// paintTradingCard paints the empty card of a ship on the table, with a shadow if shadow is set, and with a golden rim
// if marked is set.
func paintTradingCard(b *brush, shadow, marked bool) {
	w, h := 100.0, tradingHeight
	for _, r := range []float64{3, 1} {
		if shadow {
			b.DrawRoundedRectangle(-w/2+2-r, -h/2+4-r, w+2*r, h+2*r, 7+r)
			b.fill(color.NRGBA{A: 50})
		}
	}
	if marked {
		b.frame(w, h, 4, 11)
	}
	b.DrawRoundedRectangle(-w/2, -h/2, w, h, 7)
	b.paint(b.p.parchment, hex(0x4a2f1e), 1.8)
	b.DrawRoundedRectangle(-w/2+1.6, -h/2+1.6, w-3.2, h-3.2, 5.6)
	b.stroke(b.p.parchAlt, 1)
}

// paintView paints a seat's ship between sea and sky. Its width w is centred at x 0, and its height h begins at y 0.
func paintView(b *brush, seat int, w, h float64) {
	b.DrawRoundedRectangle(-w/2, 0, w, h, 5)
	sea, sky := mix(b.p.sea, b.p.silver, 0.2), mix(b.p.sea, b.p.silver, 0.6)
	horizon := h * 0.66
	b.fill(sea)
	b.DrawRoundedRectangle(-w/2, 0, w, h*0.5, 5)
	b.DrawRectangle(-w/2, 8, w, horizon-8)
	b.fill(sky)
	s, x0 := math.Min((h-5)/90, 0.8), -4.0
	if h < 70 {
		x0 = -8 // leaves room for the coin
	}
	b.ripples(-w/2+4, h*0.8, w-8, 2)
	b.stroke(mix(sea, b.p.ink, 0.3), 1)
	b.at(x0, h-2.5-38*s, s, func() { paintShip(b, seat) })
	b.NewSubPath() // foam
	for _, x := range []float64{-34, -12, 10} {
		b.MoveTo(x0+x*s, h-2)
		b.QuadraticTo(x0+(x+11)*s, h-5, x0+(x+22)*s, h-2)
	}
	b.SetLineCapRound()
	b.stroke(linen, 1.6)
}

// paintShipTag paints the name of a ship on the table, in the corner of its card.
func paintShipTag(b *brush, s string) {
	edge := hex(0x4a2f1e)
	b.DrawRoundedRectangle(-50, -tradingHeight/2, 29, 19, 7)
	b.paint(edge, edge, 1)
	b.text(s, -35.5, -tradingHeight/2+9.5, b.fitted(s, 15, 25), hex(0xfff3d6))
}

// paintStronger paints the background of the strongest attack's row.
func paintStronger(b *brush, x, y, w, h float64) {
	b.DrawRoundedRectangle(x, y, w, h, 3)
	b.paint(mix(b.p.gold, b.p.parchment, 0.35), darker(b.p.gold, 0.7), 1.2)
}

// Dimensions of an attack, in hundredths of its ship's width.
const (
	attackPlain  = 33.0 // a chip with colour and strength
	attackPirate = 44.0 // a chip that also shows a pirate
	attackHigh   = 9.4  // height of a chip before growing
	attackWide   = 87.5 // width of a chip and a name
)

// paintAttack paints the row of an attack below a trading ship, without the attacker's name. at is its upper left
// corner, and chip is the width of its chip before growing.
func paintAttack(b *brush, a scene.Attack, at scene.Point, h, chip, grown float64) {
	main := b.p.of(a.Color)
	b.DrawRoundedRectangle(at.X, at.Y, chip*grown, h, 2.5)
	b.paint(main, darker(main, 0.7), 0.9)
	ink, bone := hex(0xfffdf5), hex(0x15100e)
	if luminance(main) > 0.6 {
		ink, bone = hex(0x1d120a), hex(0xfffdf5)
	}
	b.at(at.X, at.Y+h/2, grown*math.Min(math.Max(h/attackHigh, 1), 1.06), func() {
		b.signed(a.Color, 6.4, 0, 4.2, main)
		s := short(a.Skulls)
		b.letters(s, 16, 3.6, b.fitted(s, 10.4, 11), 0.5)
		b.fill(ink)
		paintSkull(b, 25.2, 0, 4, bone, ink)
		if a.Pirate > 0 {
			paintHat(b, 35.6, 0.6, 4.7, hex(0x15100e), ink)
			if a.Pirate > 1 {
				b.letters(strconv.Itoa(a.Pirate), 35.6, 3.4, 5.4, 0.5)
				b.fill(ink)
			}
		}
	})
}

// paintHat paints a tricorn of radius r.
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

// paintShip paints a trading ship from the side, about 100 wide, around (0,0). The ships of the first five seats
// differ in hull and sails.
func paintShip(b *brush, seat int) {
	b.SetLineJoinRound()
	b.SetLineCapRound()
	builds := [players]func(*brush){paintCarrack, paintCog, paintXebec, paintJunk, paintSchooner}
	builds[max(seat, 0)%players](b)
}

// The colours of ships.
var (
	shipLine = hex(0x2a1810)
	linen    = hex(0xfff8e6)
	oak      = hex(0x8a5a34)
	tar      = hex(0x4d3323)
	rust     = hex(0xb5652f)
)

// mast paints a mast from its foot to its top.
func (b *brush) mast(x, top, foot, width float64) {
	b.DrawLine(x, foot, x, top)
	b.stroke(shipLine, width)
}

// patch paints a filled polygon with an outline.
func (b *brush) patch(fill color.RGBA, width float64, points ...float64) {
	b.polygon(points...)
	b.paint(fill, shipLine, width)
}

// square paints a sail that hangs from a yard and bulges to the right.
func (b *brush) square(fill color.RGBA, x, top, w, h float64) {
	b.NewSubPath()
	b.MoveTo(x-w*0.5, top)
	b.LineTo(x+w*0.55, top)
	b.CubicTo(x+w*0.85, top+h*0.35, x+w*0.85, top+h*0.7, x+w*0.62, top+h)
	b.CubicTo(x+w*0.2, top+h*0.85, x-w*0.2, top+h*0.85, x-w*0.55, top+h)
	b.CubicTo(x-w*0.3, top+h*0.6, x-w*0.35, top+h*0.3, x-w*0.5, top)
	b.ClosePath()
	b.paint(fill, shipLine, 2.2)
}

// paintCarrack paints two masts with square sails, a jib, and gun ports.
func paintCarrack(b *brush) {
	for _, m := range []struct{ x, top, w, h float64 }{{-24, -36, 22, 22}, {6, -46, 28, 27}} {
		b.mast(m.x, m.top-6, 16, 3.5)
		for _, i := range []float64{0, 1} {
			b.square(linen, m.x, m.top+i*(m.h+2), m.w*(0.8+0.25*i), m.h)
		}
	}
	b.NewSubPath() // jib
	b.MoveTo(46, 2)
	b.LineTo(27, -28)
	b.CubicTo(28, -12, 28, -4, 24, 4)
	b.ClosePath()
	b.paint(linen, shipLine, 2.2)
	b.NewSubPath() // hull
	b.MoveTo(-48, -4)
	b.LineTo(-32, -2)
	b.LineTo(-30, 10)
	b.LineTo(24, 12)
	b.LineTo(48, 4)
	b.CubicTo(42, 24, 36, 34, 28, 38)
	b.LineTo(-34, 38)
	b.CubicTo(-44, 30, -47, 14, -48, -4)
	b.ClosePath()
	b.paint(oak, shipLine, 2.8)
	for _, x := range []float64{-30, -14, 2, 18} {
		b.DrawRectangle(x-3, 18, 6, 6)
	}
	b.fill(shipLine)
	b.DrawLine(-44, 14, 41, 15)
	b.stroke(b.p.sandAlt, 2.2)
	b.patch(b.p.sandAlt, 1.5, 6, -52, 24, -50, 18, -47, 24, -43, 6, -45)
}

// paintCog paints a large striped sail between two castles.
func paintCog(b *brush) {
	b.mast(2, -50, 14, 4)
	sail := func() {
		b.NewSubPath()
		b.MoveTo(-31, -40)
		b.LineTo(35, -40)
		b.CubicTo(42, -24, 42, -10, 36, 6)
		b.CubicTo(16, 0, -12, 0, -32, 6)
		b.CubicTo(-25, -10, -25, -24, -31, -40)
		b.ClosePath()
	}
	sail()
	b.fill(linen)
	for _, x := range []float64{-19, 2, 23} {
		b.NewSubPath()
		b.MoveTo(x-5, -39)
		b.LineTo(x+5, -39)
		b.QuadraticTo(x+9, -18, x+5.5, 2)
		b.LineTo(x-5.5, 2)
		b.QuadraticTo(x-2, -18, x-5, -39)
		b.ClosePath()
	}
	b.fill(rust)
	sail()
	b.stroke(shipLine, 2.4)
	b.NewSubPath() // round hull
	b.MoveTo(-46, 8)
	b.CubicTo(-20, 18, 20, 18, 46, 8)
	b.CubicTo(45, 26, 34, 38, 18, 38)
	b.LineTo(-18, 38)
	b.CubicTo(-34, 38, -45, 26, -46, 8)
	b.ClosePath()
	b.paint(tar, shipLine, 2.8)
	for _, y := range []float64{21, 29} {
		b.NewSubPath()
		b.MoveTo(-41, y-2)
		b.QuadraticTo(0, y+6, 41, y-2)
	}
	b.stroke(oak, 1.8)
	for _, x := range []float64{-39, 37} { // castles with battlements
		b.patch(oak, 2.2, x-12, 10, x-12, -10, x-7, -10, x-7, -5, x-2.5, -5, x-2.5, -10, x+2.5, -10, x+2.5, -5, x+7, -5,
			x+7, -10, x+12, -10, x+12, 10)
	}
	b.patch(linen, 2.2, -5, -42, 9, -42, 11, -51, -7, -51) // crow's nest
}

// paintXebec paints a long, low ship with two lateen sails.
func paintXebec(b *brush) {
	for _, s := range [][3]float64{{-20, -44, 1}, {18, -36, 0.86}} {
		x, top, k := s[0], s[1], s[2]
		b.mast(x, top+6, 20, 3.5)
		b.NewSubPath()
		b.MoveTo(x-26*k, 14)
		b.CubicTo(x-14*k, -8, x+2*k, -30*k, x+24*k, top-6)
		b.CubicTo(x+28*k, -20*k, x+27*k, -2, x+19*k, 13)
		b.CubicTo(x+4*k, 7, x-12*k, 8, x-26*k, 14)
		b.ClosePath()
		b.paint(b.p.sandAlt, shipLine, 2.2)
		b.DrawLine(x-30*k, 18, x+27*k, top-10)
		b.stroke(shipLine, 2.6)
	}
	b.NewSubPath() // hull with a beak
	b.MoveTo(-50, 6)
	b.LineTo(-34, 8)
	b.CubicTo(-20, 22, 16, 22, 34, 14)
	b.LineTo(56, 4)
	b.CubicTo(48, 22, 38, 34, 24, 38)
	b.LineTo(-30, 38)
	b.CubicTo(-42, 32, -48, 20, -50, 6)
	b.ClosePath()
	b.paint(rust, shipLine, 2.8)
	b.NewSubPath()
	b.MoveTo(-44, 19)
	b.CubicTo(-20, 30, 16, 30, 42, 18)
	b.stroke(linen, 3)
	b.DrawLine(-45, 6, -45, -22)
	b.stroke(shipLine, 2.2)
	b.patch(rust, 1.6, -44, -22, -26, -17, -44, -11)
}

// paintJunk paints fan-shaped sails with battens, and a high stern.
func paintJunk(b *brush) {
	for _, s := range [][3]float64{{-33, -16, 0.62}, {33, -22, 0.7}, {-1, -34, 1}} {
		x, top, k := s[0], s[1], s[2]
		b.mast(x, top-14*k, 16, 3.5)
		left := func(t float64) float64 { return x - (13+5*t)*k }
		right := func(t float64) float64 { return x + (17+9*math.Sin(t*math.Pi))*k }
		at := func(t float64) float64 { return top + t*(12-top) }
		b.NewSubPath()
		b.MoveTo(left(0), at(0)+4)
		b.LineTo(x+8*k, at(0)-12*k)
		for t := 0.0; t <= 1; t += 0.25 {
			b.LineTo(right(t), at(t))
		}
		b.LineTo(left(1), at(1))
		b.ClosePath()
		b.paint(rust, shipLine, 2.2)
		for t := 0.25; t < 1; t += 0.25 {
			b.DrawLine(left(t), at(t)+2, right(t), at(t)-2)
		}
		b.stroke(b.p.sandAlt, 2.2)
	}
	b.NewSubPath() // hull
	b.MoveTo(-52, -10)
	b.LineTo(-34, -8)
	b.LineTo(-30, 12)
	b.LineTo(30, 14)
	b.LineTo(50, 0)
	b.CubicTo(46, 20, 40, 32, 32, 38)
	b.LineTo(-36, 38)
	b.CubicTo(-46, 26, -50, 8, -52, -10)
	b.ClosePath()
	b.paint(b.p.sandAlt, shipLine, 2.8)
	b.NewSubPath()
	b.MoveTo(-46, 16)
	b.LineTo(-30, 22)
	b.LineTo(40, 23)
	b.stroke(tar, 3)
	b.DrawCircle(40, 13, 4) // its eye
	b.paint(linen, shipLine, 1.6)
	b.DrawCircle(41, 13, 1.6)
	b.fill(shipLine)
}

// paintSchooner paints a slim, pale ship with fore-and-aft sails and two jibs.
func paintSchooner(b *brush) {
	b.DrawLine(40, 10, 62, 0)
	b.stroke(shipLine, 3)
	for _, m := range [][2]float64{{-20, -40}, {10, -46}} {
		x, top := m[0], m[1]
		b.mast(x, top-6, 16, 3)
		b.patch(linen, 2.2, x-1, top+12, x-1, 10, x-25, 10, x-20, top+24)
		b.patch(b.p.sandAlt, 2, x-1, top, x-1, top+10, x-14, top+17)
	}
	b.patch(linen, 2.2, 60, 0, 13, -40, 26, 6)
	b.patch(linen, 2.2, 46, 6, 13, -18, 18, 8)
	b.NewSubPath() // hull
	b.MoveTo(-50, 8)
	b.CubicTo(-20, 18, 20, 18, 50, 6)
	b.CubicTo(44, 26, 30, 38, 12, 38)
	b.LineTo(-30, 38)
	b.CubicTo(-40, 34, -46, 22, -50, 8)
	b.ClosePath()
	b.paint(linen, shipLine, 2.8)
	b.NewSubPath()
	b.MoveTo(-46, 18)
	b.CubicTo(-20, 27, 20, 27, 45, 16)
	b.CubicTo(40, 24, 34, 30, 30, 31)
	b.LineTo(-38, 31)
	b.ClosePath()
	b.fill(tar)
	b.DrawLine(-47, 8, -47, -14)
	b.stroke(shipLine, 2.2)
	b.patch(tar, 1.6, -46, -14, -31, -14, -31, -4, -46, -4)
}

// paintDisc paints a coin with a number around (0,0), lit from above.
func paintDisc(b *brush, s string, r float64, metal color.RGBA) {
	b.DrawCircle(r*0.08, r*0.14, r*1.02)
	b.fill(color.NRGBA{A: 70})
	b.DrawCircle(0, 0, r)
	b.paint(metal, darker(metal, 0.7), r*0.12)
	b.DrawCircle(0, 0, r*0.76)
	b.stroke(darker(metal, 0.25), r*0.07)
	b.SetLineCapRound()
	b.DrawArc(0, 0, r*0.84, math.Pi*1.05, math.Pi*1.7)
	b.stroke(lighter(metal, 0.7), r*0.1)
	b.text(s, 0, 0, b.fitted(s, r*1.4, r*1.4), darker(metal, 0.85))
}

// ripples makes the path of rows of small waves.
func (b *brush) ripples(x, y, w float64, rows int) {
	for r := range rows {
		step := w / 6
		for i := range 6 {
			x0 := x + (float64(i)+float64(r%2)*0.4)*step
			if x0+step*0.6 > x+w {
				continue
			}
			b.MoveTo(x0, y+float64(r)*4.5)
			b.QuadraticTo(x0+step*0.3, y+float64(r)*4.5+3, x0+step*0.6, y+float64(r)*4.5)
		}
	}
}

// paintColored gives a card a player's colour, with its sign in the corners.
func paintColored(b *brush, c scene.Color) {
	main := b.p.of(c)
	b.DrawRoundedRectangle(-43, -63, 86, 126, 5)
	b.paint(main, darker(main, 0.6), 2)
	b.signed(c, -29, -48, 12, main)
	b.signed(c, 29, 48, 12, main)
}

// paintPirateShipCard paints a pirate ship's card with its strength in skulls.
func paintPirateShipCard(b *brush, c scene.Color, skulls int) {
	main := b.p.of(c)
	b.DrawRoundedRectangle(-43, -63, 86, 126, 5)
	b.paint(main, darker(main, 0.6), 2)
	s := short(skulls)
	ink, edge := hex(0xfffdf5), darker(main, 0.8)
	if luminance(main) > 0.6 {
		ink, edge = darker(main, 0.9), lighter(main, 0.6)
	}
	b.halo(s, -20, -38, b.fitted(s, 54, 44), outlined{ink, edge, 3})
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

// paintCaptain paints a head and shoulders under a hat. A pirate has a patch and a beard, an admiral a wig and gold on
// the shoulders.
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
		b.smooth([]scene.Point{{X: -17, Y: 10}, {X: 0, Y: 12}, {X: 17, Y: 10}, {X: 11, Y: 27}, {X: 0, Y: 33},
			{X: -11, Y: 27}}, true)
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
