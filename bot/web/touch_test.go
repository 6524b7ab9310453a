package web_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/bot/localdiscord/pagetest"
	"marque/bot/table"
	"marque/games/catalog"
)

// node is a node of the accessibility tree, which screen readers use.
type node struct {
	role, name string
	focused    bool
}

// tree returns the accessibility tree of a tab.
func tree(t *testing.T, tab context.Context) (list []node) {
	t.Helper()
	pagetest.Do(t, tab, chromedp.Func(func(ctx context.Context, to *chromedp.Target) error {
		got, err := cdp.Call(ctx, to, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
		if err != nil {
			return err
		}
		said := func(v *accessibility.Value) (s string) {
			if v != nil {
				_ = json.Unmarshal(v.Value, &s)
			}
			return s
		}
		for _, n := range got.Nodes {
			if n.Ignored {
				continue
			}
			focused := slices.ContainsFunc(n.Properties, func(p *accessibility.Property) bool {
				return p.Name == "focused" && string(p.Value.Value) == "true"
			})
			list = append(list, node{said(n.Role), said(n.Name), focused})
		}
		return nil
	}))
	return list
}

// labels returns the labels of the choices on the page.
func (s *seat) labels() []string {
	s.t.Helper()
	labels, err := pagetest.Wait[[]string](s.tab, `[...document.querySelectorAll(".mark, #choices button, #play")]
		.filter((e) => e.offsetParent !== null).map((e) => e.ariaLabel || e.textContent)`)
	if err != nil {
		pagetest.Fail(s.t, s.tab, err)
	}
	return labels
}

// Moves of every game can be made with only the keyboard, and the focus follows the choices. Every button, picture,
// menu and checkbox has a name for screen readers, and the names match the choices.
func TestGameByKeyboard(t *testing.T) {
	t.Parallel()
	for _, g := range catalog.Games {
		t.Run(g.Key(), func(t *testing.T) {
			t.Parallel()
			r := withPage(t)
			board := r.Open(bottest.TablesChannel, g, bottest.Two)
			seats := map[string]*seat{}
			for _, who := range bottest.Two {
				seats[who] = sit(t, r, who, board, 1280, 800)
			}
			rng := bottest.NewRand()
			keys, pressed := 0, []string{"button", "image", "combobox", "checkbox"}
			for range 3 {
				snap := r.Table()
				if snap.Status == table.Over {
					break
				}
				s := seats[snap.Mover()]
				pagetest.Until(t, s.tab, asked+shows(snap.Plays))
				const able = `document.activeElement.matches(".mark, #choices button, #play")`
				reach := func() {
					for range 200 {
						at, err := pagetest.Wait[bool](s.tab, able)
						if err != nil {
							pagetest.Fail(t, s.tab, err)
						}
						if at {
							return
						}
						pagetest.Do(t, s.tab, chromedp.KeyEvent(kb.Tab))
						keys++
					}
					pagetest.Fail(t, s.tab, fmt.Errorf("no choice is reached by the keyboard"))
				}
				for steps := 0; r.Table().Plays == snap.Plays; steps++ {
					if steps == 12 {
						pagetest.Fail(t, s.tab, fmt.Errorf("a move is never made by keyboard"))
					}
					labels, list := s.labels(), tree(t, s.tab)
					for again := s.labels(); !slices.Equal(again, labels); again = s.labels() { // the page was redrawn
						labels, list = again, tree(t, s.tab)
					}
					for _, n := range list {
						if n.name == "" && slices.Contains(pressed, n.role) {
							t.Errorf("the accessibility tree has a %s without a name", n.role)
						}
					}
					for _, label := range labels {
						if !slices.ContainsFunc(list, func(n node) bool {
							return n.role == "button" && n.name == label
						}) {
							t.Errorf("no button of the accessibility tree is named %q: %+v", label, list)
						}
					}
					for range 1 + rng.IntN(3) {
						reach()
						pagetest.Do(t, s.tab, chromedp.KeyEvent(kb.Tab))
						keys++
					}
					reach()
					drawn, err := pagetest.Wait[string](s.tab, `document.querySelector("#main").dataset.drawn`)
					if err != nil {
						pagetest.Fail(t, s.tab, err)
					}
					pagetest.Do(t, s.tab, chromedp.KeyEvent(kb.Enter))
					keys++
					pagetest.Until(t, s.tab, `document.querySelector("dialog").open ||
						+document.querySelector("#main").dataset.drawn > `+drawn)
					if open, _ := pagetest.Wait[bool](s.tab, `document.querySelector("dialog").open`); open {
						pagetest.Do(t, s.tab, chromedp.KeyEvent(kb.Enter)) // choose the first of several choices
						keys++
						pagetest.Until(t, s.tab, `+document.querySelector("#main").dataset.drawn > `+drawn)
					}
					pagetest.Until(t, s.tab, settled)
					pagetest.Until(t, s.tab, able+` || document.activeElement.id === "turn"`)
				}
			}
			t.Logf("%s: %d keys", g.Key(), keys)
		})
	}
}

// nearest is a JavaScript expression for the two nearest marks on the board. Its value has their middles, their
// distance, and their labels.
const nearest = `(() => {
	const all = [...document.querySelectorAll("#board .mark:not(.shortcut)")].map((e) => [e, e.getBoundingClientRect()])
		.map(([e, b]) => ({ X: b.x + b.width / 2, Y: b.y + b.height / 2, W: b.width, Label: e.ariaLabel }));
	let best = null;
	for (const a of all) for (const b of all) {
		const apart = Math.hypot(a.X - b.X, a.Y - b.Y);
		if (a !== b && (!best || apart < best.Apart)) best = { A: a, B: b, Apart: apart, Count: all.length };
	}
	return best && JSON.stringify(best);
})()`

type spot struct {
	X, Y, W float64
	Label   string
}

// pinch moves two fingers apart around a place until their distance has grown by a factor.
func pinch(x, y, factor float64) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		const half = 20
		one, two := 1.0, 2.0
		points := func(by float64) []*input.TouchPoint {
			return []*input.TouchPoint{{X: x - half*by, Y: y, ID: &one}, {X: x + half*by, Y: y, ID: &two}}
		}
		events := []input.DispatchTouchEventParams{
			{Type: input.DispatchTouchEventTypeTouchStart, TouchPoints: points(1)}}
		for i := range 10 {
			events = append(events, input.DispatchTouchEventParams{Type: input.DispatchTouchEventTypeTouchMove,
				TouchPoints: points(1 + (factor-1)*float64(i+1)/10)})
		}
		events = append(events, input.DispatchTouchEventParams{Type: input.DispatchTouchEventTypeTouchEnd,
			TouchPoints: []*input.TouchPoint{}})
		for _, e := range events {
			if _, err := cdp.Call(ctx, t, input.DispatchTouchEvent, e); err != nil {
				return err
			}
		}
		return nil
	})
}

