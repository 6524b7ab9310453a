package render

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"strings"

	"marque/games/scene"
	"marque/games/text"
)

// item is a part of a picture, with the place of its origin and the function that paints it. Items with equal keys have
// equal pixels.
type item struct {
	key   spriteKey
	x, y  int             // place of the origin in the picture, pixels
	box   image.Rectangle // the area that it can cover, relative to the origin
	paint func(b *brush)  // paints with the origin at (0,0) and k pixels for each unit
}

// spriteKey holds everything that affects the look of an item.
type spriteKey struct {
	kind  spriteKind
	ghost bool // whether the item is faded, like a piece that was removed
	theme Theme
	n     [12]int32
	s     string
}

type spriteKind uint8

const (
	pieceSprite spriteKind = iota
	arrowSprite
	threatSprite
	ringSprite
	placedSprite
	capturedSprite
	plaqueSprite
	iconSprite
	textSprite
	crownSprite
	captionSprite
	shipSprite
	countSprite
	choiceSprite
	plateSprite
	litSprite
	sidesSprite
	bannerSprite
	backSprite
)

// composer turns a scene into items.
type composer struct {
	o     Options
	p     *paints
	tf    *typeface
	scale float64 // pixels per unit of the scene
	ui    float64 // pixels per thousandth of the picture's width: the unit of the strip
	out   []item
	late  []item // items that are painted after the marks

	ground   []scene.Shape      // the scene's ground
	canvases *canvases          // canvases for painting sprites
	names    [mostPanels]string // cached results of nameOf
}

// Limits on what is painted of a scene, whatever it contains: for the picture, or for a part of it such as a panel.
const (
	mostShapes = 4000
	mostPieces = 600
	mostMarks  = 400
	mostPanels = 12
	mostStats  = 12
	mostDice   = 6
	mostLayers = 40
	mostPoints = 40
)

func sane(v ...float64) bool {
	for _, f := range v {
		if math.IsNaN(f) || math.IsInf(f, 0) || math.Abs(f) > 1e6 {
			return false
		}
	}
	return true
}

func (c *composer) add(i item) { c.out = append(c.out, i) }

func around(r float64) image.Rectangle {
	n := int(math.Ceil(r))
	return image.Rect(-n, -n, n, n)
}

// steps is the number of directions to which angles are rounded.
const steps = 256

// board adds the pieces, the marks, the names of spaces that these hide, and the panels in the corners. Rings are below
// the pieces that they surround.
func (c *composer) board(s *scene.Scene) {
	c.ground = s.Ground
	marks := func(rings bool) {
		for i := range s.Marks[:min(len(s.Marks), mostMarks)] {
			if m := &s.Marks[i]; (m.Kind == scene.Ring) == rings {
				c.mark(m, s.Pieces)
			}
		}
	}
	marks(true)
	for i := range s.Pieces[:min(len(s.Pieces), mostPieces)] {
		c.piece(&s.Pieces[i])
	}
	marks(false)
	c.out, c.late = append(c.out, c.late...), nil
	c.hiddenNames(s)
	c.cornerPanels(s)
}

// hiddenNames adds the names of spaces again that an arrow or a nearby token or pirate hides. It leaves out faint
// names, and names under a piece or a choice.
func (c *composer) hiddenNames(s *scene.Scene) {
	free := func(at scene.Point) bool { // whether no piece and no choice is at this place
		return under(s.Pieces, at) == nil && !slices.ContainsFunc(s.Marks, func(m scene.Mark) bool {
			return m.Kind == scene.Choice && len(m.Points) > 0 && hypot(m.Points[0], at) < m.R*1.5
		})
	}
	for i := range s.Ground[:min(len(s.Ground), mostShapes)] {
		g := &s.Ground[i]
		// The path of a move would turn faint numbers into a row of numbers that looks like a count of steps.
		if g.Kind != scene.Label || g.Faint || len(g.Points) == 0 || !sane(g.Points[0].X, g.Points[0].Y, g.R) {
			continue
		}
		at, hidden := g.Points[0], false
		for k := range s.Pieces[:min(len(s.Pieces), mostPieces)] {
			p := &s.Pieces[k]
			switch {
			case hypot(p.At, at) > 2*p.Size:
			case p.Kind == scene.Token:
				hidden = hidden || tokenHides(p, at, g.R*0.4)
			case p.Kind == scene.Pirate:
				hidden = hidden || hypot(p.At, at) < p.Size*0.57+g.R*0.4
			}
		}
		for k := range s.Marks[:min(len(s.Marks), mostMarks)] {
			if m := &s.Marks[k]; m.Kind == scene.Arrow {
				for n := 1; n < min(len(m.Points), mostPoints); n++ {
					hidden = hidden || apartFrom(m.Points[n-1], m.Points[n], at) < arrowHides+g.R*0.4
				}
			}
		}
		if hidden && free(at) {
			c.boardText(g.Text, at.X, at.Y, g.R, luminance(c.p.wood) > 0.45)
		}
	}
}

// arrowHides is the distance from the straight line between two points of an arrow within which the arrow can hide a
// name. It is large because arrows are curved.
const arrowHides = 16.0

