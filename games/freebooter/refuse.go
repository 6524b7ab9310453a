package freebooter

import (
	"slices"
	"strings"

	"marque/games"
	"marque/games/text"
)

var _ games.Refuser = state{}

// typed is a move as the user typed it. The fields' comments give the values of missing parts.
type typed struct {
	verb   string
	at     square       // a square or a point; nowhere if the move has none
	card   dutchmanCard // -1 if the move has none
	from   stack        // -1 if the move has none
	money  bool         // whether the move ends in "$"
	beyond string       // name of a place that does not exist, such as "H9"; "" for none
}

// readTyped reads a move of any phase. ok is false if the text is not a move. It accepts incomplete moves, and
// names of places that do not exist, such as H9.
func readTyped(s string) (t typed, ok bool) {
	words := strings.Fields(s)
	if len(words) == 0 {
		return typed{}, false
	}
	t = typed{verb: words[0], at: nowhere, card: -1, from: -1}
	words = words[1:]
	next := func() (word string, ok bool) {
		if len(words) == 0 {
			return "", false
		}
		word, words = words[0], words[1:]
		return word, true
	}
	switch t.verb {
	case "pass":
	case "lay", "deal":
		_, ok := next()
		return t, ok && len(words) == 0
	case "draw":
		if w, ok := next(); ok {
			if t.from = stack(slices.Index(stackKeys[:], w)); t.from < 0 {
				return typed{}, false
			}
		}
	case "board", "resolve", "sail", "dutchman":
		if t.verb == "dutchman" {
			if w, ok := next(); ok {
				t.card = dutchmanCard(slices.IndexFunc(dutchmanKeys[:], func(key string) bool {
					return strings.EqualFold(key, w)
				}))
				if t.card < 0 {
					return typed{}, false
				}
			}
		}
		if w, ok := next(); ok && !t.place(w) {
			return typed{}, false
		}
		if t.verb == "sail" && len(words) == 1 && words[0] == "$" {
			t.money, words = true, nil
		}
	default:
		return typed{}, false
	}
	return t, len(words) == 0
}

// place reads the name of a square, or of a point if the move needs one. It also reads names of places that do not
// exist.
func (t *typed) place(w string) bool {
	letters := strings.TrimRight(w, "0123456789")
	if n := len(letters); n != len(w)-n || n != 1 && n != 2 || strings.Trim(letters,
		"abcdefghijklmnopqrstuvwxyz") != "" {
		return false
	}
	w = strings.ToUpper(w)
	if t.at = square(slices.Index(squareNames[:], w)); t.at == nowhere && t.atPoint() {
		t.at = square(slices.Index(pointKeys[:], w))
	}
	if t.at == nowhere || t.atPoint() && !points.has(t.at) {
		t.beyond = w
	}
	return true
}

// atPoint reports whether the move names a point rather than a square.
func (t *typed) atPoint() bool { return t.verb == "board" || t.verb == "resolve" }

// Refuse explains why a typed move is not legal. Of the hidden cards, it uses only the hand of the player to move.
func (s state) Refuse(input string) (why games.Reason, ok bool) {
	t, ok := readTyped(input)
	if !ok {
		return games.Reason{}, false
	}
	p := &s.p
	switch {
	case t.verb == "lay" || t.verb == "deal":
		return games.Because("FB-1", "freebooter.refuse.deal"), true
	case t.beyond != "" && t.atPoint():
		return games.Because("FB-1", "freebooter.refuse.no-point", "Point", t.beyond), true
	case t.beyond != "":
		return games.Because("FB-1", "freebooter.refuse.no-square", "Square", t.beyond), true
	case p.phase == resolving && t.verb == "resolve" && p.waiting.has(t.at):
		return t.at.noPoint(), true
	case p.phase == resolving && t.verb == "resolve":
		return games.Because("FB-6", "freebooter.refuse.not-waiting"), true
	case p.phase == resolving:
		return games.Because("FB-6", "freebooter.refuse.resolve-first"), true
	case p.phase == drawing && t.verb == "draw" && p.lineLeft == 0:
		return games.Because("FB-8", "freebooter.refuse.no-line"), true
	case p.phase == drawing && t.verb == "draw":
		return games.Because("FB-8", "freebooter.refuse.need-sea"), true
	case p.phase == drawing:
		return games.Because("FB-8", "freebooter.refuse.draw-first"), true
	case t.verb == "resolve":
		return games.Because("FB-6", "freebooter.refuse.nothing-waits"), true
	case t.verb == "draw":
		return games.Because("FB-8", "freebooter.refuse.draw-after"), true
	case t.verb == "pass":
		return games.Because("FB-2", "freebooter.refuse.pass"), true
	case t.verb == "board":
		return p.refuseBoarding(t.at), true
	case t.verb == "sail":
		return p.refuseSailing(t), true
	default:
		return p.refuseDutchman(t), true
	}
}

func (p *position) refuseBoarding(at square) games.Reason {
	if at == nowhere {
		return games.Because("FB-3", "freebooter.refuse.no-free-ship")
	}
	c := p.at(at)
	switch who := p.boarder(at); {
	case c == noCounter:
		return games.Because("FB-3", "freebooter.refuse.nothing-there", "Point", at.point())
	case !c.isShip():
		return games.Because("FB-3", "freebooter.refuse.no-ship", "Point", at.point(), "Counter", counterMessage(c))
	case who == games.Nobody:
		return at.noPoint()
	default:
		return games.Because("FB-3", "freebooter.refuse.boarded", "Point", at.point(), "Who", text.Player(who))
	}
}

// noPoint returns the reason for a move that would be legal with the name of a point. The player typed the name of s as
// a square.
func (s square) noPoint() games.Reason {
	return games.Because("FB-1", "freebooter.refuse.square", "Square", s.String(), "Point", s.point())
}

func (p *position) refuseSailing(t typed) games.Reason {
	if t.at != nowhere && t.money && p.hands[p.turn].of(t.at) > 0 {
		return games.Because("FB-4", "freebooter.refuse.no-money", "Square", t.at.String())
	}
	if t.at == nowhere {
		return games.Because("FB-4", "freebooter.refuse.no-sea-card")
	}
	return games.Because("FB-4", "freebooter.refuse.not-held", "Square", t.at.String())
}

func (p *position) refuseDutchman(t typed) games.Reason {
	switch {
	case t.card < 0 && p.lines[p.turn] == 0:
		return games.Because("FB-5", "freebooter.refuse.no-dutchman")
	case t.card < 0:
		return games.Because("FB-5", "freebooter.refuse.no-gap")
	case p.lines[p.turn]&t.card.bit() == 0:
		return games.Because("FB-5", "freebooter.refuse.not-held-line", "Card", lineMessage(t.card))
	case t.at == nowhere:
		return games.Because("FB-5", "freebooter.refuse.no-gap-in-line", "Card", lineMessage(t.card))
	case !lines[t.card].has(t.at):
		return games.Because("FB-5", "freebooter.refuse.other-line", "Square", t.at.String(), "Card",
			lineMessage(t.card))
	case p.taken.has(t.at):
		return games.Because("FB-5", "freebooter.refuse.taken", "Square", t.at.String())
	default:
		return games.Because("FB-5", "freebooter.refuse.encircles-none", "Square", t.at.String())
	}
}
