package render

import (
	"context"
	"image"
	"math"
	"slices"

	"marque/games/scene"
)

// mostCards is the maximum number of cards in a picture of a hand.
const mostCards = 80

// HandPNG paints the viewer's cards (Scene.Hand) in rows, in the order of the scene. It fails only if ctx ends before
// the painting begins, with ctx's error.
func (r *Renderer) HandPNG(ctx context.Context, s scene.Scene, o Options) ([]byte, error) {
	o = r.normal(o)
	return r.cached(ctx, "hand", pictureKey('h', &s, &o), func() *image.Paletted { return r.paint(r.hand(&s, o)) })
}

// handColumns returns the number of cards in a row at which they are legible on a phone.
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

// handSpace is the gap around a card, in thousandths of the picture's width.
const handSpace = 14.0

// HandCard returns the middle and the size of card i, from 0, of n cards in a picture of HandPNG without choices, in
// thousandths of the picture's width.
func HandCard(i, n int) (at scene.Point, w, h float64) { return handCard(i, n, 0) }

// handCard does the work of HandCard. below is the height of the room for a choice under each card.
func handCard(i, n int, below float64) (at scene.Point, w, h float64) {
	columns := handColumns(n)
	w = (1000 - handSpace*float64(columns+1)) / float64(columns)
	h = w * cardHeight / 100
	inRow := min(n-i/columns*columns, columns)
	left := (1000 - float64(inRow)*(w+handSpace) + handSpace) / 2
	return scene.Point{X: left + float64(i%columns)*(w+handSpace) + w/2,
		Y: handSpace + float64(i/columns)*(h+below+handSpace) + h/2 + 4}, w, h
}

// hand returns the picture of a hand of cards on wood.
func (r *Renderer) hand(s *scene.Scene, o Options) *page {
	cards := s.Hand[:min(len(s.Hand), mostCards)]
	columns := handColumns(len(cards))
	_, w, h := handCard(0, len(cards), 0)
	rows := max((len(cards)+columns-1)/columns, 1)
	if len(cards) == 0 {
		h = 80
	}
	c := r.composer(o, float64(o.Width)/1000)
	below := 0.0 // room for choices, so that they hide nothing on the cards
	chosen := func(m *scene.Mark) bool { return m.Kind == scene.Choice && m.Card > 0 && m.Card <= len(cards) }
	if slices.ContainsFunc(s.Marks, func(m scene.Mark) bool { return chosen(&m) }) {
		below = 46
	}
	foot := 0.0
	if o.title() != "" {
		foot = statusHigh
	}
	end := float64(rows)*(h+below+handSpace) + handSpace + 8
	high := int(math.Ceil((end + foot) * c.ui))
	for i := range cards {
		p := cards[i]
		p.Seat = -1 // only cards on the table have captions
		p.At, _, _ = handCard(i, len(cards), below)
		p.Size = w
		c.piece(&p)
	}
	for i := range s.Marks[:min(len(s.Marks), mostMarks)] {
		if m := &s.Marks[i]; chosen(m) {
			at, _, _ := handCard(m.Card-1, len(cards), below)
			c.choice(m.Text, int(at.X*c.ui), int((at.Y+h/2+below/2)*c.ui), 40*c.ui, (w+handSpace/2)*c.ui)
		}
	}
	if foot > 0 {
		c.plate(500, end+foot/2-8, 0.5, 900, 0)
	}
	// The page uses the palette of a hand of the usual height. A card therefore looks the same with any number of cards
	// and choices.
	const usual = 400.0
	return &page{c: c, ground: wood(float64(high) / c.ui), set: handSet, high: high, canvas: c.p.canvas,
		like: wood(usual)}
}

// wood returns the ground of a hand of cards.
func wood(high float64) *scene.Scene {
	return &scene.Scene{Board: "hand", W: 1000, H: high,
		Ground: []scene.Shape{{Kind: scene.Polygon, Material: scene.Wood,
			Points: []scene.Point{{X: 0, Y: 0}, {X: 1000, Y: 0}, {X: 1000, Y: high}, {X: 0, Y: high}}}}}
}
