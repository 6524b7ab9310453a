package bot_test

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"marque/bot/localdiscord"
	"marque/games/catalog"
	"marque/storage"
)

// The report of a game in the page: accuracy and luck with the chances as a picture, the card to
// share, and the game step by step with what the computer would have played. Where pictures are
// wanted, of each game; else of one with dice.
func TestReportsInTheBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: no browser")
	}
	t.Parallel()
	const channel = localdiscord.TortugaTables
	r := newRigWith(t, func(r *rig) { r.reviews = true })
	b := openBrowser(t, r.srv.URL())
	b.be(localdiscord.Anne)
	b.enter("Tortuga", "game-tables")
	for i, g := range catalog.Games {
		if os.Getenv("LOCALDISCORD_SHOTS") == "" && g.Key() != "quedah-merchant" {
			continue
		}
		r.playOut(r.meetComputers(channel, g.Key(), 1), channel, rand.New(rand.NewPCG(5, uint64(i))))
		heads, err := r.tables.Lookup.ByGuild(r.ctx, localdiscord.Tortuga, storage.Finished, 0, 1)
		if err != nil || len(heads) != 1 {
			t.Fatalf("tables %v, %v", heads, err)
		}
		found, err := r.tables.Reviews.Review(r.ctx, heads[0].ID)
		if err != nil || !found.Done {
			t.Fatalf("%s: %+v, %v", g.Key(), found, err)
		}
		s := b.private(func() { b.press("Report") })
		b.says(s, "decisions:")
		if luck := strings.Contains(s.Text, "in points of the chance of winning"); luck != g.Traits().Chance {
			t.Errorf("%s: the report speaks of luck: %v\n%s", g.Key(), luck, s.Text)
		}
		if len(s.Alts) != 2 {
			t.Errorf("%s: the report has %d pictures", g.Key(), len(s.Alts))
		}
		b.shots("report-" + g.Key())
		card := b.private(func() { b.press("Card to share") })
		if len(card.Alts) != 1 || !strings.Contains(card.Alts[0], "ove ") {
			t.Errorf("%s: the card has the alt texts %q", g.Key(), card.Alts)
		}
		b.shots("card-" + g.Key())
		if len(found.Points) == 0 {
			continue
		}
		b.private(func() { b.press("Turning points") })
		b.shots("point-" + g.Key())
		s = b.button("Step through")
		b.says(s, "Position ")
		b.shots("step-" + g.Key())
		told := false
		for range 8 { // every decision has the computer's choice, or is a turning point
			s = b.button("◀")
			if told = strings.Contains(s.Text, "computer would have played"); told {
				break
			}
		}
		if !told {
			t.Errorf("%s: the computer's choice is told of none of eight moves before the first turning point", g.Key())
		}
		b.shots("choice-" + g.Key())
	}
}
