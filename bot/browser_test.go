package bot_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

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

// browser is the local Discord's page in a headless browser.
type browser struct {
	t   *testing.T
	ctx context.Context
}

// openBrowser opens the page, or skips the test where there is no browser.
func openBrowser(t *testing.T, url string) *browser {
	t.Helper()
	return &browser{t, pagetest.Open(t, url)}
}

func (b *browser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	pagetest.Do(b.t, b.ctx, actions...)
}

// until waits until a JavaScript expression is true.
func (b *browser) until(expression string) {
	b.t.Helper()
	pagetest.Until(b.t, b.ctx, expression)
}

func (b *browser) fail(err error) {
	b.t.Helper()
	pagetest.Fail(b.t, b.ctx, err)
}

// shoot leaves a picture of the page in the folder that LOCALDISCORD_SHOTS names.
func (b *browser) shoot(name string) {
	b.t.Helper()
	pagetest.Shoot(b.t, b.ctx, name)
}

// settled is true when the page shows what the channel holds.
const settled = `!document.querySelector("#log").hasAttribute("aria-busy")`

// be takes another seat.
func (b *browser) be(user string) {
	b.t.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](`void document.querySelector('[data-user="` + user + `"]').click()`))
	b.until(settled + ` && document.querySelector("#seats [aria-checked=true]").dataset.user === "` + user + `"`)
}

// enter goes to a channel of a server.
func (b *browser) enter(guild, channel string) {
	b.t.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](`void document.querySelector('#guilds [title="` + guild + `"]').click()`))
	b.until(settled + ` && document.querySelector("#guild-name").textContent === "` + guild + `"`)
	b.do(chromedp.Evaluate[chromedp.Void](
		`void [...document.querySelectorAll("#channels .channel .label")].find((x) => x.textContent === "` + channel +
			`").click()`))
	b.until(settled + ` && document.querySelector("#title").textContent === "# ` + channel + `"`)
}

// press clicks the last button with this label that is not disabled.
func (b *browser) press(label string) {
	b.t.Helper()
	find := fmt.Sprintf(
		`[...document.querySelectorAll("#log button.button")].filter((x) => x.textContent.trim() === %q && !x.disabled).at(-1)`, label)
	b.until(find + ` !== undefined`)
	b.do(chromedp.Evaluate[chromedp.Void](`void ` + find + `.click()`))
}

// send types a command line into the message box, as fast as a keyboard can, and sends it: the
// command, its first option; Tab takes what is offered and adds further options.
func (b *browser) send(line string) {
	b.t.Helper()
	b.key(line)
	b.until(`document.querySelector(".chip") !== null`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(`document.querySelector(".chip") === null || document.activeElement.id === "tail"`)
	more, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](`document.querySelector(".chip") !== null`))
	if err != nil {
		b.fail(err)
	}
	if more { // the bot's offer was there before Enter, which then takes it
		b.do(chromedp.KeyEvent(kb.Enter))
	}
	b.until(`document.querySelector(".chip") === null`)
}

func (b *browser) key(line string) {
	b.t.Helper()
	b.until(settled +
		` && (() => { const tail = document.querySelector("#tail"); tail.focus(); return document.activeElement === tail && tail.value === ""; })()`)
	b.do(chromedp.KeyEvent(line))
}

// choose types a move and takes it from what the bot offers to complete it.
func (b *browser) choose(notation string) {
	b.t.Helper()
	b.key("/move" + kb.Tab + notation)
	at := fmt.Sprintf(
		`[...document.querySelectorAll("#popup [role=option] .label")].findIndex((o) => (o.textContent + " ·").startsWith(%q))`, notation+" ·")
	b.until(at + " >= 0")
	down, err := chromedp.Run(b.ctx, chromedp.Evaluate[int](at))
	if err != nil {
		b.fail(err)
	}
	b.do(chromedp.KeyEvent(strings.Repeat(kb.ArrowDown, down)+kb.Tab), chromedp.KeyEvent(kb.Enter))
	b.until(`document.querySelector(".chip") === null`)
}

// berth is the channel in which a game of the browser test is played, one for each: those that
// there are, then new ones.
type berth struct{ guild, channel string }