// apartFrom returns the distance of p from the line segment between a and b.
func apartFrom(a, b, p scene.Point) float64 {
	dx, dy := b.X-a.X, b.Y-a.Y
	t := 0.0
	if l := dx*dx + dy*dy; l > 0 {
		t = min(max(((p.X-a.X)*dx+(p.Y-a.Y)*dy)/l, 0), 1)
	}
	return math.Hypot(a.X+t*dx-p.X, a.Y+t*dy-p.Y)
}

// cornerPanels adds the panels in the upper corners of the board.
func (c *composer) cornerPanels(s *scene.Scene) {
	if !(s.CornerPanels > 0) {
		return
	}
	w := math.Min(math.Max(s.CornerPanels*c.scale/c.ui, 200), 480) // in thousandths of the width
	ends := [2]float64{margin, margin}
	for i := range s.Panels[:min(len(s.Panels), mostPanels)] {
		p, side := &s.Panels[i], i%2
		h := c.panelHeight(s.Panels[i:i+1], w)
		c.panel(p, margin+float64(side)*(1000-2*margin-w), ends[side], w, h, 0)
		ends[side] += h + margin
	}
}

func (c *composer) piece(p *scene.Piece) {
	size := math.Min(p.Size*c.scale, float64(c.o.Width))
	if !sane(p.At.X, p.At.Y, p.Size, p.Angle) || size < 2 {
		return
	}
	q := *p
	q.Layers = q.Layers[max(0, len(q.Layers)-mostLayers):]
	turn := math.Mod(p.Angle, 2*math.Pi)
	if turn < 0 {
		turn += 2 * math.Pi
	}
	step := int(turn/(2*math.Pi)*steps+0.5) % steps
	q.Angle = float64(step) * 2 * math.Pi / steps
	it := item{
		x: int(math.Round(p.At.X * c.scale)), y: int(math.Round(p.At.Y * c.scale)),
		box: around(size * 0.66),
		key: spriteKey{kind: pieceSprite, ghost: p.Ghost, n: [12]int32{int32(p.Kind), int32(size * 8), int32(p.Color),
			int32(step), int32(p.Count), int32(p.Value), int32(p.Share),
			int32(p.Suit), int32(p.Carries), flags(p.HasBack, p.BackOff, p.Marked)}, s: clean(p.Text)},
	}
	q.Text = it.key.s
	switch p.Kind {
	case scene.Token:
		it.key.s = layersKey(q.Layers)
		_, _, top := drawn(&q)
		it.box = around(size * (0.95 - top/100))
		c.height(&q, it, size)
	case scene.Pirate:
		c.back(&q, it, size)
	case scene.TradingShip:
		c.tradingShip(p, it, size)
		return
	case scene.Card, scene.CardBack:
		c.caption(p)
		it.box = image.Rect(-int(size*0.56)-2, -int(size*0.82)-2, int(size*0.64)+2, int(size*0.78)+2)
	}
	if p.Kind == scene.Card && p.Suit >= scene.TradingCard {
		it.key.s, q.Text = "", "" // the caption already shows these texts
	}
	if p.Kind == scene.Card && p.Suit == scene.TradingCard {
		it.key.n[10] = int32(p.Seat)
	}
	if p.Kind == scene.CardBack {
		it.key.n[4] = int32(min(max(p.Count, 0), thickStack))
	}
	if c.addLight(p, it, size) {
		q.Marked = false
		it.key.n[9] = flags(p.HasBack, p.BackOff)
	}
	it.paint = func(b *brush) { b.at(0, 0, size/100, func() { paintPiece(b, &q) }) }
	c.add(it)
	if p.Kind == scene.CardBack && p.Count > 0 {
		it.key = spriteKey{kind: countSprite, ghost: p.Ghost, n: [12]int32{int32(size * 8), int32(p.Count)}}
		it.box = image.Rect(-int(size*0.4)-2, -int(size*0.14)-2, int(size*0.4)+2, int(size*0.64)+2)
		it.paint = func(b *brush) { b.at(0, 0, size/100, func() { paintStackCount(b, q.Count) }) }
		c.add(it)
	}
}

// addLight adds the light around a marked piece as a separate sprite, so that the piece itself has the same pixels as
// an unmarked one. It reports whether it added a light.
func (c *composer) addLight(p *scene.Piece, it item, size float64) bool {
	paint := litOf(p)
	if paint == nil {
		return false
	}
	it.key = spriteKey{kind: litSprite, ghost: p.Ghost, n: [12]int32{int32(size * 8), int32(p.Kind)}}
	it.paint = func(b *brush) { b.at(0, 0, size/100, func() { paint(b) }) }
	c.add(it)
	return true
}

// layersKey returns a key for the layers of a tower.
func layersKey(layers []scene.Color) string {
	key := make([]byte, len(layers))
	for i, c := range layers {
		key[i] = byte(c)
	}
	return string(key)
}

// nameOf returns the result of the function nameOf for a seat.
func (c *composer) nameOf(seat int) string {
	if seat < 0 || seat >= len(c.names) {
		return nameOf(c.o.Names, seat)
	}
	if c.names[seat] == "" {
		c.names[seat] = nameOf(c.o.Names, seat)
	}
	return c.names[seat]
}

