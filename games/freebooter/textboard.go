package freebooter

import (
	"strconv"
	"strings"

	"marque/games"
	"marque/games/scene"
	"marque/games/text"
)

// The text board's measures, in columns: squares stand under their letter, points under their two.
const (
	textLeft  = 3
	textPitch = 8
)

// textBoard is the sea for a monospaced font: the squares' lines and between them the points'
// lines, then a line for each player, one for the table, and the viewer's hand.
func textBoard(p *position, viewer games.Seat, last changes) []string {
	var out []string
	line := make([]byte, 0, textLeft+textPitch*side)
	put := func(column int, s string) {
		for len(line) < column {
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
		out = append(out, playerLine(p, seat))
	}
	table := "s" + strconv.Itoa(int(p.seaLeft)) + " d" + strconv.Itoa(int(p.lineLeft)) + " W" + strconv.Itoa(p.counters[warehouse].count())
	for v := range values {
		if p.doubled>>uint(v)&1 != 0 {
			table += " D" + counterKeys[v]
		}
	}
	out = append(out, table)
	if knows(p, viewer) {
		out = append(out, "# "+strings.Join(cardKeys(p.hands[viewer], p.lines[viewer]), " "))
	}
	return out
}

// squareSign is the boats in a square: "RB", "." without any, "@" for the Dutchman, then the signs
// of the last plays.
func squareSign(p *position, sq square, last changes) string {
	s := ""
	for _, seat := range p.boatsAt(sq) {
		s += scene.Color(seat).Letter()
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

// pointSign is the counter on a point: a ship "15", boarded "15R", a warehouse "W", a double-value
// counter "D15", "!" when it waits to be resolved, "x" when it has just left.
func pointSign(p *position, pt square, last changes) string {
	s := ""
	switch c := p.at(pt); {
	case c == noCounter && last.removed.has(pt):
		return "x"
	case c == noCounter:
		return "-"
	case c.isShip():
		s = counterKeys[c]
		if b := p.boarder(pt); b >= 0 {
			s += scene.Color(b).Letter()
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

// playerLine is a player's facts: "R> $20 -$0 b25 s4 d1 =20 1x5".
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
		scene.Color(seat).Letter() + sign,
		"$" + strconv.Itoa(int(p.money[seat])),
		"-$" + strconv.Itoa(int(p.debt[seat])),
		"b" + strconv.Itoa(int(p.pool[seat])),
		"s" + strconv.Itoa(int(p.seaHeld[seat])),
		"d" + strconv.Itoa(int(p.lineHeld[seat])),
		"=" + strconv.Itoa(p.score(seat)),
	}
	if ships := shipsBrief(p, seat); ships != "0" {
		facts = append(facts, ships)
	}
	return strings.Join(facts, " ")
}

// legend explains the signs of the text board.
func legend(p *position, viewer games.Seat) []text.Message {
	var seats []text.Message
	for seat := range int(p.seats) {
		seats = append(seats, text.M("freebooter.legend.seat", "Letter", scene.Color(seat).Letter(), "Who", text.Player(seat)))
	}
	list := []text.Message{
		text.M("freebooter.legend.boats", "Seats", seats),
		text.M("freebooter.legend.counters"),
		text.M("freebooter.legend.last"),
		text.M("freebooter.legend.players"),
		text.M("freebooter.legend.table"),
	}
	if knows(p, viewer) {
		list = append(list, text.M("freebooter.legend.hand"))
	}
	return list
}
