package bot_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"marque/bot/localdiscord"
	"marque/bot/timesource/manual"
	"marque/games/catalog"
)

// In the page, at the width of a desk and of a phone: a profile with opponents and badges, the list of
// all opponents and its pages, what others see, and the year.
func TestPeopleInTheBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: no browser")
	}
	t.Parallel()
	clock := manual.NewClock(time.Date(2026, 12, 6, 12, 0, 0, 0, time.UTC))
	r := newRig(t, func(o *localdiscord.Options) { o.Clock = clock })
	for _, p := range r.people(12)[1:] {
		r.resigned(localdiscord.TortugaTables, catalog.Games[0], localdiscord.Anne, p)
	}
	b := openBrowser(t, r.srv.URL())
	b.be(localdiscord.Anne)
	b.enter("Tortuga", "tavern")
	for _, width := range []int64{1280, 390} {
		b.do(chromedp.EmulateViewport(width, 844))
		shoot := func(name string) { b.shoot(name + "-" + strconv.FormatInt(width, 10)) }
		b.private(func() { b.send("/profile ") })
		b.shown("First win in Loyal Captain")
		shoot("profile")
		b.press("All 11 opponents")
		b.shown("11 opponents")
		shoot("opponents")
		b.press("▶")
		b.until(lastOwn + `.innerText.split("drawn").length === 2`)
		shoot("opponents-last")
		b.private(func() { b.send("/me preferences ") })
		b.shown("What others see of you")
		shoot("hidden")
		b.private(func() { b.send("/me year ") })
		b.shown("Your year 2026")
		shoot("year")
	}
}
