package web_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/bot/localdiscord/pagetest"
	"marque/bot/table"
	"marque/bot/timesource/manual"
	"marque/bot/web"
	"marque/games/catalog"
	"marque/games/verify"
)

// seat is a player's page in a browser.
type seat struct {
	t   *testing.T
	tab context.Context
}

// sit opens the page for a player on a screen of the given size.
func sit(t *testing.T, r *bottest.Rig, user string, board *localdiscord.Message, wide, high int64) *seat {
	s := &seat{t, pagetest.Tab(t)}
	pagetest.Do(t, s.tab, chromedp.EmulateViewport(wide, high, chromedp.EmulateMobile, chromedp.EmulateTouch),
		chromedp.Navigate(r.PageURL+"/#"+linkOf(r, user, board)))
	pagetest.Until(t, s.tab, settled)
	return s
}

// settled is a JavaScript expression that is true when the page shows the table with its pictures.
const settled = `!document.querySelector("#board").hidden && document.querySelector("#main").getAttribute("aria-busy") === "false" &&
	document.querySelectorAll(".stage:not([hidden]).loading").length === 0 &&
	document.querySelector("#picture").naturalWidth > 0`

// asked is a JavaScript expression that is true if the page asks for a move or the game is over.
const asked = settled + ` && (!document.querySelector("#ask").hidden ||
	` + over + `)`

// over is a JavaScript expression that is true if the page shows the end of a game to one of its players.
const over = `document.querySelector("#more button")?.textContent === "Rematch"`

// where is a JavaScript function that scrolls the n-th touchable element, modulo their number, into view, and returns
// its place.
const where = `((n) => {
	const all = (what) => [...document.querySelectorAll(what)].filter((e) => e.offsetParent !== null);
	let list = all("dialog[open] #said button");
	if (!list.length) list = [...all(".mark"), ...all("#choices button")];
	if (!list.length) list = all("#play");
	const e = list[n %% list.length];
	e.scrollIntoView({ block: "center" });
	const box = e.getBoundingClientRect();
	return JSON.stringify({ X: box.x + box.width / 2, Y: box.y + box.height / 2, Play: e.id === "play",
		Label: e.ariaLabel || e.textContent,
		Drawn: +document.querySelector("#main").dataset.drawn, Count: list.length });
})(%d)`

// move touches elements until a move is made, and returns the number of touches.
func (s *seat) move(pick func() int) (touches int) {
	s.t.Helper()
	for touches < 20 {
		said, err := pagetest.Wait[string](s.tab, fmt.Sprintf(where, pick()))
		if err != nil {
			pagetest.Fail(s.t, s.tab, err)
		}
		var at struct {
			X, Y         float64
			Play         bool
			Label        string
			Drawn, Count int
		}
		if err := json.Unmarshal([]byte(said), &at); err != nil {
			s.t.Fatal(err, said)
		}
		if at.Label == "" {
			s.t.Fatalf("something to touch has no label: %s", said)
		}
		pagetest.Do(s.t, s.tab, pagetest.Touch(at.X, at.Y))
		touches++
		pagetest.Until(s.t, s.tab, fmt.Sprintf(`document.querySelector("dialog").open ||
			+document.querySelector("#main").dataset.drawn > %d`, at.Drawn))
		pagetest.Until(s.t, s.tab, `document.querySelector("dialog").open || `+settled)
		// A redraw between the look and the touch can put another place, even the end of the move, under the finger.
		asks, err := chromedp.Run(s.tab, chromedp.Evaluate[bool](`!document.querySelector("#ask").hidden`))
		if err != nil {
			pagetest.Fail(s.t, s.tab, err)
		}
		if at.Play || !asks {
			return touches
		}
	}
	s.t.Fatal("a move is never made")
	return 0
}

