package bot_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"marque/bot/localdiscord"
)

// In the page commands of families and groups are found, typed and filled in as in Discord's client, and
// are offered only to whom they are for.
func TestSubcommandsInThePage(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts a browser")
	}
	b := openBrowser(t, newRig(t).srv.URL())
	const offered = `[...document.querySelectorAll("#popup [role=option] .label")].map((l) => l.firstChild.textContent).join()`
	b.be(localdiscord.Anne)
	b.enter("Tortuga", "game-tables")
	b.key("/server season")
	b.until(offered + ` === "/server season start,/server season end"`)
	b.do(chromedp.KeyEvent(" start "))
	b.until(`document.querySelector(".chip")?.textContent === "/server season start"`)
	b.do(chromedp.KeyEvent(kb.Tab + "Gold rush"))
	b.until(`document.querySelector(".option-name")?.textContent === "title"`)
	b.shoot("subcommand")
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(`document.querySelector(".chip") === null && document.querySelector("#log").innerText.includes("Gold rush begins")`)

	b.key("/jo") // the middle of a name finds it, too
	b.until(offered + ` === "/seat join"`)
	b.do(chromedp.KeyEvent(kb.Tab))
	b.until(`document.querySelector(".chip")?.textContent === "/seat join"`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(`document.querySelector("#log").innerText.includes("Nobody plays in this channel")`)

	b.be(localdiscord.Bart)
	b.key("/server")
	b.until(`document.querySelector("#popup").innerText.includes("No such command here")`)
}
