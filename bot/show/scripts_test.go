package show

import (
	"testing"

	"github.com/bwmarrin/discordgo"
	"golang.org/x/text/language"
)

// Pictures can have text in all of Discord's languages except Hindi and Thai. The tests of package render check the
// fonts.
func TestPaintableAreAllButTwoOfDiscordsLanguages(t *testing.T) {
	known := 0
	for locale := range discordgo.Locales {
		if locale == discordgo.Unknown {
			continue
		}
		known++
		want := locale != discordgo.Hindi && locale != discordgo.Thai
		if got := paintable(language.Make(string(locale))); got != want {
			t.Errorf("pictures can say %s: %v, want %v", locale, got, want)
		}
	}
	if known < 30 {
		t.Errorf("only %d languages were looked at", known)
	}
}
