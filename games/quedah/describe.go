package quedah

import (
	"marque/games"
	"marque/games/deck"
	"marque/games/text"
)

// Describe returns the sentence about a roll or a move, with its captures, freed tokens and placement.
func (s state) Describe(gm games.Move) text.Message {
	m := move(gm)
	who, color, other := text.Player(s.turn), text.ColorOf(s.turn), text.ColorOf(1-s.turn)
	switch m.kind() {
	case rollKind:
		return text.M("quedah-merchant.tell.roll", "Who", who, "Roll", int(m.face()))
	case passKind:
		return text.M("quedah-merchant.tell.pass", "Who", who, "Roll", int(s.roll))
	case placeKind:
		return text.M("quedah-merchant.tell.first", "Who", who, "Color", color, "Space", m.target().String())
	}
	told := text.M("quedah-merchant.tell.step", "Who", who, "Color", color, "From", m.from().String(),
		"To", stands(m.to()))
	steps := s.entered(m)
	for i, e := range steps {
		switch {
		case i > 0 && e.frees:
			told = then(told, text.M("quedah-merchant.tell.freed-frees", "Color", color, "Other", other,
				"To", stands(e.at)))
		case i > 0 && e.captures:
			told = then(told, text.M("quedah-merchant.tell.freed-captures", "Color", color, "Other", other,
				"To", stands(e.at)))
		case i > 0:
			told = then(told, text.M("quedah-merchant.tell.freed", "Color", color, "To", stands(e.at)))
		case e.frees:
			told = then(told, text.M("quedah-merchant.tell.frees", "Color", color, "Other", other))
		case e.captures:
			told = then(told, text.M("quedah-merchant.tell.captures", "Other", other))
		}
	}
	if hatch, ok := m.hatch(); ok {
		told = then(told, text.M("quedah-merchant.tell.new", "Space", hatch.String()))
	}
	return told
}

func then(first, next text.Message) text.Message {
	return text.M("quedah-merchant.tell.and", "First", first, "Then", next)
}

func stands(st deck.Stance) text.Message { return deck.Stands(st.Space(), st.Back()) }

// entry is where the moved token or a freed token ends its steps, and what it does there.
type entry struct {
	at       deck.Stance
	captures bool
	frees    bool // whether the captured token held a friend (QM-6)
}

// entered returns the entry of the moved token, and then that of each freed token.
func (p *position) entered(m move) []entry {
	enemy := p.tokens[1-p.turn]
	at := m.to()
	list := []entry{{at, enemy.Has(at), enemy.Has(at) && p.holding.Has(at)}}
	for n := 0; list[n].frees; n++ {
		at = deck.StanceOf(m.freed(n), at.Space())
		list = append(list, entry{at, enemy.Has(at), enemy.Has(at) && p.holding.Has(at)})
	}
	return list
}
