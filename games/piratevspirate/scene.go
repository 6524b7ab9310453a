package piratevspirate

import (
	"math"
	"strconv"
	"strings"

	"marque/games"
	"marque/games/scene"
	"marque/games/text"
)

// Dimensions of the picture: half the flat side of a triangle, its height, the place of the board's top corner, and the
// sizes of pieces and signs. Triangles are higher than wide, to make room for larger pieces. Their sides have a slope
// of three to seven, so that in a picture 1,200 pixels wide their corners are whole pixels, and rows of pixels repeat
// every seven rows, which compresses well.
const (
	width       = 1000.0
	height      = 1179.0
	half        = 47.5
	rise        = half * 7 / 3
	topX        = width / 2
	topY        = 35.0
	rim         = 22.0 // width of the frame around the board
	pirate      = 69.0
	coinSize    = 60.0
	ring        = 38.0
	choice      = 31.0 // height of labels of choices on a triangle
	die         = 84.0
	cornerPanel = 334.0 // width of a player's panel

	// Letters have at least twelve pixels in a picture 400 pixels wide. Those on boats have ten.
	rowLetter   = 36.0
	spaceNumber = 32.0
	boatNumber  = 25.0
)

// vertices returns the corners of a triangle, beginning with the left corner of its flat side.
func vertices(t triangle) []scene.Point {
	r, k := t.row(), t.number()
	x := topX + float64(k-r)*half
	upper, lower := topY+float64(r-1)*rise, topY+float64(r)*rise
	if t.up() {
		return []scene.Point{{X: x - half, Y: lower}, {X: x, Y: upper}, {X: x + half, Y: lower}}
	}
	return []scene.Point{{X: x - half, Y: upper}, {X: x, Y: lower}, {X: x + half, Y: upper}}
}

// centre returns the place of a piece on a triangle. It is slightly nearer to the flat side than the middle, so that it
// is about equally far from the pieces on all neighbours.
func centre(t triangle) scene.Point {
	const nearer = 4.0
	v := vertices(t)
	p := middle(v)
	p.Y += math.Copysign(nearer, v[0].Y-v[1].Y)
	return p
}

// narrow returns the point at distance deep from the corner of t that is opposite its flat side.
func narrow(t triangle, deep float64) scene.Point {
	v := vertices(t)
	return scene.Point{X: v[1].X, Y: v[1].Y + math.Copysign(deep, v[0].Y-v[1].Y)}
}

// middle returns the mean of a triangle's corners.
func middle(v []scene.Point) scene.Point {
	return scene.Point{X: v[1].X, Y: (v[0].Y + v[1].Y + v[2].Y) / 3}
}

// towards returns the direction from the middle of t to one of its sides, perpendicular to the side, in radians as in
// package scene.
func towards(t triangle, e edge) float64 {
	slope := math.Atan2(half, rise)
	angle := [edges]float64{flat: math.Pi / 2, east: -slope, west: slope - math.Pi}[e]
	if !t.up() {
		angle = -angle
	}
	return angle
}

// ground draws the board for a number of seats.
func ground(seats int) []scene.Shape {
	polygon := func(m scene.Material, width float64, points ...scene.Point) scene.Shape {
		return scene.Shape{Kind: scene.Polygon, Material: m, Points: points, Width: width}
	}
	left, topmost, rightmost := vertices(at(side, 1))[0], vertices(at(1, 1))[1], vertices(at(side, 2*side-1))[2]
	shapes := []scene.Shape{
		polygon(scene.Sea, 0, scene.Point{}, scene.Point{X: width}, scene.Point{X: width, Y: height},
			scene.Point{Y: height}),
		polygon(scene.Sand, rim, left, topmost, rightmost),
	}
	for t := range nowhere {
		if !t.up() {
			shapes = append(shapes, polygon(scene.SandAlt, 0, vertices(t)...))
		}
	}
	for seat, c := range layouts[seats].corners {
		shapes = append(shapes, rowboat(&homes[c], scene.ColorOf(seat))...)
	}
	return append(shapes, labels(seats)...)
}

