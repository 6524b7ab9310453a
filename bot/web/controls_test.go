package web_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/bot/localdiscord/pagetest"
)

// small is a JavaScript expression that lists the controls, except marks, that are less than 44 points wide or high.
const small = `[...document.querySelectorAll("button:not(.mark), select, label, a, #told li, input[type=range]")]
	.filter((e) => e.offsetParent !== null).map((e) => [e, e.getBoundingClientRect()])
	.filter(([, b]) => b.width < 43.9 || b.height < 43.9)
	.map(([e, b]) => e.tagName + " " + (e.textContent || e.id) + " " + b.width + " x " + b.height)`

// large fails the test if a control is too small, or the page is wider than the screen.
func large(t *testing.T, tab context.Context, where string) {
	t.Helper()
	list, err := pagetest.Wait[[]string](tab, small)
	if err != nil || len(list) > 0 {
		t.Errorf("%s: smaller than 44 points: %q, %v", where, list, err)
	}
	wide, err := pagetest.Wait[bool](tab, `document.documentElement.scrollWidth <= innerWidth`)
	if err != nil || !wide {
		t.Errorf("%s: wider than the screen, %v", where, err)
	}
}

// The controls of the page except marks are large enough for a finger: in the dialogs that the buttons below a board
// open, the list of games, plans, the spectators' view, and the page of a shared game.
func TestControlsAreLargeEnough(t *testing.T) {
	t.Parallel()
	r, sharing := withPage(t), withPage(t)
	shared := allowed(sharing, playedOut(sharing, "quedah-merchant"), "Without my name")
	board := r.OpenLoyal(bottest.Two)
	mover := r.Table().Mover()
	waits := bottest.Other(bottest.Two, mover)
	for _, width := range []int64{320, 360, 390, 768} {
		at := func(what string) string { return fmt.Sprintf("%s at %d points", what, width) }
		watching := sit(t, r, localdiscord.Mary, board, width, 800)
		large(t, watching.tab, at("watching"))
		dialogs(t, watching, at("watching"))
		s := sit(t, r, mover, board, width, 800)
		pagetest.Until(t, s.tab, asked)
		dialogs(t, s, at("the move"))

		plan := sit(t, r, waits, board, width, 800)
		pagetest.Do(t, plan.tab, chromedp.Click(chromedp.CSS("#plan")))
		pagetest.Until(t, plan.tab, settled+` && document.querySelector("#stop") !== null`)
		large(t, plan.tab, at("a plan"))
		pagetest.Do(t, plan.tab, chromedp.Click(chromedp.CSS("#games")))
		pagetest.Until(t, plan.tab, `document.querySelector("#said h2") !== null`)
		pagetest.Until(t, plan.tab, `(() => { // the button counts what the list shows
			const rows = document.querySelectorAll("#said p button"), button = document.querySelector("#games").innerText;
			return rows.length > 0 && button.endsWith("(" + rows.length + ")");
		})()`)
		large(t, plan.tab, at("my games"))

		tab := pagetest.Tab(t)
		pagetest.Do(t, tab, chromedp.EmulateViewport(width, 800, chromedp.EmulateMobile, chromedp.EmulateTouch),
			chromedp.Navigate(sharing.PageURL+"/#game."+shared))
		pagetest.Until(t, tab, settled)
		large(t, tab, at("a shared game"))
	}
}

// dialogs checks what the buttons below a board open, except the button for plans.
func dialogs(t *testing.T, s *seat, where string) {
	t.Helper()
	const opens = `[...document.querySelectorAll("#more > button:not(#plan)")]`
	names, err := pagetest.Wait[[]string](s.tab, opens+`.map((e) => e.textContent)`)
	if err != nil || len(names) == 0 {
		t.Fatalf("%s: no buttons, %v", where, err)
	}
	for i, name := range names {
		pagetest.Do(t, s.tab, chromedp.Evaluate[chromedp.Void](fmt.Sprintf(opens+`[%d].click()`, i)))
		pagetest.Until(t, s.tab, `document.querySelector("#dialog").open || !document.querySelector("#error").hidden`)
		large(t, s.tab, where+", "+name)
		pagetest.Do(t, s.tab, chromedp.Evaluate[chromedp.Void](`(() => {
			document.querySelector("#dialog").close();
			document.querySelector("#said").replaceChildren();
			document.querySelector("#error").hidden = true;
		})()`))
	}
}
