package piratevspirate

import (
	"regexp"
	"strings"

	"marque/games"
	"marque/games/text"
)

var _ games.Refuser = state{}

var typedForm = regexp.MustCompile(`^([a-z]\d{1,2})(\*)?(?:([-x])([a-z]\d{1,2})(?:@([a-z]\d{1,2}))?)?(?:/([a-z]))?$`)

// typed is a move as the user typed it. Missing parts are "".
type typed struct {
	from, to, coin, back string
	left, attacks        bool
}

func readTyped(s string) (t typed, ok bool) {
	m := typedForm.FindStringSubmatch(s)
	if m == nil {
		return typed{}, false
	}
	return typed{from: m[1], left: m[2] != "", attacks: m[3] == "x", to: m[4], coin: m[5], back: m[6]}, true
}

func (s state) Refuse(input string) (why games.Reason, ok bool) {
	t, read := readTyped(input)
	switch {
	case strings.HasPrefix(input, "roll "):
		return games.Because("PP-5", "pirate-versus-pirate.refuse.roll"), true
	case !read && input != "pass" && input != "ready":
		return games.Reason{}, false
	}
	for _, name := range []string{t.from, t.to, t.coin} {
		if name != "" && named(name) == nowhere {
			return games.Because("PP-1", "pirate-versus-pirate.refuse.no-space", "Space", name), true
		}
	}
	setting := read && t.to == "" && t.back != ""
	switch {
	case s.phase == turning && setting:
		return s.refuseBack(t), true
	case s.phase == turning:
		return games.Because("PP-12", "pirate-versus-pirate.refuse.backs-first"), true
	case input == "pass":
		return games.Because("PP-5", "pirate-versus-pirate.refuse.pass", "Count", s.steps()), true
	case (setting || input == "ready") && !s.facing:
		return games.Because("PP-12", "pirate-versus-pirate.refuse.no-backs"), true
	case setting || input == "ready":
		return games.Because("PP-12", "pirate-versus-pirate.refuse.backs-set"), true
	}
	if why, ok := s.refuseFrom(t); ok {
		return why, true
	}
	if t.to == "" {
		return games.Because("PP-5", "pirate-versus-pirate.refuse.stuck", "Space", t.from, "Count", s.steps()), true
	}
	if why, ok := s.refuseTo(t); ok {
		return why, true
	}
	if !s.facing {
		return games.Because("PP-12", "pirate-versus-pirate.refuse.no-backs"), true
	}
	return badSide(named(t.to)), true
}

// refuseBack returns the reason why the typed back cannot be set before the first turn (PP-12).
func (s state) refuseBack(t typed) games.Reason {
	unset := s.unset(s.turn)
	next := unset.take()
	if why, ok := s.refuseFrom(t); ok {
		return why
	}
	if from := named(t.from); from != next {
		return games.Because("PP-12", "pirate-versus-pirate.refuse.other-back", "Space", next.String())
	}
	return badSide(next)
}

// badSide returns the reason for refusing a letter that is no side of t (PP-12).
func badSide(t triangle) games.Reason {
	var want text.Or
	for e := flat; e < noEdge; e++ {
		want = append(want, text.Raw(e.letter(t)))
	}
	return games.Because("PP-12", "pirate-versus-pirate.refuse.side", "Space", t.String(), "Want", want)
}

// refuseFrom returns the reason why the move cannot start at the typed triangle: the player has no pirate there, or
// the pirate has no coin to leave.
func (s state) refuseFrom(t typed) (why games.Reason, ok bool) {
	from := named(t.from)
	switch {
	case !s.pirates().has(from):
		return games.Because("PP-5", "pirate-versus-pirate.refuse.nobody", "Space", t.from), true
	case !s.crew[s.turn].has(from):
		return games.Because("PP-5", "pirate-versus-pirate.refuse.theirs", "Space", t.from,
			"Color", text.ColorOf(s.owner(from)), "Own", text.ColorOf(s.turn)), true
	case t.left && !s.coins().has(from):
		return games.Because("PP-8", "pirate-versus-pirate.refuse.nothing-to-leave", "Space", t.from), true
	}
	return games.Reason{}, false
}

