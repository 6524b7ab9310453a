package pirat

import "marque/games"

var _ games.Teacher = game{}

// Lessons returns lessons about launching, attacking, winning, defending, and the use of pirates and the admiral.
func (game) Lessons() []games.Lesson {
	return []games.Lesson{
		{
			Key: "launch",
			Line: "deal 5;deal 3;deal green1;deal green4;deal red3;deal blue2;deal 4;deal 2;deal yellow2;" +
				"deal blue4;deal red2;deal yellow",
			Done: func(t games.Try) bool { return t.Writes("launch 5") }, Then: waits,
		},
		{
			Key: "attack",
			Line: "deal 5;deal 3;deal green1;deal green4;deal red3;deal blue2;deal 4;deal 2;deal yellow2;" +
				"deal blue4;deal red2;deal yellow;launch 5;launch 4",
			Done: func(t games.Try) bool { return is(t, attack) && leads(t, false) }, Then: waits,
		},
		{
			Key: "add",
			Line: "deal 5;deal 3;deal green1;deal green4;deal red3;deal blue2;deal 4;deal 2;deal yellow2;" +
				"deal blue4;deal red2;deal yellow;launch 5;launch 4;attack S2 green1;attack S2 yellow2",
			Done: func(t games.Try) bool { return is(t, attack) && leads(t, false) }, Then: waits,
		},
		{
			Key: "win",
			Line: "deal admiral;deal 3;deal blue4;deal red2;deal yellow4;deal yellow3;deal yellow2;deal green3;" +
				"deal green2;deal green1;deal blue1;deal green2;draw;deal red2;draw;deal blue4;launch 3;" +
				"attack S1 green1;admiral S1;draw;deal 2;draw;deal red3;draw;deal 4;draw;deal yellow1;launch 4;" +
				"attack S2 yellow4;attack S2 blue4;attack S2 yellow1;attack S2 blue1;attack S2 yellow3;draw;" +
				"deal 4;draw;deal green;draw;deal 3;draw;deal red2;launch 2;draw;deal green4;launch 4;" +
				"attack S4 blue4;attack S4 green3;draw;deal 4;draw;deal blue3;launch 4;launch 3;attack S6 red3;" +
				"attack S6 yellow2;draw;deal blue;draw;deal yellow;draw;deal 3;draw;deal 2;launch 3;" +
				"attack S7 green2;draw;deal blue3;launch 2;attack S8 green4;draw;deal red;draw;deal yellow1;draw;" +
				"deal yellow2;draw;deal red4;draw;deal yellow3;draw;deal 5;draw;deal green3;draw;deal blue1;draw;" +
				"deal red3;launch 5;attack S9 yellow2;draw;deal blue2;draw;deal green2;draw;deal yellow3;draw;" +
				"deal 2;draw;deal yellow2;launch 2;attack S10 blue3;attack S10 green2;draw;deal 2;draw;" +
				"deal yellow4;launch 2;draw;deal red1;draw;deal 5;draw;deal red3;launch 5;attack S12 red1;" +
				"attack S12 yellow3;attack S12 red3;draw;deal 5;draw;deal blue2;launch 5;attack S13 green2;" +
				"attack S13 yellow1;draw;deal red4;draw;deal 4;draw;deal 5;launch 4;attack S14 yellow4;" +
				"attack S14 red2;draw;deal blue2;draw;deal 4;draw;deal green3;draw;deal green1;draw;deal 5;" +
				"launch 4;attack S15 blue3;attack S15 red2;launch 5;attack S16 red2;launch 5;attack S17 blue1;" +
				"draw;deal 3;draw;deal 3;draw;deal blue3;launch 3;attack S18 yellow3;attack S18 blue2;draw;" +
				"deal red1;draw;deal 2;draw;deal 6;launch 2;attack S19 blue3;attack S19 green1;draw;deal green4;" +
				"discard green;discard red;discard blue;discard red4;discard red4;launch 6",
			Done: games.Try.Wins,
		},
		{
			Key: "defend",
			Line: "deal 5;deal 3;deal green1;deal green4;deal red3;deal blue2;deal 4;deal 2;deal yellow2;" +
				"deal blue4;deal red2;deal yellow;launch 5;attack S1 yellow2",
			Done: func(t games.Try) bool { return is(t, attack) && leads(t, true) }, Then: waits,
		},
		{
			Key: "pirate",
			Line: "deal 5;deal 3;deal green3;deal red4;deal blue1;deal green;deal 4;deal 2;deal yellow2;deal blue4;" +
				"deal red2;deal yellow;launch 5;launch 4;attack S2 green3;attack S2 blue4",
			Done: func(t games.Try) bool { return is(t, raid) && leads(t, false) }, Then: waits,
		},
		{
			Key: "admiral",
			Line: "deal 5;deal 3;deal green1;deal green4;deal red3;deal admiral;deal 4;deal 2;deal yellow2;" +
				"deal blue4;deal red2;deal yellow;launch 5;attack S1 blue4",
			Done: func(t games.Try) bool { return is(t, rescue) },
		},
	}
}

// waits is a turn in which the other player only draws. After it, the pupil scores prizes (PI-2).
const waits = "draw;deal blue1"

func is(t games.Try, what op) bool {
	o, _, _ := parts(t.Move)
	return o == what
}

// leads reports whether the ship of a play is still in play, with the pupil's attack as the strongest, and belongs to
// the pupil if and only if own is set.
func leads(t games.Try, own bool) bool {
	_, i, _ := parts(t.Move)
	p := t.After.(state).pos
	s := p.ships[i]
	return p.live>>i&1 != 0 && s.leader == int8(t.Seat) && (s.owner == int8(t.Seat)) == own
}
