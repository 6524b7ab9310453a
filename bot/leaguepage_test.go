package bot_test

import (
	"testing"

	"github.com/chromedp/chromedp/kb"

	"marque/bot/localdiscord"
)

// A league of ten in the page: it is made by a typed command, entered by buttons and begun by the keyboard. Then some
// games are played there, and the standings tell the places that are still possible; the crosstable is there, too.
func TestLeagueOfTenInTheBrowser(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: no league is played in the page")
	}
	r := newRigWith(t, func(r *rig) { r.quiet = true })
	people := r.people(10)
	b := openBrowser(t, r.srv.URL())
	b.be(localdiscord.Mary)
	b.enter("Tortuga", "harbour")
	b.send("/league create" + kb.Tab + "Autumn league" + kb.Tab + "Loyal Captain")
	b.enterAll(people)
	b.be(localdiscord.Mary)
	b.pressByKeyboard("Begin now")
	r.eventually("the games", func() bool { return len(r.playing()) == 45 })
	for i, h := range r.playing()[:35] {
		loser := h.Seats[(i/3)%2].User
		if i < 3 {
			b.resign(loser, h)
		} else {
			r.resignAt(loser, h)
		}
	}
	r.eventually("the results", func() bool {
		left := 0
		for _, p := range r.number(1).Rules.Pairings {
			if p.End == "" {
				left++
			}
		}
		return left == 10
	})
	b.be(people[9])
	b.shootBoth("league-card")
	b.pressByKeyboard("Standings")
	b.shown("can still come")
	b.shootBoth("league-standings")
	b.pressByKeyboard("Crosstable")
	b.shown("×")
	b.shootBoth("league-crosstable")
}

// A ladder in the page: a challenge by the card's button, accepted by the message's, and won.
func TestLadderInTheBrowser(t *testing.T) {
	t.Parallel()
	r := newRigWith(t, func(r *rig) { r.quiet = true })
	harbour := localdiscord.TortugaHarbour
	b := openBrowser(t, r.srv.URL())
	b.be(localdiscord.Mary)
	b.enter("Tortuga", "harbour")
	r.command(localdiscord.Mary, harbour, "ladder create", localdiscord.Opt("name", "Rigging"),
		localdiscord.Opt("game", "loyal-captain"))
	card := r.card(harbour, "ladder #1")
	people := r.people(4)
	for _, p := range people {
		r.click(p, card, "Enter")
	}
	b.press("Begin now")
	b.until(`document.querySelector("#log").innerText.includes("4 players stand on it")`)
	b.be(people[3])
	b.press("Challenge")
	b.until(`document.querySelector("#log").innerText.includes("whom do you challenge")`)
	b.shoot("ladder-challenge")
	ask := r.click(people[3], r.card(harbour, "4 players"), "Challenge")
	r.choose(people[3], ask, "cup-challenged///1", "2")
	b.be(people[2])
	b.until(`document.querySelector("#log").innerText.includes("challenges")`)
	b.shoot("ladder-told")
	b.press("Accept")
	r.eventually("the game", func() bool { return len(r.playing()) == 1 })
	r.resignAt(people[2], r.playing()[0])
	b.until(`document.querySelector("#log").innerText.includes("takes place 3")`)
	b.shoot("ladder-won")
}