// boardText adds words centred on a place of the board. They are dark with a light outline if dark is set, and light
// with a dark outline otherwise.
func (c *composer) boardText(s string, x, y, em float64, dark bool) {
	px := em * c.scale
	ink, edge := hex(0xfff6e0), hex(0x1a100a)
	if dark {
		ink, edge = edge, ink
	}
	c.add(item{key: spriteKey{kind: captionSprite, s: s, n: [12]int32{int32(px * 64), flags(dark)}},
		x: int(math.Round(x * c.scale)), y: int(math.Round(y * c.scale)),
		box:   image.Rect(-int(c.tf.width(s, px)/2)-6, -int(px)-4, int(c.tf.width(s, px)/2)+6, int(px)+4),
		paint: func(b *brush) { b.halo(s, 0, 0, px, outlined{ink, edge, px * 0.09}) }})
}

func flags(on ...bool) (n int32) {
	for i, f := range on {
		if f {
			n |= 1 << i
		}
	}
	return n
}

// glow paints the light behind a highlighted piece whose radius is about r, in hundredths of the piece's size.
func (b *brush) glow(r float64) {
	b.DrawCircle(0, 0, r+4)
	b.fill(faded(hex(0x2a1a08), 0.7))
	b.DrawCircle(0, 0, r+1.5)
	b.fill(b.p.gold)
}

// frame paints the rim of a highlighted card: a golden rectangle behind it that is larger by rim on each side.
func (b *brush) frame(w, h, rim, corner float64) {
	b.DrawRoundedRectangle(-w/2-rim, -h/2-rim, w+2*rim, h+2*rim, corner)
	b.fill(b.p.gold)
}

// under returns the topmost piece at a point, or nil if there is none. Ghosts do not count.
func under(pieces []scene.Piece, at scene.Point) *scene.Piece {
	for i := len(pieces) - 1; i >= 0; i-- {
		if p := &pieces[i]; !p.Ghost && hypot(p.At, at) < p.Size*0.3 {
			return p
		}
	}
	return nil
}

func (c *composer) mark(m *scene.Mark, pieces []scene.Piece) {
	if len(m.Points) == 0 || !sane(m.R) {
		return
	}
	points := m.Points[:min(len(m.Points), mostPoints)]
	rel := make([]scene.Point, len(points))
	x, y := int(math.Round(points[0].X*c.scale)), int(math.Round(points[0].Y*c.scale))
	box := image.Rectangle{}
	var way strings.Builder
	if p := under(pieces, points[len(points)-1]); p != nil && sane(p.Size) {
		switch {
		case m.Kind == scene.Placed && p.Kind == scene.TradingShip:
			return // the piece already glows, and rays would hide its surface
		case m.Kind == scene.Arrow && len(points) > 1:
			points = trimmed(points, p.Size*0.5) // the arrow must not hide the piece that moved
		}
	}
	for i, p := range points {
		if !sane(p.X, p.Y) {
			return
		}
		dx, dy := int(math.Round(p.X*c.scale))-x, int(math.Round(p.Y*c.scale))-y
		if limit := 2 * c.o.Width; dx > limit || dx < -limit || dy > limit || dy < -limit {
			return
		}
		rel[i] = scene.Point{X: float64(dx) / c.scale, Y: float64(dy) / c.scale}
		if m.Kind == scene.Arrow || m.Kind == scene.Threat {
			fmt.Fprint(&way, dx, ",", dy, ";")
			box = box.Union(around(34 * c.scale).Add(image.Pt(dx, dy)))
		}
	}
	r := math.Min(math.Max(m.R, 0), 1000)
	if m.Kind == scene.Choice {
		if m.Card == 0 {
			c.choice(m.Text, x, y, r*c.scale, float64(c.o.Width))
		}
		return
	}
	it := item{x: x, y: y, box: box, key: spriteKey{s: way.String(), n: [12]int32{int32(m.Color), int32(r * 8),
		int32(c.scale * 1024), flags(m.Old)}}}
	if box.Empty() {
		it.box = around((r*1.1 + 20) * c.scale)
	}
	color, scale, old := m.Color, c.scale, m.Old
	if old && m.Kind != scene.Arrow {
		it.key.ghost = true
	}
	draw := func(kind spriteKind, paint func(b *brush)) {
		it.key.kind = kind
		it.paint = func(b *brush) { b.at(0, 0, scale, func() { paint(b) }) }
		c.add(it)
	}
	switch m.Kind {
	case scene.Arrow:
		draw(arrowSprite, func(b *brush) { paintArrow(b, rel, color, old) })
	case scene.Threat:
		if len(rel) > 1 {
			draw(threatSprite, func(b *brush) { paintThreat(b, rel[0], rel[1], color) })
		}
	case scene.Ring:
		draw(ringSprite, func(b *brush) { paintRing(b, r, color) })
	case scene.Sides:
		draw(sidesSprite, func(b *brush) { paintSides(b, r, color) })
	case scene.Placed:
		draw(placedSprite, func(b *brush) { paintPlaced(b, r, color) })
	case scene.Captured:
		draw(capturedSprite, func(b *brush) { paintCaptured(b, r, color) })
	}
}

// choice adds the label of a choice around a place in the picture. Its letters are em pixels high, or smaller if the
// label would be wider than room. The label stays within the left, right and upper edges of the picture.
func (c *composer) choice(s string, x, y int, em, room float64) {
	s = clean(s)
	if w := c.tf.width(s, em) + em; w > room && s != "" {
		em *= room / w
	}
	if em < 2 {
		return
	}
	w, h := int(c.tf.width(s, em)/2+em*0.55), int(em*0.75)
	x = min(max(x, w), c.o.Width-w)
	c.add(item{key: spriteKey{kind: choiceSprite, s: s, n: [12]int32{int32(em * 64)}}, x: x, y: max(y, h),
		box:   image.Rect(-w-2, -h-2, w+3, h+3),
		paint: func(b *brush) { paintChoice(b, s, em) }})
}

