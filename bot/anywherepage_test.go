package bot_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"marque/bot/localdiscord"
	"marque/games"
	"marque/games/computer"
)

// In the page, somebody adds a bot that no server has to their apps: on a server without it they learn, look for a
// puzzle, and open a game, whose link leads to the direct messages, where they play it to the end against a computer.
func TestABotThatNoServerHasInTheBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: no game is played in the page")
	}
	t.Parallel()
	r := newRig(t)
	for _, guild := range []string{localdiscord.Tortuga, localdiscord.Nassau} {
		if err := r.srv.Admin.KickBot(guild); err != nil {
			t.Fatal(err)
		}
	}
	b := openBrowser(t, r.srv.URL())
	b.be(localdiscord.Bart)
	b.enter("Roatán", "beach")
	b.until(`document.querySelector("#log .welcome").innerText.includes("is not on this server")`)
	b.shoot("anywhere-without")
	b.do(chromedp.Evaluate[chromedp.Void](`void document.querySelector("#self .install").click()`))
	b.until(settled + ` && document.querySelector("#self .install").textContent.startsWith("Remove")`)
	b.shoot("anywhere-installed")

	if s := b.private(func() { b.send("/learn" + kb.Tab + kb.Tab + "Loyal Captain") }); !strings.Contains(s.Text,
		"1 of 7") || len(s.Alts) == 0 {
		t.Errorf("/learn shows %d pictures and says %q", len(s.Alts), s.Text)
	}
	if s := b.private(func() { b.send("/puzzle" + kb.Tab) }); !strings.Contains(s.Text, "★") || len(s.Alts) == 0 {
		t.Errorf("/puzzle shows %d pictures and says %q", len(s.Alts), s.Text)
	}
	b.shoot("anywhere-puzzle")
	opened := b.private(func() {
		b.send("/play" + kb.Tab + "game" + kb.Tab + "Loyal Captain" + kb.Tab + "level" + kb.Tab + "easy")
	})
	if !strings.Contains(opened.Text, "waits in our direct messages") {
		t.Errorf("/play says %q", opened.Text)
	}
	b.shoot("anywhere-opened")
	b.do(chromedp.Evaluate[chromedp.Void](`void ` + lastPrivate + `.querySelector(".body button.mention").click()`))
	b.until(settled +
		` && document.querySelector("#title").textContent === "@ marque" && document.querySelector("#log").innerText.includes("Here comes your game")`)

	player := computer.New(computer.Hard, computer.Limit{Iterations: 200}, 1) // so that the game ends
	for moves := 0; ; moves++ {
		b.until(`document.querySelector('#log [data-cid^="move/1/"]') !== null || document.querySelector("#log").innerText.includes("Fair play: the seed was")`)
		snap, err := r.tables.Lookup.Snapshot(r.ctx, 1)
		if err != nil {
			t.Fatal(err)
		}
		if !snap.Head.Status.Active() {
			break
		}
		if snap.Mover() != localdiscord.Bart {
			if err := r.wait(func() bool {
				now, err := r.tables.Lookup.Snapshot(r.ctx, 1)
				return err != nil || now.Version > snap.Version
			}); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if moves == 2 {
			b.shoot("anywhere-board")
		}
		move, _, err := player.Choose(r.ctx, snap.View(snap.ToMove))
		if err != nil {
			t.Fatal(err)
		}
		b.send("/move" + kb.Tab + games.Spell(snap.View(snap.ToMove).State, move))
		version := snap.Version
		if err := r.wait(func() bool {
			now, err := r.tables.Lookup.Snapshot(r.ctx, 1)
			return err != nil || now.Version > version
		}); err != nil {
			b.fail(fmt.Errorf("a move was not played: %w", err))
		}
	}
	b.until(`document.querySelector("#log").innerText.includes("Fair play: the seed was")`)
	b.shoot("anywhere-over")
	if s := b.private(func() { b.send("/record history" + kb.Tab) }); !strings.Contains(s.Text, "Your games") ||
		!strings.Contains(s.Text, "#1") {
		t.Errorf("/record history says %q", s.Text)
	}
	b.shoot("anywhere-history")
}
