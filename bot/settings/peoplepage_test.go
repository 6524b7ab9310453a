package settings_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/bot/timesource/manual"
	"marque/games/catalog"
)

// The page shows a profile with badges, the list of all opponents, the choice of what others see, and the year, at the
// widths of a desktop and of a phone.
func TestPeopleInTheBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: no browser")
	}
	t.Parallel()
	clock := manual.NewClock(time.Date(2026, 12, 6, 12, 0, 0, 0, time.UTC))
	r := bottest.New(t, func(o *localdiscord.Options) { o.Clock = clock })
	for _, p := range r.People(12)[1:] {
		r.Resigned(localdiscord.TortugaTables, catalog.Games[0], localdiscord.Anne, p)
	}
	b := bottest.OpenBrowser(t, r.Server.URL())
	b.Be(localdiscord.Anne)
	b.Enter("Tortuga", "tavern")
	for _, width := range []int64{1280, 390} {
		b.Do(chromedp.EmulateViewport(width, 844))
		shoot := func(name string) { b.Shoot(name + "-" + strconv.FormatInt(width, 10)) }
		b.Private(func() { b.Send("/profile ") })
		b.Shown("First win in Loyal Captain")
		shoot("profile")
		b.Press("All 11 opponents")
		b.Shown("11 opponents")
		shoot("opponents")
		b.Press("▶")
		b.Until(bottest.LastPrivate + `.innerText.split("undecided").length === 2`)
		shoot("opponents-last")
		b.Private(func() { b.Send("/me preferences ") })
		b.Shown("What others see about you")
		shoot("hidden")
		b.Private(func() { b.Send("/me year ") })
		b.Shown("Your year 2026")
		shoot("year")
	}
}
