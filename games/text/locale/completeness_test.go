package locale

import (
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/text/language"

	"marque/games/text"
)

// finished lists the languages that are already in use. Users of these would see English if a sentence were missing.
var finished = []language.Tag{language.English, language.German}

// The built-in languages have no faults: no missing argument, plural form, command or typed word, no unused sentence,
// and no label that exceeds Discord's limit. A language with missing sentences is not offered, and a finished language
// has none.
func TestEveryLanguageIsInOrder(t *testing.T) {
	c, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	var offered []language.Tag
	for _, l := range c.Coverage() {
		t.Logf("%s says %d of %d", l.Language, l.Said, l.Of)
		if len(l.Missing) > 0 {
			tell := t.Logf
			if slices.Contains(finished, l.Language) {
				tell = t.Errorf
			}
			tell("%s is not offered until it says %s", l.Language, strings.Join(l.Missing, ", "))
		}
		for _, f := range l.Faults {
			t.Errorf("%s: %s", l.Language, f)
		}
		if l.Complete() {
			offered = append(offered, l.Language)
		}
	}
	for _, tag := range finished {
		if !slices.Contains(offered, tag) {
			t.Errorf("%s is not complete", tag)
		}
	}
	have := slices.Clone(c.Languages())
	for _, list := range [][]language.Tag{have, offered} {
		slices.SortFunc(list, func(a, b language.Tag) int { return strings.Compare(a.String(), b.String()) })
	}
	if !slices.Equal(have, offered) {
		t.Errorf("offered are %v, complete are %v", have, offered)
	}
}

// Each English sentence of a single word, except the description of a command, has a description that says where the
// word appears, because the word can have several meanings.
func TestSingleWordsSayWhereTheyAreSeen(t *testing.T) {
	built, err := read(files)
	if err != nil {
		t.Fatal(err)
	}
	described := 0
	for id, m := range built.messages[language.English] {
		if m.Description != "" {
			described++
		} else if !strings.HasSuffix(id, ".description") && len(strings.Fields(m.Other)) == 1 {
			t.Errorf("%s is %q, and has no description", id, m.Other)
		}
	}
	t.Logf("%d of %d sentences have a description", described, len(built.messages[language.English]))
}

