package locale

import (
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/text/language"

	"marque/games/text"
)

func speaker(t *testing.T, tags ...string) *Speaker {
	t.Helper()
	all, err := read(os.DirFS("testdata/said"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := load(all.messages[language.English], all)
	if err != nil {
		t.Fatal(err)
	}
	return c.Speaker(func(n int) text.Message { return map[int]text.Message{0: text.NewName("Ann").Raw()}[n] }, tags...)
}

func TestSay(t *testing.T) {
	three := text.Or{text.Raw("10"), text.Raw("7"), text.Raw("8")}
	for _, tc := range []struct {
		name, lang string
		m          text.Message
		want       string
	}{
		{"singular", "en", text.M("t.coins", "Who", text.Player(0), "Count", 1), "Ann takes 1 coin."},
		{"plural", "en", text.M("t.coins", "Who", text.Player(0), "Count", 3), "Ann takes 3 coins."},
		{"a seat without a name", "en", text.M("t.coins", "Who", text.Player(1), "Count", 0), "player 2 takes 0 coins."},
		{"a second language is a file", "de", text.M("t.coins", "Who", text.Player(0), "Count", 1), "Ann nimmt 1 Münze."},
		{"a list there", "de", text.M("t.list", "Of", three), "Eines von 10, 7 oder 8."},
		{"what lacks a sentence is not offered", "fr", text.M("t.list", "Of", three), "One of 10, 7 or 8."},
		{"an unknown language is English", "xx", text.M("t.list", "Of", three[:2]), "One of 10 or 7."},
		{"a colour and a part of its own", "en", text.M("t.list", "Of", text.ColorOf(0)), "One of Red."},
		{"an unknown id is shown", "en", text.M("t.nothing"), "[t.nothing]"},
		{"raw", "en", text.Raw("C4"), "C4"},
		{"a decimal in English", "en", text.Decimal(7.0 / 24).Raw(), "0.29"},
		{"a decimal in German", "de", text.Decimal(2.5).Raw(), "2,5"},
		{"nothing", "en", text.Message{}, ""},
	} {
		if got := speaker(t, tc.lang).Say(tc.m); got != tc.want {
			t.Errorf("%s: said %q, want %q", tc.name, got, tc.want)
		}
	}
}

// For Discord, a time is markup, which each reader's app formats. Elsewhere a time is shown in UTC.
func TestSayMoments(t *testing.T) {
	at := time.Date(2026, 5, 1, 14, 30, 0, 0, time.FixedZone("", 7200))
	m := text.M("t.list", "Of", at)
	if got := speaker(t).Plain().Named(nil).Say(m); got != "One of 1 May 2026, 12:30 UTC." {
		t.Errorf("plainly said %q", got)
	}
	if got := speaker(t).Say(m); got != "One of <t:1777638600:R>." {
		t.Errorf("said %q", got)
	}
}

func TestEmbeddedFilesLoad(t *testing.T) {
	c, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Languages(); len(got) == 0 || got[0].String() != "en" {
		t.Errorf("languages %v, want English first", got)
	}
}

// Each sentence is in the file named after the first part of its id, in every language. So an id in the code leads to
// its sentence.
func TestSentencesAreInTheFileOfTheirPrefix(t *testing.T) {
	names, err := fs.Glob(files, "*.toml")
	if err != nil || len(names) == 0 {
		t.Fatalf("files %v, %v", names, err)
	}
	for _, name := range names {
		b, err := files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		unmarshal := map[string]i18n.UnmarshalFunc{"toml": toml.Unmarshal}
		mf, err := i18n.ParseMessageFileBytes(b, name, unmarshal)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		prefix, _, _ := strings.Cut(name, ".")
		for _, m := range mf.Messages {
			if first, _, _ := strings.Cut(m.ID, "."); first != prefix {
				t.Errorf("%s is in %s and belongs in %s%s", m.ID, name, first, strings.TrimPrefix(name, prefix))
			}
		}
	}
}