// rowboat returns a corner's boat with the spaces for coins (PP-2). The first point of the boat is its bow.
func rowboat(h *home, c scene.Color) []scene.Shape {
	low, high := scene.Point{X: width, Y: height}, scene.Point{}
	for rest := h.boat; !rest.empty(); {
		for _, p := range vertices(rest.take()) {
			low = scene.Point{X: min(low.X, p.X), Y: min(low.Y, p.Y)}
			high = scene.Point{X: max(high.X, p.X), Y: max(high.Y, p.Y)}
		}
	}
	corners := []scene.Point{{X: (low.X + high.X) / 2, Y: low.Y}, high, {X: low.X, Y: high.Y}}
	bow := middle(vertices(h.gold))
	apart := func(p scene.Point) float64 { return math.Hypot(p.X-bow.X, p.Y-bow.Y) }
	for apart(corners[0]) > min(apart(corners[1]), apart(corners[2])) {
		corners = append(corners[1:], corners[0])
	}
	shapes := []scene.Shape{{Kind: scene.Polygon, Material: scene.Wood, Points: corners, Width: rim, Color: c}}
	for rest := h.silver; !rest.empty(); {
		shapes = append(shapes, space(scene.SilverSpace, rest.take()))
	}
	return append(shapes, space(scene.GoldSpace, h.gold))
}

// space returns a space for a coin in a rowboat.
func space(m scene.Material, t triangle) scene.Shape {
	return scene.Shape{Kind: scene.Disc, Material: m, Points: []scene.Point{centre(t)}, R: coinSize / 2}
}

// labels returns the rows' letters outside the frame and each triangle's number. On rowboats the numbers are in the
// narrow corner. All others are faint, at the places of pieces.
func labels(seats int) []scene.Shape {
	label := func(x, y, size float64, s string) scene.Shape {
		return scene.Shape{Kind: scene.Label, Material: scene.Ink, Points: []scene.Point{{X: x, Y: y}}, R: size,
			Text: s}
	}
	var shapes []scene.Shape
	for r := 1; r <= side; r++ {
		y := topY + (float64(r)-0.5)*rise
		away := (float64(r)-0.5)*half + rim + 15
		name := string(rune('a' + r - 1))
		shapes = append(shapes, label(topX-away, y, rowLetter, name), label(topX+away, y, rowLetter, name))
	}
	var boats set
	for _, c := range layouts[seats].corners {
		boats = boats.or(homes[c].boat)
	}
	for t := range nowhere {
		c, name := centre(t), strconv.Itoa(t.number())
		if boats.has(t) {
			corner := narrow(t, 34)
			shapes = append(shapes, label(corner.X, corner.Y, boatNumber, name))
			continue
		}
		number := label(c.X, c.Y, spaceNumber, name)
		number.Faint = true
		shapes = append(shapes, number)
	}
	return shapes
}

// spots are the triangles and their sides, named as in the notation of moves and backs: "e4", "e4/s".
var spots = func() []scene.Spot {
	var list []scene.Spot
	for t := range nowhere {
		v := vertices(t)
		// The label of a choice covers the pirate's head, above a coin that the pirate carries. A label in a corner of
		// the triangle would seem to belong to the neighbour.
		c := centre(t)
		list = append(list, scene.Spot{Name: t.String(), At: c, Beside: scene.Point{X: c.X, Y: c.Y - 13}, R: choice})
		sides := [edges]scene.Point{flat: between(v[0], v[2]), east: between(v[1], v[2]), west: between(v[0], v[1])}
		for e, side := range sides {
			list = append(list, scene.Spot{Name: sideSpot(t, edge(e)), At: side, Beside: side, R: choice})
		}
	}
	return list
}()

// between returns the point halfway between p and q.
func between(p, q scene.Point) scene.Point {
	return scene.Point{X: (p.X + q.X) / 2, Y: (p.Y + q.Y) / 2}
}

// sideSpot names a side of a triangle.
func sideSpot(t triangle, e edge) string { return t.String() + "/" + e.letter(t) }

