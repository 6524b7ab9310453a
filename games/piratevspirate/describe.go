package piratevspirate

import (
	"marque/games"
	"marque/games/scene"
	"marque/games/text"
)

// Describe returns the sentence about a move or roll, including coins and captures.
func (s state) Describe(m games.Move) text.Message {
	who := text.Player(s.turn)
	switch kindOf(m) {
	case rollKind:
		return s.describeRoll(diceOf(m))
	case passKind:
		return text.M("pirate-versus-pirate.tell.pass", "Who", who, "Count", s.steps())
	case readyKind:
		return text.M("pirate-versus-pirate.tell.ready", "Who", who)
	case setKind:
		t := fromOf(m)
		return text.M("pirate-versus-pirate.tell.back", "Who", who, "Space", t.String(), "Side", sideName(t, backOf(m)))
	}
	return text.M("pirate-versus-pirate.tell.step", "Who", who, "Deeds", s.actions(m))
}

// describeRoll returns the sentence about a roll. If the roll decides who plays first (PP-4), the sentence names that
// player.
func (s state) describeRoll(d [2]uint8) text.Message {
	who, a, b := text.Player(s.turn), int(d[0]), int(d[1])
	if s.phase == rolling {
		return text.M("pirate-versus-pirate.tell.roll", "Who", who, "A", a, "B", b, "Count", a+b)
	}
	next := s.position
	next.roll(d)
	switch {
	case next.phase != opening:
		return text.M("pirate-versus-pirate.tell.first", "Who", who, "A", a, "B", b, "First", text.Player(next.turn))
	case next.rolls == [maxSeats][2]uint8{}:
		var tied []text.Message
		for seat := range next.seats {
			if next.contest>>seat&1 != 0 {
				tied = append(tied, text.M("pirate-versus-pirate.tell.name", "Who", text.Player(seat)))
			}
		}
		return text.M("pirate-versus-pirate.tell.tie", "Who", who, "A", a, "B", b, "Tied", tied)
	default:
		return text.M("pirate-versus-pirate.tell.opening", "Who", who, "A", a, "B", b)
	}
}

// actions returns clauses about a step and its effects, in the order of the sentence.
func (s state) actions(m games.Move) []text.Message {
	from, to := fromOf(m), toOf(m)
	var list []text.Message
	carried := s.coin(from)
	if m&leftBit != 0 {
		if carried == scene.Gold {
			list = append(list, text.M("pirate-versus-pirate.tell.leave-gold", "Space", from.String()))
		} else {
			list = append(list, text.M("pirate-versus-pirate.tell.leave-silver", "Space", from.String()))
		}
	}
	if m&attackBit != 0 {
		victim := text.Player(s.owner(to))
		list = append(list, text.M("pirate-versus-pirate.tell.attack", "From", from.String(), "Space", to.String(),
			"Victim", victim))
		carried = s.coin(to)
		switch carried {
		case scene.Silver:
			list = append(list, text.M("pirate-versus-pirate.tell.seize-silver"))
		case scene.Gold:
			list = append(list, text.M("pirate-versus-pirate.tell.seize-gold"))
		}
	} else {
		id := "pirate-versus-pirate.tell.go"
		if m&leftBit == 0 && s.delivers(m) == scene.NoCoin {
			switch carried {
			case scene.Silver:
				id = "pirate-versus-pirate.tell.go-silver"
			case scene.Gold:
				id = "pirate-versus-pirate.tell.go-gold"
			}
		}
		list = append(list, text.M(id, "From", from.String(), "Space", to.String()))
	}
	if coin := coinOf(m); coin != nowhere {
		carried = s.coin(coin)
		if carried == scene.Gold {
			list = append(list, text.M("pirate-versus-pirate.tell.take-gold", "Space", coin.String()))
		} else {
			list = append(list, text.M("pirate-versus-pirate.tell.take-silver", "Space", coin.String()))
		}
	}
	switch s.delivers(m) {
	case scene.Silver:
		list = append(list, text.M("pirate-versus-pirate.tell.deliver-silver"))
	case scene.Gold:
		list = append(list, text.M("pirate-versus-pirate.tell.deliver-gold"))
	}
	if back := backOf(m); back != noEdge {
		list = append(list, text.M("pirate-versus-pirate.tell.turn", "Side", sideName(to, back)))
	}
	return list
}

// DescribeEffect describes the main effect of a step on coins or rivals: a delivery, a taken coin or an attack. It is
// empty if there is none.
func (s state) DescribeEffect(m games.Move) text.Message {
	if kindOf(m) != stepKind {
		return text.Message{}
	}
	switch s.delivers(m) {
	case scene.Silver:
		return text.M("pirate-versus-pirate.effect.deliver-silver")
	case scene.Gold:
		return text.M("pirate-versus-pirate.effect.deliver-gold")
	}
	taken, at := coinOf(m), toOf(m)
	if taken != nowhere {
		at = taken
	}
	switch coin := s.coin(at); {
	case taken == nowhere && m&attackBit == 0:
	case coin == scene.Silver:
		return text.M("pirate-versus-pirate.effect.take-silver")
	case coin == scene.Gold:
		return text.M("pirate-versus-pirate.effect.take-gold")
	default:
		return text.M("pirate-versus-pirate.effect.attack")
	}
	return text.Message{}
}

// owner returns the seat of the pirate on t, or the number of seats if there is none.
func (p *position) owner(t triangle) uint8 {
	for seat := range p.seats {
		if p.crew[seat].has(t) {
			return seat
		}
	}
	return p.seats
}