// On a small phone a touch between two places leads to a question, and a touch near one place chooses it. Two fingers
// enlarge the board until the places can be distinguished.
func TestTouchesThatAreUnclear(t *testing.T) {
	t.Parallel()
	r := withPage(t)
	g, _ := catalog.Find("pirate-versus-pirate")
	board := r.Open(bottest.TablesChannel, g, bottest.Two)
	s := sit(t, r, r.Table().Mover(), board, 240, 600)
	pagetest.Until(t, s.tab, asked)
	places := func() (a, b spot, apart float64) {
		t.Helper()
		said, err := pagetest.Wait[string](s.tab, nearest)
		if err != nil {
			pagetest.Fail(t, s.tab, err)
		}
		var got struct {
			A, B  spot
			Apart float64
		}
		if err := json.Unmarshal([]byte(said), &got); err != nil {
			t.Fatal(err, said)
		}
		return got.A, got.B, got.Apart
	}
	pagetest.Do(t, s.tab,
		chromedp.Evaluate[chromedp.Void](`document.querySelector("#board").scrollIntoView({ block: "start" })`))
	a, b, apart := places()
	if apart > 40 {
		t.Fatalf("the nearest marks are %.0f points apart: nothing is unclear", apart)
	}
	pagetest.Do(t, s.tab, pagetest.Touch((a.X+b.X)/2, (a.Y+b.Y)/2))
	pagetest.Until(t, s.tab, `document.querySelector("dialog").open`)
	labels, err := pagetest.Wait[[]string](s.tab, `[...document.querySelectorAll("#said button")].map((b) => b.textContent)`)
	if err != nil || !slices.Contains(labels, a.Label) || !slices.Contains(labels, b.Label) {
		t.Errorf("between %q and %q the page asks %q (%v)", a.Label, b.Label, labels, err)
	}
	pagetest.Do(t, s.tab, chromedp.Click(chromedp.CSS(`#close`)))
	pagetest.Until(t, s.tab, `!document.querySelector("dialog").open`)

	pagetest.Do(t, s.tab, pinch((a.X+b.X)/2, (a.Y+b.Y)/2, 3))
	pagetest.Until(t, s.tab, fmt.Sprintf(`JSON.parse(%s).Apart > %f`, nearest, 2.5*apart))
	a, b, wider := places()
	beside := (a.W/2 + 8) / wider // fraction of the way to the other place
	pagetest.Do(t, s.tab, pagetest.Touch(a.X+(b.X-a.X)*beside, a.Y+(b.Y-a.Y)*beside))
	pagetest.Until(t, s.tab, `document.querySelector("#back, #play") !== null && !document.querySelector("dialog").open`)
}

