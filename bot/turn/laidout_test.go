package turn_test

import (
	"strings"
	"testing"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/games/catalog"
)

// A game's first message says that it has begun, without naming every card dealt.
func TestADealIsToldInOneSentence(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	for key, want := range map[string]string{"freebooter": "46 draws", "pirat": "12 draws"} {
		g, _ := catalog.Find(key)
		channel := localdiscord.TortugaTables
		if key == "pirat" {
			channel = localdiscord.TortugaTavern
		}
		turn := r.Open(channel, g, bottest.World[:2])
		if s := turn.Text(); !strings.Contains(s, "All aboard") || !strings.Contains(s, want) || strings.Count(s,
			"\n") > 8 {
			t.Errorf("%s begins with %q, want one sentence with %q for the deal", key, s, want)
		}
	}
}
