package locale

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
	"github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/text/language"

	"marque/games/text"
)

// Fault is a mistake in the sentences of a language.
type Fault struct {
	ID, What string
	Do       string // instruction for correcting the mistake
}

// String returns the fault on one line. It cleans and shortens the id, which can be any text if English does not have
// it.
func (f Fault) String() string { return fmt.Sprintf("%.100s: %s", text.NewName(f.ID).Plain(), f.What) }

// Coverage holds how complete a language is.
type Coverage struct {
	Language language.Tag
	Said, Of int      // numbers of translated ids and of all ids
	Missing  []string // untranslated ids, sorted
	Faults   []Fault  // mistakes in translations, sorted by id
}

// Complete reports whether every id has a sentence and there are no faults, so that the language is offered.
func (c Coverage) Complete() bool { return len(c.Missing) == 0 && len(c.Faults) == 0 }

// Check reads the sentences in a folder and compares them with the built-in English ones. It returns the coverage of
// each language in the folder, sorted by language tag. The language's built-in sentences count, too. An error about a
// file names the file.
func Check(folder fs.FS) ([]Coverage, error) {
	own, err := read(folder)
	if err != nil {
		return nil, err
	}
	built, err := read(files)
	if err != nil {
		return nil, err
	}
	return check(built.messages[language.English], built.with(own), slices.Collect(maps.Keys(own.messages)))
}

// sentencesOf holds the sentences of one or more files, by language and id.
type sentencesOf struct {
	messages map[language.Tag]map[string]*i18n.Message
	twice    map[language.Tag][]string // ids with two sentences
}

// Limits for reading a folder, many times larger than translations need.
const (
	maxFile  = 1 << 20 // bytes per file
	maxFiles = 1000
	maxBytes = 32 << 20 // bytes of all files together
	maxLine  = 16 << 10 // bytes per line
)

// readFile returns the contents of a file of sentences. Its error describes the fault of the file.
func readFile(folder fs.FS, name string) ([]byte, error) {
	// The file is checked before it is opened, because opening a pipe would wait for a writer.
	info, err := fs.Stat(folder, name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is a folder, a pipe or a device, not a file; take it away", name)
	}
	f, err := folder.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return nil, err
	case len(b) > maxFile:
		return nil, fmt.Errorf("%s is larger than 1 MiB, so it is not a file of translations; take it away", name)
	}
	number := 0
	for line := range bytes.Lines(b) {
		if number++; len(line) > maxLine {
			return nil, fmt.Errorf("%s: line %d is longer than 16 KiB", name, number)
		}
	}
	return b, nil
}

// read returns the sentences in the files of a folder.
func read(folder fs.FS) (sentencesOf, error) {
	all := sentencesOf{map[language.Tag]map[string]*i18n.Message{}, map[language.Tag][]string{}}
	names, err := fs.Glob(folder, "*.toml")
	switch {
	case err != nil:
		return all, err
	case len(names) > maxFiles:
		return all, fmt.Errorf("%d files PREFIX.LANGUAGE.toml in a folder; at most %d are read", len(names), maxFiles)
	}
	size := 0
	for _, name := range names {
		b, err := readFile(folder, name)
		if err != nil {
			return all, err
		}
		if size += len(b); size > maxBytes {
			return all, fmt.Errorf("with %s the files of translations are larger than 32 MiB together", name)
		}
		file, err := i18n.ParseMessageFileBytes(b, name, map[string]i18n.UnmarshalFunc{"toml": toml.Unmarshal})
		if err != nil { // the error can quote a whole line
			return all, fmt.Errorf("%s: %.200s", name, err.Error())
		}
		if file.Tag == language.Und || strings.Count(name, ".") != 2 {
			return all, fmt.Errorf("%s: a file is named PREFIX.LANGUAGE.toml, such as bot.de.toml", name)
		}
		if all.messages[file.Tag] == nil {
			all.messages[file.Tag] = map[string]*i18n.Message{}
		}
		for _, m := range file.Messages {
			m.LeftDelim, m.RightDelim = "", "" // only the default delimiters are allowed
			if all.messages[file.Tag][m.ID] != nil {
				all.twice[file.Tag] = append(all.twice[file.Tag], m.ID)
			}
			all.messages[file.Tag][m.ID] = m
		}
	}
	return all, nil
}

// with returns the sentences of s and own. A sentence of own replaces one of s.
func (s sentencesOf) with(own sentencesOf) sentencesOf {
	all := sentencesOf{map[language.Tag]map[string]*i18n.Message{}, map[language.Tag][]string{}}
	for _, part := range []sentencesOf{s, own} {
		for tag, messages := range part.messages {
			if all.messages[tag] == nil {
				all.messages[tag] = map[string]*i18n.Message{}
			}
			maps.Copy(all.messages[tag], messages)
			all.twice[tag] = append(all.twice[tag], part.twice[tag]...)
		}
	}
	return all
}

