package tournament_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/bot/timesource/manual"
)

// pressByKeyboard moves the focus backwards from the message box to the last button with the given label, and presses
// the button.
func pressByKeyboard(b *bottest.Browser, label string) {
	b.T.Helper()
	b.Until(bottest.Settled + fmt.Sprintf(
		` && [...document.querySelectorAll("#log button.button")].some((x) => x.textContent.trim() === %q)`, label))
	b.Do(chromedp.Focus(chromedp.CSS(`#tail`)))
	for range 80 {
		b.Do(chromedp.KeyEvent(kb.Tab, chromedp.KeyModifiers(kb.ModifierShift)))
		at, err := chromedp.Run(b.Ctx, chromedp.Evaluate[string](`document.activeElement.textContent.trim()`))
		if err != nil {
			b.Fail(err)
		}
		if at == label {
			b.Do(chromedp.KeyEvent(kb.Enter))
			return
		}
	}
	b.T.Fatalf("the keyboard does not come to the button %q", label)
}

// resign makes a user resign at a table with a typed command and the confirmation button.
func resign(b *bottest.Browser, user string, h table.Head) {
	b.T.Helper()
	b.Be(user)
	b.Send("/table resign" + kb.Tab + "table" + kb.Tab + h.ID.String())
	b.Press("Yes, resign")
	b.Shown("You've resigned")
}

// enterAll enters people with the button of the competition's card.
func enterAll(b *bottest.Browser, people []string) {
	b.T.Helper()
	for _, p := range people {
		b.Be(p)
		b.Press("Sign up")
		b.Reads("You've signed up")
	}
	b.Reads(fmt.Sprintf("%d players so far", len(people)))
}

// inRounds sets the number of rounds of a new tournament by the keyboard, in the tournament's form.
func inRounds(b *bottest.Browser, count string) {
	b.Press("Rounds and games")
	b.Until(`document.querySelector("#modal").open && document.activeElement.name === "game-days"`)
	b.Do(chromedp.KeyEvent(kb.Tab + kb.Tab + count))
	b.ShootBoth("cup-form")
	b.Do(chromedp.KeyEvent(kb.Enter))
	b.Shown("Rounds: " + count)
}

// A tournament of eight works in the browser, with typed commands, a form, buttons and the keyboard. The standings are
// a picture and text. People resign, one withdraws during a game, one runs out of time, and the bot restarts between
// two rounds.
func TestTournamentOfEightInTheBrowser(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: no tournament is played in the page")
	}
	clock := manual.NewClock(time.Now()) // begins at the browser's time, which the page uses
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Quiet = true }, func(o *localdiscord.Options) { o.Clock = clock })
	people := r.People(8)
	b := bottest.OpenBrowser(t, r.Server.URL())
	b.Be(localdiscord.Mary)
	b.Enter("Tortuga", "harbour")
	b.Send("/moderate create tournament" + kb.Tab + "Winter cup" + kb.Tab + "Loyal Captain" + kb.Tab + "kind" + kb.Tab +
		"Swiss")
	inRounds(b, "3")
	enterAll(b, people)
	b.ShootBoth("cup-entry")
	b.Be(localdiscord.Bart)
	pressByKeyboard(b, "Start now")
	b.Reads("Only moderators")
	b.Be(localdiscord.Mary)
	pressByKeyboard(b, "Start now")
	for round := 1; round <= 3; round++ {
		r.Settled(round)
		b.Reads(fmt.Sprintf("Round %d of 3, deadline", round))
		heads := r.Pairings()
		if len(heads) != 4-round/2 && round != 3 || round == 3 && len(heads) < 3 {
			t.Errorf("round %d has %d games", round, len(heads))
		}
		for i, h := range heads {
			switch {
			case round == 1 && i == 0:
				b.Be(h.Seats[1].User)
				b.Press("Leave") // a button below the confirmation of the entry
				b.Press("Yes, withdraw")
				b.Shown("You've withdrawn")
				b.ShootBoth("cup-withdrawn")
			case round == 2 && i == len(heads)-1:
				r.Eventually("the other games over", func() bool { return len(r.Pairings()) == 1 })
				clock.Advance(2*bottest.Day + time.Minute) // nobody moves at the remaining table
			default:
				resign(b, h.Seats[i%2].User, h)
			}
		}
		if round == 1 {
			r.Settled(2)
			r.Stop()
			r.Start()
		}
	}
	r.Eventually("the end", func() bool { return r.FirstCompetition().Over() })
	b.Reads("All games are over")
	b.ShootBoth("cup-end")
	pressByKeyboard(b, "Standings")
	b.Until(bottest.LastPrivate + `.querySelector("img")?.complete && ` + bottest.LastPrivate +
		`.innerText.includes("Buchholz")`)
	b.ShootBoth("cup-standings")
	b.Press("Pairings")
	b.Reads("round 3 of 3")
	b.ShootBoth("cup-pairings")
	walkovers, late := 0, 0
	for _, p := range r.FirstCompetition().Rules.Pairings {
		switch p.End {
		case "walkover":
			walkovers++
		case "time":
			late++
		}
	}
	if walkovers != 1 || late != 1 {
		t.Errorf("%d walkovers and %d games by time, want one of each: %+v", walkovers, late,
			r.FirstCompetition().Rules.Pairings)
	}
}

// A tournament of nine at Freebooter tables of three works in the browser, with commands, a form and buttons.
func TestPodsInTheBrowser(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: no tournament is played in the page")
	}
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Quiet = true })
	b := bottest.OpenBrowser(t, r.Server.URL())
	people := r.People(9)
	b.Be(localdiscord.Mary)
	b.Enter("Tortuga", "harbour")
	b.Send("/moderate create tournament" + kb.Tab + "Treasure cup" + kb.Tab + "Freebooter" + kb.Tab + "kind" + kb.Tab +
		"pods")
	inRounds(b, "2")
	enterAll(b, people)
	b.Be(localdiscord.Mary)
	b.Press("Start now")
	for round := 1; round <= 2; round++ {
		r.Settled(round)
		heads := r.Pairings()
		if len(heads) != 3 {
			t.Errorf("round %d has %d tables", round, len(heads))
		}
		for i, h := range heads {
			resign(b, h.Seats[i%3].User, h)
			resign(b, h.Seats[(i+1)%3].User, h)
		}
	}
	b.Reads("All games are over")
	b.ShootBoth("pods-end")
	b.Press("Standings")
	b.Until(bottest.LastPrivate + `.querySelector("img")?.complete && ` + bottest.LastPrivate +
		`.innerText.includes("Buchholz")`)
	b.ShootBoth("pods-standings")
	b.Press("Pairings")
	b.Reads("round 2 of 2")
	b.ShootBoth("pods-pairings")
}
