package bot_test

import (
	"testing"

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
