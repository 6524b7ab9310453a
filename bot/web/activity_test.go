package web_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"marque/bot/bottest"
	"marque/bot/choices"
	"marque/bot/localdiscord"
	"marque/bot/localdiscord/pagetest"
	"marque/bot/timesource/manual"
	"marque/storage"
)

// withActivity returns a rig with the page inside Discord.
func withActivity(t *testing.T, more ...func(*localdiscord.Options)) *bottest.Rig {
	return bottest.NewWith(t, func(r *bottest.Rig) { r.Page, r.Activity = true, true }, more...)
}

// insideDiscord returns the origin of the page inside Discord's client.
func insideDiscord(r *bottest.Rig) string {
	return strings.Replace(r.Server.ActivityProxy(), "*", localdiscord.Application, 1)
}

// launch presses the buttons that open the page inside Discord, and waits until the bot has stored what was opened. It
// returns the instance, or "" if none was opened.
func launch(r *bottest.Rig, user string, board *localdiscord.Message) string {
	r.T.Helper()
	asked := r.Click(user, board, "Open the board")
	button, ok := asked.Button("Play inside Discord")
	if !ok {
		r.T.Fatalf("no button for the Activity on: %s", asked.Text())
	}
	reply, err := r.Server.Click(r.Ctx, user, asked.ID, button.CustomID)
	r.Must(err)
	instance := reply.Instance()
	r.Eventually("the bot stores what was opened, once Discord has answered", func() bool {
		d, err := r.Store.Login(r.Ctx, user)
		r.Must(err)
		return instance == "" || slices.ContainsFunc(d.Launches, func(l storage.Launch) bool {
			return l.Instance == instance
		})
	})
	return instance
}

// join logs in like the frame of an instance.
func join(r *bottest.Rig, user, instance, of string) answer {
	r.T.Helper()
	right, challenge := verifier(of)
	code, err := r.Server.AuthorizeFrame(user, challenge)
	r.Must(err)
	return joinBy(r, code, right, instance)
}

func joinBy(r *bottest.Rig, code, verifier, instance string) answer {
	r.T.Helper()
	return send(r, "enter", map[string]any{"code": code, "verifier": verifier, "instance": instance},
		map[string]string{"Origin": insideDiscord(r)})
}