// The coverage of the languages in testdata/faulty lists every fault in their files, and no correct sentence. The
// French file has the form for millions, and the Spanish file leaves it out: both are right.
func TestFaultsOfALanguageAreFound(t *testing.T) {
	want := []string{
		"de: bot.button.move: has 88 characters in the form other, and Discord takes 80",
		"de: t.braces: has braces that name no argument in the form other",
		"de: t.coins: has the form few, which the language has not",
		"de: t.coins: lacks the form one, for [1]",
		"de: t.empty: lacks the form other",
		"de: t.orphan: is no id in English",
		"de: t.other-argument: has the argument Whom, which there is not in English",
		"de: t.other-argument: lacks the argument Who in the form other",
		"de: t.twice: has two sentences",
		"de: t.typed: lacks `take 1`, which is typed as it is in every language",
		"de: t.typed: lacks the command /play, which is the same in every language",
		"de: t.missing is missing",
		"es: t.missing is missing",
		"fr: t.missing is missing",
		"pl: t.coins: lacks the form few, for [2 3 4]",
		"ru: t.coins: lacks the argument Count in the form one",
	}
	all, err := read(os.DirFS("testdata/faulty"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := load(all.messages[language.English], all)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range c.Coverage() {
		for _, f := range l.Faults {
			got = append(got, l.Language.String()+": "+f.String())
		}
		for _, id := range l.Missing {
			got = append(got, l.Language.String()+": "+id+" is missing")
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := c.Languages(); !slices.Equal(got, []language.Tag{language.English}) {
		t.Errorf("%v are offered, want English alone", got)
	}
}

// Check reports a translation that adds control characters, mentions, links or template actions, or that is several
// times as long as the English sentence. A language with such a fault is not offered; in English, the built-in sentence
// is used.
func TestSentencesThatDoMoreThanSaySomething(t *testing.T) {
	const id = "bot.error.managers"
	twice := func(sentence string) fs.FS {
		data := []byte(`["` + id + "\"]\n" + sentence)
		return fstest.MapFS{"bot.en.toml": {Data: data}, "bot.de.toml": {Data: data}}
	}
	const strange = ", which there is not in English"
	for sentence, want := range map[string]string{
		`other = "A \u0007bell."`:                    `has the control character "\a"` + strange,
		`other = "Nothing\u0000."`:                   `has the control character "\x00"` + strange,
		`other = "gpj.\u202Etxt"`:                    `has the control character "\u202e"` + strange,
		`other = "@everyone, come."`:                 `has the mention "@everyone"` + strange,
		`other = "Ask <@&42>."`:                      `has the mention "<@&42>"` + strange,
		`other = "See <#42>."`:                       `has the mention "<#42>"` + strange,
		`other = "See https://e.org/x."`:             `has the link "https://e.org/x"` + strange,
		`other = "[Managers](HTTP://e.org)"`:         `has the link "](HTTP://e.org)"` + strange,
		`other = "Come to discord.gg/x"`:             `has the link "discord.gg/x"` + strange,
		`other = "{{printf \"%999999999d\" 1}}"`:     `has braces that name no argument in the form other`,
		`other = "` + strings.Repeat("x", 400) + `"`: `has 400 characters in the form other, and 61 in English`,
	} {
		checked, err := Check(twice(sentence))
		if err != nil || len(checked) != 2 {
			t.Fatalf("%s: %v, %v", sentence, checked, err)
		}
		for _, c := range checked {
			found := slices.ContainsFunc(c.Faults, func(f Fault) bool { return f.ID == id && f.What == want })
			if !found || c.Complete() {
				t.Errorf("%.40s, %s: %v; want that it %s", sentence, c.Language, c.Faults, want)
			}
		}
	}
	faulty, err := Load(twice(`other = "@everyone, come."`))
	if err != nil {
		t.Fatal(err)
	}
	for _, lang := range []string{"en", "de"} {
		if s := faulty.Speaker(nil, lang); s.Language() != language.English ||
			s.Say(text.M(id)) != "Only members with the “Manage Server” permission can do that." {
			t.Errorf("%s: said is %q in %s", lang, s.Say(text.M(id)), s.Language())
		}
	}
	// A file cannot change the delimiters, so the template is not executed and the sentence is shown unchanged.
	c, err := Load(fstest.MapFS{"bot.en.toml": {Data: []byte(`["` + id + `"]
leftDelim = "<<"
rightDelim = ">>"
other = "<<printf \"%9d\" 1>>"`)}})
	if err != nil {
		t.Fatal(err)
	}
	if said := c.Speaker(nil, "en").Say(text.M(id)); said != `<<printf "%9d" 1>>` {
		t.Errorf("a template with other signs is said as %q", said)
	}
}

// An operator's sentences replace the built-in ones. An incomplete additional language is reported by Check and not
// offered.
func TestAnOperatorsOwnLanguages(t *testing.T) {
	built, err := read(files)
	if err != nil {
		t.Fatal(err)
	}
	own := os.DirFS("testdata/own")
	c, err := Load(own)
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Speaker(nil, "en-GB").Say(text.M("bot.button.move")); got != "Heave ho" {
		t.Errorf("an own English sentence is said as %q", got)
	}
	if got := c.Speaker(nil, "fr").Language(); got != language.English {
		t.Errorf("what lacks sentences is offered: %s", got)
	}
	checked, err := Check(own)
	if err != nil || len(checked) != 2 {
		t.Fatalf("%v, %v", checked, err)
	}
	all := len(built.messages[language.English])
	if en, fr := checked[0], checked[1]; !en.Complete() || fr.Said != 1 || fr.Of != all || fr.Complete() ||
		len(fr.Faults) > 0 {
		t.Errorf("English is %d of %d with %v, French %d of %d with %v, want all and 1 of %d",
			en.Said, en.Of, en.Faults, fr.Said, fr.Of, fr.Faults, all)
	}
}
