package loyalcaptain

import (
	"marque/games"
	"marque/games/deck"
	"marque/games/text"
)

// Spell returns the words of a move: +3, 9-10, propose, accept or refuse, and under LC-9 +1/+4, red or blue.
func (s state) Spell(m games.Move) []games.Word {
	switch w := way(m); {
	case m < wayCount && w.places():
		h := w.end().String()
		return []games.Word{{Key: "+" + h, Label: text.M("loyal-captain.word.place", "Space", h),
			Ask: s.askTurn(), Spot: h, Sign: h}}
	case m < wayCount:
		from, to := w.from(), w.to()
		return []games.Word{
			{Key: from.String(), Label: text.M("loyal-captain.word.from", "Space", from.String()), Ask: s.askTurn(), Spot: from.String()},
			{Sep: "-", Key: to.String(), Label: text.M("loyal-captain.word.to", "Space", to.String()), Ask: text.M("loyal-captain.ask.to"), Spot: to.String()},
		}
	case m < moveWords:
		r, b := offered(m)[red].String(), offered(m)[blue].String()
		return []games.Word{
			{Key: "+" + r, Label: text.M("loyal-captain.word.offer-red", "Space", r),
				Ask: text.M("loyal-captain.ask.offer-red"), Spot: r, Sign: r},
			{Sep: "/", Key: "+" + b, Label: text.M("loyal-captain.word.offer-blue", "Space", b),
				Ask: text.M("loyal-captain.ask.offer-blue"), Spot: b, Sign: b},
		}
	}
	w := games.Word{Ask: text.M("loyal-captain.ask.answer")}
	switch m {
	case movePropose:
		w.Key, w.Label, w.Ask = "propose", text.M("loyal-captain.word.propose"), s.askTurn()
	case moveAccept:
		w.Key, w.Label = "accept", text.M("loyal-captain.word.accept")
	case moveRefuse:
		w.Key, w.Label = "refuse", text.M("loyal-captain.word.refuse")
	case moveRed:
		w.Key, w.Label, w.Ask = "red", text.M("loyal-captain.word.red"), text.M("loyal-captain.ask.choose")
	case moveBlue:
		w.Key, w.Label, w.Ask = "blue", text.M("loyal-captain.word.blue"), text.M("loyal-captain.ask.choose")
	}
	return []games.Word{w}
}

// askTurn returns the question for a turn, which names only the kinds of turns that are possible.
func (s state) askTurn() text.Message {
	var places bool
	var movable deck.Set
	for _, m := range s.Moves() {
		if m < wayCount && way(m).places() {
			places = true
		} else if m < wayCount {
			movable |= 1 << way(m).from()
		}
	}
	own := s.p.on[s.p.mover].Len()
	switch {
	case movable == 0:
		return text.M("loyal-captain.ask.place")
	case !places:
		return deck.Ask(text.M("loyal-captain.ask.move"), own, movable)
	}
	return deck.Ask(text.M("loyal-captain.ask.turn"), own, movable)
}
