package bot_test

import (
	"testing"

	"github.com/chromedp/chromedp/kb"

	"marque/bot/localdiscord"
)

// A tournament is made by a command that is typed in the page, entered and begun by its buttons,
// and its table is looked at there.
func TestTournamentInTheBrowser(t *testing.T) {
	t.Parallel()
	r := newRigWith(t, func(r *rig) { r.quiet = true })
	b := openBrowser(t, r.srv.URL())
	b.be(localdiscord.Mary)
	b.enter("Tortuga", "harbour")
	b.send("/tournament create" + kb.Tab + "Winter cup" + kb.Tab + "Loyal Captain" + kb.Tab + "kind" + kb.Tab +
		"knock-out")
	r.cupCard(localdiscord.TortugaHarbour)
	for _, user := range []string{localdiscord.Mary, localdiscord.Jack, localdiscord.Bart} {
		b.be(user)
		b.press("Enter")
		b.until(`document.querySelector("#log").innerText.includes("You have entered")`)
	}
	b.shoot("tournament-entry")
	b.be(localdiscord.Mary)
	b.press("Begin now")
	r.eventually("the games", func() bool { return len(r.playing()) == 2 })
	for _, h := range r.playing() {
		r.resignAt(h.Seats[1].User, h)
	}
	b.until(`document.querySelector("#log").innerText.includes("a third game decides")`)
	b.shoot("tournament-news")
	b.press("Standings")
	b.until(`document.querySelector("#log").innerText.includes("Places go by how far somebody came")`)
	b.shoot("tournament-standings")
	b.press("Pairings")
	b.until(`document.querySelector("#log").innerText.includes("round 1 of 2")`)
	b.shoot("tournament-pairings")
}
