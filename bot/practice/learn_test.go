package practice_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/games"
	"marque/games/catalog"
	"marque/games/text"
	"marque/games/text/locale"
)

// practise plays a move on a private board with the controls of the stepper. It returns the answer and the labels of
// the clicked controls.
func practise(r *bottest.Rig, who string, m *localdiscord.Message, notation string) (*localdiscord.Message, []string) {
	r.T.Helper()
	var clicked []string
	for range 20 {
		if m.EphemeralTo != who {
			r.T.Fatalf("the board is seen by %q, want %s alone: %s", m.EphemeralTo, who, m.Text())
		}
		if play, ok := m.Button("Make this move"); ok {
			if !strings.HasSuffix(play.CustomID, "/p"+notation) {
				r.T.Fatalf("%q is previewed, want %q", play.CustomID, notation)
			}
			return r.Click(who, m, "Make this move"), append(clicked, play.Label)
		}
		r.CheckStep(m)
		best, control, value, label := "", "", "", ""
		offer := func(path, id, chosen, named string) {
			if strings.HasPrefix(notation, strings.TrimSuffix(path, "\n.")) && len(path) > len(best) {
				best, control, value, label = path, id, chosen, named
			}
		}
		for _, c := range m.Interactive() {
			parts := strings.SplitN(c.CustomID, "/", 7)
			switch {
			case len(parts) < 7 || !strings.HasPrefix(parts[6], "s"):
			case len(c.Options) == 0:
				offer(parts[6][1:], c.CustomID, "", c.Label)
			}
			for _, o := range c.Options {
				offer(o.Value, c.CustomID, o.Value, o.Label)
			}
		}
		clicked = append(clicked, label)
		switch {
		case best == "":
			r.T.Fatalf("nothing leads to %q: %s", notation, m.Text())
		case value == "":
			m = r.Click(who, m, control)
		default:
			m = r.Choose(who, m, control, value)
		}
	}
	r.T.Fatalf("%q cannot be played: %s", notation, m.Text())
	return nil, nil
}

// plays returns a play that solves a lesson's task, and one that does not.
func plays(t *testing.T, g games.Game, l games.Lesson) (right, wrong string) {
	t.Helper()
	match, err := l.Start(g)
	if err != nil {
		t.Fatal(err)
	}
	s := match.State()
	for _, m := range s.Moves() {
		if l.Done(games.Try{Before: s, After: s.Apply(m), Seat: s.ToMove(), Move: m}) {
			if right == "" {
				right = games.Spell(s, m)
			}
		} else if wrong == "" {
			wrong = games.Spell(s, m)
		}
	}
	return right, wrong
}

// Every lesson of every game can be played to its end on a private board. A wrong play is answered, the second one with
// a hint. The right play leads to the next lesson, and the last lesson to a game against the easy computer. Finished
// lessons are stored, exported, and deleted with the user's data.
func TestLessonsArePlayedToTheEnd(t *testing.T) {
	t.Parallel()
	const anne, channel = localdiscord.Anne, localdiscord.TortugaTables
	r := bottest.New(t)
	sentences, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	say := sentences.Speaker(nil, "en")
	taught := taught()
	for n, g := range taught {
		m := r.Command(anne, channel, "learn", localdiscord.Opt("game", g.Key()))
		lessons := games.Lessons(g)
		r.WantText(m, "**Aim:** "+say.Say(g.Info().Aim))
		for i, l := range lessons {
			right, wrong := plays(t, g, l)
			r.WantText(m, say.Say(l.Task(g)))
			missed, _ := practise(r, anne, m, wrong)
			r.WantText(missed, "Not quite.")
			if strings.Contains(missed.Text(), say.Say(l.Hint(g))) {
				t.Errorf("%s %s: the first miss has a hint already: %s", g.Key(), l.Key, missed.Text())
			}
			if n == 0 && i == 1 {
				r.Stop()
				r.Start()
			}
			missed, _ = practise(r, anne, r.Click(anne, missed, "Try again"), wrong)
			r.WantText(missed, say.Say(l.Hint(g)))
			r.WantText(r.Click(anne, missed, "As text"), "```")
			again := r.Click(anne, missed, "Try again")
			r.WantText(again, say.Say(l.Hint(g)))
			r.WantText(r.Click(anne, again, "As text"), "```")
			m, _ = practise(r, anne, again, right)
			r.WantText(m, "Right!")
			r.WantText(m, say.Say(l.Praise(g)))
			if pictures := m.Pictures(); len(pictures) != 1 || len(pictures[0].Description) < 20 {
				t.Errorf("%s %s: the answer shows the pictures %v", g.Key(), l.Key, pictures)
			}
			if i+1 < len(lessons) {
				m = r.Click(anne, m, "Next lesson")
			}
		}
		r.WantText(m, "That was the last lesson")
		r.WantText(m, "Tips")
		t.Logf("%s: %d lessons", g.Key(), len(lessons))
		if n == 0 {
			r.WantText(r.Click(anne, m, "Play against the easy computer"), say.Say(g.Info().Name))
		} else if _, ok := m.Button("Play against the easy computer"); !ok {
			t.Errorf("no game follows the last lesson of %s: %s", g.Key(), m.Text())
		}
		done := r.Command(anne, channel, "learn", localdiscord.Opt("game", g.Key()))
		if got := strings.Count(done.Text(), "✅"); got != len(lessons) {
			t.Errorf("%s: %d of %d lessons are done: %s", g.Key(), got, len(lessons), done.Text())
		}
		first := r.Choose(anne, done, done.Interactive()[0].CustomID, g.Key()+"."+lessons[0].Key)
		r.WantText(first, say.Say(lessons[0].Task(g)))
		r.WantText(r.Click(anne, first, "All lessons"), "✅")
	}
	all := r.Command(anne, channel, "learn")
	for _, g := range taught {
		n := len(games.Lessons(g))
		r.WantText(all, say.Say(text.M("bot.learn.progress", "Game", g.Info().Name, "Done", n, "Count", n)))
	}

	dossier, err := r.Privacy.Export(r.Ctx, anne)
	if err != nil || len(dossier.Preferences.Learned) != len(taught) {
		t.Errorf("exported are the lessons %+v, %v", dossier.Preferences.Learned, err)
	}
	if err := r.Privacy.Forget(r.Ctx, anne); err != nil {
		t.Fatal(err)
	}
	if p, err := r.Tables.Choices.Preferences(r.Ctx, anne); err != nil || p.Learned != nil {
		t.Errorf("of somebody forgotten there are still the lessons %+v, %v", p.Learned, err)
	}
	r.WantText(r.Command(anne, channel, "learn", localdiscord.Opt("game", bottest.LoyalCaptain)),
		say.Say(games.Lessons(taught[0])[0].Task(taught[0])))
}

