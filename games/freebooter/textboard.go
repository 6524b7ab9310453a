package freebooter

import (
	"strconv"
	"strings"

	"marque/games"
	"marque/games/scene"
	"marque/games/text"
)

// Sizes of the text board in columns. The sign of a square is below its column's letter, that of a point between two
// letters.
const (
	textLeft  = 3
	textPitch = 5
)

// textBoard draws the sea for a monospaced font, in alternating lines of squares and points. Below it are a line for
// each player, a line for the whole table, and the viewer's hand.
func textBoard(p *position, viewer games.Seat, last changes) []string {
	var out []string
	line := make([]byte, 0, textLeft+textPitch*side)
	put := func(column int, s string) {
		for len(line) < column || len(line) > 0 && line[len(line)-1] != ' ' { // a long sign moves the next
			line = append(line, ' ')
		}
		line = append(line, s...)
	}
	flush := func() {
		out = append(out, string(line))
		line = line[:0]
	}
	for c := range side {
		put(textLeft+c*textPitch, squareNames[c][:1])
		if c < side-1 {
			put(textLeft+textPitch/2+c*textPitch, pointKeys[c][:2])
		}
	}
	flush()
	for r := range side {
		put(0, strconv.Itoa(r+1))
		for c := range side {
			put(textLeft+c*textPitch, squareSign(p, square(r*side+c), last))
		}
		flush()
		if r == side-1 {
			break
		}
		put(0, pointKeys[r*side][2:])
		for c := range side - 1 {
			put(textLeft+textPitch/2+c*textPitch, pointSign(p, square(r*side+c), last))
		}
		flush()
	}
	for seat := range int(p.seats) {
		out = append(out, scene.TextLines(strings.Split(playerLine(p, seat), " "))...)
	}
	out = append(out, tableLine(p))
	if knows(p, viewer) {
		out = append(out, scene.TextLines(append([]string{"#"}, cardKeys(p.hands[viewer], p.lines[viewer])...))...)
	}
	return out
}

// squareSign returns the sign of a square: its boats ("RB"), "." if there are none, or "@" for the Dutchman. Signs of
// the latest plays are appended.
func squareSign(p *position, sq square, last changes) string {
	s := ""
	for _, seat := range p.boatsAt(sq) {
		s += scene.ColorOf(seat).Letter()
	}
	if p.dutchman == sq || last.visited.has(sq) {
		s += "@"
	}
	if s == "" {
		s = "."
	}
	if last.placed.has(sq) {
		s += "+"
	}
	if last.paid.has(sq) {
		s += "$"
	}
	return s
}

// pointSign returns the sign of a point: "15" for a ship, "15R" for a boarded ship, "W" for a warehouse, "D15" for a
// double-value counter, "-" for none. "!" marks a counter to resolve, "+" a counter that was just laid or boarded,
// and "x" the point of a counter that was just removed.
func pointSign(p *position, pt square, last changes) string {
	var s string
	switch c := p.at(pt); {
	case c == noCounter && last.removed.has(pt):
		return "x"
	case c == noCounter:
		return "-"
	case c.isShip():
		s = counterKeys[c]
		if b := p.boarder(pt); b >= 0 {
			s += scene.ColorOf(b).Letter()
		}
	case c.isDouble():
		s = "D" + counterKeys[c.ship()]
	default:
		s = "W"
	}
	if p.waiting.has(pt) {
		s += "!"
	}
	if last.boarded.has(pt) {
		s += "+"
	}
	return s
}

// playerLine returns the line with a player's values, for example "R> $20 -$0 b25 s4 d1 1x5 =25".
func playerLine(p *position, seat int) string {
	sign := " "
	switch {
	case p.isGone(seat):
		sign = "/"
	case p.phase == over && p.winners().Has(games.Seat(seat)):
		sign = "*"
	case p.toMove() == games.Seat(seat):
		sign = ">"
	}
	facts := []string{
		scene.ColorOf(seat).Letter() + sign,
		"$" + strconv.Itoa(int(p.money[seat])),
		"-$" + strconv.Itoa(int(p.debt[seat])),
		"b" + strconv.Itoa(int(p.pool[seat])),
		"s" + strconv.Itoa(int(p.seaHeld[seat])),
		"d" + strconv.Itoa(int(p.lineHeld[seat])),
	}
	if ships := shipsBrief(p, seat, "x"); ships != "0" {
		facts = append(facts, ships)
	}
	return strings.Join(append(facts, "="+strconv.Itoa(p.score(seat))), " ")
}

