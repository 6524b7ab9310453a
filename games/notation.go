package games

import "strings"

// Notation joins the separators and keys of words.
func Notation(words []Word) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString(w.Sep)
		b.WriteString(w.Key)
	}
	return b.String()
}

// Spell returns the notation of a legal move or outcome of s.
func Spell(s State, m Move) string { return Notation(s.Spell(m)) }

// FindOutcome returns the outcome of s with exactly this notation. It returns a *ParseError if chance is not due or has
// no such outcome.
func FindOutcome(s State, notation string) (Move, error) {
	var want []string
	for _, o := range s.Outcomes() {
		t := Spell(s, o.Move)
		if t == notation {
			return o.Move, nil
		}
		want = append(want, t)
	}
	return 0, &ParseError{Input: notation, Want: want, Got: notation}
}

// FindMove returns the legal move of s with exactly this notation, or a *ParseError.
func FindMove(s State, notation string) (Move, error) {
	menu := NewMenu(s)
	if m, ok := menu.Move(notation); ok {
		return m, nil
	}
	return 0, menu.explain(notation)
}
