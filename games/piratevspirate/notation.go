package piratevspirate

import (
	"marque/games"
	"marque/games/scene"
	"marque/games/text"
)

// Spell returns the words of a move. For example, the words of "e4-f6@e5/w" are e4, -f6, @e5, /w.
func (s state) Spell(m games.Move) []games.Word {
	switch kindOf(m) {
	case rollKind:
		d := diceOf(m)
		return []games.Word{
			{Key: "roll", Label: text.M("pirate-versus-pirate.word.roll")},
			{Sep: " ", Key: digit(d[0]), Label: text.Raw(digit(d[0]))},
			{Sep: " ", Key: digit(d[1]), Label: text.Raw(digit(d[1]))},
		}
	case passKind:
		return []games.Word{{Key: "pass", Label: text.M("pirate-versus-pirate.word.pass"),
			Ask: text.M("pirate-versus-pirate.ask.pirate")}}
	case readyKind:
		return []games.Word{{Key: "ready", Label: text.M("pirate-versus-pirate.word.ready"),
			Ask: text.M("pirate-versus-pirate.ask.ready")}}
	case setKind:
		t := fromOf(m)
		return []games.Word{
			{Key: t.String(), Label: text.M("pirate-versus-pirate.word.from", "Space", t.String()), Ask: text.M("pirate-versus-pirate.ask.ready"), Spot: t.String()},
			backWord(t, backOf(m)),
		}
	}
	from, to := fromOf(m), toOf(m)
	words := []games.Word{{Key: from.String(), Label: s.fromLabel(from), Ask: text.M("pirate-versus-pirate.ask.pirate"),
		Spot: from.String()}}
	if m&leftBit != 0 { // PP-8
		words = append(words, games.Word{Key: "*", Label: text.M("pirate-versus-pirate.word.leave"),
			Ask: text.M("pirate-versus-pirate.ask.to")})
	}
	if m&attackBit != 0 {
		words = append(words, games.Word{Sep: "x", Key: to.String(), Label: text.M("pirate-versus-pirate.word.attack",
			"Space", to.String()), Ask: text.M("pirate-versus-pirate.ask.to"), Spot: to.String()})
	} else {
		label := text.M("pirate-versus-pirate.word.to", "Space", to.String())
		if m&leftBit == 0 && s.coin(from) != scene.NoCoin {
			label = text.M("pirate-versus-pirate.word.to-with-coin", "Space", to.String())
		}
		words = append(words, games.Word{Sep: "-", Key: to.String(), Label: label,
			Ask: text.M("pirate-versus-pirate.ask.to"), Spot: to.String()})
	}
	if coin := coinOf(m); coin != nowhere {
		label := text.M("pirate-versus-pirate.word.take-silver", "Space", coin.String())
		if s.gold == coin {
			label = text.M("pirate-versus-pirate.word.take-gold", "Space", coin.String())
		}
		words = append(words, games.Word{Sep: "@", Key: coin.String(), Label: label,
			Ask: text.M("pirate-versus-pirate.ask.coin"), Spot: coin.String()})
	}
	if back := backOf(m); back != noEdge {
		words = append(words, backWord(to, back))
	}
	return words
}

// fromLabel names the pirate on t with its coin.
func (s state) fromLabel(t triangle) text.Message {
	switch s.coin(t) {
	case scene.Silver:
		return text.M("pirate-versus-pirate.word.from-silver", "Space", t.String())
	case scene.Gold:
		return text.M("pirate-versus-pirate.word.from-gold", "Space", t.String())
	default:
		return text.M("pirate-versus-pirate.word.from", "Space", t.String())
	}
}

// backWord returns the word for the back chosen for the pirate on t (PP-12).
func backWord(t triangle, back edge) games.Word {
	return games.Word{
		Sep: "/", Key: back.letter(t),
		Label: text.M("pirate-versus-pirate.word.back", "Side", sideName(t, back)),
		Ask:   text.M("pirate-versus-pirate.ask.back"),
		Spot:  sideSpot(t, back),
	}
}

// sideName describes the direction of a side of t.
func sideName(t triangle, e edge) text.Message {
	switch e.letter(t) {
	case "s":
		return text.M("pirate-versus-pirate.side.bottom")
	case "n":
		return text.M("pirate-versus-pirate.side.top")
	case "e":
		if t.up() {
			return text.M("pirate-versus-pirate.side.upper-right")
		}
		return text.M("pirate-versus-pirate.side.lower-right")
	default:
		if t.up() {
			return text.M("pirate-versus-pirate.side.upper-left")
		}
		return text.M("pirate-versus-pirate.side.lower-left")
	}
}

// digit returns a small number as text.
func digit(n uint8) string { return string(rune('0' + n)) }
