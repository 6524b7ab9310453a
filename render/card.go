package render

import (
	"context"
	"image"
	"image/draw"

	"marque/games/scene"
)

// Card is a picture of a finished game: its result, the players' accuracy, and the decisive moment. All its words are
// in the reader's language.
type Card struct {
	Result string // the result of the game
	Final  scene.Scene
	Rows   []CardRow // in the order of seats
	Head   string    // line above Moment
	Moment string    // the decisive moment
}

// CardRow is a player's line.
type CardRow struct {
	Name   string
	Color  scene.Color
	Winner bool
	Played []string // the player's accuracy and other values, under the name; broken only if wider than a line
}

// Dimensions of a card in thousandths of its width. The board is on the left, the words are on the right. Letters of
// height cardSmall are legible if the card is 300 pixels wide.
const (
	cardTop   = 24.0
	cardBoard = 500.0 // maximum width of the board; cardTall limits its height
	cardTall  = 640.0
	cardLeft  = 548.0 // left end of the words
	cardRoom  = 428.0
	cardLine  = 36.0
	cardSmall = 31.0
	cardLead  = 1.24 // distance between lines, in heights of letters
	cardGap   = 20.0
	cardDisc  = 46.0 // room for a player's colour
)

// cardText is a paragraph on a card.
type cardText struct {
	lines []string
	em    float64
	quiet bool
	in    float64  // indent
	row   *CardRow // the player, if the paragraph is a name; otherwise nil
	after float64  // space below
}

func (t *cardText) high() float64 { return float64(len(t.lines))*t.em*cardLead + t.after }

// CardPNG paints a card. It fails only if ctx ends before the painting begins, with ctx's error.
func (r *Renderer) CardPNG(ctx context.Context, c Card, o Options) ([]byte, error) {
	done := r.began("sheet")
	o = r.normal(o)
	if err := r.enter(ctx); err != nil {
		return nil, err
	}
	defer r.leave()
	im := r.card(&c, o)
	defer r.frames.Put(im)
	b := r.encoder.encode(im)
	done(false)
	return b, nil
}

func (r *Renderer) card(c *Card, o Options) *image.Paletted {
	words := r.words(c)
	high := 0.0
	for i := range words {
		high += words[i].high()
	}
	board := r.bareBoard(&c.Final, o, cardBoard, cardTall)
	scale := float64(o.Width) / 1000
	tall := max(high, float64(board.Rect.Dy())/scale)
	full := r.fullPaper(o, tall+2*cardTop, func(b *brush) {
		y := cardTop + (tall-high)/2
		for i := range words {
			b.cardText(&words[i], y)
			y += words[i].high()
		}
	})
	draw.Draw(full, board.Rect.Add(image.Pt(int(cardTop*scale+(cardBoard*scale-float64(board.Rect.Dx()))/2),
		int(cardTop*scale+(tall*scale-float64(board.Rect.Dy()))/2))), board, image.Point{}, draw.Src)
	pal := newPalette(r.paints[o.Theme].designed(), full, paletteSize)
	im := r.frame(full.Rect.Dx(), full.Rect.Dy(), pal)
	pal.indexed(im.Pix, full)
	return im
}

// bareBoard paints the board without its panels, status, hand and plate. width and tall limit its size, in thousandths
// of the width in o.
func (r *Renderer) bareBoard(final *scene.Scene, o Options, width, tall float64) *image.RGBA {
	s := *final
	s.Panels, s.Status, s.Hand = nil, nil, nil
	if high, _ := boardSize(&s, int(width)); float64(high) > tall {
		width *= tall / float64(high)
	}
	o.Width = int(width * float64(o.Width) / 1000)
	o.Title, o.Caption = "", ""
	high, scale := boardSize(&s, o.Width)
	c := r.composer(o, scale)
	return r.full(&s, scale, o, c.paintGround(&s, high))
}

// words returns the paragraphs of a card from top to bottom.
func (r *Renderer) words(c *Card) []cardText {
	var list []cardText
	add := func(s string, em float64, quiet bool, in, after float64) {
		lines := r.tf.wrap(s, em, cardRoom-in)
		list = append(list, cardText{lines: lines, em: em, quiet: quiet, in: in, after: after})
	}
	add(c.Result, cardLine, false, 0, cardGap)
	for i := range c.Rows {
		row := &c.Rows[i]
		name := clean(row.Name)
		if !r.tf.readable(name) {
			name = "?"
		}
		room := cardRoom - cardDisc
		if row.Winner {
			room -= cardDisc
		}
		list = append(list, cardText{lines: []string{r.tf.fit(name, cardLine, room)}, em: cardLine, in: cardDisc,
			row: row})
		list = append(list, cardText{lines: r.tf.listed(row.Played, cardSmall, cardRoom-cardDisc), em: cardSmall,
			quiet: true, in: cardDisc, after: cardGap / 2})
	}
	list[len(list)-1].after = cardGap
	add(c.Head, cardSmall, true, 0, 0)
	add(c.Moment, cardSmall, false, 0, 0)
	return list
}

// listed arranges parts in lines of at most the given width, with as many parts on a line as fit. A part is broken only
// if it is wider than a line.
func (tf *typeface) listed(parts []string, em, width float64) (lines []string) {
	for _, part := range parts {
		if last := len(lines) - 1; last >= 0 && tf.width(lines[last]+" · "+part, em) <= width {
			lines[last] += " · " + part
			continue
		}
		lines = append(lines, tf.wrap(part, em, width)...)
	}
	return lines
}

// cardText writes a paragraph below y.
func (b *brush) cardText(t *cardText, y float64) {
	p, x := b.p, cardLeft+t.in
	ink := p.text
	if t.quiet {
		ink = p.quiet
	}
	for _, line := range t.lines {
		mid := y + t.em*cardLead/2
		w := b.write(line, spot{x, mid, t.em, 0, cardRoom}, ink)
		if t.row != nil {
			b.player(t.row.Color, cardLeft+18, mid, 17)
			if t.row.Winner {
				b.at(x+w+30, mid, 0.17, func() { b.standing(false, true, false) })
			}
		}
		y += t.em * cardLead
	}
}
