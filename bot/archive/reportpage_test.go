package archive_test

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/games/catalog"
	"marque/storage"
)

// The report of a game works in the browser: accuracy and luck with a graph of the chances, the card to share, and the
// game step by step with the computer's choices. The test covers one game with dice, or every game if pictures are
// requested.
func TestReportsInTheBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: no browser")
	}
	t.Parallel()
	const channel = localdiscord.TortugaTables
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Reviews = true })
	for i, g := range catalog.Games {
		if os.Getenv("LOCALDISCORD_SHOTS") == "" && g.Key() != "quedah-merchant" {
			continue
		}
		playOut(r, r.MeetComputers(channel, g.Key(), 1), channel, rand.New(rand.NewPCG(5, uint64(i))))
		heads, err := r.Tables.Lookup.ByGuild(r.Ctx, localdiscord.Tortuga, storage.Finished, 0, 1)
		if err != nil || len(heads) != 1 {
			t.Fatalf("tables %v, %v", heads, err)
		}
		found, err := r.Reviewed.Review(r.Ctx, heads[0].ID)
		if err != nil || !found.Done {
			t.Fatalf("%s: %+v, %v", g.Key(), found, err)
		}
		b := bottest.OpenBrowser(t, r.Server.URL()) // opens only now, when no reply to a move is pending
		b.Be(localdiscord.Anne)
		b.Enter("Tortuga", "game-tables")
		s := b.Private(func() { b.Press("Report") })
		b.Says(s, "decisions:")
		if luck := strings.Contains(s.Text, "chance of winning, in percentage points"); luck != g.Traits().Chance {
			t.Errorf("%s: the report speaks of luck: %v\n%s", g.Key(), luck, s.Text)
		}
		if len(s.Alts) != 2 {
			t.Errorf("%s: the report has %d pictures", g.Key(), len(s.Alts))
		}
		b.Shots("report-" + g.Key())
		card := b.Private(func() { b.Press("Result picture") })
		if len(card.Alts) != 1 || !strings.Contains(card.Alts[0], "Bosun (easy): ") ||
			len(found.Points) > 0 && !strings.Contains(card.Alts[0], ". Turn ") {
			t.Errorf("%s: the card has the alt texts %q", g.Key(), card.Alts)
		}
		b.Shots("card-" + g.Key())
		if len(found.Points) == 0 {
			continue
		}
		b.Private(func() { b.Press("Turning points") })
		b.Shots("point-" + g.Key())
		s = b.Button("Step through")
		b.Says(s, "Turn ")
		b.Shots("step-" + g.Key())
		told := false
		for range 8 { // one of eight steps back from the turning point shows the computer's choice
			s = b.Button("◀")
			if told = strings.Contains(s.Text, "computer would have played"); told {
				break
			}
		}
		if !told {
			t.Errorf("%s: the computer's choice is told of none of eight moves before the first turning point", g.Key())
		}
		b.Shots("choice-" + g.Key())
	}
}