// trimmed returns a path whose last segment is shortened by the given length, but by at most half.
func trimmed(points []scene.Point, by float64) []scene.Point {
	out := append([]scene.Point{}, points...)
	last := len(out) - 1
	a, b := out[last-1], out[last]
	l := hypot(a, b)
	if l < 1 {
		return out
	}
	t := math.Max((l-by)/l, 0.5)
	out[last] = scene.Point{X: a.X + (b.X-a.X)*t, Y: a.Y + (b.Y-a.Y)*t}
	return out
}

// Sizes in the strip under the board, in thousandths of the picture's width.
const (
	margin     = 12.0
	headHeight = 52.0
	lineHeight = 46.0
	statusHigh = 56.0
	nameSize   = 35.0
	statSize   = 33.0
	iconSize   = 40.0
)

// strip adds the banner of a game that was won, the status and the panels below the board, and returns their
// height. The strip begins at row top. The height and top are in pixels.
func (c *composer) strip(s *scene.Scene, top int) int {
	y := margin
	if won(s) {
		y = c.banner(s, y, top) + margin
	}
	if len(s.Status) > 0 || c.o.title() != "" {
		c.status(s.Status[:min(len(s.Status), mostStats)], top, y)
		y += statusHigh
	}
	panels := s.Panels[:min(len(s.Panels), mostPanels)]
	if s.CornerPanels > 0 {
		panels = nil
	}
	if t, ok := c.asTable(panels); ok {
		y = c.table(t, panels, y, top)
		panels = nil
	}
	columns := map[bool]int{true: len(panels), false: 3}[len(panels) <= 3]
	if len(panels) == 4 {
		columns = 2
	}
	for len(panels) > 0 {
		row := panels[:min(columns, len(panels))]
		panels = panels[len(row):]
		w := (1000 - margin*float64(len(row)+1)) / float64(len(row))
		h := c.panelHeight(row, w)
		for i := range row {
			c.panel(&row[i], margin+float64(i)*(w+margin), y, w, h, top)
		}
		y += h + margin
	}
	if y == margin {
		return 0
	}
	return int(math.Ceil(y * c.ui))
}

// won reports whether a player has won.
func won(s *scene.Scene) bool {
	return slices.ContainsFunc(s.Panels, func(p scene.Panel) bool { return p.Winner })
}

// Sizes of the banner, in thousandths of the picture's width.
const (
	bannerHigh = 96.0
	bannerMore = 46.0  // additional height for a second line
	bannerSize = 54.0  // height of the letters
	bannerNote = 42.0  // height of the letters of the second line
	bannerSide = 120.0 // room for the crowns at both ends
)

// banner adds the headline of a game that was won, at y: the winners between two crowns, and below them the margin
// of their victory, if it has one (Scene.Won). It returns the bottom of the banner.
func (c *composer) banner(s *scene.Scene, y float64, top int) float64 {
	var who []text.Message
	for i := range s.Panels[:min(len(s.Panels), mostPanels)] {
		if p := &s.Panels[i]; p.Winner {
			who = append(who, text.Raw(c.nameOf(p.Seat)))
		}
	}
	const w = 1000 - 2*margin
	high := bannerHigh
	line := func(words string, size, below float64) {
		words, em := c.tf.fitted(words, size, w-2*bannerSide)
		c.text(words, pen{500, y + below, hex(0x26150b), top}, em, 0.5)
	}
	if !s.Won.IsZero() {
		high += bannerMore
	}
	px, py := c.px(margin, y, top)
	ui := c.ui
	c.add(item{key: spriteKey{kind: bannerSprite, n: [12]int32{int32(ui * 1024), int32(high)}}, x: px, y: py,
		box: image.Rect(-2, -2, int(w*ui)+3, int(high*ui)+3),
		paint: func(b *brush) {
			b.at(0, 0, ui, func() {
				b.SetLineJoinRound()
				b.polygon(3, 3, w-3, 3, w-34, high/2, w-3, high-3, 3, high-3, 34, high/2)
				b.paint(b.p.gold, darker(b.p.gold, 0.7), 3)
			})
		}})
	c.standing(&scene.Panel{Winner: true}, margin+86, y+high/2, top)
	c.standing(&scene.Panel{Winner: true}, margin+w-86, y+high/2, top)
	line(clean(c.o.Say(text.M("match.won", "Who", who, "Count", len(who)))), bannerSize, bannerHigh/2)
	if !s.Won.IsZero() {
		line(clean(c.o.Say(s.Won)), bannerNote, high-bannerHigh/2+3)
	}
	return y + high
}

// px converts a place in the strip to pixels.
func (c *composer) px(x, y float64, top int) (int, int) {
	return int(math.Round(x * c.ui)), top + int(math.Round(y*c.ui))
}

// panelHeight returns the height of a row of panels of width w.
func (c *composer) panelHeight(row []scene.Panel, w float64) float64 {
	lines := 1
	for i := range row {
		lines = max(lines, len(c.flow(row[i].Stats, w-74-10, statSize)))
	}
	return headHeight + lineHeight*float64(lines) + 8
}