func berths(r *rig, n int) []berth {
	r.t.Helper()
	list := []berth{{"Tortuga", "game-tables"}, {"Tortuga", "tavern"}, {"Tortuga", "harbour"},
		{"Nassau", "game-tables"}, {"Nassau", "beach"}}
	for len(list) < n {
		name := fmt.Sprintf("berth-%d", len(list))
		if _, err := r.srv.Admin.AddChannel(localdiscord.Nassau, name); err != nil {
			r.t.Fatal(err)
		}
		list = append(list, berth{"Nassau", name})
	}
	return list
}

// Each game is played in the page, from two seats, by command, button and menu: its beginning, some moves every now and
// then, and its end. In between the page looks at another channel while the game goes on: the longer a channel is, the
// longer takes all that happens there. The games are played at once, before the tests that run beside others: what
// takes longest does not come last.
func TestWholeGamesInTheBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: no game is played in the page")
	}
	for i, g := range catalog.Games {
		t.Run(g.Key(), func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			at := berths(r, len(catalog.Games))[i]
			for _, guild := range []string{localdiscord.Tortuga, localdiscord.Nassau} {
				if _, err := r.srv.Admin.AddChannel(guild, "lookout"); err != nil {
					t.Fatal(err)
				}
			}
			b := openBrowser(t, r.srv.URL())
			b.be(localdiscord.Anne)
			b.enter(at.guild, at.channel)
			playInBrowser(r, b, at, g, uint64(i+1))
		})
	}
}

// opened waits until the page shows a table in an empty channel, and returns its number.
func (b *browser) opened() (id storage.ID) {
	b.t.Helper()
	const number = `(/Table #(\d+) is open/.exec(document.querySelector("#log").innerText) ?? [])[1]`
	b.until(number)
	text, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](number))
	if err == nil {
		_, err = fmt.Sscan(text, &id)
	}
	if err != nil {
		b.fail(err)
	}
	return id
}

func playInBrowser(r *rig, b *browser, at berth, g games.Game, seed uint64) {
	rng := rand.New(rand.NewPCG(7, seed))
	player := computer.New(computer.Hard, computer.Limit{Iterations: 200}, seed) // so that the games end
	sentences, err := locale.Load()
	if err != nil {
		b.t.Fatal(err)
	}
	name := sentences.Speaker(nil, "en").Say(g.Info().Name)
	b.send("/play" + kb.Tab + "game" + kb.Tab + name + kb.Tab + "players" + kb.Tab + "2")
	id := b.opened()
	snap, err := r.tables.Lookup.Snapshot(r.ctx, id)
	if err != nil {
		b.t.Fatal(err)
	}
	r.endsWhenQuiet(localdiscord.Anne, g, r.next(snap.Channel, "", isLobby), "Options")
	seated := localdiscord.Jack
	b.be(seated)
	b.press("Join")
	r.eventually("the game begins", func() bool {
		snap, err = r.tables.Lookup.Snapshot(r.ctx, id)
		return err == nil && snap.Status == table.Playing
	})
	here, watching := 0, true // moves in the page, and whether it shows the channel
	for moves := 0; snap.Status == table.Playing; moves++ {
		switch watches := moves < 16 || moves%20 < 3; {
		case watches && !watching:
			b.enter(at.guild, at.channel)
			watching = true
		case !watches && watching:
			b.enter(at.guild, "lookout")
			watching = false
		}
		board := fmt.Sprintf(`document.querySelector('#log [data-cid=%q]')`,
			show.CustomID{Action: "move", Table: id.String(), Version: int(snap.Version)}.String())
		if watching {
			b.until(board + ` !== null`)
		}
		if moves == 3 || moves == 20 {
			b.shoot(fmt.Sprintf("game-%s-%d", g.Key(), moves))
		}
		move, _, err := player.Choose(r.ctx, snap.View(snap.ToMove))
		if err != nil {
			b.t.Fatal(err)
		}
		notation := games.Spell(snap.View(snap.ToMove).State, move)
		if watching && (snap.Mover() == seated || moves%3 == 0) {
			seated = snap.Mover()
			b.be(seated)
			b.until(ownResults + ` <= 1`)
			switch here++; here % 3 {
			case 0:
				b.do(chromedp.Evaluate[chromedp.Void](`void ` + board + `.click()`))
				b.stepThrough(rng)
			case 1:
				b.send("/move" + kb.Tab + notation)
			case 2:
				b.choose(notation)
			}
		} else {
			r.wantText(r.command(snap.Mover(), snap.Channel, "move", localdiscord.Opt("move", notation)), "Played:")
		}
		version := snap.Version
		ctx, cancel := context.WithTimeout(r.ctx, pagetest.Patience)
		err = r.srv.Wait(ctx, func() bool {
			now, err := r.tables.Lookup.Snapshot(r.ctx, id)
			if err == nil {
				snap = now
			}
			return err != nil || now.Version > version
		})
		cancel()
		if err != nil {
			b.fail(fmt.Errorf("%s was not played: %w", notation, err))
		}
	}
	if !watching {
		b.enter(at.guild, at.channel)
	}
	b.until(`document.querySelector("#log").innerText.includes("Fair play: the seed was")`)
	b.shoot("over-" + g.Key())
	if here < 8 {
		b.t.Errorf("%d moves were made in the page", here)
	}
	b.send("/leaderboard" + kb.Tab + "game" + kb.Tab + name + kb.Tab)
	// The replay of the game comes when it is ready: before the leaderboard, or after it.
	b.until(fmt.Sprintf(
		`[...document.querySelectorAll("#log img")].some((im) => im.alt.includes("Leaderboard") && im.alt.includes(%q))`, name))
	b.shoot("leaderboard-" + g.Key())
}

