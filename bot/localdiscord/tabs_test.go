package localdiscord

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"net"
	"testing"

	"github.com/bwmarrin/discordgo"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"marque/bot/localdiscord/pagetest"
	"marque/render"
)

// at returns the address at which the page shows a channel to a user.
func at(srv *Server, user, channel string) string { return srv.URL() + "#" + user + "/" + channel }

// front brings a tab to the front, as a click on it does. A browser slows down the timers of hidden tabs.
func front(t *testing.T, tab context.Context) {
	t.Helper()
	pagetest.Do(t, tab, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, page.BringToFront, cdp.Empty{})
		return err
	}))
}

// Twenty tabs of one browser receive a message, and the last of them can answer it. A browser opens at most six HTTP
// connections to a host, so tabs must not occupy one each.
func TestTwentyTabs(t *testing.T) {
	t.Parallel() // it mostly waits, and presses only keys: on a busy machine, clicks miss a moving page
	srv, bot := start(t, Options{}, play, table)
	pageBot(t, bot)
	first := pagetest.Open(t, srv.URL())
	tabs := []context.Context{first}
	people := []string{Anne, Jack, Mary, Bart, Grace}
	for i := range 19 {
		tab, cancel := chromedp.NewContext(first, chromedp.WithNewWindow(false))
		t.Cleanup(cancel)
		if err := chromedp.Do(tab); err != nil { // opens the tab, which exists until the context ends
			t.Fatal(err)
		}
		pagetest.Do(t, tab, chromedp.Navigate(at(srv, people[i%len(people)], TortugaTables)),
			chromedp.WaitVisible(chromedp.CSS(`#log .welcome`)))
		tabs = append(tabs, tab)
	}
	if _, err := srv.Say(Jack, TortugaTables, "All hands!"); err != nil {
		t.Fatal(err)
	}
	last := tabs[len(tabs)-1]
	pagetest.Until(t, last, `document.querySelector("#log").innerText.includes("All hands!")`)
	pagetest.Do(t, last, chromedp.Focus(chromedp.CSS(`#tail`)), chromedp.KeyEvent("Aye"), chromedp.KeyEvent(kb.Enter))
	for i, tab := range tabs {
		front(t, tab)
		pagetest.Until(t, tab,
			`document.querySelector("#log").innerText.includes("All hands!") && document.querySelector("#log").innerText.includes("Aye")`)
		t.Logf("tab %d has heard both", i+1)
	}
}

