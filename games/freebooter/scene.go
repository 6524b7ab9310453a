package freebooter

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"marque/games"
	"marque/games/scene"
	"marque/games/text"
)

// The picture's dimensions, in units of the scene.
const (
	width  = 1000.0
	height = seaBottom + rim + 105

	// The side of a square has whole pixels at widths of 1200, 800 and 400, so that all squares look equal.
	cell      = 130.0
	rim       = (width - side*cell) / 2 // width of the frame around the sea, which has the names of columns and rows
	seaLeft   = rim                     // left edge of A1
	seaTop    = rim                     // upper edge of A1
	seaBottom = seaTop + side*cell      // lower edge of A7
	scaleW    = 9.0                     // width of the chart's scale along the sea, dark and light in turn

	// Counters lie on the corners of a square. Three areas of the square stay free: the top for the sail, the bottom
	// for the name, and the middle for the hull.
	counterW  = 75.0  // width of a counter: 90 pixels in a picture 1200 wide, so that its sides are sharp
	ringR     = 39.0  // radius of the ring around a counter, which ends before the names of the squares
	crossR    = 25.0  // radius of the cross on a removed counter
	crossUp   = 31.0  // distance of the cross above the counter's middle
	boatW     = 104.0 // width of a boat in a square
	boatY     = -3.0  // distance of a boat below the middle
	pairW     = 64.0  // width of each of two boats in a square
	pairX     = 31.0  // distance from the middle of a square to each of two boats
	pairY     = 10.0  // distance of each of two boats below the middle
	dutchmanW = 88.0  // width of the Dutchman
	nameY     = 42.0  // distance from the middle of a square to its name

	frameNameH  = 36.0 // height of the names of columns and rows
	squareNameH = 33.0 // height of a square's name
	squareH     = 34.0 // height of marks for choices in a square
	pointH      = 34.0 // height of marks for choices on a point
	pointY      = 66.0 // distance from the point to its mark, below the counter
	linesH      = 34.0 // height of marks for choices at the edge

	besideY   = (seaBottom + rim + height - 8) / 2 // y of the middle of the stacks and counters below the sea
	stackW    = 60.0
	stackR    = stackW * 0.75 // radius of the ring around a stack
	seaStackX = seaLeft + 30
	lineX     = seaLeft + 215
	doublesX  = 652.0 // middle of the first place for a double-value counter
	doublesW  = 98.0  // distance from one place to the next
	slotR     = 46.0
)

func middle(s square) scene.Point {
	p := corner(s)
	return scene.Point{X: p.X + cell/2, Y: p.Y + cell/2}
}

// corner returns the upper left corner of a square.
func corner(s square) scene.Point {
	return scene.Point{X: seaLeft + float64(s.column())*cell, Y: seaTop + float64(s.row())*cell}
}

// crossing returns the place where the lines of a point cross, which is the middle of the point's counter.
func crossing(p square) scene.Point {
	return scene.Point{X: seaLeft + float64(p.column()+1)*cell, Y: seaTop + float64(p.row()+1)*cell}
}

// squareName returns the place of a square's name, clear of its boats and of the counters on its corners.
func squareName(s square) scene.Point {
	p := middle(s)
	p.Y += nameY
	return p
}

func stackPlace(k stack) scene.Point {
	if k == seaStack {
		return scene.Point{X: seaStackX, Y: besideY}
	}
	return scene.Point{X: lineX, Y: besideY}
}

func doublePlace(v int) scene.Point {
	return scene.Point{X: doublesX + float64(v)*doublesW, Y: besideY}
}

// ground is the constant part of the picture: the frame with a scale and the names of columns and rows, the sea with
// its lines and the names of squares, and the places of the double-value counters next to the board.
var ground = makeGround()

