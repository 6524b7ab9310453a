package bot_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"marque/bot/localdiscord"
)

// In the page, by the keyboard alone, at the width of a desk and of a phone: forms open a table, change settings and
// take a file.
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

		// The settings: threads by radio buttons, a box that is ticked off. The panel shows it, in
		// a message that is edited.
		b.be(localdiscord.Mary)
		b.private(func() { b.send("/server settings ") })
		b.press("The usual settings in one form")
		b.until(`document.querySelector("#modal").open && document.querySelector("#modal [name=threads]") !== null`)
		shoot("settings-form")
		b.do(chromedp.Evaluate[chromedp.Void](`void document.querySelector("#modal [name=threads]:checked").focus()`))
		b.do(chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Tab+kb.Tab+" "))
		b.until(`document.activeElement.name === "rest" && document.activeElement.value === "pings"`)
		shoot("settings-form-filled")
		b.do(chromedp.KeyEvent(kb.Enter))
		b.until(`!document.querySelector("#modal").open`)
		r.eventually("the setting", func() bool {
			c, err := r.tables.Choices.Settings(r.ctx, localdiscord.Tortuga)
			return err == nil && c.Silent == (width == 1280)
		})
		b.be(localdiscord.Anne)

		// A file.
		b.private(func() {
			b.key("/record import ")
			b.until(`document.querySelector(".chip") !== null`)
			b.do(chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent(kb.Enter))
			b.until(`document.querySelector("#modal").open && document.activeElement.type === "file"`)
			shoot("import-form")
			b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`void (() => {
				const list = new DataTransfer();
				list.items.add(new File([%q], "pirat.txt", { type: "text/plain" }));
				document.activeElement.files = list.files;
			})()`, recordOf(t, "pirat"))))
			b.do(chromedp.KeyEvent(kb.Tab+kb.Tab), chromedp.KeyEvent(kb.Enter))
			b.until(`!document.querySelector("#modal").open`)
		})
		b.shown("all by the rules")
	}
}
