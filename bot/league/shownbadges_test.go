package league_test

import (
	"slices"
	"strings"
	"testing"

	"marque/bot/bottest"
	"marque/bot/choices"
	"marque/bot/localdiscord"
	"marque/games"
	"marque/games/catalog"
	"marque/storage"
)

// A new badge is announced once, to the user who earned it. Badges survive a restart, can be hidden, and disappear with
// the results that earned them.
func TestBadges(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	anne, jack, mary := localdiscord.Anne, localdiscord.Jack, localdiscord.Mary
	r := bottest.New(t)
	profile := func(by string, more ...localdiscord.Option) string {
		return r.Command(by, channel, "profile", append(more, localdiscord.Opt("player", anne))...).Text()
	}
	lacks := func(what, said string) {
		t.Helper()
		if strings.Contains(said, "Badges") {
			t.Errorf("%s: %s", what, said)
		}
	}
	lacks("who has done nothing has badges", profile(anne))
	number := r.Resigned(channel, catalog.Games[0], anne, jack)
	bottest.Contains(t, "what others see", profile(mary), "Badges\nFirst win in Loyal Captain\n")
	bottest.Contains(t, "what everybody is shown", profile(anne, localdiscord.Opt("share", true)),
		"Badges\nFirst win in Loyal Captain\n")
	bottest.Contains(t, "what Anne is told", profile(anne), "**First win in Loyal Captain** (new)")
	r.Stop()
	r.Start()
	bottest.Contains(t, "what Anne is told the next time", profile(anne), "Badges\nFirst win in Loyal Captain\n")

	// Anne takes every lesson, and her win is recorded as a comeback.
	for _, g := range catalog.Games {
		for _, l := range games.Lessons(g) {
			r.Must(r.Tables.Choices.Learn(r.Ctx, anne, g.Key(), l.Key))
		}
	}
	heads, err := r.Tables.Lookup.ByGuild(r.Ctx, localdiscord.Tortuga, storage.Finished, 0, 1)
	if err != nil || len(heads) != 1 || heads[0].ID.String() != number {
		t.Fatalf("tables %v, %v; want %s", heads, err, number)
	}
	r.Must(r.Store.AddComeback(r.Ctx, anne, heads[0].ID))
	bottest.Contains(t, "what Anne is told then", profile(anne),
		"Loyal Captain · **Every lesson of every game** (new) · **Won after a "+
			"chance of winning below 5%** (new)")

	// A voided win does not count.
	r.Command(mary, channel, "server ratings void", localdiscord.Opt("ended", number))
	voided := profile(anne)
	bottest.Contains(t, "after the result was voided", voided, "Badges\nEvery lesson of every game")
	bottest.Lacks(t, "after the result was voided", voided, " · ", "Nothing to show here yet")
	r.Command(mary, channel, "server ratings restore", localdiscord.Opt("ended", number))
	bottest.Contains(t, "after it was put back", profile(anne),
		"First win in Loyal Captain · Every lesson of every game · Won after")

	// Badges can be hidden, switched off and deleted.
	_, err = r.Tables.Choices.ChangePreferences(r.Ctx, anne, func(p *choices.Preferences) error {
		p.Hidden.Badges = true
		return nil
	})
	r.Must(err)
	lacks("others see what she hides", profile(mary))
	bottest.Contains(t, "she herself sees", profile(anne), "Badges")
	r.Configure(localdiscord.Tortuga, func(c *choices.Settings) { c.Without.Badges = true })
	lacks("the server does without", profile(anne))
	r.Configure(localdiscord.Tortuga, func(c *choices.Settings) { c.Without.Badges = false })
	d, err := r.Privacy.Export(r.Ctx, anne)
	kept := func(o storage.Owned) bool { return strings.Contains(o.What, "badges") }
	if err != nil || !slices.ContainsFunc(d.Owned, kept) {
		t.Errorf("%v, %v: her badges are not exported", d.Owned, err)
	}
	r.Must(r.Privacy.Forget(r.Ctx, anne))
	lacks("they are left after her data were deleted", profile(anne))
}