// A move that is sent while the bot is down is played once after its restart. Both pages then show it.
func TestAPlayOutlivesAStop(t *testing.T) {
	t.Parallel()
	r := withPage(t)
	board := r.OpenLoyal(bottest.Two)
	mover := r.Table().Mover()
	s := sit(t, r, mover, board, 390, 844)
	other := sit(t, r, bottest.Other(bottest.Two, mover), board, 390, 844)
	pagetest.Until(t, s.tab, asked)
	for range 12 {
		if done, err := pagetest.Wait[bool](s.tab, `document.querySelector("#play") !== null`); err != nil || done {
			break
		}
		s.press(`(document.querySelector("#board .mark") ?? document.querySelector("#choices button"))`)
	}
	r.Stop()
	pagetest.Do(t, s.tab, chromedp.Click(chromedp.CSS("#play")))
	pagetest.Until(t, s.tab, `!document.querySelector("#error").hidden`)
	r.Start()
	r.Eventually("played when the bot is back", func() bool { return r.Table().Plays > 0 })
	pagetest.Until(t, s.tab, settled+` && document.querySelector("#ask").hidden`)
	pagetest.Until(t, other.tab, asked)
	if plays := r.Table().Plays; plays != 1 {
		t.Errorf("a move that was sent once or again made %d plays", plays)
	}
}

// A place to which only one move leads can be touched directly, without the earlier choices. The page then shows a
// preview of the move, even if previews are off. A second touch on the place plays the move, but a double tap does not.
func TestAPlaceFurtherOn(t *testing.T) {
	t.Parallel()
	r := withPage(t)
	g, _ := catalog.Find("pirate-versus-pirate")
	board := r.Open(bottest.TablesChannel, g, bottest.Two)
	s := sit(t, r, r.Table().Mover(), board, 390, 844)
	pagetest.Until(t, s.tab, asked)
	pagetest.Shoot(t, s.tab, "page-ahead")
	before := r.Table().Plays
	pagetest.Do(t, s.tab, chromedp.Evaluate[chromedp.Void](`(() => {
		const box = [...document.querySelectorAll("#more input")][0];
		if (box.checked) box.click();
		document.querySelector(".mark.shortcut").scrollIntoView({ block: "center" });
	})()`))
	said, err := pagetest.Wait[string](s.tab, `JSON.stringify((() => {
		const all = [...document.querySelectorAll("#board .mark")].map((e) => [e, e.getBoundingClientRect()])
			.map(([e, b]) => ({ X: b.x + b.width / 2, Y: b.y + b.height / 2, Shortcut: e.classList.contains("shortcut"),
				Label: e.ariaLabel }));
		return all.find((a) => a.Shortcut && all.every((b) => a === b || Math.hypot(a.X - b.X, a.Y - b.Y) > 24));
	})())`)
	if err != nil {
		pagetest.Fail(t, s.tab, err)
	}
	var at spot
	if err := json.Unmarshal([]byte(said), &at); err != nil {
		t.Fatal(err, said)
	}
	const whole = settled + ` && document.querySelector("#play") !== null && document.querySelector(".again") !== null`
	// The page's clock stops, so that on a busy machine, too, the second touch comes soon after the first.
	pagetest.Do(t, s.tab, chromedp.Evaluate[chromedp.Void](
		`(window.now = performance.now(), performance.now = () => now, undefined)`))
	pagetest.Do(t, s.tab, pagetest.Touch(at.X, at.Y), pagetest.Touch(at.X, at.Y))
	pagetest.Until(t, s.tab, whole)
	pagetest.Shoot(t, s.tab, "page-again")
	if n := r.Table().Plays; n != before {
		t.Fatalf("a double tap on %q plays", at.Label)
	}
	pagetest.Do(t, s.tab, chromedp.Evaluate[chromedp.Void](`void (now += 501)`))
	pagetest.Do(t, s.tab, pagetest.Touch(at.X, at.Y))
	r.Eventually("played by the second touch", func() bool { return r.Table().Plays > before })
}

