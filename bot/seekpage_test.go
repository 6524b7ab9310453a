package bot_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"marque/bot/localdiscord"
	"marque/bot/table"
)

// In the page two look for a game by buttons alone and are paired; the card shows who waits.
func TestSeeksInThePage(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts a browser")
	}
	r := newRig(t)
	r.configure(localdiscord.Tortuga, func(c *table.Settings) {
		c.SeekChannel, c.Threads = localdiscord.TortugaTavern,
			table.ThreadsAlways
	})
	r.command(localdiscord.Mary, localdiscord.TortugaTavern, "server panel")
	b := openBrowser(t, r.srv.URL())
	says := func(what string) { b.until(`document.querySelector("#log").innerText.includes("` + what + `")`) }
	b.be(localdiscord.Anne)
	b.enter("Tortuga", "tavern")
	b.press("Find me a game")
	says("What kind of game?")
	b.shoot("seek-form")
	b.press("Look for a game")
	says("You are looking for any game")
	says("Looking for a game")
	b.shoot("seek-card")
	b.be(localdiscord.Jack)
	b.enter("Tortuga", "tavern")
	b.press("Find me a game")
	says("What kind of game?")
	b.press("Look for a game")
	says("with @Anne")
	b.shoot("seek-found")
	r.atTavern("Nobody is looking")
}

// pick chooses from the menu that has this label, in the latest message that one user alone sees.
func (b *browser) pick(label string) {
	b.t.Helper()
	const heads = `[...` + lastOwn + `.querySelectorAll("button.select")]`
	b.until(lastOwn + ` !== undefined && ` + heads + `.length > 0`)
	b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`void (() => {
		for (const head of %s) {
			head.click();
			const options = [...document.getElementById(head.getAttribute("aria-controls")).children];
			const option = options.find((o) => o.textContent.includes(%q));
			if (option) {
				head.dataset.asked = "";
				return option.click();
			}
			head.click();
		}
	})()`, heads, label)))
	// The message has been answered when there is another menu in place of that one.
	b.until(heads + fmt.Sprintf(`.some((x) => x.innerText.includes(%q) && x.dataset.asked === undefined)`, label))
}

// In the page one looks for a game for hours, and nobody comes; for another a computer takes the seat then.
func TestSeeksEndInThePage(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: nobody looks for a game in the page")
	}
	r, pass := seeking(t)
	r.command(localdiscord.Mary, localdiscord.TortugaTavern, "server panel")
	b := openBrowser(t, r.srv.URL())
	look := func(user string, picks ...string) {
		b.be(user)
		b.enter("Tortuga", "tavern")
		b.press("Find me a game")
		for _, p := range picks {
			b.pick(p)
		}
		b.press("Look for a game")
		b.shown("You are looking for")
	}
	look(localdiscord.Anne, "Loyal Captain", "for 6 hours")
	look(localdiscord.Jack, "Madagascar", "for 6 hours", "play a computer")
	b.reads("a computer plays")
	b.shootBoth("seek-waiting")
	pass(6*time.Hour + time.Minute)
	b.reads("waited long enough: a computer plays Madagascar with them")
	b.reads("Nobody is looking")
	b.shootBoth("seek-ended")
	if heads := r.goingOf(localdiscord.Anne); len(heads) != 0 {
		t.Errorf("whose seek has lapsed sits at %+v", heads)
	}
	if heads := r.goingOf(localdiscord.Jack); len(heads) != 1 ||
		heads[0].Seats[0].Computer == heads[0].Seats[1].Computer {
		t.Errorf("who wanted a computer then sits at %+v", heads)
	}
}