func (c *composer) panel(p *scene.Panel, x, y, w, h float64, top int) {
	ink := c.plaque(p, x, y, w, h, top)
	room := w - 74 - 12
	if p.Winner || p.ToMove || p.Out {
		room -= 54 // the sign extends 22 to the left of its middle and must not touch the name
		c.standing(p, x+w-34, y+30, top)
	}
	c.name(p.Seat, pen{x + 74, y + 31, ink, top}, nameSize, room, headHeight-8)
	line := y + headHeight
	for _, stats := range c.flow(p.Stats, w-74-10, statSize) {
		at := x + 72
		for _, s := range stats {
			at = c.stat(s, pen{at, line + lineHeight/2, ink, top}, statSize, p.Color)
		}
		line += lineHeight
	}
}

// name adds a player's whole name within a width and a height. em is the maximum height of the letters.
func (c *composer) name(seat int, at pen, em, wide, high float64) {
	lines, em := c.folded(c.nameOf(seat), em, wide, high)
	middle := at.y
	for i, line := range lines {
		at.y = middle + (float64(i)-float64(len(lines)-1)/2)*em*lineApart
		c.text(line, at, em, 0)
	}
}

// smallest is the least factor by which fitted shrinks letters before it cuts off words.
const smallest = 0.7

// fitted fits a text into a width. It first shrinks the letters, then cuts off the end of the text. It returns the text
// and the height of its letters.
func (tf *typeface) fitted(s string, em, width float64) (string, float64) {
	if w := tf.width(s, em); w > width && w > 0 {
		em *= math.Max(width/w*0.995, smallest)
	}
	return tf.fit(s, em, width), em
}

// lineApart is the distance between lines of text, as a multiple of the letter height.
const lineApart = 1.12

// folded breaks words into lines that fit into a width and a height, with letters as large as possible. It breaks a
// word only if the letters would otherwise be smaller than about half of em. It returns the lines and the height of the
// letters.
func (c *composer) folded(s string, em, width, height float64) ([]string, float64) {
	for size := em; size > em/10; size *= 0.96 {
		lines, broken := c.tf.fold(s, size, width)
		if float64(len(lines))*size*lineApart <= height && (!broken || size < em*smallest*smallest) {
			return lines, size
		}
	}
	return []string{c.tf.fit(s, em*smallest, width)}, em * smallest // no name is so long that this is reached
}

// plaque adds the background of a seat's panel and returns the colour for text on it.
func (c *composer) plaque(p *scene.Panel, x, y, w, h float64, top int) color.RGBA {
	px, py := c.px(x, y, top)
	toMove := p.ToMove && !p.Out // a player who is out gets no light, even if the position waits for that player
	addLight := flags(toMove || p.Winner)
	color, winner, ui := p.Color, p.Winner, c.ui
	letter := ""
	if color == scene.NoColor {
		letter = scene.SeatLetter(p.Seat)
	}
	c.add(item{key: spriteKey{kind: plaqueSprite, n: [12]int32{int32(w * ui), int32(h * ui), int32(color), addLight,
		int32(ui * 1024)}, s: letter}, x: px, y: py,
		box:   image.Rect(-int(6*ui)-1, -int(6*ui)-1, int((w+8)*ui)+1, int((h+8)*ui)+1),
		paint: func(b *brush) { b.at(0, 0, ui, func() { b.plaque(w, h, color, letter, toMove, winner) }) }})
	if p.Out {
		return c.p.quiet
	}
	return c.p.text
}

// standing adds a sign for the player to move, a winner, or a player who is out.
func (c *composer) standing(p *scene.Panel, x, y float64, top int) {
	px, py := c.px(x, y, top)
	toMove, winner, out, ui := p.ToMove, p.Winner, p.Out, c.ui
	c.add(item{key: spriteKey{kind: crownSprite, n: [12]int32{flags(toMove, out, winner), int32(ui * 1024)}}, x: px,
		y: py, box: around(28 * ui),
		paint: func(b *brush) { b.at(0, 0, ui*0.2, func() { b.standing(toMove, winner, out) }) }})
}

// Sizes of the table of panels, in thousandths of the picture's width.
const (
	tableHead   = 72.0 // height of the column headings: an icon and a word below it
	tableRow    = 70.0
	headSize    = 31.0 // maximum height of the headings; they shrink to leave room for names
	leastHead   = 25.0
	cellSize    = 33.0
	headIcon    = 36.0
	noteSize    = 29.0 // height of the values below a name
	noteIcon    = 32.0
	tableLeft   = margin + 74
	tableSign   = 64.0 // room at the right for the sign of a player to move, a winner, or a player who is out
	leastName   = 170.0
	leastColumn = 14.0 // minimum gap between two columns
	mostColumn  = 30.0
	goodName    = 290.0 // columns spread beyond this room for names; headings shrink until names have 0.9 of it
)

// table has the widths and places of the columns of values in the table of panels.
type table struct {
	heads  []string
	icons  []scene.Icon
	widths []float64
	x      []float64
	gap    float64 // gap between two columns
	em     float64 // height of the headings
}