// A user who cannot see the address's channel gets a message and ways out. The page does not navigate automatically.
func TestSeatElsewhere(t *testing.T) {
	srv, _ := start(t, Options{}, play, table)
	ctx := pagetest.Open(t, srv.URL())
	pagetest.Until(t, ctx, `document.querySelector("[data-user='`+Ching+
		`']").getAttribute("aria-label") === "Ching, not in Tortuga"`)
	sit := func(user string) {
		t.Helper()
		pagetest.Do(t, ctx, chromedp.Click(chromedp.CSS(`[data-user='`+user+`']`)))
		pagetest.Until(t, ctx, `document.querySelector("#seats [aria-checked=true]").dataset.user === "`+user+
			`" && !document.querySelector("#log").hasAttribute("aria-busy")`)
	}
	sit(Ching)
	pagetest.Until(t, ctx, `document.querySelector("#log h3")?.innerText === "Ching is not in Tortuga"`)
	holds(t, ctx, "the page went to another server",
		`document.querySelector("#guild-name").innerText === "Tortuga" && document.querySelector("#title").innerText === "# game-tables" && document.querySelector("#guilds [aria-current]") === null`)
	pagetest.Shoot(t, ctx, "20-elsewhere")
	if _, err := srv.Say(Anne, TortugaTables, "Where is Ching?"); err != nil {
		t.Fatal(err)
	}
	if _, err := srv.Admin.AddChannel(Nassau, "news"); err != nil { // the lists change, but the view does not
		t.Fatal(err)
	}
	holds(t, ctx, "the page went to another server",
		`document.querySelector("#log h3").innerText === "Ching is not in Tortuga"`)
	click := func(label string) {
		t.Helper()
		pagetest.Do(t, ctx, chromedp.Evaluate[chromedp.Void](
			`void [...document.querySelectorAll("#log .welcome button")].find((b) => b.innerText === "`+label+
				`").click()`))
	}
	click("Go to Nassau")
	pagetest.Until(t, ctx,
		`document.querySelector("#guild-name").innerText === "Nassau" && document.querySelector("#log h3").innerText.startsWith("Welcome to")`)

	// Grace leaves Nassau.
	if err := srv.Admin.RemoveMember(Nassau, Grace); err != nil {
		t.Fatal(err)
	}
	// Wait until the faces are redrawn, so that a click does not miss.
	pagetest.Until(t, ctx, `document.querySelector("[data-user='`+Grace+
		`']").getAttribute("aria-label") === "Grace, not in Nassau"`)
	sit(Grace)
	pagetest.Until(t, ctx, `document.querySelector("#log h3").innerText === "Grace is not in Nassau"`)
	click("Back to Ching")
	pagetest.Until(t, ctx, `document.querySelector("#log h3").innerText.startsWith("Welcome to")`+
		` && !document.querySelector("#log").hasAttribute("aria-busy")`)

	// Anne opens a channel that only she and Mary can see.
	sit(Anne)
	pagetest.Do(t, ctx, chromedp.Navigate(at(srv, Anne, TortugaCabin)))
	pagetest.Until(t, ctx, `document.querySelector("#title").innerText === "# captains-cabin"`)
	sit(Bart)
	pagetest.Until(t, ctx, `document.querySelector("#log h3").innerText === "Bart cannot see # captains-cabin"`)
	sit(Mary)
	pagetest.Until(t, ctx, `document.querySelector("#log h3").innerText.startsWith("Welcome to # captains-cabin")`)
}

// The first view shows how to begin, with a picture, a sentence and further buttons beside each way. One click uses a
// command, even on a phone.
func TestFirstView(t *testing.T) {
	for _, size := range []struct {
		name          string
		width, height int64
	}{{"desk", 1280, 860}, {"phone", 400, 800}} {
		t.Run(size.name, func(t *testing.T) {
			srv, bot := start(t, Options{Starters: []Starter{
				{Title: "Play against the computer", Label: "Pirat", Command: "play", Options: []Option{Opt("game", "pirat"), Opt("move", "12 18")},
					Text: "A card game.", Picture: func(context.Context) ([]byte, error) { return picture(64), nil },
					Beside: []Starter{{Label: "Learn", Command: "play"}, {Label: "Nothing", Command: "no-such-command"}}},
				{Title: "Play against the computer", Label: "Of yore", Command: "no-such-command"},
			}}, play, table)
			pageBot(t, bot)
			ctx := pagetest.Open(t, srv.URL())
			pagetest.Do(t, ctx, chromedp.EmulateViewport(size.width, size.height))
			pagetest.Until(t, ctx,
				`[...document.querySelectorAll("#log .welcome button")].map((b) => b.innerText).join() === "Pirat,Learn,All that marque can do" &&
					document.querySelector("#log .welcome .way").innerText.includes("A card game.")`)
			pagetest.Until(t, ctx, `(() => {
				const board = document.querySelector("#log .welcome .way img"), r = board.getBoundingClientRect();
				const button = board.parentElement.querySelector("button").getBoundingClientRect();
				return board.naturalWidth > 0 && r.width > 60 && r.right <= button.left && r.top <= button.top &&
					button.bottom <= r.bottom;
			})()`)
			pagetest.Until(t, ctx,
				`[...document.querySelectorAll("#log .welcome button")].every((b) => { const r = b.getBoundingClientRect(); return document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2) === b; })`)
			pagetest.Shoot(t, ctx, "21-first-"+size.name)
			pagetest.Do(t, ctx, chromedp.Click(chromedp.CSS(`#log .welcome .link`)),
				chromedp.WaitVisible(chromedp.CSS(`#popup [role=option]`)))
			pagetest.Do(t, ctx, chromedp.KeyEvent(kb.Escape), chromedp.Click(chromedp.CSS(`#log .welcome .primary`)))
			pagetest.Until(t, ctx,
				`document.querySelector("#log .container img")?.complete && document.querySelector("#log .container .text").innerText.includes("first move 12 18")`)
			targets(t, ctx)
		})
	}
}

