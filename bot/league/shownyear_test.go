package league_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"marque/bot/bottest"
	"marque/bot/choices"
	"marque/bot/localdiscord"
	"marque/bot/timesource/manual"
	"marque/games/catalog"
	"marque/storage"
)

// In December and January, a user can see a summary of the year's games on the server, as a picture and as text. Only
// the user sees it unless the user shares it. In other months the user is told when it is shown.
func TestYear(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	anne, jack := localdiscord.Anne, localdiscord.Jack
	clock := manual.NewClock(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC))
	r := bottest.New(t, func(o *localdiscord.Options) { o.Clock = clock })
	year := func(user string, options ...localdiscord.Option) *localdiscord.Message {
		return r.Command(user, channel, "me year", options...)
	}
	for range 2 {
		r.Resigned(channel, catalog.Games[0], anne, jack)
	}
	// The games ended at the same moment, so the graph of the rating shows them in the order in which they were
	// counted.
	board := storage.Board{Guild: localdiscord.Tortuga, Game: catalog.Games[0].Key()}
	line, err := r.Store.Standing(r.Ctx, board, anne)
	r.Must(err)
	bottest.Contains(t, "the curve", sheet(r, r.Command(anne, channel, "profile")), "over the last 2 rated games",
		fmt.Sprintf("to %d",
			line.Rating.Points()))
	bottest.Contains(t, "in November", year(anne).Text(), "in December and January")
	clock.Advance(24 * time.Hour)
	r.Resigned(channel, catalog.Games[0], jack, anne)
	lines := []string{"Your year 2026", "3 games: 2 won, 0 drawn, 1 lost", "Favourite game: Loyal Captain, 3 games",
		"Rival: <@" + jack + ">: 3 games, 2 won, 1 lost", "Longest game: Loyal Captain, ",
		"Best win: against <@" + jack}
	own := year(anne)
	bottest.Contains(t, "in December", own.Text(), lines...)
	bottest.Contains(t, "its picture", sheet(r, own), "2026 in games. 3 games: 2 won", "Rival: Jack: 3 games")
	if own.EphemeralTo != anne {
		t.Errorf("others see the year of Anne: %q", own.EphemeralTo)
	}
	bottest.Contains(t, "who has played nothing", year(localdiscord.Grace).Text(), "Your year 2026",
		"There are no finished games to show")
	r.Stop()
	r.Start()
	clock.Advance(60 * 24 * time.Hour) // to the 30th of January
	bottest.Contains(t, "in January, after a restart", year(anne).Text(), lines...)

	// A shared year does not name opponents who hide their results.
	bottest.Contains(t, "shared", year(anne, localdiscord.Opt("share", true)).Text(), "<@"+anne+">: the year 2026",
		"Rival: <@"+jack)
	bottest.Contains(t, "an empty one, shared", year(localdiscord.Grace, localdiscord.Opt("share", true)).Text(),
		"<@"+localdiscord.Grace+">: the year 2026", "There are no finished games to show")
	_, err = r.Tables.Choices.ChangePreferences(r.Ctx, jack, func(p *choices.Preferences) error {
		p.Hidden.Rivals = true
		return nil
	})
	r.Must(err)
	m := year(anne, localdiscord.Opt("share", true))
	if m.EphemeralTo != "" || strings.Contains(m.Text(), "<@"+jack) || strings.Contains(sheet(r, m), "Jack") {
		t.Errorf("who hides it is named to everybody: %s, %s", m.Text(), sheet(r, m))
	}
	bottest.Contains(t, "for Anne alone", year(anne).Text(), "Rival: <@"+jack)
	r.Configure(localdiscord.Tortuga, func(c *choices.Settings) { c.Without.Year = true })
	bottest.Contains(t, "where the server does without", year(anne).Text(), "This server doesn't show your year")
	r.Configure(localdiscord.Tortuga, func(c *choices.Settings) { c.Without.Year = false })
	clock.Advance(2 * 24 * time.Hour)
	bottest.Contains(t, "in February", year(anne).Text(), "in December and January")
}
