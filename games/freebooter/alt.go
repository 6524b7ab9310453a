package freebooter

import (
	"strconv"

	"marque/games"
	"marque/games/text"
)

// alt describes the picture in words. The order is by importance: the decision to make, the last plays from the newest
// on, the viewer's hand, the players, the counters, the boats, the Dutchman, and the stacks.
func (s state) alt(viewer games.Seat, trail []games.Step) []text.Message {
	p := &s.p
	var list []text.Message
	list = append(list, s.altDue())
	list = append(list, games.Descriptions(trail)...)
	if hand := handAlt(p, viewer); !hand.IsZero() {
		list = append(list, hand)
	}
	for seat := range int(p.seats) {
		list = append(list, text.M("freebooter.alt.player", "Who", text.Player(seat), "Color", text.ColorOf(seat),
			"Money", int(p.money[seat]), "Debt", int(p.debt[seat]), "Boats", int(p.pool[seat]), "Sea",
			int(p.seaHeld[seat]),
			"Dutchman", int(p.lineHeld[seat]), "Ships", shipsMessage(p, seat), "Score", p.score(seat)))
		if p.isGone(seat) {
			list = append(list, text.M("freebooter.alt.gone", "Who", text.Player(seat)))
		}
	}
	for seat := range int(p.seats) {
		if p.boarded[seat] != 0 {
			list = append(list, text.M("freebooter.alt.boarded", "Who", text.Player(seat),
				"Ships", shipMessages(p, p.boarded[seat])))
		}
	}
	if free := p.free(); free != 0 {
		list = append(list, text.M("freebooter.alt.free", "Ships", shipMessages(p, free)))
	}
	if p.counters[warehouse] != 0 {
		list = append(list, text.M("freebooter.alt.warehouses", "Points", pointList(p.counters[warehouse])))
	}
	var doubles []text.Message
	for c := double5; c <= double20; c++ {
		if p.counters[c] != 0 {
			doubles = append(doubles, text.M("freebooter.alt.double", "Value", c.ship().value(),
				"Point", p.counters[c].lowest().point()))
		}
	}
	if doubles != nil {
		list = append(list, text.M("freebooter.alt.doubles", "Counters", doubles))
	}
	for seat := range int(p.seats) {
		if boats := boatMessages(p, seat); len(boats) > 0 {
			list = append(list, text.M("freebooter.alt.boats", "Who", text.Player(seat), "Squares", boats))
		}
	}
	if p.dutchman != nowhere {
		list = append(list, text.M("freebooter.alt.dutchman", "Square", p.dutchman.String()))
	}
	return append(list, leftMessage(p))
}

// leftMessage describes the stacks, the warehouses left, and the kinds of ships that count double.
func leftMessage(p *position) text.Message {
	left := text.M("freebooter.alt.left", "Sea", int(p.seaLeft), "Dutchman", int(p.lineLeft),
		"Warehouses", p.counters[warehouse].count())
	if p.doubled != 0 {
		return then(left, text.M("freebooter.alt.doubled", "Ships", doubledShips(p)))
	}
	return left
}

// altDue describes the decision to make, or the end of the game.
func (s state) altDue() text.Message {
	p := &s.p
	who := text.Player(p.turn)
	switch p.phase {
	case laying:
		return text.M("freebooter.alt.laying")
	case dealing:
		return text.M("freebooter.alt.dealing")
	case turning:
		return text.M("freebooter.alt.turn", "Who", who)
	case resolving:
		return text.M("freebooter.alt.resolve", "Who", who, "Points", pointList(p.waiting))
	case drawing:
		return text.M("freebooter.alt.draw", "Who", who)
	case givingSea:
		return text.M("freebooter.alt.giving-sea", "Who", who)
	case givingLine:
		return text.M("freebooter.alt.giving-dutchman", "Who", who)
	}
	var winners []text.Message
	for _, seat := range s.Result().Winners {
		winners = append(winners, text.M("freebooter.alt.name", "Who", text.Player(seat)))
	}
	return text.M("freebooter.alt.over", "Why", s.why(), "Winners", winners, "Count", len(winners))
}

// shipMessages lists the ships at some points, for example "CD45 15/3".
func shipMessages(p *position, at set) []text.Message {
	var list []text.Message
	for at != 0 {
		pt := at.take()
		c := p.at(pt)
		list = append(list, text.Raw(pt.point()+" "+counterKeys[c]+"/"+strconv.Itoa(c.share())))
	}
	return list
}

// boatMessages lists the squares of a seat's boats.
func boatMessages(p *position, seat int) []text.Message {
	var list []text.Message
	for rest := p.boats[seat].one; rest != 0; {
		sq := rest.take()
		if p.boats[seat].of(sq) > 1 {
			list = append(list, text.M("freebooter.alt.two-boats", "Square", sq.String()))
			continue
		}
		list = append(list, text.Raw(sq.String()))
	}
	return list
}

// handAlt describes the viewer's cards. The message is zero if the hand is empty or unknown.
func handAlt(p *position, viewer games.Seat) text.Message {
	if !knows(p, viewer) {
		return text.Message{}
	}
	hand := handMessages(p, int(viewer))
	if len(hand) == 0 {
		return text.Message{}
	}
	return text.M("freebooter.alt.hand", "Cards", hand)
}

func handMessages(p *position, seat int) []text.Message {
	var list []text.Message
	for rest := p.hands[seat].one; rest != 0; {
		sq := rest.take()
		for range p.hands[seat].of(sq) {
			list = append(list, text.Raw(sq.String()))
		}
	}
	for cards := p.lines[seat]; cards != 0; {
		list = append(list, lineMessage(cards.take()))
	}
	return list
}