// targets fails the test unless all clickable elements are at least 44 pixels wide and high, and letters on colours
// have a contrast of at least 4.5:1.
func targets(t *testing.T, ctx context.Context) {
	t.Helper()
	small, err := chromedp.Run(ctx, chromedp.Evaluate[string](`[...document.querySelectorAll("button, select, input, summary, a.button, .file a, [role=option]")].filter((el) => el.offsetParent).map((el) => {
		const box = el.getBoundingClientRect(), more = getComputedStyle(el, "::after");
		const reach = more.content === "none" || more.position !== "absolute" ? { w: 0, h: 0 } : { w: parseFloat(more.width), h: parseFloat(more.height) };
		const w = Math.max(box.width, reach.w), h = Math.max(box.height, reach.h);
		return w > 43.9 && h > 43.9 ? "" : (el.className || el.id || el.tagName) + " " + el.innerText + ": " + w.toFixed(1) + " x " + h.toFixed(1);
	}).filter((x) => x).join("\n")`))
	if err != nil || small != "" {
		t.Errorf("smaller than 44 x 44: %s (%v)", small, err)
	}
	pale, err := chromedp.Run(ctx, chromedp.Evaluate[string](`(() => {
		const light = (rgb) => rgb.match(/[\d.]+/g).slice(0, 3).map((v) => v / 255).map((v) => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4).reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
		const ground = (el) => { const c = getComputedStyle(el).backgroundColor; return c === "rgba(0, 0, 0, 0)" && el.parentElement ? ground(el.parentElement) : c; };
		const shine = (el) => getComputedStyle(el).opacity * (el.parentElement ? shine(el.parentElement) : 1);
		return [...document.querySelectorAll(".avatar, .button:not(:disabled), .badge, .app, .guild")].filter((el) => el.offsetParent).map((el) => {
			const s = getComputedStyle(el), [a, b] = [light(s.color), light(ground(el))].sort((x, y) => y - x), ratio = (a + .05) / (b + .05);
			return ratio >= 4.5 && shine(el) === 1 ? "" : el.className + " " + el.innerText + ": " + ratio.toFixed(2) + " at " + shine(el);
		}).filter((x) => x).join("\n");
	})()`))
	if err != nil || pale != "" {
		t.Errorf("paler than 4.5:1: %s (%v)", pale, err)
	}
}

