package pirat

import (
	"math/bits"
	"slices"

	"marque/games"
	"marque/games/text"
)

// prize is a trading ship that a seat scores, in its state before scoring.
type prize struct {
	number int // number of the ship, counted from 0
	ship   ship
	seat   int8
}

// follow plays m and returns the position before automatic effects. It also returns these effects: the prizes of
// the seat whose turn starts (PI-2), or all prizes at the end (PI-9). ended reports whether the game ends.
func (s state) follow(m games.Move) (played position, prizes []prize, ended bool) {
	played = s.holding(m)
	played.play(m)
	if played.phase != playing {
		return played, nil, false
	}
	due, ended := played.due()
	for ; due != 0; due &= due - 1 {
		i := bits.TrailingZeros32(due)
		prizes = append(prizes, prize{i, played.ships[i], played.ships[i].winner()})
	}
	return played, prizes, ended
}

// Describe returns the sentence about a play and its effects.
func (s state) Describe(m games.Move) text.Message {
	played, prizes, ended := s.follow(m)
	told := s.describePlay(m, &played)
	if s.pos.phase == drawing && played.stack == 0 {
		told = then(told, text.M("pirat.tell.stack-empty"))
	}
	if ended {
		told = then(told, text.M("pirat.tell.end"))
	}
	for seat := range int8(played.seats) {
		for _, gain := range describePrizes(prizes, seat) {
			told = then(told, gain)
		}
	}
	return told
}

// describePrizes returns the sentences about the prizes that a seat scores: captured ships, its own ships that it
// defended, and its own ships that nobody attacked.
func describePrizes(prizes []prize, seat int8) (told []text.Message) {
	var won, kept, home []text.Message
	for _, pr := range prizes {
		item := text.M("pirat.tell.ship", "Ship", shipName(pr.number), "Count", int(pr.ship.value))
		switch {
		case pr.seat != seat:
		case pr.ship.used == 0:
			home = append(home, item)
		case pr.ship.owner == seat:
			kept = append(kept, item)
		default:
			won = append(won, item)
		}
	}
	if home != nil {
		told = append(told, text.M("pirat.tell.harbour", "Who", text.Player(seat), "Ships", home))
	}
	if kept != nil {
		told = append(told, text.M("pirat.tell.kept", "Who", text.Player(seat), "Ships", kept))
	}
	if won != nil {
		told = append(told, text.M("pirat.tell.prize", "Who", text.Player(seat), "Ships", won))
	}
	return told
}

// DescribeEffect returns whether the player's attack is then the strongest on the ship, one of several strongest ones,
// or weaker than another. For an admiral it returns the gold that the admiral brings home.
func (s state) DescribeEffect(m games.Move) text.Message {
	o, i, _ := parts(m)
	switch o {
	case attack, raid:
		played := s.holding(m)
		played.play(m)
		switch sh := &played.ships[i]; {
		case sh.leader == s.pos.turn:
			return text.M("pirat.effect.strongest")
		case sh.leader == nobody && sh.power[s.pos.turn] == slices.Max(sh.power[:]):
			return text.M("pirat.effect.level")
		}
		return text.M("pirat.effect.weaker")
	case rescue:
		return text.M("pirat.effect.gold", "Count", int(s.pos.ships[i].value))
	}
	return text.Message{}
}

// then joins two sentences.
func then(first, second text.Message) text.Message {
	return text.M("pirat.tell.then", "First", first, "Then", second)
}

// DescribedByNext reports true for the choice to draw, because the sentence about the drawn card names the player.
func (s state) DescribedByNext(m games.Move) bool {
	o, _, _ := parts(m)
	return o == draw
}

// describePlay returns the sentence about the play without its automatic effects. played is the position after the
// play.
func (s state) describePlay(m games.Move, played *position) text.Message {
	o, i, k := parts(m)
	seat := int(s.pos.turn)
	who := text.Player(seat)
	switch o {
	case draw:
		return text.M("pirat.tell.draw", "Who", who)
	case deal:
		switch {
		case s.pos.phase == dealing:
			return text.M("pirat.tell.dealt", "Who", who, "Card", cardPhrase(k))
		case k == unknown:
			return text.M("pirat.tell.drawn-hidden", "Who", who, "Count", int(played.sizes[seat]))
		default:
			return text.M("pirat.tell.drawn", "Who", who, "Card", cardPhrase(k))
		}
	case launch:
		return text.M("pirat.tell.launch", "Who", who, "Ship", shipName(int(s.pos.launched)), "Count", k.value())
	case attack:
		return s.describeAttack(i, k, &played.ships[i])
	case raid:
		return text.M("pirat.tell.pirate", "Who", who, "Ship", shipName(i), "Color", colorName(k.color()))
	case rescue:
		return text.M("pirat.tell.admiral", "Who", who, "Ship", shipName(i), "Count", int(s.pos.ships[i].value))
	default:
		return text.M("pirat.tell.discard", "Who", who, "Card", cardPhrase(k))
	}
}

// describeAttack returns the sentence about a pirate ship's attack. If several seats then attack the ship, it also
// says whose attack is the strongest, or that several are.
func (s state) describeAttack(i int, k card, after *ship) text.Message {
	seat := int(s.pos.turn)
	var told text.Message
	if s.pos.ships[i].color[seat] == 0 {
		tell := "pirat.tell.attack"
		if int(s.pos.ships[i].owner) == seat { // others attack the ship, or it would be in harbour (PI-2)
			tell = "pirat.tell.defend"
		}
		told = text.M(tell, "Who", text.Player(seat), "Ship", shipName(i), "Color", colorName(k.color()),
			"Count", k.skulls())
	} else {
		told = text.M("pirat.tell.reinforce", "Who", text.Player(seat), "Ship", shipName(i),
			"Color", colorName(k.color()), "More", k.skulls(), "Count", after.skulls(seat))
	}
	switch {
	case len(after.attackers()) == 1:
		return told
	case after.leader == nobody:
		return then(told, text.M("pirat.tell.level"))
	default:
		return then(told, text.M("pirat.tell.strongest", "Who", text.Player(after.leader)))
	}
}
