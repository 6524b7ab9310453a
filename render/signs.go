package render

import (
	"context"
	"math"
	"slices"
	"strings"

	"marque/games/scene"
)

// KeyLine is a sign with what it means, in the reader's language.
type KeyLine struct {
	Sign  scene.Sign
	Words string
}

// Measures of a key in thousandths of its width.
const (
	keyTile = 100.0 // side of the tile on which a sign is drawn
	keyGap  = 12.0
	keyRow  = 56.0 // between two signs, so that each stands apart with its words
	keySize = 34.0 // of the letters
	keyLine = 44.0 // from one line to the next
	keyText = 2*keyGap + keyTile + 14
	mostKey = 60 // lines
)

// KeyPNG paints signs in two columns, each beside what it means. The only error is that of ctx, when
// it ends before a place in the pool is free.
func (r *Renderer) KeyPNG(ctx context.Context, lines []KeyLine, o Options) ([]byte, error) {
	o = r.normal(o)
	if err := r.enter(ctx); err != nil {
		return nil, err
	}
	defer r.leave()
	im := r.paint(r.key(lines[:min(len(lines), mostKey)], o))
	defer r.frames.Put(im)
	return r.encoder.encode(im), nil
}

// key is the page of a key.
func (r *Renderer) key(lines []KeyLine, o Options) *page {
	c := r.composer(o, float64(o.Width)/1000)
	const column = 500.0 // two stand side by side: one alone would be so high that nobody could read it
	heights := make([]float64, len(lines))
	all := 0.0
	for i := range lines {
		words, _ := c.tf.fold(lines[i].Words, keySize, column-keyText-keyGap)
		heights[i] = math.Max(keyTile, float64(len(words))*keyLine) + keyRow
		all += heights[i]
	}
	x, y, end, before := 0.0, keyGap, 0.0, 0.0
	for i := range lines {
		if x == 0 && before+heights[i]/2 > all/2 {
			x, y = column, keyGap
		}
		high := heights[i] - keyRow
		c.sign(&lines[i].Sign, scene.Point{X: x + keyGap + keyTile/2, Y: y + high/2})
		words, _ := c.tf.fold(lines[i].Words, keySize, column-keyText-keyGap)
		for n, w := range words {
			line := y + high/2 + (float64(n)-float64(len(words)-1)/2)*keyLine
			c.text(w, pen{x + keyText, line, c.p.text, 0}, keySize, 0)
		}
		y += heights[i]
		before += heights[i]
		end = math.Max(end, y)
	}
	y = end
	if o.plate() != "" {
		c.plate(500, y+statusHigh/2-8, 0.5, 900, 0)
		y += statusHigh
	}
	shown := &scene.Scene{} // so that the palette is for the pieces of this game alone
	for i := range lines {
		if p := lines[i].Sign.Piece; p != nil {
			shown.Pieces = append(shown.Pieces, *p)
		}
	}
	return &page{c: c, ground: &scene.Scene{Board: keyBoard, W: 1000}, set: setOf(shown),
		below:  int(math.Ceil(y * c.ui)),
		canvas: c.p.plaque, like: materials()}
}

// keyBoard names the ground of keys.
const keyBoard = "key"

// materials is a sample of all materials: its palette is that of all keys.
func materials() *scene.Scene {
	s := &scene.Scene{Board: keyBoard, W: 1000, H: 600}
	for m := scene.Wood; m <= scene.Lacquer; m++ {
		x, y := float64(m%4)*250, float64(m/4)*150
		s.Ground = append(s.Ground, scene.Shape{Kind: scene.Polygon, Material: m, Color: scene.NoColor,
			Points: []scene.Point{{X: x, Y: y}, {X: x + 250, Y: y}, {X: x + 250, Y: y + 150}, {X: x, Y: y + 150}}})
	}
	return s
}

