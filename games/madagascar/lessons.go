package madagascar

import (
	"strings"

	"marque/games"
)

var _ games.Teacher = game{}

// Lessons returns lessons about stepping, capturing from behind, walking with towers, and guarding a back.
func (game) Lessons() []games.Lesson {
	return []games.Lesson{
		{Key: "step", Line: "+1;+2;+3;+4;+5;+6", Done: func(t games.Try) bool { return t.Writes("1-7") }},
		{Key: "capture", Line: "+2;+3;+4;+5;+1;+6;1-8;5-13;+5;3-14", Done: games.Try.Takes},
		{Key: "place", Line: "+1;+2;+3;+4;+5;+6;1-7;2-14", Done: func(t games.Try) bool { return strings.HasPrefix(games.Spell(t.Before, t.Move), "+") }},
		{Key: "tower", Line: "+5;+3;+6;+4;+1;+2;6-13;3-14;+3;2-8;3x14;+6", Done: func(t games.Try) bool { return t.Takes() && strings.Contains(games.Spell(t.Before, t.Move), "<") }},
		{
			Key: "win",
			Line: "+6;+3;+5;+2;+1;+4;5-13;4-18;+4;2-14;4x18;+4;18-17<16;+5;+2;5x13;17x13<5;4-18;2x14;+2;13-17<16;" +
				"2x14;+4;14-9<10;4x18;3-14;18x14<3;+3;14x9<10;3-14",
			Done: games.Try.Wins,
		},
		{Key: "guard", Line: "+2;+5;+4;+6;+3;+1;3-14;+3", Done: func(t games.Try) bool { return !t.Exposed() }},
	}
}
