package web_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/bot/localdiscord/pagetest"
	"marque/bot/show"
	"marque/bot/web"
	"marque/games/catalog"
	"marque/games/scene"
)

// unseen is a JavaScript expression that lists what a player needs for a move, but cannot see without scrolling.
const unseen = `(() => {
	dispatchEvent(new Event("resize"));
	const all = [...document.querySelectorAll("#turn, #latest, #board, #hand, #question, #choices, #nav button")]
		.filter((e) => e.offsetParent !== null);
	const ask = document.querySelector("#ask").getBoundingClientRect();
	return all.filter((e) => {
		const b = e.getBoundingClientRect();
		const covered = e.matches(".stage") && b.right > ask.left && ask.right > b.left && b.bottom > ask.top + 1;
		return covered || b.top < 0 || b.bottom > innerHeight + 1;
	}).map((e) => e.id + " to " + Math.round(e.getBoundingClientRect().bottom) + " of " + innerHeight +
		", the question from " + Math.round(ask.top));
})()`

// The whole board, the hand, and what is pressed next are in sight without scrolling, at every step of a move, whether
// the user touches places or presses buttons. During the preview the page says that nothing is played yet, and the user
// is still marked as the player to move.
func TestTheWholeBoardIsInSight(t *testing.T) {
	t.Parallel()
	const place, button = `document.querySelector(".mark:not(.shortcut)")`, `document.querySelector("#choices button")`
	for _, g := range catalog.Games {
		t.Run(g.Key(), func(t *testing.T) {
			t.Parallel()
			r := withPage(t)
			board := r.Open(bottest.TablesChannel, g, bottest.Two)
			for range 2 {
				r.PlayOne(bottest.TablesChannel)
			}
			ways := map[string]string{"place": place + " ?? " + button, "button": button + " ?? " + place}
			for by, next := range ways {
				s := sit(t, r, r.Table().Mover(), board, 390, 844)
				pagetest.Until(t, s.tab, asked)
				s.stepInSight(g.Key()+"-"+by, next)
			}
		})
	}
}

// A long question with two wide choices, which leave nothing to scroll, covers neither the board nor the hand on a
// phone: the news above the board is cut to one line.
func TestALongQuestionCoversNothing(t *testing.T) {
	t.Parallel()
	r := withPage(t)
	g, _ := catalog.Find("freebooter")
	board := r.Open(bottest.TablesChannel, g, bottest.Two)
	s := sit(t, r, r.Table().Mover(), board, 390, 844)
	pagetest.Until(t, s.tab, asked)
	list, err := pagetest.Wait[[]string](s.tab, `(() => { // in one step: the page writes its own question at any moment
		const say = (id, text) => { document.querySelector(id).textContent = text; };
		const wide = () => Object.assign(document.createElement("button"),
			{ textContent: "Rows 3–4: worth 20, $4 each time" });
		say("#chosen", "So far: board a ship and columns A–B.");
		say("#question", "Which two rows? ".repeat(6));
		document.querySelector("#choices").replaceChildren(wide(), wide());
		document.querySelector("#nav").replaceChildren(wide());
		return `+unseen+`;
	})()`)
	if err != nil || len(list) > 0 {
		t.Errorf("not in sight: %q, %v", list, err)
	}
	pagetest.Shoot(t, s.tab, "sight-long-question")
}

// stepInSight steps to the preview of a move, and fails the test if something needed is out of sight on one of three
// screens. next is a JavaScript expression for what is pressed at a step.
func (s *seat) stepInSight(name, next string) {
	t := s.t
	for step := 0; ; step++ {
		for _, size := range [][2]int64{{1280, 900}, {1366, 768}, {390, 844}} {
			at := fmt.Sprintf("%s-%d-%dx%d", name, step, size[0], size[1])
			pagetest.Do(t, s.tab, chromedp.EmulateViewport(size[0], size[1]))
			pagetest.Until(t, s.tab, fmt.Sprintf("innerWidth === %d && innerHeight === %d", size[0], size[1]))
			list, err := pagetest.Wait[[]string](s.tab, unseen)
			if err != nil || len(list) > 0 {
				t.Errorf("%s: not in sight: %q, %v", at, list, err)
			}
			pagetest.Shoot(t, s.tab, "sight-"+at)
		}
		whole, err := pagetest.Wait[bool](s.tab, `document.querySelector("#play") !== null`)
		if err != nil || whole {
			break
		}
		// A place that stands for several moves first asks which one is meant.
		s.press(`(document.querySelector("dialog[open] #said button") ?? ` + next + `)`)
	}
	said, err := pagetest.Wait[string](s.tab, `document.querySelector("#latest").textContent`)
	said = strings.TrimPrefix(said, "It's your only legal move. ")
	if err != nil || said != "The board would look like this. You haven't moved yet." &&
		said != "You'll see which card it is once you've drawn it. You haven't drawn yet." {
		t.Errorf("%s: above a preview it says %q, %v", name, said, err)
	}
	turn, err := pagetest.Wait[string](s.tab, `document.querySelector("#turn").textContent + " " +
		document.querySelector("#seats .to-move").textContent`)
	if err != nil || !strings.HasPrefix(turn, "It's your turn. ") {
		t.Errorf("%s: during a preview the turn is given as %q, %v", name, turn, err)
	}
}

