package show_test

import (
	"fmt"
	"testing"

	"marque/bot/show"
	"marque/bot/table"
	"marque/games/computer"
	"marque/games/text"
)

// A hint gives the second-best move no higher chance than the best move, even if the search found one.
func TestTheSecondBestIsNoBetter(t *testing.T) {
	t.Parallel()
	for _, found := range []float64{0.41, 0.46, 0.52} {
		a := table.Advice{Best: "a", Second: "b", Thought: computer.Thought{Chance: 0.46,
			Candidates: []computer.Candidate{{Chance: 0.46}, {Chance: found}}}}
		chances := map[string]string{}
		for _, m := range show.Advice(a) {
			chances[m.ID] = fmt.Sprint(m.Args["Chance"])
		}
		second, lower := chances["bot.hint.second"]
		_, level := chances["bot.hint.as-good"]
		if chances["bot.hint.chance"] != "46" || lower != (found < 0.46) || level == lower || lower && second != "41" {
			t.Errorf("found %.2f for the second: said %v, want 46 and then 41 or that both are as good", found, chances)
		}
	}
}

// A hint whose move prevents a capture says which.
func TestAHintSaysWhatItPrevents(t *testing.T) {
	t.Parallel()
	what := text.M("a capture")
	a := table.Advice{Best: "a", Second: "b", Threatens: true, Threat: computer.Threat{Said: what, Share: 0.9,
		Prevents: true}, Thought: computer.Thought{Chance: 0.5, Candidates: make([]computer.Candidate, 2)}}
	said := show.Advice(a)
	if last := said[len(said)-1]; last.ID != "bot.hint.prevents" || fmt.Sprint(last.Args["What"]) != fmt.Sprint(what) {
		t.Errorf("the hint ends with %v, want what the move prevents", last)
	}
}
