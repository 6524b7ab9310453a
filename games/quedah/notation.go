package quedah

import (
	"strconv"

	"marque/games"
	"marque/games/deck"
	"marque/games/text"
)

// Spell gives the words of a move: 7x10<9=12+1 is the token on 7, to 10, coming from 9, the freed
// token to 12, a new token on hatch 1.
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
		return []games.Word{{Key: "pass", Label: text.M("quedah-merchant.word.pass"), Ask: text.M("quedah-merchant.ask.token")}}
	}
	from, to := m.from().String(), m.to().Space().String()
	enemy := s.tokens[1-s.turn]
	words := []games.Word{{Key: from, Label: text.M("quedah-merchant.word.token", "Space", from), Ask: text.M("quedah-merchant.ask.token")}}
	capture, frees := enemy.Has(m.to()), enemy.Has(m.to()) && s.holding.Has(m.to())
	target := games.Word{Sep: "-", Key: to, Label: text.M("quedah-merchant.word.to", "Space", to), Ask: text.M("quedah-merchant.ask.to")}
	switch {
	case frees:
		target.Sep, target.Label = "x", text.M("quedah-merchant.word.free", "Space", to)
	case capture:
		target.Sep, target.Label = "x", text.M("quedah-merchant.word.capture", "Space", to)
	}
	words = append(words, target)
	if s.roll > 1 {
		by := m.to().Back().String()
		words = append(words, games.Word{Sep: "<", Key: by, Label: text.M("quedah-merchant.word.by", "Space", by), Ask: text.M("quedah-merchant.ask.by")})
	}
	for n, at := 0, m.to(); frees; n++ {
		at = deck.StanceOf(m.freed(n), at.Space())
		word := games.Word{Sep: "=", Key: at.Space().String(), Ask: text.M("quedah-merchant.ask.freed", "Space", at.Back().String()),
			Label: text.M("quedah-merchant.word.freed-to", "Space", at.Space().String())}
		frees = enemy.Has(at) && s.holding.Has(at)
		switch {
		case frees:
			word.Sep, word.Label = "=x", text.M("quedah-merchant.word.freed-frees", "Space", at.Space().String())
		case enemy.Has(at):
			word.Sep, word.Label = "=x", text.M("quedah-merchant.word.freed-captures", "Space", at.Space().String())
		}
		words = append(words, word)
	}
	if hatch, ok := m.hatch(); ok {
		words = append(words, placeWord(hatch, text.M("quedah-merchant.ask.new")))
	}
	return words
}

// placeWord is "+3". A first word has no separator, so the sign belongs to the key.
func placeWord(hatch deck.Space, ask text.Message) games.Word {
	return games.Word{Key: "+" + hatch.String(), Label: text.M("quedah-merchant.word.place", "Space", hatch.String()), Ask: ask}
}