// The preview of a draw says that the card is a surprise, because the board shows nothing new. The preview of a
// placement says that the board would look like this.
func TestThePreviewOfADrawSaysWhatComes(t *testing.T) {
	t.Parallel()
	for game, tc := range map[string]struct{ path, want string }{
		"pirat":         {"draw", "which card it is once you've drawn it"},
		"loyal-captain": {"+1", "The board would look like this"},
	} {
		g, _ := catalog.Find(game)
		r := withPage(t)
		board := r.Open(bottest.TablesChannel, g, bottest.Two)
		q := enter(r, r.Table().Mover(), board).state(tc.path).Question
		if q == nil || !q.Complete || !strings.Contains(q.Expect, tc.want) {
			t.Errorf("%s: the preview of %s says %+v, want %q", game, tc.path, q, tc.want)
		}
	}
}

// The preview of a move shows the user's hand as it is after the move.
func TestThePreviewShowsTheHandAfterTheMove(t *testing.T) {
	t.Parallel()
	for game, kind := range map[string]string{"pirat": "launch", "freebooter": "sail"} {
		g, _ := catalog.Find(game)
		r := withPage(t)
		board := r.Open(bottest.TablesChannel, g, bottest.Two)
		var c *client
		var s *web.State
		for range 20 { // a hand without a trading ship draws a card
			c = enter(r, r.Table().Mover(), board)
			s = c.state(kind)
			if s.Question != nil && strings.HasPrefix(s.Question.Path, kind) {
				break
			}
			r.PlayOne(bottest.TablesChannel)
		}
		for !s.Question.Complete {
			s = c.state(s.Question.Choices[0].Path)
		}
		hand := func(path string) string {
			return string(c.ask("picture", map[string]any{"picture": "hand", "plays": s.Plays, "path": path}).Raw)
		}
		had, preview, said := hand(""), hand(s.Question.Path), s.Question.Hand
		s = c.ask("play", map[string]any{"path": s.Question.Path, "version": s.Version, "key": key()}).State
		if after := hand(""); preview == had || preview != after || said != s.Hand {
			t.Errorf("%s: the preview shows another hand than there is after the move: %q, want %q", game, said, s.Hand)
		}
	}
}

// The picture in the answer to the Legend button has the theme of the device, as the board does.
func TestAnswersHaveTheDevicesTheme(t *testing.T) {
	t.Parallel()
	r := withPage(t)
	board := r.OpenLoyal(bottest.Two)
	c := enter(r, r.Table().Mover(), board)
	picture := func(theme string) (data string) {
		t.Helper()
		s := c.state("")
		i := slices.IndexFunc(s.Buttons, func(b web.Button) bool { return b.Label == "Legend" })
		a := c.ask("press", map[string]any{"press": s.Buttons[i].Press, "key": key(), "theme": theme})
		for _, p := range a.Message.Parts {
			data += p.Picture
		}
		return data
	}
	if dark, light := picture("dark"), picture("light"); dark == "" || light == "" || dark == light {
		t.Errorf("the legend has a picture of %d bytes on a dark device, and the same on a light one: %t", len(dark),
			dark == light)
	}
}

// On a phone the board keeps its place and size after a choice, and with a text of any length about the last plays. If
// that text is too long for its place, a touch on it shows it whole.
func TestNewsNeverMoveTheBoard(t *testing.T) {
	t.Parallel()
	r := withPage(t)
	g, _ := catalog.Find("pirate-versus-pirate")
	board := r.Open(bottest.TablesChannel, g, bottest.Two)
	s := sit(t, r, r.Table().Mover(), board, 390, 844)
	pagetest.Until(t, s.tab, asked)
	const place = `JSON.stringify((({ x, y, width, height }) => [x, y, width, height])(
		document.querySelector("#board").getBoundingClientRect()))`
	want, err := pagetest.Wait[string](s.tab, place)
	if err != nil {
		pagetest.Fail(t, s.tab, err)
	}
	for _, count := range []int{0, 1, 30} {
		got, err := pagetest.Wait[string](s.tab, fmt.Sprintf(`(() => {
			document.querySelector("#latest").textContent = "Anne rolls 2. ".repeat(%d);
			dispatchEvent(new Event("resize"));
			return %s;
		})()`, count, place))
		if err != nil || got != want {
			t.Errorf("with %d sentences of news the board is at %s, want %s (%v)", count, got, want, err)
		}
	}
	_, err = pagetest.Wait[bool](s.tab, `(() => { // in one step: the page writes its own news at any moment
		const news = document.querySelector("#latest");
		news.textContent = "Anne rolls 2. ".repeat(30);
		dispatchEvent(new Event("resize")); // so that the page sees that its news is cut
		news.click();
		return true;
	})()`)
	if err != nil {
		pagetest.Fail(t, s.tab, err)
	}
	pagetest.Until(t, s.tab, `document.querySelector("dialog").open &&
		document.querySelector("#said").textContent.length > 400`)
	pagetest.Do(t, s.tab, chromedp.Click(chromedp.CSS("#close")))
	pagetest.Until(t, s.tab, `!document.querySelector("dialog").open`)
	s.press(`document.querySelector(".mark:not(.shortcut)")`)
	if got, err := pagetest.Wait[string](s.tab, place); err != nil || got != want {
		t.Errorf("after a choice the board is at %s, want %s (%v)", got, want, err)
	}
}