// lastOwn is the latest message that one user alone sees.
const lastOwn = `[...document.querySelectorAll("#log .message.ephemeral")].at(-1)`

// ownResults is how many messages that one user alone sees say what they played.
const ownResults = `[...document.querySelectorAll("#log .message.ephemeral")].filter((m) =>
	m.innerText.includes("Played:")).length`

// stepThrough makes a random move by the menus and buttons that the Move button opened.
func (b *browser) stepThrough(rng *rand.Rand) {
	b.t.Helper()
	for range 20 {
		b.until(lastOwn + ` !== undefined && ` + lastOwn +
			`.querySelector("button.button, button.select") !== null && !` + lastOwn +
			`.querySelector(".body").innerText.includes("Played:")`)
		if b.step(rng, `x.textContent.trim() === "Play this"`, `true`) {
			return
		}
	}
	b.t.Fatal("the stepper does not end")
}

// step goes on at random in the latest message that one user alone sees: a button x that plays,
// else a choice from a menu, else a button x that steps on; plays and steps are JavaScript
// conditions of x. It reports whether it has played; otherwise the message has changed.
func (b *browser) step(rng *rand.Rand, plays, steps string) bool {
	b.t.Helper()
	kind, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](fmt.Sprintf(`(() => {
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
	})()`, lastOwn, rng.IntN(1<<20), plays, steps)))
	if err != nil {
		b.fail(err)
	}
	if kind == "played" {
		return true
	}
	b.until(`window.changed()`)
	return false
}

// attach gives a command whose option file is one with this text.
func (b *browser) attach(line, name, text string) {
	b.t.Helper()
	b.key(line + kb.Tab + "file" + kb.Tab)
	const field = `document.querySelector('#composer input[type=file]')`
	b.until(field + ` !== null`)
	b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`void (() => {
		const list = new DataTransfer();
		list.items.add(new File([%q], %q, { type: "text/plain" }));
		%s.files = list.files;
		%s.dispatchEvent(new Event("change"));
	})()`, text, name, field, field)))
	b.until(`document.activeElement.id === "tail"`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(`document.querySelector(".chip") === null`)
}

// shown waits until the latest message that one user alone sees says something.
func (b *browser) shown(what string) {
	b.t.Helper()
	b.until(fmt.Sprintf(`[...document.querySelectorAll("#log .message.ephemeral")].at(-1)?.innerText.includes(%q)`,
		what))
}