func makeGround() []scene.Shape {
	shapes := []scene.Shape{
		rectangle(scene.Wood, 0, 0, width, height),
		rectangle(scene.Hull, 0, 0, width, seaBottom+rim),
		rectangle(scene.Felt, 0, seaBottom+rim, width, height-8),
		rectangle(scene.ParchmentAlt, seaLeft-scaleW, seaTop-scaleW, seaLeft+side*cell+scaleW, seaBottom+scaleW),
	}
	for i := 0; i < side; i += 2 { // the dark parts of the scale
		at := seaLeft + float64(i)*cell
		shapes = append(shapes, rectangle(scene.Tar, at, seaTop-scaleW, at+cell, seaBottom+scaleW),
			rectangle(scene.Tar, seaLeft-scaleW, at, seaLeft+side*cell+scaleW, at+cell))
	}
	for s := square(0); s < squares; s++ {
		at := corner(s)
		shapes = append(shapes, rectangle(scene.Sea, at.X, at.Y, at.X+cell, at.Y+cell))
	}
	for i := 1; i < side; i++ {
		x, y := seaLeft+float64(i)*cell, seaTop+float64(i)*cell
		shapes = append(shapes,
			scene.Shape{Kind: scene.Line, Material: scene.Ink, Width: 2, Points: []scene.Point{{X: x, Y: seaTop},
				{X: x, Y: seaBottom}}},
			scene.Shape{Kind: scene.Line, Material: scene.Ink, Width: 2, Points: []scene.Point{{X: seaLeft, Y: y},
				{X: seaLeft + side*cell, Y: y}}})
	}
	const outer = (rim - scaleW) / 2
	for i := range side {
		name, at := square(i+i*side).String(), seaLeft+(float64(i)+0.5)*cell
		for _, end := range []float64{outer, seaBottom + rim - outer} {
			shapes = append(shapes, label(name[:1], at, end, frameNameH), label(name[1:], end, at, frameNameH))
		}
	}
	for s := square(0); s < squares; s++ {
		at := squareName(s)
		shapes = append(shapes, faint(s.String(), at.X, at.Y, squareNameH))
	}
	// A tray keeps the double-value counters apart from the names of the columns above them.
	const trayHigh = slotR + 4
	shapes = append(shapes, rectangle(scene.Wood, doublesX-slotR-6, besideY-trayHigh, width-2, besideY+trayHigh))
	for v := range values {
		at := doublePlace(v)
		shapes = append(shapes, scene.Shape{Kind: scene.Disc, Material: scene.Hull, Points: []scene.Point{at},
			R: slotR},
			faint("×2", at.X, at.Y-15, 36), faint(counterKeys[v], at.X, at.Y+18, 36))
	}
	return shapes
}

func rectangle(m scene.Material, left, top, right, bottom float64) scene.Shape {
	return scene.Shape{Kind: scene.Polygon, Material: m,
		Points: []scene.Point{{X: left, Y: top}, {X: right, Y: top}, {X: right, Y: bottom}, {X: left, Y: bottom}}}
}

func label(s string, x, y, high float64) scene.Shape {
	return scene.Shape{Kind: scene.Label, Material: scene.Ink, Points: []scene.Point{{X: x, Y: y}}, R: high, Text: s}
}

// faint returns an inconspicuous label.
func faint(s string, x, y, high float64) scene.Shape {
	shape := label(s, x, y, high)
	shape.Faint = true
	return shape
}

// The names of spots. A square and the card that sails there share the square's name. The two ends of a pair of columns
// share a name, too.
func columnsSpot(columns string) string { return "columns " + columns }
func pointSpot(pt square) string        { return "point " + pt.String() }
func lineSpot(c dutchmanCard) string    { return "line " + c.line() }
func stackSpot(k stack) string          { return "stack " + stackKeys[k] }

// spots are the places of choices on the sea and next to it. If a piece is there, a choice in a square is marked at
// the square's name, and a choice of a crossing below its counter, so that the mark hides nothing.
var spots = func() []scene.Spot {
	var list []scene.Spot
	for s := square(0); s < squares; s++ {
		list = append(list, scene.Spot{Name: s.String(), At: middle(s), Beside: squareName(s), R: squareH})
	}
	for rest := points; rest != 0; {
		pt := rest.take()
		at, below := crossing(pt), crossing(pt)
		below.Y += pointY
		list = append(list, scene.Spot{Name: pointSpot(pt), At: at, Beside: below, R: pointH})
	}
	for pt := range square(side - 1) {
		columns, _ := pt.lines()
		for _, end := range []float64{rim / 2, seaBottom + rim/2} {
			at := scene.Point{X: crossing(pt).X, Y: end}
			list = append(list, scene.Spot{Name: columnsSpot(columns), At: at, Beside: at, R: linesH})
		}
	}
	for k := range stack(len(stackKeys)) {
		at := stackPlace(k)
		list = append(list, scene.Spot{Name: stackSpot(k), At: at, Beside: at, R: stackR})
	}
	return slices.Clip(list)
}()

