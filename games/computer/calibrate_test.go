package computer

import (
	"math"
	"testing"

	"marque/games"
	"marque/games/example"
	"marque/games/learned"
	"marque/games/loyalcaptain"
)

// Every game says how far it has come, from its first position on, and has a curve for two seats.
func TestGamesAreCalibrated(t *testing.T) {
	for _, g := range example.Games {
		setup, err := games.NewSetup(g, 0)
		if err != nil {
			t.Fatal(err)
		}
		s := g.New(setup)
		if _, ok := s.Sim().(learned.Calibrated); !ok {
			continue
		}
		rng := games.NewRand(5)
		begin, curve := s.Sim().(learned.Calibrated).Calibration()
		if begin != 0 || curve == nil {
			t.Errorf("%s begins with the phase %v, and the curve %v", g.Key(), begin, curve)
		}
		if two := curve.At(0, 0.5); math.Abs(two-0.5) > 0.1 {
			t.Errorf("%s: even chances are told as %.3f", g.Key(), two)
		}
		most := 0.0
		for s.ToMove() != games.Nobody {
			phase, _ := s.Mask(0).Sim().(learned.Calibrated).Calibration()
			if !(phase >= 0 && phase <= 1) {
				t.Fatalf("%s: the phase is %v", g.Key(), phase)
			}
			most = max(most, phase)
			if s.ToMove() == games.Chance {
				s = s.Apply(rng.Outcome(s.Outcomes()))
				continue
			}
			moves := s.Moves()
			s = s.Apply(moves[rng.IntN(len(moves))])
		}
		t.Logf("%s: a game comes as far as %.2f", g.Key(), most)
		if most < 0.3 {
			t.Errorf("%s: a whole game comes no further than %.2f", g.Key(), most)
		}
	}
}

// A calibration is the same again, also by several workers, and what it fits tells more of its games than
// what the searches find.
func TestCalibrate(t *testing.T) {
	g := loyalcaptain.Game
	setup, err := games.NewSetup(g, 0)
	if err != nil {
		t.Fatal(err)
	}
	maker, err := ParsePlayer("hard", g.Key())
	if err != nil {
		t.Fatal(err)
	}
	c := Calibration{Games: 24, Players: []Maker{maker}, Iterations: 100, Every: 6, Seed: 3, Workers: 1, MaxPlies: 300}
	one, err := Calibrate(t.Context(), g, setup, c)
	if err != nil {
		t.Fatal(err)
	}
	c.Workers = 3
	three, err := Calibrate(t.Context(), g, setup, c)
	if err != nil || *three.Curve != *one.Curve || three.Bins != one.Bins {
		t.Errorf("by three workers it is %+v, %v, by one %+v", three, err, one)
	}
	positions := 0
	for _, b := range one.Bins {
		positions += b.Positions
	}
	if one.Positions < 50 || positions != one.Positions || !(one.Fitted < one.Found) {
		t.Errorf("%d positions, %d of them in bins; loss %.4f as found, %.4f as fitted", one.Positions, positions,
			one.Found,
			one.Fitted)
	}
}
