package pirat

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"marque/games"
	"marque/games/scene"
	"marque/games/text"
)

// Sizes of the picture in units. The sea with the ships in play is at the top, the table with the stack and the latest
// cards is at the bottom.
const (
	width        = 1000
	margin       = 20
	shipAspect   = 1.25 // ratio of a trading ship's height to its width
	shipPart     = 0.94 // fraction of its cell that a trading ship fills
	tableHigh    = 200
	cardSize     = 96
	cardY        = 75 // distance below the table's upper edge; captions are below the cards
	stackX       = 100
	latestX      = 250 // x of the first of the latest cards
	latestStep   = 150
	latestCards  = 5
	choiceHeight = 44 // height of labels of choices on a ship
)

// sea is a board with cells for ships. Its height depends on the number of rows.
type sea struct {
	columns, rows int
	board         string
	bottom        float64 // lower edge of the sea
	tableTop      float64
	height        float64
	ground        []scene.Shape
	like          *scene.Scene // the board whose palette this one shares
}

// seas are the boards in ascending order of size. Boards with up to six cells draw ships in one size. All share the
// palette of the board for six ships.
var seas = func() (list []sea) {
	for _, cells := range [][2]int{{3, 1}, {3, 2}, {4, 2}, {4, 3}, {5, 3}, {5, 4}, {5, 5}} {
		list = append(list, newSea(cells[0], cells[1]))
	}
	six := list[1]
	like := &scene.Scene{Board: six.board, W: width, H: six.height, Ground: six.ground}
	for i := range list {
		if list[i].board != six.board {
			list[i].like = like
		}
	}
	return list
}()

// newSea makes a board: a table with a wooden edge, a chart of the sea, and a felt for the cards.
func newSea(columns, rows int) sea {
	s := sea{columns: columns, rows: rows, board: fmt.Sprintf("pirat-%dx%d", columns, rows)}
	s.bottom = margin + float64(rows)*s.cell()*shipAspect
	s.tableTop = s.bottom + 15
	s.height = s.tableTop + tableHigh + margin
	polygon := func(m scene.Material, points ...scene.Point) scene.Shape {
		return scene.Shape{Kind: scene.Polygon, Material: m, Points: points}
	}
	box := func(m scene.Material, x0, y0, x1, y1 float64) scene.Shape {
		return polygon(m, scene.Point{X: x0, Y: y0}, scene.Point{X: x1, Y: y0}, scene.Point{X: x1, Y: y1},
			scene.Point{X: x0, Y: y1})
	}
	s.ground = []scene.Shape{
		box(scene.Hull, 0, 0, width, s.height),
		box(scene.Sea, margin, margin, width-margin, s.bottom),
		box(scene.Felt, margin, s.tableTop, width-margin, s.tableTop+tableHigh),
	}
	// A compass rose of sixteen winds.
	const winds = 16
	at := func(i, r float64) scene.Point {
		sin, cos := math.Sincos(i * 2 * math.Pi / winds)
		return scene.Point{X: width/2 + r*cos, Y: (margin+s.bottom)/2 + r*sin}
	}
	for _, points := range []struct{ first, step, length float64 }{{1, 2, 80}, {2, 4, 120}, {0, 4, 170}} {
		for i := points.first; i < winds; i += points.step {
			s.ground = append(s.ground, polygon(scene.SeaAlt, at(i, points.length), at(i+2, 34), at(i, 0), at(i-2, 34)))
		}
	}
	return s
}

// cell returns the width of a ship's cell.
func (s *sea) cell() float64 { return (width - 2*margin) / float64(s.columns) }

// place returns the middle of cell i, counted row by row.
func (s *sea) place(i int) scene.Point {
	return scene.Point{X: margin + (float64(i%s.columns)+0.5)*s.cell(),
		Y: margin + (float64(i/s.columns)+0.5)*s.cell()*shipAspect}
}

// berths returns the board for ships with these ascending numbers, and the ships' places on the board. A ship's
// preferred place is its number modulo the number of places, so that the ship stays there when other ships come and go.
// It moves only when an older ship leaves, or when the number of ships requires another board.
func berths(numbers []int) (on *sea, places []scene.Point) {
	on = &seas[0]
	for i := 1; on.columns*on.rows < len(numbers); i++ {
		on = &seas[i]
	}
	n := on.columns * on.rows
	taken := make([]bool, n)
	for _, i := range numbers {
		at := i % n
		for taken[at] {
			at = (at + 1) % n
		}
		taken[at] = true
		places = append(places, on.place(at))
	}
	return on, places
}