// A study is played in the page: a file that is no record is refused, a record taken; one goes back
// in it, tries out moves, asks the computer, and goes forth and back; then moves are tried out from
// the end of a game at a table.
func TestStudiesInTheBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: nothing is tried out in the page")
	}
	t.Parallel()
	r := newRig(t)
	b := openBrowser(t, r.srv.URL())
	b.be(localdiscord.Anne)
	b.enter("Tortuga", "game-tables")
	b.attach("/record import", "diary.txt", "Dear diary,\ntoday I lost at cards.\n")
	b.shown("This record cannot be used. Line 1: A record starts with")
	b.shoot("import-refused")
	b.attach("/record import", "pirat.txt", recordOf(t, "pirat"))
	b.shown("all by the rules")
	b.shoot("import-taken")
	st, err := r.tables.Studies.Of(r.ctx, localdiscord.Anne)
	if err != nil {
		t.Fatal(err)
	}
	b.press("◀")
	b.shown(fmt.Sprintf("Position %d of %d", st.At-1, st.Kept))
	b.shoot("study-back")
	// The cards are dealt again; the game cannot be over so early.
	before := b.studied(r)
	b.press("⏮")
	b.moved(r, before)
	b.shown("Dice or cards are due")
	before = b.studied(r)
	b.press("Draw")
	b.moved(r, before)
	rng := rand.New(rand.NewPCG(3, 3))
	for n := 0; n < 3 || len(st.Line) == 0; n++ { // what was drawn and tried first may be what happened in the game
		before = b.studied(r)
		b.tryOut(rng)
		b.moved(r, before)
		if st, err = r.tables.Studies.Of(r.ctx, localdiscord.Anne); err != nil {
			t.Fatal(err)
		}
	}
	b.shown(fmt.Sprintf("tried out, from position %d on", st.Kept))
	b.shoot("study-tried")
	b.press("Ask the computer")
	b.shown("The computer, in ")
	b.shoot("study-opinion")
	before = b.studied(r)
	b.press("◀")
	b.moved(r, before)
	before = b.studied(r)
	b.press("⏭")
	b.moved(r, before)
	b.press("As text")
	b.until(`[...document.querySelectorAll("#log .message.ephemeral")].at(-1).querySelector("pre") !== null`)
	b.shoot("study-text")

	captain, _ := catalog.Find("loyal-captain")
	turn := r.open(localdiscord.TortugaTables, captain, two)
	r.click(two[0], r.command(two[0], localdiscord.TortugaTables, "resign"), "Yes, resign")
	r.next(localdiscord.TortugaTables, turn.ID, isOver)
	b.press("Try out")
	b.shown("Try out · Loyal Captain · #1")
	before = b.studied(r)
	b.tryOut(rng)
	b.moved(r, before)
	b.shown("tried out, from position 0 on")
	b.shoot("study-table")
	b.press("Close")
	b.shown("Closed.")
}

// studied is the version of Anne's study.
func (b *browser) studied(r *rig) int {
	b.t.Helper()
	st, err := r.tables.Studies.Of(r.ctx, localdiscord.Anne)
	if err != nil {
		b.fail(err)
	}
	return st.Version
}

// moved waits until the page shows Anne's study after it has changed.
func (b *browser) moved(r *rig, before int) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(r.ctx, pagetest.Patience)
	defer cancel()
	if err := r.srv.Wait(ctx, func() bool {
		st, err := r.tables.Studies.Of(r.ctx, localdiscord.Anne)
		return err != nil || st.Version != before
	}); err != nil {
		b.fail(err)
	}
	st, err := r.tables.Studies.Of(r.ctx, localdiscord.Anne)
	if err != nil {
		b.fail(err)
	}
	b.until(fmt.Sprintf(`document.querySelector('#log [data-cid^="study//v%dn%d/"]') !== null`, st.Version, st.Number))
}

// tryOut makes a random move in the study that is shown last, or draws what is due there.
func (b *browser) tryOut(rng *rand.Rand) {
	b.t.Helper()
	for range 20 {
		if b.step(rng, `["Play this", "Draw"].includes(x.textContent.trim()) && !x.disabled`,
			`/^study\/\/[^/]*\/s/.test(x.dataset.cid)`) {
			return
		}
	}
	b.t.Fatal("no move came about")
}