// asTable arranges panels as the rows of a table. ok is false if the headings of their values differ, if a panel has no
// headings, or if the values leave too little room for names.
func (c *composer) asTable(panels []scene.Panel) (t table, ok bool) {
	for em := headSize; ; em -= 3 {
		t, ok = c.tableOf(panels, em)
		if em <= leastHead || ok && t.x[0]-t.gap-tableLeft >= goodName*0.9 {
			return t, ok
		}
	}
}

// tableOf does the work of asTable for one height of the headings.
func (c *composer) tableOf(panels []scene.Panel, em float64) (t table, ok bool) {
	t.em = em
	for i := range panels {
		n := 0
		for _, s := range panels[i].Stats[:min(len(panels[i].Stats), mostStats)] {
			if s.Head.IsZero() {
				continue
			}
			head := clean(c.o.Say(s.Head))
			if i == 0 {
				t.heads, t.icons = append(t.heads, head), append(t.icons, s.Icon)
				t.widths = append(t.widths, math.Max(headIcon, c.tf.width(head, em)))
			} else if n >= len(t.heads) || t.heads[n] != head {
				return table{}, false
			}
			t.widths[n] = math.Max(t.widths[n], c.tf.width(clean(s.Value), cellSize))
			n++
		}
		if n == 0 || n != len(t.heads) {
			return table{}, false
		}
	}
	if len(panels) == 0 {
		return table{}, false
	}
	const left, right = tableLeft, 1000 - margin - tableSign
	sum := 0.0
	for _, w := range t.widths {
		sum += w
	}
	n := float64(len(t.widths))
	t.gap = math.Min(math.Max((right-left-sum-goodName)/n, leastColumn), mostColumn)
	x := right - sum - n*t.gap
	if x-left < leastName {
		return table{}, false
	}
	for _, w := range t.widths {
		t.x = append(t.x, x+t.gap)
		x += t.gap + w
	}
	return t, true
}

// table adds the panels as rows from y, below the headings with their icons. It returns the bottom of the last row.
func (c *composer) table(t table, panels []scene.Panel, y float64, top int) float64 {
	for i, head := range t.heads {
		x := t.x[i] + t.widths[i]/2
		c.icon(t.icons[i], 0, x, y+headIcon/2-4, headIcon, scene.NoColor, top)
		c.text(head, pen{x, y + headIcon + 12, c.onCanvas(), top}, t.em, 0.5)
	}
	y += tableHead
	const w = 1000 - 2*margin
	right := t.x[0] - t.gap
	spoken := c.notesFit(panels, right)
	for i := range panels {
		p := &panels[i]
		ink := c.plaque(p, margin, y, w, tableRow, top)
		if p.Winner || p.ToMove || p.Out {
			c.standing(p, margin+w-34, y+tableRow/2, top)
		}
		const left = tableLeft
		nameY, high, n, note := y+tableRow/2, tableRow-10, 0, left-2.0
		for k := range p.Stats[:min(len(p.Stats), mostStats)] {
			s := &p.Stats[k]
			if s.Head.IsZero() {
				nameY, high = y+24, 36
				note = c.note(s, pen{note, y + 52, ink, top}, right, p.Color, spoken)
				continue
			}
			c.text(clean(s.Value), pen{t.x[n] + t.widths[n]/2, y + tableRow/2, ink, top}, cellSize, 0.5)
			n++
		}
		c.name(p.Seat, pen{left, nameY, ink, top}, nameSize*0.86, right-left, high)
		y += tableRow + margin
	}
	return y
}

// notesFit reports whether the words of all small stats fit between a name's left edge and right. If they do not fit in
// one row, no row has words, so that the rows look alike.
func (c *composer) notesFit(panels []scene.Panel, right float64) bool {
	for i := range panels {
		x := tableLeft - 2.0
		for _, s := range panels[i].Stats[:min(len(panels[i].Stats), mostStats)] {
			words := clean(c.o.Say(s.Label))
			if !s.Head.IsZero() || words == "" {
				continue
			}
			if s.Icon != scene.NoIcon {
				x += iconsWidth(&s, noteIcon+5)
			}
			if x += c.tf.width(words, noteSize); x > right {
				return false
			}
			x += gap
		}
	}
	return true
}

// note adds a small stat below a name, between at and right, with words if spoken is set. It returns the start of the
// next stat.
func (c *composer) note(s *scene.Stat, at pen, right float64, color scene.Color, spoken bool) float64 {
	at.x = c.icons(s, at, noteIcon, 5, color)
	words := clean(c.o.Say(s.Label))
	if words == "" || !spoken {
		words = clean(s.Value)
	}
	words, em := c.tf.fitted(words, noteSize, right-at.x)
	c.text(words, at, em, 0)
	return at.x + c.tf.width(words, em) + gap
}

// gap is the distance between two stats.
const gap = 14.0

// words returns the value of a stat, or its label if the stat has a label but no icon.
func (c *composer) words(s *scene.Stat) string {
	if s.Icon == scene.NoIcon && c.o.Say != nil && !s.Label.IsZero() {
		return clean(c.o.Say(s.Label))
	}
	return clean(s.Value)
}

func (c *composer) statWidth(s *scene.Stat, em float64) float64 {
	return iconsWidth(s, iconSize+4) + c.tf.width(c.words(s), em) + gap
}

