package bot_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"marque/bot/localdiscord"
)

// In the page, by the keyboard alone, at the width of a desk and of a phone: the form of /play opens a table.
func TestFormsInTheBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: no browser")
	}
	t.Parallel()
	r, _ := quietRig(t)
	b := openBrowser(t, r.srv.URL())
	b.be(localdiscord.Anne)
	b.enter("Tortuga", "tavern")
	for _, width := range []int64{1280, 390} {
		b.do(chromedp.EmulateViewport(width, 844))
		shoot := func(name string) { b.shoot(name + "-" + strconv.FormatInt(width, 10)) }
		s := b.private(func() {
			b.key("/play ")
			b.until(`document.querySelector(".chip") !== null`)
			b.do(chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent(kb.Enter))
			b.until(`document.querySelector("#modal").open && document.activeElement.name === "game"`)
			shoot("play-form")
			b.do(chromedp.KeyEvent(" " + kb.ArrowDown))
			b.until(`document.querySelectorAll("#modal [name=game]")[1].checked`)
			b.do(chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter))
			b.until(`document.activeElement.getAttribute("role") === "listbox"`)
			shoot("play-form-people")
			b.do(chromedp.KeyEvent("jack"+kb.Enter), chromedp.KeyEvent(kb.Escape))
			b.do(chromedp.KeyEvent(kb.Tab + kb.Tab + kb.Tab + " ")) // past computers and clock: it is not rated
			b.until(`document.activeElement.value === "rated" && !document.activeElement.checked`)
			shoot("play-form-filled")
			b.do(chromedp.KeyEvent(kb.Enter))
			b.until(`!document.querySelector("#modal").open`)
		})
		if !strings.Contains(s.Text, "is open") {
			t.Errorf("the form is answered by %q", s.Text)
		}
	}
}
