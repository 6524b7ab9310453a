package render

import (
	"context"
	"image"
	"math"
	"slices"

	"marque/games/scene"
)

// mostCards bounds the cards that a picture of a hand shows.
const mostCards = 80

// HandPNG paints the viewer's own cards (Scene.Hand) in the order in which the
// game gives them, in rows. The only error is that of ctx, when it ends before a
// place in the pool is free.
func (r *Renderer) HandPNG(ctx context.Context, s scene.Scene, o Options) ([]byte, error) {
	done := r.began("hand")
	o = o.normal(r.tf)
	key := pictureKey('h', &s, &o)
	if b, ok := r.pictures.get(key); ok {
		done(true)
		return b, nil
	}
	if err := r.enter(ctx); err != nil {
		return nil, err
	}
	defer r.leave()
	im, pal := r.hand(&s, o)
	defer r.frames.Put(im)
	b := r.pictures.put(key, r.encoder.encode(im, pal.plte))
	done(false)
	return b, nil
}

// handColumns is how many cards lie side by side: as many as can be read on a phone.
func handColumns(n int) int {
	switch {
	case n <= 5:
		return 5
	case n <= 12:
		return 6
	case n <= 28:
		return 7
	default:
		return 8
	}
}

func (r *Renderer) hand(s *scene.Scene, o Options) (*image.Paletted, *palette) {
	cards := s.Hand[:min(len(s.Hand), mostCards)]
	columns := handColumns(len(cards))
	const space = 14.0
	w := (1000 - space*float64(columns+1)) / float64(columns)
	h := w * cardHeight / 100
	rows := max((len(cards)+columns-1)/columns, 1)
	if len(cards) == 0 {
		h = 80
	}
	c := r.composer(o, float64(o.Width)/1000)
	below := 0.0 // room for what can be chosen, which hides nothing on the cards
	chosen := func(m *scene.Mark) bool { return m.Kind == scene.Choice && m.Card > 0 && m.Card <= len(cards) }
	if slices.ContainsFunc(s.Marks, func(m scene.Mark) bool { return chosen(&m) }) {
		below = 46
	}
	high := int(math.Ceil((float64(rows)*(h+below+space) + space + 8) * c.ui))
	table := &scene.Scene{Board: "hand", W: 1000, H: float64(high) / c.ui}
	g := r.handGround(table, c, high)
	place := func(i int) scene.Point { // the middle of a card
		row := cards[i/columns*columns : min(len(cards), (i/columns+1)*columns)]
		left := (1000 - float64(len(row))*(w+space) + space) / 2
		return scene.Point{X: left + float64(i%columns)*(w+space) + w/2, Y: space + float64(i/columns)*(h+below+space) + h/2 + 4}
	}
	for i := range cards {
		p := cards[i]
		p.Seat = -1 // captions are for cards on the table
		p.At = place(i)
		p.Size = w
		c.piece(&p)
	}
	for i := range s.Marks[:min(len(s.Marks), mostMarks)] {
		if m := &s.Marks[i]; chosen(m) {
			at := place(m.Card - 1)
			c.choice(m.Text, int(at.X*c.ui), int((at.Y+h/2+below/2)*c.ui), 40*c.ui, (w+space/2)*c.ui)
		}
	}
	im := r.frame(o.Width, high, g.pal)
	copy(im.Pix, g.im.Pix)
	for i := range c.out {
		blit(im, g.pal, r.sprite(c, &c.out[i], g), c.out[i].x, c.out[i].y)
	}
	return im, g.pal
}

// handGround is the wood that a hand of cards lies on. Hands of all heights have the colours of one: a card
// looks the same whatever lies or can be chosen beside it.
func (r *Renderer) handGround(s *scene.Scene, c *composer, high int) *ground {
	wood := func(high float64) *scene.Scene {
		return &scene.Scene{Board: s.Board, W: s.W, H: high, Ground: []scene.Shape{{Kind: scene.Polygon, Material: scene.Wood, Color: scene.NoColor,
			Points: []scene.Point{{X: 0, Y: 0}, {X: s.W, Y: 0}, {X: s.W, Y: high}, {X: 0, Y: high}}}}}
	}
	return r.groundIn(wood(s.H), c, high, func() *palette {
		const usual = 300.0 // a row of cards with what can be chosen
		return r.ground(wood(usual), c, int(usual*c.ui)).pal
	})
}