// tableLine returns the line with the stacks, the warehouses left, and the doubled values, for example "s33 d0 W2 D10".
func tableLine(p *position) string {
	table := "s" + strconv.Itoa(int(p.seaLeft)) + " d" + strconv.Itoa(int(p.lineLeft)) + " W" +
		strconv.Itoa(p.counters[warehouse].count())
	for v := range values {
		if p.doubled>>uint(v)&1 != 0 {
			table += " D" + counterKeys[v]
		}
	}
	return table
}

// legend returns an explanation of each kind of sign on this text board.
func legend(p *position, viewer games.Seat, last changes) []text.Message {
	var list, seats []text.Message
	for seat := range int(p.seats) {
		seats = append(seats, text.M("freebooter.legend.seat", "Letter", scene.ColorOf(seat).Letter(),
			"Who", text.Player(seat)))
	}
	list = append(list, text.M("freebooter.legend.seats", "Seats", seats))

	// find sets at to the first match, as an example, and prefers a match without further signs.
	at := nowhere
	find := func(fit, busy set) bool {
		if at = nowhere; fit != 0 {
			at = fit.lowest()
		}
		if fit &^= busy; fit != 0 {
			at = fit.lowest()
		}
		return at != nowhere
	}
	add := func(id string, sign, place string, more ...any) {
		list = append(list, text.M("freebooter.legend."+id, append(more, "Sign", text.Code(sign), "At", place)...))
	}
	visited := last.visited
	if p.dutchman != nowhere {
		visited |= p.dutchman.bit()
	}
	var pairs set
	for rest := p.taken; rest != 0; {
		if sq := rest.take(); len(p.boatsAt(sq)) > 1 {
			pairs |= sq.bit()
		}
	}
	inSquare := func(id string, fit, busy set) {
		if find(fit, busy) {
			add(id, squareSign(p, at, last), at.String())
		}
	}
	busy := last.placed | last.paid | visited
	if find(p.taken&^pairs, busy) {
		add("boat", squareSign(p, at, last), at.String(), "Who", text.Player(p.boatsAt(at)[0]))
	}
	inSquare("boats", pairs, busy)
	inSquare("empty", sea&^p.taken&^visited, busy)
	if p.dutchman != nowhere {
		inSquare("dutchman", p.dutchman.bit(), 0)
	} else {
		inSquare("dutchman-gone", visited, last.placed)
	}
	inSquare("paid", last.paid, 0)

	onPoint := func(id string, fit, busy set) {
		if find(fit, busy) {
			c := p.at(at)
			var who any = text.Player(games.Seat(0))
			if b := p.boarder(at); b >= 0 {
				who = text.Player(b)
			}
			var counter any = ""
			if c != noCounter {
				counter = counterMessage(c)
			}
			add(id, pointSign(p, at, last), at.point(), "Who", who, "Counter", counter)
		}
	}
	busy = p.waiting | last.boarded
	free := p.free()
	ships := p.counters[ship5] | p.counters[ship10] | p.counters[ship15] | p.counters[ship20]
	onPoint("ship", free, busy)
	onPoint("boarded", ships&^free, busy)
	onPoint("warehouse", p.counters[warehouse], busy)
	onPoint("counter", p.lying&^ships&^p.counters[warehouse], busy)
	onPoint("nothing", points&^p.lying&^last.removed, busy)
	onPoint("removed", last.removed&^p.lying, 0)
	onPoint("waiting", p.waiting, 0)
	if find(last.placed, 0) {
		add("new", squareSign(p, at, last), at.String())
	} else if find(last.boarded&p.lying, 0) {
		add("new", pointSign(p, at, last), at.point())
	}

	shown := max(0, int(p.toMove()))
	if knows(p, viewer) {
		shown = int(viewer)
	}
	var facts []text.Message
	for _, stat := range seatStats(p, shown) {
		facts = append(facts, stat.Label)
	}
	add("player", playerLine(p, shown), "", "Who", text.Player(shown), "Facts", facts)
	gone := false
	for seat := range int(p.seats) {
		gone = gone || p.isGone(seat)
	}
	if p.phase == over {
		list = append(list, text.M("freebooter.legend.won"))
	} else if p.toMove() >= 0 {
		list = append(list, text.M("freebooter.legend.to-move"))
	}
	if gone {
		list = append(list, text.M("freebooter.legend.gone"))
	}
	add("table", tableLine(p), "", "Left", leftMessage(p))
	if knows(p, viewer) {
		list = append(list, text.M("freebooter.legend.hand"))
	}
	return list
}