// Scene returns the picture, which is the same for every viewer.
func (s state) Scene(_ games.Seat, trail []games.Step) scene.Scene {
	sc := scene.Scene{
		Board: key + "/" + digit(s.seats), W: width, H: height,
		Ground:       ground(int(s.seats)),
		Spots:        spots,
		Panels:       s.panels(),
		CornerPanels: cornerPanel,
		Status:       s.status(),
		Won:          s.won(),
		Alt:          s.alt(trail),
		Text:         s.textBoard(),
		Legend:       s.legend(),
	}
	s.drawTrail(&sc, trail)
	s.drawPieces(&sc, trail)
	return sc
}

// drawTrail adds the moves of the trail: the former place of the pirate, its path, a mark for a captured pirate, and a
// ring around a coin taken on the way.
func (s state) drawTrail(sc *scene.Scene, trail []games.Step) {
	for _, step := range trail {
		if kindOf(step.Move) != stepKind {
			continue
		}
		sc.Age()
		before := step.Before.(state)
		m, color := step.Move, scene.ColorOf(before.turn)
		from, to := fromOf(m), toOf(m)
		if !s.pirates().or(s.coins()).has(from) {
			sc.Pieces = append(sc.Pieces, scene.Piece{Kind: scene.Pirate, At: centre(from), Size: pirate, Color: color,
				Seat: int(before.turn), Ghost: true})
		}
		way := []scene.Point{centre(from)}
		for _, t := range before.path(m) {
			way = append(way, centre(t))
		}
		way[len(way)-1] = short(way[len(way)-2], way[len(way)-1])
		sc.Marks = append(sc.Marks, scene.Mark{Kind: scene.Arrow, Points: way, Color: color})
		if m&attackBit != 0 {
			// The mark is next to the attacker, who ended on that triangle.
			c := centre(to)
			sc.Marks = append(sc.Marks, scene.Mark{Kind: scene.Captured,
				Points: []scene.Point{{X: c.X - 28, Y: c.Y + 26}}, R: 28, Color: scene.ColorOf(before.owner(to))})
		}
		if coin := coinOf(m); coin != nowhere && coin != to {
			sc.Marks = append(sc.Marks, scene.Mark{Kind: scene.Ring, Points: []scene.Point{centre(coin)}, R: ring,
				Color: color})
		}
	}
}

// short returns the end of an arrow from one point towards another. The arrow stops before the second point, so that it
// does not hide the pirate there.
func short(from, to scene.Point) scene.Point {
	dx, dy := to.X-from.X, to.Y-from.Y
	d := math.Hypot(dx, dy)
	return scene.Point{X: to.X - dx/d*pirate*0.4, Y: to.Y - dy/d*pirate*0.4}
}

// path returns a possible path of m without its start.
func (p *position) path(m games.Move) []triangle {
	from, to, coin := fromOf(m), toOf(m), coinOf(m)
	lying, pirates := p.lying(), p.pirates()
	var way []triangle
	var walk func(t triangle, left int, seen set) bool
	walk = func(t triangle, left int, seen set) bool {
		for e, next := range neighbours[t] {
			if next == nowhere || seen.has(next) || lying.has(next) && next != coin {
				continue
			}
			way = append(way, next)
			seen := seen.with(next)
			switch {
			case left > 1:
				if !pirates.has(next) && walk(next, left-1, seen) {
					return true
				}
			case next == to && (coin == nowhere || seen.has(coin)):
				if m&attackBit == 0 || !p.facing || p.back(to) != edge(e).facing() {
					return true
				}
			}
			way = way[:len(way)-1]
		}
		return false
	}
	walk(from, p.steps(), set{}.with(from))
	return way
}