// taught returns the games that have lessons.
func taught() []games.Game {
	return slices.DeleteFunc(slices.Clone(catalog.Games), func(g games.Game) bool { return len(games.Lessons(g)) == 0 })
}

// firstCapture limits the number of clicks from a panel in an empty channel to the first capture.
const firstCapture = 11

// A player who follows only buttons and menus, from a panel on, makes the first capture, or solves the first lesson
// after which further plays follow automatically, within firstCapture clicks.
func TestTheFirstCaptureIsNear(t *testing.T) {
	t.Parallel()
	const jack, channel = localdiscord.Jack, localdiscord.TortugaTavern
	r := bottest.New(t)
	r.Command(localdiscord.Mary, channel, "server panel")
	panel := r.Next(channel, "", func(m *localdiscord.Message) bool { _, ok := m.Button("Learn"); return ok })
	sentences, err := locale.Load()
	r.Must(err)
	for _, g := range taught() {
		m := r.Click(jack, panel, "learn///"+g.Key())
		name := sentences.Speaker(nil, "en").Say(g.Info().Name)
		way := []string{"Learn"}
		captured := false
		for _, l := range games.Lessons(g) {
			right, _ := plays(t, g, l)
			var clicked []string
			m, clicked = practise(r, jack, m, right)
			r.WantText(m, "Right!")
			way = append(way, clicked...)
			match, err := l.Start(g)
			if err != nil {
				t.Fatal(err)
			}
			s := match.State()
			move, err := games.FindMove(s, right)
			if err != nil {
				t.Fatal(err)
			}
			if captured = (games.Try{Before: s, After: s.Apply(move), Seat: s.ToMove(), Move: move}).Takes() ||
				l.Then != ""; captured {
				break
			}
			m, way = r.Click(jack, m, "Next lesson"), append(way, "Next lesson")
		}
		t.Logf("%s: %d clicks: %s", name, len(way), strings.Join(way, ", "))
		if !captured || len(way) > firstCapture {
			t.Errorf("%s: %d clicks to the first capture, want at most %d", g.Key(), len(way), firstCapture)
		}
	}
}