// handSpots returns the spots of a hand's cards, in the order of the hand.
func handSpots(hand []scene.Piece) []scene.Spot {
	var list []scene.Spot
	for i, card := range hand {
		name := card.Text
		if card.Suit == scene.DutchmanCard {
			name = "line " + name
		}
		list = append(list, scene.Spot{Name: name, Card: i + 1})
	}
	return list
}

func (s state) Scene(viewer games.Seat, trail []games.Step) scene.Scene {
	p := &s.p
	sc := scene.Scene{Board: Key, W: width, H: height, Ground: ground}
	last := retrace(trail)
	sc.Pieces = append(last.pieces, pieces(p)...)
	last.light(sc.Pieces)
	sc.Marks = append(last.marks, last.draw...)
	for rest := p.waiting; rest != 0; {
		sc.Marks = append(sc.Marks, scene.Mark{Kind: scene.Ring, Points: []scene.Point{crossing(rest.take())},
			R: ringR})
	}
	sc.Panels = s.panels()
	sc.Status = status(p)
	if r := s.Result(); r.Winners != nil {
		sc.Won = text.M("freebooter.won", "Score", r.Score())
	}
	sc.Hand, sc.HandAlt = handPieces(p, viewer), handAlt(p, viewer)
	sc.Spots = append(spots, handSpots(sc.Hand)...)
	sc.Alt = s.alt(viewer, trail)
	sc.Text = textBoard(p, viewer, last)
	sc.Legend = legend(p, viewer, last)
	return sc
}

// pieces returns all pieces on the sea and next to it.
func pieces(p *position) []scene.Piece {
	var list []scene.Piece
	for rest := p.taken; rest != 0; {
		sq := rest.take()
		seats := p.boatsAt(sq)
		for i, seat := range seats {
			at := middle(sq)
			size := boatW
			if len(seats) > 1 {
				at.X += pairX * float64(2*i-1)
				at.Y += pairY
				size = pairW
			} else {
				at.Y += boatY
			}
			list = append(list, scene.Piece{Kind: scene.Boat, At: at, Size: size, Color: scene.ColorOf(seat),
				Seat: seat})
		}
	}
	for rest := p.lying; rest != 0; {
		pt := rest.take()
		list = append(list, counterPiece(p.at(pt), p.boarder(pt), pt))
	}
	if p.dutchman != nowhere {
		list = append(list, dutchmanPiece(p.dutchman))
	}
	for k, left := range [...]uint8{seaStack: p.seaLeft, dutchmanStack: p.lineLeft} {
		suit := [...]scene.Suit{seaStack: scene.SeaCard, dutchmanStack: scene.DutchmanCard}[k]
		list = append(list, scene.Piece{Kind: scene.CardBack, At: stackPlace(stack(k)), Size: stackW, Suit: suit,
			Count: int(left), Seat: -1})
	}
	for v := range values {
		if p.doubled>>uint(v)&1 != 0 {
			list = append(list, scene.Piece{Kind: scene.DoubleCounter, At: doublePlace(v), Size: 2 * slotR,
				Value: counter(v).value(), Seat: -1})
		}
	}
	for i := range list {
		if k := list[i]; k.Kind == scene.ShipCounter {
			list[i].Marked = p.doubled>>uint(k.Share-1)&1 != 0
		}
	}
	return list
}

func counterPiece(c counter, boarder games.Seat, pt square) scene.Piece {
	piece := scene.Piece{At: crossing(pt), Size: counterW, Seat: -1}
	switch {
	case c.isShip():
		piece.Kind, piece.Value, piece.Share = scene.ShipCounter, c.value(), c.share()
		if boarder >= 0 {
			piece.Color, piece.Seat = scene.ColorOf(boarder), int(boarder)
		}
	case c.isDouble():
		piece.Kind, piece.Value = scene.DoubleCounter, c.ship().value()
	default:
		piece.Kind, piece.Value = scene.Warehouse, plunder
	}
	return piece
}

func dutchmanPiece(sq square) scene.Piece {
	at := middle(sq)
	at.Y -= cell * 0.06
	return scene.Piece{Kind: scene.Dutchman, At: at, Size: dutchmanW, Seat: -1}
}

