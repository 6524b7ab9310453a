package locale

import "strings"

// sentence is one of go-i18n's templates, taken apart: the text before each argument, and the arguments' names.
// Most sentences have no plural forms, and are said by this type alone, because it is faster: for every sentence
// the library would look for the language and run the template.
type sentence struct {
	before []string // one more than names; none in a sentence that is not prepared
	names  []string
}

// prepare takes a template apart. It reports false when the template is empty, or does more than name arguments.
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

// notInName reports whether a character is no letter: braces with such a character in them are the library's work.
func notInName(r rune) bool { return (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') }

// fill puts the arguments in, as text. It reports false when one is missing or the sentence is not prepared.
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
