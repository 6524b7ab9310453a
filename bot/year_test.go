package bot_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/bot/timesource/manual"
	"marque/games/catalog"
	"marque/storage"
)

// In November somebody is told when their year is shown; in December and January it is a picture with
// its text, of this server's games, for them alone unless they share it.
func TestYear(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	anne, jack := localdiscord.Anne, localdiscord.Jack
	clock := manual.NewClock(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC))
	r := newRig(t, func(o *localdiscord.Options) { o.Clock = clock })
	year := func(user string, options ...localdiscord.Option) *localdiscord.Message {
		return r.command(user, channel, "me year", options...)
	}
	for range 2 {
		r.resigned(channel, catalog.Games[0], anne, jack)
	}
	// They ended at the same moment; the curve of a rating has them in the order in which they were counted.
	board := storage.Board{Guild: localdiscord.Tortuga, Game: catalog.Games[0].Key()}
	line, err := r.tables.League.Standing(r.ctx, board, anne)
	r.must(err)
	has(t, "the curve", r.sheet(r.command(anne, channel, "profile")), "over the last 2 games", fmt.Sprintf("to %d",
		line.Rating.Points()))
	has(t, "in November", year(anne).Text(), "in December and January")
	clock.Advance(24 * time.Hour)
	r.resigned(channel, catalog.Games[0], jack, anne)
	lines := []string{"Your year 2026", "3 games: 2 won, 0 drawn, 1 lost", "Favourite game: Loyal Captain, 3 games",
		"Rival: <@" + jack + ">: 3 games, 2 won, 1 lost", "Longest game: Loyal Captain, ",
		"Best win: against <@" + jack}
	own := year(anne)
	has(t, "in December", own.Text(), lines...)
	has(t, "its picture", r.sheet(own), "2026 in games. 3 games: 2 won", "Rival: Jack: 3 games")
	if own.EphemeralTo != anne {
		t.Errorf("others see the year of Anne: %q", own.EphemeralTo)
	}
	has(t, "who has played nothing", year(localdiscord.Grace).Text(), "Your year 2026",
		"None of your games ended that year")
	r.stop()
	r.start()
	clock.Advance(60 * 24 * time.Hour) // the 30th of January
	has(t, "in January, after a restart", year(anne).Text(), lines...)

	// Shared, it does not name who hides that.
	has(t, "shared", year(anne, localdiscord.Opt("share", true)).Text(), "Rival: <@"+jack)
	_, err = r.tables.Choices.ChangePreferences(r.ctx, jack, func(p *table.Preferences) error {
		p.Hidden.Rivals = true
		return nil
	})
	r.must(err)
	m := year(anne, localdiscord.Opt("share", true))
	if m.EphemeralTo != "" || strings.Contains(m.Text(), "<@"+jack) || strings.Contains(r.sheet(m), "Jack") {
		t.Errorf("who hides it is named to everybody: %s, %s", m.Text(), r.sheet(m))
	}
	has(t, "for Anne alone", year(anne).Text(), "Rival: <@"+jack)
	r.configure(localdiscord.Tortuga, func(c *table.Settings) { c.Without.Year = true })
	has(t, "where the server does without", year(anne).Text(), "not shown on this server")
	r.configure(localdiscord.Tortuga, func(c *table.Settings) { c.Without.Year = false })
	clock.Advance(2 * 24 * time.Hour)
	has(t, "in February", year(anne).Text(), "in December and January")
}