// changes describes the effects of a trail's plays on the sea.
type changes struct {
	pieces  []scene.Piece // removed pieces, shown as ghosts
	marks   []scene.Mark
	placed  set          // squares where boats were placed
	boarded set          // points of boarded ships and laid counters
	removed set          // points of removed counters
	draw    []scene.Mark // marks on the stack from which the latest turn drew
	visited set          // squares where the Dutchman was
	paid    set          // squares from which money was paid
	newest  square       // square of the boat that the latest turn placed
	sailor  scene.Color  // colour of the owner of that boat
}

// retrace returns the changes that the plays of a trail made.
func retrace(trail []games.Step) changes {
	c := changes{newest: nowhere}
	for _, step := range trail {
		before, ok := step.Before.(state)
		if !ok {
			continue
		}
		color := scene.ColorOf(step.Seat)
		mark := func(kind scene.MarkKind, at scene.Point, r float64) {
			c.marks = append(c.marks, scene.Mark{Kind: kind, Points: []scene.Point{at}, R: r, Color: color})
		}
		at := where(step.Move)
		switch op(step.Move) {
		case opLay, opBoard, opSail, opSailMoney, opDutchman: // a turn begins, or a counter is laid
			scene.Age(c.marks)
			c.draw, c.newest = nil, nowhere
		}
		switch op(step.Move) {
		case opLay:
			mark(scene.Ring, crossing(before.p.nextPoint()), ringR)
			c.boarded |= before.p.nextPoint().bit()
		case opBoard:
			mark(scene.Ring, crossing(at), ringR)
			c.boarded |= at.bit()
		case opSail:
			mark(scene.Sides, middle(at), cell/2)
			c.placed |= at.bit()
			c.newest, c.sailor = at, color
		case opSailMoney:
			mark(scene.Sides, middle(at), cell/2)
			c.paid |= at.bit()
		case opDutchman:
			ghost := dutchmanPiece(at)
			ghost.Ghost = true
			c.pieces = append(c.pieces, ghost)
			mark(scene.Sides, middle(at), cell/2)
			c.visited |= at.bit()
		case opDraw:
			c.draw = []scene.Mark{{Kind: scene.Ring, Points: []scene.Point{stackPlace(stack(at))}, R: stackR,
				Color: color}}
		}
		_, events := after(&before.p, step.Move)
		for _, e := range events {
			ghost := counterPiece(e.counter, e.owner, e.point)
			ghost.Ghost = true
			c.pieces = append(c.pieces, ghost)
			at := crossing(e.point)
			at.Y -= crossUp // keeps the value visible
			c.marks = append(c.marks, scene.Mark{Kind: scene.Captured, Points: []scene.Point{at}, R: crossR,
				Color: ghost.Color})
			c.removed |= e.point.bit()
		}
	}
	return c
}

// light highlights the latest turn: the boat that it placed, and its rings and sides on the sea in gold.
func (c *changes) light(pieces []scene.Piece) {
	for i := range c.marks {
		if m := &c.marks[i]; !m.Old && (m.Kind == scene.Ring || m.Kind == scene.Sides) {
			m.Color = scene.NoColor
		}
	}
	if c.newest == nowhere {
		return
	}
	at := middle(c.newest)
	for i := range slices.Backward(pieces) {
		p := &pieces[i]
		if p.Kind == scene.Boat && p.Color == c.sailor && math.Abs(p.At.X-at.X) < cell/2 &&
			math.Abs(p.At.Y-at.Y) < cell/2 {
			p.Marked = true
			return
		}
	}
}

// panels returns the panels with the public values of each seat.
func (s state) panels() []scene.Panel {
	p := &s.p
	var winners games.SeatSet
	if p.phase == over {
		winners = p.winners()
	}
	var list []scene.Panel
	for seat := range int(p.seats) {
		stats := seatStats(p, seat)
		if p.debt == ([maxSeats]int16{}) { // a column of zeros would take room from the others
			stats = slices.DeleteFunc(stats, func(s scene.Stat) bool { return s.Icon == scene.DebtIcon })
		}
		list = append(list, scene.Panel{
			Seat: seat, Color: scene.ColorOf(seat), Stats: stats, Out: p.isGone(seat),
			ToMove: p.toMove() == games.Seat(seat), Winner: winners.Has(games.Seat(seat)),
		})
	}
	return list
}

