package loyalcaptain

import (
	"marque/games"
	"marque/games/deck"
	"marque/games/text"
)

// Describe returns the sentence about a move and its captures.
func (s state) Describe(m games.Move) text.Message {
	who := text.Player(s.p.toMove())
	if m >= moveWords {
		switch m {
		case movePropose:
			return text.M("loyal-captain.tell.propose", "Who", who)
		case moveAccept:
			return text.M("loyal-captain.tell.accept", "Who", who)
		case moveRefuse:
			return text.M("loyal-captain.tell.refuse", "Who", who, "Count", countTurns)
		case moveRed:
			return text.M("loyal-captain.tell.choose", "Who", who, "Color", text.ColorOf(red))
		default:
			return text.M("loyal-captain.tell.choose", "Who", who, "Color", text.ColorOf(blue))
		}
	}
	if m >= moveOffer {
		at := offered(m)
		return text.M("loyal-captain.tell.offer", "Who", who, "Red", at[red].String(), "Blue", at[blue].String())
	}
	us, w := s.p.mover, way(m)
	var what text.Message
	if w.places() {
		what = text.M("loyal-captain.tell.place", "Who", who, "Color", text.ColorOf(us), "Space", w.end().String())
	} else {
		what = text.M("loyal-captain.tell.step", "Who", who, "Color", text.ColorOf(us), "From", w.from().String(),
			"To", w.end().String())
	}
	taken := s.p.play(m)
	for _, c := range [2]side{us.other(), us} {
		if taken[c] != 0 {
			lost := text.M("loyal-captain.tell.captured", "Count", taken[c].Len(), "Color", text.ColorOf(c),
				"Spaces", spaceList(taken[c]))
			what = text.M("loyal-captain.tell.and", "First", what, "Then", lost)
		}
	}
	return what
}

// DescribeEffect says how many pirates a turn captures, and how many of the mover's own are lost (LC-4). It returns
// the zero Message if there are none.
func (s state) DescribeEffect(m games.Move) text.Message {
	if m >= wayCount {
		return text.Message{}
	}
	after := s.p
	taken := after.play(m)
	theirs, ours := taken[s.p.mover.other()].Len(), taken[s.p.mover].Len()
	switch {
	case theirs > 0 && ours > 0:
		return text.M("loyal-captain.effect.both", "Count", theirs, "Lost", ours)
	case theirs > 0:
		return text.M("loyal-captain.effect.captures", "Count", theirs)
	case ours > 0:
		return text.M("loyal-captain.effect.loses", "Count", ours)
	}
	return text.Message{}
}

// spaceList lists the numbers of a set's spaces.
func spaceList(set deck.Set) []text.Message {
	var list []text.Message
	for set != 0 {
		list = append(list, text.Raw(set.Take().String()))
	}
	return list
}