// Two users play by touch on two phones. Each sees the other's plays without a reload.
func TestGameByTouch(t *testing.T) {
	t.Parallel()
	for _, g := range catalog.Games {
		t.Run(g.Key(), func(t *testing.T) {
			t.Parallel()
			r := withPage(t)
			board := r.Open(bottest.TablesChannel, g, bottest.Two)
			seats := map[string]*seat{
				localdiscord.Anne: sit(t, r, localdiscord.Anne, board, 390, 844),
				localdiscord.Jack: sit(t, r, localdiscord.Jack, board, 360, 640),
			}
			most := 8
			if g.Key() == bottest.LoyalCaptain && !testing.Short() {
				most = 1000
			}
			rng := bottest.NewRand()
			touches, moves := 0, 0
			for snap := r.Table(); moves < most && snap.Status != table.Over; snap = r.Table() {
				s := seats[snap.Mover()]
				pagetest.Until(t, s.tab, asked+shows(snap.Plays))
				if moves < 2 {
					pagetest.Shoot(t, s.tab, fmt.Sprintf("page-%s-%d", g.Key(), moves))
				}
				touches += s.move(func() int { return rng.IntN(1000) })
				moves++
				r.Eventually("played", func() bool { return r.Table().Plays > snap.Plays })
			}
			for _, s := range seats {
				if r.Table().Status == table.Over {
					pagetest.Until(t, s.tab, over)
				}
			}
			t.Logf("%d moves, %.2f touches a move", moves, float64(touches)/float64(moves))
		})
	}
}

// Four users can play a game to its end: two on phones, one at a desktop, and one with typed moves. Wrong touches and
// choices that are taken back do no harm. The bot restarts during the game, and each page shows the end without a
// reload.
func TestFourOnPhonesAndADesk(t *testing.T) {
	t.Parallel()
	r := withPage(t)
	g, _ := catalog.Find("freebooter")
	board := r.Open(bottest.TablesChannel, g, bottest.World[:4])
	wide := map[string]int64{localdiscord.Anne: 350, localdiscord.Jack: 390, localdiscord.Mary: 1280}
	seats := map[string]*seat{}
	for who, points := range wide {
		seats[who] = sit(t, r, who, board, points, 760)
	}
	rng := bottest.NewRand()
	most, moves, touches := 1000, 0, 0
	if testing.Short() {
		most = 8
	}
	for snap := r.Table(); moves < most && snap.Status != table.Over; snap = r.Table() {
		if moves == 6 {
			r.Stop()
			r.Start()
		}
		s := seats[snap.Mover()]
		for who, other := range seats {
			if who != snap.Mover() {
				at, err := pagetest.Wait[[]float64](other.tab, fmt.Sprintf(`(() => {
					const b = document.querySelector("#board").getBoundingClientRect();
					return [b.x + b.width * %f, b.y + b.height * %f];
				})()`, rng.Float64(), rng.Float64()))
				r.Must(err)
				pagetest.Do(t, other.tab, pagetest.Touch(at[0], at[1]))
			}
		}
		if s == nil {
			r.TypeMove(snap.Mover(), bottest.TablesChannel, rng)
		} else {
			pagetest.Until(t, s.tab, asked+shows(snap.Plays))
			pagetest.Do(t, s.tab, pagetest.Touch(4, 4))
			if rng.IntN(3) == 0 {
				s.back()
			}
			touches += s.move(func() int { return rng.IntN(1000) })
		}
		moves++
		r.Eventually("played", func() bool { return r.Table().Plays > snap.Plays })
	}
	for _, s := range seats {
		if r.Table().Status == table.Over {
			pagetest.Until(t, s.tab, over)
		}
	}
	t.Logf("%d moves, %d touches, over: %t", moves, touches, r.Table().Status == table.Over)
}

// back presses the first choice, and then takes back all choices one by one. If only one move is possible, it does
// nothing.
func (s *seat) back() {
	s.t.Helper()
	const nothing = `document.querySelector("#back") === null`
	const choice = `document.querySelector(".mark:not(.shortcut), #choices button")`
	if any, err := pagetest.Wait[bool](s.tab, choice+` !== null`); err != nil || !any {
		return // only one move is possible
	}
	s.press(choice)
	pagetest.Until(s.t, s.tab, `!(`+nothing+`)`)
	for {
		s.press(`document.querySelector("#back")`)
		if done, err := pagetest.Wait[bool](s.tab, nothing); err != nil || done {
			return
		}
	}
}

// press clicks an element as a key does. what is a JavaScript expression that returns the element. press waits until
// the page has drawn the result, or asks which of several choices is meant. If the page was redrawn without the
// element, press does nothing.
func (s *seat) press(what string) {
	s.t.Helper()
	pagetest.Do(s.t, s.tab, chromedp.Evaluate[chromedp.Void](`(() => {
		const e = `+what+`;
		window.before = e ? +document.querySelector("#main").dataset.drawn : 0;
		e?.dispatchEvent(new MouseEvent("click", { bubbles: true, detail: 0 }));
	})()`))
	pagetest.Until(s.t, s.tab, `document.querySelector("dialog").open ||
		+document.querySelector("#main").dataset.drawn > before`)
	pagetest.Until(s.t, s.tab, settled)
}

