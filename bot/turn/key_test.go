package turn_test

import (
	"strconv"
	"strings"
	"testing"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/games"
	"marque/games/catalog"
	"marque/games/text/locale"
)

// In every game, the legend of the first board shows a picture, and explains every sign on the board in words.
func TestTheLegendExplainsEverySignOnTheBoard(t *testing.T) {
	sentences, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	say := sentences.Speaker(nil, "en").Plain()
	for _, g := range catalog.Games {
		t.Run(g.Key(), func(t *testing.T) {
			t.Parallel()
			r := bottest.New(t)
			least, _ := g.Seats()
			turn := r.Open(localdiscord.TortugaTables, g, bottest.World[:least])
			anne := localdiscord.Anne
			for name, board := range map[string]*localdiscord.Message{"turn": r.Click(anne, turn, "More"),
				"/board": r.Command(anne, localdiscord.TortugaTables, "board")} {
				key := r.Click(anne, board, "Legend")
				if key.EphemeralTo != anne {
					t.Errorf("%s: the key is seen by %q, want %s alone", name, key.EphemeralTo, anne)
				}
				if len(key.Pictures()) != 1 {
					t.Fatalf("%s: the key shows %d pictures: %s", name, len(key.Pictures()), key.Text())
				}
				words := key.Text()
				snap, err := r.Tables.Lookup.Snapshot(r.Ctx, 1)
				if err != nil {
					t.Fatal(err)
				}
				viewer := snap.Viewer(anne)
				sc := snap.View(viewer).State.Scene(viewer, nil)
				signs := sc.Signs()
				if len(signs) == 0 {
					t.Errorf("%s: there are no signs on the board", name)
				}
				for _, sign := range signs {
					if want := say.Say(games.Meaning(g, sign)); !strings.Contains(words, want) {
						t.Errorf("%s: the key does not say %q:\n%s", name, want, words)
					}
				}
				if !strings.Contains(words, "\n1. ") {
					t.Errorf("%s: no sign on the board has a number:\n%s", name, words)
				}
			}
		})
	}
}

// The rules of every game have a legend: a board with numbered signs, and a list that explains as many numbers.
func TestTheRulesExplainThePicture(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	for _, g := range catalog.Games {
		m := r.Command(localdiscord.Anne, localdiscord.TortugaTables, "rules", localdiscord.Opt("game", g.Key()),
			localdiscord.Opt("section", "legend"))
		if !strings.Contains(m.Text(), "Legend") || len(m.Pictures()) != 1 {
			t.Errorf("%s: the chapter has %d pictures, want the board: %s", g.Key(),
				len(m.Pictures()), m.Text())
			continue
		}
		n := 0
		for strings.Contains(m.Text(), "\n"+strconv.Itoa(n+1)+". ") {
			n++
		}
		if n == 0 || !strings.Contains(m.Pictures()[0].Description, " "+strconv.Itoa(n)+" numbered signs") {
			t.Errorf("%s: %d signs are explained, the picture says %q", g.Key(), n, m.Pictures()[0].Description)
		}
	}
}

// The board of a lesson has a button that shows the legend of its game in a separate message.
func TestALessonHasTheLegend(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	anne := localdiscord.Anne
	lesson := r.Command(anne, localdiscord.TortugaTables, "learn", localdiscord.Opt("game", catalog.Games[0].Key()))
	if _, ok := lesson.Button("Legend"); !ok {
		t.Fatalf("the lesson has no Legend button: %s", lesson.Text())
	}
	legend := r.Click(anne, lesson, "Legend")
	if legend.ID == lesson.ID || !strings.Contains(legend.Text(), "Legend") || len(legend.Pictures()) != 1 {
		t.Errorf("Legend under a lesson shows %d pictures: %s", len(legend.Pictures()), legend.Text())
	}
}