// drawPieces adds pirates, coins and dice. It marks the pirate that moved last and the pirate that needs a back.
func (s state) drawPieces(sc *scene.Scene, trail []games.Step) {
	moved := nowhere
	for _, step := range trail {
		if kindOf(step.Move) == stepKind {
			moved = toOf(step.Move)
		}
	}
	for rest := s.lying(); !rest.empty(); {
		t := rest.take()
		sc.Pieces = append(sc.Pieces, scene.Piece{Kind: scene.Coin, At: centre(t), Size: coinSize,
			Seat: -1, Carries: s.coin(t)})
	}
	unset := s.unset(s.turn)
	for seat := range s.seats {
		for rest := s.crew[seat]; !rest.empty(); {
			t := rest.take()
			one := scene.Piece{Kind: scene.Pirate, At: centre(t), Size: pirate, Color: scene.ColorOf(seat),
				Seat: int(seat), Carries: s.coin(t), Marked: t == moved}
			if back := s.back(t); back != noEdge {
				one.HasBack, one.Angle = true, towards(t, back)
			}
			sc.Pieces = append(sc.Pieces, one)
		}
	}
	if s.phase == moving { // the roll, in the corner without a panel
		for i, n := range s.dice {
			at := scene.Point{X: width - cornerPanel/2 - 12 + (float64(i)-0.5)*die*1.2, Y: 186}
			sc.Pieces = append(sc.Pieces, scene.Piece{Kind: scene.Die, At: at, Size: die,
				Seat: -1, Value: int(n)})
		}
	}
	if s.phase == turning { // the pirate that needs a back
		sc.Marks = append(sc.Marks, scene.Mark{Kind: scene.Ring, Points: []scene.Point{centre(unset.take())}, R: ring,
			Color: scene.ColorOf(s.turn)})
	}
}

// panels shows each seat's number of pirates, its coins at home, and its roll in the opening.
func (s state) panels() []scene.Panel {
	var list []scene.Panel
	for seat := range s.seats {
		pirates, home := s.crew[seat].len(), int(s.delivered[seat])
		p := scene.Panel{
			Seat: int(seat), Color: scene.ColorOf(seat), ToMove: s.phase != over && s.turn == seat, Out: pirates == 0,
			Winner: s.phase == over && s.winner == seat,
			Stats: []scene.Stat{
				{Icon: scene.PirateIcon, Value: strconv.Itoa(pirates), Label: text.M("pirate-versus-pirate.stat.pirates", "Count", pirates)},
				{Icon: scene.SilverIcon, Value: strconv.Itoa(home), Label: text.M("pirate-versus-pirate.stat.silver", "Count", home)},
			},
		}
		if s.phase == over && s.winner == seat && s.why == byGold {
			p.Stats = append(p.Stats, scene.Stat{Icon: scene.GoldIcon, Value: "1",
				Label: text.M("pirate-versus-pirate.stat.gold")})
		}
		if r := s.rolls[seat]; s.phase == opening && r[0] > 0 {
			p.Stats = append(p.Stats, scene.Stat{Icon: scene.DieIcon, Value: dice(r),
				Label: text.M("pirate-versus-pirate.stat.opening", "A", int(r[0]), "B", int(r[1])),
				Dice:  []int{int(r[0]), int(r[1])}})
		}
		list = append(list, p)
	}
	return list
}

// won returns how the game was won: by gold, by silver with each seat's number of coins at home, or by the last pirates
// with each seat's number of pirates. It is empty during the game.
func (s state) won() text.Message {
	if s.phase != over {
		return text.Message{}
	}
	r := s.Result()
	r.Scores = make([]int, s.seats)
	switch s.why {
	case byGold:
		return text.M("pirate-versus-pirate.won.gold")
	case bySilver:
		for seat := range s.seats {
			r.Scores[seat] = int(s.delivered[seat])
		}
		return text.M("pirate-versus-pirate.won.silver", "Score", r.Score())
	default:
		for seat := range s.seats {
			r.Scores[seat] = s.crew[seat].len()
		}
		return text.M("pirate-versus-pirate.won.last", "Score", r.Score())
	}
}

// status shows the roll by which the seat to move must go, if there is one.
func (s state) status() []scene.Stat {
	if s.phase != moving {
		return nil
	}
	return []scene.Stat{{Icon: scene.DieIcon, Value: dice(s.dice) + " = " + strconv.Itoa(s.steps()),
		Label: text.M("pirate-versus-pirate.stat.dice", "A", int(s.dice[0]), "B", int(s.dice[1]), "Count", s.steps()),
		Dice:  []int{int(s.dice[0]), int(s.dice[1])}}}
}

// dice writes two dice as a sum: "3+1".
func dice(d [2]uint8) string { return digit(d[0]) + "+" + digit(d[1]) }