// After a roll of the dice the description of the board still tells what the other player did, and the sentence about
// that move is above the board. While a piece is asked for, only the pieces are marked.
func TestWhatTheOthersDidIsInSight(t *testing.T) {
	t.Parallel()
	r := withPage(t)
	g, _ := catalog.Find("pirate-versus-pirate")
	board := r.Open(bottest.TablesChannel, g, bottest.Two)
	for range 3 {
		r.PlayOne(bottest.TablesChannel)
	}
	snap := r.Table()
	s := enter(r, snap.Mover(), board).state("")
	if len(s.Story) == 0 {
		t.Fatal("nothing has happened")
	}
	for _, line := range s.Story {
		if !strings.Contains(s.Description, line.Said) {
			t.Errorf("the board does not mark that %q: %s", line.Said, s.Description)
		}
	}
	p := sit(t, r, snap.Mover(), board, 390, 844)
	pagetest.Until(t, p.tab, asked)
	above, err := pagetest.Wait[string](p.tab, `document.querySelector("#latest").textContent`)
	if err != nil || !strings.Contains(above, s.Story[0].Said) {
		t.Errorf("above the board it says %q, want %q (%v)", above, s.Story[0].Said, err)
	}
	dots, err := pagetest.Wait[[]string](p.tab, `[...document.querySelectorAll("#board .mark.shortcut")].filter((e) => {
		const style = getComputedStyle(e);
		return style.borderTopWidth !== "0px" || style.backgroundImage !== "none" || style.boxShadow !== "none";
	}).map((e) => e.ariaLabel)`)
	if err != nil || len(dots) > 0 {
		t.Errorf("while a pirate is asked for, there are marks on spaces: %q, %v", dots, err)
	}
}

// The marks around Freebooter's ships leave the numbers on their coins readable, also on a phone.
func TestMarksLeaveCoinsReadable(t *testing.T) {
	t.Parallel()
	r := withPage(t)
	g, _ := catalog.Find("freebooter")
	board := r.Open(bottest.TablesChannel, g, bottest.Two)
	snap := r.Table()
	sc := show.SceneAt(snap, snap.ToMove, snap.Plays, snap.Plays)
	const line, phone = 3, 350.0 // width of a mark's line and of the board on a phone, in points
	const low = 0.52             // distance of a number's lower edge from the middle of its counter, in counters
	ships := 0
	for _, mark := range enter(r, snap.Mover(), board).state("").Question.Targets {
		for _, p := range sc.Pieces {
			if p.Kind != scene.ShipCounter || p.At.X != mark.X*sc.W || p.At.Y != mark.Y*sc.W {
				continue
			}
			ships++
			if inside := mark.H/2 - line/phone; inside < low*p.Size/sc.W {
				t.Errorf("the line around the ship at %v runs over the number on its coin: %.3f < %.3f", p.At,
					inside, low*p.Size/sc.W)
			}
		}
	}
	if ships < 5 {
		t.Errorf("%d ships are marked", ships)
	}
}

// A question with few choices has a button for each, also where the board has places for them: users look for the
// stacks below the board, too.
func TestFewChoicesAreButtons(t *testing.T) {
	t.Parallel()
	r := withPage(t)
	g, _ := catalog.Find("freebooter")
	board := r.Open(bottest.TablesChannel, g, bottest.Two)
	mover := r.Table().Mover()
	sail := enter(r, mover, board).state("sail").Question.Choices[0].Path
	r.Command(mover, bottest.TablesChannel, "move", localdiscord.Opt("move", sail))
	r.Eventually("sailed", func() bool { return r.Table().Plays > 0 })
	s := sit(t, r, mover, board, 390, 844)
	pagetest.Until(t, s.tab, asked)
	pagetest.Until(t, s.tab, `[...document.querySelectorAll("#choices button")]
		.map((b) => b.textContent).join() === "A sea card,A Dutchman card"`)
	pagetest.Shoot(t, s.tab, "page-stacks")
}
