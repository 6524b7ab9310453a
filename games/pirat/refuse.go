package pirat

import (
	"strconv"
	"strings"

	"marque/games"
	"marque/games/text"
)

var _ games.Refuser = state{}

// named returns the card with this name in the notation.
func named(name string) (k card, ok bool) {
	for k := range unknown {
		if k.String() == name {
			return k, true
		}
	}
	return unknown, false
}

// typed is a move as the user typed it.
type typed struct {
	verb string
	ship int  // counted from 0; -1 if the move has no ship
	card card // unknown if the move has no card
}

// forms tells for each verb whether a ship and a card follow it.
var forms = map[string]struct{ ship, card bool }{
	"draw": {}, "pass": {}, "launch": {card: true}, "attack": {true, true}, "pirate": {true, true},
	"admiral": {ship: true}, "discard": {card: true}, "deal": {card: true},
}

func readTyped(s string) (t typed, ok bool) {
	words := strings.Fields(s)
	if len(words) == 0 {
		return typed{}, false
	}
	form, ok := forms[words[0]]
	t, words = typed{words[0], -1, unknown}, words[1:]
	if ok && form.ship && len(words) > 0 {
		digits, named := strings.CutPrefix(words[0], "s")
		n, err := strconv.Atoi(digits)
		ok = named && err == nil && n > 0
		t.ship, words = n-1, words[1:]
	}
	if ok && form.card && len(words) > 0 {
		t.card, ok = named(words[0])
		words = words[1:]
	}
	return t, ok && len(words) == 0
}

// Refuse explains why a typed move is not legal. Of the hidden cards, it uses only the hand of the player to move.
func (s state) Refuse(input string) (why games.Reason, ok bool) {
	t, ok := readTyped(input)
	if !ok {
		return games.Reason{}, false
	}
	p := &s.pos
	hand := p.hands[p.turn]
	switch t.verb {
	case "draw":
		return games.Because("PI-3", "pirat.refuse.no-stack"), true
	case "pass":
		return games.Because("PI-3", "pirat.refuse.pass"), true
	case "deal":
		return games.Because("PI-3", "pirat.refuse.deal"), true
	case "discard":
		if p.stack > 0 {
			return games.Because("PI-3", "pirat.refuse.discard-early"), true
		}
	}
	if t.ship >= 0 && (t.ship >= maxShips || p.live>>t.ship&1 == 0) {
		id := "pirat.refuse.no-ship"
		if t.ship < int(p.launched) {
			id = "pirat.refuse.ship-gone"
		}
		return games.Because("PI-5", id, "Ship", shipName(t.ship)), true
	}
	if t.verb == "admiral" {
		t.card = admiral
	}
	switch {
	case t.card == unknown:
		return games.Because("PI-3", "pirat.refuse.nothing-fits"), true
	case t.verb == "launch" && !t.card.isTrading():
		return games.Because("PI-4", "pirat.refuse.not-trading", "Card", cardPhrase(t.card)), true
	case t.verb == "attack" && !t.card.isPirateShip():
		return games.Because("PI-5", "pirat.refuse.not-pirate-ship", "Card", cardPhrase(t.card)), true
	case t.verb == "pirate" && !t.card.isPirate():
		return games.Because("PI-6", "pirat.refuse.not-pirate", "Card", cardPhrase(t.card)), true
	case hand.count(t.card) == 0:
		return games.Because("PI-3", "pirat.refuse.not-held", "Card", cardPhrase(t.card)), true
	case t.verb == "discard":
		return games.Because("PI-3", "pirat.refuse.discard-trading"), true
	case t.ship < 0:
		return games.Because("PI-3", "pirat.refuse.nothing-fits"), true
	}
	return s.refuseOn(t), true
}

// refuseOn returns the reason why a card that the player holds cannot be played on a ship in play.
func (s state) refuseOn(t typed) games.Reason {
	sh, seat, ship := &s.pos.ships[t.ship], int(s.pos.turn), shipName(t.ship)
	if t.verb == "admiral" {
		if int(sh.owner) != seat {
			return games.Because("PI-7", "pirat.refuse.not-own", "Ship", ship, "Who", text.Player(sh.owner))
		}
		return games.Because("PI-7", "pirat.refuse.no-attack", "Ship", ship)
	}
	c := t.card.color()
	switch {
	case t.verb == "pirate" && sh.color[seat] == 0:
		return games.Because("PI-6", "pirat.refuse.first-a-ship", "Ship", ship, "Color", colorName(c))
	case sh.color[seat] != 0:
		rule := "PI-5"
		if t.verb == "pirate" {
			rule = "PI-6"
		}
		return games.Because(rule, "pirat.refuse.own-color", "Ship", ship, "Color", colorName(sh.colorOf(seat)))
	default:
		return games.Because("PI-5", "pirat.refuse.color-used", "Ship", ship, "Color", colorName(c))
	}
}
