package pirat

import (
	"fmt"
	"math/bits"

	"marque/games"
	"marque/games/text"
)

// shipName returns the name of ship i: S1 for the first one launched.
func shipName(i int) string { return fmt.Sprintf("S%d", i+1) }

// inPlay lists the ships in play by number, counted from 0.
func (p *position) inPlay() []int {
	var list []int
	for live := p.live; live != 0; live &= live - 1 {
		list = append(list, bits.TrailingZeros32(live))
	}
	return list
}

// attackers lists the seats that attack the ship.
func (s *ship) attackers() []int {
	var list []int
	for seat, c := range s.color {
		if c != 0 {
			list = append(list, seat)
		}
	}
	return list
}

// Spell returns the words of a move: the kind, the ship, and the card.
func (s state) Spell(m games.Move) []games.Word {
	o, i, k := parts(m)
	if o == draw {
		return []games.Word{verb("draw", text.M("pirat.word.draw"))}
	}
	card := func(ask text.Message) games.Word { // the picture needs no sign, because the label says what the card shows
		return games.Word{Sep: " ", Key: k.String(), Label: cardLabel(k), Ask: ask, Spot: k.String(),
			Sign: games.Unsigned}
	}
	ship := func(ask text.Message) games.Word {
		return games.Word{Sep: " ", Key: shipName(i), Label: s.shipLabel(i), Ask: ask, Spot: shipName(i)}
	}
	target := func(ask text.Message) games.Word {
		w := ship(ask)
		if sh := &s.pos.ships[i]; sh.owner == s.pos.turn { // others attack the ship, or it would be in harbour (PI-2)
			w.Label = text.M("pirat.word.own-ship", "Ship", shipName(i), "Count", int(sh.value))
		}
		return w
	}
	switch o {
	case launch:
		return []games.Word{verb("launch", text.M("pirat.word.launch")), card(text.M("pirat.ask.launch"))}
	case attack:
		return []games.Word{verb("attack", text.M("pirat.word.attack")), target(text.M("pirat.ask.ship")),
			card(text.M("pirat.ask.attack"))}
	case raid:
		return []games.Word{verb("pirate", text.M("pirat.word.pirate")), target(text.M("pirat.ask.ship")),
			card(text.M("pirat.ask.pirate"))}
	case rescue:
		return []games.Word{verb("admiral", text.M("pirat.word.admiral")), ship(text.M("pirat.ask.admiral"))}
	case discard:
		return []games.Word{verb("discard", text.M("pirat.word.discard")), card(text.M("pirat.ask.discard"))}
	default:
		return []games.Word{verb("deal", text.M("pirat.word.deal")), card(text.M("pirat.ask.deal"))}
	}
}

// verb returns a move's first word.
func verb(key string, label text.Message) games.Word {
	return games.Word{Key: key, Label: label, Ask: text.M("pirat.ask.move")}
}

// shipLabel names a ship in play with its value and its owner.
func (s state) shipLabel(i int) text.Message {
	sh := &s.pos.ships[i]
	return text.M("pirat.word.ship", "Ship", shipName(i), "Count", int(sh.value), "Who", text.Player(sh.owner))
}

// cardLabel names a card as a choice, for example "red with 3 skulls".
func cardLabel(k card) text.Message {
	switch {
	case k.isPirateShip():
		return text.M("pirat.label.pirate-ship", "Color", colorName(k.color()), "Count", k.skulls())
	case k.isTrading():
		return text.M("pirat.label.trading-ship", "Count", k.value())
	case k.isPirate():
		return text.M("pirat.label.pirate", "Color", colorName(k.color()))
	case k == admiral:
		return text.M("pirat.label.admiral")
	default:
		return text.M("pirat.label.unknown")
	}
}

// cardPhrase names a card in a sentence, for example "a red pirate ship with 3 skulls".
func cardPhrase(k card) text.Message {
	switch {
	case k.isPirateShip():
		return text.M("pirat.card.pirate-ship", "Color", colorName(k.color()), "Count", k.skulls())
	case k.isTrading():
		return text.M("pirat.card.trading-ship", "Count", k.value())
	case k.isPirate():
		return text.M("pirat.card.pirate", "Color", colorName(k.color()))
	case k == admiral:
		return text.M("pirat.card.admiral")
	default:
		return text.M("pirat.card.unknown")
	}
}

// colorName names a colour in a sentence. It does not use the texts for the colours of players.
func colorName(c color) text.Message {
	switch c {
	case red:
		return text.M("pirat.color.red")
	case green:
		return text.M("pirat.color.green")
	case blue:
		return text.M("pirat.color.blue")
	default:
		return text.M("pirat.color.yellow")
	}
}

// player names a seat as an item of a list.
func player(seat int8) text.Message { return text.M("pirat.player", "Who", text.Player(seat)) }
