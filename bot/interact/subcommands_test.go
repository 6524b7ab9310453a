package interact_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
)

// In the page, a user finds, types and fills in a command with subcommands as in Discord's client. Only users with
// access see the command.
func TestSubcommandsInThePage(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts a browser")
	}
	b := bottest.OpenBrowser(t, bottest.New(t).Server.URL())
	const offered = `[...document.querySelectorAll("#popup [role=option] .label")].map((l) => l.firstChild.textContent).join()`
	b.Be(localdiscord.Anne)
	b.Enter("Tortuga", "game-tables")
	b.Key("/server season")
	b.Until(offered + ` === "/server season start,/server season end"`)
	b.Do(chromedp.KeyEvent(" start "))
	b.Until(`document.querySelector(".chip")?.textContent === "/server season start"`)
	b.Do(chromedp.KeyEvent(kb.Tab + "Gold rush"))
	b.Until(`document.querySelector(".option-name")?.textContent === "title"`)
	b.Shoot("subcommand")
	b.Do(chromedp.KeyEvent(kb.Enter))
	b.Until(`document.querySelector(".chip") === null && document.querySelector("#log").innerText.includes("Gold rush begins")`)

	b.Key("/jo") // the beginning of a later word also finds a command
	b.Until(offered + ` === "/table join"`)
	b.Do(chromedp.KeyEvent(kb.Tab))
	b.Until(`document.querySelector(".chip")?.textContent === "/table join"`)
	b.Do(chromedp.KeyEvent(kb.Enter))
	b.Until(`document.querySelector("#log").innerText.includes("There's no game going on in this channel")`)

	b.Be(localdiscord.Bart)
	b.Key("/server")
	b.Until(`document.querySelector("#popup").innerText.includes("No such command here")`)
}

// A pasted command line fills in the command: its first option gets the text before the named options. A line that is
// no command is refused with a hint, which disappears when the user edits the line.
func TestALineThatComesAsAWhole(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts a browser")
	}
	b := bottest.OpenBrowser(t, bottest.New(t).Server.URL())
	b.Be(localdiscord.Anne)
	b.Enter("Tortuga", "game-tables")
	paste := func(line string) {
		t.Helper()
		b.Do(chromedp.Focus(chromedp.CSS("#tail")), chromedp.Evaluate[chromedp.Void](
			fmt.Sprintf(`document.execCommand("insertText", false, %q) && undefined`, line)))
	}
	paste("/banana split")
	b.Do(chromedp.KeyEvent(kb.Enter))
	b.Until(`document.querySelector("#hint.bad").innerText === "No such command here."`)
	b.Do(chromedp.KeyEvent(kb.Backspace))
	b.Until(`document.querySelector("#hint.bad") === null`)
	b.Do(chromedp.Evaluate[chromedp.Void](`void (document.querySelector("#tail").value = "")`))
	for line, want := range map[string]string{
		"/move banana":                  "move: banana",
		"/rules pirat section: scoring": "game: pirat section: scoring",
	} {
		paste(line)
		b.Until(`document.querySelector(".chip") !== null`)
		b.Do(chromedp.KeyEvent(kb.Enter))
		b.Until(fmt.Sprintf(`document.querySelector(".chip") === null &&
			document.querySelector("#log").innerText.replaceAll("\n", " ").includes(%q)`, want))
	}
}
