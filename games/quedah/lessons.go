package quedah

import (
	"strings"

	"marque/games"
)

var _ games.Teacher = game{}

// Lessons returns lessons about walking by the die, bringing new pirates on deck, capturing from behind and freeing.
func (game) Lessons() []games.Lesson {
	return []games.Lesson{
		{Key: "walk", Line: "+1;+4;roll 2", Done: func(t games.Try) bool { return begins(t, "1-9<") }},
		{Key: "capture", Line: "+6;+1;roll 1;6-7+6;roll 3;1-10<9+4;roll 2", Done: games.Try.Takes},
		{Key: "crew", Line: "+1;+4;roll 1", Done: func(t games.Try) bool { return ends(t, "+2") }},
		{
			Key: "win",
			Line: "+1;+6;roll 2;1-9<7+5;roll 2;6x9<7+6;roll 2;5-16<17+3;roll 3;6-8<1+5;roll 2;3-12<14+6;roll 1;" +
				"5-17+2;roll 2;6x9<7=10+6;roll 2;2x12<14+5;roll 3;6x8<1+6;roll 3;5-15<11+5;roll 3;6x15<11+6;" +
				"roll 1;17x16;roll 3;8-3<14;roll 1;5-17+1;roll 1;9-8;roll 3;1x10<9;roll 3",
			Done: func(t games.Try) bool { return t.Wins() && t.After.(state).ended == captives },
		},
		{Key: "far", Line: "+6;+5;roll 1;6-13+4;roll 2;5-16<17+2;roll 3", Done: func(t games.Try) bool { return t.Takes() && t.Before.(state).roll == 3 }},
		{Key: "free", Line: "+5;+4;roll 2;5-16<17+3;roll 2;4x16<17+6;roll 1;3-18+3;roll 2;16-12<15;roll 3", Done: func(t games.Try) bool { return strings.Contains(games.Spell(t.Before, t.Move), "=") }},
		{Key: "guard", Line: "+6;+4;roll 1;6-13+3;roll 3;4-18<16+5;roll 1", Done: func(t games.Try) bool { return !t.Exposed() }},
	}
}

func begins(t games.Try, with string) bool {
	return strings.HasPrefix(games.Spell(t.Before, t.Move), with)
}

func ends(t games.Try, with string) bool {
	return strings.HasSuffix(games.Spell(t.Before, t.Move), with)
}
