package bot_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/games"
)

// In the page two look for a game by buttons alone and are paired; the card shows who waits. Who lacks what is asked
// for by a typed command, at a table or by somebody who looks for a game, reads all that is lacking.
func TestSeeksInThePage(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts a browser")
	}
	r, pass := seeking(t)
	_, err := r.srv.Admin.AddRole(localdiscord.Tortuga, "Pirates", 0)
	r.must(err)
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

	r.slouch(localdiscord.Bart, localdiscord.Mary, pass)
	asks := kb.Tab + "rating" + kb.Tab + "9000+" + kb.Tab + "answers" + kb.Tab + "within a day" + kb.Tab + "finishes" +
		kb.Tab + "90" + kb.Tab + "lessons" + kb.Tab + "true" + kb.Tab + "role" + kb.Tab + "Pirates"
	refused := func(game string) {
		b.shown("lessons of " + game + " (“/learn”)")
		b.shown("What is lacking: a rating of 9000 or more (yours is ")
		b.shown("answers within 24 hours as a rule (lately yours took longer)")
		b.shown("90 % of one's games finished (lately you finished 0 %)")
		b.shown("the role @Pirates")
		b.shootBoth("lacking-" + game[:4])
	}
	b.be(localdiscord.Grace)
	b.send("/play" + kb.Tab + "game" + kb.Tab + "Madagascar" + kb.Tab + "players" + kb.Tab + "2" + asks)
	b.reads("one free seat")
	b.be(localdiscord.Bart)
	b.press("Join")
	refused("Madagascar")
	b.be(localdiscord.Grace)
	b.send("/seek" + kb.Tab + "game" + kb.Tab + "Quedah Merchant" + asks)
	b.shown("You are looking for")
	b.be(localdiscord.Bart)
	b.until(`(() => {
		const head = [...document.querySelectorAll("#log .message:not(.ephemeral) button.select")].at(-1);
		if (!head) return false;
		head.click();
		const options = [...document.getElementById(head.getAttribute("aria-controls")).children];
		const grace = options.find((o) => o.textContent.includes("Grace"));
		(grace ?? head).click();
		return grace !== undefined;
	})()`)
	refused("Quedah Merchant")
}

// slouch has somebody answer late, and leave games with another, until it is known how they play.
func (r *rig) slouch(user, other string, pass func(time.Duration)) {
	r.t.Helper()
	for i := range table.LeastConduct {
		key := func(n int) string { return strconv.Itoa(1297650000000000000 + 100*i + n) }
		snap, err := r.tables.Open(r.ctx, table.Actor{User: other, Key: key(0)}, table.Opening{Game: captain, Seats: 2,
			Guild: localdiscord.Tortuga, Channel: localdiscord.TortugaTables, WhenFull: true})
		r.must(err)
		snap, err = r.tables.Join(r.ctx, table.Actor{User: user, Key: key(1)}, snap.ID)
		r.must(err)
		for n := range 2 {
			if snap.Mover() == user {
				pass(2 * 24 * time.Hour)
			}
			state := snap.View(snap.ToMove).State
			snap, err = r.tables.Move(r.ctx, table.Actor{User: snap.Mover(), Key: key(2 + n)}, snap.ID,
				games.Spell(state, state.Moves()[0]), snap.Version)
			r.must(err)
		}
		_, err = r.tables.Resign(r.ctx, table.Actor{User: user, Key: key(9)}, snap.ID)
		r.must(err)
	}
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