// A frame admits its user at the table from which the user opened it, once for each code, if Discord confirms that the
// user is in that instance. A user who joins later comes to what was opened last in the instance.
func TestJoinInDiscord(t *testing.T) {
	t.Parallel()
	clock := manual.NewClock(time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC))
	r := withActivity(t, func(o *localdiscord.Options) { o.Clock = clock })
	board := r.OpenLoyal(bottest.Two)
	instance := launch(r, localdiscord.Anne, board)
	if instance == "" {
		t.Fatal("the button has opened no Activity")
	}
	right, challenge := verifier("anne's")
	code, err := r.Server.AuthorizeFrame(localdiscord.Anne, challenge)
	r.Must(err)
	in := joinBy(r, code, right, instance)
	if in.Session == "" || in.Table != "1" {
		t.Fatalf("the frame was answered %d %s", in.Status, in.Raw)
	}
	c := &client{r: r, session: in.Session, table: in.Table}
	if s := c.state(""); !s.Seats[0].You && !s.Seats[1].You {
		t.Errorf("nobody is the one who came in: %+v", s.Seats)
	}
	fresh := func(user string) string {
		code, err := r.Server.AuthorizeFrame(user, challenge)
		r.Must(err)
		return code
	}
	wrong, _ := verifier("somebody else's")
	browser := agree(r, localdiscord.Anne, challenge).Get("code")
	of := map[string]any{"code": fresh(localdiscord.Anne), "verifier": right}
	for what, a := range map[string]answer{
		"a used code":                  joinBy(r, code, right, instance),
		"another's verifier":           joinBy(r, fresh(localdiscord.Anne), wrong, instance),
		"a code of the browser's":      joinBy(r, browser, right, instance),
		"a frame's code, in a browser": send(r, "enter", of, nil),
		"a forged instance":            joinBy(r, fresh(localdiscord.Anne), right, "i-1-gc-1-1"),
		"another's instance":           joinBy(r, fresh(localdiscord.Jack), right, instance),
		"no instance's name":           joinBy(r, fresh(localdiscord.Anne), right, "../../users/@me"),
	} {
		if a.Status != http.StatusUnauthorized || a.Session != "" {
			t.Errorf("%s was answered %d %s", what, a.Status, a.Raw)
		}
	}
	// Users who join see the most recently opened table, or the table that they opened themselves.
	r.Must(r.Server.JoinActivity(localdiscord.Jack, instance))
	if a := join(r, localdiscord.Jack, instance, "jack's"); a.Table != "1" {
		t.Errorf("who joins is answered %d %s, want table 1", a.Status, a.Raw)
	}
	entry, err := r.Server.Menu(r.Ctx, localdiscord.Bart, bottest.TablesChannel, "launch", "")
	r.Must(err)
	if entry.Instance() != instance {
		t.Errorf("the Entry Point opens %q, want the channel's %q", entry.Instance(), instance)
	}
	for user, table := range map[string]string{localdiscord.Anne: "1", localdiscord.Bart: "", localdiscord.Jack: ""} {
		if a := join(r, user, instance, "again"); a.Session == "" || a.Table != table {
			t.Errorf("%s comes to table %q, want %q: %d %s", user, a.Table, table, a.Status, a.Raw)
		}
	}
	r.Server.LeaveActivity(localdiscord.Anne, instance)
	if a := join(r, localdiscord.Anne, instance, "gone"); a.Status != http.StatusUnauthorized {
		t.Errorf("who has left is answered %d %s", a.Status, a.Raw)
	}
	for what, secret := range map[string]string{"code": code, "verifier": right, "session": in.Session} {
		if strings.Contains(r.Log.String(), secret) {
			t.Errorf("the %s stands in the log:\n%s", what, r.Log)
		}
	}
}

// After a restart, the bot still knows the table that was opened in an Activity.
func TestJoinAtAnotherProcess(t *testing.T) {
	t.Parallel()
	r := withActivity(t)
	board := r.OpenLoyal(bottest.Two)
	instance := launch(r, localdiscord.Anne, board)
	r.Must(r.Server.JoinActivity(localdiscord.Jack, instance))
	r.Stop()
	r.Start()
	for _, user := range []string{localdiscord.Anne, localdiscord.Jack} {
		if a := join(r, user, instance, user); a.Session == "" || a.Table != "1" {
			t.Errorf("at a process that has launched nothing, %s is answered %d %s, want table 1", user, a.Status,
				a.Raw)
		}
	}
}