// alt describes the picture: first the decision to make and the latest plays, then the pieces.
func (s state) alt(trail []games.Step) []text.Message {
	var list []text.Message
	who := text.Player(s.turn)
	switch s.phase {
	case opening:
		list = append(list, text.M("pirate-versus-pirate.alt.opening", "Who", who))
	case turning:
		unset := s.unset(s.turn)
		list = append(list, text.M("pirate-versus-pirate.alt.backs", "Who", who, "Space", unset.take().String()))
	case rolling:
		list = append(list, text.M("pirate-versus-pirate.alt.roll", "Who", who))
	case moving:
		list = append(list, text.M("pirate-versus-pirate.alt.move", "Who", who, "Count", s.steps(), "A", int(s.dice[0]),
			"B", int(s.dice[1])))
	case over:
		list = append(list, s.Result().Why)
	}
	list = append(list, games.Descriptions(trail)...)
	for seat := range s.seats {
		list = append(list, s.altSeat(seat))
	}
	var coins []text.Message
	for rest := s.lying(); !rest.empty(); {
		t := rest.take()
		if s.gold == t {
			coins = append(coins, text.M("pirate-versus-pirate.alt.gold", "Space", t.String()))
		} else {
			coins = append(coins, text.M("pirate-versus-pirate.alt.silver", "Space", t.String()))
		}
	}
	if len(coins) > 0 {
		list = append(list, text.M("pirate-versus-pirate.alt.coins", "Coins", coins))
	}
	return list
}

// altSeat describes a seat's rowboat, pirates and silver at home.
func (s state) altSeat(seat uint8) text.Message {
	corner := [...]text.Message{
		top:   text.M("pirate-versus-pirate.corner.top"),
		right: text.M("pirate-versus-pirate.corner.right"),
		left:  text.M("pirate-versus-pirate.corner.left"),
	}[s.corner(seat)]
	who, color, home := text.Player(seat), text.ColorOf(seat), int(s.delivered[seat])
	if s.crew[seat].empty() {
		return text.M("pirate-versus-pirate.alt.out", "Who", who, "Color", color, "Corner", corner, "Count", home)
	}
	var pirates []text.Message
	for rest := s.crew[seat]; !rest.empty(); {
		pirates = append(pirates, s.standing(rest.take()))
	}
	return text.M("pirate-versus-pirate.alt.seat", "Who", who, "Color", color, "Corner", corner, "Pirates", pirates,
		"Count", home)
}

// standing describes a pirate's place, its coin and its back: "e3 with silver (back to the bottom)". Without a
// pirate, it returns only the place.
func (s state) standing(t triangle) text.Message {
	one := text.Raw(t.String())
	if s.owner(t) >= s.seats {
		return one
	}
	switch s.coin(t) {
	case scene.Silver:
		one = text.M("pirate-versus-pirate.alt.with-silver", "Space", t.String())
	case scene.Gold:
		one = text.M("pirate-versus-pirate.alt.with-gold", "Space", t.String())
	}
	if back := s.back(t); back != noEdge {
		one = text.M("pirate-versus-pirate.alt.with-back", "Pirate", one, "Side", sideName(t, back))
	}
	return one
}

// Signs of the text board.
const (
	signUp, signDown           = ".", "'"
	signSilver, signGold       = "o", "$"
	signSilverBay, signGoldBay = "-", "="
)

// textBoard draws the board with two columns for each triangle, and below it one or two lines for each seat.
func (s state) textBoard() []string {
	const cell = 2
	bays, golds := s.bays()
	var lines []string
	for r := 1; r <= side; r++ {
		var b strings.Builder
		b.WriteByte(byte('a' + r - 1))
		b.WriteString(strings.Repeat(" ", 1+cell*(side-r)))
		for k := 1; k < 2*r; k++ {
			t := at(r, k)
			sign := s.sign(t, bays, golds)
			b.WriteString(sign + strings.Repeat(" ", cell-len(sign)))
		}
		lines = append(lines, strings.TrimRight(b.String(), " "))
	}
	for seat := range s.seats {
		lines = append(lines, s.seatLine(seat))
		if backs := s.backsLine(seat); backs != "" {
			lines = append(lines, backs)
		}
	}
	return lines
}

