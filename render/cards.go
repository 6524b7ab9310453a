package render

import (
	"image/color"
	"math"

	"marque/games/scene"
)

// cardHeight is the height of a card for a width of 100.
const cardHeight = 140.0

// paintCard paints a face-up card.
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
		sea := mix(b.p.sea, b.p.silver, 0.6)
		b.fill(sea)
		b.ripples(-39, 46, 78, 3)
		b.stroke(mix(sea, b.p.ink, 0.3), 1.4)
		b.at(0, 22, 0.78, func() { paintShip(b, p.Seat) })
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

// thickStack is the number of cards at which a stack has its maximum thickness.
const thickStack = 4

// paintCardBack paints a stack of face-down cards, or a dashed outline with the number 0 if there are no cards.
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
		paintBadge(b, "0", 0, 0, 36)
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
	if luminance(paint) > 0.45 { // gold has too little contrast on a light sea
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

// paintStackCount paints the number of cards on a stack.
func paintStackCount(b *brush, count int) {
	paintBadge(b, short(count), 0, 24, 36)
}
