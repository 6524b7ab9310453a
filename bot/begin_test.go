package bot_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

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
	r, _ := quietRig(t, func(o *localdiscord.Options) {
		o.Starters = []localdiscord.Starter{{
			Title: "Play against the computer", Label: "Loyal Captain", Command: "play",
			Options: []localdiscord.Option{localdiscord.Opt("game", captain), localdiscord.Opt("computers", 1)},
		}}
	})
	b := openBrowser(t, r.srv.URL())
	b.do(chromedp.EmulateViewport(390, 844))
	b.until(`document.querySelector("#log .welcome button.primary") !== null`)
	b.do(chromedp.Evaluate[chromedp.Void](`void document.querySelector("#log .welcome button.primary").click()`))
	b.until(settled +
		` && document.querySelector("#title").textContent.includes("Loyal Captain · ") && document.querySelector('#log [data-cid^="move/1/"]') !== null`)
	b.enter("Tortuga", "game-tables")
	b.until(`[...document.querySelectorAll("#log .ephemeral .mention")].some((x) => x.textContent.startsWith("#1 Loyal Captain · "))`)

	b.do(chromedp.EmulateViewport(1280, 800))
	evaluate := func(js string) { b.t.Helper(); b.do(chromedp.Evaluate[chromedp.Void]("void (" + js + ")")) }
	evaluate(`document.querySelector("#begin").click()`)
	b.until(`!document.querySelector("#ways").hidden`)
	evaluate(`document.querySelector("#ways button.primary").click()`)
	b.until(settled +
		` && document.querySelector("#title").textContent.includes("#2 Loyal Captain · ") && document.querySelector('#log [data-cid^="move/2/"]') !== null`)
	b.until(`document.querySelector("#ways").hidden`)

	b.press("Learn")
	b.until(lastOwn + `?.querySelector("button.select") != null`)
	b.until(`document.querySelector("#log").getBoundingClientRect().top <= ` + lastOwn + `.getBoundingClientRect().top`)
	evaluate(lastOwn + `.querySelector("button.select").focus()`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(`!document.querySelector("#log .listbox:not([hidden])").hidden`)
	evaluate(`window.was = ` + lastOwn)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(lastOwn + ` !== window.was && document.activeElement.closest(".message") === ` + lastOwn)

	evaluate(lastOwn + `.querySelector("button.picture").click()`)
	b.until(`document.querySelector("#lightbox").open && document.activeElement.classList.contains("close") &&
		getComputedStyle(document.querySelector("#lightbox figcaption")).backgroundColor !== "rgba(0, 0, 0, 0)"`)
	b.do(chromedp.KeyEvent(kb.Escape))

	evaluate(`document.querySelector('#guilds [title="Direct messages"]').click()`)
	b.until(settled + ` && document.querySelector("#title").textContent === "@ marque"`)
	b.until(`document.querySelector("#log .welcome").innerText.includes("Here you play against the computer; with others you play on a server.")`)
}
