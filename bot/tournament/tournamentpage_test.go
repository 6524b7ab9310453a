package tournament_test

import (
	"testing"

	"github.com/chromedp/chromedp/kb"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
)

// A tournament works in the browser: a typed command creates it, its buttons enter people and start it, and its
// standings and pairings can be viewed.
func TestTournamentInTheBrowser(t *testing.T) {
	t.Parallel()
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Quiet = true })
	b := bottest.OpenBrowser(t, r.Server.URL())
	b.Be(localdiscord.Mary)
	b.Enter("Tortuga", "harbour")
	b.Send("/moderate create tournament" + kb.Tab + "Winter cup" + kb.Tab + "Loyal Captain" + kb.Tab + "kind" + kb.Tab +
		"knock-out")
	r.TournamentCard(localdiscord.TortugaHarbour)
	for _, user := range []string{localdiscord.Mary, localdiscord.Jack, localdiscord.Bart} {
		b.Be(user)
		b.Press("Sign up")
		b.Until(`document.querySelector("#log").innerText.includes("You've signed up")`)
	}
	b.Shoot("tournament-entry")
	b.Be(localdiscord.Mary)
	b.Press("Start now")
	r.Eventually("the games", func() bool { return len(r.Pairings()) == 2 })
	for _, h := range r.Pairings() {
		resignAt(r, h.Seats[1].User, h)
	}
	b.Until(`document.querySelector("#log").innerText.includes("a third game")`)
	b.Shoot("tournament-news")
	b.Press("Standings")
	b.Until(`document.querySelector("#log").innerText.includes("Players are ranked by how far they got")`)
	b.Shoot("tournament-standings")
	b.Press("Pairings")
	b.Until(`document.querySelector("#log").innerText.includes("round 1 of 2")`)
	b.Shoot("tournament-pairings")
}