// refuseTo returns the reason why the pirate cannot go to the typed triangle, or take the typed coin. It does not check
// the typed back.
func (s state) refuseTo(t typed) (why games.Reason, ok bool) {
	from, to, steps, table := named(t.from), named(t.to), s.steps(), routes()
	way := func(rule, id string) (games.Reason, bool) {
		return games.Because(rule, id, "From", t.from, "To", t.to, "Count", steps), true
	}
	var e *end
	of := table.of[from][steps]
	for i := of.first; i < of.end; i++ {
		if table.ends[i].to == to {
			e = &table.ends[i]
		}
	}
	pirates, lying := s.pirates(), s.lying()
	rival := pirates.less(s.crew[s.turn]).has(to)
	carries := s.coins().has(from)
	switch {
	case e == nil:
		return way("PP-5", "pirate-versus-pirate.refuse.far")
	case s.crew[s.turn].has(to):
		return way("PP-6", "pirate-versus-pirate.refuse.own")
	case !table.open(e, pirates):
		return way("PP-6", "pirate-versus-pirate.refuse.blocked")
	case rival && t.left:
		return way("PP-8", "pirate-versus-pirate.refuse.left-attack")
	case rival && carries:
		return way("PP-7", "pirate-versus-pirate.refuse.carrier-attack")
	case rival && !table.open(e, pirates.or(lying)):
		return way("PP-7", "pirate-versus-pirate.refuse.coin-attack")
	case rival && !s.attackable(table, e, pirates.or(lying)):
		return way("PP-12", "pirate-versus-pirate.refuse.back-attack")
	case rival && !t.attacks:
		return way("PP-9", "pirate-versus-pirate.refuse.attack")
	case !rival && t.attacks:
		return way("PP-9", "pirate-versus-pirate.refuse.no-attack")
	case carries && (lying.has(to) || !table.open(e, pirates.or(lying))):
		if t.left {
			return way("PP-8", "pirate-versus-pirate.refuse.left-coin")
		}
		return way("PP-7", "pirate-versus-pirate.refuse.second-coin")
	case t.coin != "" && (rival || carries):
		return games.Because("PP-7", "pirate-versus-pirate.refuse.no-coin-so", "Coin", "@"+t.coin), true
	}
	return s.refuseCoin(t)
}

// refuseCoin returns the reason why the move cannot take the typed coin, or why it cannot go without a coin if none is
// typed.
func (s state) refuseCoin(t typed) (why games.Reason, ok bool) {
	var takes text.Or
	free := false
	for _, m := range s.appendSteps(nil) {
		if fromOf(m) != named(t.from) || toOf(m) != named(t.to) {
			continue
		}
		coin := coinOf(m)
		if coin == nowhere && t.coin == "" || coin != nowhere && coin.String() == t.coin {
			return games.Reason{}, false
		}
		if coin == nowhere {
			free = true
			continue
		}
		takes = append(takes, text.Raw("@"+coin.String()))
	}
	switch {
	case t.coin != "" && !s.lying().has(named(t.coin)):
		return games.Because("PP-7", "pirate-versus-pirate.refuse.no-coin", "Space", t.coin), true
	case len(takes) > 0 && !free:
		return games.Because("PP-7", "pirate-versus-pirate.refuse.takes", "Want", takes), true
	case t.coin != "":
		return games.Because("PP-7", "pirate-versus-pirate.refuse.not-past", "Space", t.coin), true
	default:
		return games.Because("PP-7", "pirate-versus-pirate.refuse.two-coins", "From", t.from, "To", t.to, "Count",
			s.steps()), true
	}
}
