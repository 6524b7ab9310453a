package bot_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/bot/localdiscord/pagetest"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games"
	"marque/games/catalog"
	"marque/games/computer"
	"marque/games/text/locale"
	"marque/storage"
)

// choose types a move, selects it from the autocomplete choices, and sends the command.
func choose(b *bottest.Browser, notation string) {
	b.T.Helper()
	b.Key("/move" + kb.Tab + notation)
	at := fmt.Sprintf(
		`[...document.querySelectorAll("#popup [role=option] .label")].findIndex((o) => (o.textContent + " ·").startsWith(%q))`, notation+" ·")
	b.Until(at + " >= 0")
	down, err := chromedp.Run(b.Ctx, chromedp.Evaluate[int](at))
	if err != nil {
		b.Fail(err)
	}
	b.Do(chromedp.KeyEvent(strings.Repeat(kb.ArrowDown, down)+kb.Tab), chromedp.KeyEvent(kb.Enter))
	b.Until(`document.querySelector(".chip") === null`)
}

// berth is the channel in which one game of the browser test is played: an existing channel if one is left, else a new
// one.
type berth struct{ guild, channel string }

func berths(r *bottest.Rig, n int) []berth {
	r.T.Helper()
	list := []berth{{"Tortuga", "game-tables"}, {"Tortuga", "tavern"}, {"Tortuga", "harbour"},
		{"Nassau", "game-tables"}, {"Nassau", "beach"}}
	for len(list) < n {
		name := fmt.Sprintf("berth-%d", len(list))
		if _, err := r.Server.Admin.AddChannel(localdiscord.Nassau, name); err != nil {
			r.T.Fatal(err)
		}
		list = append(list, berth{"Nassau", name})
	}
	return list
}

// Each game can be played by two users in the page, with commands, buttons and menus. The page shows the first 16
// moves, three of every 20 moves after that, and the end; at least eight moves are made in it. In between, the page
// shows another channel while the game continues, because a page becomes slower with the length of its channel. The
// games are played at the same time, before the parallel tests, so that the slowest tests do not come last.
func TestWholeGamesInTheBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: no game is played in the page")
	}
	for i, g := range catalog.Games {
		t.Run(g.Key(), func(t *testing.T) {
			t.Parallel()
			r := bottest.New(t)
			at := berths(r, len(catalog.Games))[i]
			for _, guild := range []string{localdiscord.Tortuga, localdiscord.Nassau} {
				if _, err := r.Server.Admin.AddChannel(guild, "lookout"); err != nil {
					t.Fatal(err)
				}
			}
			b := bottest.OpenBrowser(t, r.Server.URL())
			b.Be(localdiscord.Anne)
			b.Enter(at.guild, at.channel)
			playInBrowser(r, b, at, g, uint64(i+1))
		})
	}
}

// opened waits until an empty channel in the page shows a table, and returns the table's number.
func opened(b *bottest.Browser) (id storage.ID) {
	b.T.Helper()
	const number = `(/Table #(\d+) is open/.exec(document.querySelector("#log").innerText) ?? [])[1]`
	b.Until(number)
	text, err := chromedp.Run(b.Ctx, chromedp.Evaluate[string](number))
	if err == nil {
		_, err = fmt.Sscan(text, &id)
	}
	if err != nil {
		b.Fail(err)
	}
	return id
}