// All clickable elements are large enough for a thumb in many views of the page, and the letters on users' faces are
// legible.
func TestTargetsAndFaces(t *testing.T) {
	srv, bot := start(t, Options{}, play, table)
	pageBot(t, bot)
	for i := range 30 { // faces of every colour
		id := srv.Admin.AddUser(fmt.Sprint("Hand ", i))
		if err := srv.Admin.AddMember(Tortuga, id); err != nil {
			t.Fatal(err)
		}
	}
	ctx := pagetest.Open(t, srv.URL())
	pagetest.Until(t, ctx, `document.querySelectorAll("#seats .avatar").length >= 36`)
	facesOfStandings(t, ctx)
	pagetest.Do(t, ctx, chromedp.Focus(chromedp.CSS(`#tail`)), chromedp.KeyEvent("/play"))
	pagetest.Until(t, ctx, `document.querySelectorAll("#popup [role=option]").length > 0`)
	targets(t, ctx)
	pagetest.Do(t, ctx, chromedp.KeyEvent(kb.Enter))
	pagetest.Until(t, ctx, `document.querySelector("#line .option input") !== null`)
	targets(t, ctx)
	pagetest.Do(t, ctx, chromedp.KeyEvent("pirat"), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter))
	pagetest.Until(t, ctx,
		`document.querySelector("#log .container img")?.complete && document.querySelector("#log").innerText.includes("Your turn, @Jack")`)
	pagetest.Do(t, ctx, chromedp.Click(chromedp.CSS(`[data-cid=hand]`)))
	pagetest.Until(t, ctx, `document.querySelector("#log .ephemeral") !== null`)
	pagetest.Do(t, ctx, chromedp.Focus(chromedp.CSS(`[data-cid=pick]`)), chromedp.KeyEvent(kb.Enter),
		chromedp.WaitVisible(chromedp.CSS(`.listbox`)))
	targets(t, ctx)
	pagetest.Do(t, ctx, chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Enter))
	pagetest.Until(t, ctx, `document.querySelector("a[download='record.txt']") !== null`)
	targets(t, ctx)
	pagetest.Do(t, ctx, pagetest.Prefer("light"))
	targets(t, ctx)
	pagetest.Do(t, ctx, chromedp.EmulateViewport(400, 800))
	targets(t, ctx)
	pagetest.Do(t, ctx, chromedp.Click(chromedp.CSS(`#menu`)), chromedp.WaitVisible(chromedp.CSS(`#side .channel`)))
	targets(t, ctx)
	pagetest.Do(t, ctx, chromedp.KeyEvent(kb.Escape))
	pagetest.Until(t, ctx, `document.activeElement.id === "menu"`)
	pagetest.Do(t, ctx, chromedp.Click(chromedp.CSS(`[data-cid=move]`)),
		chromedp.WaitVisible(chromedp.CSS(`#modal[open]`)))
	targets(t, ctx)
	pagetest.Do(t, ctx, chromedp.KeyEvent(kb.Escape), chromedp.Click(chromedp.CSS(`.container .picture`)),
		chromedp.WaitVisible(chromedp.CSS(`#lightbox[open]`)))
	targets(t, ctx)
}

