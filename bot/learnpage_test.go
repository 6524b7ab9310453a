package bot_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"marque/bot/localdiscord"
	"marque/bot/localdiscord/pagetest"
	"marque/games"
	"marque/games/catalog"
	"marque/games/puzzle"
	"marque/games/text/locale"
)

// screen is the last message in the page that its user alone sees.
type screen struct {
	Text    string
	Alts    []string // of its pictures, which have loaded
	Code    string   // its text board
	Buttons []struct{ Label, ID string }
	Menus   []struct {
		ID      string
		Options []struct{ Label, Value string }
	}
}

// lastPrivate is that message in the page.
const lastPrivate = `[...document.querySelectorAll("#log .message.ephemeral")].at(-1)`

// private does something in the page and returns the private message that comes of it: another one, or that one edited.
func (b *browser) private(act func()) screen {
	b.t.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](`void (window.before = ` + lastPrivate + `)`))
	act()
	s, err := pagetest.Wait[screen](b.ctx, `(() => {
		const m = `+lastPrivate+`; // an edit replaces the element
		if (!m || m === window.before || m.querySelector(".thinking")) return null;
		const images = [...m.querySelectorAll("img:not(.avatar):not(.avatar img)")];
		images.forEach((i) => { i.loading = "eager"; }); // also those that are scrolled out of sight
		if (images.some((i) => !i.complete || !i.naturalWidth)) return null;
		return {
			Text: m.querySelector(".body").innerText,
			Alts: images.map((i) => i.alt),
			Code: [...m.querySelectorAll("pre")].map((p) => p.innerText).join("\n"),
			Buttons: [...m.querySelectorAll("button.button")].filter((x) => !x.disabled).map((x) => ({ Label: x.textContent.trim(), ID: x.dataset.cid })),
			Menus: [...m.querySelectorAll("button.select")].map((x) => {
				x.click(); // a menu has its options while it is open
				const options = [...document.getElementById(x.getAttribute("aria-controls")).children].map((o) => ({ Label: o.innerText.split("\n")[0], Value: o.dataset.value }));
				x.click();
				return { ID: x.dataset.cid, Options: options };
			}),
		};
	})()`)
	if err != nil {
		b.fail(fmt.Errorf("no private message came: %w", err))
	}
	return s
}

// button presses a button of the last private message, by label.
func (b *browser) button(label string) screen {
	b.t.Helper()
	return b.private(func() { b.use(fmt.Sprintf(`button.button[aria-label=%q]`, label), "") })
}

