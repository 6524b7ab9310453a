package show_test

import (
	"fmt"
	"strings"
	"testing"

	"marque/bot/show"
	"marque/bot/table"
	"marque/games"
	"marque/games/catalog"
	"marque/games/computer"
	"marque/games/text"
	"marque/games/text/locale"
)

// A hint gives the second-best move no higher chance than the best move, even if the search found one.
func TestTheSecondBestIsNoBetter(t *testing.T) {
	t.Parallel()
	for _, found := range []float64{0.41, 0.46, 0.52} {
		a := table.Advice{Best: "a", Second: "b", Thought: computer.Thought{Chance: 0.46,
			Candidates: []computer.Candidate{{Chance: 0.46}, {Chance: found}}}}
		chances := map[string]string{}
		for _, m := range show.Advice(a, begun(t)) {
			chances[m.ID] = fmt.Sprint(m.Args["Chance"])
		}
		second, lower := chances["bot.hint.second"]
		_, level := chances["bot.hint.as-good"]
		if chances["bot.hint.chance"] != "46" || lower != (found < 0.46) || level == lower || lower && second != "41" {
			t.Errorf("found %.2f for the second: said %v, want 46 and then 41 or that both are as good", found, chances)
		}
	}
}

// begun returns the first position of a game.
func begun(t *testing.T) games.State {
	t.Helper()
	g, _ := catalog.Find("loyal-captain")
	setup, err := games.NewSetup(g, 0)
	if err != nil {
		t.Fatal(err)
	}
	return g.New(setup)
}

// A hint names its moves in the words of the choices, with the notation beside them.
func TestAHintNamesMovesInWords(t *testing.T) {
	t.Parallel()
	sentences, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	a := table.Advice{Best: "+1", Second: "+2", Answer: "+3", Thought: computer.Thought{Chance: 0.5,
		Candidates: []computer.Candidate{{Chance: 0.5}, {Chance: 0.4}}}}
	var said []string
	for _, m := range show.Advice(a, begun(t)) {
		said = append(said, sentences.Speaker(nil, "en").Say(m))
	}
	want := "I'd play “place on hatch 1” (`+1`). With it, the chance of winning is about 50%. Next best is “place on " +
		"hatch 2” (`+2`) with about 40%. Expect “place on hatch 3” (`+3`) in reply."
	if got := strings.Join(said, " "); got != want {
		t.Errorf("the hint says %q, want %q", got, want)
	}
}

// A hint whose move prevents something ends with what the move prevents.
func TestAHintSaysWhatItPrevents(t *testing.T) {
	t.Parallel()
	what := text.M("a capture")
	a := table.Advice{Best: "a", Second: "b", Threatens: true, Threat: computer.Threat{Said: what, Share: 0.9,
		Prevents: true}, Thought: computer.Thought{Chance: 0.5, Candidates: make([]computer.Candidate, 2)}}
	said := show.Advice(a, begun(t))
	if last := said[len(said)-1]; last.ID != "bot.hint.prevents" || fmt.Sprint(last.Args["What"]) != fmt.Sprint(what) {
		t.Errorf("the hint ends with %v, want what the move prevents", last)
	}
}