// check returns the coverage of the languages in tags, sorted by tag.
func check(english map[string]*i18n.Message, all sentencesOf, tags []language.Tag) ([]Coverage, error) {
	slices.SortFunc(tags, func(a, b language.Tag) int { return cmp.Compare(a.String(), b.String()) })
	var out []Coverage
	for _, tag := range tags {
		c := Coverage{Language: tag, Of: len(english)}
		messages := all.messages[tag]
		for id := range english {
			if messages[id] == nil {
				c.Missing = append(c.Missing, id)
			}
		}
		c.Said = c.Of - len(c.Missing)
		slices.Sort(c.Missing)
		stands, err := numbers(tag)
		if err != nil {
			return nil, err
		}
		for id, m := range messages {
			c.Faults = append(c.Faults, faults(english[id], m, stands)...)
		}
		for _, id := range all.twice[tag] {
			c.Faults = append(c.Faults, Fault{id, "has two sentences", "Keep one of them."})
		}
		slices.SortFunc(c.Faults, func(a, b Fault) int {
			return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.What, b.What))
		})
		c.Faults = slices.Compact(c.Faults)
		out = append(out, c)
	}
	return out, nil
}

// faults returns the mistakes in a message. stands holds the numbers that use each plural form of the message's
// language.
func faults(english, m *i18n.Message, stands map[string][]int) (list []Fault) {
	fault := func(do, format string, args ...any) {
		list = append(list, Fault{m.ID, fmt.Sprintf(format, args...), do})
	}
	if english == nil {
		fault("Take it out, or look for its new id in the English files.", "is no id in English")
		return list
	}
	want, have := allFields(english), said(m)
	counted := len(said(english)) > 1
	// A sentence without a count has only the form other, and a sentence with a count has every form of the language.
	if m.Other == "" && (!counted || stands["other"] != nil) {
		fault("Write the sentence behind other =.", "lacks the form other")
	}
	length := 0
	for _, sentence := range said(english) {
		length = max(length, utf8.RuneCountInString(sentence))
	}
	for form, sentence := range have {
		list = append(list, formFaults(m.ID, form, sentence, length, want, stands)...)
	}
	for _, f := range unsafe {
		there := allOf(f.what, english)
		for found := range allOf(f.what, m) {
			if !there[found] {
				fault(f.do, "has %s %+q, which there is not in English", f.name, found)
			}
		}
	}
	for code := range set(codes, english.Other) {
		if m.Other != "" && !set(codes, m.Other)[code] {
			fault("Leave it in the sentence as it stands in English.",
				"lacks %s, which is typed as it is in every language", code)
		}
	}
	for command := range set(commands, english.Other) {
		if m.Other != "" && !strings.Contains(m.Other, command) {
			fault("Leave it in the sentence as it stands in English.",
				"lacks the command %s, which is the same in every language", command)
		}
	}
	if counted {
		for form, n := range stands {
			if have[form] == "" && form != "other" && len(n) > 0 {
				fault("Write what is said of these numbers behind "+form+" =.", "lacks the form %s, for %v", form,
					n[:min(3, len(n))])
			}
		}
	}
	return list
}

// formFaults returns the mistakes in one plural form of a message. english is the length of the longest English form,
// in characters. want contains the arguments that the message can have.
func formFaults(id, form, sentence string, english int, want map[string]bool,
	stands map[string][]int) (list []Fault) {
	fault := func(do, format string, args ...any) {
		list = append(list, Fault{id, fmt.Sprintf(format, args...), do})
	}
	names, ok := fields(sentence)
	if !ok {
		fault("Arguments are written as {{.Who}}. "+argumentsOf(want),
			"has braces that name no argument in the form %s", form)
	}
	for name := range names {
		if !want[name] {
			fault(argumentsOf(want), "has the argument %s, which there is not in English", name)
		}
	}
	for name := range want {
		// A form for a single number can contain that number as a word: "the last coin".
		if !names[name] && (form == "other" || len(stands[form]) != 1) {
			fault("Write {{."+name+"}} where it is to be said.", "lacks the argument %s in the form %s", name, form)
		}
	}
	if stands[form] == nil && form != "other" {
		fault("Take this form out.", "has the form %s, which the language has not", form)
	}
	n := utf8.RuneCountInString(field.ReplaceAllString(sentence, ""))
	if most := Most(id); most > 0 {
		if n > most {
			fault(fmt.Sprintf("Shorten it by %d.", n-most), "has %d characters in the form %s, and Discord takes %d", n,
				form, most)
		}
	} else if most = max(leastRoom, longer*english); n > most {
		fault(fmt.Sprintf("Shorten it by %d.", n-most), "has %d characters in the form %s, and %d in English", n, form,
			english)
	}
	return list
}

// A sentence without a limit of Discord's can have leastRoom characters, or longer times as many characters as the
// English one, whichever is more.
const (
	longer    = 3
	leastRoom = 100
)

