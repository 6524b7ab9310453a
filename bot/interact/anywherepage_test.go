package interact_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/games"
	"marque/games/computer"
)

// A user who has only installed the bot can use it in the page: on a server without the bot they do a lesson, ask for a
// puzzle, and open a game. They follow its link to direct messages and play to the end against a computer.
func TestABotThatNoServerHasInTheBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: no game is played in the page")
	}
	t.Parallel()
	r := bottest.New(t)
	for _, guild := range []string{localdiscord.Tortuga, localdiscord.Nassau} {
		if err := r.Server.Admin.KickBot(guild); err != nil {
			t.Fatal(err)
		}
	}
	b := bottest.OpenBrowser(t, r.Server.URL())
	b.Be(localdiscord.Bart)
	b.Enter("Roatán", "beach")
	b.Until(`document.querySelector("#log .welcome").innerText.includes("is not on this server")`)
	b.Shoot("anywhere-without")
	b.Do(chromedp.Evaluate[chromedp.Void](`void document.querySelector("#self .install").click()`))
	b.Until(bottest.Settled + ` && document.querySelector("#self .install").textContent.startsWith("Remove")`)
	b.Shoot("anywhere-installed")

	if s := b.Private(func() { b.Send("/learn" + kb.Tab + kb.Tab + "Loyal Captain") }); !strings.Contains(s.Text,
		"1 of 7") || len(s.Alts) == 0 {
		t.Errorf("/learn shows %d pictures and says %q", len(s.Alts), s.Text)
	}
	if s := b.Private(func() { b.Send("/puzzle" + kb.Tab) }); !strings.Contains(s.Text, "★") || len(s.Alts) == 0 {
		t.Errorf("/puzzle shows %d pictures and says %q", len(s.Alts), s.Text)
	}
	b.Shoot("anywhere-puzzle")
	opened := b.Private(func() {
		b.Send("/play" + kb.Tab + "game" + kb.Tab + "Loyal Captain" + kb.Tab + "level" + kb.Tab + "easy")
	})
	if !strings.Contains(opened.Text, "is in our direct messages") {
		t.Errorf("/play says %q", opened.Text)
	}
	b.Shoot("anywhere-opened")
	b.Do(chromedp.Evaluate[chromedp.Void](`void ` + bottest.LastPrivate +
		`.querySelector(".body button.mention").click()`))
	b.Until(bottest.Settled +
		` && document.querySelector("#title").textContent === "@ marque" && document.querySelector("#log").innerText.includes("Here is your game")`)

	player := computer.New(computer.Hard, computer.Limit{Iterations: 200}, 1) // a strong player, so that the game ends
	for moves := 0; ; moves++ {
		b.Until(`document.querySelector('#log [data-cid^="move/1/"], #log [data-cid^="rematch/"]') !== null`)
		snap, err := r.Tables.Lookup.Snapshot(r.Ctx, 1)
		if err != nil {
			t.Fatal(err)
		}
		if !snap.Head.Status.Active() {
			break
		}
		if snap.Mover() != localdiscord.Bart {
			if err := r.Wait(func() bool {
				now, err := r.Tables.Lookup.Snapshot(r.Ctx, 1)
				return err != nil || now.Version > snap.Version
			}); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if moves == 2 {
			b.Shoot("anywhere-board")
		}
		move, _, err := player.Choose(r.Ctx, snap.View(snap.ToMove))
		if err != nil {
			t.Fatal(err)
		}
		b.Send("/move" + kb.Tab + games.Spell(snap.View(snap.ToMove).State, move))
		version := snap.Version
		if err := r.Wait(func() bool {
			now, err := r.Tables.Lookup.Snapshot(r.Ctx, 1)
			return err != nil || now.Version > version
		}); err != nil {
			b.Fail(fmt.Errorf("a move was not played: %w", err))
		}
	}
	b.Until(`document.querySelector('#log [data-cid^="rematch/"]') !== null`)
	b.Shoot("anywhere-over")
	if s := b.Private(func() { b.Send("/record history" + kb.Tab) }); !strings.Contains(s.Text, "Your games") ||
		!strings.Contains(s.Text, "#1") {
		t.Errorf("/record history says %q", s.Text)
	}
	b.Shoot("anywhere-history")
}
