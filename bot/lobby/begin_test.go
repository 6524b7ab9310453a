package lobby_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
)

// A single click on the page's empty first screen starts a game against the computer and opens its thread, even on a
// phone. The games can also be reached in a channel with messages. The test also covers a lesson's task, the keyboard
// focus after a menu, the size of an enlarged picture, direct messages, and the focus of the message box, which shows
// no keyboard over the board on a phone.
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
	b.Do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch))
	b.Until(`document.querySelector("#log .welcome button.primary") !== null`)
	b.Do(chromedp.Evaluate[chromedp.Void](`void document.querySelector("#log .welcome button.primary").click()`))
	b.Until(bottest.Settled +
		` && document.querySelector("#title").textContent.includes("Loyal Captain · ") && document.querySelector('#log [data-cid^="move/1/"]') !== null`)
	b.Enter("Tortuga", "game-tables")
	b.Until(`[...document.querySelectorAll("#log .ephemeral .mention")].some((x) => x.textContent.startsWith("#1 Loyal Captain · "))`)

	evaluate := func(js string) { b.T.Helper(); b.Do(chromedp.Evaluate[chromedp.Void]("void (" + js + ")")) }
	openThread := func() { // opens the thread from the list, which closes and moves the focus
		evaluate(`document.activeElement.blur()`)
		evaluate(`document.body.classList.add("menu-open")`)
		evaluate(`document.querySelector("#channels .thread .channel").click()`)
		b.Until(bottest.Settled + ` && document.querySelector("#title").textContent.includes("Loyal Captain · ") &&
			!document.body.classList.contains("menu-open")`)
	}
	openThread()
	b.Until(`document.activeElement.id !== "tail" && matchMedia("(hover: none)").matches`)
	b.Enter("Tortuga", "game-tables")
	b.Do(chromedp.EmulateViewport(1280, 800))
	evaluate(`window.matchMedia = (query) => ({ matches: query === "(hover: hover)" })`) // the tests have no mouse
	openThread()
	b.Until(`document.activeElement.id === "tail"`)
	b.Enter("Tortuga", "game-tables")
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
	b.Do(chromedp.EmulateViewport(1280, 500)) // lower than the picture
	const asLarge = `Math.abs(document.querySelector("#lightbox img").getBoundingClientRect().height - (innerHeight - 120)) < 2`
	b.Until(`document.querySelector("#lightbox img").complete && ` + asLarge)
	evaluate(`document.querySelector("#lightbox details").open = true`)
	b.Until(`document.querySelector("#lightbox details p").getBoundingClientRect().height > 20 && ` + asLarge)
	b.Do(chromedp.KeyEvent(kb.Escape))

	evaluate(`document.querySelector('#guilds [title="Direct messages"]').click()`)
	b.Until(bottest.Settled + ` && document.querySelector("#title").textContent === "@ marque"`)
	b.Until(`document.querySelector("#log .welcome").innerText.includes("Here you play against the computer; with others you play on a server.")`)
}

// All buttons of the first screen are visible without scrolling, on a large desktop, a small one and a phone. On the
// large desktop the boards are visible, too.
func TestTheFirstScreenIsInSight(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts a browser")
	}
	r, _ := bottest.NewQuiet(t)
	b := bottest.OpenBrowser(t, r.Server.URL())
	b.Be(localdiscord.Anne)
	b.Enter("Tortuga", "tavern")
	for _, size := range [][2]int64{{1280, 900}, {1366, 768}, {390, 844}} {
		b.Do(chromedp.EmulateViewport(size[0], size[1]))
		b.Private(func() {
			b.Key("/play ")
			b.Until(`document.querySelector(".chip") !== null`)
			b.Do(chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent(kb.Enter))
		})
		const log = `document.querySelector("#log").getBoundingClientRect()`
		inSight := `(e) => e.getBoundingClientRect().top >= ` + log + `.top &&
			e.getBoundingClientRect().bottom <= ` + log + `.bottom`
		b.Until(`[...` + bottest.LastPrivate + `.querySelectorAll("img")].every((i) => i.complete && i.naturalWidth > 0)`)
		b.Until(`[...` + bottest.LastPrivate + `.querySelectorAll("button[data-cid]:not(.picture)")].every(` + inSight +
			`) && ` + bottest.LastPrivate + `.querySelectorAll("button[data-cid]:not(.picture)").length === 15`)
		b.Shoot(fmt.Sprintf("first-screen-%d", size[0]))
		if size[1] == 900 {
			b.Until(`[...` + bottest.LastPrivate + `.querySelectorAll("img")].every(` + inSight + `)`)
		}
	}
}
