package render

import (
	"encoding/binary"
	"math"

	"marque/games/scene"
	"marque/games/text"
)

// content encodes the visible part of a scene as bytes. Equal bytes give equal pictures. Strings and lists begin with
// their lengths; only in the list of marks, a 1 begins each mark and a 0 ends the list.
type content []byte

func (c *content) int(v ...int) {
	for _, n := range v {
		*c = binary.AppendVarint(*c, int64(n))
	}
}

func (c *content) float(v ...float64) {
	for _, f := range v {
		*c = binary.LittleEndian.AppendUint64(*c, math.Float64bits(f))
	}
}

func (c *content) string(s string) {
	c.int(len(s))
	*c = append(*c, s...)
}

func (c *content) points(p []scene.Point) {
	c.int(len(p))
	for i := range p {
		c.float(p[i].X, p[i].Y)
	}
}

func groundContent(s *scene.Scene) string {
	c := make(content, 0, 4096)
	c.ground(s)
	return string(c)
}

func (c *content) ground(s *scene.Scene) {
	c.string(s.Board)
	c.float(s.W, s.H)
	c.int(len(s.Ground))
	for i := range s.Ground {
		g := &s.Ground[i]
		c.int(int(g.Kind), int(g.Material), int(g.Color), int(flags(g.Faint)))
		c.float(g.R, g.Width)
		c.points(g.Points)
		c.string(g.Text)
	}
	if s.Like != nil {
		c.ground(s.Like)
	}
}

func (c *content) pieces(pieces []scene.Piece) {
	c.int(len(pieces))
	for i := range pieces {
		p := &pieces[i]
		c.int(int(p.Kind), int(p.Color), p.Count, p.Value, p.Share, p.Seat, int(p.Suit), int(p.Carries),
			int(flags(p.HasBack, p.BackOff, p.Marked, p.Ghost)), len(p.Layers), len(p.Attacks))
		c.float(p.At.X, p.At.Y, p.Size, p.Angle)
		c.string(p.Text)
		for _, l := range p.Layers {
			c.int(int(l))
		}
		for _, a := range p.Attacks {
			c.int(a.Seat, int(a.Color), a.Skulls, a.Pirate, int(flags(a.Stronger)))
		}
	}
}

// marks adds the marks on the cards of the hand, or those on the board.
func (c *content) marks(marks []scene.Mark, inHand bool) {
	for i := range marks {
		m := &marks[i]
		if inHand != (m.Card > 0) {
			continue
		}
		c.int(1, int(m.Kind), int(m.Color), m.Card, int(flags(m.Old)))
		c.float(m.R)
		c.points(m.Points)
		c.string(m.Text)
	}
	c.int(0)
}

func (c *content) stats(stats []scene.Stat, say func(text.Message) string) {
	c.int(len(stats))
	for i := range stats {
		s := &stats[i]
		c.int(int(s.Icon))
		c.string(s.Value)
		c.int(len(s.Dice))
		c.int(s.Dice...)
		if !s.Head.IsZero() {
			c.string(say(s.Head))
		}
		c.string(say(s.Label))
	}
}

// pictureKey encodes everything that a picture of the given kind depends on.
func pictureKey(kind byte, s *scene.Scene, o *Options) string {
	c := make(content, 0, 8192)
	c = append(c, kind)
	c.int(o.Width, int(o.Theme), len(o.Names))
	for _, n := range o.Names {
		c.string(n.Plain())
	}
	c.string(o.title())
	if kind == 'h' {
		c.pieces(s.Hand)
		c.marks(s.Marks, true)
		return string(c)
	}
	c.ground(s)
	c.pieces(s.Pieces)
	c.marks(s.Marks, false)
	c.float(s.CornerPanels)
	c.int(len(s.Panels))
	for i := range s.Panels {
		p := &s.Panels[i]
		c.int(p.Seat, int(p.Color), int(flags(p.ToMove, p.Out, p.Winner)))
		c.stats(p.Stats, o.Say)
	}
	c.stats(s.Status, o.Say)
	if !s.Won.IsZero() {
		c.string(o.Say(s.Won))
	}
	return string(c)
}
