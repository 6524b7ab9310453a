package tournament_test

import (
	"testing"

	"github.com/chromedp/chromedp/kb"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
)

// A league of ten works in the browser. A typed command creates it, buttons enter people, and the keyboard starts it.
// Some of its games are played in the browser. The standings show the possible places, and the crosstable is available.
func TestLeagueOfTenInTheBrowser(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: no league is played in the page")
	}
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Quiet = true })
	people := r.People(10)
	b := bottest.OpenBrowser(t, r.Server.URL())
	b.Be(localdiscord.Mary)
	b.Enter("Tortuga", "harbour")
	b.Send("/moderate create league" + kb.Tab + "Autumn league" + kb.Tab + "Loyal Captain")
	enterAll(b, people)
	b.Be(localdiscord.Mary)
	pressByKeyboard(b, "Start now")
	r.Eventually("the games", func() bool { return len(r.Pairings()) == 45 })
	for i, h := range r.Pairings()[:35] {
		loser := h.Seats[(i/3)%2].User
		if i < 3 {
			resign(b, loser, h)
		} else {
			resignAt(r, loser, h)
		}
	}
	r.Eventually("the results", func() bool {
		left := 0
		for _, p := range r.Competition(1).Rules.Pairings {
			if p.End == "" {
				left++
			}
		}
		return left == 10
	})
	b.Be(people[9])
	b.ShootBoth("league-card")
	pressByKeyboard(b, "Standings")
	b.Shown("possible places")
	b.ShootBoth("league-standings")
	pressByKeyboard(b, "Crosstable")
	b.Shown("×")
	b.ShootBoth("league-crosstable")
}

// A ladder works in the browser: a moderator starts it, a user gets the list of opponents with the card's button, and
// the challenged user accepts with the message's button. The page shows the new place of the challenger, who wins.
func TestLadderInTheBrowser(t *testing.T) {
	t.Parallel()
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Quiet = true })
	harbour := localdiscord.TortugaHarbour
	b := bottest.OpenBrowser(t, r.Server.URL())
	b.Be(localdiscord.Mary)
	b.Enter("Tortuga", "harbour")
	r.Command(localdiscord.Mary, harbour, "moderate create ladder", localdiscord.Opt("name", "Rigging"),
		localdiscord.Opt("game", "loyal-captain"))
	card := r.CompetitionCard(harbour, "ladder #1")
	people := r.People(4)
	for _, p := range people {
		r.Click(p, card, "Join")
	}
	b.Press("Start now")
	b.Until(`document.querySelector("#log").innerText.includes("The ladder has 4 players")`)
	b.Be(people[3])
	b.Press("Challenge")
	b.Until(`document.querySelector("#log").innerText.includes("who do you want to challenge")`)
	b.Shoot("ladder-challenge")
	ask := r.Click(people[3], r.CompetitionCard(harbour, "4 players"), "Challenge")
	r.Choose(people[3], ask, "cup-challenged///1", "2")
	b.Be(people[2])
	b.Until(`document.querySelector("#log").innerText.includes("challenges")`)
	b.Shoot("ladder-told")
	b.Press("Accept")
	r.Eventually("the game", func() bool { return len(r.Pairings()) == 1 })
	resignAt(r, people[2], r.Pairings()[0])
	b.Until(`document.querySelector("#log").innerText.includes("is now in place 3")`)
	b.Shoot("ladder-won")
}
