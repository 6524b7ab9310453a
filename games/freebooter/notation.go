package freebooter

import (
	"marque/games"
	"marque/games/text"
)

func (s state) Spell(m games.Move) []games.Word {
	p := &s.p
	switch op(m) {
	case opBoard:
		return append([]games.Word{verb(p, "board", "freebooter.word.board")},
			pointWords(p, where(m), "freebooter.ask.board-columns", "freebooter.ask.board")...)
	case opSail:
		return []games.Word{verb(p, "sail", "freebooter.word.sail"), cardWord(p, where(m))}
	case opSailMoney:
		return []games.Word{verb(p, "sail", "freebooter.word.sail"), cardWord(p, where(m)), {
			Sep: " ", Key: "$",
			Label: text.M("freebooter.word.money", "Money", salvage), Ask: text.M("freebooter.ask.money"),
			Else: text.M("freebooter.word.boat"),
		}}
	case opDutchman:
		return []games.Word{verb(p, "dutchman", "freebooter.word.dutchman"), {
			Sep: " ", Key: dutchmanKeys[which(m)],
			Label: lineMessage(which(m)), Ask: text.M("freebooter.ask.card"), Spot: lineSpot(which(m)),
			Sign: which(m).line(),
		}, {
			Sep: " ", Key: where(m).String(),
			Label: text.M("freebooter.word.appear", "Square", where(m).String()), Ask: text.M("freebooter.ask.square"),
			Spot: where(m).String(),
		}}
	case opResolve:
		return append([]games.Word{verb(p, "resolve", "freebooter.word.resolve")},
			pointWords(p, where(m), "freebooter.ask.resolve-columns", "freebooter.ask.resolve")...)
	case opDraw:
		return []games.Word{{Key: "draw", Label: text.M("freebooter.word.draw"), Ask: text.M("freebooter.ask.draw")}, {
			Sep: " ", Key: stackKeys[where(m)],
			Label: stackMessage(stack(where(m))), Ask: text.M("freebooter.ask.stack"), Spot: stackSpot(stack(where(m))),
			Sign: games.Unsigned,
		}}
	case opLay:
		return []games.Word{chance("lay", "freebooter.word.lay"),
			chanceWord(counterKeys[where(m)], counterMessage(counter(where(m))))}
	case opDealSea:
		return []games.Word{chance("deal", "freebooter.word.deal"),
			chanceWord(where(m).String(), text.M("freebooter.card.sea", "Square", where(m).String()))}
	case opDealLine:
		return []games.Word{chance("deal", "freebooter.word.deal"),
			chanceWord(dutchmanKeys[which(m)], lineMessage(which(m)))}
	case opDealHidden:
		k := stack(where(m))
		return []games.Word{chance("deal", "freebooter.word.deal"), chanceWord(stackKeys[k], stackMessage(k))}
	}
	return nil
}

func verb(p *position, key, label string) games.Word {
	return games.Word{Key: key, Label: text.M(label), Ask: askTurn(p)}
}

// askTurn returns the question what to do. It also says when no Dutchman card can be played (FB-5), because players who
// hold one look for it among the choices.
func askTurn(p *position) text.Message {
	question := text.M("freebooter.ask.turn")
	held, gaps := p.lines[p.turn], lastGaps(p.lying, p.taken)
	if held == 0 || p.phase != turning {
		return question
	}
	for cards := held; cards != 0; {
		if gaps&lines[cards.take()] != 0 {
			return question
		}
	}
	return text.M("freebooter.ask.no-dutchman", "Ask", question, "Count", held.count())
}

func chance(key, label string) games.Word {
	return games.Word{Key: key, Label: text.M(label), Ask: text.M("freebooter.ask.chance")}
}

func chanceWord(key string, label text.Message) games.Word {
	return games.Word{Sep: " ", Key: key, Label: label, Ask: text.M("freebooter.ask.chance")}
}

// pointWords names a point, with its counter, in two words: the two columns and the two rows around it. askColumns and
// askRows are the message ids of the questions.
func pointWords(p *position, pt square, askColumns, askRows string) []games.Word {
	columns, rows := pt.lines()
	between, c := dashed(rows), p.at(pt)
	label := text.M("freebooter.word.point", "Rows", between, "Counter", counterMessage(c))
	if c.isShip() { // a button has to explain what 15/3 means
		label = text.M("freebooter.word.point-ship", "Rows", between, "Value", c.value(), "Share", c.share())
	}
	return []games.Word{{
		Sep: " ", Key: columns, Label: text.M("freebooter.word.columns", "Columns", dashed(columns)),
		Ask: text.M(askColumns), Spot: columnsSpot(columns), Sign: dashed(columns),
	}, {
		Key: rows, Label: label, Ask: text.M(askRows), Spot: pointSpot(pt), Sign: between,
	}}
}

// dashed names two columns or rows, which have one letter or digit each. Without the dash, 34 is read as a number.
func dashed(two string) string { return two[:1] + "–" + two[1:] }

// cardWord names the sea card of a move, and whether its square is taken.
func cardWord(p *position, sq square) games.Word {
	id := "freebooter.word.square"
	if p.taken.has(sq) {
		id = "freebooter.word.square-taken"
	}
	return games.Word{Sep: " ", Key: sq.String(), Label: text.M(id, "Square", sq.String()),
		Ask: text.M("freebooter.ask.sail"), Spot: sq.String()}
}

// counterMessage names a kind of counter, for example "15/3 ship".
func counterMessage(c counter) text.Message {
	switch {
	case c.isShip():
		return text.M("freebooter.counter.ship", "Value", c.value(), "Share", c.share())
	case c.isDouble():
		return text.M("freebooter.counter.double", "Value", c.ship().value())
	}
	return text.M("freebooter.counter.warehouse")
}

// lineMessage names a Dutchman card, for example "column C".
func lineMessage(c dutchmanCard) text.Message {
	if c.isColumn() {
		return text.M("freebooter.card.column", "Line", c.line())
	}
	return text.M("freebooter.card.row", "Line", c.line())
}

func stackMessage(k stack) text.Message {
	if k == seaStack {
		return text.M("freebooter.word.stack-sea")
	}
	return text.M("freebooter.word.stack-dutchman")
}