// latest describes the latest plays of a trail.
type latest struct {
	prizes  []prize
	changed uint32        // ships that were launched, attacked or defended
	newest  int           // ship that the latest play launched, attacked or defended; -1 if none
	drew    bool          // whether the latest play was a draw
	cards   []scene.Piece // cards of the latest plays; their places are not set
	told    []games.Step  // plays after the deal
}

func follow(trail []games.Step) (l latest) {
	l.newest = -1
	for _, step := range trail {
		before, ok := step.Before.(state)
		if !ok || before.pos.phase == dealing {
			continue
		}
		o, i, k := parts(step.Move)
		played, prizes, _ := before.follow(step.Move)
		seat := before.pos.turn
		if step.Seat != games.Chance {
			l.newest, l.drew = -1, o == draw
		}
		switch o {
		case launch:
			l.newest = int(played.launched) - 1
			l.changed |= 1 << l.newest
			l.cards = append(l.cards, face(k, seat, shipName(int(played.launched)-1)))
		case attack, raid:
			l.newest = i
			l.changed |= 1 << i
			l.cards = append(l.cards, face(k, seat, shipName(i)))
		case rescue:
			l.prizes = append(l.prizes, prize{i, before.pos.ships[i], seat})
			l.cards = append(l.cards, face(k, seat, shipName(i)))
		case discard:
			l.cards = append(l.cards, face(k, seat, ""))
		}
		l.prizes = append(l.prizes, prizes...)
		l.told = append(l.told, step)
	}
	slices.SortFunc(l.prizes, func(a, b prize) int { return a.number - b.number })
	l.cards = l.cards[max(0, len(l.cards)-latestCards):]
	return l
}

// face returns a face-up card that seat played. on is the name of the ship that the card launched or was played on, or
// "".
func face(k card, seat int8, on string) scene.Piece {
	p := scene.Piece{Kind: scene.Card, Size: cardSize, Seat: int(seat), Text: on}
	switch {
	case k.isPirateShip():
		p.Suit, p.Color, p.Value = scene.PirateShipCard, k.color().paint(), k.skulls()
	case k.isTrading():
		p.Suit, p.Value = scene.TradingCard, k.value()
	case k.isPirate():
		p.Suit, p.Color = scene.PirateCard, k.color().paint()
	default:
		p.Suit = scene.AdmiralCard
	}
	return p
}

// picture returns the piece for a trading ship on the sea.
func (s *ship) picture(i int, at scene.Point, size float64) scene.Piece {
	p := scene.Piece{Kind: scene.TradingShip, At: at, Size: size, Value: int(s.value),
		Seat: int(s.owner), Text: shipName(i)}
	for _, seat := range s.attackers() {
		p.Attacks = append(p.Attacks, scene.Attack{
			Seat: seat, Color: s.colorOf(seat).paint(), Skulls: s.skulls(seat), Pirate: s.pirate(seat),
			Stronger: int(s.leader) == seat,
		})
	}
	return p
}

func (s state) Scene(viewer games.Seat, trail []games.Step) scene.Scene {
	l := follow(trail)
	// The scene has the ships in play and, faintly, those that the latest plays brought home, ordered by number.
	p := &s.pos
	prizes := l.prizes
	live := p.inPlay()
	numbers := slices.Clone(live)
	for _, pr := range prizes {
		numbers = append(numbers, pr.number)
	}
	slices.Sort(numbers)
	on, places := berths(numbers)
	size := on.cell() * shipPart
	sc := scene.Scene{
		Board: on.board, W: width, H: on.height, Ground: on.ground, Like: on.like,
		Panels: s.panels(l), Status: s.status(), Alt: s.alt(viewer, l), Text: s.textBoard(viewer, l),
		Legend: s.legend(viewer),
	}
	if r := s.Result(); r.Winners != nil {
		sc.Won = text.M("pirat.won", "Score", r.Score())
	}
	for _, at := range places {
		if len(prizes) > 0 && (len(live) == 0 || prizes[0].number < live[0]) {
			piece := prizes[0].ship.picture(prizes[0].number, at, size)
			piece.Ghost = true
			sc.Pieces = append(sc.Pieces, piece)
			if prizes[0].seat != prizes[0].ship.owner { // only a captured ship has a cross
				at.Y -= size / 3 // above the middle of the ship, so that the names below stay visible
				sc.Marks = append(sc.Marks, scene.Mark{Kind: scene.Captured, Points: []scene.Point{at}, R: size / 6})
			}
			prizes = prizes[1:]
			continue
		}
		i := live[0]
		live = live[1:]
		piece := p.ships[i].picture(i, at, size)
		piece.Marked = i == l.newest
		sc.Pieces = append(sc.Pieces, piece)
		name := scene.Point{X: at.X - size*0.36, Y: at.Y - size*0.54} // upper left corner of the ship
		sc.Spots = append(sc.Spots, scene.Spot{Name: shipName(i), At: name, Beside: name, R: choiceHeight})
	}

	stack := scene.Point{X: stackX, Y: on.tableTop + cardY}
	sc.Pieces = append(sc.Pieces, scene.Piece{Kind: scene.CardBack, At: stack,
		Size: cardSize, Suit: scene.PirateShipCard, Count: int(p.stack), Seat: nobody})
	if l.drew {
		sc.Marks = append(sc.Marks, scene.Mark{Kind: scene.Ring, Points: []scene.Point{stack}, R: cardSize * 0.82})
	}
	for i, c := range l.cards {
		c.At = scene.Point{X: latestX + float64(i)*latestStep, Y: stack.Y}
		c.Marked = i == len(l.cards)-1 && !l.drew
		sc.Pieces = append(sc.Pieces, c)
	}
	if viewer >= 0 {
		for _, k := range sorted(p.hands[viewer]) {
			sc.Hand = append(sc.Hand, face(k, nobody, ""))
			sc.Spots = append(sc.Spots, scene.Spot{Name: k.String(), Card: len(sc.Hand)})
		}
		sc.HandAlt = p.handAlt(viewer)
	}
	return sc
}

