package show

import (
	"marque/bot/table"
	"marque/games"
	"marque/games/computer"
	"marque/games/text"
)

// Advice returns sentences about the move that a computer player would make in a position, and the reasons. at is the
// view of the seat to move.
func Advice(a table.Advice, at games.State) []text.Message {
	t := a.Thought
	menu := games.NewMenu(at)
	if len(t.Candidates) < 2 {
		return append([]text.Message{text.M("bot.hint.only", "Move", inWords(menu, a.Best))}, threat(a)...)
	}
	said := []text.Message{text.M("bot.hint.move", "Move", inWords(menu, a.Best))}
	switch {
	case t.Proved && t.Chance == 1:
		return append(said, text.M("bot.hint.wins"))
	case t.Proved && t.Chance == 0:
		return append(said, text.M("bot.hint.loses"))
	}
	said = append(said, text.M("bot.hint.chance", "Chance", computer.Percent(t.Chance)))
	if second := t.Candidates[1]; second.Proved && second.Chance == 0 {
		said = append(said, text.M("bot.hint.second-loses", "Move", inWords(menu, a.Second)))
	} else if computer.Percent(second.Chance) >= computer.Percent(t.Chance) {
		// The second-best move was searched less, and can look better by chance.
		said = append(said, text.M("bot.hint.as-good", "Move", inWords(menu, a.Second)))
	} else {
		said = append(said, text.M("bot.hint.second", "Move", inWords(menu, a.Second),
			"Chance", computer.Percent(second.Chance)))
	}
	if a.Answer != "" {
		said = append(said, text.M("bot.hint.answer", "Move", inWords(afterwards(menu, at, a.Best), a.Answer)))
	}
	return append(said, threat(a)...)
}

// afterwards returns the menu after a move, or nil if it is not known.
func afterwards(menu *games.Menu, at games.State, notation string) *games.Menu {
	move, ok := menu.Move(notation)
	if _, hides := at.(games.Hider); !ok || hides {
		return nil
	}
	return games.NewMenu(at.Apply(move))
}

// inWords returns a move in the words of its choices, with its notation. A move that the menu does not have is given by
// its notation.
func inWords(menu *games.Menu, notation string) text.Message {
	if menu == nil {
		return text.Code(notation).Raw()
	}
	var words []text.Message
	for _, w := range menu.Chosen(notation) {
		words = append(words, w.Name())
	}
	if words == nil {
		return text.Code(notation).Raw()
	}
	return text.M("bot.hint.words", "Words", InOrder(words), "Move", text.Code(notation))
}

// InOrder joins the words of a move by commas. words must not be empty. An "and" would not fit, because the second word
// is often a place.
func InOrder(words []text.Message) text.Message {
	joined := words[0]
	for _, w := range words[1:] {
		joined = text.M("list.more", "First", joined, "Next", w)
	}
	return joined
}

// threat returns a sentence about what the best move threatens or prevents, if anything. About a threat it says
// whether the opponents must parry it, or whether it needs luck or their help.
func threat(a table.Advice) []text.Message {
	switch t := a.Threat; {
	case !a.Threatens:
		return nil
	case t.Prevents:
		return []text.Message{text.M("bot.hint.prevents", "What", t.Said)}
	case t.Wins && t.Share >= likely:
		return []text.Message{text.M("bot.hint.threatens-win", "What", t.Said)}
	case t.Wins:
		return []text.Message{text.M("bot.hint.may-win", "What", t.Said, "Share", computer.Percent(t.Share))}
	case t.Share >= likely:
		return []text.Message{text.M("bot.hint.threatens", "What", t.Said)}
	default:
		return []text.Message{text.M("bot.hint.may-follow", "What", t.Said, "Share", computer.Percent(t.Share))}
	}
}

// likely is the minimum share of the simulations for a threat that the opponents must parry. A threat that is possible
// in fewer of them needs luck or the opponents' help.
const likely = 0.5
