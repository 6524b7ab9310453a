package text_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"marque/games/text"
	"marque/games/text/texttest"
)

func TestNamesKeepWhatCanBeSeen(t *testing.T) {
	for typed, want := range map[string]string{
		"Anne Bonny":                       "Anne Bonny",
		"  Anne \t\n Bonny ":               "Anne Bonny",
		"Anne \x1b[31mBonny\a":             "Anne [31mBonny",
		"Ann\nplayer 1: Bo":                "Ann player 1: Bo",
		"A\u200bn\u2060n\ufeff":            "Ann",
		"\u202eevil\u202c \u2066x\u2069":   "evil x",
		"\u200b\u2060":                     "",
		"\u3164\u2800":                     "",
		"broken \xff":                      "broken □",
		"👩\u200d🚀 🏴\u200d☠\ufe0f":          "👩\u200d🚀 🏴\u200d☠\ufe0f",
		"a\u200db":                         "ab",
		"می\u200cخواهم":                    "می\u200cخواهم",
		"Z" + strings.Repeat("\u0337", 40): "Z" + strings.Repeat("\u0337", 3),
		"\u0337Zoë":                        "Zoë",
		strings.Repeat("x", 300):           strings.Repeat("x", text.MaxName-1) + "…",
		"海賊王":                              "海賊王",
	} {
		if got := text.NewName(typed).Plain(); got != want {
			t.Errorf("%+q is shown as %+q, want %+q", typed, got, want)
		}
	}
}

// Package fmt and logs do not print a name, neither alone nor inside another value.
func TestOnlyWritersPrintNames(t *testing.T) {
	n := text.NewName("Anne Bonny")
	holder := struct{ Name text.Name }{n}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("said", "name", n, "holder", holder)
	printed := []string{log.String(), fmt.Sprint(n), fmt.Errorf("no seat for %s", n).Error()}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		printed = append(printed, fmt.Sprintf(verb, n), fmt.Sprintf(verb, holder), fmt.Sprintf(verb, &holder))
	}
	for _, p := range printed {
		if strings.Contains(strings.ToLower(p), "anne") || strings.Contains(p, fmt.Sprintf("%x", "Anne")) {
			t.Errorf("a name is printed: %s", p)
		}
	}
}

// A name is stored as its text, and an empty name is left out. Files with names that were not cleaned can be read.
func TestNamesInFiles(t *testing.T) {
	type occupant struct {
		Name text.Name `json:"n,omitzero"`
	}
	var o occupant
	if err := json.Unmarshal([]byte(`{"n":"Anne \u001b[31m  Bonny"}`), &o); err != nil ||
		o.Name != text.NewName("Anne [31m Bonny") {
		t.Errorf("read %q, %v", o.Name.Plain(), err)
	}
	if b, err := json.Marshal(o); err != nil || string(b) != `{"n":"Anne [31m Bonny"}` {
		t.Errorf("written %s, %v", b, err)
	}
	if b, err := json.Marshal(occupant{}); err != nil || string(b) != `{}` {
		t.Errorf("none is written %s, %v", b, err)
	}
}

func TestMarkupIsOfIDsAlone(t *testing.T) {
	for got, want := range map[string]string{
		text.User("12").String():                "<@12>",
		text.User("1> @everyone <@2").String():  "1\\> @\u200beveryone \\<@\u200b2",
		text.Channel("12").String():             "<#12>",
		text.Link("1", "2", "3").String():       "https://discord.com/channels/1/2/3",
		text.Link("1", "2", "").String():        "https://discord.com/channels/1/2",
		text.Link("1", "../evil", "3").String(): "https://discord.com/channels/1/@me/3",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// markup lists the characters that Discord can interpret as markup.
const markup = "\\*_~`|<>#[]"

// Plain returns a single line without control and direction characters. Markdown escapes all characters that Discord
// could interpret as markup, and Code never ends a code block.
func FuzzName(f *testing.F) {
	for _, h := range texttest.Hostile {
		f.Add(h)
	}
	f.Fuzz(func(t *testing.T, typed string) {
		n := text.NewName(typed)
		plain, code, marked := n.Plain(), n.Code(), n.Markdown()
		if again := text.NewName(plain); again != n {
			t.Errorf("%+q cleaned again is %+q", plain, again.Plain())
		}
		if !utf8.ValidString(plain) || utf8.RuneCountInString(plain) > text.MaxName ||
			plain != strings.TrimSpace(plain) {
			t.Errorf("%+q is shown as %+q", typed, plain)
		}
		for _, r := range plain {
			if unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control, unicode.Cf) &&
				r != '\u200c' && r != '\u200d' {
				t.Errorf("%+q is shown as %+q, with %+q in it", typed, plain, r)
			}
		}
		if strings.Contains(code, "`") {
			t.Errorf("%+q ends a code block: %+q", typed, code)
		}
		// Read the text as Discord does: a backslash makes the next character literal.
		var shown strings.Builder
		var open []rune // all unescaped characters
		runes := []rune(marked)
		for i := 0; i < len(runes); i++ {
			if runes[i] == '\\' && i+1 < len(runes) && strings.ContainsRune("\\*_~`|<>#[]-+.:)", runes[i+1]) {
				i++
				shown.WriteRune(runes[i])
				open = append(open, '·')
				continue
			}
			if runes[i] == '\u200b' {
				open = append(open, '·')
				continue
			}
			shown.WriteRune(runes[i])
			open = append(open, runes[i])
		}
		if shown.String() != plain {
			t.Errorf("%+q is read as %+q, want %+q", marked, shown.String(), plain)
		}
		left := string(open)
		if strings.ContainsAny(left, markup) || strings.Contains(left, "://") || strings.Contains(left, "@e") ||
			strings.Contains(left, "@h") || strings.Contains(strings.ToLower(left), ".gg/") {
			t.Errorf("%+q written as %+q leaves %+q", typed, marked, left)
		}
		if left == "-" || left == "+" || strings.HasPrefix(left, "- ") || strings.HasPrefix(left, "+ ") {
			t.Errorf("%+q written as %+q begins a list", typed, marked)
		}
		if digits := strings.TrimLeft(left, "0123456789"); digits != left && digits != "" &&
			strings.ContainsAny(digits[:1], ".)") {
			t.Errorf("%+q written as %+q begins a list of numbers", typed, marked)
		}
	})
}