// A page that slept for an hour, during a restart of the bot, then shows the missed plays without a reload. After a
// move, the user's next waiting game is one press away.
func TestAPageThatSlept(t *testing.T) {
	t.Parallel()
	clock := manual.NewClock(time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC))
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Page = true },
		func(o *localdiscord.Options) { o.Clock = clock })
	board := r.OpenLoyal(bottest.Two)
	other := bottest.Other(bottest.Two, r.Table().Mover())
	s := sit(t, r, other, board, 390, 844)
	pagetest.Until(t, s.tab, `document.querySelector("#turn").textContent === "It isn't your turn."`)
	lifecycle := func(state page.SetWebLifecycleStateState) {
		pagetest.Do(t, s.tab, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			_, err := cdp.Call(ctx, t, page.SetWebLifecycleState, page.SetWebLifecycleStateParams{State: state})
			return err
		}))
	}
	lifecycle(page.SetWebLifecycleStateStateFrozen)
	r.TypeMove(r.Table().Mover(), bottest.TablesChannel, bottest.NewRand()) // an open page delays the channel's board
	r.Stop()
	clock.Advance(time.Hour)
	r.Start()
	harbour, _ := catalog.Find("madagascar")
	r.Open(localdiscord.TortugaTavern, harbour, bottest.Two)
	if heads, err := r.Tables.Lookup.MyTurn(r.Ctx, other); err != nil || len(heads) < 2 {
		r.Must(err)
		r.TypeMove(bottest.Other(bottest.Two, other), localdiscord.TortugaTavern, bottest.NewRand())
	}
	lifecycle(page.SetWebLifecycleStateStateActive)
	pagetest.Until(t, s.tab, asked)
	pagetest.Until(t, s.tab, `document.querySelector("#told li") !== null`)
	s.move(func() int { return 0 })
	r.Eventually("played by who slept", func() bool { return r.Table().Mover() != other })
	pagetest.Until(t, s.tab, `document.querySelector("#next-game") !== null`)
	pagetest.Do(t, s.tab, chromedp.Click(chromedp.CSS("#next-game")))
	pagetest.Until(t, s.tab, `document.querySelector("#title").textContent.startsWith("Madagascar")`)
	pagetest.Until(t, s.tab, asked)
}

// At the end of a game the page says who won, with the score, and tells the last moves, the user's own among them. Its
// Rematch opens the next game, and shows it.
func TestTheEndOnThePage(t *testing.T) {
	t.Parallel()
	r := withPage(t)
	board := r.MeetComputers(bottest.TablesChannel, "pirat", 1)
	s := sit(t, r, localdiscord.Anne, board, 390, 844)
	c := enter(r, localdiscord.Anne, board)
	old := r.Table().ID
	rng := bottest.NewRand()
	for r.Table().Status != table.Over {
		r.Eventually("Anne's turn, or the end", func() bool {
			snap := r.Table()
			return snap.Status == table.Over || snap.Mover() == localdiscord.Anne
		})
		if st := c.state(""); st.Question != nil {
			for !st.Question.Complete {
				st = c.state(st.Question.Choices[rng.IntN(len(st.Question.Choices))].Path)
			}
			c.ask("play", map[string]any{"path": st.Question.Path, "version": st.Version, "key": key()})
		}
	}
	st := c.state("")
	own := slices.ContainsFunc(st.Story, func(l web.PlayLine) bool { return strings.HasPrefix(l.Said, "Anne ") })
	told := regexp.MustCompile(`(wins|win together,) \d+ : \d+!|draw`).MatchString(st.Result)
	if !own || !told {
		t.Errorf("at the end the page says %q, and of the last moves %+v", st.Result, st.Story)
	}
	pagetest.Until(t, s.tab, settled+" && "+over)
	pagetest.Until(t, s.tab, fmt.Sprintf(`document.querySelector("#turn").textContent === %q`, st.Result))
	pagetest.Shoot(t, s.tab, "page-end")
	pagetest.Do(t, s.tab, chromedp.Click(chromedp.CSS("#more button")))
	pagetest.Until(t, s.tab, fmt.Sprintf(`!document.querySelector("#title").textContent.endsWith("#%s")`, old))
	pagetest.Until(t, s.tab, settled+` && !(`+over+`)`)
}

