package bot_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"marque/bot/localdiscord"
)

// One click in the page's empty first view opens a game against the computer and leads into its thread, also
// on a phone; the answer in the channel names the thread.
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
	b.until(settled + ` && document.querySelector("#title").textContent.includes("Loyal Captain · ") && document.querySelector('#log [data-cid^="move/1/"]') !== null`)
	b.enter("Tortuga", "game-tables")
	b.until(`[...document.querySelectorAll("#log .ephemeral .mention")].some((x) => x.textContent === "#Loyal Captain · ")`)
}
