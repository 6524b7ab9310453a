package bottest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"marque/bot/localdiscord/pagetest"
)

// Browser controls the local Discord's page in a headless browser.
type Browser struct {
	T   *testing.T
	Ctx context.Context
}

// OpenBrowser opens the page at url. It skips the test if there is no browser.
func OpenBrowser(t *testing.T, url string) *Browser {
	t.Helper()
	return &Browser{t, pagetest.Open(t, url)}
}

// Do performs the actions in the page, one after another.
func (b *Browser) Do(actions ...chromedp.Action[chromedp.Void]) {
	b.T.Helper()
	pagetest.Do(b.T, b.Ctx, actions...)
}

// Until waits until a JavaScript expression is true in the page.
func (b *Browser) Until(expression string) {
	b.T.Helper()
	pagetest.Until(b.T, b.Ctx, expression)
}

// Fail fails the test with err, and prints the page's text.
func (b *Browser) Fail(err error) {
	b.T.Helper()
	pagetest.Fail(b.T, b.Ctx, err)
}

// Shoot saves a picture of the page in the folder LOCALDISCORD_SHOTS, if that variable is set.
func (b *Browser) Shoot(name string) {
	b.T.Helper()
	pagetest.Shoot(b.T, b.Ctx, name)
}

// Settled is a JavaScript expression that is true once the page shows the channel's messages.
const Settled = `!document.querySelector("#log").hasAttribute("aria-busy")`

// Be switches the page to another user.
func (b *Browser) Be(user string) {
	b.T.Helper()
	b.Do(chromedp.Evaluate[chromedp.Void](`void document.querySelector('[data-user="` + user + `"]').click()`))
	b.Until(Settled + ` && document.querySelector("#seats [aria-checked=true]").dataset.user === "` + user + `"`)
}

// Enter opens a channel of a server in the page.
func (b *Browser) Enter(guild, channel string) {
	b.T.Helper()
	b.Do(chromedp.Evaluate[chromedp.Void](`void document.querySelector('#guilds [title="` + guild + `"]').click()`))
	b.Until(Settled + ` && document.querySelector("#guild-name").textContent === "` + guild + `"`)
	b.Do(chromedp.Evaluate[chromedp.Void](
		`void [...document.querySelectorAll("#channels .channel .label")].find((x) => x.textContent === "` + channel +
			`").click()`))
	b.Until(Settled + ` && document.querySelector("#title").textContent === "# ` + channel + `"`)
}

// Press clicks the last enabled button with this label.
func (b *Browser) Press(label string) {
	b.T.Helper()
	find := fmt.Sprintf(
		`[...document.querySelectorAll("#log button.button")].filter((x) => x.textContent.trim() === %q && !x.disabled).at(-1)`, label)
	b.Until(find + ` !== undefined`)
	b.Do(chromedp.Evaluate[chromedp.Void](`void ` + find + `.click()`))
}

// Send types a command line into the message box, without pauses, and sends it. A tab in the line accepts a suggestion
// and adds further options.
func (b *Browser) Send(line string) {
	b.T.Helper()
	b.Key(line)
	b.Until(`document.querySelector(".chip") !== null`)
	b.Do(chromedp.KeyEvent(kb.Enter))
	b.Until(`document.querySelector(".chip") === null || document.activeElement.id === "tail"`)
	more, err := chromedp.Run(b.Ctx, chromedp.Evaluate[bool](`document.querySelector(".chip") !== null`))
	if err != nil {
		b.Fail(err)
	}
	if more { // the first Enter may only have accepted a suggestion
		b.Do(chromedp.KeyEvent(kb.Enter))
	}
	b.Until(`document.querySelector(".chip") === null`)
}

// Key types a line into the message box.
func (b *Browser) Key(line string) {
	b.T.Helper()
	b.Until(Settled +
		` && (() => { const tail = document.querySelector("#tail"); tail.focus(); return document.activeElement === tail && tail.value === ""; })()`)
	b.Do(chromedp.KeyEvent(line))
}

// Shown waits until the latest message that only one user can see contains a text.
func (b *Browser) Shown(what string) {
	b.T.Helper()
	b.Until(fmt.Sprintf(`[...document.querySelectorAll("#log .message.ephemeral")].at(-1)?.innerText.includes(%q)`,
		what))
}

// Reads waits until the open channel contains a text.
func (b *Browser) Reads(what string) {
	b.T.Helper()
	b.Until(fmt.Sprintf(`document.querySelector("#log").innerText.includes(%q)`, what))
}

