package locale

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/BurntSushi/toml"
	"github.com/nicksnyder/go-i18n/v2/i18n"

	"marque/games/text"
	"marque/games/text/texttest"
)

// sentences returns the arguments of every English sentence that has any, by id.
func sentences(t testing.TB) map[string][]string {
	t.Helper()
	names, err := fs.Glob(files, "*.en.toml")
	if err != nil || len(names) == 0 {
		t.Fatalf("files %v, %v", names, err)
	}
	out := map[string][]string{}
	for _, name := range names {
		b, err := fs.ReadFile(files, name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := i18n.ParseMessageFileBytes(b, name, map[string]i18n.UnmarshalFunc{"toml": toml.Unmarshal})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range file.Messages {
			for field := range allFields(m) {
				out[m.ID] = append(out[m.ID], field)
			}
		}
	}
	return out
}

// No argument is inside backticks, where it could not be escaped. A notation is a text.Code, which adds backticks.
func TestNoArgumentIsWithinBackticks(t *testing.T) {
	names, err := fs.Glob(files, "*.toml")
	if err != nil || len(names) == 0 {
		t.Fatalf("files %v, %v", names, err)
	}
	for _, name := range names {
		b, err := fs.ReadFile(files, name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(b)) {
			for i, part := range strings.Split(line, "`") {
				if i%2 == 1 && strings.Contains(part, "{{") {
					t.Errorf("%s: %s", name, line)
				}
			}
		}
	}
}

// Typed text adds no markup to a sentence, whether it is formatted as a name, a string, a notation or a seat. The
// sentence keeps the structure that it has with a harmless word.
func FuzzSentences(f *testing.F) {
	for _, h := range texttest.Hostile {
		f.Add(h)
	}
	all := sentences(f)
	c, err := Load()
	if err != nil {
		f.Fatal(err)
	}
	// A name and a string are formatted in the same way.
	ways := map[string]func(text.Name) any{
		"string":  func(n text.Name) any { return n.Plain() },
		"code":    func(n text.Name) any { return text.Code(n.Plain()) },
		"seat":    func(text.Name) any { return text.Player(0) },
		"choices": func(n text.Name) any { return text.Or{n.Raw(), text.Raw(n.Plain())} },
	}
	say := func(id string, way func(text.Name) any, n text.Name, plain bool) string {
		args := text.Args{}
		for _, field := range all[id] {
			args[field] = way(n)
		}
		if _, counted := args["Count"]; counted {
			args["Count"] = 2
		}
		s := c.Speaker(func(int) text.Message { return n.Raw() }, "en")
		if plain {
			s = s.Plain()
		}
		return s.Say(text.Message{ID: id, Args: args})
	}
	type said struct{ id, how string }
	want := map[said][]string{}
	for how, way := range ways {
		for id := range all {
			want[said{id, how}] = texttest.Structure(say(id, way, text.NewName("Anne"), false))
		}
	}
	f.Fuzz(func(t *testing.T, typed string) {
		name := text.NewName(typed)
		if name.IsZero() {
			return
		}
		for w, want := range want {
			marked := say(w.id, ways[w.how], name, false)
			if got := texttest.Structure(marked); !slices.Equal(got, want) {
				t.Errorf("%s, %s: %q is read as %q, want %q", w.id, w.how, marked, got, want)
			}
			for _, r := range marked + say(w.id, ways[w.how], name, true) {
				if unicode.IsControl(r) && r != '\n' || unicode.Is(unicode.Bidi_Control, r) {
					t.Errorf("%s, %s: %+q has %+q in it", w.id, w.how, marked, r)
				}
			}
		}
	})
}