// sorted returns the cards of a hand in the order in which people hold them: trading ships, each colour with its pirate
// at the end, and the admiral.
func sorted(w cards) []card {
	list := w.list()
	order := func(k card) int {
		switch {
		case k.isTrading():
			return k.value()
		case k.isPirateShip():
			return 10 + 10*int(k.color()) + k.skulls()
		case k.isPirate():
			return 19 + 10*int(k.color())
		default:
			return 100
		}
	}
	slices.SortStableFunc(list, func(a, b card) int { return order(a) - order(b) })
	return list
}

func (s state) panels(l latest) []scene.Panel {
	p := &s.pos
	var winners games.SeatSet
	if p.phase == over {
		winners = p.winners()
	}
	var panels []scene.Panel
	for seat := range int8(p.seats) {
		panel := scene.Panel{
			Seat: int(seat), ToMove: p.phase == playing && p.turn == seat, Out: !p.isIn(seat),
			Winner: winners.Has(games.Seat(seat)),
		}
		panel.Stats = append(panel.Stats,
			scene.Stat{Icon: scene.MoneyIcon, Value: fmt.Sprint(p.gold[seat]), Head: text.M("pirat.head.gold"),
				Label: text.M("pirat.stat.gold", "Count", int(p.gold[seat]))})
		took := 0
		var ships []text.Message
		for _, pr := range l.prizes {
			if pr.seat == seat {
				took += int(pr.ship.value)
				ships = append(ships, text.Raw(shipName(pr.number)))
			}
		}
		if took > 0 {
			panel.Stats = append(panel.Stats,
				scene.Stat{Icon: scene.ShipIcon, Value: fmt.Sprintf("+%d", took), Label: text.M("pirat.stat.took",
					"Ships", ships, "Count", took)})
		}
		if burden := p.hands[seat].gold(); p.phase == over {
			lost, label := fmt.Sprint(burden), text.M("pirat.stat.burden-none")
			if burden > 0 {
				lost, label = "−"+lost, text.M("pirat.stat.burden", "Count", burden)
			}
			panel.Stats = append(panel.Stats,
				scene.Stat{Icon: scene.DebtIcon, Value: lost, Head: text.M("pirat.head.burden"), Label: label},
				scene.Stat{Icon: scene.ScoreIcon, Value: fmt.Sprint(p.total(int(seat))),
					Head: text.M("pirat.head.score"), Label: text.M("pirat.stat.score", "Count", p.total(int(seat)))})
		} else {
			panel.Stats = append(panel.Stats,
				scene.Stat{Icon: scene.CardIcon, Value: fmt.Sprint(p.sizes[seat]), Head: text.M("pirat.head.cards"),
					Label: text.M("pirat.stat.hand", "Count", int(p.sizes[seat]))})
		}
		panels = append(panels, panel)
	}
	return panels
}

