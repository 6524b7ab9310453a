package locale

import "strings"

// sentence is a parsed go-i18n template: the text before each argument, and the arguments' names. Most sentences have
// no plural forms and need only this type. It is faster than the library, which would look up the language and execute
// the template every time.
type sentence struct {
	before []string // text before each name and after the last; empty if prepare refused the template
	names  []string
}

// prepare parses a template. ok is false if the template is empty, or contains more than text and arguments.
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

// notInName reports whether a character is not an ASCII letter. The library handles templates with such characters
// between braces.
func notInName(r rune) bool { return (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') }

// fill inserts the formatted arguments. It returns false if an argument is missing or the sentence was not prepared.
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