// A wrong play is answered with what the opponent could do next, for example a capture, after a roll if necessary. A
// mistake that the lesson expects is named.
func TestAMissIsAnsweredByWhatFollows(t *testing.T) {
	t.Parallel()
	const jack, channel = localdiscord.Jack, localdiscord.TortugaTables
	r := bottest.New(t)
	for _, c := range []struct {
		game, lesson, play string
		want               []string
	}{
		// MD-4
		{"madagascar", "guard", "2-8", []string{"moves a pirate from 3 to 14", "is captured"}},
		// QM-4
		{"quedah-merchant", "guard", "3-14+1", []string{"rolls 2", "moves from 18 to 14", "is captured"}},
		// PI-2
		{"pirat", "add", "draw", []string{"keeps S2"}},
		// PI-2
		{"pirat", "defend", "attack S1 green1", []string{"captures S1"}},
		// FB-6
		{"freebooter", "dutchman", "board BC12", []string{"sails a boat to D4", "pays $4"}},
		// LC-4
		{"loyal-captain", "save", "+3", []string{"moves from 2 to 8", "loses the pirate on 1"}},
		// LC-3
		{"loyal-captain", "back", "5-13", []string{"Shut in, but not captured", "it would be the other player's turn"}},
	} {
		said := r.Click(jack, r.Command(jack, channel, "learn"), "learn///"+c.game)
		list := r.Click(jack, said, "All lessons")
		m, _ := practise(r, jack, r.Choose(jack, list, "learn///"+c.game, c.game+"."+c.lesson), c.play)
		for _, want := range append(c.want, "Not quite.") {
			if !strings.Contains(m.Text(), want) {
				t.Errorf("%s, %s: %s is answered %q, want %q", c.game, c.lesson, c.play, m.Text(), want)
			}
		}
		if said := m.Text(); strings.Contains(said, "**Jack**") {
			t.Errorf("%s, %s: the other player has the pupil's name: %s", c.game, c.lesson, said)
		}
	}
}

// A button in a lobby and in the rules leads a user without a seat to the lessons of the game.
func TestLessonsAreNextToTheRules(t *testing.T) {
	t.Parallel()
	const anne, jack, channel = localdiscord.Anne, localdiscord.Jack, localdiscord.TortugaTables
	r := bottest.New(t)
	lobby := r.Lobby(anne, channel, localdiscord.Opt("game", "madagascar"))
	for what, m := range map[string]*localdiscord.Message{
		"a lobby": lobby, "the rules": r.Command(jack, channel, "rules", localdiscord.Opt("game", "madagascar")),
	} {
		lesson := r.Click(jack, m, "Learn")
		if lesson.EphemeralTo != jack || !strings.Contains(lesson.Text(), "Madagascar · 1 of") {
			t.Errorf("the button of %s shows %s to %q", what, lesson.Text(), lesson.EphemeralTo)
		}
	}
}

// A private board says so when its custom_id has no room for another play.
func TestAPrivateBoardThatIsFull(t *testing.T) {
	t.Parallel()
	const anne, channel = localdiscord.Anne, localdiscord.TortugaTables
	r := bottest.New(t)
	m := r.Command(anne, channel, "learn", localdiscord.Opt("game", bottest.LoyalCaptain))
	match, err := games.Lessons(catalog.Games[0])[0].Start(catalog.Games[0])
	if err != nil {
		t.Fatal(err)
	}
	var line []string
	for len(strings.Join(line, ".")) < 67 || match.ToMove() != 0 {
		moves := match.State().Moves()
		last := len(moves) - 1
		if err := match.Play(moves[last]); err != nil {
			t.Fatal(err)
		}
		line = append(line, strconv.FormatInt(int64(last), 36))
	}
	full := "lesson///loyal-captain.place/0/" + strings.Join(line, ".") + "/o"
	r.WantText(r.Forge(anne, m, full), "as this board can take")
}

// A forged or outdated control of a private board is answered with a sentence.
func TestPrivateBoardsRefuseWhatTheyNeverOffer(t *testing.T) {
	t.Parallel()
	const anne, channel = localdiscord.Anne, localdiscord.TortugaTables
	r := bottest.New(t)
	m := r.Command(anne, channel, "learn", localdiscord.Opt("game", bottest.LoyalCaptain))
	for id, want := range map[string]string{
		"lesson///loyal-captain.place/0//p+9":      "isn't possible",
		"lesson///loyal-captain.place/0//s+9":      "isn't possible",
		"lesson///loyal-captain.mutiny/0//o":       "This is out of date",
		"lesson///loyal-captain.place/0/zz/o":      "This is out of date",
		"lesson///loyal-captain.place/0/0.0.x/o":   "This is out of date",
		"lesson///loyal-captain.place/0/0/o":       "This is out of date", // after this play the opponent is to move
		"lesson///loyal-captain.place/0/0/p+2":     "This is out of date",
		"lesson///loyal-captain.place/-1//o":       "This is out of date",
		"lesson///loyal-captain.place/0//":         "This is out of date",
		"lesson///loyal-captain.place":             "This is out of date",
		"learn///mutiny":                           "I don't know a game called",
		"lesson///loyal-captain.place/0//x":        "This is out of date",
		"lesson///loyal-captain.place/99//p+2":     "Not quite.",
		"lesson///loyal-captain.place/99999999//o": "This is out of date",
	} {
		if said := r.Forge(anne, m, id).Text(); !strings.Contains(said, want) {
			t.Errorf("%s is answered %q, want %q", id, said, want)
		}
	}
}