// backsLine lists the backs of a seat's pirates by the letters of PP-12, for example "  c1e d4n". It is "" if no pirate
// has a back.
func (s state) backsLine(seat uint8) string {
	line := ""
	for rest := s.crew[seat]; !rest.empty(); {
		t := rest.take()
		if e := s.back(t); e != noEdge {
			line += " " + t.String() + e.letter(t)
		}
	}
	if line == "" {
		return ""
	}
	return " " + line
}

// seatLine returns the text board's line for a seat: whether it is to move, the pirates left, the coins at home, and
// the dice.
func (s state) seatLine(seat uint8) string {
	due := " "
	if s.phase != over && s.turn == seat {
		due = ">"
	}
	line := due + scene.ColorOf(seat).Letter() + " " + strconv.Itoa(s.crew[seat].len()) + " " +
		strings.Repeat(signSilver, int(s.delivered[seat]))
	if s.phase == over && s.winner == seat && s.why == byGold {
		line += signGold
	}
	switch {
	case s.phase == moving && s.turn == seat:
		line += " " + dice(s.dice)
	case s.phase == opening && s.rolls[seat][0] > 0:
		line += " " + dice(s.rolls[seat])
	}
	return strings.TrimRight(line, " ")
}

// sign shows the content of t: a pirate with its coin, a coin, a space for coins, or empty sand.
func (s state) sign(t triangle, bays, golds set) string {
	coin := ""
	switch s.coin(t) {
	case scene.Silver:
		coin = signSilver
	case scene.Gold:
		coin = signGold
	}
	if seat := s.owner(t); seat < s.seats {
		return scene.ColorOf(seat).Letter() + coin
	}
	switch {
	case coin != "":
		return coin
	case golds.has(t):
		return signGoldBay
	case bays.has(t):
		return signSilverBay
	case t.up():
		return signUp
	default:
		return signDown
	}
}

// legend returns an explanation of each kind of sign on this text board: a pirate of each colour, one with each kind of
// coin, and so on.
func (s state) legend() []text.Message {
	bays, golds := s.bays()
	list := []text.Message{text.M("pirate-versus-pirate.legend.board")}
	seen := map[string]bool{}
	for t := range nowhere {
		coin, owner := s.coin(t), s.owner(t)
		id, kind := "sand", ""
		switch {
		case owner < s.seats:
			id, kind = "pirate", scene.ColorOf(owner).Letter()
		case coin == scene.Silver:
			id = "silver"
		case coin == scene.Gold:
			id = "gold"
		case golds.has(t):
			id = "gold-space"
		case bays.has(t):
			id = "silver-space"
		case !t.up():
			id = "sand-down"
		}
		if owner < s.seats && coin != scene.NoCoin {
			kind = coin.String()
		}
		if kind += id; !seen[kind] {
			seen[kind] = true
			list = append(list, text.M("pirate-versus-pirate.legend."+id, "Sign", text.Code(s.sign(t, bays, golds)),
				"Space", s.standing(t), "Color", text.ColorOf(owner)))
		}
	}
	shown := min(s.turn, s.seats-1)
	var facts []text.Message
	for _, stat := range s.panels()[shown].Stats {
		facts = append(facts, stat.Label)
	}
	for _, stat := range s.status() {
		facts = append(facts, stat.Label)
	}
	list = append(list, text.M("pirate-versus-pirate.legend.seat", "Sign", text.Code(s.seatLine(shown)),
		"Color", text.ColorOf(shown), "Facts", facts))
	if backs := s.backsLine(shown); backs != "" {
		list = append(list, text.M("pirate-versus-pirate.legend.backs", "Sign", text.Code(strings.TrimSpace(backs)),
			"Color", text.ColorOf(shown)))
	}
	if s.phase != over {
		list = append(list, text.M("pirate-versus-pirate.legend.to-move"))
	}
	return list
}

// bays returns the silver spaces and the gold spaces of all rowboats.
func (s state) bays() (silver, gold set) {
	for seat := range s.seats {
		silver = silver.or(s.home(seat).silver)
		gold = gold.with(s.home(seat).gold)
	}
	return silver, gold
}
