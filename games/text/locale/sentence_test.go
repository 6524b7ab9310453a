package locale

import (
	"testing"

	"github.com/nicksnyder/go-i18n/v2/i18n"
)

// Every English sentence is prepared, and gives the same text as go-i18n, even if its arguments are empty or look like
// templates.
func TestPreparedSentencesAreTheLibrarys(t *testing.T) {
	c, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	ids, err := IDs()
	if err != nil {
		t.Fatal(err)
	}
	loc, s := i18n.NewLocalizer(c.bundle, "en"), c.Speaker(nil, "en")
	for _, id := range ids {
		prepared, ok := s.voice.sentences[id]
		if !ok {
			t.Errorf("%s is not prepared", id)
			continue
		}
		for _, arg := range []string{"", "Ann", "{{.Who}} }} <b> *&\n"} {
			said := map[string]string{"Extra": "nothing"}
			for _, name := range prepared.names {
				said[name] = arg
			}
			want, err := loc.Localize(&i18n.LocalizeConfig{MessageID: id, TemplateData: said})
			got, ok := prepared.fill(func(name string) (string, bool) { return said[name], true })
			if err != nil || !ok || got != want {
				t.Errorf("%s with %q is %q, by the library %q, %v", id, arg, got, want, err)
			}
		}
	}
}

// Templates that contain more than text and arguments, and sentences with a missing argument, are left to the go-i18n
// library.
func TestOtherTemplatesAreTheLibrarys(t *testing.T) {
	for template, want := range map[string]bool{
		"Aye": true, "{{.Who}}": true, "a {{.Who}}{{.What}} b": true, "}} {{.Who}}": true,
		"": false, "{{.Who": false, "{{ .Who }}": false, "{{if .Who}}a{{end}}": false, "{{.Who.Name}}": false,
		"{{.}}": false, "{{printf .Who}}": false,
	} {
		if _, ok := prepare(template); ok != want {
			t.Errorf("%q is prepared: %v, want %v", template, ok, want)
		}
	}
	s, _ := prepare("{{.Who}} and {{.Whom}}")
	if said, ok := s.fill(func(name string) (string, bool) { return "Ann", name == "Who" }); ok {
		t.Errorf("without Whom %q is said", said)
	}
}