// sign adds an example of a sign in the middle of a tile.
func (c *composer) sign(s *scene.Sign, at scene.Point) {
	x, y, ui := int(math.Round(at.X*c.ui)), int(math.Round(at.Y*c.ui)), c.ui
	draw := func(what string, n [9]int32, paint func(b *brush)) {
		it := item{key: spriteKey{kind: signSprite, s: what}, x: x, y: y, box: around(keyTile/2*ui + 2),
			paint: func(b *brush) { b.at(0, 0, ui, func() { paint(b) }) }}
		copy(it.key.n[:], n[:])
		it.key.n[11] = int32(ui * 1024)
		c.add(it)
	}
	if s.Piece != nil || s.Mark != nil || s.Shape != nil {
		on := c.p.paintOf(s.On)
		draw("tile", [9]int32{int32(s.On)}, func(b *brush) {
			b.DrawRoundedRectangle(-keyTile/2, -keyTile/2, keyTile, keyTile, 12)
			b.paint(on, darker(on, 0.5), 2)
		})
	}
	switch {
	case s.Attack != nil:
		a := *s.Attack
		draw("attack", [9]int32{int32(a.Color), int32(a.Skulls), int32(a.Pirate), flags(a.Stronger)},
			func(b *brush) {
				b.at(0, 0, 2, func() {
					if a.Stronger {
						paintStronger(b, -23.5, -6.5, 47, 13)
					}
					paintAttack(b, a, scene.Point{X: -22, Y: -5}, 10, attackPirate, 1)
				})
			})
	case s.Piece != nil:
		p := *s.Piece
		p.At, p.Attacks = at, nil
		switch p.Kind {
		case scene.Card, scene.CardBack:
			p.Size, p.Seat = 56, -1
		case scene.TradingShip:
			p.Size = 74
		case scene.Token: // a tower is no higher than the tile, nor is its light broader
			high := 140.0
			switch n := min(len(p.Layers), drawnLayers); {
			case p.Count > 0:
				high = 180
			case n > 1:
				high = 160 + layerStep*float64(n-1)
			case p.Marked:
				high = 160
			}
			p.Size = keyTile * 0.94 / high * 100
		default:
			p.Size = 78
		}
		c.piece(&p)
		c.lateItems()
	case s.Mark != nil:
		m := *s.Mark
		m.R = 30
		m.Points = []scene.Point{at}
		if m.Kind == scene.Arrow || m.Kind == scene.Threat {
			m.Points = []scene.Point{{X: at.X - 36, Y: at.Y}, {X: at.X + 38, Y: at.Y}}
		}
		c.mark(&m, nil)
	case s.Shape != nil:
		sh := example(s.Shape)
		draw("shape", [9]int32{int32(sh.Kind), int32(sh.Material), int32(sh.Color), int32(sh.Width * 8)},
			func(b *brush) {
				paintShape(b, &sh, seeded("key"))
			})
	case s.Icon != scene.NoIcon:
		icon, color := s.Icon, s.Color
		draw("icon", [9]int32{int32(icon), int32(color)}, func(b *brush) {
			b.at(0, 0, 0.72, func() { paintIcon(b, icon, color) })
		})
	case s.Standing == scene.SeatColor:
		color := s.Color
		draw("seat", [9]int32{int32(color)}, func(b *brush) {
			main := b.p.of(color)
			b.DrawRoundedRectangle(-28, -42, 56, 84, 8)
			b.paint(main, darker(main, 0.6), 2.5)
			if color == scene.NoColor {
				b.halo(scene.SeatLetter(0), 0, 0, 44, outlined{hex(0xfffdf5), hex(0x2a1d14), 2.5})
			} else {
				b.signed(color, 0, 0, 20, main)
			}
		})
	default:
		standing := s.Standing
		draw("standing", [9]int32{int32(standing)}, func(b *brush) {
			b.at(0, 0, 0.34, func() {
				b.standing(standing == scene.Moving, standing == scene.Winning, standing == scene.Leaving)
			})
		})
	}
}

// example is a shape of the ground round (0,0), as large as a tile takes.
func example(s *scene.Shape) scene.Shape {
	sh := *s
	const reach = 36.0
	switch sh.Kind {
	case scene.Disc:
		sh.Points, sh.R = []scene.Point{{}}, reach
	case scene.Line:
		end := keyTile/2 - 6 - sh.Width/2
		sh.Points = []scene.Point{{X: -end}, {X: end}}
	default:
		x0, y0, x1, y1 := extent(s.Points)
		k := 2 * reach / math.Max(math.Max(x1-x0, y1-y0), 1)
		sh.Points = slices.Clone(s.Points)
		for i, p := range s.Points {
			sh.Points[i] = scene.Point{X: (p.X - (x0+x1)/2) * k, Y: (p.Y - (y0+y1)/2) * k}
		}
	}
	return sh
}

// wrap breaks s into lines of at most the given width, between words where it can.
func (tf *typeface) wrap(s string, em, width float64) []string {
	var lines []string
	line := ""
	for _, w := range strings.Fields(s) {
		w = tf.fit(w, em, width)
		if line != "" && tf.width(line+" "+w, em) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+w, " ")
	}
	return append(lines, line)
}
