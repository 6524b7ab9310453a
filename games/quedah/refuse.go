package quedah

import (
	"slices"
	"strings"

	"marque/games"
	"marque/games/deck"
	"marque/games/text"
)

var _ games.Refuser = state{}

func (s state) Refuse(typed string) (why games.Reason, ok bool) {
	t, read := deck.ReadTyped(typed)
	_, rolls := strings.CutPrefix(typed, "roll ")
	switch {
	case rolls:
		return games.Because("QM-2", "quedah-merchant.refuse.roll"), true
	case !read && typed != "pass":
		return games.Reason{}, false
	case s.setup() && t.From == 0 && t.Place > 0:
		why, _ := deck.Placing("QM-1", t.Place, deck.Hatches&^s.occupied().Hatches())
		return why, true
	case s.setup():
		return games.Because("QM-1", "quedah-merchant.refuse.setup"), true
	case typed == "pass":
		return games.Because("QM-7", "quedah-merchant.refuse.pass", "Roll", int(s.roll)), true
	case t.From == 0:
		return games.Because("QM-3", "quedah-merchant.refuse.place"), true
	}
	for _, n := range [2]int{t.From, max(t.To, 1)} {
		if why, ok := deck.NoSpace(n); ok {
			return why, true
		}
	}
	from := s.tokens[s.turn].On(deck.Space(t.From - 1))
	if from == 0 {
		return s.refuseFrom(deck.Space(t.From - 1)), true
	}
	if t.To == 0 {
		return games.Because("QM-2", "quedah-merchant.refuse.stuck", "Space", deck.Space(t.From-1).String(), "Roll",
			int(s.roll)), true
	}
	if why, ok := s.refuseTo(from.First(), deck.Space(t.To-1)); ok {
		return why, true
	}
	return s.refuseRest(t), true
}

// refuseFrom returns the reason why no token of the player can move from a space.
func (s state) refuseFrom(from deck.Space) games.Reason {
	theirs := s.tokens[1-s.turn].On(from)
	switch {
	case theirs == 0:
		return games.Because("QM-2", "quedah-merchant.refuse.nobody", "Space", from.String())
	case s.holding&theirs != 0:
		return games.Because("QM-4", "quedah-merchant.refuse.captive", "Space", from.String())
	default:
		return games.Because("QM-2", "quedah-merchant.refuse.theirs", "Space", from.String(),
			"Color", text.Color(color(1-int(s.turn))), "Own", text.Color(color(int(s.turn))))
	}
}

// refuseTo returns the reason why the roll does not bring the token at from to a space.
func (s state) refuseTo(from deck.Stance, to deck.Space) (why games.Reason, ok bool) {
	t := s.pickUp(from)
	if why, ok := deck.NoWalk("QM-2", from, int(s.roll), to, t.empty); ok {
		return why, true
	}
	arrives := from.Walk(int(s.roll), t.empty).On(to)
	theirs := s.tokens[1-s.turn].On(to)
	space := to.String()
	switch {
	case t.empty.On(to) != 0:
		return games.Reason{}, false
	case theirs == 0:
		return games.Because("QM-5", "quedah-merchant.refuse.own", "Space", space), true
	case s.holding.Has(from):
		return games.Because("QM-5", "quedah-merchant.refuse.holds", "Space", from.Space().String()), true
	case theirs.First().Back() == deck.Sea:
		return games.Because("QM-4", "quedah-merchant.refuse.sea", "Space", space), true
	case arrives&theirs == 0:
		return games.Because("QM-4", "quedah-merchant.refuse.behind", "Space", space, "Back",
			theirs.First().Back().String()), true
	case s.holding&theirs != 0 && !t.hasWay(theirs.First(), t.enemy&^theirs):
		return games.Because("QM-6", "quedah-merchant.refuse.no-way-out", "Space", space), true
	}
	return games.Reason{}, false
}

// refuseRest returns the reason for refusing the parts of t other than From and To. Some legal move must have the same
// From and To.
func (s state) refuseRest(t deck.Typed) games.Reason {
	var moves []move
	for _, gm := range s.Moves() {
		if m := move(gm); m.kind() == stepKind && m.from().Number() == t.From && m.to().Space().Number() == t.To {
			moves = append(moves, m)
		}
	}
	to := deck.Space(t.To - 1)
	captures := s.entered(moves[0])[0].captures
	arrives := choices(moves, func(m move) string { return "<" + m.to().Back().String() })
	moves = slices.DeleteFunc(moves, func(m move) bool { return t.By != 0 && m.to().Back().Number() != t.By })
	switch {
	case t.Takes && !captures:
		return games.Because("QM-4", "quedah-merchant.refuse.no-capture", "Space", to.String())
	case !t.Takes && captures:
		return games.Because("QM-4", "quedah-merchant.refuse.capture", "Space", to.String())
	case s.roll == 1 && t.By != 0:
		return games.Because("QM-2", "quedah-merchant.refuse.one-step")
	case s.roll > 1 && t.By == 0 || len(moves) == 0:
		return games.Because("QM-2", "quedah-merchant.refuse.arrives", "Space", to.String(), "Want", arrives)
	}
	freed := choices(moves, s.freed)
	moves = slices.DeleteFunc(moves, func(m move) bool { return s.freed(m) != t.Freed })
	switch {
	case len(moves) == 0 && len(freed) == 1 && freed[0].Literal() == "":
		return games.Because("QM-6", "quedah-merchant.refuse.nobody-freed", "Freed", t.Freed)
	case len(moves) == 0:
		return games.Because("QM-6", "quedah-merchant.refuse.freed", "Want", freed)
	}
	if _, brings := moves[0].hatch(); !brings {
		return games.Because("QM-3", "quedah-merchant.refuse.brings-none")
	}
	return games.Because("QM-3", "quedah-merchant.refuse.new", "Want", choices(moves, func(m move) string {
		hatch, _ := m.hatch()
		return "+" + hatch.String()
	}))
}

// freed returns the steps of the tokens that m frees, in notation.
func (s state) freed(m move) string {
	var b strings.Builder
	for _, e := range s.entered(m)[1:] {
		b.WriteByte('=')
		if e.captures {
			b.WriteByte('x')
		}
		b.WriteString(e.at.Space().String())
	}
	return b.String()
}

// choices calls of for each move and returns the distinct texts.
func choices(moves []move, of func(move) string) text.Or {
	var list text.Or
	seen := map[string]bool{}
	for _, m := range moves {
		if s := of(m); !seen[s] {
			seen[s] = true
			list = append(list, text.Raw(s))
		}
	}
	return list
}
