package deck

import (
	"regexp"
	"strconv"

	"marque/games"
)

// Typed is a move in the notation of the three games as a user typed it: "+3", "9", "9-10", "7x10<9=12+1". A missing
// number is 0.
type Typed struct {
	From, To int
	Takes    bool   // whether the sign was "x" instead of "-"
	By       int    // the number after "<"
	Freed    string // the steps of freed tokens, such as "=12" or "=x12=14"
	Place    int    // the number after "+"
}

var typedForm = regexp.MustCompile(
	`^(?:(\d{1,3})(?:([-x])(\d{1,3})(?:<(\d{1,3}))?((?:=x?\d{1,3})*))?)?(?:\+(\d{1,3}))?$`)

// ReadTyped parses a typed move. ok is false if the text is not a move.
func ReadTyped(s string) (t Typed, ok bool) {
	m := typedForm.FindStringSubmatch(s)
	if m == nil || s == "" || m[1] != "" && m[3] == "" && m[6] != "" {
		return Typed{}, false
	}
	number := func(i int) int { n, _ := strconv.Atoi(m[i]); return n }
	return Typed{From: number(1), To: number(3), Takes: m[2] == "x", By: number(4), Freed: m[5], Place: number(6)}, true
}

// Placing returns the reason why no token can be placed on the space with this number. empty is the set of empty
// spaces, and rule is the game's rule for placing. ok is false if the space is an empty hatch.
func Placing(rule string, number int, empty Set) (why games.Reason, ok bool) {
	if why, ok := NoSpace(number); ok {
		return why, true
	}
	s := Space(number - 1)
	switch {
	case !Hatches.Has(s):
		return games.Because("DK-6", "deck.refuse.no-hatch", "Space", s.String()), true
	case !empty.Has(s):
		return games.Because(rule, "deck.refuse.hatch-taken", "Space", s.String()), true
	}
	return games.Reason{}, false
}

// NoSpace returns the reason against a number that no space has (DK-1). ok is false if a space has it.
func NoSpace(number int) (why games.Reason, ok bool) {
	if 1 <= number && number <= Spaces {
		return games.Reason{}, false
	}
	return games.Because("DK-1", "deck.refuse.no-space", "Space", strconv.Itoa(number)), true
}

// NoStep returns the reason why a token on the space from can never step to the space to, even if all spaces are
// empty (DK-4). ok is false if it can.
func NoStep(from, back, to Space) (why games.Reason, ok bool) {
	switch {
	case from == to:
		return games.Because("DK-4", "deck.refuse.stays", "Space", from.String()), true
	case back == to:
		return games.Because("DK-4", "deck.refuse.back", "From", from.String(), "To", to.String()), true
	case !Neighbours(from).Has(to):
		return games.Because("DK-2", "deck.refuse.no-path", "From", from.String(), "To", to.String()), true
	}
	return games.Reason{}, false
}

// NoWalk returns the reason why no walk of n steps, as in Walk, from st ends on the space to. rule is the game's rule
// for walks. ok is false if a walk ends there.
func NoWalk(rule string, st Stance, n int, to Space, empty StanceSet) (why games.Reason, ok bool) {
	if n == 1 {
		return NoStep(st.Space(), st.Back(), to)
	}
	id := "deck.refuse.blocked"
	switch {
	case st.Walk(n, AllStances).On(to) == 0:
		id = "deck.refuse.far"
	case st.Walk(n, empty).On(to) != 0:
		return games.Reason{}, false
	}
	return games.Because(rule, id, "From", st.Space().String(), "To", to.String(), "Count", n), true
}
