package turn_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/games/catalog"
)

// inSight is a JavaScript condition: the pictures and controls of the page's last message have loaded, and are in the
// visible part of the channel.
const inSight = `(() => {
	const log = document.querySelector("#log").getBoundingClientRect();
	const shown = [...[...document.querySelectorAll("#log .message")].at(-1).querySelectorAll("img, .button, .select")];
	const out = (r) => r.height === 0 || r.top < log.top || r.bottom > log.bottom;
	return shown.every((x) => x.complete !== false && !out(x.getBoundingClientRect()));
})()`

// Controls are visible together with their picture, without scrolling, when a user presses them: under a board, and in
// the message after Move, even with a hand of cards.
func TestWhatIsPressedIsInSight(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts a browser")
	}
	r := bottest.New(t)
	b := bottest.OpenBrowser(t, r.Server.URL())
	b.Be(localdiscord.Anne)
	channel := localdiscord.TortugaHarbour
	for _, g := range catalog.Games {
		turn := r.MeetComputers(channel, g.Key(), 1)
		b.Enter("Tortuga", "harbour")
		look := func(what string) {
			for _, size := range [][2]int64{{1280, 900}, {1366, 768}, {390, 844}} {
				b.Do(chromedp.EmulateViewport(size[0], size[1]))
				b.Until(bottest.Settled + " && " + inSight)
				b.Shoot(fmt.Sprintf("%s-%s-%d", what, g.Key(), size[0]))
			}
			b.Do(chromedp.EmulateViewport(1280, 900))
		}
		look("board")
		b.Private(func() { b.Press("Move") })
		look("question")
		heads, err := r.Tables.Lookup.InChannel(r.Ctx, channel)
		r.Must(err)
		_, err = r.Tables.Resign(r.Ctx, table.Actor{User: localdiscord.Anne}, heads[0].ID)
		r.Must(err)
		r.Next(channel, turn.ID, bottest.IsOver)
	}
}
