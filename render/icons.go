package render

import (
	"image/color"
	"math"

	"marque/games/scene"
)

// Colours of icons that do not depend on the theme.
var (
	iconLine = hex(0x1d120a)
	iconBone = hex(0xfff6e0)
)

// paintIcon paints the icon of a stat in a box of 100 around (0,0). die is the number that a DieIcon shows.
func paintIcon(b *brush, i scene.Icon, die int, c scene.Color) {
	b.SetLineJoinRound()
	b.SetLineCapRound()
	if i == scene.DieIcon {
		b.at(0, 0, 0.95, func() { paintDie(b, die, false) })
	} else if i >= 0 && int(i) < len(iconPainters) && iconPainters[i] != nil {
		iconPainters[i](b, c, b.p.of(c))
	}
}

// iconPainters paint the icons other than dice. Some icons show the player's colour c, whose paint is main.
var iconPainters = [...]func(b *brush, c scene.Color, main color.RGBA){
	scene.ReserveIcon: func(b *brush, _ scene.Color, main color.RGBA) { // tokens in a pile
		for n := range 3 {
			y := 26 - float64(n)*24
			b.DrawEllipse(0, y+4, 40, 22)
			b.paint(main, iconLine, 5)
		}
	},
	scene.CaptiveIcon: func(b *brush, _ scene.Color, _ color.RGBA) { // bars
		b.DrawCircle(0, 4, 30)
		b.paint(b.p.skin, iconLine, 5)
		b.DrawCircle(-14, 0, 5)
		b.DrawCircle(14, 0, 5)
		b.fill(iconLine)
		b.DrawArc(0, 30, 16, math.Pi*1.2, math.Pi*1.8)
		b.stroke(iconLine, 4)
		bars := func(c color.RGBA, wide float64) {
			for _, x := range []float64{-36, 0, 36} {
				b.DrawLine(x, -40, x, 42)
			}
			b.stroke(c, wide)
		}
		bars(iconLine, 14) // visible even on light paper
		bars(b.p.silver, 6)
	},
	scene.TowerIcon: func(b *brush, _ scene.Color, main color.RGBA) {
		for n := range 3 {
			y := 34 - float64(n)*22
			b.DrawRoundedRectangle(-30+float64(n)*3, y-10, 60-float64(n)*6, 21, 8)
			b.paint(main, iconLine, 5)
		}
		b.DrawLine(0, -22, 0, -48)
		b.stroke(iconLine, 6)
		b.polygon(2, -48, 32, -40, 2, -30)
		b.paint(main, iconLine, 4)
	},
	scene.MoneyIcon: func(b *brush, _ scene.Color, _ color.RGBA) {
		for _, at := range [][2]float64{{7, 15}, {-5, -12}} { // a pile of coins from the side
			b.DrawEllipse(at[0], at[1]+4, 40, 23)
			b.paint(b.p.gold, iconLine, 5)
		}
	},
	scene.DebtIcon: func(b *brush, _ scene.Color, _ color.RGBA) { // a note with a red bottom line
		b.polygon(-34, -44, 22, -44, 36, -28, 36, 44, -34, 44)
		b.paint(iconBone, iconLine, 6)
		b.DrawRectangle(-20, -16, 40, 9)
		b.fill(hex(0x7d6a55))
		b.DrawRectangle(-20, 12, 40, 15)
		b.fill(b.p.danger)
	},
	scene.BoatIcon: func(b *brush, c scene.Color, main color.RGBA) {
		b.polygon(-30, -42, 34, -42, 40, 6, -34, 6)
		b.paint(main, iconLine, 5)
		b.signed(c, 3, -18, 17, main)
		b.polygon(-46, 16, 46, 16, 32, 44, -32, 44)
		b.paint(hex(0x8a5a34), iconLine, 5)
	},
	scene.CardIcon: func(b *brush, _ scene.Color, _ color.RGBA) {
		b.at(0, 0, 1, func() {
			b.Rotate(-0.22)
			b.DrawRoundedRectangle(-38, -40, 52, 76, 8)
			b.paint(hex(0x8a3a30), iconLine, 5)
		})
		b.DrawRoundedRectangle(-18, -36, 54, 78, 8)
		b.paint(iconBone, iconLine, 5)
		b.star(4, 9, 3, 20, 7, -math.Pi/2)
		b.fill(hex(0x8a3a30))
	},
	scene.ShipIcon: func(b *brush, _ scene.Color, _ color.RGBA) {
		b.DrawLine(0, -46, 0, 20)
		b.stroke(iconLine, 6)
		b.polygon(-30, -36, 30, -36, 38, 6, -38, 6)
		b.paint(hex(0xfff8e6), iconLine, 5)
		b.polygon(-46, 16, 46, 16, 32, 44, -32, 44)
		b.paint(hex(0xa26c3f), iconLine, 5)
	},
	scene.SilverIcon: func(b *brush, _ scene.Color, _ color.RGBA) {
		b.at(0, 0, 0.92, func() { paintCoin(b, scene.Silver) })
	},
	scene.GoldIcon: func(b *brush, _ scene.Color, _ color.RGBA) {
		b.at(0, 0, 0.92, func() { paintCoin(b, scene.Gold) })
	},
	scene.PirateIcon: func(b *brush, c scene.Color, _ color.RGBA) {
		b.at(0, 0, 0.92, func() { paintSailor(b, &scene.Piece{Color: c}) })
	},
	scene.ClockIcon: func(b *brush, _ scene.Color, _ color.RGBA) { // an hourglass
		b.polygon(-26, -38, 26, -38, 4, 0, 26, 38, -26, 38, -4, 0)
		b.paint(iconBone, iconLine, 5)
		b.polygon(-16, -22, 16, -22, 0, -2)
		b.polygon(-20, 36, 20, 36, 0, 16)
		b.fill(hex(0xc9882c))
		for _, y := range []float64{-42, 42} {
			b.DrawLine(-32, y, 32, y)
		}
		b.stroke(iconLine, 10)
	},
	scene.ScoreIcon: func(b *brush, _ scene.Color, _ color.RGBA) { // a chest
		b.DrawRoundedRectangle(-42, -6, 84, 44, 5)
		b.paint(hex(0x8a5a34), iconLine, 5)
		b.NewSubPath()
		b.MoveTo(-42, -6)
		b.CubicTo(-42, -44, 42, -44, 42, -6)
		b.ClosePath()
		b.paint(hex(0xa26c3f), iconLine, 5)
		b.DrawRectangle(-42, -10, 84, 9)
		b.DrawRectangle(-9, -10, 18, 22)
		b.fill(b.p.gold)
	},
	scene.SeaCardIcon: func(b *brush, _ scene.Color, _ color.RGBA) {
		b.DrawRoundedRectangle(-32, -42, 64, 84, 9)
		b.paint(iconBone, iconLine, 5)
		b.star(4, 0, 0, 27, 9, -math.Pi/2)
		b.fill(hex(0x2f6f86))
	},
	scene.WarehouseIcon: func(b *brush, _ scene.Color, _ color.RGBA) {
		b.polygon(-34, 42, -34, -6, 0, -42, 34, -6, 34, 42)
		b.paint(hex(0xb03a24), iconLine, 5)
		b.DrawRectangle(-11, 12, 22, 30)
		b.fill(iconLine)
	},
	scene.DutchmanIcon: func(b *brush, _ scene.Color, _ color.RGBA) {
		pale := hex(0xc9f0de)
		b.polygon(-30, -44, 34, -44, 42, 8, 26, 0, 12, 10, -4, 0, -20, 10, -38, 2)
		b.polygon(-46, 16, 46, 16, 32, 44, -32, 44)
		b.paint(pale, iconLine, 5)
		b.DrawCircle(-11, -20, 7)
		b.DrawCircle(13, -20, 7)
		b.fill(iconLine)
	},
	scene.LostIcon: func(b *brush, c scene.Color, main color.RGBA) { // a token with a cross on it
		b.DrawCircle(0, 0, 38)
		b.paint(main, iconLine, 5)
		for _, s := range []struct {
			c color.Color
			w float64
		}{{iconLine, 30}, {iconBone, 22}, {b.p.danger, 13}} {
			b.DrawLine(-30, -30, 30, 30)
			b.DrawLine(-30, 30, 30, -30)
			b.stroke(s.c, s.w)
		}
	},
	scene.TokenIcon: func(b *brush, c scene.Color, main color.RGBA) {
		b.DrawCircle(0, 0, 40)
		b.paint(main, iconLine, 6)
		b.signed(c, 0, 0, 24, main)
	},
}
