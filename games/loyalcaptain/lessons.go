package loyalcaptain

import "marque/games"

var _ games.Teacher = game{}

// Lessons returns lessons about bringing pirates on deck, walking, capturing, and the use of backs and groups.
func (game) Lessons() []games.Lesson {
	return []games.Lesson{
		{Key: "place", Done: func(t games.Try) bool { return t.Writes("+1") }},
		{Key: "capture", Line: "+6;+5;6-13;+3;+4;+6", Done: games.Try.Takes},
		{Key: "step", Line: "+1;+4", Done: func(t games.Try) bool { return t.Writes("1-7") }},
		{Key: "win", Line: "+1;+6;+4;6-7;+3;7-9;+5;9-8;+2;+6;2-14;6-7;+2;7-1", Done: games.Try.Wins},
		{Key: "back", Line: "+6;+1;+5;+3;6-7;+6;+2;+4", Done: games.Try.Takes, Misses: []games.Miss{{Key: "turned", Is: turned}}},
		{Key: "group", Line: "+4;+5;4-18;5-17;+3;+1;18-16;+4;+5;+2", Done: func(t games.Try) bool { return captures(t) >= 2 }},
		{Key: "save", Line: "+5;+2;+1;+6;5-13;6-7", Done: func(t games.Try) bool { return !t.Exposed() }},
	}
}

// captures returns the number of enemy pirates that a play takes.
func captures(t games.Try) int {
	before, after := t.Before.(state).p, t.After.(state).p
	other := before.side(t.Seat).other()
	return before.on[other].Len() - after.on[other].Len()
}

// turned reports whether an enemy group is surrounded after a play without being captured, because one of the
// surrounding pirates has its back to the group (LC-4).
func turned(t games.Try) bool {
	p := t.After.(state).p
	other := p.side(t.Seat).other()
	for rest := p.on[other]; rest != 0; {
		group, _ := p.beset(other, rest.Take())
		if group&around(p.empty()) == 0 {
			return true
		}
		rest &^= group
	}
	return false
}