// ShootBoth saves pictures of the page in the widths of a desktop and a phone.
func (b *Browser) ShootBoth(name string) {
	b.T.Helper()
	b.Shoot(name + "-desk")
	b.Do(chromedp.EmulateViewport(400, 800))
	b.Until(Settled)
	b.Shoot(name + "-phone")
	b.Do(chromedp.EmulateViewport(1280, 860))
	b.Until(Settled)
}

// Screen is the content of the last private message in the page.
type Screen struct {
	Text    string
	Alts    []string // alternative texts of its pictures, which have loaded
	Code    string   // text of its code blocks, such as a text board
	Buttons []struct{ Label, ID string }
	Menus   []struct {
		ID      string
		Options []struct{ Label, Value string }
	}
}

// LastPrivate is a JavaScript expression for the element of the latest private message in the page.
const LastPrivate = `[...document.querySelectorAll("#log .message.ephemeral")].at(-1)`

// Private calls act, which does something in the page, and returns the private message that follows: a new one, or the
// previous one after an edit.
func (b *Browser) Private(act func()) Screen {
	b.T.Helper()
	b.Do(chromedp.Evaluate[chromedp.Void](`void (window.before = ` + LastPrivate + `)`))
	act()
	s, err := pagetest.Wait[Screen](b.Ctx, `(() => {
		const m = `+LastPrivate+`; // an edit replaces the element
		if (!m || m === window.before || m.querySelector(".thinking")) return null;
		const images = [...m.querySelectorAll("img:not(.avatar):not(.avatar img)")];
		images.forEach((i) => { i.loading = "eager"; }); // loads also those that are scrolled out of sight
		if (images.some((i) => !i.complete || !i.naturalWidth)) return null;
		return {
			Text: m.querySelector(".body").innerText,
			Alts: images.map((i) => i.alt),
			Code: [...m.querySelectorAll("pre")].map((p) => p.innerText).join("\n"),
			Buttons: [...m.querySelectorAll("button.button")].filter((x) => !x.disabled).map((x) => ({ Label: x.textContent.trim(), ID: x.dataset.cid })),
			Menus: [...m.querySelectorAll("button.select")].map((x) => {
				x.click(); // a menu has its options while it is open
				const options = [...document.getElementById(x.getAttribute("aria-controls")).children].map((o) => ({ Label: o.innerText.split("\n")[0], Value: o.dataset.value }));
				x.click();
				return { ID: x.dataset.cid, Options: options };
			}),
		};
	})()`)
	if err != nil {
		b.Fail(fmt.Errorf("no private message came: %w", err))
	}
	return s
}

// Button presses a button of the last private message by its label, and returns the private message that follows.
func (b *Browser) Button(label string) Screen {
	b.T.Helper()
	return b.Private(func() { b.Use(fmt.Sprintf(`button.button[aria-label=%q]`, label), "") })
}

// Use clicks the element of the last private message that a CSS selector finds. If the element is a menu, Use also
// clicks the option with the given value.
func (b *Browser) Use(selector, value string) {
	b.T.Helper()
	b.Do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(() => {
		const found = %s.querySelector(%q);
		found.click();
		if (found.matches(".select")) [...document.getElementById(found.getAttribute("aria-controls")).children].find((o) => o.dataset.value === %q).click();
	})()`, LastPrivate, selector, value)))
}

// Says fails the test unless the message contains all the texts. It ignores asterisks, which the page shows as bold
// type, and treats line breaks and no-break spaces as spaces.
func (b *Browser) Says(s Screen, want ...string) {
	b.T.Helper()
	plain := strings.NewReplacer("*", "", "\n", " ", "\u00a0", " ")
	for _, w := range want {
		if !strings.Contains(plain.Replace(s.Text), plain.Replace(w)) {
			b.Fail(fmt.Errorf("the page says %q, want %q in it", s.Text, w))
		}
	}
}

// Shots saves pictures of the page in the widths of a desktop and a phone, if LOCALDISCORD_SHOTS names a folder. It
// does nothing if the desktop's picture exists.
func (b *Browser) Shots(name string) {
	if dir := os.Getenv("LOCALDISCORD_SHOTS"); dir == "" {
		return
	} else if _, err := os.Stat(filepath.Join(dir, name+".png")); err == nil {
		return
	}
	b.Shoot(name)
	b.Do(chromedp.EmulateViewport(400, 850))
	b.Do(chromedp.Evaluate[chromedp.Void](`void ` + LastPrivate + `?.scrollIntoView({ block: "end" })`))
	b.Shoot(name + "-400")
	b.Do(chromedp.EmulateViewport(1280, 900))
}
