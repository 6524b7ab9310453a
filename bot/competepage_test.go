package bot_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/bot/timesource/manual"
)

// reads waits until the channel in the page says something.
func (b *browser) reads(what string) {
	b.t.Helper()
	b.until(fmt.Sprintf(`document.querySelector("#log").innerText.includes(%q)`, what))
}

// pressByKeyboard goes back from the message box, button by button, to the last one with this label, and presses it.
func (b *browser) pressByKeyboard(label string) {
	b.t.Helper()
	b.until(settled + fmt.Sprintf(
		` && [...document.querySelectorAll("#log button.button")].some((x) => x.textContent.trim() === %q)`, label))
	b.do(chromedp.Focus(chromedp.CSS(`#tail`)))
	for range 80 {
		b.do(chromedp.KeyEvent(kb.Tab, chromedp.KeyModifiers(kb.ModifierShift)))
		at, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`document.activeElement.textContent.trim()`))
		if err != nil {
			b.fail(err)
		}
		if at == label {
			b.do(chromedp.KeyEvent(kb.Enter))
			return
		}
	}
	b.t.Fatalf("the keyboard does not come to the button %q", label)
}

// resign has a user resign at a table by a typed command and the button below its question.
func (b *browser) resign(user string, h table.Head) {
	b.t.Helper()
	b.be(user)
	b.send("/resign" + kb.Tab + "table" + kb.Tab + h.ID.String())
	b.press("Yes, resign")
	b.shown("You have resigned")
}

// shootBoth leaves pictures of the page at a desk and on a phone.
func (b *browser) shootBoth(name string) {
	b.t.Helper()
	b.shoot(name + "-desk")
	b.do(chromedp.EmulateViewport(400, 800))
	b.until(settled)
	b.shoot(name + "-phone")
	b.do(chromedp.EmulateViewport(1280, 860))
	b.until(settled)
}

// enterAll has people enter by the card's button in the page.
func (b *browser) enterAll(people []string) {
	b.t.Helper()
	for _, p := range people {
		b.be(p)
		b.press("Enter")
		b.reads("You have entered")
	}
	b.reads(fmt.Sprintf("%d have entered", len(people)))
}

// A tournament of eight in the page: it is made by a typed command, entered and begun by its buttons, one of them by
// the keyboard; people resign, one withdraws in the middle of a game, one is out of time, and the bot starts again
// between two rounds. The standings are a picture and text.
func TestTournamentOfEightInTheBrowser(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: no tournament is played in the page")
	}
	clock := manual.NewClock(time.Now()) // as the page has it
	r := newRigWith(t, func(r *rig) { r.quiet = true }, func(o *localdiscord.Options) { o.Clock = clock })
	people := r.people(8)
	b := openBrowser(t, r.srv.URL())
	b.be(localdiscord.Mary)
	b.enter("Tortuga", "harbour")
	b.send("/tournament create" + kb.Tab + "Winter cup" + kb.Tab + "Loyal Captain" + kb.Tab + "kind" + kb.Tab +
		"Swiss" + kb.Tab + "rounds" + kb.Tab + "3")
	b.enterAll(people)
	b.shootBoth("cup-entry")
	b.be(localdiscord.Bart)
	b.pressByKeyboard("Begin now")
	b.reads("Only moderators")
	b.be(localdiscord.Mary)
	b.pressByKeyboard("Begin now")
	for round := 1; round <= 3; round++ {
		r.settled(round)
		b.reads(fmt.Sprintf("Round %d of 3, until", round))
		heads := r.playing()
		if len(heads) != 4-round/2 && round != 3 || round == 3 && len(heads) < 3 {
			t.Errorf("round %d has %d games", round, len(heads))
		}
		for i, h := range heads {
			switch {
			case round == 1 && i == 0:
				b.be(h.Seats[1].User)
				b.press("Leave") // below what the entry was answered with
				b.press("Yes, withdraw")
				b.shown("You have withdrawn")
				b.shootBoth("cup-withdrawn")
			case round == 2 && i == len(heads)-1:
				r.eventually("the other games over", func() bool { return len(r.playing()) == 1 })
				clock.Advance(2*day + time.Minute) // nobody moves there
			default:
				b.resign(h.Seats[i%2].User, h)
			}
		}
		if round == 1 {
			r.settled(2)
			r.stop()
			r.start()
		}
	}
	r.eventually("the end", func() bool { return r.cup().Over() })
	b.reads("all games are played")
	b.shootBoth("cup-end")
	b.pressByKeyboard("Standings")
	b.until(lastOwn + `.querySelector("img")?.complete && ` + lastOwn + `.innerText.includes("Buchholz")`)
	b.shootBoth("cup-standings")
	b.press("Pairings")
	b.reads("round 3 of 3")
	b.shootBoth("cup-pairings")
	walkovers, late := 0, 0
	for _, p := range r.cup().Rules.Pairings {
		switch p.End {
		case "walkover":
			walkovers++
		case "time":
			late++
		}
	}
	if walkovers != 1 || late != 1 {
		t.Errorf("%d walkovers and %d games by time, want one of each: %+v", walkovers, late, r.cup().Rules.Pairings)
	}
}

// A tournament of nine at tables of three at Freebooter in the page, by commands and buttons alone.
func TestPodsInTheBrowser(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: no tournament is played in the page")
	}
	r := newRigWith(t, func(r *rig) { r.quiet = true })
	b := openBrowser(t, r.srv.URL())
	people := r.people(9)
	b.be(localdiscord.Mary)
	b.enter("Tortuga", "harbour")
	b.send("/tournament create" + kb.Tab + "Treasure cup" + kb.Tab + "Freebooter" + kb.Tab + "kind" + kb.Tab + "pods" +
		kb.Tab + "rounds" + kb.Tab + "2")
	b.enterAll(people)
	b.be(localdiscord.Mary)
	b.press("Begin now")
	for round := 1; round <= 2; round++ {
		r.settled(round)
		heads := r.playing()
		if len(heads) != 3 {
			t.Errorf("round %d has %d tables", round, len(heads))
		}
		for i, h := range heads {
			b.resign(h.Seats[i%3].User, h)
			b.resign(h.Seats[(i+1)%3].User, h)
		}
	}
	b.reads("all games are played")
	b.shootBoth("pods-end")
	b.press("Standings")
	b.until(lastOwn + `.querySelector("img")?.complete && ` + lastOwn + `.innerText.includes("Buchholz")`)
	b.shootBoth("pods-standings")
	b.press("Pairings")
	b.reads("round 2 of 2")
	b.shootBoth("pods-pairings")
}