// Every control outside a picture is at least 44 points wide and high, on screens of four widths. None of them covers a
// point that is 21 points left of, right of, above or below the middle of a place in the picture.
func TestTargetsAreLargeEnough(t *testing.T) {
	t.Parallel()
	for _, wide := range []int64{320, 360, 390, 768} {
		for _, g := range catalog.Games {
			t.Run(fmt.Sprint(g.Key(), " ", wide), func(t *testing.T) {
				t.Parallel()
				r := withPage(t)
				board := r.Open(bottest.TablesChannel, g, bottest.Two)
				s := sit(t, r, r.Table().Mover(), board, wide, 800)
				pagetest.Until(t, s.tab, asked)
				large(t, s.tab, "the board")
				outside, err := pagetest.Wait[[]string](s.tab, `[...document.querySelectorAll(".mark")].flatMap((e) => {
					e.scrollIntoView({ block: "center" });
					const b = e.getBoundingClientRect(), x = b.x + b.width / 2, y = b.y + b.height / 2;
					const stage = e.closest(".stage");
					return [[-21, 0], [21, 0], [0, -21], [0, 21]].filter(([dx, dy]) => {
						const at = document.elementFromPoint(x + dx, y + dy);
						return at && !stage.contains(at) && at.closest("button, label, select, input, #told, header");
					}).map(([dx, dy]) => e.ariaLabel + " at " + dx + ", " + dy);
				})`)
				if err != nil || len(outside) > 0 {
					t.Errorf("a touch beside a mark is one of something else: %q, %v", outside, err)
				}
			})
		}
	}
}

// A press is not lost if the table changes between its beginning and its end.
func TestAPressOutlastsAChange(t *testing.T) {
	t.Parallel()
	r := withPage(t)
	board := r.OpenLoyal(bottest.Two)
	s := sit(t, r, localdiscord.Mary, board, 390, 844)
	pagetest.Until(t, s.tab, settled+shows(r.PlayOne(bottest.TablesChannel).Plays)) // the page hears of changes
	// The page's clock stops, so that this press is never too long.
	pagetest.Do(t, s.tab, chromedp.Evaluate[chromedp.Void](`(() => {
		const now = performance.now(), read = Response.prototype.json;
		performance.now = () => now;
		Response.prototype.json = async function () {
			const said = await read.call(this);
			window.heard ||= !!said.state;
			return said;
		};
		addEventListener("pointerdown", () => { window.heard = false; });
	})()`))
	release := pagetest.Hold(t, s.tab, "#loud")
	plays := r.PlayOne(bottest.TablesChannel).Plays
	pagetest.Until(t, s.tab, `heard`)
	pagetest.Do(t, s.tab, release)
	pagetest.Until(t, s.tab, settled+shows(plays))
	if kept, err := pagetest.Wait[bool](s.tab, `localStorage.getItem("loud") === "on"`); err != nil || !kept {
		t.Errorf("the checkbox that was pressed when the table changed was not clicked (%v)", err)
	}
}
