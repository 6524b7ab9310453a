package lobby_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
)

// Forms in the browser open a table and accept a file. Apart from the file, they are filled in and sent by the
// keyboard, at the widths of a desktop and of a phone.
func TestFormsInTheBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: no browser")
	}
	t.Parallel()
	r, _ := bottest.NewQuiet(t)
	b := bottest.OpenBrowser(t, r.Server.URL())
	b.Be(localdiscord.Anne)
	b.Enter("Tortuga", "tavern")
	for _, width := range []int64{1280, 390} {
		b.Do(chromedp.EmulateViewport(width, 844))
		shoot := func(name string) { b.Shoot(name + "-" + strconv.FormatInt(width, 10)) }
		b.Key("/play ")
		b.Until(`document.querySelector(".chip") !== null`)
		b.Private(func() { b.Do(chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent(kb.Enter)) })
		s := b.Private(func() {
			shoot("first-screen")
			b.Press("Play with others")
			b.Until(`document.querySelector("#modal").open && document.activeElement.name === "game"`)
			shoot("play-form")
			b.Do(chromedp.KeyEvent(" " + kb.ArrowDown))
			b.Until(`document.querySelectorAll("#modal [name=game]")[1].checked`)
			b.Do(chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter))
			b.Until(`document.activeElement.getAttribute("role") === "listbox"`)
			shoot("play-form-people")
			b.Do(chromedp.KeyEvent("jack"+kb.Enter), chromedp.KeyEvent(kb.Escape))
			b.Do(chromedp.KeyEvent(kb.Tab + kb.Tab + kb.Tab + " ")) // skips computers and clock, and clears "rated"
			b.Until(`document.activeElement.value === "rated" && !document.activeElement.checked`)
			shoot("play-form-filled")
			b.Do(chromedp.KeyEvent(kb.Enter))
			b.Until(`!document.querySelector("#modal").open`)
		})
		if !strings.Contains(s.Text, "is open") {
			t.Errorf("the form is answered by %q", s.Text)
		}

		// A form accepts a file.
		b.Private(func() {
			b.Key("/record import ")
			b.Until(`document.querySelector(".chip") !== null`)
			b.Do(chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent(kb.Enter))
			b.Until(`document.querySelector("#modal").open && document.activeElement.type === "file"`)
			shoot("import-form")
			b.Do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`void (() => {
				const list = new DataTransfer();
				list.items.add(new File([%q], "pirat.txt", { type: "text/plain" }));
				document.activeElement.files = list.files;
			})()`, bottest.Record(t, "pirat"))))
			b.Do(chromedp.KeyEvent(kb.Tab+kb.Tab), chromedp.KeyEvent(kb.Enter))
			b.Until(`!document.querySelector("#modal").open`)
		})
		b.Shown("follows the rules")
	}
}