// seatStats returns the public values of one seat.
func seatStats(p *position, seat int) []scene.Stat {
	return []scene.Stat{
		{Icon: scene.MoneyIcon, Value: strconv.Itoa(int(p.money[seat])), Head: text.M("freebooter.head.money"), Label: text.M("freebooter.stat.money", "Money", int(p.money[seat]))},
		{Icon: scene.DebtIcon, Value: strconv.Itoa(int(p.debt[seat])), Head: text.M("freebooter.head.debt"), Label: text.M("freebooter.stat.debt", "Money", int(p.debt[seat]))},
		{Icon: scene.BoatIcon, Value: strconv.Itoa(int(p.pool[seat])), Head: text.M("freebooter.head.boats"), Label: text.M("freebooter.stat.boats", "Count", int(p.pool[seat]))},
		{Icon: scene.SeaCardIcon, Value: strconv.Itoa(int(p.seaHeld[seat])), Head: text.M("freebooter.head.sea"), Label: text.M("freebooter.stat.sea", "Count", int(p.seaHeld[seat]))},
		{Icon: scene.DutchmanIcon, Value: strconv.Itoa(int(p.lineHeld[seat])), Head: text.M("freebooter.head.dutchman"), Label: text.M("freebooter.stat.dutchman", "Count", int(p.lineHeld[seat]))},
		{Icon: scene.ShipIcon, Value: shipsBrief(p, seat, "×"), Label: shipsMessage(p, seat)},
		{Icon: scene.ScoreIcon, Value: strconv.Itoa(p.score(seat)), Head: text.M("freebooter.head.score"), Label: text.M("freebooter.stat.score", "Score", p.score(seat))},
	}
}

// shipsBrief counts a seat's captured ships by value, for example "2×5 1×20". times is the sign between number and
// value. Without ships the result is "0".
func shipsBrief(p *position, seat int, times string) string {
	var parts []string
	for v, n := range p.captured[seat] {
		if n > 0 {
			parts = append(parts, strconv.Itoa(int(n))+times+counterKeys[v])
		}
	}
	if parts == nil {
		return "0"
	}
	return strings.Join(parts, " ")
}

// shipsMessage lists a seat's captured ships.
func shipsMessage(p *position, seat int) text.Message {
	var list []text.Message
	for v, n := range p.captured[seat] {
		if n > 0 {
			list = append(list, text.M("freebooter.stat.ships-of", "Number", int(n), "Value", counterKeys[v]))
		}
	}
	if list == nil {
		return text.M("freebooter.stat.no-ships")
	}
	return text.M("freebooter.stat.ships", "Ships", list)
}

// status returns the number of warehouses left, which is not shown next to the sea.
func status(p *position) []scene.Stat {
	houses := p.counters[warehouse].count()
	return []scene.Stat{{Icon: scene.WarehouseIcon, Value: strconv.Itoa(houses),
		Label: text.M("freebooter.stat.warehouses", "Count", houses)}}
}

func doubledShips(p *position) []text.Message {
	var list []text.Message
	for v := range values {
		if p.doubled>>uint(v)&1 != 0 {
			list = append(list, counterMessage(counter(v)))
		}
	}
	return list
}

// knows reports whether the viewer's hand is known in this position.
func knows(p *position, viewer games.Seat) bool {
	return viewer >= 0 && int8(viewer) < p.seats && !p.isHidden(int(viewer))
}

// handPieces returns the viewer's own cards. Dutchman cards that can be played now are highlighted (FB-5).
func handPieces(p *position, viewer games.Seat) []scene.Piece {
	if !knows(p, viewer) {
		return nil
	}
	var list []scene.Piece
	card := scene.Piece{Kind: scene.Card, Seat: -1, Size: stackW}
	for rest := p.hands[viewer].one; rest != 0; {
		sq := rest.take()
		card.Suit, card.Text = scene.SeaCard, sq.String()
		for range p.hands[viewer].of(sq) {
			list = append(list, card)
		}
	}
	gaps := set(0)
	if p.phase == turning && p.toMove() == viewer {
		gaps = lastGaps(p.lying, p.taken)
	}
	for cards := p.lines[viewer]; cards != 0; {
		c := cards.take()
		card.Suit, card.Text, card.Marked = scene.DutchmanCard, c.line(), gaps&lines[c] != 0
		list = append(list, card)
	}
	return list
}
