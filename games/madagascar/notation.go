package madagascar

import (
	"marque/games"
	"marque/games/deck"
	"marque/games/text"
)

// Spell returns the words of a move. For example, 1x10<9 moves the tower on 1 to 10, coming from 9, and captures there.
func (s state) Spell(gm games.Move) []games.Word {
	m := move(gm)
	switch m.kind() {
	case passKind:
		return []games.Word{{Key: "pass", Label: text.M("madagascar.word.pass"), Ask: s.askStart()}}
	case placeKind:
		hatch := m.hatch().String()
		return []games.Word{{Key: "+" + hatch, Label: text.M("madagascar.word.place", "Space", hatch),
			Ask: s.askStart(), Spot: hatch, Sign: hatch}}
	}
	from, to, height := m.from().String(), m.to().Space().String(), s.stacks[m.from()].height()
	words := []games.Word{
		{Key: from, Label: text.M("madagascar.word.tower", "Space", from, "Count", height), Ask: s.askStart(), Spot: from},
		{Sep: "-", Key: to, Label: text.M("madagascar.word.to", "Space", to), Ask: text.M("madagascar.ask.to", "Count", height), Spot: to},
	}
	if s.captures(m) {
		words[1].Sep, words[1].Label = "x", text.M("madagascar.word.capture", "Space", to)
	}
	if height > 1 {
		by := m.to().Back().String()
		words = append(words, games.Word{Sep: "<", Key: by, Label: text.M("madagascar.word.by", "Space", by),
			Ask: text.M("madagascar.ask.by"), Spot: by})
	}
	return words
}

// askStart returns the question for a turn, which names only the kinds of turns that are possible, unless the player
// must pass.
func (s state) askStart() text.Message {
	var places bool
	var movable deck.Set
	for _, m := range s.Moves() {
		switch m := move(m); m.kind() {
		case placeKind:
			places = true
		case walkKind:
			movable |= 1 << m.from()
		}
	}
	own := s.towers[s.turn].Len()
	switch {
	case movable == 0:
		return text.M("madagascar.ask.place")
	case !places:
		return deck.Ask(text.M("madagascar.ask.move"), own, movable)
	}
	return deck.Ask(text.M("madagascar.ask.start"), own, movable)
}
