package piratevspirate

import (
	"strings"

	"marque/games"
)

var _ games.Teacher = game{}

// Lessons returns lessons about walking, attacking, taking coins, bringing them home, winning, and robbing a carrier.
func (game) Lessons() []games.Lesson {
	return []games.Lesson{
		{Key: "walk", Line: "roll 4 4;roll 1 1;roll 2 1", Done: func(t games.Try) bool { return t.Writes("h1-h4") }},
		{Key: "attack", Line: "roll 4 4;roll 1 1;roll 2 2;h1-i3;roll 4 4;j15-j7;roll 1 1", Done: func(t games.Try) bool { return t.Move&attackBit != 0 }},
		{Key: "coin", Line: "roll 4 4;roll 1 1;roll 4 4;h1-d1;roll 1 1;i17-j19;roll 2 2", Done: func(t games.Try) bool { return strings.Contains(games.Spell(t.Before, t.Move), "@") }},
		{
			Key: "deliver",
			Line: "roll 4 4;roll 1 1;roll 4 4;h1-d1;roll 1 1;i17-j19;roll 1 1;i2-i4;roll 1 1;j15-j13;roll 1 1;" +
				"i1-i3;roll 1 1;j13-j15;roll 2 2;d1-b1@b1;roll 1 1;j15-j13;roll 4 4;b1-f1;roll 1 1;j13-j15;" +
				"roll 3 3",
			Done: func(t games.Try) bool {
				return t.After.(state).delivered[t.Seat] > t.Before.(state).delivered[t.Seat]
			},
		},
		{
			Key: "win",
			Line: "roll 4 4;roll 1 1;roll 4 4;h1-d1;roll 1 1;i17-j19;roll 1 1;i2-i4;roll 1 1;j15-j13;roll 1 1;" +
				"i1-i3;roll 1 1;j13-j15;roll 2 2;d1-b1@b1;roll 1 1;j15-j13;roll 4 4;b1-f1;roll 1 1;j13-j15;" +
				"roll 3 3;f1-i1;roll 1 1;j15-j13;roll 4 4;i1-e1;roll 1 1;j13-j15;roll 4 3;e1-b2@b2;roll 1 1;" +
				"j15-j13;roll 4 4;b2-f2;roll 1 1;j13-j15;roll 4 3",
			Done: games.Try.Wins,
		},
		{Key: "rob", Line: "roll 4 4;roll 1 1;roll 4 4;h1-d1;roll 4 4;h15-d7;roll 1 1;i2-i4;roll 2 2;d7-b3@b3;roll 3 3",
			Done: func(t games.Try) bool {
				before := t.Before.(state)
				return t.Move&attackBit != 0 && before.coins().has(toOf(t.Move))
			}},
	}
}
