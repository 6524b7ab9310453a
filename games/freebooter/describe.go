package freebooter

import (
	"marque/games"
	"marque/games/text"
)

func (s state) Describe(m games.Move) text.Message {
	p := &s.p
	who := text.Player(p.turn)
	sq := where(m)
	var done text.Message
	switch op(m) {
	case opLay:
		return text.M("freebooter.tell.lay", "Counter", counterMessage(counter(sq)), "Point", p.nextPoint().point())
	case opDealSea:
		return text.M("freebooter.tell.deal-sea", "Who", who, "Square", sq.String())
	case opDealLine:
		return text.M("freebooter.tell.deal-dutchman", "Who", who, "Card", lineMessage(which(m)))
	case opDealHidden:
		if stack(sq) == seaStack {
			return text.M("freebooter.tell.hold-sea", "Who", who, "Count", int(p.seaHeld[p.turn])+1)
		}
		return text.M("freebooter.tell.hold-dutchman", "Who", who, "Count", int(p.lineHeld[p.turn])+1)
	case opDraw:
		if stack(sq) == seaStack {
			return text.M("freebooter.tell.draw-sea", "Who", who)
		}
		return text.M("freebooter.tell.draw-dutchman", "Who", who)
	case opBoard:
		return text.M("freebooter.tell.board", "Who", who, "Counter", counterMessage(p.at(sq)), "Point", sq.point())
	case opSailMoney:
		return text.M("freebooter.tell.sail-money", "Who", who, "Square", sq.String(), "Money", salvage)
	case opSail:
		done = text.M("freebooter.tell.sail", "Who", who, "Square", sq.String())
	case opDutchman:
		done = text.M("freebooter.tell.dutchman", "Who", who, "Square", sq.String(), "Card", lineMessage(which(m)))
	case opResolve:
		done = text.M("freebooter.tell.resolve", "Who", who, "Point", sq.point())
	}

	after, events := after(p, m)
	for _, e := range events {
		done = then(done, e.describe(p.seats))
	}
	if op(m) != opResolve && after.waiting != 0 {
		done = then(done, text.M("freebooter.tell.waiting", "Who", who, "Points", pointList(after.waiting)))
	}
	return done
}

// DescribedByNext reports true for the choice of a stack, because the sentence about the drawn card names the player.
func (s state) DescribedByNext(m games.Move) bool { return op(m) == opDraw }

// after returns the position after m, and the events of the counters that m resolves.
func after(p *position, m games.Move) (position, []event) {
	var events []event
	next := *p
	next.play(m, &events)
	return next, events
}

// then joins two sentences.
func then(a, b text.Message) text.Message {
	return text.M("freebooter.tell.then", "First", a, "Then", b)
}

// DescribeEffect returns the capture, the escape, the plunder or the doubling that a move brings about, or the number
// of such events if there are several. Without any, it returns what a boat contributes to (nearer).
func (s state) DescribeEffect(m games.Move) text.Message {
	switch op(m) {
	case opSail, opDutchman, opResolve:
	default:
		return text.Message{}
	}
	_, events := after(&s.p, m)
	if len(events) == 0 {
		return s.p.nearer(m)
	}
	switch e := events[0]; {
	case len(events) > 1:
		return text.M("freebooter.effect.several", "Count", len(events))
	case e.counter.isDouble():
		return text.M("freebooter.effect.doubles", "Value", e.counter.ship().value())
	case e.counter == warehouse:
		return text.M("freebooter.effect.plunder")
	case e.owner == games.Nobody:
		return text.M("freebooter.effect.escape", "Value", e.counter.value())
	case e.owner == s.p.toMove():
		if price := e.price(); price > 0 {
			return text.M("freebooter.effect.capture-paid", "Value", e.counter.value(), "Money", price)
		}
		return text.M("freebooter.effect.capture", "Value", e.counter.value())
	default:
		return text.M("freebooter.effect.others", "Value", e.counter.value(), "Who", text.Player(e.owner))
	}
}

// nearer describes a counter that a boat in a free square comes closer to encircling: a ship that the player to move
// has boarded or, if the boat is beside none, another player's ship or a warehouse. Among several it prefers the one
// with the most taken squares. It is zero if there is no such counter.
func (p *position) nearer(m games.Move) text.Message {
	at := where(m)
	if op(m) != opSail || p.taken.has(at) {
		return text.Message{}
	}
	most, best := 0, text.Message{}
	for rest := p.lying; rest != 0; {
		pt := rest.take()
		if !pt.around().has(at) {
			continue
		}
		c, boarder := p.at(pt), p.boarder(pt)
		boats := (pt.around() & (p.taken | at.bit())).count()
		rank := boats * 100
		var says text.Message
		switch {
		case c == warehouse:
			says = text.M("freebooter.effect.nearer-warehouse", "Count", boats)
		case boarder == p.toMove():
			rank += 1000 + c.value()
			says = text.M("freebooter.effect.nearer", "Count", boats, "Value", c.value())
		case boarder != games.Nobody:
			rank += c.share()
			says = text.M("freebooter.effect.helps", "Money", c.share(), "Who", text.Player(boarder),
				"Value", c.value())
		default:
			continue
		}
		if rank > most {
			most, best = rank, says
		}
	}
	return best
}

// price returns the sum of the shares that a ship's captor pays.
func (e event) price() (sum int) {
	for _, share := range e.paid {
		sum += int(share)
	}
	return sum
}

// describe returns the sentence about a resolved counter.
func (e event) describe(seats int8) text.Message {
	var paid []text.Message
	for seat := range int(seats) {
		if e.paid[seat] > 0 {
			paid = append(paid, text.M("freebooter.tell.paid", "Who", text.Player(seat), "Money", int(e.paid[seat])))
		}
	}
	c := counterMessage(e.counter)
	pt := e.point.point()
	switch {
	case e.counter.isDouble():
		return text.M("freebooter.tell.doubled", "Counter", c, "Point", pt, "Ship", counterMessage(e.counter.ship()))
	case e.counter == warehouse:
		return text.M("freebooter.tell.plunder", "Point", pt, "Paid", paid)
	case e.owner == games.Nobody:
		return text.M("freebooter.tell.escape", "Counter", c, "Point", pt)
	case len(paid) == 0:
		return text.M("freebooter.tell.capture", "Who", text.Player(e.owner), "Counter", c, "Point", pt)
	case e.lent > 0:
		return text.M("freebooter.tell.capture-lent", "Who", text.Player(e.owner), "Counter", c, "Point", pt,
			"Paid", paid, "Lent", int(e.lent))
	}
	return text.M("freebooter.tell.capture-paid", "Who", text.Player(e.owner), "Counter", c, "Point", pt, "Paid", paid)
}

// pointList returns the names of a set's points.
func pointList(s set) []text.Message {
	var list []text.Message
	for s != 0 {
		list = append(list, text.Raw(s.take().point()))
	}
	return list
}