func playInBrowser(r *bottest.Rig, b *bottest.Browser, at berth, g games.Game, seed uint64) {
	rng := rand.New(rand.NewPCG(7, seed))
	player := computer.New(computer.Hard, computer.Limit{Iterations: 200}, seed) // strong enough that the games end
	sentences, err := locale.Load()
	if err != nil {
		b.T.Fatal(err)
	}
	name := sentences.Speaker(nil, "en").Say(g.Info().Name)
	b.Send("/play" + kb.Tab + "game" + kb.Tab + name + kb.Tab + "players" + kb.Tab + "2")
	id := opened(b)
	snap, err := r.Tables.Lookup.Snapshot(r.Ctx, id)
	if err != nil {
		b.T.Fatal(err)
	}
	r.EndsWhenQuiet(localdiscord.Anne, g, r.Next(snap.Channel, "", bottest.IsLobby), "Options")
	seated := localdiscord.Jack
	b.Be(seated)
	b.Press("Join")
	r.Eventually("the game begins", func() bool {
		snap, err = r.Tables.Lookup.Snapshot(r.Ctx, id)
		return err == nil && snap.Status == table.Playing
	})
	here, watching := 0, true // number of moves made in the page, and whether the page shows the game's channel
	for moves := 0; snap.Status == table.Playing; moves++ {
		switch watches := moves < 16 || moves%20 < 3; {
		case watches && !watching:
			b.Enter(at.guild, at.channel)
			watching = true
		case !watches && watching:
			b.Enter(at.guild, "lookout")
			watching = false
		}
		board := fmt.Sprintf(`document.querySelector('#log [data-cid=%q]')`,
			show.CustomID{Action: "move", Table: id.String(), Version: int(snap.Version)}.String())
		if watching {
			b.Until(board + ` !== null`)
		}
		if moves == 3 || moves == 20 {
			b.Shoot(fmt.Sprintf("game-%s-%d", g.Key(), moves))
		}
		move, _, err := player.Choose(r.Ctx, snap.View(snap.ToMove))
		if err != nil {
			b.T.Fatal(err)
		}
		notation := games.Spell(snap.View(snap.ToMove).State, move)
		if watching && (snap.Mover() == seated || moves%3 == 0) {
			seated = snap.Mover()
			b.Be(seated)
			b.Until(ownResults + ` <= 1`)
			switch here++; here % 3 {
			case 0:
				b.Do(chromedp.Evaluate[chromedp.Void](`void ` + board + `.click()`))
				stepThrough(b, rng)
			case 1:
				b.Send("/move" + kb.Tab + notation)
			case 2:
				choose(b, notation)
			}
		} else {
			r.WantText(r.Command(snap.Mover(), snap.Channel, "move", localdiscord.Opt("move", notation)), "Played:")
		}
		version := snap.Version
		ctx, cancel := context.WithTimeout(r.Ctx, pagetest.Patience)
		err = r.Server.Wait(ctx, func() bool {
			now, err := r.Tables.Lookup.Snapshot(r.Ctx, id)
			if err == nil {
				snap = now
			}
			return err != nil || now.Version > version
		})
		cancel()
		if err != nil {
			b.Fail(fmt.Errorf("%s was not played: %w", notation, err))
		}
	}
	if !watching {
		b.Enter(at.guild, at.channel)
	}
	b.Until(`document.querySelector('#log [data-cid^="rematch/"]') !== null`)
	b.Shoot("over-" + g.Key())
	if here < 8 {
		b.T.Errorf("%d moves were made in the page", here)
	}
	b.Send("/leaderboard" + kb.Tab + "game" + kb.Tab + name + kb.Tab)
	b.Until(fmt.Sprintf(
		`[...document.querySelectorAll("#log img")].some((im) => im.alt.includes("Leaderboard") && im.alt.includes(%q))`, name))
	b.Shoot("leaderboard-" + g.Key())
}

// ownResults is a JavaScript expression for the number of messages in the page that tell a user which move they played.
// Only that user sees them.
const ownResults = `[...document.querySelectorAll("#log .message.ephemeral")].filter((m) =>
	m.innerText.includes("Played:")).length`

// stepThrough makes a random move with the menus and buttons that the Move button opened.
func stepThrough(b *bottest.Browser, rng *rand.Rand) {
	b.T.Helper()
	for range 20 {
		b.Until(bottest.LastPrivate + ` !== undefined && ` + bottest.LastPrivate +
			`.querySelector("button.button, button.select") !== null && !` + bottest.LastPrivate +
			`.querySelector(".body").innerText.includes("Played:")`)
		if step(b, rng, `x.textContent.trim() === "Make this move"`, `true`) {
			return
		}
	}
	b.T.Fatal("the stepper does not end")
}

// step uses a random control of the latest message that is visible only to one user: a button x for which plays holds,
// otherwise a choice from a menu, otherwise a button x for which steps holds. plays and steps are JavaScript conditions
// on x. It reports whether it has played; otherwise the message has changed.
func step(b *bottest.Browser, rng *rand.Rand, plays, steps string) bool {
	b.T.Helper()
	kind, err := chromedp.Run(b.Ctx, chromedp.Evaluate[string](fmt.Sprintf(`(() => {
		const m = %[1]s, n = %[2]d;
		window.changed = () => { const l = %[1]s; return l !== undefined && l !== m; }; // an edit replaces the element
		const buttons = [...m.querySelectorAll("button.button")];
		const done = buttons.find((x) => %[3]s);
		if (done) { done.click(); return "played"; }
		const heads = [...m.querySelectorAll("button.select")];
		if (heads.length) {
			const head = heads[n %% heads.length];
			head.click();
			const options = [...document.getElementById(head.getAttribute("aria-controls")).children];
			options[n %% options.length].click();
			return "chosen";
		}
		const ahead = buttons.filter((x) => %[4]s && !["Back", "Start over"].includes(x.textContent.trim()));
		ahead[n %% ahead.length].click();
		return "pressed";
	})()`, bottest.LastPrivate, rng.IntN(1<<20), plays, steps)))
	if err != nil {
		b.Fail(err)
	}
	if kind == "played" {
		return true
	}
	b.Until(`window.changed()`)
	return false
}

// attach uses a command with an attached file of the given name and text.
func attach(b *bottest.Browser, line, name, text string) {
	b.T.Helper()
	b.Key(line + kb.Tab + "file" + kb.Tab)
	const field = `document.querySelector('#composer input[type=file]')`
	b.Until(field + ` !== null`)
	b.Do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`void (() => {
		const list = new DataTransfer();
		list.items.add(new File([%q], %q, { type: "text/plain" }));
		%s.files = list.files;
		%s.dispatchEvent(new Event("change"));
	})()`, text, name, field, field)))
	b.Until(`document.activeElement.id === "tail"`)
	b.Do(chromedp.KeyEvent(kb.Enter))
	b.Until(`document.querySelector(".chip") === null`)
}