// facesOfStandings fails the test unless a player's face has the same colour in standings as on the page.
func facesOfStandings(t *testing.T, ctx context.Context) {
	t.Helper()
	faces, err := chromedp.Run(ctx, chromedp.Evaluate[map[string][]uint8](`Object.fromEntries(
		[...document.querySelectorAll("#seats [data-user]")].map((el) => [el.dataset.user,
			getComputedStyle(el.querySelector(".avatar")).backgroundColor.match(/\d+/g).map(Number)]))`))
	if err != nil || len(faces) < 30 {
		t.Fatalf("%d faces (%v)", len(faces), err)
	}
	r, err := render.New(400)
	if err != nil {
		t.Fatal(err)
	}
	for user, want := range faces {
		b, err := r.StandingsPNG(t.Context(), render.Standings{Title: "Cup", Heads: []string{"Player", "Points"},
			Rows: []render.StandingsRow{{Rank: 1, Name: "x", Seed: user, Cells: []string{"1"}}}}, render.Options{Width: 400})
		if err != nil {
			t.Fatal(err)
		}
		im, err := png.Decode(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		same, size := 0, im.Bounds().Size()
		for i := range size.X * size.Y {
			r, g, b, _ := im.At(i%size.X, i/size.X).RGBA()
			if max(apart(r, want[0]), apart(g, want[1]), apart(b, want[2])) < 8 {
				same++
			}
		}
		if same < 200 { // a disc has about 600 pixels
			t.Errorf("user %s has the colour %v on the page, and so have %d pixels of the standings", user, want, same)
		}
	}
}

// apart returns the difference between a 16-bit colour channel of a pixel and a byte.
func apart(pixel uint32, want uint8) int {
	return max(int(pixel>>8)-int(want), int(want)-int(pixel>>8))
}

// The focused element keeps the focus when the lists are redrawn. A server's icon keeps it when it is pressed.
func TestFocusStays(t *testing.T) {
	srv, _ := start(t, Options{}, play, table)
	ctx := pagetest.Open(t, srv.URL())
	icon := `document.activeElement.title === "Nassau"`
	pagetest.Do(t, ctx, chromedp.Focus(chromedp.CSS(`#guilds [title=Nassau]`)), chromedp.KeyEvent(kb.Enter))
	pagetest.Until(t, ctx,
		`document.querySelector("#guild-name").innerText === "Nassau" && !document.querySelector("#log").hasAttribute("aria-busy")`)
	holds(t, ctx, "the focus has left the icon", icon)
	if _, err := srv.Admin.AddChannel(Nassau, "news"); err != nil {
		t.Fatal(err)
	}
	pagetest.Until(t, ctx, `document.querySelector("#channels").innerText.includes("news")`)
	holds(t, ctx, "the focus has left the icon", icon)
	pagetest.Do(t, ctx, chromedp.Focus(chromedp.CSS(`#channels li:last-child .channel`)))
	if _, err := srv.Admin.AddChannel(Nassau, "more"); err != nil {
		t.Fatal(err)
	}
	pagetest.Until(t, ctx, `document.querySelector("#channels").innerText.includes("more")`)
	holds(t, ctx, "the focus has left the channel", `document.activeElement.innerText.includes("news")`)

	// On a phone the list of channels stays open while the user looks through the servers.
	pagetest.Do(t, ctx, chromedp.EmulateViewport(400, 800), chromedp.Click(chromedp.CSS(`#menu`)),
		chromedp.WaitVisible(chromedp.CSS(`#side .channel`)))
	pagetest.Do(t, ctx, chromedp.Focus(chromedp.CSS(`#guilds [title=Tortuga]`)), chromedp.KeyEvent(kb.Enter))
	pagetest.Until(t, ctx,
		`document.querySelector("#guild-name").innerText === "Tortuga" && !document.querySelector("#log").hasAttribute("aria-busy")`)
	holds(t, ctx, "the list is shut",
		`document.body.classList.contains("menu-open") && document.activeElement.title === "Tortuga"`)
}

// A press on a button is not lost if its message is edited between the beginning and the end of the press.
func TestAPressOutlastsAnEdit(t *testing.T) {
	srv, bot := start(t, Options{}, play, table)
	bot.on(func(i *discordgo.InteractionCreate) {
		if err := bot.InteractionRespond(i.Interaction, &discordgo.InteractionResponse{
			Type: discordgo.InteractionResponseChannelMessageWithSource,
			Data: &discordgo.InteractionResponseData{Content: "Aye, aye"}}); err != nil {
			t.Error(err)
		}
	})
	ctx := pagetest.Open(t, srv.URL())
	m := must[*discordgo.Message](t)(bot.ChannelMessageSendComplex(TortugaTables, &discordgo.MessageSend{
		Content: "Ready?", Components: []discordgo.MessageComponent{discordgo.ActionsRow{
			Components: []discordgo.MessageComponent{discordgo.Button{Label: "Aye", CustomID: "aye"}}}}}))
	pagetest.Until(t, ctx, `document.querySelector("[data-cid=aye]") !== null`)
	// The page's timers stop, so that this press is never too long.
	pagetest.Do(t, ctx, chromedp.Evaluate[chromedp.Void](`(() => {
		const parse = JSON.parse;
		window.setTimeout = () => 0;
		window.heard = window.clicked = false;
		JSON.parse = (text) => {
			heard ||= text.includes("Ready!");
			return parse(text);
		};
		addEventListener("click", (e) => { clicked = e.target.closest("[data-cid=aye]") !== null; }, true);
	})()`))
	release := pagetest.Hold(t, ctx, "[data-cid=aye]")
	must[*discordgo.Message](t)(bot.ChannelMessageEdit(TortugaTables, m.ID, "Ready!"))
	pagetest.Until(t, ctx, `heard`)
	pagetest.Do(t, ctx, release)
	pagetest.Until(t, ctx, `document.querySelector("#log").innerText.includes("Ready!")`)
	if ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`clicked`)); err != nil || !ok {
		t.Fatalf("the button that was pressed when its message changed was not clicked (%v)", err)
	}
	pagetest.Until(t, ctx, `document.querySelector("#log").innerText.includes("Aye, aye")`)
}

