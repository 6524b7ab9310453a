package lobby_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
)

// One click in the page's empty first view opens a game against the computer and leads into its
// thread, also on a phone; the answer in the channel names the thread. The games are at hand in a
// channel with messages, too. A lesson shows its task, a menu that was used by keyboard leaves the
// focus in its message, the caption of an enlarged picture stands on a ground of its own, and
// direct messages promise nobody else to play with.
func TestOneClickIntoAGame(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts a browser")
	}
	r, _ := bottest.NewQuiet(t, func(o *localdiscord.Options) {
		o.Starters = []localdiscord.Starter{{
			Title: "Play against the computer", Label: "Loyal Captain", Command: "play",
			Options: []localdiscord.Option{localdiscord.Opt("game", bottest.LoyalCaptain),
				localdiscord.Opt("computers", 1)},
		}}
	})
	b := bottest.OpenBrowser(t, r.Server.URL())
	b.Do(chromedp.EmulateViewport(390, 844))
	b.Until(`document.querySelector("#log .welcome button.primary") !== null`)
	b.Do(chromedp.Evaluate[chromedp.Void](`void document.querySelector("#log .welcome button.primary").click()`))
	b.Until(bottest.Settled +
		` && document.querySelector("#title").textContent.includes("Loyal Captain · ") && document.querySelector('#log [data-cid^="move/1/"]') !== null`)
	b.Enter("Tortuga", "game-tables")
	b.Until(`[...document.querySelectorAll("#log .ephemeral .mention")].some((x) => x.textContent.startsWith("#1 Loyal Captain · "))`)

	b.Do(chromedp.EmulateViewport(1280, 800))
	evaluate := func(js string) { b.T.Helper(); b.Do(chromedp.Evaluate[chromedp.Void]("void (" + js + ")")) }
	evaluate(`document.querySelector("#begin").click()`)
	b.Until(`!document.querySelector("#ways").hidden`)
	evaluate(`document.querySelector("#ways button.primary").click()`)
	b.Until(bottest.Settled +
		` && document.querySelector("#title").textContent.includes("#2 Loyal Captain · ") && document.querySelector('#log [data-cid^="move/2/"]') !== null`)
	b.Until(`document.querySelector("#ways").hidden`)

	b.Private(func() { b.Press("More") })
	b.Private(func() { b.Press("Learn") })
	const choice = `?.querySelector("button[data-cid]:not(.picture)")`
	b.Until(bottest.LastPrivate + choice + ` != null`)
	b.Until(`document.querySelector("#log").getBoundingClientRect().top <= ` + bottest.LastPrivate +
		`.getBoundingClientRect().top`)
	evaluate(bottest.LastPrivate + choice + `.focus()`)
	evaluate(`window.was = ` + bottest.LastPrivate)
	b.Do(chromedp.KeyEvent(kb.Enter))
	b.Until(bottest.LastPrivate + ` !== window.was && document.activeElement.closest(".message") === ` +
		bottest.LastPrivate)

	evaluate(bottest.LastPrivate + `.querySelector("button.picture").click()`)
	b.Until(`document.querySelector("#lightbox").open && document.activeElement.classList.contains("close") &&
		getComputedStyle(document.querySelector("#lightbox details p")).backgroundColor !== "rgba(0, 0, 0, 0)"`)
	b.Do(chromedp.KeyEvent(kb.Escape))

	evaluate(`document.querySelector('#guilds [title="Direct messages"]').click()`)
	b.Until(bottest.Settled + ` && document.querySelector("#title").textContent === "@ marque"`)
	b.Until(`document.querySelector("#log .welcome").innerText.includes("Here you play against the computer; with others you play on a server.")`)
}
