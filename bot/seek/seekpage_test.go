package seek_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/bot/table/conduct"
	"marque/games"
)

// In the page, two users look for a game with buttons alone, and are paired. The list shows the waiting users. A user
// who does not meet the conditions of a table or seek is told all those that they do not meet.
func TestSeeksInThePage(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts a browser")
	}
	r, pass := seeking(t)
	_, err := r.Server.Admin.AddRole(localdiscord.Tortuga, "Pirates", 0)
	r.Must(err)
	r.Command(localdiscord.Mary, localdiscord.TortugaTavern, "server panel")
	b := bottest.OpenBrowser(t, r.Server.URL())
	says := func(what string) { b.Until(`document.querySelector("#log").innerText.includes("` + what + `")`) }
	b.Be(localdiscord.Anne)
	b.Enter("Tortuga", "tavern")
	b.Press("Find me a game")
	says("What kind of game?")
	b.Shoot("seek-form")
	b.Press("Look for a game")
	says("You're looking for players in")
	says("Looking for a game")
	b.Shoot("seek-card")
	b.Be(localdiscord.Jack)
	b.Enter("Tortuga", "tavern")
	b.Press("Find me a game")
	says("What kind of game?")
	b.Press("Look for a game")
	says("with @Anne")
	b.Shoot("seek-found")
	atTavern(r, "Nobody is looking")

	slouch(r, localdiscord.Bart, localdiscord.Mary, pass)
	asks := kb.Tab + "rating" + kb.Tab + "9000+" + kb.Tab + "answers" + kb.Tab + "within a day" + kb.Tab + "finishes" +
		kb.Tab + "90" + kb.Tab + "lessons" + kb.Tab + "true" + kb.Tab + "role" + kb.Tab + "Pirates"
	refused := func(game string) {
		b.Shown("lessons of " + game + " (“/learn”)")
		b.Shown("To join, you need: a rating of 9000 or more (yours is ")
		b.Shown("a usual answer time of up to 24 hours (lately yours was longer)")
		b.Shown("90% of your games finished (lately you finished 0%)")
		b.Shown("the role @Pirates")
		b.ShootBoth("lacking-" + game[:4])
	}
	b.Be(localdiscord.Grace)
	b.Send("/play" + kb.Tab + "game" + kb.Tab + "Madagascar" + kb.Tab + "players" + kb.Tab + "2" + asks)
	b.Reads("one free seat")
	b.Be(localdiscord.Bart)
	b.Press("Join")
	refused("Madagascar")
	b.Be(localdiscord.Grace)
	b.Send("/seek" + kb.Tab + "game" + kb.Tab + "Quedah Merchant" + asks)
	b.Shown("You're looking for players")
	b.Be(localdiscord.Bart)
	b.Until(`(() => {
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

// slouch makes a user answer late and resign from games against other, until enough games show that the user is
// unreliable.
func slouch(r *bottest.Rig, user, other string, pass func(time.Duration)) {
	r.T.Helper()
	for i := range conduct.Least {
		key := func(n int) string { return strconv.Itoa(1297650000000000000 + 100*i + n) }
		snap, err := r.Tables.Open(r.Ctx, table.Actor{User: other, Key: key(0)},
			table.Opening{Game: bottest.LoyalCaptain, Seats: 2,
				Guild: localdiscord.Tortuga, Channel: localdiscord.TortugaTables, WhenFull: true})
		r.Must(err)
		snap, err = r.Tables.Join(r.Ctx, table.Actor{User: user, Key: key(1)}, snap.ID)
		r.Must(err)
		for n := range 2 {
			if snap.Mover() == user {
				pass(2 * 24 * time.Hour)
			}
			state := snap.View(snap.ToMove).State
			snap, err = r.Tables.Move(r.Ctx, table.Actor{User: snap.Mover(), Key: key(2 + n)}, snap.ID,
				games.Spell(state, state.Moves()[0]), snap.Version)
			r.Must(err)
		}
		_, err = r.Tables.Resign(r.Ctx, table.Actor{User: user, Key: key(9)}, snap.ID)
		r.Must(err)
	}
}

// pick chooses the option that contains label from a menu of the latest private message.
func pick(b *bottest.Browser, label string) {
	b.T.Helper()
	const heads = `[...` + bottest.LastPrivate + `.querySelectorAll("button.select")]`
	b.Until(bottest.LastPrivate + ` !== undefined && ` + heads + `.length > 0`)
	b.Do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`void (() => {
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
	// A new menu in place of the old one shows that the message was answered.
	b.Until(heads + fmt.Sprintf(`.some((x) => x.innerText.includes(%q) && x.dataset.asked === undefined)`, label))
}

// In the page, a seek expires if nobody joins. If the seek asks for it, a computer takes the seat instead.
func TestSeeksEndInThePage(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: nobody looks for a game in the page")
	}
	r, pass := seeking(t)
	r.Command(localdiscord.Mary, localdiscord.TortugaTavern, "server panel")
	b := bottest.OpenBrowser(t, r.Server.URL())
	look := func(user string, picks ...string) {
		b.Be(user)
		b.Enter("Tortuga", "tavern")
		b.Press("Find me a game")
		for _, p := range picks {
			pick(b, p)
		}
		b.Press("Look for a game")
		b.Shown("You're looking for players")
	}
	look(localdiscord.Anne, "Loyal Captain", "for 6 hours")
	look(localdiscord.Jack, "Madagascar", "for 6 hours", "play a computer")
	b.Reads("a computer joins")
	b.ShootBoth("seek-waiting")
	pass(6*time.Hour + time.Minute)
	b.Reads("so a computer joins in")
	b.Reads("Nobody is looking")
	b.ShootBoth("seek-ended")
	if heads := goingOf(r, localdiscord.Anne); len(heads) != 0 {
		t.Errorf("whose seek has lapsed sits at %+v", heads)
	}
	if heads := goingOf(r, localdiscord.Jack); len(heads) != 1 ||
		heads[0].Seats[0].Computer == heads[0].Seats[1].Computer {
		t.Errorf("who wanted a computer then sits at %+v", heads)
	}
}
