package practice_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/games"
	"marque/games/catalog"
	"marque/games/puzzle"
	"marque/games/text/locale"
)

// practiseInPage plays a move on a private board with the controls of the stepper. It returns the answer and the labels
// of the clicked controls.
func practiseInPage(b *bottest.Browser, s bottest.Screen, notation string) (bottest.Screen, []string) {
	b.T.Helper()
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
			case c.Label == "Make this move" && parts[6] == "p"+notation:
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
			b.Fail(fmt.Errorf("nothing leads to %q: %+v", notation, s))
		}
		clicked = append(clicked, label)
		s = b.Private(func() { b.Use(fmt.Sprintf(`[data-cid=%q]`, id), value) })
		if played {
			return s, clicked
		}
	}
	b.Fail(fmt.Errorf("%q cannot be played: %s", notation, s.Text))
	return s, nil
}

// inWords checks that a board can be used without pictures: its pictures have alt texts, and "As text" gives the board
// in a separate message.
func inWords(b *bottest.Browser, s bottest.Screen) {
	b.T.Helper()
	if len(s.Alts) == 0 {
		b.T.Errorf("no picture: %s", s.Text)
	}
	for _, alt := range s.Alts {
		if len(alt) < 20 {
			b.T.Errorf("a picture that is called %q: %s", alt, s.Text)
		}
	}
	asText := b.Button("As text")
	if len(asText.Code) < 20 {
		b.T.Errorf("no board as text: %s", asText.Text)
	}
	b.Shots("text")
	b.Private(func() {
		b.Do(chromedp.Evaluate[chromedp.Void](`void [...` + bottest.LastPrivate +
			`.querySelectorAll(".only-you button")].at(-1).click()`))
	})
}

// Every lesson, a puzzle of each game and the puzzle of the day can be solved in the page with buttons and menus, even
// after a mistake. Boards are also available as text.
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
	r := bottest.New(t, func(o *localdiscord.Options) { o.Clock = bottest.MorningOf(day) })
	r.Command(localdiscord.Mary, localdiscord.TortugaTavern, "server panel")
	r.Next(localdiscord.TortugaTavern, "", func(m *localdiscord.Message) bool { _, ok := m.Button("Learn"); return ok })
	b := bottest.OpenBrowser(t, r.Server.URL())
	b.Be(localdiscord.Jack)
	b.Enter("Tortuga", "tavern")

	played := 0
	for _, g := range taught() {
		b.Shots("panel")
		s := b.Private(func() {
			b.Do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(
				`void document.querySelector('#log [data-cid="learn///%s"]').click()`, g.Key())))
		})
		lessons := games.Lessons(g)
		for i, l := range lessons {
			right, wrong := plays(t, g, l)
			name := fmt.Sprintf("%s-%d-%s", g.Key(), i+1, l.Key)
			b.Says(s, say(l.Task(g)), fmt.Sprintf("%d of %d", i+1, len(lessons)))
			b.Shots(name + "-task")
			s, _ = practiseInPage(b, s, wrong)
			b.Says(s, "Not quite.")
			b.Shots(name + "-wrong")
			s, _ = practiseInPage(b, b.Button("Try again"), right)
			b.Says(s, "Right!", say(l.Praise(g)))
			b.Shots(name + "-right")
			inWords(b, s)
			played++
			if i+1 < len(lessons) {
				s = b.Button("Next lesson")
			}
		}
		b.Says(s, "That was the last lesson")
		s = b.Button("Other games")
		b.Says(s, fmt.Sprintf("%d of %d lessons done", len(lessons), len(lessons)))
	}
	t.Logf("%d lessons were played in the page", played)

	for _, f := range puzzle.Library() {
		g, _ := catalog.Find(f.Game)
		s := b.Private(func() { b.Send("/puzzle" + kb.Tab + "game" + kb.Tab + say(g.Info().Name) + kb.Tab) })
		solvePuzzle(b, s, "puzzle-"+f.Game)
	}
	s := b.Private(func() { b.Send("/puzzle" + kb.Tab) })
	b.Says(s, "Puzzle of 16 February 2026")
	b.Says(solvePuzzle(b, s, "puzzle-today"), "1 day in a row")
	b.Says(b.Button("Solved this month"), "@Jack: 1 solved, 0 on the first try")
	b.Shots("month")
}

// solvePuzzle makes a mistake in the current puzzle, and then solves it.
func solvePuzzle(b *bottest.Browser, s bottest.Screen, name string) bottest.Screen {
	b.T.Helper()
	b.Says(s, "It's your move.")
	b.Shots(name + "-task")
	ref, ok := puzzle.Ref{}, false
	for _, c := range s.Buttons {
		if c.Label == "As text" {
			ref, ok = puzzleIn(c.ID)
		}
	}
	if !ok {
		b.Fail(fmt.Errorf("no puzzle is shown: %+v", s))
	}
	p, m := puzzleMatch(b.T, ref)
	s, _ = practiseInPage(b, s, miss(b.T, p, m))
	b.Says(s, "Not quite.")
	b.Shots(name + "-wrong")
	inWords(b, s)
	s = b.Button("Try again")
	seat := m.ToMove()
	for i, notation := range p.Solution {
		if mine := m.ToMove() == seat; mine {
			s, _ = practiseInPage(b, s, notation)
			if i+2 < len(p.Solution) {
				b.Says(s, "Right so far!")
				b.Shots(name + "-on")
			}
		}
		if err := m.PlayExact(notation); err != nil {
			b.T.Fatal(err)
		}
	}
	b.Says(s, "Solved!")
	b.Shots(name + "-solved")
	return s
}