// After a game of two people, Rematch on one player's page opens a table that waits for the other player, whose Rematch
// begins the game. The record of that game is valid. A user who did not play cannot open a rematch.
func TestARematchOfTwoPages(t *testing.T) {
	t.Parallel()
	r := withPage(t)
	board := r.OpenLoyal(bottest.Two)
	anne, jack, mary := enter(r, localdiscord.Anne, board), enter(r, localdiscord.Jack, board),
		enter(r, localdiscord.Mary, board)
	rematch := func(c *client) answer {
		return c.ask("press", map[string]any{"press": "rematch/1//", "key": key()})
	}
	if a := rematch(anne); !strings.Contains(a.Error, "isn't over yet") {
		t.Errorf("before the end, Rematch is answered %q %s", a.Error, a.Raw)
	}
	r.PlayOne(bottest.TablesChannel)
	r.PlayOne(bottest.TablesChannel)
	jack.ask("press", map[string]any{"press": "confirm/1//resign", "key": key()})
	if r.Table().Status != table.Over {
		t.Fatal("the game is not over")
	}
	if a := rematch(mary); a.Error == "" || a.Table != "" {
		t.Errorf("who did not play asks for a rematch, and is answered %s", a.Raw)
	}
	a := rematch(anne)
	const waits = "It begins when everybody has joined"
	if a.Message == nil || !strings.Contains(a.Message.Parts[0].Text, waits) || a.Table != "" {
		t.Errorf("the first who asks for a rematch is answered %s", a.Raw)
	}
	if a := rematch(jack); a.Table != "2" {
		t.Errorf("the second who asks for a rematch is answered %s", a.Raw)
	}
	r.Click(localdiscord.Jack, r.Command(localdiscord.Jack, bottest.TablesChannel, "table resign",
		localdiscord.Opt("table", "2")), "Yes, resign")
	snap, err := r.Tables.Lookup.Snapshot(r.Ctx, 2)
	r.Must(err)
	record, _ := snap.Record()
	if _, err := verify.Record(record, catalog.Find); err != nil {
		t.Errorf("the record of the rematch: %v\n%s", err, record.Encode())
	}
}

// A page whose requests were refused, because its address sent too many, shows the missed plays as soon as a request is
// accepted.
func TestAPageThatWasRefused(t *testing.T) {
	t.Parallel()
	r := withPage(t)
	board := r.OpenLoyal(bottest.Two)
	other := bottest.Other(bottest.Two, r.Table().Mover())
	s := sit(t, r, other, board, 390, 844)
	refused, end := make(chan struct{}), make(chan struct{})
	var crowd sync.WaitGroup
	first := sync.OnceFunc(func() { close(refused) })
	for range 8 {
		crowd.Go(func() {
			for {
				select {
				case <-end:
					return
				default:
				}
				got, err := http.Get(r.PageURL + "/words")
				if err != nil {
					t.Error(err)
					return
				}
				got.Body.Close()
				if got.StatusCode == http.StatusTooManyRequests {
					first()
				}
			}
		})
	}
	<-refused
	for seen := false; !seen; { // the page may be faster than the other requests
		r.PlayOne(bottest.TablesChannel)
		const page = `performance.getEntriesByType("resource").some((e) => e.responseStatus === 429)`
		pagetest.Until(t, s.tab, page+" || "+settled+shows(r.Table().Plays))
		var err error
		if seen, err = pagetest.Wait[bool](s.tab, page); err != nil {
			pagetest.Fail(t, s.tab, err)
		}
	}
	close(end)
	crowd.Wait()
	pagetest.Until(t, s.tab, settled+shows(r.Table().Plays))
}

// shows returns a condition to add to settled: the board shows the position after this number of plays.
func shows(plays int) string {
	return fmt.Sprintf(` && JSON.parse(document.querySelector("#board").dataset.shows)[2].plays === %d`, plays)
}