// A frame trusts only messages from Discord. It ignores messages from other pages, whether they report that the client
// is ready or contain a code.
func TestForgedClient(t *testing.T) {
	t.Parallel()
	r := withActivity(t)
	address := insideDiscord(r) + "/?frame_id=forged&instance_id=i-1-gc-1-1"
	forger := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><script>
			window.kinds = [];
			addEventListener("message", (e) => kinds.push(e.data[0]));
			window.say = () => frames[0].postMessage([1, { cmd: "DISPATCH", evt: "READY", data: {} }], "*");
		</script><iframe src=%q></iframe>`, address)
	}))
	t.Cleanup(forger.Close)
	tab := pagetest.Tab(t)
	pagetest.Do(t, tab, chromedp.Navigate(forger.URL))
	pagetest.Until(t, tab, `kinds.length === 1 && kinds[0] === 0`) // the frame greets its parent
	inside := frameOf(r, tab)
	pagetest.Until(t, inside,
		`(addEventListener("message", () => setTimeout(() => parent.postMessage([9], "*"))), true)`)
	pagetest.Until(t, tab, `(say(), true)`)
	pagetest.Until(t, tab, `kinds.includes(9)`)
	if kinds, err := chromedp.Run(tab, chromedp.Evaluate[[]int](`kinds`)); err != nil || slices.Contains(kinds, 1) {
		t.Errorf("to a page that says it is Discord's client, the frame says %v, %v", kinds, err)
	}

	// A page without a parent is its own parent, and receives its own messages.
	const listening = `
		window.said = []; window.sent = []; window.greeted = false;
		addEventListener("message", ({ data: [, m] }) => {
			if (m.cmd === "AUTHORIZE" && !m.data) said.push(m.nonce);
		});
		const fetched = fetch;
		window.fetch = (to, ...more) => { sent.push(to); return fetched(to, ...more); };
		window.comes = (origin, data) => dispatchEvent(new MessageEvent("message", { origin, data: [1, data] }));
		window.heard = 0; // last probe that has arrived; messages sent before that probe have arrived, too
		addEventListener("message", (e) => {
			if (e.data[0] === 0) greeted = true;
			if (e.data[0] === 9) heard = e.data[1].n;
		});
		window.probe = (n) => setTimeout(() => postMessage([9, { n }], "*"));`
	pagetest.Do(t, tab, chromedp.Func(func(ctx context.Context, to *chromedp.Target) error {
		_, err := cdp.Call(ctx, to, page.AddScriptToEvaluateOnNewDocument,
			page.AddScriptToEvaluateOnNewDocumentParams{Source: listening})
		return err
	}), chromedp.Navigate(address))
	pagetest.Until(t, tab, `greeted`) // from now on the page listens
	const trusted = "https://ptb.discord.com"
	for n, from := range []string{"https://evil.example", "https://discord.com.evil.example", forger.URL, "", trusted} {
		pagetest.Until(t, tab, fmt.Sprintf(`(comes(%q, { cmd: "DISPATCH", evt: "READY", data: {} }), probe(%d), true)`,
			from, n+1))
		pagetest.Until(t, tab, fmt.Sprintf(`heard === %d`, n+1))
		if from == trusted {
			pagetest.Until(t, tab, `said.length === 1`)
		}
		asked, err := chromedp.Run(tab, chromedp.Evaluate[int](`said.length`))
		if err != nil || from != trusted && asked != 0 {
			t.Errorf("when %q says that the client is ready, the page asks it for %d codes, %v", from, asked, err)
		}
	}
	for n, from := range []string{"https://evil.example", "", trusted} {
		pagetest.Until(t, tab, fmt.Sprintf(
			`(comes(%q, { cmd: "AUTHORIZE", nonce: said[0], data: { code: "forged" } }), probe(%d), true)`, from, n+11))
		pagetest.Until(t, tab, fmt.Sprintf(`heard === %d`, n+11))
		if from == trusted {
			pagetest.Until(t, tab, `sent.filter((to) => to === "/api/enter").length === 1`)
		}
		entered, err := chromedp.Run(tab, chromedp.Evaluate[int](
			`sent.filter((to) => to === "/api/enter").length`))
		if err != nil || from != trusted && entered != 0 {
			t.Errorf("a code that %q says is used %d times, %v", from, entered, err)
		}
	}
	pagetest.Until(t, tab, `document.querySelector("#login").offsetParent !== null`) // the code was invalid
}

// Joining an Activity does not show a user a table to which they have no access.
func TestJoinAtATableOfOthers(t *testing.T) {
	t.Parallel()
	r := withActivity(t)
	two := []string{localdiscord.Anne, localdiscord.Mary}
	board := r.Open(localdiscord.TortugaCabin, bottest.SeatsOf(t, 2), two)
	instance := launch(r, localdiscord.Mary, board)
	r.Must(r.Server.JoinActivity(localdiscord.Jack, instance))
	in := join(r, localdiscord.Jack, instance, "jack's")
	c := &client{r: r, session: in.Session, table: in.Table}
	for _, what := range []string{"state", "picture"} {
		if a := c.ask(what, map[string]any{"picture": "board"}); a.State != nil || a.Error == "" {
			t.Errorf("%s of others' table is answered %d %s", what, a.Status, a.Raw)
		}
	}
}

// If Discord refuses to open an Activity, the same answer has the link to the page. The answer of the Entry Point has
// the page's address.
func TestNoActivityHere(t *testing.T) {
	t.Parallel()
	r := withActivity(t)
	forum, err := r.Server.Admin.AddChannelOf(localdiscord.Forum, localdiscord.Tortuga, "games")
	r.Must(err)
	post, err := r.Server.Admin.AddPost(forum, localdiscord.Anne, "A game")
	r.Must(err)
	refused := func(board *localdiscord.Message, table string) {
		t.Helper()
		asked := r.Click(localdiscord.Anne, board, "Open the board")
		said := r.Click(localdiscord.Anne, asked, "Play inside Discord")
		if said.EphemeralTo != localdiscord.Anne || !strings.Contains(said.Text(), "doesn't open the board here") {
			t.Fatalf("who cannot open it is told: %s", said.Text())
		}
		a := send(r, "enter", map[string]any{"link": linkIn(r, said)}, nil)
		if a.Session == "" || a.Table != table {
			t.Errorf("the link that is given instead is answered %d %s", a.Status, a.Raw)
		}
	}
	refused(r.Open(post, bottest.SeatsOf(t, 2), bottest.Two), "1")
	r.Configure(localdiscord.Tortuga, func(c *choices.Settings) { c.Threads = choices.ThreadsAlways })
	_, board := r.OpenInThread(bottest.SeatsOf(t, 2), bottest.Two)
	if instance := launch(r, localdiscord.Anne, board); instance == "" {
		t.Error("in a thread that is no forum's, none is opened")
	}
	r.Server.SetActivityFaults(localdiscord.ActivityFaults{NoThreads: true})
	refused(board, "2")
	reply, err := r.Server.Menu(r.Ctx, localdiscord.Anne, post, "launch", "")
	if m := r.Answer(reply, err, "the Entry Point"); addressIn(r, m) != r.PageURL+"/" {
		t.Errorf("the Entry Point's answer leads to %s", addressIn(r, m))
	}
	if strings.Contains(r.Log.String(), "level=ERROR") || strings.Contains(r.Log.String(), "level=WARN") {
		t.Errorf("the log complains:\n%s", r.Log)
	}
}

// The API accepts requests from the page at its own address and inside Discord, and from opaque origins, but not from
// other pages. Without an Activity, it accepts only the page's own address, no page can embed the page, and no button
// mentions an Activity.
func TestWhoIsAnswered(t *testing.T) {
	t.Parallel()
	r, plain := withActivity(t), withPage(t)
	got, err := http.Get(plain.PageURL)
	plain.Must(err)
	got.Body.Close()
	if said := got.Header.Get("Content-Security-Policy"); !strings.HasSuffix(said, "frame-ancestors 'none'") {
		t.Errorf("without an Activity the policy is %s", said)
	}
	asked := plain.Click(localdiscord.Anne, plain.OpenLoyal(bottest.Two), "Open the board")
	if len(asked.Interactive()) != 1 {
		t.Errorf("without an Activity there are buttons for it: %s", asked.Text())
	}
	inside := insideDiscord(r)
	others := strings.Replace(inside, localdiscord.Application, "1", 1)
	none := map[string]any{"link": "none"}
	for origin, want := range map[string]int{r.PageURL: http.StatusUnauthorized, inside: http.StatusUnauthorized,
		"null": http.StatusUnauthorized, "": http.StatusForbidden, "https://evil.example": http.StatusForbidden,
		inside + ".evil.example": http.StatusForbidden, others: http.StatusForbidden,
	} {
		from := map[string]string{"Origin": origin}
		if a := send(r, "enter", none, from); a.Status != want {
			t.Errorf("the origin %q was answered %d, want %d", origin, a.Status, want)
		}
		if want == http.StatusForbidden || origin == r.PageURL {
			continue
		}
		if a := send(plain, "enter", none, from); a.Status != http.StatusForbidden {
			t.Errorf("without an Activity the origin %q was answered %d", origin, a.Status)
		}
	}
}

// inFrame returns the page in the Activity's frame of a browser with the local Discord, after the user has answered the
// login.
func inFrame(r *bottest.Rig, b *bottest.Browser, answer string) context.Context {
	r.T.Helper()
	b.Until(`document.querySelector("#activity #agree").offsetParent !== null`)
	b.Shoot("activity-" + strings.Trim(answer, "#"))
	b.Do(chromedp.Click(chromedp.CSS(answer)))
	return frameOf(r, b.Ctx)
}

// frameOf returns the Activity's frame in a page.
func frameOf(r *bottest.Rig, tab context.Context) context.Context {
	r.T.Helper()
	all, err := chromedp.Targets(tab)
	r.Must(err)
	for _, at := range all {
		if strings.HasPrefix(at.URL, insideDiscord(r)) {
			in, cancel := chromedp.NewContext(tab, chromedp.WithTargetID(at.TargetID), chromedp.WithDetachOnCancel())
			r.T.Cleanup(cancel)
			r.Must(chromedp.Do(in)) // the tab of the frame lives as long as this context
			return in
		}
	}
	r.T.Fatalf("no frame is at %s", insideDiscord(r))
	return nil
}

// press presses the next control that the page requires. Its value is true after “Play”.
const press = `(() => {
	const e = document.querySelector("#play, dialog[open] #said button, .mark, #choices button");
	e.click();
	return e.id === "play";
})()`

// In each kind of frame a user can log in, and play a move at the table from which they opened it.
func TestPlayInDiscord(t *testing.T) {
	t.Parallel()
	for name, faults := range map[string]localdiscord.ActivityFaults{"usual": {}, "no custom_id": {NoCustomID: true},
		"opaque origin": {Opaque: true, NoCustomID: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := withActivity(t)
			r.Server.SetActivityFaults(faults)
			r.OpenLoyal(bottest.Two)
			who := r.Table().Mover()
			b := bottest.OpenBrowser(t, r.Server.URL())
			b.Be(who)
			b.Enter("Tortuga", "game-tables")
			for _, label := range []string{"Open the board", "Play inside Discord"} {
				button := fmt.Sprintf("#log button[aria-label=%q]", label)
				b.Until(fmt.Sprintf("document.querySelector(%q) !== null", button))
				b.Do(chromedp.Click(chromedp.CSS(button)))
			}
			tab := inFrame(r, b, "#refuse")
			pagetest.Until(t, tab, `document.querySelector("#login").offsetParent !== null &&
				document.querySelector("#why").textContent.includes("didn't work")`)
			pagetest.Until(t, tab, `(document.querySelector("#login").click(), true)`)
			tab = inFrame(r, b, "#agree")
			pagetest.Until(t, tab, asked+` && document.querySelector("#picture").offsetParent !== null`)
			b.Shoot("activity-" + strings.ReplaceAll(name, " ", "-"))
			styled, err := chromedp.Run(tab, chromedp.Evaluate[string](
				`getComputedStyle(document.querySelector(".mark")).position`))
			if err != nil || styled != "absolute" {
				t.Errorf("the page's styles do not count: %q, %v", styled, err)
			}
			for played := false; !played; {
				drawn, err := chromedp.Run(tab, chromedp.Evaluate[string](
					`document.querySelector("#main").dataset.drawn`))
				r.Must(err)
				played, err = chromedp.Run(tab, chromedp.Evaluate[bool](press))
				r.Must(err)
				pagetest.Until(t, tab, fmt.Sprintf(`document.querySelector("dialog").open ||
					document.querySelector("#main").dataset.drawn !== %q && %s`, drawn, settled))
			}
			r.Eventually("played inside Discord", func() bool { return r.Table().Plays > 0 })
			r.TypeMove(r.Table().Mover(), bottest.TablesChannel, bottest.NewRand()) // the frame is notified as well
			pagetest.Until(t, tab, fmt.Sprintf(`document.querySelectorAll("#told li").length > 0 && %s`, settled))
			b.Do(chromedp.Click(chromedp.CSS("#leave")))
			b.Until(`document.querySelector("#activity iframe") === null`)
		})
	}
}
