package madagascar

import (
	"marque/games"
	"marque/games/deck"
	"marque/games/text"
)

// Describe returns the sentence about a placement, a walk with its capture, or a pass. It names the player whom a
// capture puts out.
func (s state) Describe(gm games.Move) text.Message {
	m := move(gm)
	who, color := text.Player(s.turn), text.ColorOf(s.turn)
	switch m.kind() {
	case passKind:
		return text.M("madagascar.tell.pass", "Who", who, "Color", color)
	case placeKind:
		return text.M("madagascar.tell.place", "Who", who, "Color", color, "Space", m.hatch().String())
	}
	height := s.stacks[m.from()].height()
	told := text.M("madagascar.tell.walk", "Who", who, "Color", color, "Count", height,
		"From", m.from().String(), "To", deck.Stands(m.to().Space(), m.to().Back()))
	if !s.captures(m) {
		return told
	}
	under := s.stacks[m.to().Space()]
	told = then(told, text.M("madagascar.tell.captures", "Other", text.ColorOf(under.top()), "Count", under.height(),
		"Height", height+under.height()))
	after := s.position
	after.play(gm)
	if loser := under.top(); after.out(loser) && !s.out(loser) {
		told = then(told, text.M("madagascar.tell.out", "Who", text.Player(loser), "Color", text.ColorOf(loser)))
	}
	return told
}

func then(first, next text.Message) text.Message {
	return text.M("madagascar.tell.and", "First", first, "Then", next)
}

// captures reports whether a walk ends on another tower. The mover's own starting space counts as empty.
func (p *position) captures(m move) bool {
	return m.kind() == walkKind && m.to().Space() != m.from() && p.stacks[m.to().Space()] != 0
}
