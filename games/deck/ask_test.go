package deck

import (
	"testing"

	"marque/games/text"
	"marque/games/text/locale"
)

// The question which pirate to move says how many of the player's own pirates cannot move, because players look for
// them among the choices.
func TestTheQuestionCountsOnesOwnThatCannotMove(t *testing.T) {
	all, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	question := text.M("loyal-captain.ask.move")
	for own, want := range map[int]string{
		2: "Which pirate will you move?",
		3: "Which pirate will you move? One of yours can't move now.",
		5: "Which pirate will you move? 3 of yours can't move now.",
	} {
		if got := all.Speaker(nil, "en").Say(Ask(question, own, 1<<3|1<<9)); got != want {
			t.Errorf("%d pirates, two of which can move: %q, want %q", own, got, want)
		}
	}
}
