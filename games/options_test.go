package games_test

import (
	"strings"
	"testing"

	"marque/games/example"
	"marque/games/text"
	"marque/games/text/locale"
)

// The players' rules name every option of a game and each of its values, in the words of the form, in every language.
func TestRulesForPlayersTellOfEveryOption(t *testing.T) {
	sentences, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range example.Games {
		for _, language := range sentences.Languages() {
			say := sentences.Speaker(nil, language.String()).Plain()
			var rules strings.Builder
			for _, chapter := range g.Info().Rules {
				rules.WriteString(strings.ToLower(say.Say(chapter.Title)+"\n"+say.Say(chapter.Body)) + "\n")
			}
			told := func(id string) {
				name, _, _ := strings.Cut(say.Say(text.M(id)), ":") // an explanation may follow the value's name
				if !strings.Contains(rules.String(), strings.ToLower(name)) {
					t.Errorf("%s, %s: the rules do not tell of %q (%s)", g.Key(), language, name, id)
				}
			}
			for _, o := range g.Options() {
				told(g.Key() + ".option." + o.Key)
				for _, value := range o.Values {
					told(g.Key() + ".option." + o.Key + "." + value)
				}
			}
		}
	}
}