// argumentsOf returns a phrase about the arguments that a sentence can have.
func argumentsOf(want map[string]bool) string {
	if len(want) == 0 {
		return "This sentence has none in English."
	}
	return "This sentence has {{." + strings.Join(slices.Sorted(maps.Keys(want)), "}}, {{.") + "}}."
}

var (
	field    = regexp.MustCompile(`{{\.([A-Za-z]+)}}`)
	codes    = regexp.MustCompile("`[^`\n]+`")                     // text that players type: a move, an option
	commands = regexp.MustCompile(`(?:^|[^\p{L}\d}])(/[a-z]{2,})`) // “/play”, not and/or
)

// unsafe holds patterns of markup and control characters. A translation may contain them only if the English sentence
// does.
var unsafe = []struct {
	name, do string
	what     *regexp.Regexp
}{
	{"the control character", "Take it out.",
		regexp.MustCompile(`[\x00-\x09\x0B-\x1F\x7F-\x9F\x{202A}-\x{202E}\x{2066}-\x{2069}]`)},
	{"the mention", "Take it out; who is mentioned is an argument.",
		regexp.MustCompile(`<(?:@[!&]?|#|/|a?:|t:|id:)[^<>\n]*>|@(?:everyone|here)`)},
	{"the link", "Take it out; where the bot links to something, the link is an argument.",
		regexp.MustCompile(`(?i)[a-z][a-z0-9+.-]*://(?:[^\s<>]*[\pL\pN/=&#])?|\]\([^)\n]*\)|discord\.gg/\S*`)},
}

// set returns the distinct texts in a sentence that match a pattern, or its group if it has one.
func set(pattern *regexp.Regexp, sentence string) map[string]bool {
	found := map[string]bool{}
	for _, m := range pattern.FindAllStringSubmatch(sentence, -1) {
		found[m[len(m)-1]] = true
	}
	return found
}

// allOf returns the union of set over all plural forms of a message.
func allOf(pattern *regexp.Regexp, m *i18n.Message) map[string]bool {
	all := map[string]bool{}
	for _, s := range said(m) {
		maps.Copy(all, set(pattern, s))
	}
	return all
}

// forms holds the names of CLDR's plural forms and the field of a message for each form.
var forms = []struct {
	name string
	of   func(*i18n.Message) *string
}{
	{"zero", func(m *i18n.Message) *string { return &m.Zero }},
	{"one", func(m *i18n.Message) *string { return &m.One }},
	{"two", func(m *i18n.Message) *string { return &m.Two }},
	{"few", func(m *i18n.Message) *string { return &m.Few }},
	{"many", func(m *i18n.Message) *string { return &m.Many }},
	{"other", func(m *i18n.Message) *string { return &m.Other }},
}

// fields returns the arguments of a sentence in one plural form. ok is false if braces contain anything that is not an
// argument.
func fields(sentence string) (names map[string]bool, ok bool) {
	rest := field.ReplaceAllString(sentence, "")
	return set(field, sentence), !strings.Contains(rest, "{{") && !strings.Contains(rest, "}}")
}

// said returns a message's nonempty sentences by plural form.
func said(m *i18n.Message) map[string]string {
	out := map[string]string{}
	for _, f := range forms {
		if s := *f.of(m); s != "" {
			out[f.name] = s
		}
	}
	return out
}

// allFields returns the arguments of all plural forms of a message.
func allFields(m *i18n.Message) map[string]bool {
	all := map[string]bool{}
	for _, s := range said(m) {
		names, _ := fields(s)
		maps.Copy(all, names)
	}
	return all
}

// counts is the number of integers, from 0, with which the plural forms of a language are determined.
const counts = 1001

// million has a plural form of its own in some languages, such as French. A sentence can have that form but needs none.
const million = 1_000_000

// numbers returns, for each plural form of a language, the numbers below counts that use it. If none uses the form of a
// million, this form has an empty list. numbers uses the library that chooses the form of a sentence.
func numbers(tag language.Tag) (map[string][]int, error) {
	m := &i18n.Message{ID: "form"}
	for _, f := range forms {
		*f.of(m) = f.name
	}
	bundle := i18n.NewBundle(tag)
	if err := bundle.AddMessages(tag, m); err != nil {
		return nil, fmt.Errorf("no language whose plural forms are known is called %s: %w", tag, err)
	}
	loc := i18n.NewLocalizer(bundle, tag.String())
	out := map[string][]int{}
	for n := range counts {
		form, err := loc.Localize(&i18n.LocalizeConfig{MessageID: "form", PluralCount: n})
		if err != nil {
			return nil, fmt.Errorf("%s, %d: %w", tag, n, err)
		}
		out[form] = append(out[form], n)
	}
	form, err := loc.Localize(&i18n.LocalizeConfig{MessageID: "form", PluralCount: million})
	if err == nil && out[form] == nil {
		out[form] = []int{}
	}
	return out, nil
}