// status counts the pirates and the admiral that have not been seen yet.
func (s state) status() []scene.Stat {
	p := &s.pos
	pirates := 0
	for c := range color(colors) {
		pirates += 1 - p.seen.count(pirate(c))
	}
	if p.seen.count(admiral) == 0 {
		label := text.M("pirat.stat.unseen", "Count", pirates)
		if pirates == 0 {
			label = text.M("pirat.stat.unseen-admiral")
		}
		return []scene.Stat{{Icon: scene.PirateIcon, Value: fmt.Sprintf("%d+1", pirates), Label: label}}
	}
	return []scene.Stat{{Icon: scene.PirateIcon, Value: fmt.Sprint(pirates), Label: text.M("pirat.stat.pirates",
		"Count", pirates)}}
}

func (s state) alt(viewer games.Seat, l latest) []text.Message {
	p := &s.pos
	var alt []text.Message
	switch p.phase {
	case dealing:
		alt = append(alt, text.M("pirat.alt.dealing"))
	case playing:
		alt = append(alt, text.M("pirat.alt.turn", "Who", text.Player(p.turn)))
	case drawing:
		alt = append(alt, text.M("pirat.alt.drawing", "Who", text.Player(p.turn)))
	case over:
		winners := p.winners().Seats()
		names := make([]text.Message, len(winners))
		for i, w := range winners {
			names[i] = player(int8(w))
		}
		if len(winners) == 1 {
			alt = append(alt, text.M("pirat.alt.won", "Winners", names, "Count", p.total(int(winners[0]))))
		} else {
			alt = append(alt, text.M("pirat.alt.shared", "Winners", names, "Count", p.total(int(winners[0]))))
		}
	}
	alt = append(alt, games.Descriptions(l.told)...)
	if hand := p.handAlt(viewer); !hand.IsZero() {
		alt = append(alt, hand)
	}
	for _, i := range p.inPlay() {
		alt = append(alt, s.altShip(i))
	}
	if p.live == 0 {
		alt = append(alt, text.M("pirat.alt.no-ships"))
	}
	if p.stack == 0 {
		alt = append(alt, text.M("pirat.alt.stack-empty"))
	} else {
		alt = append(alt, text.M("pirat.alt.stack", "Count", int(p.stack)))
	}
	for seat := range int8(p.seats) {
		switch {
		case !p.isIn(seat):
			alt = append(alt, text.M("pirat.alt.out", "Who", text.Player(seat)))
		case p.phase == over:
			alt = append(alt, text.M("pirat.alt.score", "Who", text.Player(seat), "Gold", int(p.gold[seat]),
				"Burden", p.hands[seat].gold(), "Count", p.total(int(seat))))
		default:
			alt = append(alt, text.M("pirat.alt.player", "Who", text.Player(seat), "Gold", int(p.gold[seat]),
				"Count", int(p.sizes[seat])))
		}
	}
	return alt
}

// handAlt describes the viewer's cards, each kind once. The message is zero if there are none.
func (p *position) handAlt(viewer games.Seat) text.Message {
	if viewer < 0 || p.hands[viewer] == 0 {
		return text.Message{}
	}
	var hand []text.Message
	for _, e := range equals(sorted(p.hands[viewer])) {
		label := cardLabel(e.card)
		if e.count > 1 {
			label = text.M("pirat.alt.times", "Card", label, "Count", e.count)
		}
		hand = append(hand, label)
	}
	return text.M("pirat.alt.hand", "Cards", hand)
}

func (s state) altShip(i int) text.Message {
	sh := &s.pos.ships[i]
	who, count := text.Player(sh.owner), int(sh.value)
	var attacks []text.Message
	for _, seat := range sh.attackers() {
		if sh.pirate(seat) > 0 {
			attacks = append(attacks, text.M("pirat.alt.attack-pirate", "Who", text.Player(seat),
				"Color", colorName(sh.colorOf(seat)), "Count", sh.skulls(seat), "Number", sh.pirate(seat)))
		} else {
			attacks = append(attacks, text.M("pirat.alt.attack", "Who", text.Player(seat),
				"Color", colorName(sh.colorOf(seat)), "Count", sh.skulls(seat)))
		}
	}
	switch {
	case attacks == nil:
		return text.M("pirat.alt.ship", "Ship", shipName(i), "Count", count, "Who", who)
	case sh.leader == nobody:
		return text.M("pirat.alt.ship-level", "Ship", shipName(i), "Count", count, "Who", who, "Attacks", attacks)
	default:
		return text.M("pirat.alt.ship-led", "Ship", shipName(i), "Count", count, "Who", who, "Attacks", attacks,
			"Lead", text.Player(sh.leader))
	}
}