// Studies work in the page. A file that is not a record of a game is refused, and a record is accepted. The user steps
// back, tries moves, asks the computer, steps back and to the end, and reads the position as text. Then they try moves
// in a game that ended at a table.
func TestStudiesInTheBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: nothing is tried out in the page")
	}
	t.Parallel()
	r := bottest.New(t)
	b := bottest.OpenBrowser(t, r.Server.URL())
	b.Be(localdiscord.Anne)
	b.Enter("Tortuga", "game-tables")
	attach(b, "/record import", "diary.txt", "Dear diary,\ntoday I lost at cards.\n")
	b.Shown("This record has a mistake. Line 1: A record starts with")
	b.Shoot("import-refused")
	attach(b, "/record import", "pirat.txt", bottest.Record(t, "pirat"))
	b.Shown("follows the rules")
	b.Shoot("import-taken")
	st, err := r.Store.Study(r.Ctx, localdiscord.Anne)
	if err != nil {
		t.Fatal(err)
	}
	before := studied(b, r)
	b.Press("◀")
	moved(b, r, before)
	b.Shoot("study-back")
	// At the start, the cards are dealt again, so the moves below cannot end the game immediately.
	before = studied(b, r)
	b.Press("⏮")
	moved(b, r, before)
	b.Shown("Now it's up to chance")
	before = studied(b, r)
	b.Press("Roll or draw")
	moved(b, r, before)
	rng := rand.New(rand.NewPCG(3, 3))
	for n := 0; n < 3 || len(st.Line) == 0; n++ { // the first draws and moves may be the same as in the game
		before = studied(b, r)
		tryOutInPage(b, rng)
		moved(b, r, before)
		if st, err = r.Store.Study(r.Ctx, localdiscord.Anne); err != nil {
			t.Fatal(err)
		}
	}
	b.Shown("your own moves ")
	b.Shoot("study-tried")
	b.Press("Ask the computer")
	b.Shown("The computer, in ")
	b.Shoot("study-opinion")
	before = studied(b, r)
	b.Press("◀")
	moved(b, r, before)
	before = studied(b, r)
	b.Press("⏭")
	moved(b, r, before)
	b.Press("As text")
	b.Until(`[...document.querySelectorAll("#log .message.ephemeral")].at(-1).querySelector("pre") !== null`)
	b.Shoot("study-text")

	captain, _ := catalog.Find("loyal-captain")
	turn := r.Open(localdiscord.TortugaTables, captain, bottest.Two)
	r.Click(bottest.Two[0], r.Command(bottest.Two[0], localdiscord.TortugaTables, "table resign"), "Yes, resign")
	r.Next(localdiscord.TortugaTables, turn.ID, bottest.IsOver)
	b.Press("Replay")
	b.Press("Try moves")
	b.Shown("Trying moves · Loyal Captain · #1")
	before = studied(b, r)
	tryOutInPage(b, rng)
	moved(b, r, before)
	b.Shown("your own moves from the start")
	b.Shoot("study-table")
	b.Press("Close")
	b.Shown("Closed.")
}

// studied returns the version of Anne's stored study.
func studied(b *bottest.Browser, r *bottest.Rig) int {
	b.T.Helper()
	st, err := r.Store.Study(r.Ctx, localdiscord.Anne)
	if err != nil {
		b.Fail(err)
	}
	return st.Version
}

// moved waits until Anne's study has a version other than before and the page shows it.
func moved(b *bottest.Browser, r *bottest.Rig, before int) {
	b.T.Helper()
	ctx, cancel := context.WithTimeout(r.Ctx, pagetest.Patience)
	defer cancel()
	if err := r.Server.Wait(ctx, func() bool {
		st, err := r.Store.Study(r.Ctx, localdiscord.Anne)
		return err != nil || st.Version != before
	}); err != nil {
		b.Fail(err)
	}
	st, err := r.Store.Study(r.Ctx, localdiscord.Anne)
	if err != nil {
		b.Fail(err)
	}
	b.Until(fmt.Sprintf(`document.querySelector('#log [data-cid^="study//v%dn%d/"]') !== null`, st.Version, st.Number))
}

// tryOutInPage makes a random move, or a draw that is due, in the study that the page showed last.
func tryOutInPage(b *bottest.Browser, rng *rand.Rand) {
	b.T.Helper()
	for range 20 {
		if step(b, rng, `["Make this move", "Roll or draw"].includes(x.textContent.trim()) && !x.disabled`,
			`/^study\/\/[^/]*\/s/.test(x.dataset.cid)`) {
			return
		}
	}
	b.T.Fatal("no move came about")
}
