package quedah

import (
	"strconv"
	"strings"

	"marque/games"
	"marque/games/deck"
	"marque/games/text"
)

// Spell returns the words of a move. For example, 7x10<9=12+1 moves the token on 7 to 10, coming from 9; the freed
// token steps to 12, and a new token is placed on hatch 1.
func (s state) Spell(gm games.Move) []games.Word {
	m := move(gm)
	switch m.kind() {
	case rollKind:
		face := strconv.Itoa(int(m.face()))
		return []games.Word{
			{Key: "roll", Label: text.M("quedah-merchant.word.roll"), Ask: text.M("quedah-merchant.ask.roll")},
			{Sep: " ", Key: face, Label: text.Raw(face), Ask: text.M("quedah-merchant.ask.roll")},
		}
	case placeKind:
		return []games.Word{placeWord(m.target(), text.M("quedah-merchant.ask.first"))}
	case passKind:
		return []games.Word{{Key: "pass", Label: text.M("quedah-merchant.word.pass"),
			Ask: text.M("quedah-merchant.ask.token")}}
	}
	from, by := m.from().String(), m.to().Back().String()
	words := []games.Word{{Key: from, Label: text.M("quedah-merchant.word.token", "Space", from),
		Ask: s.askToken(), Spot: from}}
	for i, e := range s.entered(m) {
		to := e.at.Space().String()
		word := games.Word{Sep: "-", Key: to, Label: text.M("quedah-merchant.word.to", "Space", to),
			Ask: text.M("quedah-merchant.ask.to"), Spot: to}
		switch {
		case e.frees:
			word.Sep, word.Label = "x", text.M("quedah-merchant.word.frees", "Space", to)
		case e.captures:
			word.Sep, word.Label = "x", text.M("quedah-merchant.word.captures", "Space", to)
		}
		if i > 0 {
			word.Sep = "=" + strings.TrimPrefix(word.Sep, "-")
			word.Ask = text.M("quedah-merchant.ask.freed", "Space", e.at.Back().String())
		}
		words = append(words, word)
		if i == 0 && s.roll > 1 {
			words = append(words, games.Word{Sep: "<", Key: by, Label: text.M("quedah-merchant.word.by", "Space", by),
				Ask: text.M("quedah-merchant.ask.by"), Spot: by})
		}
	}
	if hatch, ok := m.hatch(); ok {
		words = append(words, placeWord(hatch, text.M("quedah-merchant.ask.new")))
	}
	return words
}

// placeWord returns the word of a placement, for example "+3". A first word has no separator, so the plus belongs to
// the key.
func placeWord(hatch deck.Space, ask text.Message) games.Word {
	return games.Word{Key: "+" + hatch.String(), Label: text.M("quedah-merchant.word.place", "Space", hatch.String()),
		Ask: ask, Spot: hatch.String(), Sign: hatch.String()}
}

// askToken returns the question which token to move.
func (s state) askToken() text.Message {
	var movable deck.Set
	for _, m := range s.Moves() {
		if m := move(m); m.kind() == stepKind {
			movable |= 1 << m.from()
		}
	}
	return deck.Ask(text.M("quedah-merchant.ask.token"), s.tokens[s.turn].Len(), movable)
}