// flow arranges stats with letters of height em in lines of at most the given width.
func (c *composer) flow(stats []scene.Stat, width, em float64) (lines [][]*scene.Stat) {
	at := 0.0
	for i := range stats[:min(len(stats), mostStats)] {
		w := c.statWidth(&stats[i], em)
		if len(lines) == 0 || at+w-gap > width {
			lines = append(lines, nil)
			at = 0
		}
		lines[len(lines)-1] = append(lines[len(lines)-1], &stats[i])
		at += w
	}
	return lines
}

// stat adds a stat at the pen with letters of height em. It returns the start of the next stat.
func (c *composer) stat(s *scene.Stat, at pen, em float64, color scene.Color) float64 {
	at.x = c.icons(s, at, iconSize, 4, color)
	w := c.words(s)
	if limit := 900.0; c.tf.width(w, em) > limit {
		w = c.tf.fit(w, em, limit)
	}
	c.text(w, at, em, 0)
	return at.x + c.tf.width(w, em) + gap
}

// iconsWidth returns the width of a stat's icon or of its dice. The parameter each is the width of one of them.
func iconsWidth(s *scene.Stat, each float64) float64 {
	switch {
	case s.Icon == scene.NoIcon:
		return 0
	case s.Icon == scene.DieIcon:
		return each * float64(min(max(len(s.Dice), 1), mostDice))
	}
	return each
}

// icons adds a stat's icon at the pen, or each of its dice, with space after each. It returns where they end.
func (c *composer) icons(s *scene.Stat, at pen, size, space float64, color scene.Color) float64 {
	end := at.x + iconsWidth(s, size+space)
	for i := 0; at.x < end; i++ {
		die := 0
		if i < len(s.Dice) {
			die = s.Dice[i]
		}
		c.icon(s.Icon, die, at.x+size/2, at.y, size, color, at.top)
		at.x += size + space
	}
	return end
}

// icon adds an icon. die is the number that a DieIcon shows, and 0 for all other icons.
func (c *composer) icon(i scene.Icon, die int, x, y, size float64, color scene.Color, top int) {
	px, py := c.px(x, y, top)
	ui := c.ui
	c.add(item{key: spriteKey{kind: iconSprite, n: [12]int32{int32(i), int32(color), int32(ui * 1024), int32(size),
		int32(die)}}, x: px, y: py, box: around(size * 0.62 * ui),
		paint: func(b *brush) { b.at(0, 0, size*ui/100, func() { paintIcon(b, i, die, color) }) }})
}

// pen is the place and the colour of letters. They begin at x, and the middle of their line is at y. top is the first
// row of pixels of their part of the picture.
type pen struct {
	x, y float64
	ink  color.RGBA
	top  int
}

// text adds a line of letters that begins at the pen, or is centred there with anchor 0.5.
func (c *composer) text(s string, at pen, em, anchor float64) {
	if s == "" {
		return
	}
	px, py := c.px(at.x, at.y, at.top)
	ui, w := c.ui, c.tf.width(s, em)
	left := -w * anchor * ui
	c.add(item{key: spriteKey{kind: textSprite, s: s, n: [12]int32{int32(em * 8), int32(ui * 1024), int32(anchor * 2),
		int32(at.ink.R), int32(at.ink.G), int32(at.ink.B)}}, x: px, y: py,
		box: image.Rect(int(left)-4, -int(em*ui)-2, int(left+w*ui)+6, int(em*ui)+2),
		paint: func(b *brush) {
			b.at(0, 0, ui, func() {
				b.letters(s, 0, em*capHeight/2, em, anchor)
				b.fill(at.ink)
			})
		}})
}

// lineWidth returns the width of a line of stats.
func (c *composer) lineWidth(stats []*scene.Stat, em float64) float64 {
	w := -gap
	for _, s := range stats {
		w += c.statWidth(s, em)
	}
	return w
}

// status adds the plate and the stats of the whole table, with words if they fit in small letters. If there are only
// stats or only a plate, they are centred.
func (c *composer) status(stats []scene.Stat, top int, y float64) {
	y += statusHigh/2 - 4
	room := 1000 - 2*margin
	spoken := slices.Clone(stats)
	for i := range spoken {
		if words := clean(c.o.Say(spoken[i].Label)); words != "" {
			spoken[i].Value = words
		}
	}
	switch {
	case c.o.title() == "":
	case len(stats) == 0:
		c.plate(500, y, 0.5, room, top)
		return
	default:
		// A long title makes room for the words, without which the numbers are hard to understand.
		words := c.lineWidth(c.flow(spoken, math.MaxFloat64, statSize*smallest)[0], statSize*smallest)
		most := math.Min(math.Max(room-2*gap-words-1, leastPlate), mostPlate)
		room -= c.plate(margin, y, 0, most, top) + 2*gap
	}
	em := statSize
	lines := c.flow(spoken, room, em)
	if len(lines) > 1 || c.lineWidth(lines[0], em) > room {
		em = statSize * smallest
		lines = c.flow(spoken, room, em)
	}
	if len(lines) > 1 || c.lineWidth(lines[0], em) > room {
		em = statSize
		lines = c.flow(stats, room, em)
	}
	w := c.lineWidth(lines[0], em)
	x := 1000 - margin - 6 - w
	if c.o.title() == "" {
		x = math.Max(margin, 500-w/2)
	}
	for _, s := range lines[0] {
		x = c.stat(s, pen{x, y, c.onCanvas(), top}, em, scene.NoColor)
	}
}

