package freebooter

import "marque/games"

var _ games.Teacher = game{}

// Lessons returns lessons about boarding, capturing, plundering, winning, shares, and the Dutchman.
func (game) Lessons() []games.Lesson {
	return []games.Lesson{
		{Key: "board",
			Line: laid + "deal C3;deal C4;deal D4;deal E5;deal row4;deal B2;deal F6;deal D3;deal E4;deal columnC",
			Done: func(t games.Try) bool {
				p := t.After.(state).p
				return p.boarded[t.Seat]&p.counters[ship20] != 0
			}},
		{
			Key: "capture",
			Line: laid + "deal C3;deal C4;deal D4;deal E5;deal row1;deal B2;deal F6;deal D3;deal E4;deal columnC;" +
				"board CD34;board BC45;sail C3;draw sea;deal G7;sail D3;draw sea;deal A1;sail C4;draw sea;" +
				"deal G1;board AB12",
			Done: ship,
		},
		{
			Key: "warehouse",
			Line: laid +
				"deal B3;deal C2;deal C3;deal E5;deal row4;deal B2;deal F6;deal D3;deal E4;deal columnC;sail B3;" +
				"draw sea;deal G7;sail B2;draw sea;deal A1;sail C2;draw sea;deal G1;board AB12",
			Done: func(t games.Try) bool {
				before, after := t.Before.(state).p, t.After.(state).p
				return before.counters[warehouse] != after.counters[warehouse] &&
					after.money[t.Seat] > before.money[t.Seat]
			},
		},
		{
			Key: "win",
			Line: laid +
				"deal F1;deal F2;deal G1;deal B2;deal row1;deal G2;deal B3;deal C3;deal F4;deal columnA;sail F1;" +
				"draw sea;deal C2;sail G2;draw sea;deal F5;sail F2;draw sea;deal E4;sail B3;draw sea;deal C6;" +
				"sail G1;draw sea;deal E5;sail C3;draw sea;deal A7;sail B2;draw sea;deal B6;sail F4;draw sea;" +
				"deal G7;sail C2;draw sea;deal B7;sail F5;draw sea;deal A6;sail E4;draw sea;deal C7;sail C6;" +
				"draw sea;deal A4;sail E5;draw sea;deal G5;board AB12;sail B6;draw sea;deal G4;board CD12;" +
				"sail B7;draw sea;deal A3;board DE12",
			Done: games.Try.Wins,
		},
		{
			Key: "share",
			Line: laid + "deal C3;deal C4;deal D4;deal E5;deal row4;deal B2;deal F6;deal D3;deal E4;deal columnC;" +
				"board AB12;board CD34;sail C3;draw sea;deal G7;sail D3;draw sea;deal A1;sail C4;draw sea;" +
				"deal G1;board FG23",
			Done: func(t games.Try) bool {
				before, after := t.Before.(state).p, t.After.(state).p
				return before.captured[1-t.Seat] != after.captured[1-t.Seat] &&
					after.money[t.Seat] > before.money[t.Seat]
			},
		},
		{
			Key: "dutchman",
			Line: laid + "deal C3;deal C4;deal D3;deal E5;deal row4;deal B2;deal F6;deal D4;deal E4;deal columnC;" +
				"board CD34;board BC45;sail C3;draw sea;deal G7;board AB12;sail D3;draw sea;deal G1;board FG23;" +
				"sail C4;draw sea;deal A1;board EF56",
			Done: func(t games.Try) bool { return op(t.Move) == opDutchman && ship(t) },
		},
	}
}

// laid is the layout of the counters in the lessons (FB-1).
const laid = "lay 20;lay 10;lay 15;lay 10;lay double20;lay warehouse;lay 10;lay warehouse;lay 10;lay 20;" +
	"lay 20;lay 15;lay 5;lay 5;lay 20;lay 5;lay 5;lay double15;lay 15;lay 20;lay 15;lay 10;" +
	"lay warehouse;lay 15;lay 10;lay 5;lay 5;lay double5;lay 15;lay 10;lay 20;lay warehouse;lay 5;" +
	"lay double10;lay 20;lay 15;"

// ship reports whether the pupil captures a ship by a play.
func ship(t games.Try) bool {
	return t.Before.(state).p.captured[t.Seat] != t.After.(state).p.captured[t.Seat]
}
