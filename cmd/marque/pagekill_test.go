//go:build unix

package main

import (
	"bufio"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"
	"github.com/chromedp/chromedp"

	"marque/bot/localdiscord"
	"marque/bot/localdiscord/pagetest"
)

// Browser pages reconnect after the program is killed, and each move sent from them is played once. The program is
// killed repeatedly while two people play, directly before or after a move is sent.
func TestPagesOutliveKills(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), operationsTime)
	defer cancel()
	s := launch(t, ctx)
	proxy := openProxy(t, s.discord)
	exe, err := os.Executable()
	must(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	address, dir := l.Addr().String(), t.TempDir()
	must(t, l.Close())
	start := func() (kill func()) {
		cmd := exec.CommandContext(ctx, exe)
		cmd.Dir, cmd.Stderr = dir, os.Stderr
		cmd.Env = append(os.Environ(), programVar+"=1", "DISCORD_TOKEN="+s.discord.Token(), "DISCORD_TOKEN_FILE=",
			"MARQUE_DATABASE=", "MARQUE_METRICS=", "MARQUE_BACKUPS=", "MARQUE_LOG_LEVEL=error",
			"MARQUE_DATA="+filepath.Join(dir, "data"), "MARQUE_WEB="+address, "MARQUE_WEB_URL=http://"+address,
			"HTTPS_PROXY="+proxy.address, "https_proxy="+proxy.address, "NO_PROXY=", "no_proxy=",
			"SSL_CERT_FILE="+proxy.authority, "SSL_CERT_DIR="+dir)
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.Contains(line, "ready") {
			t.Fatalf("the program says %q (%v)", line, err)
		}
		return func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }
	}
	kill := start()
	t.Cleanup(func() { kill() })

	const channel = localdiscord.TortugaTables
	lobby := s.open(localdiscord.Anne, channel)
	s.click(localdiscord.Jack, lobby, "Join")
	board := s.after(lobby.ID, "", "Open the board") // in the thread below the table's card
	tabs := map[string]context.Context{}
	for _, who := range []string{localdiscord.Anne, localdiscord.Jack} {
		tabs[who] = pagetest.Tab(t)
		pagetest.Do(t, tabs[who], chromedp.Navigate(linkIn(t, s.click(who, board, "Open the board"))))
		pagetest.Until(t, tabs[who], `document.querySelector("#main").getAttribute("aria-busy") === "false"`)
	}
	const asked = `!document.querySelector("#ask").hidden && document.querySelector("#ask").offsetParent !== null`
	mover := func() context.Context {
		t.Helper()
		for who := localdiscord.Anne; ; who = map[string]string{localdiscord.Anne: localdiscord.Jack,
			localdiscord.Jack: localdiscord.Anne}[who] {
			if yes, err := pagetest.Wait[bool](tabs[who], asked); err != nil {
				pagetest.Fail(t, tabs[who], err)
			} else if yes {
				return tabs[who]
			}
		}
	}
	const most = 9
	for n := range most {
		tab := mover()
		for {
			whole, err := pagetest.Wait[bool](tab, `!!document.querySelector("#play")?.offsetParent`)
			if err != nil {
				pagetest.Fail(t, tab, err)
			}
			if whole {
				break
			}
			drawn, err := pagetest.Wait[string](tab, `document.querySelector("#main").dataset.drawn`)
			if err != nil {
				pagetest.Fail(t, tab, err)
			}
			pagetest.Do(t, tab, chromedp.Evaluate[chromedp.Void](`(document.querySelector("#board .mark") ??
				document.querySelector("#choices button") ?? document.querySelector("#play"))
				?.dispatchEvent(new MouseEvent("click", { bubbles: true, detail: 0 }))`))
			pagetest.Until(t, tab, `+document.querySelector("#main").dataset.drawn > `+drawn)
		}
		if n%3 == 1 {
			kill()
			kill = start()
		}
		pagetest.Do(t, tab, chromedp.Evaluate[chromedp.Void](`document.querySelector("#play").click()`))
		if n%3 == 2 {
			kill()
			kill = start()
		}
		pagetest.Until(t, tab, `!document.querySelector("#play")?.offsetParent`)
	}
	mover()
	kill()
	store, err := openFile(ctx, filepath.Join(dir, "data", "marque.db"))
	must(t, err)
	defer store.Close()
	if head, err := store.Head(ctx, 1); err != nil || head.Plays != most {
		t.Errorf("%d moves were sent from pages, and %d are played (%v)", most, head.Plays, err)
	}
	kill = func() {}
}

// linkIn returns the URL of a message's link button.
func linkIn(t *testing.T, m *localdiscord.Message) string {
	t.Helper()
	for _, c := range m.Components {
		if row, ok := c.(*discordgo.ActionsRow); ok {
			for _, b := range row.Components {
				if b, ok := b.(*discordgo.Button); ok && b.URL != "" {
					return b.URL
				}
			}
		}
	}
	t.Fatalf("no link in %s", m.Text())
	return ""
}
