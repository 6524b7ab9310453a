package locale

import "strings"

// sentence is a template of go-i18n's, taken apart: what stands before each of its arguments, and the
// arguments' names. It says by itself what has no forms for numbers, which is most of what is said:
// the library looks for the language again, and runs the template, for every sentence.
type sentence struct {
	before []string // one more than names; none in a sentence that is not prepared
	names  []string
}

// prepare takes a template apart. It reports false for one that is empty, or does more than name its
// arguments.
func prepare(template string) (s sentence, ok bool) {
	if template == "" {
		return sentence{}, false
	}
	for {
		before, rest, found := strings.Cut(template, "{{")
		s.before = append(s.before, before)
		if !found {
			return s, true
		}
		action, after, closed := strings.Cut(rest, "}}")
		name, named := strings.CutPrefix(action, ".")
		if !closed || !named || name == "" || strings.ContainsFunc(name, notInName) {
			return sentence{}, false
		}
		s.names = append(s.names, name)
		template = after
	}
}

// notInName reports whether a character makes of a name something that the library has to understand.
func notInName(r rune) bool { return (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') }

// fill puts in what the arguments have become. It reports false when one of them is missing, and for a
// sentence that is not prepared.
func (s sentence) fill(said func(name string) (string, bool)) (string, bool) {
	if len(s.before) == 0 {
		return "", false
	}
	var b strings.Builder
	for i, name := range s.names {
		arg, ok := said(name)
		if !ok {
			return "", false
		}
		b.WriteString(s.before[i])
		b.WriteString(arg)
	}
	b.WriteString(s.before[len(s.names)])
	return b.String(), true
}
