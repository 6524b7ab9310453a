package computer

import (
	"math"
	"testing"

	"marque/games"
	"marque/games/example"
	"marque/games/loyalcaptain"
)

// What is certain stays so, what is alike for all seats too, and what is better stays better. With two
// seats the other's chance is what is left.
func TestChancesAreSetRight(t *testing.T) {
	for _, at := range []games.Calibration{
		{Seats: 2, Phase: 0.3, Slopes: [games.Slopes]float64{0.4, 1.2, 2}},
		{Seats: 4, Phase: 1, Slopes: [games.Slopes]float64{1, 1, 0.7}},
	} {
		by := truthBy(at)
		if by.of(0) != 0 || by.of(1) != 1 || math.Abs(by.of(1/float64(at.Seats))-1/float64(at.Seats)) > 1e-12 {
			t.Errorf("%+v: 0 becomes %v, 1 %v, and even chances %v", at, by.of(0), by.of(1), by.of(1/float64(at.Seats)))
		}
		for p := 0.01; p < 0.99; p += 0.01 {
			if q := by.of(p); !(q > 0 && q < by.of(p+0.01) && by.of(p+0.01) < 1) {
				t.Errorf("%+v: %.2f becomes %v, %.2f %v", at, p, q, p+0.01, by.of(p+0.01))
			}
			if at.Seats == 2 && math.Abs(by.of(p)+by.of(1-p)-1) > 1e-12 {
				t.Errorf("%+v: %.2f becomes %v, what is left of it %v", at, p, by.of(p), by.of(1-p))
			}
		}
	}
	if q := (truth{}).of(0.3); q != 0.3 {
		t.Errorf("where nothing was measured, 0.3 becomes %v", q)
	}
}

// Every game says how far it has come, from its first position on, and what is better is told to be better.
func TestGamesAreCalibrated(t *testing.T) {
	for _, g := range example.Games {
		setup, err := games.NewSetup(g, 0)
		if err != nil {
			t.Fatal(err)
		}
		s := g.New(setup)
		if _, ok := s.Sim().(games.Calibrated); !ok {
			continue
		}
		rng := games.NewRand(5)
		most, begin := 0.0, s.Sim().(games.Calibrated).Calibration()
		if begin.Phase != 0 || begin.Seats != 2 {
			t.Errorf("%s begins with %+v", g.Key(), begin)
		}
		for _, slope := range begin.Slopes {
			if slope != 0 && (slope < 0.2 || slope > 5) {
				t.Errorf("%s has the slopes %v", g.Key(), begin.Slopes)
			}
		}
		for s.ToMove() != games.Nobody {
			c := s.Mask(0).Sim().(games.Calibrated).Calibration()
			if !(c.Phase >= 0 && c.Phase <= 1) {
				t.Fatalf("%s: the phase is %v", g.Key(), c.Phase)
			}
			most = max(most, c.Phase)
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
	c := Calibration{Games: 24, Player: maker, Iterations: 100, Every: 6, Seed: 3, Workers: 1, MaxPlies: 300}
	one, err := Calibrate(t.Context(), g, setup, c)
	if err != nil {
		t.Fatal(err)
	}
	c.Workers = 3
	three, err := Calibrate(t.Context(), g, setup, c)
	if err != nil || *three != *one {
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