const (
	plateHigh  = 44.0
	plateSize  = 27.0  // height of the letters
	plateSide  = 34.0  // room for a nail
	leastPlate = 360.0 // limits of the width next to stats
	mostPlate  = 640.0
	plateStep  = 8.0 // step of the widths, so that the plate for another title is usually in the cache
)

// plate adds the brass plate with the picture's title and returns its width. The plate begins at x, or is centred there
// with anchor 0.5. y is its middle.
func (c *composer) plate(x, y, anchor, room float64, top int) float64 {
	s, em := c.tf.fitted(c.o.title(), plateSize, room-2*plateSide)
	w := math.Ceil((c.tf.width(s, em)+2*plateSide)/plateStep) * plateStep
	px, py := c.px(x-w*anchor, y-plateHigh/2, top)
	ui := c.ui
	c.add(item{key: spriteKey{kind: plateSprite, n: [12]int32{int32(w), int32(ui * 1024)}}, x: px, y: py,
		box:   image.Rect(-2, -2, int(w*ui)+3, int((plateHigh+4)*ui)+3),
		paint: func(b *brush) { b.at(0, 0, ui, func() { b.plate(w) }) }})
	c.text(s, pen{x + w*(0.5-anchor), y, c.p.engraved(), top}, em, 0.5)
	return w
}

// engraved returns the colour for letters on brass.
func (p *paints) engraved() color.RGBA {
	if luminance(p.brass) < 0.45 {
		return hex(0xffffff)
	}
	return hex(0x20140a)
}

// onCanvas returns the colour for text directly on the canvas.
func (c *composer) onCanvas() color.RGBA {
	if luminance(c.p.canvas) < 0.5 {
		return hex(0xf4e8cf)
	}
	return hex(0x33241a)
}

// plate paints a brass plate with a nail at each end.
func (b *brush) plate(w float64) {
	brass := b.p.brass
	b.DrawRoundedRectangle(1, 3, w-2, plateHigh-1, 9)
	b.fill(color.NRGBA{A: 70})
	b.DrawRoundedRectangle(1, 1, w-2, plateHigh-2, 9)
	b.fillDown(1, plateHigh-1, faded(lighter(brass, 0.2), 1), faded(darker(brass, 0.15), 1))
	b.DrawRoundedRectangle(1, 1, w-2, plateHigh-2, 9)
	b.stroke(darker(brass, 0.6), 2)
	b.DrawRoundedRectangle(5, 5, w-10, plateHigh-10, 6)
	b.stroke(lighter(brass, 0.35), 1.5)
	for _, x := range []float64{17, w - 17} {
		b.DrawCircle(x, plateHigh/2, 4.5)
		b.paint(lighter(brass, 0.2), darker(brass, 0.6), 1.5)
	}
}

// plaque paints the background of a seat's panel, with the seat's colour and its sign or letter at the left.
func (b *brush) plaque(w, h float64, c scene.Color, letter string, toMove, winner bool) {
	main := b.p.of(c)
	if toMove || winner {
		b.DrawRoundedRectangle(-5, -5, w+10, h+10, 17)
		b.fill(b.p.gold)
		b.DrawRoundedRectangle(-0.5, -0.5, w+1, h+1, 13)
		b.fill(hex(0x2a1a08))
	}
	b.DrawRoundedRectangle(1.5, 1.5, w-3, h-3, 12)
	b.paint(b.p.plaque, b.p.plaqueEdge, 2.5)
	b.DrawRoundedRectangle(6, 6, 56, h-12, 8)
	b.paint(main, darker(main, 0.6), 2.5)
	if letter == "" {
		b.signed(c, 34, h/2, 20, main)
	} else {
		b.halo(letter, 34, h/2, 44, outlined{hex(0xfffdf5), hex(0x2a1a08), 2.5})
	}
}

// standing paints the sign of the player to move, a winner, or a player who is out.
func (b *brush) standing(toMove, winner, out bool) {
	line := hex(0x1d120a)
	b.SetLineJoinRound()
	switch {
	case winner:
		b.polygon(-70, 50, -84, -44, -38, -2, 0, -70, 38, -2, 84, -44, 70, 50)
		b.paint(b.p.gold, line, 12)
		for _, x := range []float64{-84, 0, 84} {
			y := -50.0
			if x == 0 {
				y = -76
			}
			b.DrawCircle(x, y, 14)
		}
		b.paint(b.p.gold, line, 8)
	case out:
		paintSkull(b, 0, 0, 80, line, hex(0xe9dcc2))
	case toMove: // a ship's wheel
		for i := range 8 {
			a := float64(i) * math.Pi / 4
			b.DrawLine(30*math.Cos(a), 30*math.Sin(a), 104*math.Cos(a), 104*math.Sin(a))
		}
		b.SetLineCapRound()
		b.SetColor(line)
		b.SetLineWidth(34 * b.k)
		b.StrokePreserve()
		b.stroke(b.p.gold, 18)
		b.DrawCircle(0, 0, 64)
		b.stroke(line, 36)
		b.DrawCircle(0, 0, 64)
		b.stroke(b.p.gold, 20)
		b.DrawCircle(0, 0, 26)
		b.paint(b.p.gold, line, 9)
	}
}

// say is the default for Options.Say. It returns the text of literal messages, and "" for all others.
func say(m text.Message) string {
	s, _ := m.Literal().(string)
	return s
}