// use clicks what a selector finds in the last private message; of a menu, the option of that value.
func (b *browser) use(selector, value string) {
	b.t.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(() => {
		const found = %s.querySelector(%q);
		found.click();
		if (found.matches(".select")) [...document.getElementById(found.getAttribute("aria-controls")).children].find((o) => o.dataset.value === %q).click();
	})()`, lastPrivate, selector, value)))
}

// practise plays a move on a private board by what its stepper offers, and returns the answer and
// the labels that were clicked.
func (b *browser) practise(s screen, notation string) (screen, []string) {
	b.t.Helper()
	var clicked []string
	for range 20 {
		best, id, value, label := "", "", "", ""
		offer := func(path, of, chosen, named string) {
			if strings.HasPrefix(notation, strings.TrimSuffix(path, "\n.")) && len(path) > len(best) {
				best, id, value, label = path, of, chosen, named
			}
		}
		played := false
		for _, c := range s.Buttons {
			switch parts := strings.SplitN(c.ID, "/", 7); {
			case len(parts) < 7:
			case c.Label == "Play this" && parts[6] == "p"+notation:
				id, label, played = c.ID, c.Label, true
			case !played && strings.HasPrefix(parts[6], "s") && c.Label != "Back" && c.Label != "Start over":
				offer(parts[6][1:], c.ID, "", c.Label)
			}
		}
		for _, m := range s.Menus {
			for _, o := range m.Options {
				offer(o.Value, m.ID, o.Value, o.Label)
			}
		}
		if id == "" {
			b.fail(fmt.Errorf("nothing leads to %q: %+v", notation, s))
		}
		clicked = append(clicked, label)
		s = b.private(func() { b.use(fmt.Sprintf(`[data-cid=%q]`, id), value) })
		if played {
			return s, clicked
		}
	}
	b.fail(fmt.Errorf("%q cannot be played: %s", notation, s.Text))
	return s, nil
}

// says fails the test unless the message has all of these; words alone, for the page shows bold
// ones without their stars.
func (b *browser) says(s screen, want ...string) {
	b.t.Helper()
	plain := strings.NewReplacer("*", "", "\n", " ", "\u00a0", " ")
	for _, w := range want {
		if !strings.Contains(plain.Replace(s.Text), plain.Replace(w)) {
			b.fail(fmt.Errorf("the page says %q, want %q in it", s.Text, w))
		}
	}
}

// inWords looks at a board as whoever sees no pictures does: by the texts of its pictures, and as
// text, in a message of its own.
func (b *browser) inWords(s screen) {
	b.t.Helper()
	if len(s.Alts) == 0 {
		b.t.Errorf("no picture: %s", s.Text)
	}
	for _, alt := range s.Alts {
		if len(alt) < 20 {
			b.t.Errorf("a picture that is called %q: %s", alt, s.Text)
		}
	}
	asText := b.button("As text")
	if len(asText.Code) < 20 {
		b.t.Errorf("no board as text: %s", asText.Text)
	}
	b.shots("text")
	b.private(func() {
		b.do(chromedp.Evaluate[chromedp.Void](`void [...` + lastPrivate +
			`.querySelectorAll(".only-you button")].at(-1).click()`))
	})
}

// shots leaves pictures of the page at the width of a desk and of a phone, where LOCALDISCORD_SHOTS names a folder.
func (b *browser) shots(name string) {
	if dir := os.Getenv("LOCALDISCORD_SHOTS"); dir == "" {
		return
	} else if _, err := os.Stat(filepath.Join(dir, name+".png")); err == nil {
		return
	}
	b.shoot(name)
	b.do(chromedp.EmulateViewport(400, 850))
	b.do(chromedp.Evaluate[chromedp.Void](`void ` + lastPrivate + `?.scrollIntoView({ block: "end" })`))
	b.shoot(name + "-400")
	b.do(chromedp.EmulateViewport(1280, 900))
}

// Somebody who follows the buttons plays every lesson of every game to its end in the page, with a
// miss in each, and a puzzle of each game, wrong and right; everything that is shown can be had in
// words.
func TestLessonsAndPuzzlesInTheBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: no lesson is played in the page")
	}
	t.Parallel()
	sentences, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	say := sentences.Speaker(nil, "en").Say
	const day = 20_500
	r := newRig(t, func(o *localdiscord.Options) { o.Clock = atMorning(day) })
	r.command(localdiscord.Mary, localdiscord.TortugaTavern, "server panel")
	r.next(localdiscord.TortugaTavern, "", func(m *localdiscord.Message) bool { _, ok := m.Button("Learn"); return ok })
	b := openBrowser(t, r.srv.URL())
	b.be(localdiscord.Jack)
	b.enter("Tortuga", "tavern")

	played := 0
	for _, g := range taught() {
		b.shots("panel")
		s := b.private(func() { b.press("Learn") })
		b.shots("learn")
		s = b.private(func() { b.use(fmt.Sprintf(`[data-cid=%q]`, s.Menus[0].ID), g.Key()) })
		lessons := games.Lessons(g)
		for i, l := range lessons {
			right, wrong := plays(t, g, l)
			name := fmt.Sprintf("%s-%d-%s", g.Key(), i+1, l.Key)
			b.says(s, say(l.Task(g)), fmt.Sprintf("%d of %d", i+1, len(lessons)))
			b.shots(name + "-task")
			s, _ = b.practise(s, wrong)
			b.says(s, "Not quite.")
			b.shots(name + "-wrong")
			s, _ = b.practise(b.button("Try again"), right)
			b.says(s, "Right!", say(l.Praise(g)))
			b.shots(name + "-right")
			b.inWords(s)
			played++
			if i+1 < len(lessons) {
				s = b.button("Next lesson")
			}
		}
		b.says(s, "That was the last lesson")
		s = b.button("Other games")
		b.says(s, fmt.Sprintf("%d of %d lessons done", len(lessons), len(lessons)))
	}
	t.Logf("%d lessons were played in the page", played)

	for _, f := range puzzle.Library() {
		g, _ := catalog.Find(f.Game)
		s := b.private(func() { b.send("/puzzle" + kb.Tab + "game" + kb.Tab + say(g.Info().Name) + kb.Tab) })
		b.solvePuzzle(s, "puzzle-"+f.Game)
	}
	s := b.private(func() { b.send("/puzzle" + kb.Tab) })
	b.says(s, "Puzzle of 16 February 2026")
	b.says(b.solvePuzzle(s, "puzzle-today"), "1 day in a row")
	b.says(b.button("This month"), "@Jack: 1 solved, 0 at the first try")
	b.shots("month")
}

// solvePuzzle misses a puzzle that is shown, and then solves it.
func (b *browser) solvePuzzle(s screen, name string) screen {
	b.t.Helper()
	b.says(s, "It is your move.")
	b.shots(name + "-task")
	ref, ok := puzzle.Ref{}, false
	for _, c := range s.Buttons {
		if c.Label == "As text" {
			ref, ok = puzzleIn(c.ID)
		}
	}
	if !ok {
		b.fail(fmt.Errorf("no puzzle is shown: %+v", s))
	}
	p, m := puzzleMatch(b.t, ref)
	s, _ = b.practise(s, miss(b.t, p, m))
	b.says(s, "Not quite.")
	b.shots(name + "-wrong")
	b.inWords(s)
	s = b.button("Try again")
	seat := m.ToMove()
	for i, notation := range p.Solution {
		if mine := m.ToMove() == seat; mine {
			s, _ = b.practise(s, notation)
			if i+2 < len(p.Solution) {
				b.says(s, "Right so far!")
				b.shots(name + "-on")
			}
		}
		if err := m.PlayExact(notation); err != nil {
			b.t.Fatal(err)
		}
	}
	b.says(s, "Solved!")
	b.shots(name + "-solved")
	return s
}
