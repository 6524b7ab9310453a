package turn_test

import (
	"strings"
	"testing"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/games/catalog"
	"marque/games/text/locale"
)

// The first message of Freebooter and of All against All says that the game has begun and what its aim is, without
// naming every card dealt.
func TestADealIsToldInOneSentence(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	sentences, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	say := sentences.Speaker(nil, "en")
	for _, key := range []string{"freebooter", "pirat"} {
		g, _ := catalog.Find(key)
		channel := localdiscord.TortugaTables
		if key == "pirat" {
			channel = localdiscord.TortugaTavern
		}
		turn := r.Open(channel, g, bottest.World[:2])
		s := turn.Text()
		for _, want := range []string{"All aboard", say.Say(g.Info().Aim), "The game is set up."} {
			if !strings.Contains(s, want) {
				t.Errorf("%s begins with %q, want %q there", key, s, want)
			}
		}
		if strings.Count(s, "\n") > 8 {
			t.Errorf("%s begins with %q, want one sentence for the deal", key, s)
		}
	}
}