// The page on a phone scrolls to the result of the user's own press or message. It does not scroll when others write
// while the user reads.
func TestPageFollowsOwnActions(t *testing.T) {
	srv, bot := start(t, Options{}, play, table)
	pageBot(t, bot)
	ctx := pagetest.Open(t, srv.URL())
	pagetest.Do(t, ctx, chromedp.EmulateViewport(400, 800))
	if _, err := srv.Command(t.Context(), Anne, TortugaTables, "play", Opt("game", "pirat")); err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		if _, err := srv.Say(Jack, TortugaTables, fmt.Sprintf("Ahoy for the time no. %d", i)); err != nil {
			t.Fatal(err)
		}
	}
	const atEnd = `(() => { const l = document.querySelector("#log"); return l.scrollHeight - l.scrollTop - l.clientHeight < 80; })()`
	pagetest.Until(t, ctx,
		`document.querySelector("#log").innerText.includes("no. 39") && document.querySelector("#log").innerText.includes("Your turn") && `+atEnd)
	for _, typed := range []bool{false, true} {
		pagetest.Do(t, ctx, chromedp.Evaluate[chromedp.Void](
			`void document.querySelector("#log").dispatchEvent(new WheelEvent("wheel"))`),
			chromedp.Evaluate[chromedp.Void](
				`void document.querySelector("[data-cid=hand]").scrollIntoView({ block: "center" })`))
		line := fmt.Sprintf("Not so fast, %v", typed)
		if _, err := srv.Say(Jack, TortugaTables, line); err != nil {
			t.Fatal(err)
		}
		pagetest.Until(t, ctx, `document.querySelector("#log").innerText.includes("`+line+`")`)
		holds(t, ctx, "the page left what was read", `!`+atEnd+` && !document.querySelector("#jump").hidden`)
		if typed {
			pagetest.Do(t, ctx, chromedp.Focus(chromedp.CSS(`#tail`)), chromedp.KeyEvent("Aye, aye"),
				chromedp.KeyEvent(kb.Enter))
			pagetest.Until(t, ctx,
				`[...document.querySelectorAll("#log .message")].at(-1).innerText.includes("Aye, aye")`)
		} else {
			pagetest.Do(t, ctx, chromedp.Evaluate[chromedp.Void](
				`void document.querySelector("[data-cid=hand]").click()`))
			pagetest.Until(t, ctx,
				`document.querySelector("#log .ephemeral")?.innerText.includes("three skulls") === true`)
		}
		pagetest.Until(t, ctx, atEnd+` && document.querySelector("#jump").hidden`)
	}
}

// The page shows that the server is gone, keeps what was typed, and continues when the server is back.
func TestServerGone(t *testing.T) {
	srv := lone(t)
	ctx := pagetest.Open(t, srv.URL())
	if err := srv.Close(); err != nil {
		t.Fatal(err)
	}
	pagetest.Until(t, ctx, `document.querySelector("#notice").innerText.startsWith("The connection is lost")`)
	pagetest.Do(t, ctx, chromedp.Focus(chromedp.CSS(`#tail`)), chromedp.KeyEvent("Anybody?"),
		chromedp.KeyEvent(kb.Enter))
	pagetest.Until(t, ctx,
		`document.querySelector("#hint").innerText.startsWith("The bot on this computer does not answer")`)
	holds(t, ctx, "what was typed is lost", `document.querySelector("#tail").value === "Anybody?"`)
	pagetest.Do(t, ctx, chromedp.Click(chromedp.CSS(`#channels li:last-child .channel`)))
	pagetest.Until(t, ctx,
		`document.querySelector("#notice").innerText.startsWith("The bot on this computer does not answer")`)

	// This test does not run in parallel: another test could take the port.
	again := New(Options{Requests: Unlimited, Port: srv.listener.Addr().(*net.TCPAddr).Port})
	if err := again.Start(); err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	pagetest.Until(t, ctx, `document.querySelector("#notice").innerText.startsWith("The bot is not connected")`)
	if _, err := again.Say(Jack, TortugaTables, "Here we are again"); err != nil {
		t.Fatal(err)
	}
	pagetest.Do(t, ctx, chromedp.Evaluate[chromedp.Void](
		`void [...document.querySelectorAll("#channels .channel")][0].click()`))
	pagetest.Until(t, ctx, `document.querySelector("#log").innerText.includes("Here we are again")`)
}
