package bot_test

import (
	"testing"

	"marque/bot/localdiscord"
)

// A league of ten in the page: its card, the standings with the places that are still possible, the crosstable; and a
// ladder with a challenge that is accepted and won.
func TestLeagueAndLadderInTheBrowser(t *testing.T) {
	t.Parallel()
	r := newRigWith(t, func(r *rig) { r.quiet = true })
	people := r.people(10)
	harbour := localdiscord.TortugaHarbour
	b := openBrowser(t, r.srv.URL())
	b.be(localdiscord.Mary)
	b.enter("Tortuga", "harbour")
	r.command(localdiscord.Mary, harbour, "league create", localdiscord.Opt("name", "Autumn league"),
		localdiscord.Opt("game", "loyal-captain"))
	card := r.card(harbour, "league #1")
	for _, p := range people {
		r.click(p, card, "Enter")
	}
	b.until(`document.querySelector("#log").innerText.includes("10 have entered")`)
	b.press("Begin now")
	r.eventually("the games", func() bool { return len(r.playing()) == 45 })
	for i, h := range r.playing()[:32] {
		r.resignAt(h.Seats[(i/3)%2].User, h)
	}
	b.shoot("league-card")
	b.press("Standings")
	b.until(`document.querySelector("#log").innerText.includes("can still come")`)
	b.shoot("league-standings")
	b.press("Crosstable")
	b.until(`document.querySelector("#log").innerText.includes("×")`)
	b.shoot("league-crosstable")
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