// textBoard returns a line for each ship, with a column for each seat's attack. Below are lines for the ships that were
// scored, the seats, the stack, and the viewer's hand.
func (s state) textBoard(viewer games.Seat, l latest) []string {
	p := &s.pos
	head := strings.Repeat(" ", 11)
	for seat := range int(p.seats) {
		head += fmt.Sprintf("%-6s", scene.SeatLetter(seat))
	}
	lines := []string{strings.TrimRight(head, " ")}
	for _, i := range p.inPlay() {
		sh := &p.ships[i]
		changed := " "
		if l.changed>>i&1 != 0 {
			changed = "<"
		}
		line := textShip(i, sh) + changed
		for seat := range int(p.seats) {
			line += " " + fmt.Sprintf("%-5s", sh.textAttack(seat))
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	for _, pr := range l.prizes {
		lines = append(lines, fmt.Sprintf("%-4s$%d +%s", shipName(pr.number), pr.ship.value,
			scene.SeatLetter(int(pr.seat))))
	}
	for seat := range int8(p.seats) {
		sign := " "
		switch {
		case !p.isIn(seat):
			sign = "x"
		case p.phase == playing && p.turn == seat:
			sign = ">"
		}
		line := fmt.Sprintf("%s%s  $%d  #%d", sign, scene.SeatLetter(int(seat)), p.gold[seat], p.sizes[seat])
		if p.phase == over {
			line += fmt.Sprintf("  -%d =%d", p.hands[seat].gold(), p.total(int(seat)))
		}
		lines = append(lines, line)
	}
	lines = append(lines, fmt.Sprintf(" #  %d", p.stack))
	if viewer >= 0 {
		lines = append(lines, wrap(sorted(p.hands[viewer]))...)
	}
	return lines
}

// textShip returns the start of a ship's line, for example "S1  $5 @A".
func textShip(i int, sh *ship) string {
	return fmt.Sprintf("%-4s$%d @%s", shipName(i), sh.value, scene.SeatLetter(int(sh.owner)))
}

// textAttack returns an attack for the text board. For example, "r5^1*" is red with 5 skulls, has the first pirate, and
// is the strongest.
func (s *ship) textAttack(seat int) string {
	if s.color[seat] == 0 {
		return "."
	}
	t := fmt.Sprintf("%c%d", colorNames[s.colorOf(seat)][0], s.skulls(seat))
	if n := s.pirate(seat); n > 0 {
		t += fmt.Sprintf("^%d", n)
	}
	if int(s.leader) == seat {
		t += "*"
	}
	return t
}

// equal is a kind of card and its number in a hand.
type equal struct {
	card  card
	count int
}

// equals counts the equal cards of a sorted hand.
func equals(hand []card) (list []equal) {
	for _, k := range hand {
		if n := len(list); n > 0 && list[n-1].card == k {
			list[n-1].count++
			continue
		}
		list = append(list, equal{k, 1})
	}
	return list
}

// wrap lists a sorted hand in lines. Each kind of card is listed once, with the number of its cards if there are
// several.
func wrap(hand []card) []string {
	var words []string
	for _, e := range equals(hand) {
		word := e.card.String()
		if e.count > 1 {
			word += fmt.Sprintf("x%d", e.count)
		}
		words = append(words, word)
	}
	return scene.TextLines(words)
}

func (s state) legend(viewer games.Seat) []text.Message {
	var legend []text.Message
	for seat := range int(s.pos.seats) {
		legend = append(legend, text.M("pirat.legend.seat", "Letter", scene.SeatLetter(seat), "Who", text.Player(seat)))
	}
	for _, i := range s.pos.inPlay() {
		sh := &s.pos.ships[i]
		legend = append(legend, text.M("pirat.legend.ship", "Sign", text.Code(textShip(i, sh)), "Ship", shipName(i),
			"Count", int(sh.value), "Who", scene.SeatLetter(int(sh.owner))))
		break
	}
	for _, i := range s.pos.inPlay() {
		if sh := &s.pos.ships[i]; sh.used != 0 {
			seat := sh.attackers()[0]
			legend = append(legend, text.M("pirat.legend.attack",
				"Sign", text.Code(strings.TrimRight(sh.textAttack(seat), "*^0123456789")+fmt.Sprint(sh.skulls(seat))),
				"Color", colorName(sh.colorOf(seat)), "Count", sh.skulls(seat)))
			break
		}
	}
	legend = append(legend, text.M("pirat.legend.latest"))
	if s.pos.phase == playing {
		legend = append(legend, text.M("pirat.legend.to-move"))
	}
	legend = append(legend, text.M("pirat.legend.player"))
	if s.pos.phase == over {
		legend = append(legend, text.M("pirat.legend.end"))
	}
	if viewer >= 0 && s.pos.hands[viewer] != 0 {
		legend = append(legend, text.M("pirat.legend.hand"))
	}
	return legend
}