// The page requests a picture and a question again if they were lost while it still received changes.
func TestAnAnswerThatWasLost(t *testing.T) {
	t.Parallel()
	r := withPage(t)
	board := r.OpenLoyal(bottest.Two)
	s := sit(t, r, bottest.Other(bottest.Two, r.Table().Mover()), board, 390, 844)
	block := func(paths ...string) {
		patterns := []*network.BlockPattern{}
		for _, path := range paths {
			patterns = append(patterns, &network.BlockPattern{URLPattern: "*://*:*/api/" + path, Block: true})
		}
		pagetest.Do(t, s.tab, chromedp.Func(func(ctx context.Context, to *chromedp.Target) error {
			if _, err := cdp.Call(ctx, to, network.Enable, network.EnableParams{}); err != nil {
				return err
			}
			_, err := cdp.Call(ctx, to, network.SetBlockedURLs, network.SetBlockedURLsParams{URLPatterns: patterns})
			return err
		}))
	}
	for _, path := range []string{"picture", "state"} {
		lost := fmt.Sprintf(`performance.getEntriesByType("resource")
			.some((e) => e.name.endsWith(%q) && !e.responseStatus)`, path)
		block(path)
		r.PlayOne(bottest.TablesChannel)
		pagetest.Until(t, s.tab, lost)
		block()
		pagetest.Until(t, s.tab, settled+shows(r.Table().Plays))
	}
}

// While the opponent is to move, a user plans on the page a reply to one of the opponent's possible moves, and saves
// the plan. The reply is played after the planned move.
func TestPlanByTouch(t *testing.T) {
	t.Parallel()
	r := withPage(t)
	board := r.OpenLoyal(bottest.Two)
	mover := r.Table().Mover()
	s := sit(t, r, bottest.Other(bottest.Two, mover), board, 360, 640)
	press := func(id, until string) {
		t.Helper()
		pagetest.Do(t, s.tab, chromedp.Click(chromedp.CSS(id)))
		pagetest.Until(t, s.tab, settled+" && "+until)
	}
	const theirs, ours = `document.querySelector("#question").textContent.startsWith("If ")`,
		`document.querySelector("#question").textContent.startsWith("Then you play:")`
	press("#plan", theirs)
	press(".mark", ours)
	pagetest.Shoot(t, s.tab, "page-plan-answer")
	press("#back", theirs)
	press(".mark", ours)
	press(".mark", `document.querySelector("#leave") !== null`)
	pagetest.Shoot(t, s.tab, "page-plan")
	press("#leave", `document.querySelector("#planned").offsetParent !== null`)
	pagetest.Shoot(t, s.tab, "page-planned")
	plans := r.Table().Plans(r.Table().Seat(bottest.Other(bottest.Two, mover)))
	if len(plans) != 1 || len(plans[0]) != 2 || r.Table().Plays != 0 {
		t.Fatalf("saved is %q, and %d plays are made", plans, r.Table().Plays)
	}
	r.Command(mover, bottest.TablesChannel, "move", localdiscord.Opt("move", plans[0][0]))
	r.Eventually("answered by the plan", func() bool { return r.Table().Plays == 2 })
	pagetest.Until(t, s.tab, settled+` && document.querySelector("#planned").hidden`)
}

// A page is silent until its user enables sounds. Then it makes a sound for a move, and vibrates when it is the user's
// turn.
func TestSoundIsOffAtFirst(t *testing.T) {
	t.Parallel()
	r := withPage(t)
	board := r.OpenLoyal(bottest.Two)
	mover := r.Table().Mover()
	s := sit(t, r, bottest.Other(bottest.Two, mover), board, 390, 844)
	pagetest.Until(t, s.tab, `(() => {
		window.notes = window.shaken = 0;
		const made = AudioContext.prototype.createOscillator;
		AudioContext.prototype.createOscillator = function () { notes++; return made.call(this); };
		navigator.vibrate = () => { shaken++; };
		return true;
	})()`)
	r.PlayOne(bottest.TablesChannel)
	pagetest.Until(t, s.tab, asked+` && notes === 0 && shaken === 0`)
	pagetest.Do(t, s.tab, chromedp.Click(chromedp.CSS("#loud")))
	pagetest.Until(t, s.tab, `notes === 2 && shaken === 1`)
	r.PlayOne(bottest.TablesChannel)
	pagetest.Until(t, s.tab, `notes === 3 && shaken === 1`)
	r.PlayOne(bottest.TablesChannel)
	pagetest.Until(t, s.tab, asked+` && notes === 5 && shaken === 2`)
}
