package locale

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/text/language"
)

// forms are CLDR's names of the plural forms, with what a sentence says in each.
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

var field = regexp.MustCompile(`{{\.([A-Za-z]+)}}`)

// fields are the arguments of a sentence in one form; ok is false when its braces hold anything
// else.
func fields(sentence string) (names map[string]bool, ok bool) {
	names = map[string]bool{}
	for _, m := range field.FindAllStringSubmatch(sentence, -1) {
		names[m[1]] = true
	}
	rest := field.ReplaceAllString(sentence, "")
	return names, !strings.Contains(rest, "{{") && !strings.Contains(rest, "}}")
}

// said are a message's sentences by plural form, without empty ones.
func said(m *i18n.Message) map[string]string {
	out := map[string]string{}
	for _, f := range forms {
		if s := *f.of(m); s != "" {
			out[f.name] = s
		}
	}
	return out
}

// allFields are the arguments of all forms of a message together.
func allFields(m *i18n.Message) map[string]bool {
	all := map[string]bool{}
	for _, s := range said(m) {
		names, _ := fields(s)
		maps.Copy(all, names)
	}
	return all
}

// numbers tells for a language which numbers each plural form stands for, asked of the library that
// will choose among them.
func numbers(t *testing.T, tag language.Tag) map[string][]int {
	t.Helper()
	m := &i18n.Message{ID: "form"}
	for _, f := range forms {
		*f.of(m) = f.name
	}
	bundle := i18n.NewBundle(tag)
	if err := bundle.AddMessages(tag, m); err != nil {
		t.Fatalf("%s: %v", tag, err)
	}
	loc := i18n.NewLocalizer(bundle, tag.String())
	out := map[string][]int{}
	for n := range 1001 {
		form, err := loc.Localize(&i18n.LocalizeConfig{MessageID: "form", PluralCount: n})
		if err != nil {
			t.Fatalf("%s, %d: %v", tag, n, err)
		}
		out[form] = append(out[form], n)
	}
	return out
}

// faults lists what is wrong with the sentences of a folder, sorted: each language against the
// English one.
func faults(t *testing.T, fsys fs.FS) []string {
	t.Helper()
	names, err := fs.Glob(fsys, "*.toml")
	if err != nil || len(names) == 0 {
		t.Fatalf("no sentences: %v", err)
	}
	var out []string
	fault := func(tag language.Tag, id, format string, args ...any) {
		out = append(out, fmt.Sprintf("%s: %s: %s", tag, id, fmt.Sprintf(format, args...)))
	}
	languages := map[language.Tag]map[string]*i18n.Message{}
	for _, name := range names {
		b, err := fs.ReadFile(fsys, name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := i18n.ParseMessageFileBytes(b, name, map[string]i18n.UnmarshalFunc{"toml": toml.Unmarshal})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if languages[file.Tag] == nil {
			languages[file.Tag] = map[string]*i18n.Message{}
		}
		for _, m := range file.Messages {
			if languages[file.Tag][m.ID] != nil {
				fault(file.Tag, m.ID, "has two sentences")
			}
			languages[file.Tag][m.ID] = m
		}
	}
	english := languages[language.English]
	for tag, messages := range languages {
		for id := range english {
			if messages[id] == nil {
				fault(tag, id, "has no sentence")
			}
		}
		stands := numbers(t, tag)
		for id, m := range messages {
			if english[id] == nil {
				fault(tag, id, "is no id in English")
				continue
			}
			want, have := allFields(english[id]), said(m)
			counted := len(said(english[id])) > 1
			// What is not counted is said in the form other; what is, in each that numbers have.
			if m.Other == "" && (!counted || stands["other"] != nil) {
				fault(tag, id, "lacks the form other")
			}
			for form, sentence := range have {
				names, ok := fields(sentence)
				if !ok {
					fault(tag, id, "has braces that name no argument in the form %s", form)
				}
				for name := range names {
					if !want[name] {
						fault(tag, id, "has the argument %s, which there is not in English", name)
					}
				}
				for name := range want {
					// A form that stands for one number alone may say it in words: "the last coin".
					if !names[name] && (form == "other" || len(stands[form]) != 1) {
						fault(tag, id, "lacks the argument %s in the form %s", name, form)
					}
				}
				if stands[form] == nil && form != "other" {
					fault(tag, id, "has the form %s, which the language has not", form)
				}
			}
			if counted {
				for form, n := range stands {
					if have[form] == "" && form != "other" {
						fault(tag, id, "lacks the form %s, for %v", form, n[:min(3, len(n))])
					}
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Every language says everything, with the same arguments, in all of its plural forms.
func TestEveryLanguageIsComplete(t *testing.T) {
	for _, fault := range faults(t, files) {
		t.Error(fault)
	}
}

// A folder with one sentence for each thing that can be wrong, and others that are right.
func TestFaultsOfALanguageAreFound(t *testing.T) {
	want := []string{
		"de: t.braces: has braces that name no argument in the form other",
		"de: t.coins: has the form few, which the language has not",
		"de: t.coins: lacks the form one, for [1]",
		"de: t.empty: lacks the form other",
		"de: t.missing: has no sentence",
		"de: t.orphan: is no id in English",
		"de: t.other-argument: has the argument Whom, which there is not in English",
		"de: t.other-argument: lacks the argument Who in the form other",
		"de: t.twice: has two sentences",
		"pl: t.coins: lacks the form few, for [2 3 4]",
		"ru: t.coins: lacks the argument Count in the form one",
	}
	if got := faults(t, os.DirFS("testdata/faulty")); !slices.Equal(got, want) {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
