package show

import (
	"fmt"
	"strings"
	"testing"

	"marque/games"
	"marque/games/catalog"
	"marque/games/text"
	"marque/games/text/locale"
)

// The question about an undo names eight moves at most, and counts the others.
func TestUndoQuestionCountsFurtherMoves(t *testing.T) {
	t.Parallel()
	sentences, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	g, _ := catalog.Find("loyal-captain")
	m, err := games.NewMatch(g, games.Header{})
	for err == nil && m.Len() < 10 {
		err = m.Play(m.State().Moves()[0])
	}
	if err != nil {
		t.Fatal(err)
	}
	s := sentences.Speaker(func(seat int) text.Message { return text.Raw(fmt.Sprint("player ", seat)) }, "en")
	for n, end := range map[int]string{8: "?", 9: " and one more?", 10: " and 2 more?"} {
		said := s.Say(text.M("bot.question.undo", "Asked", []text.Message{text.Raw("Bart")}, "Who", text.Player(0),
			"Moves", undone(m.Trail(games.Spectator, 0, n)), "Count", n))
		if named := strings.Count(said, " by player "); named != 8 || !strings.HasSuffix(said, end) {
			t.Errorf("the question about %d moves names %d and is: %s", n, named, said)
		}
	}
}

// While only computers must answer an offer of a draw, its text asks nobody.
func TestDrawQuestionAsksPeople(t *testing.T) {
	t.Parallel()
	sentences, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	s := sentences.Speaker(nil, "en")
	for want, asked := range map[string][]text.Message{
		"player 1 offers a draw.":                      nil,
		"Bart: player 1 offers a draw. Do you accept?": {text.Raw("Bart")},
	} {
		if said := s.Say(drawQuestion(asked, 0)); said != want {
			t.Errorf("an offer says %q, want %q", said, want)
		}
	}
}
